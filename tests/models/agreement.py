"""Results against the stored 50-digit numbers of an item, with the tolerance that its conditioning asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .corpora import Item, Point

__all__ = ["disagreements", "tolerance"]

# a mixed partial that vanishes identically may be the difference of two equal terms
_ZERO = 1e-12


def tolerance(point: Point, order: int, least: float = 1e-12) -> float:
    """``least`` relative, or 100 times what the conditioning of the formula costs in double if that is greater."""
    return max(least, 100 * point.double[order])


def disagreements(
    item: Item, point: Point, orders: Sequence[Sequence[Any]], output: str = "", least: float = 1e-12
) -> list[str]:
    """What is further from an output's stored partials than :func:`tolerance`; a tuple per order, from 0 on.

    Relative in every component; what is exactly 0 may be off by 1e-12 of the greatest partial of its order.
    """
    expected = point.out[output or next(iter(item.outputs))]
    wrong = []
    for order, found in enumerate(orders):
        reference = np.ravel(expected[f"d{order}"])
        values = np.ravel(found)
        allowed = tolerance(point, order, least) * np.abs(reference)
        allowed[reference == 0] = _ZERO * np.abs(reference).max()
        bad = ~(np.abs(values - reference) <= allowed)
        wrong += [
            f"{item.name} {point.label}: order {order}, partial {k}: {values[k]!r}, expected {reference[k]!r}"
            for k in np.flatnonzero(bad)
        ]
    return wrong
