"""What the planner and the lowering both ask about single nodes: what is read in place, and what is worth
keeping."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..dtype import FLOATING
from ..node import Kind, Node
from .affine import Affine, Conditions, Facts

__all__ = ["LEAVES", "REDUCTION_COST", "Values", "resolve"]

LEAVES = frozenset({Kind.INPUT, Kind.CONST, Kind.SIZE, Kind.AXIS_INDEX})
HEAVY = frozenset({"div", "rcp", "sqrt"})
LIGHT = frozenset({
    "add", "sub", "mul", "neg", "abs", "sign", "max", "min", "select", "lt", "le", "eq", "ne", "and", "or", "not",
    "float", "hold", "floor", "ceil", "floordiv", "mod",
})  # fmt: skip
MOST_INLINE_COST = 24
MOST_INLINE_HEIGHT = 7
MOST_COST = 1000
REDUCTION_COST = 16
PACKED_INDEX_COST = 4


class Values:
    """Costs of the nodes of one graph, found in one pass.

    Parameters
    ----------
    order:
        Nodes, arguments before users.
    forms:
        Affine forms of the integer nodes.
    """

    def __init__(self, order: Iterable[Node], forms: Mapping[Node, Affine]) -> None:
        self._inline: dict[Node, tuple[int, int]] = {}
        self._scalars: dict[Node, tuple[Node, ...]] = {}
        self._cost: dict[Node, int] = {}
        for node in order:
            if node.kind in LEAVES or (node in forms and node.axes):
                self._inline[node] = (0, 0)
            else:
                self._price(node)
                self._judge(node)

    def _price(self, node: Node) -> None:
        if node.kind is Kind.ELEMENTWISE:
            below = sum(self._cost.get(a, 0) for a in node.args)
            self._cost[node] = 0 if self.heavy(node) else min(MOST_COST, len(node.args) - 1 + below)
        else:
            self._cost[node] = self._cost.get(node.args[0], 0) if node.kind is Kind.GATHER else REDUCTION_COST

    def _judge(self, node: Node) -> None:
        if not node.axes or node.kind not in (Kind.ELEMENTWISE, Kind.GATHER) or self.heavy(node):
            return
        if node.kind is Kind.GATHER and (node.args[0].kind is not Kind.INPUT or self._is_packed(node)):
            return
        arguments = node.args[1:] if node.kind is Kind.GATHER else node.args
        if any(a.axes and a not in self._inline for a in arguments):
            return
        scalars = dict.fromkeys(
            s for a in arguments for s in self._scalars.get(a, () if a in self._inline else (a,))
        )
        cost, height = 0, 1
        for argument in arguments:
            below = self._inline.get(argument, (0, 0))
            cost, height = cost + below[0], max(height, 1 + below[1])
        if node.kind is Kind.ELEMENTWISE:
            cost += max(1, len(node.args) - 1)
        most = MOST_INLINE_COST
        if node.dtype is FLOATING and node.kind is Kind.ELEMENTWISE:  # two reads are dearer than one
            most = 1 if sum(bool(a.axes) for a in node.args) < 2 else 0
        if cost <= most and height <= MOST_INLINE_HEIGHT:
            self._inline[node] = (cost, height)
            if scalars:
                self._scalars[node] = tuple(scalars)

    def _is_packed(self, gather: Node) -> bool:
        """Whether an index takes much arithmetic, as in packed storage: what is read is then worth a table."""
        return any(self._inline.get(i, (0, 0))[0] >= PACKED_INDEX_COST for i in gather.args[1:])

    def inline(self, node: Node) -> bool:
        """Whether the value is read or computed in place wherever it is needed: leaves, loads and index arithmetic."""
        return node in self._inline

    def scalars(self, node: Node) -> tuple[Node, ...]:
        """The values without axes that a value in place is computed from."""
        return self._scalars.get(node, ())

    def heavy(self, node: Node) -> bool:
        """Whether the node itself is a function or a division."""
        return node.kind is Kind.ELEMENTWISE and (node.data in HEAVY or node.data not in LIGHT)

    def argument_cost(self, node: Node) -> int:
        """The cost of everything that the node itself is applied to."""
        return sum(self._cost.get(a, 0) for a in node.args)

    def cost(self, node: Node) -> int:
        """Operations down to values that are worth storing themselves."""
        return self._cost.get(node, 0)


def resolve(node: Node, facts: Facts, conditions: Conditions) -> Node:
    """The branch that is taken where the facts decide it; the node itself otherwise."""
    while node.kind is Kind.ELEMENTWISE and node.data == "select":
        value = conditions.decide(node.args[0], facts)
        if value is None:
            break
        node = node.args[1 if value else 2]
    return node
