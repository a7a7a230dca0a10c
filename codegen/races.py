"""Which sweeps may run their turns in any order, and at the same time."""

from __future__ import annotations

from ..axis import Axis
from ..node import Kind
from .sweeps import Accumulator, OutputArray, Root, Sweep, Write

__all__ = ["is_parallel"]


def is_parallel(sweep: Sweep) -> bool:
    """Whether no two turns of a sweep write to the same place.

    That is so when each turn writes only to elements of outputs that its own index selects, and to accumulators that
    live inside the turn. Tables are shared by all turns, and a sum over the sweep itself needs an order.
    """
    inside: set[object] = set()
    stack = [sweep.body]
    while stack:
        for item in stack.pop().items:
            if isinstance(item, Sweep):
                inside.update(target for _, target in item.finished if isinstance(target, Accumulator))
                stack.append(item.body)
    stack = [sweep.body]
    while stack:
        for item in stack.pop().items:
            if isinstance(item, Sweep):
                stack.append(item.body)
            elif isinstance(item, Write) and item.root.sink.target not in inside and not _is_own(item.root, sweep.axis):
                return False
    return True


def _is_own(root: Root, axis: Axis) -> bool:
    if not isinstance(root.sink.target, OutputArray):
        return False
    return any(index.kind is Kind.AXIS_INDEX and index.data == axis for index in root.sink.indices)
