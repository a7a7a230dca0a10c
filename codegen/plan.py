"""From a graph to a plan: nested sweeps that compute all outputs together.

>>> from symgraph.axis import Axis
>>> from symgraph.graph import Graph, Output
>>> from symgraph.node import input_node
>>> from symgraph.ops import apply_op
>>> from symgraph.reducers import reduce_over
>>> i = Axis("i", "n")
>>> x = input_node("x", (i,))
>>> total = reduce_over("sum", apply_op("mul", x, x), i)
>>> plan = plan_graph(Graph("f", (x,), (Output("out", total),)))
>>> [type(item).__name__ for item in plan.scope.items]
['Fill', 'Sweep', 'Write']
"""

from __future__ import annotations

from dataclasses import dataclass

from ..axis import Axis
from ..errors import UnsupportedError
from ..graph import Graph, collection_paused, topological_order
from ..node import Kind, Node
from .affine import Affine, Conditions, affine_forms
from .axis_order import axis_order
from .deliver import Delivery, Term, deliveries
from .domains import Domains
from .fusion import Fusion
from .prepare import prepare
from .sweeps import Buffer, OutputArray, Root, Scope, Sink
from .unify import unified
from .values import Values

__all__ = ["Plan", "plan_graph"]


@dataclass(frozen=True, eq=False)
class Plan:
    """What is computed where.

    Attributes
    ----------
    graph:
        The graph as given.
    order:
        Every node of the prepared graph, arguments before users.
    axes:
        All axes, outermost first.
    fills:
        Outputs that are set to the identity of a reducer before anything else.
    scope:
        The outermost scope.
    buffers:
        Every table, in the order of their first request.
    """

    graph: Graph
    order: tuple[Node, ...]
    axes: tuple[Axis, ...]
    fills: tuple[tuple[OutputArray, str], ...]
    scope: Scope
    buffers: tuple[Buffer, ...]
    values: Values
    conditions: Conditions
    domains: Domains
    forms: dict[Node, Affine]


def plan_graph(graph: Graph, *, exact: bool = False) -> Plan:
    """Plan the loops of a graph.

    Parameters
    ----------
    graph:
        Any graph without recurrences.
    exact:
        Every division stays a division.

    Raises
    ------
    UnsupportedError
        The graph holds a recurrence.
    """
    with collection_paused():
        return _planned(graph, exact)


def _planned(graph: Graph, exact: bool) -> Plan:
    prepared = prepare(graph, exact=exact)
    for node in prepared.order:
        if node.kind is Kind.SCAN:
            raise UnsupportedError("a recurrence cannot be planned: use the interpreter for this function")
    delivered = unified(deliveries(prepared))
    nodes = [n for d in delivered for t in d.terms for n in (t.value, *t.indices)]
    order = topological_order(nodes)
    axes = axis_order(order, [t.stored_axes for d in delivered for t in d.terms])
    forms = affine_forms(order)
    conditions = Conditions(order, forms)
    domains = Domains(order, [(t.value, t.indices) for d in delivered for t in d.terms], forms, conditions)
    fusion = Fusion(
        {n: i for i, n in enumerate(order)}, {a: i for i, a in enumerate(axes)}, Values(order, forms), conditions,
        domains,
    )
    uses: dict[Node, int] = {}
    for node in order:
        for argument in node.args:
            uses[argument] = uses.get(argument, 0) + 1
    for node in nodes:
        uses[node] = uses.get(node, 0) + 1
    fills: list[tuple[OutputArray, str]] = []
    roots: list[Root] = []
    for position, delivery in enumerate(delivered):
        target = OutputArray(position, delivery.output)
        if delivery.fill:
            fills.append((target, "sum"))
        for term in delivery.terms:
            direct = _direct(fusion, delivery, term, uses)
            if direct is not None:
                reducer, value, loop = direct
                fills.append((target, reducer))
                conditions_here = domains.neutral(value, reducer)
                roots.append(Root(value, Sink(target, reducer, term.indices), loop, conditions_here))
            elif delivery.accumulate:
                roots.append(Root(term.value, Sink(target, "sum", term.indices), term.axes, domains.zero(term.value)))
            else:
                skipped = domains.zero(term.value) if delivery.fill else frozenset()
                roots.append(Root(term.value, Sink(target, None, term.indices), term.axes, skipped))
    scope = fusion.scope(roots, (), frozenset())
    return Plan(
        graph, tuple(order), axes, tuple(fills), scope, tuple(fusion.buffers.values()),
        fusion.values, conditions, domains, forms,
    )  # fmt: skip


def _direct(
    fusion: Fusion, delivery: Delivery, term: Term, uses: dict[Node, int]
) -> tuple[str, Node, tuple[Axis, ...]] | None:
    """A reduction that can be accumulated in the output itself: its reducer, its argument and its loop nest."""
    node = term.value
    if delivery.accumulate or delivery.fill or len(delivery.terms) > 1 or not term.axes:
        return None
    if node.kind is not Kind.REDUCE or uses[node] != 1 or set(term.stored_axes) != set(node.axes):
        return None
    reducer, axis = node.data
    loop = fusion.remaining({*node.args[0].axes, axis}, frozenset())
    return (reducer, node.args[0], loop) if loop[0] == axis else None
