"""Axes for sums and outputs: few of them, shared wherever nesting allows it, with names from the user's symbols."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import sympy as sp

from ..axis import Axis

__all__ = ["AxisPool", "unique_name"]


def unique_name(name: str, taken: Collection[str]) -> str:
    """``name``, or ``name`` with the first number that makes it new.

    >>> unique_name("x", ["x", "x_1"])
    'x_2'
    """
    candidate, count = name, 0
    while candidate in taken:
        count += 1
        candidate = f"{name}_{count}"
    return candidate


class AxisPool:
    """The axes of one capture, by size.

    Sums of equal ranges get the same axis, so that equal sums are one node and can share a loop. An axis bears the
    name of the index that needed it first.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._by_size: dict[sp.Expr, list[Axis]] = {}
        self._names: dict[str, None] = dict.fromkeys(taken)

    def take(self, size: sp.Expr, name: str, used: Collection[Axis]) -> Axis:
        """The first axis of this size that is not in ``used``; a new one called ``name`` if there is none."""
        axes = self._by_size.setdefault(size, [])
        for axis in axes:
            if axis not in used:
                return axis
        axis = Axis(unique_name(name, self._names), size)
        self._names[axis.name] = None
        axes.append(axis)
        return axis
