"""The 120 Feynman formulas: every value and partial to 1e-12 relative, at points and over arrays of points."""

from __future__ import annotations

import numpy as np
import pytest

import symgraph as sg
from tests.models import feynman
from tests.models.corpora import load

ITEMS = list(load("feynman").values())
GROUPS = [ITEMS[start : start + 12] for start in range(0, len(ITEMS), 12)]


def _agrees(found, expected, tolerance, zero=0.0):
    """Relative in every component; what is exactly 0 must be 0, or at most ``zero``."""
    return abs(found - expected) <= (tolerance * abs(expected) if expected else zero)


def _check(item, number, value, gradient):
    point = item.points[number]
    expected = point.out["f"]
    assert _agrees(value, expected["d0"], feynman.tolerance(point, 0)), f"{item.name}: value at point {number}"
    for name, found, partial in zip(item.inputs, gradient, expected["d1"], strict=True):
        assert _agrees(found, partial, feynman.tolerance(point, 1)), (
            f"{item.name}: partial by {name} at point {number}: {found!r}, expected {partial!r}"
        )


def test_there_are_120_formulas():
    assert len(ITEMS) == 120


def test_few_points_are_ill_conditioned():
    """The wider tolerance is for the formulas that lose digits in any double arithmetic, and for those alone."""
    orders = [feynman.tolerance(p, order) > 1e-12 for item in ITEMS for p in item.points for order in (0, 1)]
    assert len(orders) == 720
    assert sum(orders) == 7


@pytest.mark.parametrize("number", range(len(GROUPS)))
def test_compiled(number):
    """Scalars return Python floats; arrays of the three points give the same to the last bits."""
    items = GROUPS[number]
    kernel = sg.compile(feynman.group(items))
    for point in range(3):
        results = kernel(*feynman.arguments(items, point))
        for item, (value, gradient) in zip(items, results, strict=True):
            assert type(value) is float
            _check(item, point, value, gradient)
    columns = np.array([feynman.arguments(items, point) for point in range(3)]).T
    for item, (value, gradient) in zip(items, kernel(*columns), strict=True):
        for point in range(3):
            _check(item, point, value[point], [np.broadcast_to(part, (3,))[point] for part in gradient])


@pytest.mark.parametrize("item", ITEMS, ids=[item.name for item in ITEMS])
def test_second_partials(item):
    """The Hessian in the interpreter, an upper triangle per point."""
    hessian = sg.hessian(feynman.formula(item))
    size = len(item.inputs)
    for number, point in enumerate(item.points):
        rows = hessian(*point.at)
        flat = [rows[i][j] for i in range(size) for j in range(i, size)]
        expected = point.out["f"]["d2"]
        tolerance = feynman.tolerance(point, 2)
        # a mixed partial that vanishes identically may be the difference of two equal terms
        zero = 1e-12 * max(map(abs, expected))
        for found, partial in zip(flat, expected, strict=True):
            assert _agrees(found, partial, tolerance, zero), f"point {number}: {found!r}, expected {partial!r}"
