"""Exact values settle with as many digits as they need, and say when they do not."""

from __future__ import annotations

import mpmath
import pytest

from symgraph.accuracy.truth import settled_outputs
from symgraph.capture.formula import graph_from_formulas
from symgraph.capture.formula_inputs import declare


def exact(formula, *arguments):
    return settled_outputs(graph_from_formulas([formula]), arguments)[0].item()


def test_cancellation_takes_more_digits():
    assert exact("cos(x) - 1 + x**2/2 - x**4/24", 2.0**-40) == pytest.approx(
        float(-(mpmath.mpf(2) ** -240) / 720), rel=1e-15
    )


def test_what_is_zero_is_zero():
    assert abs(exact("sin(x)**2 + cos(x)**2 - 1", 0.3)) < mpmath.mpf(10) ** -400


@pytest.mark.parametrize("argument", [-100.0, -368.0, -700.0])
def test_a_term_lost_beside_one_at_any_small_precision_is_found(argument):
    with mpmath.workdps(50):
        expected = mpmath.exp(argument)  # log(1 + e) = e to first order, and e is below 1e-43
        assert abs(exact("log(1 + exp(x))", argument) / expected - 1) < 1e-20
        assert abs(exact("exp(x)/((1 + exp(x)) - 1)", argument) - 1) < 1e-20


def test_what_is_not_real_is_nan():
    assert mpmath.isnan(exact("sqrt(x)", -1.0))
    assert mpmath.isnan(exact("log(x)", 0.0)) or mpmath.isinf(exact("log(x)", 0.0))


def test_towers_end():
    assert exact("exp(exp(exp(x)))", 1e6) == mpmath.inf
    assert exact("exp(-exp(exp(x)))", 1e6) == 0


def test_arrays_are_evaluated_as_scalars_are():
    graph = graph_from_formulas(["Sum(exp(v[i]) - 1, (i, 0, n - 1))"], declare(["v: f64[n]"]))
    value = settled_outputs(graph, [[1e-20, 2e-20]])[0].item()
    assert value == pytest.approx(3e-20, rel=1e-15)
