"""Arrays put together from single elements: sums of ScatterAdd at constant positions, taken apart and built."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .. import simplify as s
from ..axis import Axis
from ..node import Kind, Node, constant

__all__ = ["Position", "assembled", "elements"]

Position = tuple[int, ...]


def elements(node: Node) -> tuple[tuple[Axis, ...], dict[Position, Node]] | None:
    """(target axes, position -> element) when a node is an array assembled from elements, else None.

    Positions that no element covers hold 0.
    """
    terms = node.args if node.kind is Kind.ELEMENTWISE and node.data == "add" else (node,)
    targets: tuple[Axis, ...] | None = None
    found: dict[Position, Node] = {}
    for term in terms:
        if term.kind is not Kind.SCATTER_ADD or term.data[1]:
            return None
        order = sorted(range(len(term.data[0])), key=lambda k: term.data[0][k].name)
        axes = tuple(term.data[0][k] for k in order)
        indices = [term.args[1 + k] for k in order]
        if any(i.kind is not Kind.CONST for i in indices) or (targets is not None and axes != targets):
            return None
        if any(a in term.args[0].axes for a in axes):
            return None
        targets = axes
        position = tuple(int(i.data) for i in indices)
        found[position] = s.add(found[position], term.args[0]) if position in found else term.args[0]
    return None if targets is None else (targets, dict(sorted(found.items())))


def assembled(targets: Iterable[Axis], values: Mapping[Position, Node]) -> Node:
    """The array with the given elements along ``targets`` (and 0 elsewhere)."""
    targets = tuple(targets)
    placed = [
        s.scatter_add(value, {a: constant(k) for a, k in zip(targets, position, strict=True)}, ())
        for position, value in values.items()
        if value is not s.ZERO
    ]
    return s.add(*placed) if placed else s.ZERO
