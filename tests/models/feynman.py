"""The Feynman formulas: one Function each, and groups of them as one Function so that few modules are compiled."""

from __future__ import annotations

from collections.abc import Sequence

import symgraph as sg

from .corpora import Item, Point
from .traced import merge

__all__ = ["arguments", "formula", "group", "tolerance"]


def formula(item: Item, prefix: str = "") -> sg.Function:
    """One formula as a Function of its inputs; ``prefix`` keeps the inputs of several formulas apart."""
    symbols = item.symbols(prefix)
    return sg.function(item.formula("f", symbols), inputs=list(symbols.values()), name=f"{prefix}f")


def group(items: Sequence[Item]) -> sg.Function:
    """Value and gradient of several formulas: a tuple of (value, gradient), the inputs one after another."""
    return merge([sg.value_and_grad(formula(item, f"f{number}_")) for number, item in enumerate(items)], "feynman")


def arguments(items: Sequence[Item], number: int) -> list[float]:
    """The arguments of :func:`group` at point ``number`` of every item."""
    return [value for item in items for value in item.points[number].at]


def tolerance(point: Point, order: int) -> float:
    """1e-12 relative, or 100 times what the conditioning of the formula itself costs in double if that is greater."""
    return max(1e-12, 100 * point.double[order])
