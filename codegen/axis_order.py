"""The order in which axes are opened, outermost first: what decides how sweeps nest.

A reduction over ``b`` whose result still varies over ``a`` is a vote for ``a`` outside ``b``: it then needs
one accumulator instead of one per ``a``. Votes may go both ways: a gradient sums over the data what the model
summed over parameters. Then the earliest vote counts, that is the model's own: a derivative is always created
after what it is the derivative of.

A vote for an axis of the outputs outside one that is summed away is turned round when some reduction varies
over the latter alone: inside, it would have to be kept for every index (a Hessian sums over data what was
reduced per row of data).
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
    results: dict[tuple[Axis, ...], None] = {}
    votes: dict[tuple[Axis, Axis], int] = {}
    for position, node in enumerate(order):
        inner: tuple[Axis, ...] = ()
        if node.kind is Kind.REDUCE:
            inner = (node.data[1],)
            results.setdefault(node.axes)
        elif node.kind is Kind.SCATTER_ADD:
            inner = node.data[1]
        for axis in node.axes + inner:
            seen.setdefault(axis, len(seen))
        for low in inner:
            for high in node.axes:
                if high != low:
                    votes.setdefault((high, low), position)
    wins = dict.fromkeys(seen, 0)
    for (high, low), position in votes.items():
        if (low, high) not in votes and high in in_output and low not in in_output:
            if any(low in axes and high not in axes for axes in results):
                high, low = low, high
        elif position > votes.get((low, high), position):
            continue
        wins[high] += 1
        wins[low] -= 1
    return tuple(sorted(seen, key=lambda a: (-wins[a], not a.size.free_symbols, seen[a])))
