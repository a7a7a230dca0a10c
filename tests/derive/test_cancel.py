"""Smooth functions of a norm that need a cancellation before a division, at the zero of the norm."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph import simplify as s
from symgraph.derive.cancel import cancelled_sum, root_product
from symgraph.node import constant, input_node

x, y = sp.symbols("x y", real=True)
scale = sp.Symbol("a", positive=True)
norm = sp.sqrt(x**2 + y**2)
# covariances of Gaussian processes (Rasmussen and Williams, section 4.2): value, and -(curvature at the origin)
MATERN = {
    "three halves": ((1 + norm) * sp.exp(-norm), 1.0),
    "five halves": ((1 + norm + norm**2 / 3) * sp.exp(-norm), 1 / 3),
    "three halves, as in the book": ((1 + sp.sqrt(3) * norm / scale) * sp.exp(-sp.sqrt(3) * norm / scale), 3 / 4),
    "five halves, as in the book": (
        (1 + sp.sqrt(5) * norm / scale + 5 * norm**2 / (3 * scale**2)) * sp.exp(-sp.sqrt(5) * norm / scale), 5 / 12,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("covariance", "curvature"), MATERN.values(), ids=MATERN)
def test_matern_covariances(covariance, curvature):
    f = sg.function(covariance, inputs=[x, y, scale])
    wrt = ["x", "y"]
    np.testing.assert_array_equal(sg.grad(f, wrt=wrt)(0.0, 0.0, 2.0), [0, 0])
    np.testing.assert_allclose(sg.hessian(f, wrt=wrt)(0.0, 0.0, 2.0), -curvature * np.eye(2), rtol=1e-14)
    np.testing.assert_allclose(sg.hvp(f, wrt="x")(0.0, 0.0, 2.0, 1.0), -curvature, rtol=1e-14)
    formula = sp.lambdify((x, y, scale), covariance, "mpmath")
    with mpmath.workdps(40):
        for point in [(1e-6, 0.0), (0.3, -0.4), (2.0, 1.0)]:
            for order, row, column in [((2, 0), 0, 0), ((1, 1), 0, 1), ((0, 2), 1, 1)]:
                exact = mpmath.diff(lambda a, b: formula(a, b, mpmath.mpf(2)), point, order)
                found = sg.hessian(f, wrt=wrt)(*point, 2.0)[row][column]
                assert abs(found - exact) <= 1e-13 * max(abs(exact), curvature), (point, order)


def test_a_covariance_matrix_with_equal_points():
    i, j, k = sp.symbols("i j k", integer=True)
    m, d = sp.symbols("m d", integer=True, positive=True)
    points, others = sp.IndexedBase("X", shape=(m, d)), sp.IndexedBase("Z", shape=(m, d))
    distance = sp.sqrt(sp.Sum((points[i, k] - others[j, k]) ** 2, (k, 0, d - 1)))
    total = sp.Sum((1 + sp.sqrt(3) * distance) * sp.exp(-sp.sqrt(3) * distance), (i, 0, m - 1), (j, 0, m - 1))
    f = sg.function(total, inputs=[points, others])
    equal = np.ones((2, 2))
    np.testing.assert_array_equal(sg.grad(f, wrt="X")(equal, equal), np.zeros((2, 2)))
    np.testing.assert_allclose(sg.hvp(f, wrt="X")(equal, equal, np.eye(2)), -6 * np.eye(2), rtol=1e-14)


SMOOTH = {  # even functions of a norm: what is not recognised may be nan at second order, but never finite and wrong
    "norm*sin(norm)": (norm * sp.sin(norm), 2.0), "norm*tanh(norm)": (norm * sp.tanh(norm), 2.0),
    "cos(norm)": (sp.cos(norm), -1.0), "cosh(norm)": (sp.cosh(norm), 1.0), "norm**2": (norm**2, 2.0),
    "norm**4": (norm**4, 0.0), "exp(-norm**2)": (sp.exp(-(norm**2)), -2.0),
    "log(1 + norm**2)": (sp.log(1 + norm**2), 2.0),
    "sinc(norm)": (sp.sinc(norm), -1 / 3), "sqrt(1 + norm**2)": (sp.sqrt(1 + norm**2), 1.0),
    "norm**3": (norm**3, 0.0), "norm*(exp(norm) - exp(-norm))": (norm * (sp.exp(norm) - sp.exp(-norm)), 4.0),
    "atan(norm)*norm": (sp.atan(norm) * norm, 2.0), "norm**2*exp(-norm)": (norm**2 * sp.exp(-norm), 2.0),
}  # fmt: skip


@pytest.mark.parametrize(("function", "curvature"), SMOOTH.values(), ids=SMOOTH)
def test_no_smooth_function_of_a_norm_is_finite_and_wrong(function, curvature):
    f = sg.function(function, inputs=[x, y])
    np.testing.assert_array_equal(sg.grad(f)(0.0, 0.0), [0, 0])
    for i, row in enumerate(sg.hessian(f)(0.0, 0.0)):
        for j, found in enumerate(row):
            assert np.isnan(found) or found == pytest.approx(curvature if i == j else 0.0, rel=1e-14)


def test_what_does_not_cancel_is_left_alone():
    f, r, other = (input_node(name) for name in ("f", "r", "g"))
    product = s.mul(f, s.add(s.ONE, r))
    for values in ([f, product], [other, s.neg(product)], [s.mul(constant(2), f), s.neg(product)], [f, f]):
        assert cancelled_sum(values) is s.add(*values)
    root = s.power(r, constant(Fraction(1, 2)))
    assert root_product(f, root) is None and root_product(s.add(s.mul(root, f), other), root) is None
