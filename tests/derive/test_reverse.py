"""Reverse and forward mode against central differences and against each other, to second order."""

from __future__ import annotations

import numpy as np
import pytest

from symgraph.function import Function
from symgraph.spec import verify
from symgraph.transform import grad, hessian, hvp, jacobian, jvp, vjp

from .programs import PROGRAMS, graph

GENERATOR = np.random.default_rng(5)
POINT = {
    "x": np.array([0.3, -0.7, 1.1, 0.6]),
    "y": np.array([0.5, -1.2, 0.8]),
    "A": GENERATOR.normal(size=(4, 4)),
    "ix": np.array([2, 0, 2]),
}
NAMES = ("x", "y", "A")


def numeric_gradient(f: Function, name: str) -> np.ndarray:
    base = POINT[name]
    result = np.zeros_like(base)
    for position in np.ndindex(base.shape):
        values = []
        for step in (1e-5, -1e-5):
            moved = base.copy()
            moved[position] += step
            values.append(f(**{**POINT, name: moved}))
        result[position] = (values[0] - values[1]) / 2e-5
    return result


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient_is_the_slope(name):
    f = Function(graph(name))
    g = grad(f)
    verify(g.graph)
    for key, found in zip(NAMES, g(**POINT), strict=True):
        np.testing.assert_allclose(found, numeric_gradient(f, key), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("name", PROGRAMS)
def test_hessian_is_the_slope_of_the_gradient_and_symmetric(name):
    f = Function(graph(name))
    h = hessian(f, "x")
    verify(h.graph)
    found = h(**POINT)
    np.testing.assert_allclose(found, found.T, rtol=1e-9, atol=1e-9)
    for row in range(4):
        expected = np.zeros(4)
        for step in (1e-5, -1e-5):
            moved = POINT["x"].copy()
            moved[row] += step
            expected += grad(f, "x")(**{**POINT, "x": moved}) * np.sign(step) / 2e-5
        np.testing.assert_allclose(found[row], expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", PROGRAMS)
def test_forward_reverse_and_hessian_vector_products_agree(name):
    f = Function(graph(name))
    direction = np.array([0.2, -0.4, 1.5, 0.7])
    _, tangent = jvp(f, "x")(**POINT, x_tangent=direction)
    np.testing.assert_allclose(tangent, grad(f, "x")(**POINT) @ direction, rtol=1e-10)
    np.testing.assert_allclose(vjp(f, "x")(**POINT, f_cotangent=2.0), 2 * grad(f, "x")(**POINT), rtol=1e-12)
    product = hvp(f, "x")(**POINT, x_vector=direction)
    np.testing.assert_allclose(product, hessian(f, "x")(**POINT) @ direction, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["matrix vector", "triangle", "table look-up", "log-sum-exp"])
def test_jacobian_of_the_gradient_is_the_hessian(name):
    f = Function(graph(name))
    np.testing.assert_allclose(
        jacobian(grad(f, "x"), "x")(**POINT), hessian(f, "x")(**POINT), rtol=1e-10, atol=1e-12
    )
