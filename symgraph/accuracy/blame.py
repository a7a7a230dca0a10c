"""Which node loses the digits: first-order error analysis at one point, in exact arithmetic.

With the adjoint of a node v, an error of one unit in the last place there moves the result by ``|adjoint * v / y|``
units, y being the result: its *effect*. A node's *gain* is what it makes of arguments that are right to one unit: the
sum of ``|a * dv/da / v|`` over the arguments a that are not exact. Of all nodes that matter for the result, the one
with the greatest gain is where digits are lost: the subtraction of nearly equal numbers, not the roundings before it.

Source: N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., SIAM 2002, sections 1.6 and 3.1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from .. import simplify as s
from ..derive.reverse import adjoints
from ..dtype import FLOATING
from ..errors import UnsupportedError
from ..exact import Exact, exact_node_values, exact_operation
from ..graph import Graph, Output, topological_order
from ..interpret import align
from ..node import Kind, Node, constant
from ..ops import OPS
from .ulps import FORMATS, FloatFormat, is_representable, ulp_error

__all__ = ["Analysis", "Loss", "analysis"]

_DIGITS = 60
_STEP = 20  # relative steps of 1e-20 for the condition of one operation
_SHARE = 0.1  # of the greatest effect on the result: what has less does not matter
_SMALLEST_GAIN = 2.0
_EXACT = ("hold", "float", "max", "min", "select", "abs", "undefined")  # pass numbers on as they are


@dataclass(frozen=True)
class Loss:
    """Where digits are lost.

    Attributes
    ----------
    node:
        The node.
    gain:
        By how much it makes relative errors of its arguments greater; or, where ``own`` is set, how many units in the
        last place its own evaluation is off.
    own:
        Whether the operation itself is computed badly.
    """

    node: Node
    gain: float
    own: bool = False


@dataclass(frozen=True)
class Analysis:
    """What one point says about one element of an output.

    Attributes
    ----------
    condition:
        By how much a relative change of the inputs can be greater in the result: the sum of ``|x * dy/dx / y|``.
    estimate:
        Units in the last place that the result is off, to first order, when every operation is right to one unit.
    loss:
        The node that loses digits; None where all that happens is rounding.
    """

    condition: float
    estimate: float
    loss: Loss | None


def analysis(
    graph: Graph, output: Output, place: Sequence[int], arguments: Sequence[object], dtype: str = "float64",
    library: bool = True,
) -> Analysis | None:  # fmt: skip
    """First-order error analysis of one element of an output at one point; None where it has no relative error.

    Parameters
    ----------
    graph:
        What is computed: the graph as it is emitted.
    output, place:
        An output of it, and the position of the element along ``output.axes``.
    arguments:
        One value per input, of exact shapes.
    dtype:
        The format of the kernel.
    library:
        Whether to try how well the functions of the mathematics library are computed on this machine.

    Examples
    --------
    >>> x, y = sp.symbols("x y")
    >>> graph = sg.function(sp.exp(x) - sp.exp(y), [x, y]).graph
    >>> found = analysis(graph, graph.outputs[0], (), [1.0, 1.0 + 2.0**-20])
    >>> found.loss.node.data, 2.0**19 < found.condition < 2.0**22
    ('add', True)
    """
    indices = {a: constant(k) for a, k in zip(output.axes, place, strict=True) if a in output.node.axes}
    target = s.gather(output.node, indices)
    if target.dtype is not FLOATING or target.kind is Kind.CONST:
        return None
    below = [node for node in topological_order([target]) if node.dtype is FLOATING]
    table = adjoints({target: constant(1)}, below)
    order = topological_order([target, *table.values()])
    with mpmath.workdps(_DIGITS):
        values = exact_node_values(order, graph.inputs, arguments, _DIGITS)
        result = values[target].item()
        if not mpmath.isfinite(result) or result == 0:
            return None
        return _analysed(below, table, values, result, FORMATS[dtype], library)


def _analysed(
    below: Sequence[Node], table: dict[Node, Node], values: dict[Node, Exact], result: Any, kind: FloatFormat,
    library: bool,
) -> Analysis:  # fmt: skip
    condition, estimate = mpmath.mpf(0), mpmath.mpf(0)
    losses: list[tuple[Any, Loss]] = []
    for node in below:
        if node not in table:
            continue
        value, adjoint = values[node], align(values[table[node]], table[node].axes, node.axes)
        effects = [abs(a * v / result) for a, v in _pairs(adjoint, value) if v != 0 and a != 0]
        effect = mpmath.fsum(effects)
        if not mpmath.isfinite(effect):
            continue
        if node.kind is Kind.INPUT:
            condition += effect
        elif _rounds(node) and not all(is_representable(v, kind) for v in value.flat):
            estimate += effect
            losses += _candidates(node, values, effect, kind, library)
    greatest = max((effect * loss.gain for effect, loss in losses), default=0)
    loss = max(
        (loss for effect, loss in losses if effect * loss.gain >= _SHARE * greatest), key=lambda found: found.gain,
        default=None,
    )  # fmt: skip
    return Analysis(_float(condition), _float(estimate), loss)


def _rounds(node: Node) -> bool:
    if node.kind is Kind.CONST:
        return True
    if node.kind is Kind.REDUCE:
        return node.data[0] in ("sum", "product")
    if node.kind is not Kind.ELEMENTWISE or node.data in _EXACT:
        return False
    return not (node.data == "mul" and len(node.args) == 2 and any(map(_is_power_of_two, node.args)))


def _is_power_of_two(node: Node) -> bool:
    """Whether a product with this number is exact: a change of sign or of the exponent."""
    if node.kind is not Kind.CONST or not isinstance(node.data, (int, float, Fraction)) or node.data == 0:
        return False
    return math.frexp(node.data)[0] in (0.5, -0.5)


def _pairs(adjoint: Exact, value: Exact) -> Any:
    return zip(np.broadcast_to(adjoint, value.shape).flat, value.flat, strict=True)


def _candidates(
    node: Node, values: dict[Node, Exact], effect: Any, kind: FloatFormat, library: bool
) -> list[tuple[Any, Loss]]:
    gain = _gain(node, values, kind)
    found = [Loss(node, gain)] if gain >= _SMALLEST_GAIN else []
    own = _own_error(node, values, kind) if library else 0.0
    if own >= 2 * _SMALLEST_GAIN:
        found.append(Loss(node, own, own=True))
    return [(effect, loss) for loss in found]


# ------------------------------------------------------------------------------------------- what one operation does
def _gain(node: Node, values: dict[Node, Exact], kind: FloatFormat) -> float:
    """The greatest gain over the elements of a node; 0 for what only rounds."""
    if node.kind is Kind.REDUCE:
        (argument,) = node.args
        if node.data[0] != "sum" or all(is_representable(v, kind) for v in values[argument].flat):
            return 0.0
        dimension = argument.axes.index(node.data[1])
        sizes = np.asarray(np.sum(np.abs(values[argument]), axis=dimension), dtype=object)
        kept = tuple(a for a in argument.axes if a != node.data[1])
        return max(map(_ratio, align(sizes, kept, node.axes).flat, values[node].flat), default=0.0)
    if node.kind is not Kind.ELEMENTWISE or node.data == "mul":
        return 0.0
    arguments = [np.broadcast_to(align(values[a], a.axes, node.axes), values[node].shape) for a in node.args]
    inexact = [
        a.dtype is FLOATING and not all(is_representable(v, kind) for v in values[a].flat) for a in node.args
    ]
    best = 0.0
    for place in np.ndindex(*values[node].shape):
        own = [a[place] for a in arguments]
        best = max(best, _condition(node.data, own, values[node][place], inexact))
    return best


def _condition(name: str, arguments: Sequence[Any], value: Any, inexact: Sequence[bool]) -> float:
    if name == "add":
        return _ratio(
            mpmath.fsum(abs(a) for a, matters in zip(arguments, inexact, strict=True) if matters), value
        )
    operation = exact_operation(name, len(arguments))
    step = mpmath.mpf(10) ** -_STEP
    total = mpmath.mpf(0)
    for k, matters in enumerate(inexact):
        if matters:
            moved = operation(*arguments[:k], arguments[k] * (1 + step), *arguments[k + 1 :])
            change = abs(moved - value) / step
            total += change if mpmath.isfinite(change) else 0
    return _ratio(total, value)


def _own_error(node: Node, values: dict[Node, Exact], kind: FloatFormat) -> float:
    """How many units the row's own NumPy function is off, given arguments that are floats."""
    if node.kind is not Kind.ELEMENTWISE or OPS[node.data].arity is None or node.axes:
        return 0.0
    real = np.float32 if kind is FORMATS["float32"] else np.float64
    arguments = [values[a].item() for a in node.args]
    with np.errstate(all="ignore"):
        floats = [
            real(float(v)) if a.dtype is FLOATING else v for a, v in zip(node.args, arguments, strict=True)
        ]
        found = float(OPS[node.data].numpy(*floats))
    try:
        exact = exact_operation(node.data, len(floats))(*(mpmath.mpf(float(v)) for v in floats))
    except (UnsupportedError, ZeroDivisionError):
        return 0.0
    if not mpmath.isfinite(exact) or not math.isfinite(found):
        return 0.0
    return ulp_error(found, exact, kind)


def _ratio(size: Any, value: Any) -> float:
    return _float(size / abs(value)) if value != 0 else 0.0


def _float(value: Any) -> float:
    return float(value) if value < 1e300 else math.inf
