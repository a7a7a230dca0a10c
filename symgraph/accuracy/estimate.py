"""What a package can say about its accuracy: the same on every machine, because nothing of a machine enters it.

Measured errors belong to one mathematics library and one compiler; a file that is compared byte by byte cannot hold
them. The first-order estimate of :mod:`.blame` can be there instead: it needs the graph and exact arithmetic alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import mpmath
import numpy as np

from ..axis import evaluate_size
from ..compile import computed_graph
from ..errors import SymgraphError
from ..exact import exact_outputs
from ..function import Function
from ..graph import Graph, Output
from ..show import node_text
from ..verify import candidates
from .blame import Analysis, analysis
from .hints import rewrite_for
from .report import figure
from .sampling import sizes_for

__all__ = ["Estimate", "estimates"]

POINTS = 5
ELEMENTS = 3  # of an array output
_WORK = 1000  # nodes times outputs times points: less than a second
_ARRAY = 12  # what a node of an array costs, in scalars
_WORTH = 8.0  # units above which it is said where digits are lost
_LONGEST = 48
_DIGITS = 30
_SKIPPED = ("jvp", "vjp", "hvp")  # their further arguments scale the result and its error alike


@dataclass(frozen=True)
class Estimate:
    """The texts of a line: output, worst estimate in ulp, condition there, where, what loses digits, what would not."""

    output: str
    ulp: str
    condition: str
    at: str
    node: str
    rewrite: str


def estimates(
    f: Function, functions: Mapping[str, Function], dtype: str = "float64", exact: bool = False
) -> tuple[list[Estimate], str]:
    """Estimated errors of the outputs of a model and its derivatives, or the reason why there are none.

    Parameters
    ----------
    f:
        The model.
    functions:
        What :func:`symgraph.verify.derived_functions` gave.
    dtype, exact:
        As they are compiled.

    Returns
    -------
    list of Estimate, str
        One of the two is empty.

    Examples
    --------
    >>> x, y = sp.symbols("x y")
    >>> f = sg.function(sp.exp(x * y), name="f")
    >>> [line], reason = estimates(f, {"value": f})
    >>> line.output, line.ulp
    ('f', '1.00')
    """
    chosen = [k for k in functions if k not in _SKIPPED]
    if {"value", "grad"} <= set(chosen):
        chosen = [k for k in chosen if k != "value_and_grad"]  # the same numbers again
    outputs = sum(len(functions[k].graph.outputs) for k in chosen)
    if not outputs:
        return [], "directional derivatives are as accurate as the derivatives that they are made of"
    graphs = {k: computed_graph(functions[k].graph, exact) for k in chosen}
    work = sum(_work(g) for g in graphs.values())
    points = min(POINTS, _WORK // max(work, 1))
    if points < 1:
        return [], "the model is too large to be analysed while its source is written"
    try:
        places = _points(f, points)
        return [_estimate(f, g, output, places, dtype) for g in graphs.values() for output in g.outputs], ""
    except (SymgraphError, ZeroDivisionError):
        return [], "an operation of the model has no exact value"


def _work(graph: Graph) -> int:
    cost = sum(_ARRAY if node.axes else 1 for node in graph.order)
    return cost * sum(ELEMENTS if o.axes else 1 for o in graph.outputs)


def _points(f: Function, count: int) -> list[list[object]]:
    """Arguments at which the model itself is finite: outside of its domain a derivative may still have a value."""
    found: list[list[object]] = []
    for candidate in candidates(f.graph):
        arguments = [candidate["argument"][node.data] for node in f.graph.inputs]
        if all(mpmath.isfinite(v) for o in exact_outputs(f.graph, arguments, _DIGITS) for v in o.flat):
            found.append(arguments)
        if len(found) == count:
            break
    return found


def _estimate(
    f: Function, graph: Graph, output: Output, points: Sequence[list[object]], dtype: str
) -> Estimate:
    sizes = sizes_for(f)
    shape = tuple(max(0, evaluate_size(a.size, sizes)) for a in output.axes)
    places = list(np.ndindex(*shape))
    places = places[:: max(1, len(places) // ELEMENTS)][:ELEMENTS]
    worst: Analysis | None = None
    at = ""
    for arguments in points:
        for place in places:
            found = analysis(graph, output, place, arguments, dtype, library=False)
            if found is not None and (worst is None or found.estimate > worst.estimate):
                worst, at = found, _point(f, arguments)
    if worst is None:
        return Estimate(output.name, "", "", "", "", "")
    lost = worst.loss if worst.estimate >= _WORTH else None
    return Estimate(
        output.name, figure(worst.estimate), figure(worst.condition), at,
        "" if lost is None else node_text(lost.node, _LONGEST), "" if lost is None else rewrite_for(lost),
    )  # fmt: skip


def _point(f: Function, arguments: Sequence[object]) -> str:
    pairs = zip(f.inputs, arguments, strict=True)
    return ", ".join(f"{name} = {value if not isinstance(value, list) else '[...]'}" for name, value in pairs)
