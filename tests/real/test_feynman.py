"""The 120 Feynman formulas: every value and partial to 1e-12 relative, at points and over arrays of points."""

from __future__ import annotations

import numpy as np
import pytest

import symgraph as sg
from tests.models import feynman
from tests.models.corpora import load

ITEMS = list(load("feynman").values())
UFUNCS = ["I.6.2", "I.9.18", "I.26.2"]  # a vector function, many inputs, a function without a vector form


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


def test_all_formulas_in_one_kernel():
    """Value and all partials of every formula at every point, mapped over the points."""
    kernel = sg.compile(sg.vmap(feynman.packed(ITEMS)))
    values, gradients = kernel(np.array([feynman.arguments(ITEMS, number) for number in range(3)]))
    assert values.shape == (3, 120)
    for number in range(3):
        start = 0
        for item, value in zip(ITEMS, values[number], strict=True):
            stop = start + len(item.inputs)
            _check(item, number, value, gradients[number, start:stop])
            start = stop


@pytest.mark.parametrize("name", UFUNCS)
def test_one_formula_as_a_ufunc(name):
    """Numbers give Python floats; arrays of the three points give the same."""
    item = next(item for item in ITEMS if item.name == name)
    kernel = sg.compile(sg.value_and_grad(feynman.formula(item)))
    for number in range(3):
        value, gradient = kernel(*item.points[number].at)
        assert type(value) is float
        _check(item, number, value, gradient)
    value, gradient = kernel(*np.array([point.at for point in item.points]).T)
    for number in range(3):
        _check(item, number, value[number], [part[number] for part in gradient])


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
