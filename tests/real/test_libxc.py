"""Density functionals: partials up to the fourth order against Libxc and against 50 digits."""

from __future__ import annotations

import numpy as np
import pytest

import symgraph as sg
from tests.models import libxc
from tests.models.traced import merge

ALL = libxc.functionals()
FOURTH = ("lda_x.unpol", "gga_x_pbe.unpol")


def _check(item, orders, grid, points):
    for order in orders:
        assert libxc.grid_error(item, order, grid[order]) <= libxc.RELATIVE, f"{item.name}: order {order}, Libxc"
    for order in range(len(grid)):
        found = [[np.broadcast_to(v, (6,))[number] for v in points[order]] for number in range(6)]
        assert libxc.point_excess(item, order, found) <= 1.0, f"{item.name}: order {order}, 50 digits"


def _points(item):
    return np.array([point.at for point in item.points]).T


def test_there_are_18_functionals():
    assert len(ALL) == 18
    assert all(len(item.info["libxc"]["at"]) == 50 and len(item.points) == 6 for item in ALL.values())


@pytest.mark.parametrize("name", ALL)
def test_interpreter(name):
    """Value and three orders of everything; the fourth of what is not polarised."""
    item = ALL[name]
    function = libxc.partials(item, 4 if name.endswith(".unpol") else 3)
    _check(item, range(4), function(*libxc.arguments(item)), function(*_points(item)))


@pytest.mark.parametrize(("ending", "order"), [(".unpol", 2), (".pol", 1)])
def test_kernel(ending, order):
    """All functionals of one kind in one Cython kernel over arrays of grid points."""
    items = libxc.functionals(ending)
    merged = merge([libxc.partials(item, order) for item in items.values()], f"libxc_{ending[1:]}")
    kernel = sg.compile(merged, target="cython")
    widest = max(items.values(), key=lambda item: len(item.inputs))
    assert merged.inputs == widest.inputs
    grid, points = kernel(*libxc.arguments(widest)), kernel(*_points(widest))
    for position, item in enumerate(items.values()):
        assert np.array_equal(libxc.arguments(widest)[: len(item.inputs)], libxc.arguments(item))
        _check(item, range(order + 1), grid[position], points[position])


def test_fourth_order_kernel():
    """Fourth partials, compiled, in scalar calls."""
    items = [ALL[name] for name in FOURTH]
    kernel = sg.compile(merge([libxc.partials(item, 4) for item in items], "libxc_fourth"), target="cython")
    results = [kernel(*point.at) for point in items[1].points]
    for position, item in enumerate(items):
        for order in range(5):
            found = [result[position][order] for result in results]
            assert libxc.point_excess(item, order, found) <= 1.0, f"{item.name}: order {order}"


@pytest.mark.parametrize("name", ["lda_x.pol", "gga_x_pbe.unpol"])
def test_numba(name):
    """The Numba target gives the same, up to the second order."""
    item = ALL[name]
    kernel = sg.compile(libxc.partials(item, 2), target="numba")
    _check(item, range(3), kernel(*libxc.arguments(item)), kernel(*_points(item)))
