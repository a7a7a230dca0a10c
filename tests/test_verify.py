"""The self-test: right kernels pass, wrong ones fail, in every kind."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph.capture.formula import graph_from_formulas
from symgraph.capture.formula_inputs import declare
from symgraph.errors import ModelError
from symgraph.verify import KINDS, check_kernels, derived_functions, self_test_data

SCALARS = sg.Function(graph_from_formulas(["exp(x)*y**2 + x/y"], name="scalars"))
ARRAYS = sg.Function(
    graph_from_formulas(["Sum(log(1 + v[i]**2)*u[k[i]], (i, 0, n - 1))"], declare(["v: f64[n], u: f64[m], k: i64[n]"]))
)
VECTOR = sg.Function(graph_from_formulas(["r[i] = exp(-w*v[i]) - u[i]"], declare(["v: f64[n], u: f64[n], w"])))


@pytest.mark.parametrize("f", [SCALARS, ARRAYS], ids=["scalars", "arrays"])
def test_the_interpreter_passes_in_every_kind(f):
    functions = derived_functions(f, list(KINDS), None)
    checks = check_kernels(f, functions, functions)
    assert {c.kernel for c in checks} == set(KINDS)
    assert all(c.passed for c in checks), [c for c in checks if not c.passed]


def test_outputs_with_axes():
    functions = derived_functions(VECTOR, ["value", "jac", "jvp", "vjp"], ["w"])
    assert all(c.passed for c in check_kernels(VECTOR, functions, functions, ["w"]))


def scaled(result, factor):
    if isinstance(result, tuple):
        return (*result[:-1], scaled(result[-1], factor))
    return np.asarray(result) * factor


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_of_one_in_a_billion_is_found(kind):
    functions = derived_functions(SCALARS, [kind], None)
    honest = functions[kind]
    broken = {kind: lambda *arguments: scaled(honest(*arguments), 1 + 1e-9)}
    assert not all(c.passed for c in check_kernels(SCALARS, functions, broken))


def test_nan_is_found():
    functions = derived_functions(SCALARS, ["value"], None)
    assert not all(c.passed for c in check_kernels(SCALARS, functions, {"value": lambda x, y: float("nan")}))


def test_a_gradient_of_another_function_misses_the_order_of_taylor():
    functions = derived_functions(SCALARS, ["value", "grad"], None)
    kernels = {**functions, "grad": lambda x, y: (functions["grad"](x, y)[0] + 0.1, functions["grad"](x, y)[1])}
    failed = {c.test for c in check_kernels(SCALARS, functions, kernels) if not c.passed}
    assert any("Taylor" in test for test in failed)


@pytest.mark.parametrize("text", ["log(x - 2)", "sqrt(1 - x**2)*asin(x)", "acosh(x)*y", "log(-x)", "1/(x*y - 1)"])
def test_points_are_found_inside_the_domain(text):
    f = sg.Function(graph_from_formulas([text]))
    functions = derived_functions(f, ["value", "grad"], None)
    data = self_test_data(f, functions, dict.fromkeys(functions, "f"))
    assert len(data["points"]) == 3


def test_a_model_without_a_finite_point():
    f = sg.Function(graph_from_formulas(["log(-1 - x**2)"]))
    with pytest.raises(ModelError, match="no point was found at which f can be tested"):
        self_test_data(f, derived_functions(f, ["value"], None), {"value": "f"})


def test_operations_of_the_user_without_a_formula_have_no_exact_points():
    function = sp.Function("counted")
    sg.register(function, value=np.cosh, partials=[sp.sinh])
    f = sg.function(function(sp.Symbol("x")))
    assert self_test_data(f, derived_functions(f, ["value"], None), {"value": "f"})["points"] == []
