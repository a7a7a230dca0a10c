"""Points lie where they should: inside, everywhere, and the same in every run."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph.accuracy.sampling import Range, domain_of, sample, sizes_for
from symgraph.errors import ModelError

x, y = sp.symbols("x y")
F = sg.function(x * y, [x, y])


def column(f, domain, count=500, **rest):
    return [point[0] for point in sample(f, domain_of(f, domain), sizes_for(f), count, **rest)]


def test_assumptions_are_domains():
    a = sp.Symbol("a", positive=True)
    b = sp.Symbol("b", nonnegative=True)
    c = sp.Symbol("c", negative=True)
    k = sp.Symbol("k", integer=True, positive=True)
    f = sg.function(a + b + c + k + x, [a, b, c, k, x])
    assert domain_of(f) == {
        "a": Range(0, math.inf, True), "b": Range(0, math.inf), "c": Range(-math.inf, 0),
        "k": Range(0, math.inf, True), "x": Range(-math.inf, math.inf),
    }  # fmt: skip
    points = sample(f, domain_of(f), {}, 300)
    assert all(p[0] > 0 and p[1] >= 0 and p[2] <= 0 and p[3] >= 1 and isinstance(p[3], int) for p in points)


def test_given_domains_hold_in_both_formats():
    for dtype in ("float64", "float32"):
        values = column(F, {"x": (0.1, 0.7)}, dtype=dtype)
        assert all(0.1 <= v <= 0.7 for v in values)
        assert dtype == "float64" or all(float(np.float32(v)) == v for v in values)


def test_points_come_near_to_both_ends_and_to_special_points():
    values = column(F, {"x": (0.25, 4)})
    for place in (0.25, 1.0, 4.0):
        near = [abs(v - place) for v in values if v != place]
        assert min(near) < 1e-9
    assert 0.25 in values or 4.0 in values or 1.0 in values


def test_magnitudes_are_wide_and_have_both_signs():
    values = column(F, None)
    sizes = [abs(v) for v in values if v]
    assert min(sizes) < 1e-7 and max(sizes) > 1e7
    assert min(values) < -1e5 and max(values) > 1e5


def test_arguments_are_almost_equal_at_some_points():
    points = sample(F, domain_of(F, {"x": (1, 2), "y": (1, 2)}), {}, 200)
    distances = [abs(a - b) for a, b in points if a != b]
    assert sum(d < 1e-6 for d in distances) > 10


def test_the_same_seed_gives_the_same_points():
    assert column(F, None, seed=3) == column(F, None, seed=3)
    assert column(F, None, seed=3) != column(F, None, seed=4)


def test_arrays_have_their_sizes_and_indices_stay_inside():
    n, m, i = sp.Symbol("n", integer=True), sp.Symbol("m", integer=True), sp.Symbol("i", integer=True)
    u, k = sp.IndexedBase("u", shape=(m,)), sp.IndexedBase("k", shape=(n,), integer=True)
    f = sg.function(sp.Sum(u[k[i]] ** 2, (i, 0, n - 1)), [u, k])
    for point in sample(f, domain_of(f), sizes_for(f, {"n": 6, "m": 2}), 20):
        assert point[0].shape == (2,) and point[1].shape == (6,)
        assert set(point[1]) <= {0, 1}


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        ({"z": (0, 1)}, "a domain is given for z: the inputs are x, y"),
        ({"x": (2, 1)}, "the domain of x is empty"),
    ],
)
def test_wrong_domains_are_named(domain, message):
    with pytest.raises(ModelError, match=message):
        domain_of(F, domain)


def test_wrong_sizes_are_named():
    with pytest.raises(ModelError, match="f has no size q: its sizes are none"):
        sizes_for(F, {"q": 3})
