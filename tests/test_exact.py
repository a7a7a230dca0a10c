"""Exact evaluation: values and derivatives against mpmath, written out by hand."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph.capture.formula import graph_from_formulas
from symgraph.capture.formula_inputs import declare
from symgraph.errors import UnsupportedError
from symgraph.exact import exact_curvature, exact_outputs, exact_slope

CLOSE = mpmath.mpf(10) ** -47


def graph(text, declared=""):
    return graph_from_formulas([text], declare([declared] if declared else []))


def test_values_have_fifty_digits():
    with mpmath.workdps(70):
        x, y = mpmath.mpf("0.375"), mpmath.mpf("2.5")
        expected = mpmath.exp(-x / 3) * mpmath.gamma(y) + mpmath.besselj(2, y) - mpmath.pi / 7
        (found,) = exact_outputs(graph("exp(-x/3)*gamma(y) + besselj(2, y) - pi/7"), [0.375, 2.5])
        assert abs(found.item() - expected) < CLOSE


def test_sums_with_dependent_bounds_and_gathers():
    x, k = np.array([0.5, 1.25, -2.0]), np.array([2, 0, 1])
    (found,) = exact_outputs(graph("Sum(x[k[a]]*exp(x[b]), (b, 0, a), (a, 0, n - 1))", "x: f64[n], k: i64[n]"), [x, k])
    with mpmath.workdps(60):
        expected = mpmath.fsum(
            mpmath.mpf(x[k[a]]) * mpmath.exp(mpmath.mpf(x[b])) for a in range(3) for b in range(a + 1)
        )
        assert abs(found.item() - expected) < CLOSE


def test_maxima_products_conditions_and_integers():
    text = "Product(Max(x[i], 0.5), (i, 0, n - 1)) + where(x[0] > 0, m // 2, log(x[0])) + (7 % m)"
    (found,) = exact_outputs(graph(text, "x: f64[n], m: i64"), [np.array([2.0, -3.0]), 5])
    assert found.item() == 1 + 2 + 2


def test_derivative_graphs_with_scatters():
    f = sg.grad(sg.Function(graph("Sum(x[i]**3, (i, 0, n - 1)) + x[0]", "x: f64[n]")))
    (found,) = exact_outputs(f.graph, [np.array([1.0, 2.0])])
    assert [float(v) for v in found] == [4.0, 12.0]


@pytest.mark.parametrize("operation", [sp.Add, sp.Mul, sp.Max, sp.Min])
def test_more_operands_than_numpy_takes(operation):
    """A sum of 200 terms is an ordinary model; NumPy's universal functions stop at 64 operands."""
    x = sp.Symbol("x", real=True)
    f = sg.function(operation(*(1 + sp.sin(k * x) / k for k in range(1, 201)), evaluate=False), [x])
    with mpmath.workdps(70):
        terms = [1 + mpmath.sin(k * mpmath.mpf("0.375")) / k for k in range(1, 201)]
        expected = {sp.Add: mpmath.fsum, sp.Mul: mpmath.fprod, sp.Max: max, sp.Min: min}[operation](terms)
        (found,) = exact_outputs(f.graph, [0.375])
        assert abs(found.item() - expected) < abs(expected) * CLOSE


def test_slopes_and_curvatures():
    model = graph("sin(x)*y**3")
    with mpmath.workdps(70):
        x, y = mpmath.mpf(0.75), mpmath.mpf(1.5)
        dx, dy = mpmath.cos(x) * y**3, 3 * mpmath.sin(x) * y**2
        slope = exact_slope(model, [0.75, 1.5], {"x": 0.5, "y": -2.0}, [1.0])
        assert abs(slope - (dx / 2 - 2 * dy)) < CLOSE
        mixed = exact_curvature(model, [0.75, 1.5], {"x": 1.0}, {"y": 1.0}, [2.0])
        assert abs(mixed - 2 * 3 * mpmath.cos(x) * y**2) < CLOSE


def test_an_operation_without_a_formula_is_named():
    function = sp.Function("measured")
    sg.register(function, value=np.sinh, partials=[sp.cosh])
    with pytest.raises(UnsupportedError, match="measured"):
        exact_outputs(sg.function(function(sp.Symbol("x"))).graph, [1.0])
