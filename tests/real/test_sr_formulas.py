"""250 formulas of the symbolic-regression benchmarks: every value, gradient and Hessian at three points."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from tests.models.agreement import disagreements, tolerance
from tests.models.corpora import load
from tests.models.partials import up_to
from tests.models.traced import merge

ALL = load("sr_formulas")
ITEMS = [item for item in ALL.values() if item.name != "Keijzer-6"]
PARTS = 5


def test_there_are_250_formulas():
    assert len(ALL) == 250


def test_harmonic_number():
    """Keijzer-6 is a sum with a whole upper limit: it has values alone."""
    item = ALL["Keijzer-6"]
    function = item.function("f")
    assert [line for point in item.points for line in disagreements(item, point, [function(*point.at)])] == []


def test_few_points_are_ill_conditioned():
    """The wider tolerance is for the formulas that lose digits in any double arithmetic."""
    wide = [tolerance(p, order) > 1e-12 for item in ITEMS for p in item.points for order in range(3)]
    assert len(wide) == 2241
    assert sum(wide) == 167


@pytest.mark.parametrize("part", range(PARTS))
def test_interpreter(part):
    """Value, gradient and Hessian."""
    for item in ITEMS[part::PARTS]:
        function = up_to(item.function("f"), 2)
        assert [line for point in item.points for line in disagreements(item, point, function(*point.at))] == []


def test_kernel():
    """Values and gradients of every third formula by one kernel of one array, mapped over the points."""
    items = ITEMS[::3]
    v = sp.IndexedBase("v", shape=(sum(len(item.inputs) for item in items),), real=True)
    values = []
    start = 0
    for item in items:
        values.append(item.formula("f", {name: v[start + k] for k, name in enumerate(item.inputs)}))
        start += len(item.inputs)
    each = sg.function(sp.Array(values), inputs=[v], name="formulas")
    total = sg.function(sp.Add(*values, evaluate=False), inputs=[v], name="total")
    kernel = sg.compile(sg.vmap(merge([each, sg.grad(total, "v")], "formulas")), target="cython")
    at = np.array([[x for item in items for x in item.points[number].at] for number in range(3)])
    found, gradients = kernel(at)
    wrong = []
    for number in range(3):
        start = 0
        for position, item in enumerate(items):
            stop = start + len(item.inputs)
            results = [[found[number, position]], gradients[number, start:stop]]
            wrong += disagreements(item, item.points[number], results)
            start = stop
    assert wrong == []
