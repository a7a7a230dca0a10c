"""How errors show themselves: the message, and the formula or the picture in which the part at fault is marked."""

from __future__ import annotations

import contextlib
from html import escape

import sympy as sp

from ..capture.marking import RED, marked_latex
from ..errors import SymgraphError
from ..function import Function
from ..graph import Graph
from .drawing import draw
from .glyphs import mathml
from .model import build_model

__all__ = ["error_bundle"]

LONGEST = 1500  # characters of LaTeX that are set as a formula
MOST_DRAWN = 60  # nodes of a graph that is drawn whole


def error_bundle(error: SymgraphError) -> dict[str, str]:
    """An error: its message with the part at fault underlined, as text and as HTML.

    >>> x = sp.Symbol("x")
    >>> try:
    ...     sg.function(sp.sin(sp.Integral(sp.exp(x), x)))
    ... except SymgraphError as error:
    ...     print(error_bundle(error)["text/plain"])
    UnsupportedError: output f: Integral has no meaning here: rewrite it with sums, functions and conditions that have \
(at sin.args[0] -> Integral)
      sin(Integral(exp(x), x))
          ^^^^^^^^^^^^^^^^^^^
    """
    notes = "\n".join(getattr(error, "__notes__", ()))
    text = f"{type(error).__name__}: {error}" + (f"\n{notes}" if notes else "")
    parts = [f"<p><b>{type(error).__name__}</b>: {escape(str(error))}</p>"]
    shown = _formula(error) or _picture(error)
    if not shown and notes:
        shown = f"<pre>{escape(notes)}</pre>"
    return {"text/plain": text, "text/html": f'<div style="border-left:4px solid {RED};padding-left:10px">'
            f"{parts[0]}{shown}</div>"}  # fmt: skip


def _formula(error: SymgraphError) -> str:
    if not isinstance(error.expression, sp.Basic) or not isinstance(error.within, sp.Basic):
        return ""
    if not getattr(error, "__notes__", ()):  # too large to be printed
        return ""
    with contextlib.suppress(Exception):  # what cannot be typeset is there as text
        latex = marked_latex(error.expression, error.within)
        if len(latex) <= LONGEST:
            lined = f'mathcolor="{RED}" style="border-bottom:2px solid {RED};background:{RED}18"'
            typeset = mathml(latex).replace(f'mathcolor="{RED}"', lined)
            return f'<div style="font-size:120%;padding:4px;overflow-x:auto">{typeset}</div>'
    return ""


def _picture(error: SymgraphError) -> str:
    graph, node = error.graph, error.node
    if not isinstance(graph, Graph) or len(graph.order) > MOST_DRAWN:
        return ""
    with contextlib.suppress(ImportError):
        model = build_model(Function(graph))
        if node not in model.by_node:
            return ""
        svg = draw(model, "all")
        head, box, tail = svg.partition(f'data-key="{model.by_node[node].number}"')
        before, rectangle, after = tail.partition("<rect ")
        mark = f'stroke="{RED}" stroke-width="4" '
        _, _, rest = after.partition("/>")
        size = after[: after.index("rx=")]
        return f'{head}{box}{before}{rectangle}{size}rx="5" fill="#fdecea" {mark}/>{rest}' if box else ""
    return ""
