"""CALPHAD: Gibbs energies of 13 alloy phases as pycalphad writes them; value, gradient and Hessian."""

from __future__ import annotations

import numpy as np
import pytest

import symgraph as sg
from tests.models.agreement import disagreements, tolerance
from tests.models.corpora import load
from tests.models.partials import up_to

ITEMS = load("calphad")
COMPILED = "alfe_b2_ordering"  # magnetic, ordered, with y*log(y) at 0 and a chain of branches in T


def test_there_are_13_phases():
    assert len(ITEMS) == 13


def test_few_points_are_ill_conditioned():
    """1e-12 is asked for wherever the formula allows for it: everywhere but for 17 of 195 results.

    There it is 100 times what the formula costs in any double arithmetic, at most 1.5e-11.
    """
    wide = [
        (item.name, order) for item in ITEMS.values() for point in item.points for order in range(3)
        if tolerance(point, order) > 1e-12
    ]  # fmt: skip
    assert len(wide) == 17


@pytest.mark.parametrize("name", ITEMS)
def test_interpreter(name):
    """At random states, exactly on the limit of a branch in T, and with a site fraction of exactly 0."""
    item = ITEMS[name]
    function = up_to(item.function("GM"), 2)
    assert [line for point in item.points for line in disagreements(item, point, function(*point.at))] == []
    for point, pycalphad in zip(item.points, item.info["pycalphad"]["GM"], strict=True):
        assert function(*point.at)[0][0] == pytest.approx(pycalphad, rel=1e-12)


def test_kernel():
    """Compiled, for all states in one call and for one state in a scalar call."""
    item = ITEMS[COMPILED]
    kernel = sg.compile(up_to(item.function("GM"), 2), target="cython")
    states = kernel(*np.array([point.at for point in item.points]).T)
    for number, point in enumerate(item.points):
        for found in ([[part[number] for part in order] for order in states], kernel(*point.at)):
            assert disagreements(item, point, found) == []


def test_third_partials():
    """One phase to the third order."""
    item = ITEMS["crfe_bcc_magnetic"]
    function = up_to(item.function("GM"), 3)
    assert [line for point in item.points for line in disagreements(item, point, function(*point.at))] == []
