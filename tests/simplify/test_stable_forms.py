"""Rewrites that keep digits: the rewritten form against the formula as written, both against mpmath at 60 digits."""

from __future__ import annotations

import random

import mpmath
import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph.interpret import evaluate
from symgraph.node import Kind

X, Y, Z = sp.symbols("x y z", real=True)

# formula, range of log10(abs(x)), sign of x, ceiling in units of 2**-53 after, what the formula itself has at least
FORMS = [
    (sp.exp(X) - 1, (-12, 1), (-1, 1), 2, 1e10),
    (1 - sp.exp(X), (-12, 1), (-1, 1), 2, 1e10),
    (sp.log(1 + X), (-12, 3), (1,), 2, 1e10),
    (sp.log(1 - X), (-12, -0.1), (-1, 1), 2, 1e10),
    (1 - sp.cos(X), (-8, 0), (1,), 8, 1e10),
    (sp.cosh(X) - 1, (-8, 1), (1,), 16, 1e10),
    (sp.sqrt(1 + X) - 1, (-12, 2), (1,), 6, 1e10),
    (1 - sp.erf(X), (-2, 0.7), (1,), 16, 1e10),
    (1 - sp.erfc(X), (-12, 0.5), (1,), 4, 1e10),
    (1 - sp.tanh(X) ** 2, (-3, 1.5), (1,), 120, 1e10),
    (1 - 1 / (1 + sp.exp(-X)), (-2, 2), (1,), 120, 1e10),
    (1 - sp.cos(X) ** 2, (-7, 0), (1,), 8, 1e10),
    (sp.log(1 + sp.exp(X)), (-1, 2.5), (-1, 1), 4, 1e10),
    (sp.log(1 / (1 + sp.exp(-X))), (-1, 2.5), (-1, 1), 4, 1e10),
    (sp.log(sp.exp(X) + sp.exp(2 * X)), (1, 2.8), (-1, 1), 8, 1e10),
    (sp.log(2 + sp.exp(X) + sp.exp(2 * X)), (-1, 2.7), (1,), 8, 1e10),
    (sp.log((1 + X) ** 3), (-12, 0), (1,), 4, 1e10),
    (sp.log(X**200), (0.01, 3), (1,), 4, 1e10),
]


def points(exponents: tuple[float, float], signs: tuple[int, ...]) -> list[float]:
    draw = random.Random(3)
    return [draw.choice(signs) * 10.0 ** draw.uniform(*exponents) for _ in range(200)]


def worst(found: np.ndarray, expected: list) -> float:
    errors = []
    for value, exact in zip(found.tolist(), expected, strict=True):
        finite = np.isfinite(value)
        errors.append(abs(value - exact) / max(abs(exact), mpmath.mpf(10) ** -300) * 2**53 if finite else mpmath.inf)
    return float(max(errors))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: str(form[0]))
def test_the_rewritten_form_keeps_the_digits_that_the_formula_loses(form):
    formula, exponents, signs, ceiling, before = form
    x = np.array(points(exponents, signs))
    with mpmath.workdps(500):
        expected = [+sp.lambdify(X, formula, "mpmath")(mpmath.mpf(v)) for v in x.tolist()]
        after = worst(np.asarray(evaluate(sg.function(formula, [X]).graph, [x])[0]), expected)
        with np.errstate(all="ignore"):
            plain = sp.lambdify(X, formula, ["scipy", "numpy"])(x)
        assert after <= ceiling, after
        assert worst(plain, expected) >= before


@pytest.mark.parametrize("form", FORMS, ids=lambda form: str(form[0]))
def test_the_derivative_keeps_its_digits_too(form):
    formula, exponents, signs, ceiling, _ = form
    x = np.array(points(exponents, signs))
    with mpmath.workdps(500):
        slope = sp.lambdify(X, formula.diff(X), "mpmath")
        expected = [slope(mpmath.mpf(v)) for v in x.tolist()]
        found = np.asarray(evaluate(sg.grad(sg.function(formula, [X])).graph, [x])[0])
        assert worst(found, expected) <= 2 * ceiling + 8


STABLE = [  # written in a stable form, which stays: operations that must still be there, and those that must not
    ((1 - X) * (1 + X), {"add"}, {"pow"}),
    ((X - Y) * (X + Y), {"add"}, {"pow"}),
    (2 * sp.sin(X / 2) ** 2, {"sin"}, {"cos"}),
    (sp.codegen.cfunctions.expm1(X), {"expm1"}, {"exp", "add"}),
    (sp.codegen.cfunctions.log1p(X), {"log1p"}, {"log", "add"}),
    (sp.codegen.cfunctions.hypot(X, Y), {"hypot"}, {"pow"}),
    (X / (1 + sp.sqrt(1 + X)), {"pow", "add"}, set()),
    (sp.exp(X - Y), {"exp"}, set()),
    (sp.log(X / Y), {"log"}, set()),
    (sp.atan2(Y, X), {"atan2"}, {"atan"}),
    (sp.erfc(X), {"erfc"}, {"erf"}),
    (sp.loggamma(X), {"loggamma"}, {"gamma"}),
]


@pytest.mark.parametrize(("formula", "kept", "absent"), STABLE, ids=[str(case[0]) for case in STABLE])
def test_what_is_written_in_a_stable_form_stays(formula, kept, absent):
    graph = sg.function(formula).emitted_graph
    ops = {node.data for node in graph.order if node.kind is Kind.ELEMENTWISE}
    assert kept <= ops
    assert not absent & ops


def test_factored_differences_of_squares_keep_their_digits_in_the_gradient():
    z = 1 - 2.0**-40
    f = sg.function(sp.sqrt((1 - Z) * (1 + Z)))
    with mpmath.workdps(50):
        exact = mpmath.sqrt((1 - mpmath.mpf(z)) * (1 + mpmath.mpf(z)))
        assert abs(float(f(z)) - exact) <= 4 * 2.0**-53 * exact
        assert abs(float(sg.grad(f)(z)[0]) + z / exact) <= 8 * 2.0**-53 * z / exact


def test_sums_of_exponentials_with_a_constant_are_shifted_once():
    x = sp.Symbol("x", real=True)
    for inner in (-sp.Shi(x), -sp.Shi(x) - x, -sp.sinh(x)):
        f = sg.function(sp.log(sp.exp(inner) + sp.exp(sp.Float(-0.6))), inputs=[x])
        for at in (0.75, -3.0, 40.0):
            with mpmath.workdps(40):
                exact = mpmath.log(mpmath.exp(inner.subs(x, at).evalf(40)) + mpmath.exp(mpmath.mpf(-0.6)))
            assert f(at) == pytest.approx(float(exact), rel=1e-14)
