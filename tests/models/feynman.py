"""The Feynman formulas: one Function each, and all of them as one Function of one array."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

import symgraph as sg

from .corpora import Item, Point
from .traced import merge

__all__ = ["arguments", "formula", "packed", "tolerance"]


def formula(item: Item) -> sg.Function:
    """One formula as a Function of its inputs."""
    symbols = item.symbols()
    return sg.function(item.formula("f", symbols), inputs=list(symbols.values()), name="f")


def packed(items: Sequence[Item]) -> sg.Function:
    """Values and gradients of all formulas as one Function of one array, their inputs one after another.

    No two formulas have an input in common, so that the gradient of the sum of all is that of each.
    """
    v = sp.IndexedBase("v", shape=(sum(len(item.inputs) for item in items),), positive=True)
    values = []
    start = 0
    for item in items:
        entries = {name: v[start + k] for k, name in enumerate(item.inputs)}
        values.append(item.formula("f", entries))
        start += len(entries)
    each = sg.function(sp.Array(values), inputs=[v], name="feynman")
    total = sg.function(sp.Add(*values, evaluate=False), inputs=[v], name="total")
    return merge([each, sg.grad(total, "v")], "feynman")


def arguments(items: Sequence[Item], number: int) -> list[float]:
    """The argument of :func:`packed` at point ``number`` of every item."""
    return [value for item in items for value in item.points[number].at]


def tolerance(point: Point, order: int) -> float:
    """1e-12 relative, or 100 times what the conditioning of the formula itself costs in double if that is greater."""
    return max(1e-12, 100 * point.double[order])
