"""Reads outside of an array are refused at capture; those that a condition keeps apart are fine."""

import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph.capture.formula import graph_from_formulas
from symgraph.capture.formula_inputs import declare

i, j = sp.symbols("i j", integer=True)
n = sp.Symbol("n", integer=True, positive=True)
v = sp.IndexedBase("v", shape=(n,))
packed = sp.IndexedBase("L", shape=(n * (n + 1) / 2,))


def test_a_quadratic_index_that_leaves_the_array_is_refused():
    with pytest.raises(sg.errors.ShapeError, match=r"an index of v leaves the array: with n = 3 it reads element 4"):
        sg.function(sp.Sum(v[i * i], (i, 0, n - 1)), [v])


def test_a_packed_triangle_is_inside():
    f = sg.function(sp.Sum(packed[i * (i + 1) / 2 + j], (j, 0, i), (i, 0, n - 1)), [packed, v])
    assert f(np.arange(6.0), np.zeros(3)) == 15.0


def test_a_packed_index_that_is_off_by_one_is_refused():
    with pytest.raises(sg.errors.ShapeError, match="an index of L leaves the array"):
        sg.function(sp.Sum(packed[i * (i + 1) / 2 + j + 1], (j, 0, i), (i, 0, n - 1)), [packed, v])


def test_a_condition_that_lets_a_read_outside_through_is_refused():
    shifted = sp.Piecewise((v[i + 1], i < n), (0, True))
    with pytest.raises(sg.errors.ShapeError, match="an index of v leaves the array"):
        sg.function(sp.Sum(shifted, (i, 0, n - 1)), [v])
    kept = sp.Piecewise((v[i + 1], i < n - 1), (0, True))
    assert sg.function(sp.Sum(kept, (i, 0, n - 1)), [v])([1.0, 2.0, 3.0]) == 5.0


def test_formulas_are_checked_too():
    with pytest.raises(sg.errors.ShapeError, match="an index of x leaves the array"):
        graph_from_formulas(["Sum(x[i*i], (i, 0, n - 1))"], declare(["x: f64[n]"]))
