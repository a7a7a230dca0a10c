"""Moré-Garbow-Hillstrom: gradients at the published starts, and the minima that they lead to."""

from __future__ import annotations

import numpy as np
import pytest

import symgraph as sg
from tests.models import mgh
from tests.models.agreement import disagreements
from tests.models.corpora import load

ITEMS = list(load("mgh").values())
NAMES = [item.name for item in ITEMS]
# more than 400 evaluations each: `python -m benchmarks.mgh` runs them
SLOW = {"meyer", "penalty2_4", "penalty2_10", "watson_12"}


def test_there_are_41_problems():
    assert len(ITEMS) == 41
    assert {item.info["mgh_number"] for item in ITEMS} == set(range(1, 36))


@pytest.mark.parametrize("number", range(len(ITEMS)), ids=NAMES)
def test_value_and_gradient(number):
    """In index notation, at the start and near it; the data arrays are arguments."""
    item = ITEMS[number]
    function = sg.value_and_grad(mgh.objective(item), wrt="x")
    for point in item.points:
        if "f" in point.out:
            value, gradient = function(np.array(point.at, dtype=float), *mgh.data(item))
            assert disagreements(item, point, [[value], gradient], "f") == []


def test_residuals_and_jacobian():
    """Of a problem with coupled residuals: each residual and its gradient, written out."""
    for item in ITEMS[:10:3]:
        point = next(point for point in item.points if "residuals" in point.label)
        for name in point.out:
            value, gradient = sg.value_and_grad(item.function(name))(*point.at)
            assert disagreements(item, point, [[value], gradient], name) == []


@pytest.mark.parametrize("number", [k for k, item in enumerate(ITEMS) if item.name not in SLOW])
def test_minimum(number):
    """BFGS from the published start gets to a published minimum."""
    item = ITEMS[number]
    function, arrays = sg.value_and_grad(mgh.objective(item), wrt="x"), mgh.data(item)

    def value_and_gradient(x):
        value, gradient = function(x, *arrays)
        return float(value), np.asarray(gradient)

    assert mgh.reached(item, mgh.descend(item, value_and_gradient))
