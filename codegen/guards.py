"""Operand guards: a library call whose value does not matter somewhere gets a harmless operand there.

The last pass over the graph, for speed alone: values are what they were, bit for bit. In lanes both branches of a
select are computed, and one lane with log(-1), exp(800) or sin(1e300) sends all of them through the slow path of the
library. What a guard costs is one select. There is none where the value matters everywhere, or where the operand is
sure to be in the fast range; and one per node, not per user, so that nothing that was shared is computed twice.

A guard reads only conditions that are computed before the node: the order that is chosen here (nodes wait for the
conditions of their guards, unless that would make a circle) decides which those are.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..dtype import FLOATING
from ..graph import Graph, Output, user_table
from ..node import Kind, Node, constant, make, union_axes
from ..ops import OPS, apply_op
from .activity import ALWAYS, Activity, Literal, activities, implies, literals_of
from .emitted import with_arguments
from .ranges import EVERYTHING, Range, ranges

__all__ = ["GUARDS", "Guard", "guarded"]


class Guard(NamedTuple):
    """The operands of a call that are ``fast``, and one that is harmless; for the operands at some ``positions``."""

    fast: Range
    safe: float
    positions: tuple[int, ...] = (0,)


_POSITIVE: Range = (1e-30, float("inf"))
_EXPONENT: Range = (-80.0, 80.0)  # also in single precision
_ANGLE: Range = (-1e4, 1e4)

GUARDS: dict[str, Guard] = {
    "exp": Guard(_EXPONENT, 0),
    "expm1": Guard(_EXPONENT, 0),
    "sinh": Guard(_EXPONENT, 0),
    "cosh": Guard(_EXPONENT, 0),
    "tanh": Guard(_EXPONENT, 0),
    "logistic": Guard(_EXPONENT, 0),
    "softplus": Guard(_EXPONENT, 0),
    "log": Guard(_POSITIVE, 1),
    "log2": Guard(_POSITIVE, 1),
    "log10": Guard(_POSITIVE, 1),
    "log1p": Guard((-0.99, float("inf")), 0),
    "pow": Guard((0.0, 0.0), 1),  # 1**y is 1 for every y; the fast range depends on both operands
    "sin": Guard(_ANGLE, 0),
    "cos": Guard(_ANGLE, 0),
    "tan": Guard(_ANGLE, 0),
    "asin": Guard((-1.0, 1.0), 0),
    "acos": Guard((-1.0, 1.0), 0),
    "atanh": Guard((-0.99, 0.99), 0),
    "acosh": Guard((1.0, float("inf")), 2),
    "atan2": Guard((0.0, 0.0), 1, (0, 1)),
    "hypot": Guard((0.0, 0.0), 1, (0, 1)),
}


def guard_of(node: Node) -> Guard | None:
    """The guard of a call of a library; other such functions get the middle of the range that their row is tested on.

    >>> from symgraph.node import input_node
    >>> guard_of(apply_op("log", input_node("x"))).safe
    1
    """
    if node.kind is not Kind.ELEMENTWISE or node.dtype is not FLOATING:
        return None
    found = GUARDS.get(node.data)
    if node.data == "pow" and node.args[0].kind is Kind.CONST:
        return Guard((0.0, 0.0), 1, (1,))
    if found is None and (row := OPS.get(node.data)) is not None and (row.c or "").startswith("scipy:"):
        position = len(row.samples) - 1  # orders come first
        low, high = row.samples[position]
        found = GUARDS[node.data] = Guard((0.0, 0.0), (low + high) / 2, (position,))
    return found


def guarded(graph: Graph) -> tuple[Graph, dict[Node, Node]]:
    """The graph with its library calls guarded and its dead branches gone, and what each of its nodes became.

    Parameters
    ----------
    graph:
        A graph in emitted operations.

    Returns
    -------
    tuple
        The very graph, with an empty table, where nothing needs a guard.

    Examples
    --------
    >>> from symgraph.node import input_node
    >>> x = input_node("x")
    >>> branch = apply_op("select", apply_op("lt", constant(0), x), apply_op("log", x), x)
    >>> result, _ = guarded(Graph("f", (x,), (Output("out", branch),)))
    >>> [a.data for a in result.outputs[0].node.args[1].args]
    ['select']
    """
    order = graph.order
    if not any(n.kind is Kind.ELEMENTWISE and n.data == "select" for n in order):
        return graph, {}
    pass_ = _Pass(order, [o.node for o in graph.outputs])
    if not pass_.guards and not pass_.dead:
        return graph, {}
    table = pass_.rebuilt()
    outputs = tuple(Output(o.name, table[o.node], o.axes) for o in graph.outputs)
    return Graph(graph.name, graph.inputs, outputs, graph.structure), table


class _Pass:
    """What one pass finds, and the graph that it makes."""

    def __init__(self, order: Sequence[Node], roots: Sequence[Node]) -> None:
        self.order = order
        calls = {n: guard for n in order if (guard := guard_of(n)) is not None}
        self.active = activities(order, roots, _above(order, calls))
        self.dead = {n: taken for n in order if (taken := self.taken(n)) is not None}
        partly = [n for n in calls if self.active[n] is not ALWAYS and self.active[n]]
        bounds = ranges(order) if partly else {}
        self.guards: dict[Node, tuple[Guard, Activity]] = {}
        wanted = [n for n in partly if not _is_fast(n, calls[n], bounds)]
        levels = _levels(order) if wanted else {}
        reads, bits = self.readers(wanted)
        for node in wanted:
            kept = [
                frozenset(x for x in term if levels[x[0]] <= levels[node] and not reads[node] & bits[x[0]])
                for term in self.active[node]
            ]
            if all(kept):
                self.guards[node] = calls[node], tuple(dict.fromkeys(kept))
        self.made: dict[Node, Node] = {}
        self.conditions: dict[Activity, tuple[Node, bool]] = {}

    def taken(self, node: Node) -> Node | None:
        """The branch of a select that is taken wherever the select matters."""
        if node.kind is not Kind.ELEMENTWISE or node.data != "select" or not self.active[node]:
            return None
        condition, then, otherwise = node.args
        if implies(self.active[node], literals_of(condition, True)):
            return then
        return otherwise if implies(self.active[node], literals_of(condition, False)) else None

    def readers(self, wanted: Iterable[Node]) -> tuple[dict[Node, int], dict[Node, int]]:
        """For each node the conditions that read it (or are it), as bits of one number; and the bit of each one."""
        conditions = {c for node in wanted for term in self.active[node] for c, _ in term}
        bits = {c: 1 << k for k, c in enumerate(sorted(conditions, key=lambda n: n.number))}
        reads = dict.fromkeys(self.order, 0)
        for node in reversed(self.order) if bits else ():
            above = reads[node] | bits.get(node, 0)
            if above:
                reads[node] = above
                for argument in node.args:
                    reads[argument] |= above
        return reads, bits

    def scheduled(self) -> Iterator[Node]:
        """An order in which nodes come after their arguments and, where that can be, the conditions of their guards."""
        position = {n: k for k, n in enumerate(self.order)}
        hard = {n: len(set(n.args)) for n in self.order}
        soft = {n: {c for term in activity for c, _ in term} for n, (_, activity) in self.guards.items()}
        users = user_table(self.order)
        waiting: dict[Node, list[Node]] = {}
        for node in self.guards:
            for condition in soft[node]:
                waiting.setdefault(condition, []).append(node)
        ready = [k for k, n in enumerate(self.order) if not hard[n] and not soft.get(n)]
        blocked: list[int] = []  # nodes that wait for conditions only
        done: set[Node] = set()
        while ready or blocked:
            node = self.order[heapq.heappop(ready or blocked)]
            if node in done:
                continue
            done.add(node)
            yield node
            for user in users[node]:
                hard[user] -= 1
                if not hard[user]:
                    heapq.heappush(blocked if soft.get(user) else ready, position[user])
            for other in waiting.get(node, ()):
                soft[other].discard(node)
                if not soft[other] and not hard[other]:
                    heapq.heappush(ready, position[other])

    def rebuilt(self) -> dict[Node, Node]:
        """What every node became."""
        made = self.made
        for node in self.scheduled() if self.guards else self.order:
            if node in self.dead:
                made[node] = made[self.dead[node]]
                continue
            arguments = [made[a] for a in node.args]
            if node in self.guards:
                guard, activity = self.guards[node]
                known = tuple(frozenset(x for x in term if x[0] in made) for term in activity)
                if all(known):
                    condition, holds = self.condition(tuple(dict.fromkeys(known)))
                    for position in guard.positions:
                        arguments[position] = _selected(condition, holds, arguments[position], constant(guard.safe))
            made[node] = node if tuple(arguments) == node.args else with_arguments(node, tuple(arguments))
        return made

    def condition(self, activity: Activity) -> tuple[Node, bool]:
        """An activity as a node, and whether it holds where the node is true."""
        found = self.conditions.get(activity)
        if found is None:
            if len(activity) == 1 and len(activity[0]) == 1:
                ((condition, holds),) = activity[0]
                found = self.made[condition], holds
            else:
                terms = [_joined("and", [self.literal(*x) for x in sorted(term, key=_key)]) for term in activity]
                found = _joined("or", terms), True
            self.conditions[activity] = found
        return found

    def literal(self, condition: Node, holds: bool) -> Node:
        return self.made[condition] if holds else _negation(self.made[condition])


def _key(literal: Literal) -> tuple[int, bool]:
    return literal[0].number, literal[1]


def _joined(op: str, nodes: list[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else apply_op(op, *nodes)


def _negation(condition: Node) -> Node:
    if condition.kind is Kind.ELEMENTWISE and condition.data in _OPPOSITE:
        return apply_op(_OPPOSITE[condition.data], *condition.args)
    return apply_op("not", condition)


_OPPOSITE = {"eq": "ne", "ne": "eq"}  # not so for < and <=: a nan


def _selected(condition: Node, holds: bool, operand: Node, safe: Node) -> Node:
    arguments = (condition, operand, safe) if holds else (condition, safe, operand)
    return make(Kind.ELEMENTWISE, arguments, union_axes(arguments), FLOATING, "select")


def _is_fast(node: Node, guard: Guard, bounds: dict[Node, Range]) -> bool:
    """Whether the operands are sure to be in the fast range, or are numbers."""
    low, high = guard.fast
    for position in guard.positions:
        found_low, found_high = bounds.get(node.args[position], EVERYTHING)
        if not (low <= found_low and found_high <= high) and node.args[position].kind is not Kind.CONST:
            return False
    return True


def _above(order: Iterable[Node], calls: Mapping[Node, Guard]) -> frozenset[Node]:
    """The nodes that are, or have below them, a library call."""
    found: set[Node] = set()
    for node in order:
        if node in calls or not found.isdisjoint(node.args):
            found.add(node)
    return frozenset(found)


def _levels(order: Iterable[Node]) -> dict[Node, int]:
    """How many reductions stand one on another below a node: a guard must not wait for a sum that the call does not."""
    levels: dict[Node, int] = {}
    for node in order:
        below = max((levels[a] for a in node.args), default=0)
        levels[node] = below + (node.kind in (Kind.REDUCE, Kind.SCATTER_ADD))
    return levels
