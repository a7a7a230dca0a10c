"""Reductions in canonical form. The rules here decide the complexity of the emitted loops, before any planning.

For a sum over an axis, in this order:

1. a missing axis multiplies by the size (in :mod:`symgraph.reducers`);
2. coefficients, and guards without the axis, leave the sum;
3. ``[axis == e] * f`` selects one term: f at e;
4. factors without the axis leave an unguarded product; a guarded one keeps them, so that rule 6 can use them;
5. a sum of terms splits only where something leaves every term (splitting always would cost accuracy and accumulators);
6. an inner sum changes places with this one where that lets a factor leave this sum and take an axis along;
7. a read at another index is done after the sum, not inside it: renamed adjoints share one accumulator.
"""

from __future__ import annotations

from ..axis import Axis
from ..node import Kind, Node, axis_index
from ..reducers import reduce_over, size_value
from ..rewrite import bound_axes
from .arithmetic import ZERO, add, mul, scale, split_coefficient
from .logic import compare, guard, logical_and, split_guard
from .numbers import Number, number_product

__all__ = ["reduce"]


def reduce(name: str, node: Node, axis: Axis) -> Node:
    """Reduce a node over an axis by a row of the reducer table.

    >>> from symgraph.node import input_node
    >>> i = Axis("i", "n")
    >>> x, y = input_node("x", (i,)), input_node("y")
    >>> reduce("sum", mul(x, y), i) is mul(y, reduce("sum", x, i))
    True
    """
    if axis not in node.axes:
        return reduce_over(name, node, axis, _call)
    return _sum(node, axis) if name == "sum" else reduce_over(name, node, axis, _call)


def _call(op: str, *arguments: Node) -> Node:
    from . import call

    return call(op, *arguments)


def _sum(node: Node, axis: Axis) -> Node:
    coefficient, core = split_coefficient(node)
    if core is not node:
        return scale(coefficient, _sum(core, axis))
    condition, value = split_guard(node)
    if condition is not None:
        return _guarded_sum(node, condition, value, axis)
    if node.kind is Kind.ELEMENTWISE:
        if node.data == "mul":
            outside = [f for f in node.args if axis not in f.axes]
            if outside:
                inside = sorted((f for f in node.args if axis in f.axes), key=lambda f: (len(f.axes), f.number))
                return mul(*outside, _sum(mul(*inside), axis))
            return _exchanged(node, axis) or reduce_over("sum", node, axis, _call)
        if node.data == "add":
            split = _split(node, axis)
            if split is not None:
                return split
    if node.kind is Kind.REDUCE and node.data[0] == "sum":
        return _exchanged(node, axis) or reduce_over("sum", node, axis, _call)
    if node.kind is Kind.GATHER and axis not in node.data and not any(axis in x.axes for x in node.args[1:]):
        from .access import gather

        return gather(_sum(node.args[0], axis), dict(zip(node.data, node.args[1:], strict=True)))
    return reduce_over("sum", node, axis, _call)


_MOST_TERMS = 64  # of nested sums that are tried to be split: the try costs time, and a graph can share without end


def _split(node: Node, axis: Axis) -> Node | None:
    """The sum of the summed terms of (nested) sums, where something leaves every one of them."""
    terms: list[tuple[Number, Node]] = []
    stack: list[tuple[Number, Node]] = [(1, node)]
    while stack:
        factor, term = stack.pop()
        coefficient, core = split_coefficient(term)
        factor = number_product(factor, coefficient)
        if core.kind is Kind.ELEMENTWISE and core.data == "add":
            if len(stack) + len(core.args) + len(terms) > _MOST_TERMS:
                return None
            stack.extend((factor, argument) for argument in reversed(core.args))
        else:
            terms.append((factor, core))
    parts = []
    for factor, core in terms:
        part = reduce("sum", core, axis)
        if not _something_left(part, core, axis):
            return None
        parts.append(scale(factor, part))
    return add(*parts)


def _something_left(part: Node, term: Node, axis: Axis) -> bool:
    """Whether a summed term is cheaper than the plain sum of the term (a coefficient alone does not count)."""
    part, term = split_coefficient(part)[1], split_coefficient(term)[1]
    return not (part.kind is Kind.REDUCE and part.data == ("sum", axis) and part.args[0] is term)


def _guarded_sum(node: Node, condition: Node, value: Node, axis: Axis) -> Node:
    parts = condition.args if condition.kind is Kind.ELEMENTWISE and condition.data == "and" else (condition,)
    outside = [p for p in parts if axis not in p.axes]
    if outside:
        inside = [p for p in parts if axis in p.axes]
        return guard(logical_and(*outside), reduce("sum", guard(logical_and(*inside), value), axis))
    for part in parts:
        other = _selected(part, axis)
        if other is not None:
            return _one_term([p for p in parts if p is not part], value, axis, other)
    coefficient, core = split_coefficient(value)
    if core is not value:
        return scale(coefficient, reduce("sum", guard(condition, core), axis))
    return _exchanged(node, axis) or reduce_over("sum", node, axis, _call)


def _selected(condition: Node, axis: Axis) -> Node | None:
    """e when the condition is ``axis == e`` with e free of the axis."""
    if condition.kind is Kind.ELEMENTWISE and condition.data == "eq":
        index = axis_index(axis)
        left, right = condition.args
        if left is index and axis not in right.axes:
            return right
        if right is index and axis not in left.axes:
            return left
    return None


def _one_term(conditions: list[Node], value: Node, axis: Axis, index: Node) -> Node:
    from .access import gather

    at = {axis: index}
    found = [gather(c, at) for c in conditions]
    if not (index.kind is Kind.AXIS_INDEX and index.data.size == axis.size):
        found += [compare("le", ZERO, index), compare("lt", index, size_value(axis.size, _call))]
    return guard(logical_and(*found), gather(value, at))


def _exchanged(node: Node, axis: Axis) -> Node | None:
    """sum_a(u * sum_i(f * g)) = sum_i(f * sum_a(u * g)) where f lacks a, when that lowers the work.

    Work is the depth of the deeper loop nest, then that of the other. Only a strict gain exchanges, so that the rule
    cannot undo itself.
    """
    condition, body = split_guard(node)
    factors = list(body.args) if body.kind is Kind.ELEMENTWISE and body.data == "mul" else [body]
    sums = [f for f in factors if f.kind is Kind.REDUCE and f.data[0] == "sum" and axis in f.axes]
    if condition is not None or len(sums) != 1:
        return None
    inner_axis: Axis = sums[0].data[1]
    outer = [f for f in factors if f is not sums[0]]
    if any(inner_axis in f.axes or inner_axis in bound_axes(f) for f in outer):
        return None
    inner_condition, product = split_guard(sums[0].args[0])
    if inner_condition is not None and axis in inner_condition.axes:
        return None
    coefficient, product = split_coefficient(product)
    parts = list(product.args) if product.kind is Kind.ELEMENTWISE and product.data == "mul" else [product]
    leaving = [f for f in parts if axis not in f.axes]
    staying = [f for f in parts if axis in f.axes]
    rest = [*outer, *staying]
    if not leaving or not staying or inner_axis not in {a for f in staying for a in f.axes}:
        return None
    inside, kept = _axis_set(rest), _axis_set(leaving) | (_axis_set(rest) - {axis})
    before = (_axis_set(parts), _axis_set(outer) | (_axis_set(parts) - {inner_axis}))
    if _work(inside, kept) >= _work(*before):
        return None
    result = scale(coefficient, mul(*leaving, _sum(mul(*rest), axis)))
    if inner_condition is not None:
        result = guard(inner_condition, result)
    return _sum(result, inner_axis) if inner_axis in result.axes else reduce_over("sum", result, inner_axis, _call)




def _axis_set(nodes: list[Node]) -> set[Axis]:
    return {a for node in nodes for a in node.axes}


def _work(first: set[Axis], second: set[Axis]) -> tuple[int, int]:
    depths = sorted((len(first), len(second)))
    return depths[1], depths[0]
