"""Expansions: the same values as the rows, against mpmath at 50 digits and at special points."""

import math
import random

import mpmath
import numpy as np
import pytest

from symgraph.axis import Axis
from symgraph.derive.reverse import gradients
from symgraph.expansions import EXPANSIONS, expand
from symgraph.graph import Graph, Output
from symgraph.interpret import evaluate
from symgraph.node import Kind, constant, input_node
from symgraph.ops import apply_op
from symgraph.reducers import reduce_over
from symgraph.spec import verify


def spread(low, high, number=200, seed=0):
    draw = random.Random(seed)
    return [draw.uniform(low, high) for _ in range(number)]


def small(number=60, seed=1):
    draw = random.Random(seed)
    return [10.0 ** draw.uniform(-12, 0) for _ in range(number)]


def run(name, orders, *columns):
    inputs = [input_node(f"x{k}") for k in range(len(columns))]
    node = apply_op(name, *(constant(order) for order in orders), *inputs)
    graph = expand(Graph("f", tuple(inputs), (Output("o", node),)))
    verify(graph)
    # exponential integrals of the orders that remain are a library's
    assert not any(n.kind is Kind.ELEMENTWISE and n.data in EXPANSIONS.keys() - {"expint"} for n in graph.order)
    return np.asarray(evaluate(graph, [np.asarray(column) for column in columns])[0])


def worst(found, expected):
    """The worst relative error, in units of 2**-53, where values below the smallest normal number do not count."""
    with mpmath.workdps(50):
        errors = [
            abs(f - e) / max(abs(e), mpmath.mpf(10) ** -300)
            for f, e in zip(found.tolist(), expected, strict=True)
        ]
        return float(max(errors) * 2**53)


def spherical(n, x):
    """From the recurrence, with digits to spare for what cancels at small arguments."""
    with mpmath.workdps(300):
        x = mpmath.mpf(x)
        values = [mpmath.sin(x) / x, mpmath.sin(x) / x**2 - mpmath.cos(x) / x]
        for k in range(1, n):
            values.append((2 * k + 1) * values[k] / x - values[k - 1])
        return values[n]


@pytest.mark.parametrize("order", [1, 2, 3, 6])
def test_spherical_bessel_functions(order):
    points = [x for x in spread(-15, 15) + spread(-order - 2, order + 2, seed=5)] + small(20)
    with mpmath.workdps(50):
        found = run("sphericalj", [order], points)
        for x, value in zip(points, found.tolist(), strict=True):
            expected = spherical(order, x)
            envelope = max(abs(expected), min(1, 1 / abs(mpmath.mpf(x))) / 10 if abs(x) > order + 1 else 0)
            assert abs(value - expected) <= 64 * 2.0**-53 * envelope, x
    assert run("sphericalj", [order], [0.0])[0] == 0.0


def test_sinc():
    points = spread(-20, 20) + small()
    with mpmath.workdps(50):
        assert worst(run("sinc", [], points), [mpmath.sin(x) / mpmath.mpf(x) for x in points]) < 4
    assert list(run("sinc", [], [0.0, -0.0])) == [1.0, 1.0]


@pytest.mark.parametrize("exponent", [2, 3, 4, 6])
def test_hurwitz_zeta(exponent):
    points = spread(0, 30) + small() + [1e3, 1e8, 1e40]
    with mpmath.workdps(50):
        assert worst(run("zeta", [exponent], points), [mpmath.zeta(exponent, x) for x in points]) < 40
        below = spread(-12, 0, 60)
        expected = [
            (-1) ** exponent * mpmath.polygamma(exponent - 1, x) / mpmath.factorial(exponent - 1)
            for x in below
        ]
        scale = [abs(e) + 1 for e in expected]
        found = run("zeta", [exponent], below)
        assert all(abs(f - e) <= 1e-11 * s for f, e, s in zip(found, expected, scale, strict=True))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_polygamma(order):
    points = spread(0.01, 20)
    with mpmath.workdps(50):
        assert worst(run("polygamma", [order], points), [mpmath.polygamma(order, x) for x in points]) < 40


def test_digamma_is_the_first_polygamma():
    assert run("polygamma", [0], [1.0])[0] == pytest.approx(float(-mpmath.euler), rel=1e-14)


def test_lambertw():
    points = (
        spread(-0.36, 4) + [10.0**k for k in range(-12, 300, 7)] + [-x for x in small(20, seed=3) if x < 0.36]
    )
    with mpmath.workdps(50):
        assert worst(run("lambertw", [], points), [mpmath.lambertw(x).real for x in points]) < 100
        near = [-math.exp(-1) + 10.0**-k for k in range(3, 15)]
        expected = [mpmath.lambertw(x).real for x in near]
        # the condition number grows like 1/sqrt(distance)
        assert all(
            abs(f - e) < 2e-16 * 10 ** (k / 2 + 1)
            for k, f, e in zip(range(3, 15), run("lambertw", [], near), expected, strict=True)
        )
    special = run("lambertw", [], [0.0, math.e, math.inf, -1.0, math.nan])
    assert list(special[:3]) == [0.0, pytest.approx(1.0, rel=1e-15), math.inf]
    assert np.isnan(special[3:]).all()


def test_lower_branch_of_lambertw():
    points = spread(-0.367, -1e-3) + [-(10.0**-k) for k in range(1, 300, 7)]
    with mpmath.workdps(50):
        expected = [mpmath.lambertw(x, -1).real for x in points]
        found = run("lambertw_lower", [], points)
        # the condition number, x*W'/W = 1/(1 + W), is large at the branch point alone
        errors = [abs(f - e) / abs(e) / max(1, abs(1 / (1 + e))) for f, e in zip(found.tolist(), expected, strict=True)]
        assert max(errors) < 40 * 2.0**-53
    special = run("lambertw_lower", [], [-0.0, -math.exp(-1) - 1e-3, 0.5, math.nan])
    assert special[0] == -math.inf
    assert np.isnan(special[1:]).all()


@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_of_riemann_zeta(order):
    points = spread(0.05, 0.95, 40) + spread(1.05, 12, 60)
    with mpmath.workdps(30):
        expected = [mpmath.zeta(x, 1, order) for x in points]
        found = run("riemann_zeta", [order], points)
        errors = [abs(f - e) / max(abs(e), 0.1) for f, e in zip(found.tolist(), expected, strict=True)]
        assert max(errors) < 200 * 2.0**-53


POLYNOMIALS = {
    "legendre": ((), (-1, 1), mpmath.legendre),
    "chebyshevt": ((), (-1, 1), mpmath.chebyt),
    "chebyshevu": ((), (-1, 1), mpmath.chebyu),
    "gegenbauer": ((1.5,), (-1, 1), mpmath.gegenbauer),
    "jacobi": ((0.5, 1.25), (-1, 1), mpmath.jacobi),
    "hermite": ((), (-3, 3), mpmath.hermite),
    "laguerre": ((), (0, 6), lambda n, x: mpmath.laguerre(n, 0, x)),
    "assoc_laguerre": ((1.5,), (0, 6), mpmath.laguerre),
}


@pytest.mark.parametrize("degree", [0, 1, 2, 7, 25])
@pytest.mark.parametrize("name", POLYNOMIALS)
def test_orthogonal_polynomials_by_recurrence(name, degree):
    parameters, (low, high), exact = POLYNOMIALS[name]
    points = [*spread(low, high, 40), float(low), float(high)]
    with mpmath.workdps(40):
        expected = [exact(degree, *parameters, mpmath.mpf(x)) for x in points]
        scale = max(abs(e) for e in expected)
        found = run(name, [degree, *parameters], points)
        found = np.broadcast_to(found, len(points)).tolist()
        # expanded in powers, a polynomial of degree 25 would have no digit left
        assert max(abs(f - e) for f, e in zip(found, expected, strict=True)) < (degree + 2) * 2.0**-52 * scale


@pytest.mark.parametrize("order", [-3, -1, 0, 1])
def test_exponential_integrals_of_low_order(order):
    points = spread(0.01, 20, 60)
    with mpmath.workdps(40):
        assert worst(run("expint", [order], points), [mpmath.expint(order, x) for x in points]) < 20


@pytest.mark.parametrize("a", [2.5, 1, 0, -1, -2])
def test_upper_incomplete_gamma_function(a):
    points = spread(0.05, 10, 60)
    with mpmath.workdps(40):
        assert worst(run("uppergamma", [a], points), [mpmath.gammainc(a, x) for x in points]) < 100


def test_logaddexp():
    a, b = spread(-50, 50), spread(-50, 50, seed=9)
    with mpmath.workdps(50):
        expected = [mpmath.log(mpmath.exp(x) + mpmath.exp(y)) for x, y in zip(a, b, strict=True)]
        found = run("logaddexp", [], a, b)
        assert all(abs(f - e) <= 4e-16 * max(abs(e), 1) for f, e in zip(found, expected, strict=True))
    inf = math.inf
    np.testing.assert_array_equal(
        run("logaddexp", [], [inf, -inf, inf, 1000.0, math.nan], [inf, -inf, -inf, -1000.0, 1.0]),
        [inf, -inf, inf, 1000.0, math.nan],
    )


def test_xlogy():
    np.testing.assert_array_equal(
        run("xlogy", [], [0.0, 0.0, 2.0, 0.0], [0.0, 3.0, math.e, math.nan]), [0.0, 0.0, 2.0, math.nan]
    )


def test_strong_quotients():
    found = [
        run("strong_quotient", [], [0.0, 1.0, 3.0], [0.0, 0.0, 2.0], np.full(3, float(n))) for n in (1, 2)
    ]
    np.testing.assert_array_equal(found, [[0.0, math.inf, 1.5], [0.0, math.inf, 0.75]])
    u, y = input_node("u"), input_node("y")
    graph = expand(Graph("f", (u, y), (Output("o", apply_op("strong_quotient", u, y, constant(2))),)))
    assert evaluate(graph, [1e-200, 1e-200]) == [pytest.approx(1e200)]


def test_expansions_reach_into_sums_and_derivatives():
    row = Axis("i", "n")
    v, a = input_node("v", (row,)), input_node("a")
    total = reduce_over("sum", apply_op("loggamma", apply_op("mul", v, a)), row)
    (first,) = gradients({total: constant(1)}, [a])
    (second,) = gradients({first: constant(1)}, [a])
    graph = Graph("f", (v, a), (Output("o", second),))
    points = np.array([0.5, 1.5, 4.0])
    with mpmath.workdps(50):
        expected = mpmath.fsum(
            mpmath.mpf(x) ** 2 * mpmath.polygamma(1, mpmath.mpf(x) * 1.25) for x in points.tolist()
        )
    assert evaluate(expand(graph), [points, 1.25])[0] == pytest.approx(float(expected), rel=1e-14)
    verify(expand(graph))


def test_a_graph_without_such_rows_is_left_alone():
    x = input_node("x")
    graph = Graph("f", (x,), (Output("o", apply_op("sin", x)),))
    assert expand(graph) is graph


def test_an_order_that_is_no_constant_stays():
    s, x = input_node("s"), input_node("x")
    graph = Graph("f", (s, x), (Output("o", apply_op("zeta", s, x)),))
    assert expand(graph) == graph
