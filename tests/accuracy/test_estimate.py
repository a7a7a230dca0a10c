"""What a package's README says about accuracy: right, the same everywhere, and absent with a reason."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph.accuracy.estimate import estimates
from symgraph.accuracy.truth import settled_outputs
from symgraph.accuracy.ulps import FORMATS, ulp_error
from symgraph.generate import plan_package
from symgraph.verify import candidates, derived_functions

# names of their own: a function that lives as long as the module must hold no node that a page of the docs makes anew
x, y = sp.symbols("estimate_x estimate_y", positive=True)
F = sg.function(sp.exp(x) * y - sp.sqrt(x + y) + x / y, [x, y], name="f")


def readme(f, **options):
    return plan_package(f, **options).files["README.md"]


def test_the_readme_has_a_line_for_each_output():
    text = readme(F, derive=("value", "grad")).split("## Accuracy")[1]
    assert [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| `")] == [
        "`f`",
        "`df_destimate_x`",
        "`df_destimate_y`",
    ]


def test_nothing_of_the_machine_enters(monkeypatch):
    """Worse library functions change no byte."""
    from symgraph.ops import OPS

    before = readme(F, derive=("value", "grad"))
    honest = OPS["exp"].numpy

    def worse(value):
        result = honest(value)
        return result + 50 * np.spacing(result)

    object.__setattr__(OPS["exp"], "numpy", worse)
    try:
        lines, _ = estimates(F, derived_functions(F, ["value", "grad"], None))
    finally:
        object.__setattr__(OPS["exp"], "numpy", honest)
    for line in lines:
        assert f"| `{line.output}` | {line.ulp} | {line.condition} | {line.at} |" in before


def test_the_estimate_bounds_what_the_interpreter_loses():
    functions = derived_functions(F, ["value", "grad", "hess"], None)
    lines, _ = estimates(F, functions)
    by_name = {line.output: float(line.ulp) for line in lines}
    for kind in ("value", "grad", "hess"):
        graph = functions[kind].graph
        for candidate, _k in zip(candidates(F.graph), range(3), strict=False):
            arguments = [candidate["argument"][n] for n in F.inputs]
            exact = [v.item() for v in settled_outputs(graph, arguments)]
            if any(v != v for v in exact):
                continue
            found = functions[kind](*arguments)
            flat = [found] if isinstance(found, float) else list(np.ravel(found))
            for output, value, true in zip(graph.outputs, flat, exact, strict=True):
                assert ulp_error(value, true, FORMATS["float64"]) <= 2 * by_name[output.name] + 1


def test_where_digits_are_lost_is_said():
    # two logarithms of sums that agree in most digits: no rewriting of ours may touch that
    f = sg.function(sp.log(x + 1000) - sp.log(y + 1000), [x, y], name="g")
    [line], reason = estimates(f, {"value": f})
    assert not reason and float(line.ulp) > 100
    assert line.node == "log(estimate_x + 1000) - log(estimate_y + 1000)" and "log1p" in line.rewrite


def test_large_models_say_why_there_is_no_table():
    terms = sum(sp.exp(sp.Symbol(f"v{k}")) ** 2 for k in range(40))
    f = sg.function(terms, name="large")
    lines, reason = estimates(f, derived_functions(f, ["value", "grad"], None))
    assert lines == [] and "too large" in reason
    assert "Errors were not estimated: the model is too large" in readme(f, derive=("value", "grad"))


def test_operations_without_an_exact_value_say_so():
    g = sp.Function("estimate_blackbox")
    sg.register(g, value=lambda a: np.fabs(np.asarray(a, float)), partials=[1], c="fabs")
    f = sg.function(g(x) + 1, [x])
    lines, reason = estimates(f, {"value": f})
    assert lines == [] and reason == "an operation of the model has no exact value"


def test_directional_derivatives_alone_have_no_table():
    assert estimates(F, {"jvp": sg.jvp(F)})[0] == []


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_estimates_do_not_depend_on_the_precision_but_by_what_is_exact(dtype):
    [line], _ = estimates(F, {"value": F}, dtype)
    assert math.isfinite(float(line.ulp)) and float(line.ulp) < 100
