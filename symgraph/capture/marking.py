"""The user's SymPy expression as text and LaTeX in which the part that has no meaning is marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

from ..errors import SymgraphError
from ..marks import END, START, underlined

__all__ = ["RED", "mark_expression", "marked_latex"]

LARGEST = (
    400  # parts of an expression that is still printed whole; of a larger one, the parts around the mark
)
DEEPEST = 60
RED = "#c0392b"


class _MarkedText(StrPrinter):
    """Text with the mark around one part, whichever printer method writes it."""

    def __init__(self, part: sp.Basic) -> None:
        super().__init__()
        self._part = part

    def _print(self, expr: Any, **kwargs: Any) -> str:
        text = super()._print(expr, **kwargs)
        return f"{START}{text}{END}" if expr is self._part else text


class _MarkedLatex(LatexPrinter):
    """LaTeX with one part in red."""

    def __init__(self, part: sp.Basic) -> None:
        super().__init__()
        self._part = part

    def _print(self, expr: Any, **kwargs: Any) -> str:
        text = super()._print(expr, **kwargs)
        return rf"{{\color{{{RED}}} {text}}}" if expr is self._part else text


def mark_expression(error: SymgraphError, expressions: Sequence[sp.Basic]) -> None:
    """Give an error the part that is at fault, the innermost of some nested expressions, and underline it.

    >>> x = sp.Symbol("x")
    >>> part = sp.Integral(sp.exp(x), x)
    >>> error = SymgraphError("no meaning")
    >>> mark_expression(error, [2 + sp.sin(x) * part, sp.sin(x) * part, part])
    >>> print(error.__notes__[0])
      sin(x)*Integral(exp(x), x) + 2
             ^^^^^^^^^^^^^^^^^^^
    """
    if not expressions or error.expression is not None:
        return
    part = expressions[-1]
    error.expression, error.within = part, part
    for around in reversed(expressions):
        if not _is_small(around):
            break
        error.within = around
    if not _is_small(part):
        return
    try:
        text = _MarkedText(part).doprint(error.within)
    except Exception:  # a class of the user's that cannot be printed must not hide the error
        return
    if marked := underlined(text.replace("\n", " ")):
        error.add_note("\n".join(f"  {line}" for line in marked.splitlines()))


def marked_latex(part: sp.Basic, within: sp.Basic) -> str:
    r"""The LaTeX of an expression in which a part of it is red.

    >>> x = sp.Symbol("x")
    >>> marked_latex(x, 2 * x)
    '2 {\\color{#c0392b} x}'
    """
    return _MarkedLatex(part).doprint(within)


def _is_small(expression: sp.Basic) -> bool:
    stack, count = [(expression, 0)], 0
    while stack:
        current, depth = stack.pop()
        count += 1
        if count > LARGEST or depth > DEEPEST:
            return False
        stack.extend((a, depth + 1) for a in current.args if isinstance(a, sp.Basic))
    return True
