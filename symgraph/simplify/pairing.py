"""Greedy pairing: operands that stand together in several products (or sums) become one operand."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from functools import partial

from ..node import Node
from ..ops import apply_op

__all__ = ["Pairing"]

Pair = tuple[int, int]


class Pairing:
    """Extraction of common pairs, the most frequent first, until no pair stands in two places.

    Operands are numbers: of nodes, and behind those of pairs that were made.

    Parameters
    ----------
    op:
        "mul" or "add".
    nodes:
        All nodes of that operation, with two operands or more.
    """

    def __init__(self, op: str, nodes: Sequence[Node]) -> None:
        self.op = op
        self.nodes = nodes
        self.operands: list[dict[int, None]] = [{a.number: None for a in node.args} for node in nodes]
        self.by_number = {a.number: a for node in nodes for a in node.args}
        self.axes = {number: frozenset(node.axes) for number, node in self.by_number.items()}
        self.next = max(self.by_number) + 1
        self.parts: dict[int, Pair] = {}
        self.places: dict[Pair, dict[int, None]] = {}
        self.heap: list[tuple[int, int, int]] = []

    def plan(self) -> dict[Node, Callable[[Callable[[Node], Node]], Node]]:
        """For each node whose operands are grouped: how to make it, given what its operands have become."""
        for place, operands in enumerate(self.operands):
            listed = list(operands)
            for i, left in enumerate(listed):
                for right in listed[i + 1 :]:
                    self._note(left, right, place)
        for pair, places in self.places.items():
            self._offer(pair, len(places))
        while self.heap:
            count, left, right = heapq.heappop(self.heap)
            current = list(self.places.get((left, right), ()))
            if len(current) != -count:
                self._offer((left, right), len(current))
            else:
                self._extract(left, right, current)
        return {
            node: partial(self._made, node, tuple(operands))
            for node, operands in zip(self.nodes, self.operands, strict=True)
            if 1 < len(operands) < len(node.args)
        }

    def _note(self, left: int, right: int, place: int) -> Pair | None:
        if self.axes[left] != self.axes[right]:
            return None
        pair = (left, right) if left < right else (right, left)
        self.places.setdefault(pair, {})[place] = None
        return pair

    def _offer(self, pair: Pair, count: int) -> None:
        if count > 1:
            heapq.heappush(self.heap, (-count, *pair))

    def _extract(self, left: int, right: int, places: Sequence[int]) -> None:
        pair = self.next
        self.next += 1
        self.parts[pair] = (left, right)
        self.axes[pair] = self.axes[left]
        fresh: dict[Pair, None] = {}
        for place in places:
            operands = self.operands[place]
            del operands[left], operands[right]
            for other in operands:
                for gone in (left, right):
                    self.places.get((gone, other) if gone < other else (other, gone), {}).pop(place, None)
                noted = self._note(pair, other, place)
                if noted is not None:
                    fresh[noted] = None
            operands[pair] = None
        del self.places[left, right]
        for key in fresh:
            self._offer(key, len(self.places[key]))

    def _made(self, node: Node, operands: Sequence[int], new: Callable[[Node], Node]) -> Node:
        return apply_op(node.data, *[self._operand(number, new) for number in operands])

    def _operand(self, number: int, new: Callable[[Node], Node]) -> Node:
        """A pair is at most as deep as a product is wide: this recursion does not follow the graph."""
        if number in self.by_number:
            return new(self.by_number[number])
        left, right = self.parts[number]
        return apply_op(self.op, self._operand(left, new), self._operand(right, new))
