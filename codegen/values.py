"""What the planner and the lowering both ask about single nodes: what is read in place, and what is worth keeping."""

from __future__ import annotations

from collections.abc import Iterable

from ..dtype import FLOATING
from ..node import Kind, Node
from .affine import Conditions, Facts

__all__ = ["LEAVES", "Values", "resolve"]

LEAVES = frozenset({Kind.INPUT, Kind.CONST, Kind.SIZE, Kind.AXIS_INDEX})
HEAVY = frozenset({"div", "rcp", "sqrt"})
LIGHT = frozenset({
    "add", "sub", "mul", "neg", "abs", "sign", "max", "min", "select", "lt", "le", "eq", "ne", "and", "or", "not",
    "float", "hold", "floor", "ceil", "floordiv", "mod",
})  # fmt: skip
MOST_INLINE_COST = 24
MOST_INLINE_HEIGHT = 7
MOST_COST = 1000


class Values:
    """Costs of the nodes of one graph, found in one pass.

    Parameters
    ----------
    order:
        Nodes, arguments before users.
    """

    def __init__(self, order: Iterable[Node]) -> None:
        self._inline: dict[Node, tuple[int, int]] = {}
        self._cost: dict[Node, int] = {}
        for node in order:
            self._visit(node)

    def _visit(self, node: Node) -> None:
        if node.kind in LEAVES:
            self._inline[node] = (0, 0)
            return
        if node.kind is Kind.ELEMENTWISE:
            heavy = node.data in HEAVY or node.data not in LIGHT
            below = sum(self._cost.get(a, 0) for a in node.args)
            self._cost[node] = 0 if heavy else min(MOST_COST, len(node.args) - 1 + below)
        elif node.kind is Kind.GATHER:
            self._cost[node] = self._cost.get(node.args[0], 0)
        else:
            self._cost[node] = 16
        if not node.axes or (node.kind is Kind.ELEMENTWISE and node.data not in LIGHT):
            return
        arguments = node.args[1:] if node.kind is Kind.GATHER else node.args
        if node.kind is Kind.GATHER and node.args[0].kind is not Kind.INPUT:
            return
        if node.kind not in (Kind.ELEMENTWISE, Kind.GATHER) or any(a not in self._inline for a in arguments):
            return
        cost = sum(self._inline[a][0] for a in arguments)
        height = 1 + max(self._inline[a][1] for a in arguments)
        if node.kind is Kind.ELEMENTWISE:
            cost += max(1, len(node.args) - 1)
        most = 1 if node.dtype is FLOATING and node.kind is Kind.ELEMENTWISE else MOST_INLINE_COST
        if cost <= most and height <= MOST_INLINE_HEIGHT:
            self._inline[node] = (cost, height)

    def inline(self, node: Node) -> bool:
        """Whether the value is read or computed in place wherever it is needed: leaves, loads and index arithmetic."""
        return node in self._inline

    def heavy(self, node: Node) -> bool:
        """Whether the node itself is a function or a division."""
        return node.kind is Kind.ELEMENTWISE and (node.data in HEAVY or node.data not in LIGHT)

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
