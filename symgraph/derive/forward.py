"""Forward mode: the tangent of every node from the tangents of its arguments. The result is again a graph.

A tangent may have more axes than its node (batch axes): one sweep then carries a whole block of directions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import simplify as s
from ..errors import UnsupportedError
from ..graph import topological_order
from ..node import Kind, Node
from ..simplify.nonnegative import is_singular_power, nonnegative
from .cancel import cancelled_sum
from .partials import partial
from .reverse import (
    depends_on,
    is_power_times_logarithm,
    is_product,
    is_reciprocal,
    logarithm_slopes,
    other_factors,
    products_of_others,
    reciprocal_slope,
    strong_product,
    tie_share,
)

__all__ = ["tangents"]


def tangents(outputs: Sequence[Node], seeds: Mapping[Node, Node]) -> list[Node]:
    """The tangent of each output, given the tangents of inputs.

    Parameters
    ----------
    outputs:
        Nodes to differentiate.
    seeds:
        Input node -> tangent node, with the input's axes and possibly batch axes (that nothing else binds).
    """
    order = topological_order(outputs)
    active = depends_on(order, seeds)
    table: dict[Node, Node] = dict(seeds)
    # a root of something that is not negative: its infinite partial meets a tangent that is 0
    roots = {n for n in order if is_singular_power(n)}
    known = nonnegative(order) if roots else set()
    for node in order:
        if node in active and node not in table:
            if node in roots and node.args[0] in known:
                table[node] = strong_product(table[node.args[0]], partial(node, 0))
            else:
                table[node] = _tangent(node, table, active)
    return [table.get(node, s.ZERO) for node in outputs]


def _tangent(node: Node, table: Mapping[Node, Node], active: set[Node]) -> Node:
    match node.kind:
        case Kind.ELEMENTWISE:
            return _elementwise(node, table, active)
        case Kind.REDUCE:
            return _reduce(node, table[node.args[0]])
        case Kind.BROADCAST:
            return table[node.args[0]]
        case Kind.GATHER:
            return s.gather(table.get(node.args[0], s.ZERO), dict(zip(node.data, node.args[1:], strict=True)))
        case Kind.SCATTER_ADD:
            indices = dict(zip(node.data[0], node.args[1:], strict=True))
            return s.scatter_add(table.get(node.args[0], s.ZERO), indices, node.data[1])
        case _:
            raise UnsupportedError(f"no forward rule for {node!r}").about(node)


def _elementwise(node: Node, table: Mapping[Node, Node], active: set[Node]) -> Node:
    match node.data:
        case "add":
            return cancelled_sum([table[a] for a in node.args if a in active])
        case "mul":
            divisors = [a for a in node.args if a in active and is_reciprocal(a) and a.args[0] in table]
            others = products_of_others(node.args, active.difference(divisors))
            terms = [s.mul(table[a], o) for a, o in zip(node.args, others, strict=True) if o is not None]
            # n = a / q: the tangent is (da - n*dq)/q
            terms += [s.neg(s.mul(s.mul(table[q.args[0]], q), node)) for q in divisors]
            return cancelled_sum(terms)
        case "pow" if is_reciprocal(node):
            return reciprocal_slope(table[node.args[0]], node)
        case "log" if is_product(node.args[0]):
            return s.add(*[s.mul(table[a], given) for a, given in logarithm_slopes(node, table)])
        case "max" | "min":
            hits = [s.select(s.compare("eq", a, node), table.get(a, s.ZERO), s.ZERO) for a in node.args]
            return s.mul(tie_share(node), s.add(*hits))
        case "select":
            condition, then, otherwise = node.args
            return s.select(condition, table.get(then, s.ZERO), table.get(otherwise, s.ZERO))
        case "undefined":
            return s.mul(node, s.add(*[table[a] for a in node.args if a in active]))
        case "strong_product":
            pairs = [(a, b) for a, b in (node.args, node.args[::-1]) if a in active]
            return s.add(*[strong_product(table[a], b) for a, b in pairs])
        case _:
            vanishing = is_power_times_logarithm(node)
            terms = []
            for position, argument in enumerate(node.args):
                if argument in active:
                    times = strong_product if vanishing and not position else s.mul
                    terms.append(times(table[argument], partial(node, position)))
            return cancelled_sum(terms)


def _reduce(node: Node, tangent: Node) -> Node:
    name, axis = node.data
    match name:
        case "sum":
            return s.reduce("sum", tangent, axis)
        case "product":
            return s.reduce("sum", s.mul(tangent, other_factors(node)), axis)
        case _:
            hit = s.compare("eq", node.args[0], node)
            count = s.reduce("sum", s.select(hit, s.ONE, s.ZERO), axis)
            return s.div(s.reduce("sum", s.select(hit, tangent, s.ZERO), axis), count)
