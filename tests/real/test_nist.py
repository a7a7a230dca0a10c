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


@pytest.fixture(scope="module")
def curves():
    """One kernel of all curves, mapped over the predictor; the parameters of the others stay at their second start."""
    kernel = sg.compile(sg.vmap(nist.packed(ITEMS), in_axes={"x": 0}))
    starts = [np.array(item.info["start2"], dtype=float) for item in ITEMS]
    ends = np.cumsum([len(start) for start in starts])

    def curve_of(number):
        own = slice(ends[number] - len(starts[number]), ends[number])

        def curve(values, x):
            parameters = np.concatenate(starts)
            parameters[own] = values
            curves, partials = kernel(parameters, x)
            return curves[:, number], partials[:, own]

        return curve

    return curve_of


@pytest.mark.parametrize("number", range(len(ITEMS)), ids=NAMES)
def test_fit_reaches_the_certified_parameters(curves, number):
    """At least 6 digits from each start from which the solver gets there with SymPy's own derivatives."""
    item, by_hand = ITEMS[number], nist.by_hand(ITEMS[number])
    for start in (1, 2):
        if nist.fit(item, by_hand, start).digits >= DIGITS:
            assert nist.fit(item, curves(number), start).digits >= DIGITS, f"from start {start}"
        else:
            assert (item.name, start) == ("BoxBOD", 1)


def test_one_curve_as_a_ufunc():
    """Parameters are numbers, the predictor an array: partials by a broadcast parameter come for each element."""
    item = next(item for item in ITEMS if item.name == "Thurber")
    kernel, by_hand = sg.compile(nist.with_gradient(item)), nist.by_hand(item)
    x = np.array(item.info["data"][item.inputs[-1]], dtype=float)
    value, partials = kernel(*item.info["start1"], x)
    expected = by_hand(item.info["start1"], x)
    np.testing.assert_allclose(value, expected[0], rtol=1e-13)
    np.testing.assert_allclose(np.stack(partials, axis=1), expected[1], rtol=1e-12)


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
