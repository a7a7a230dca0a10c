"""What interval a value is sure to lie in, by interval arithmetic in one pass: where a function needs no guard.

Bounds are floats, rounded to nearest: they decide whether something is fast, never what it is. A nan is not excluded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from ..node import Kind, Node

__all__ = ["Range", "ranges"]

Range = tuple[float, float]
EVERYTHING: Range = (-math.inf, math.inf)
NOT_NEGATIVE: Range = (0.0, math.inf)
UNIT: Range = (-1.0, 1.0)

_RESULTS: dict[str, Range] = {
    "sin": UNIT, "cos": UNIT, "tanh": UNIT, "erf": UNIT, "sign": UNIT, "logistic": (0.0, 1.0), "erfc": (0.0, 2.0),
    "exp": NOT_NEGATIVE, "softplus": NOT_NEGATIVE, "cosh": (1.0, math.inf), "hypot": NOT_NEGATIVE,
    "sqrt": NOT_NEGATIVE, "atan": (-1.6, 1.6), "atan2": (-3.2, 3.2), "asin": (-1.6, 1.6), "acos": (0.0, 3.2),
}  # fmt: skip


def ranges(order: Iterable[Node]) -> dict[Node, Range]:
    """The interval of every number of ``order`` (arguments first) about which something is known.

    >>> from symgraph.node import constant, input_node
    >>> from symgraph.ops import apply_op
    >>> x = input_node("x")
    >>> node = apply_op("add", constant(1), apply_op("mul", x, x))
    >>> ranges([constant(1), x, node.args[1], node])[node]
    (1.0, inf)
    """
    found: dict[Node, Range] = {}
    for node in order:
        bounds = _range(node, found)
        if bounds != EVERYTHING:
            found[node] = bounds
    return found


def _range(node: Node, found: dict[Node, Range]) -> Range:
    match node.kind:
        case Kind.CONST:
            value = _float(node.data)
            return EVERYTHING if math.isnan(value) else (value, value)
        case Kind.SIZE | Kind.AXIS_INDEX:
            return NOT_NEGATIVE
        case Kind.ELEMENTWISE:
            if node.data in _RESULTS:
                return _RESULTS[node.data]
            rule = _RULES.get(node.data)
            return EVERYTHING if rule is None else rule(node, [found.get(a, EVERYTHING) for a in node.args])
        case Kind.REDUCE:
            low, high = found.get(node.args[0], EVERYTHING)
            if node.data[0] in ("max", "min"):
                return (low, math.inf) if node.data[0] == "min" else (-math.inf, high)  # over nothing: an infinity
            return NOT_NEGATIVE if low >= 0 else EVERYTHING
        case Kind.GATHER | Kind.BROADCAST:
            return found.get(node.args[0], EVERYTHING)
    return EVERYTHING


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _sum(node: Node, bounds: list[Range]) -> Range:
    return _checked(sum(low for low, _ in bounds), sum(high for _, high in bounds))


def _difference(node: Node, bounds: list[Range]) -> Range:
    (low, high), (other_low, other_high) = bounds
    return _checked(low - other_high, high - other_low)


def _product(node: Node, bounds: list[Range]) -> Range:
    if len(node.args) == 2 and node.args[0] is node.args[1]:
        return (0.0, _times(*(2 * [max(map(abs, bounds[0]))])))
    low, high = bounds[0]
    for other_low, other_high in bounds[1:]:
        corners = [_times(a, b) for a in (low, high) for b in (other_low, other_high)]
        low, high = min(corners), max(corners)
    return low, high


def _quotient(node: Node, bounds: list[Range]) -> Range:
    return _product(node, [bounds[0], _reciprocal(bounds[1])]) if node.args[0] is not node.args[1] else EVERYTHING


def _reciprocal(bounds: Range) -> Range:
    low, high = bounds
    if low > 0 or high < 0:
        return 1 / high, 1 / low
    return NOT_NEGATIVE if low >= 0 else EVERYTHING


def _absolute(node: Node, bounds: list[Range]) -> Range:
    low, high = bounds[0]
    return (0.0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))


def _times(left: float, right: float) -> float:
    return 0.0 if left == 0 or right == 0 else left * right


def _checked(low: float, high: float) -> Range:
    return (-math.inf if math.isnan(low) else low), (math.inf if math.isnan(high) else high)


_RULES: dict[str, Callable[[Node, list[Range]], Range]] = {
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "div": _quotient,
    "neg": lambda node, bounds: (-bounds[0][1], -bounds[0][0]),
    "rcp": lambda node, bounds: _reciprocal(bounds[0]),
    "abs": _absolute,
    "max": lambda node, bounds: (max(low for low, _ in bounds), max(high for _, high in bounds)),
    "min": lambda node, bounds: (min(low for low, _ in bounds), min(high for _, high in bounds)),
    "select": lambda node, bounds: (min(b[0] for b in bounds[1:]), max(b[1] for b in bounds[1:])),
    "float": lambda node, bounds: bounds[0],
}
