"""The reducer table, and the one place where a reduction over a missing axis gets its multiplicity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from .axis import Axis
from .dtype import FLOATING, promote
from .node import Kind, Node, constant, make, size_node
from .ops import apply_op

__all__ = ["REDUCERS", "Reducer", "reduce_over", "size_value"]


@dataclass(frozen=True)
class Reducer:
    """One row of the reducer table.

    Attributes
    ----------
    name:
        The key; first entry of the data of a REDUCE node.
    combine:
        The op that joins two partial results.
    identity:
        The result over an empty axis.
    repeated:
        The op that takes (argument, size) to the result when the argument does not vary along the axis; None when
        the argument itself is the result.
    numpy:
        The reduction of a NumPy array: called with ``axis=`` and ``initial=``.
    """

    name: str
    combine: str
    identity: int | float
    repeated: str | None
    numpy: Callable[..., Any]


REDUCERS: dict[str, Reducer] = {
    row.name: row
    for row in (
        Reducer("sum", "add", 0, "mul", np.add.reduce),
        Reducer("product", "mul", 1, "pow", np.multiply.reduce),
        Reducer("max", "max", float("-inf"), None, np.maximum.reduce),
        Reducer("min", "min", float("inf"), None, np.minimum.reduce),
    )
}

Call = Callable[..., Node]


def size_value(size: sp.Expr, call: Call = apply_op) -> Node:
    """A size as an integer node, built by ``call(op name, *arguments)``.

    >>> size_value(sp.Integer(3)) is constant(3)
    True
    """
    if size.is_Integer:
        return constant(int(size))
    if size.is_Symbol:
        return size_node(size.name)
    numerator, denominator = sp.fraction(sp.together(size))
    if denominator != 1:
        return call("floordiv", size_value(sp.expand(numerator), call), constant(int(denominator)))
    if size.is_Pow:
        return call("mul", *[size_value(size.base, call)] * int(size.exp))
    arguments = sorted(size.args, key=str)
    if size.is_Mul and arguments and any(a.is_Integer for a in arguments):
        coefficient = [a for a in arguments if a.is_Integer]
        others = [a for a in arguments if not a.is_Integer]
        rest = size_value(others[0], call) if len(others) == 1 else call("mul", *[size_value(a, call) for a in others])
        return call("mul", constant(int(sp.prod(coefficient))), rest)
    return call("add" if size.is_Add else "mul", *[size_value(a, call) for a in arguments])


def _length(size: sp.Expr, call: Call) -> Node:
    """The number of elements of an axis: an axis of n - 1 has none where n is 0."""
    value = size_value(size, call)
    never_negative = all(c >= 0 for c in sp.Poly(size, *size.free_symbols).coeffs()) if size.free_symbols else True
    return value if never_negative else call("max", constant(0), value)


def reduce_over(name: str, node: Node, axis: Axis, call: Call = apply_op) -> Node:
    """Reduce a node over an axis.

    Over an axis that the node lacks, the node is repeated ``axis.size`` times: a sum multiplies by the size, a product
    raises to its power, a maximum or minimum is the node itself. No other code knows this rule.

    >>> from symgraph.node import input_node
    >>> reduce_over("sum", input_node("x"), Axis("i", "n")).data
    'mul'
    """
    row = REDUCERS[name]
    if axis not in node.axes:
        return node if row.repeated is None else call(row.repeated, node, _length(axis.size, call))
    axes = tuple(a for a in node.axes if a != axis)
    dtype = promote(node.dtype) if name in ("sum", "product") else node.dtype
    return make(Kind.REDUCE, (node,), axes, FLOATING if name in ("max", "min") else dtype, (name, axis))
