"""NIST StRD: 18 nonlinear regressions with the generated Jacobian, from both starts."""

from __future__ import annotations

import numpy as np
import pytest

import symgraph as sg
from tests.models import nist
from tests.models.corpora import load
from tests.models.traced import merge

ITEMS = list(load("nist").values())
NAMES = [item.name for item in ITEMS]
DIGITS = 6.0


def test_there_are_18_problems():
    assert len(ITEMS) == 18


@pytest.mark.parametrize("item", ITEMS, ids=NAMES)
def test_fit_reaches_the_certified_parameters(item):
    """At least 6 digits from each start from which the solver gets there with SymPy's own derivatives."""
    kernel = sg.compile(nist.with_gradient(item))

    def curve(values, x):
        value, partials = kernel(*values, x)
        return value, np.stack(partials, axis=1)

    by_hand = nist.by_hand(item)
    for start in (1, 2):
        if nist.fit(item, by_hand, start).digits >= DIGITS:
            assert nist.fit(item, curve, start).digits >= DIGITS, f"from start {start}"
        else:
            assert (item.name, start) == ("BoxBOD", 1)


@pytest.mark.parametrize("item", ITEMS, ids=NAMES)
def test_objective_as_a_sum(item):
    """Value, gradient and Hessian of the sum of squares at both starts and at the certified optimum."""
    function = nist.objective(item)
    names = nist.parameters(item)
    everything = merge([sg.value_and_grad(function, wrt=names), sg.hessian(function, wrt=names)])
    columns = item.info["data"]
    y, x = (np.array(columns[name], dtype=float) for name in ("y", item.inputs[-1]))
    for point in item.info["objective"]:
        (value, gradient), hessian = everything(*point["at"], y, x)
        # near the optimum the sum of residuals cancels: 1e-9 of what is added up is 1e-16 of each row's share
        assert value == pytest.approx(point["d0"], rel=1e-9)
        size = len(names)
        triangle = [hessian[i][j] for i in range(size) for j in range(i, size)]
        scale = np.sqrt(np.abs([hessian[i][i] for i in range(size)]))
        assert np.all(np.abs(np.array(gradient) - point["d1"]) <= 1e-8 * scale * max(1.0, np.sqrt(value)))
        bounds = [scale[i] * scale[j] for i in range(size) for j in range(i, size)]
        assert np.all(np.abs(np.array(triangle) - point["d2"]) <= 1e-9 * np.array(bounds))
