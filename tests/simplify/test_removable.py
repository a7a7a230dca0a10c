"""Removable singularities: value and derivatives have their limit, with all digits on both sides of a switch-over."""

from __future__ import annotations

import random

import mpmath
import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph.simplify.series import series_of

X, Y, A = sp.symbols("x y a", real=True)
R = sp.sqrt(X**2 + Y**2)

# quotient: limits of value, first and second derivative at 0, worst error of each in units of 2**-53 of their largest
# size on (-0.9, 0.9)
QUOTIENTS = {
    (sp.exp(X) - 1) / X: (("1", "1/2", "1/3"), (2, 4, 6)),
    sp.sin(X) / X: (("1", "0", "-1/3"), (4, 6, 6)),
    (1 - sp.cos(X)) / X**2: (("1/2", "0", "-1/12"), (6, 6, 6)),
    sp.tan(X) / X: (("1", "0", "2/3"), (4, 8, 6)),
    sp.log(1 + X) / X: (("1", "-1/2", "2/3"), (3, 6, 4)),
    (X - sp.sin(X)) / X**3: (("1/6", "0", "-1/60"), (3, 4, 8)),
    sp.sinh(X) / X: (("1", "0", "1/3"), (4, 6, 8)),
    (sp.cosh(X) - 1) / X**2: (("1/2", "0", "1/12"), (8, 8, 8)),
    sp.tanh(X) / X: (("1", "0", "-2/3"), (4, 24, 48)),
    (sp.sqrt(1 + X) - 1) / X: (("1/2", "-1/8", "1/8"), (4, 6, 8)),
    X / (sp.exp(X) - 1): (("1", "-1/2", "1/6"), (3, 8, 40)),
    sp.atan(X) / X: (("1", "0", "-2/3"), (4, 40, 128)),
    sp.asin(X) / X: (("1", "0", "1/3"), (4, 16, 16)),
    sp.asinh(X) / X: (("1", "0", "-1/3"), (4, 48, 160)),
    sp.atanh(X) / X: (("1", "0", "2/3"), (4, 6, 8)),
    (sp.exp(X) - 1 - X) / X**2: (("1/2", "1/6", "1/12"), (2, 4, 8)),
    (sp.sin(X) - X * sp.cos(X)) / X**3: (("1/3", "0", "-1/15"), (3, 4, 8)),
    X / sp.sin(X): (("1", "0", "1/3"), (4, 8, 8)),
    X * sp.coth(X): (("1", "0", "2/3"), (4, 24, 48)),
    sp.sin(2 * X) / (3 * X): (("2/3", "0", "-8/9"), (4, 12, 8)),
}


def points() -> list[float]:
    draw = random.Random(7)
    wide = [draw.choice([-1, 1]) * 0.9 * 10.0 ** draw.uniform(-12, 0) for _ in range(40)]
    edges = [s * 2.0**k * (1 + d * 2.0**-50) for s in (-1, 1) for k in (-4, -3, -2, -1) for d in (-1, 1)]
    return wide + edges + [draw.uniform(-0.9, 0.9) for _ in range(60)]


def test_limits_and_digits():
    at = np.array([0.0, *points()])
    functions = sg.function(list(QUOTIENTS), [X])
    first = sg.jacobian(functions)
    with np.errstate(all="raise", under="ignore"):
        values = [[np.asarray(v).ravel() for v in f(at)] for f in (functions, first, sg.jacobian(first))]
    for position, (quotient, (limits, ceilings)) in enumerate(QUOTIENTS.items()):
        exact = sp.lambdify(X, quotient, "mpmath")
        for order in range(3):
            at_zero, *found = values[order][position]
            assert abs(at_zero - float(sp.Rational(limits[order]))) <= 2e-16, (quotient, order)
            with mpmath.workdps(150):
                expected = [_derivative(exact, x, order) for x in points()]
                largest = max(map(abs, expected))
                worst = max(abs(f - e) for f, e in zip(found, expected, strict=True)) / largest * 2**53
            assert worst <= ceilings[order], (quotient, order, float(worst))


@pytest.mark.parametrize("target", ["cython", "numba"])
def test_kernels_have_the_limits_and_the_digits(target):
    quotients = [sp.sin(X) / X, sp.atan(X) / X, (sp.cosh(X) - 1) / X**2]
    slopes = sg.grad(sg.function(sp.Add(*quotients), [X]))
    at = np.array([0.0, *points()])
    with np.errstate(all="raise", under="ignore"):
        found = np.ravel(sg.compile(slopes, target=target)(at))
    assert found[0] == 0.0
    with mpmath.workdps(150):
        exact = sp.lambdify(X, sp.Add(*quotients), "mpmath")
        for x, value in zip(points(), found[1:], strict=True):
            assert abs(value - _derivative(exact, x, 1)) <= 64 * 2.0**-53, x


def _derivative(function, x: float, order: int):
    """Central differences at 150 digits: truncation leaves 60."""
    h, x = mpmath.mpf(10) ** -32, mpmath.mpf(x)
    match order:
        case 0:
            return function(x)
        case 1:
            return (function(x + h) - function(x - h)) / (2 * h)
        case _:
            return (function(x + h) - 2 * function(x) + function(x - h)) / h**2


@pytest.mark.parametrize(
    ("function", "curvature"),
    [
        (sp.cos(R), -1.0),
        (sp.sinc(R), -1 / 3),
        (sp.sin(R) / R, -1 / 3),
        (sp.cosh(R), 1.0),
        (sp.sinh(R) / R, 1 / 3),
        ((1 - sp.cos(R)) / R**2, -1 / 12),
        (sp.tanh(R) / R, -2 / 3),
        (sp.atan(R) / R, -2 / 3),
        (sp.erf(R) / R, -4 / 3 / np.sqrt(np.pi)),
    ],
    ids=str,
)
def test_even_functions_of_a_norm_are_smooth_at_the_origin(function, curvature):
    f = sg.function(function, [X, Y])
    with np.errstate(all="raise", under="ignore"):
        assert np.isfinite(f(0.0, 0.0))
        assert sg.grad(f)(0.0, 0.0) == (0.0, 0.0)
        hessian = np.array(sg.hessian(f)(0.0, 0.0))
    np.testing.assert_allclose(hessian, np.diag([curvature] * 2), rtol=1e-15)


@pytest.mark.parametrize(
    ("function", "point", "value", "slope"),
    [
        (sp.Piecewise((1, sp.Eq(X, 0)), (sp.sin(X) / X, True)), (0.0,), 1.0, (0.0,)),
        (sp.Piecewise((1, sp.Eq(X, 0)), ((sp.exp(X) - 1) / X, True)), (0.0,), 1.0, (0.5,)),
        (sp.Piecewise(((1 - sp.cos(A * X)) / A, sp.Ne(A, 0)), (0, True)), (0.0, 1.5), 0.0, (1.125, 0.0)),
        (sp.sin(X + Y) / (X + Y), (1.0, -1.0), 1.0, (0.0, 0.0)),
        (sp.log(X) / (X - 1), (1.0,), 1.0, (-0.5,)),
        (sp.erf(A * X) / X, (2.0, 0.0), 4 / np.sqrt(np.pi), (2 / np.sqrt(np.pi), 0.0)),
    ],
    ids=str,
)
def test_limits_behind_guards_and_in_products(function, point, value, slope):
    f = sg.function(function)
    with np.errstate(all="raise", under="ignore"):
        assert f(*point) == pytest.approx(value, rel=4e-16, abs=0)
        assert np.ravel(sg.grad(f)(*point)).tolist() == pytest.approx(slope, rel=4e-16, abs=0)


def test_poles_stay_poles():
    for function in (sp.cos(X) / X, sp.sin(X) / X**2, (sp.exp(X) + 1) / X):
        with np.errstate(all="ignore"):
            assert not np.isfinite(sg.function(function)(0.0))
            assert float(sg.function(function)(0.3)) == pytest.approx(float(function.subs(X, 0.3)), rel=1e-15)


@pytest.mark.parametrize(
    "function",
    [
        sp.exp(X), sp.tan(X), sp.atan(X), sp.asin(X), sp.tanh(X), sp.log(1 + X), sp.sqrt(1 + X), sp.atanh(X),
        sp.exp(sp.sin(X)), sp.cos(X) ** 3, 1 / (1 + X), sp.asinh(2 * X), sp.sinh(X) * sp.cosh(X), 1 / (1 + sp.exp(-X)),
    ],
    ids=str,
)  # fmt: skip
def test_series_are_exact(function):
    graph = sg.function(function, [X]).graph
    found = series_of(graph.outputs[0].node, graph.inputs[0], 7)
    expected = sp.series(function, X, 0, 7).removeO()
    assert found is not None
    assert [sp.Rational(c.numerator, c.denominator) for c in found] == [
        expected.coeff(X, k) for k in range(7)
    ]


def test_a_divisor_of_the_argument_is_no_singularity():
    """asinh(1/x)/x has a true pole at 0, and the series of asinh says nothing about it."""
    x = sp.Symbol("x", positive=True)
    found = sg.function(sp.asinh(1 / x) / x, [x]).graph
    assert not any(n.data == "select" for n in found.order)


@pytest.mark.parametrize(
    ("formula", "exact"),
    [
        ((sp.exp(X) - 1) / X, lambda t: mpmath.expm1(t) / t),
        ((1 - sp.exp(-X)) / X, lambda t: -mpmath.expm1(-t) / t),
        (X / (sp.exp(X) - 1), lambda t: t / mpmath.expm1(t)),
    ],
    ids=["growth", "decay", "upside down"],
)
@pytest.mark.parametrize("target", ["cython", "numba"])
def test_exponential_quotients_keep_their_digits_to_the_second_derivative(formula, exact, target):
    f = sg.function(formula, inputs=[X])
    second = sg.grad(sg.grad(f, X), X)
    edges = [1e-300, 1e-9, 1 - 1e-12, 1 + 1e-12, 2 - 1e-12, -2 - 1e-12]
    points = np.concatenate([np.linspace(-6, 6, 97) + 1e-3, edges])
    for derivative, order in ((f, 0), (sg.grad(f, X), 1), (second, 2)):
        found = sg.compile(derivative, target=target)(points)
        with mpmath.workdps(60):
            wanted = [mpmath.diff(exact, mpmath.mpf(max(p, 1e-20) if abs(p) < 1e-20 else p), order) for p in points]
        sizes = [abs(float(b)) for b in wanted]
        bounds = (2, 4, 8)
        if X in formula.args:  # the quotient upside down: its second derivative is a difference, and small far out
            sizes, bounds = [max(sizes)] * len(sizes), (2, 4, 24)
        units = [abs(a - b) / np.spacing(c) for a, b, c in zip(np.ravel(found), wanted, sizes, strict=True)]
        assert max(units) <= bounds[order], (order, points[int(np.argmax(units))])


@pytest.mark.parametrize(
    ("function", "curvature"),
    [
        (R * sp.sin(R), 2), (R * sp.tanh(R), 2), (R * sp.sinh(R), 2), (R * sp.atan(R), 2),
        (R * sp.erf(R), 4 / np.sqrt(np.pi)), (R * sp.asinh(R) / (1 + R**2), 2), (R**3 * sp.sin(R), 0),
    ],
    ids=str,
)  # fmt: skip
def test_odd_functions_of_a_norm_times_the_norm_are_smooth_at_the_origin(function, curvature):
    f = sg.function(function, [X, Y])
    with np.errstate(all="raise", under="ignore"):
        assert f(0.0, 0.0) == 0 and sg.grad(f)(0.0, 0.0) == (0.0, 0.0)
        np.testing.assert_allclose(sg.hessian(f)(0.0, 0.0), np.diag([curvature] * 2), rtol=1e-15)
    exact = function.subs({X: sp.Rational(3, 10), Y: sp.Rational(-2, 5)}).evalf(30)
    assert f(0.3, -0.4) == pytest.approx(float(exact), rel=1e-15)


@pytest.mark.parametrize("target", ["cython", "numba"])
def test_the_logarithmic_quotient_keeps_its_digits_to_the_second_derivative(target):
    f = sg.function(sp.log(1 + X) / X, inputs=[X])
    points = np.concatenate([np.linspace(-0.9, 4, 99) + 1e-3, [1e-300, -1e-9, 1 - 1e-12, 1 + 1e-12, -0.5 - 1e-12]])
    for derivative, order in ((f, 0), (sg.grad(f, X), 1), (sg.grad(sg.grad(f, X), X), 2)):
        found = sg.compile(derivative, target=target)(points)
        with mpmath.workdps(60):
            places = [mpmath.mpf(max(p, 1e-20) if abs(p) < 1e-20 else p) for p in points]
            wanted = [mpmath.diff(lambda t: mpmath.log1p(t) / t, p, order) for p in places]
        units = [abs(a - b) / np.spacing(abs(float(b))) for a, b in zip(np.ravel(found), wanted, strict=True)]
        assert max(units) <= (4, 10, 24)[order], (order, points[int(np.argmax(units))], max(units))
