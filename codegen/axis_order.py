"""The order in which axes are opened, outermost first: what decides how sweeps nest.

A reduction over ``b`` whose result still varies over ``a`` is a vote for ``a`` outside ``b``: it then needs one accumulator
instead of one per ``a``. Where votes go both ways (a gradient sums over the data what the model summed over parameters),
an axis that no output has and that a later reduction removes is a *data axis* and goes outside: the loop over it then
needs no table as long as the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..axis import Axis
from ..node import Kind, Node

__all__ = ["axis_order"]


def axis_order(order: Iterable[Node], stored: Sequence[Sequence[Axis]]) -> tuple[Axis, ...]:
    """All axes that are looped over.

    Parameters
    ----------
    order:
        Nodes, arguments before users.
    stored:
        For each store into an output, the axes of its loop nest in the order of the output's dimensions.

    Returns
    -------
    tuple
        Axes, outermost first. Deterministic: ties go by the stores, then by first appearance.
    """
    order = list(order)
    seen: dict[Axis, int] = {}
    for axes in stored:
        for axis in axes:
            seen.setdefault(axis, len(seen))
    in_output = set(seen)
    votes: dict[tuple[Axis, Axis], int] = {}
    reduced: set[Axis] = set()
    for node in order:
        inner: tuple[Axis, ...] = ()
        if node.kind is Kind.REDUCE:
            inner = (node.data[1],)
            reduced.add(node.data[1])
        elif node.kind is Kind.SCATTER_ADD:
            inner = node.data[1]
        for axis in node.axes + inner:
            seen.setdefault(axis, len(seen))
        for low in inner:
            for high in node.axes:
                if high != low:
                    votes[high, low] = votes.get((high, low), 0) + 1
    data = reduced - _renamed(order, in_output)
    wins = dict.fromkeys(seen, 0)
    for (high, low), count in votes.items():
        opposite = votes.get((low, high), 0)
        if opposite and (high in data) != (low in data):
            high_wins = high in data
        else:
            high_wins = count > opposite
        if high_wins:
            wins[high] += 1
            wins[low] -= 1
    return tuple(sorted(seen, key=lambda a: (-wins[a], not a.size.free_symbols, seen[a])))


def _renamed(order: Sequence[Node], outputs: set[Axis]) -> set[Axis]:
    """The axes of the outputs and those that a plain read turns into them: a table over one is as long as an output."""
    found = set(outputs)
    for node in reversed(order):
        if node.kind is Kind.GATHER:
            for axis, index in zip(node.data, node.args[1:], strict=True):
                if index.kind is Kind.AXIS_INDEX and index.data in found:
                    found.add(axis)
    return found
