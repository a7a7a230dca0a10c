"""Density functionals from the formulas of the papers, with Libxc's own results beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import symgraph as sg

from .corpora import Item, load
from .partials import up_to

__all__ = ["RELATIVE", "arguments", "functionals", "grid_error", "partials", "point_excess"]

Array = NDArray[np.float64]
RELATIVE = 1e-10  # of Libxc's numbers, in every component


def functionals(ending: str = "") -> dict[str, Item]:
    """All functionals, or those of one kind: ``.unpol`` or ``.pol``."""
    return {name: item for name, item in load("libxc").items() if name.endswith(ending)}


def partials(item: Item, order: int) -> sg.Function:
    """The energy per volume f = n eps and all its partials, a tuple per order.

    ``vrho`` and ``vsigma`` of Libxc are the first order, ``v2rho2``, ``v2rhosigma``, ... the second, and so on.
    """
    return up_to(item.function(), order)


def arguments(item: Item) -> Array:
    """The 50 grid points of Libxc's results (number of inputs, 50)."""
    return np.array(item.info["libxc"]["at"], dtype=float).T


def grid_error(item: Item, order: int, found: Sequence[Any]) -> float:
    """The greatest relative error of one order against Libxc, over all partials and grid points.

    Cross-spin partials of exchange are exactly 0; Libxc has rounding noise for them (up to 6e-2 for the third
    partials of SCAN at low density). There 0 is asked for, and nothing else is right.
    """
    expected = np.array(item.info["libxc"][f"d{order}"], dtype=float).reshape(50, -1).T
    worst = 0.0
    for position, reference in enumerate(expected):
        values = np.broadcast_to(np.asarray(found[position], dtype=float), (50,))
        if all(np.ravel(point.out["f"][f"d{order}"])[position] == 0.0 for point in item.points):
            error = np.where(values == 0.0, 0.0, np.inf)
        else:
            error = np.abs(values - reference) / np.abs(reference)
        worst = max(worst, float(error.max()) if np.isfinite(values).all() else np.inf)
    return worst


def point_excess(item: Item, order: int, results: Sequence[Sequence[Any]]) -> float:
    """The greatest error against the 50-digit partials of one order, in units of what double arithmetic allows.

    Allowed are 100 times the error that plain Taylor arithmetic in double shows for the formula at that point, and
    1e-13 in any case. ``results`` has the partials of that order for each of the item's points.
    """
    worst = 0.0
    for point, found in zip(item.points, results, strict=True):
        allowed = max(1e-13, 100 * point.double[order])
        expected = np.ravel(point.out["f"][f"d{order}"])
        for value, reference in zip(np.ravel(found), expected, strict=True):
            error = abs(value - reference) / abs(reference) if reference else abs(value)
            worst = max(worst, float(error / allowed) if np.isfinite(value) else np.inf)
    return worst
