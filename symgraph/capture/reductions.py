"""Maximum and minimum over an index, which SymPy lacks, and the operations that only a graph has."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits

__all__ = ["IndexedMaximum", "IndexedMinimum", "held", "undefined"]


class IndexedMaximum(ExprWithLimits):  # SymPy has no types: its classes are Any
    """The largest value over a range of indices; minus infinity over an empty one.

    >>> i, n = sp.symbols("i n", integer=True)
    >>> IndexedMaximum(sp.IndexedBase("x")[i], (i, 0, n - 1))
    IndexedMaximum(x[i], (i, 0, n - 1))
    """

    def __new__(cls, function: Any, *limits: Any) -> Any:
        """As ``sympy.Sum``: an expression, then ``(index, lower, upper)`` for every index, the innermost first."""
        ranges = [sp.Tuple(*(sp.sympify(part) for part in limit)) for limit in limits]
        made = sp.Expr.__new__(cls, sp.sympify(function), *ranges)
        made.is_commutative = True
        return made

    def _sympystr(self, printer: Any) -> str:
        return f"{type(self).__name__}({', '.join(printer._print(a) for a in self.args)})"


class IndexedMinimum(IndexedMaximum):
    """The smallest value over a range of indices; infinity over an empty one."""


class held(sp.Function):  # noqa: N801 (SymPy spells functions in lower case)
    """The argument itself, which derivatives hold constant: the shift of log-sum-exp.

    >>> x = sp.Symbol("x")
    >>> held(x).diff(x)
    0
    """

    nargs = 1

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        """The derivative, 0 by definition."""
        return sp.S.Zero


class undefined(sp.Function):  # noqa: N801 (SymPy spells functions in lower case)
    """nan, whatever the arguments are: a Piecewise where none of its conditions holds."""
