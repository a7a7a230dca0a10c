"""Loops over lanes in compiled kernels: every length of the last vector, rows with nan, data indices, float32."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph.codegen.lanes import over_lanes
from symgraph.codegen.lower import lower
from symgraph.codegen.plan import plan_graph
from symgraph.codegen.targets.cython_dialect import has_lanes
from symgraph.interpret import evaluate

i, j, k = sp.symbols("i j k", integer=True)
n, m, d = sp.symbols("n m d", integer=True, positive=True)
X, Y = sp.IndexedBase("X", shape=(n, d), real=True), sp.IndexedBase("Y", shape=(m, d), real=True)
w, t = sp.IndexedBase("w", shape=(d,), real=True), sp.IndexedBase("t", shape=(n,), real=True)
at = sp.IndexedBase("at", shape=(n,), integer=True)
LENGTHS = (0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65)


def distances() -> sg.Function:
    """A sum of kernels over two point sets, with inner loops and rows that are read again and again."""
    apart = sp.Sum((X[i, k] - Y[j, k]) ** 2, (k, 0, d - 1))
    nearest = sp.Sum(sp.exp(-apart), (j, 0, m - 1))
    return sg.function(sp.Sum(t[i] * sp.log(1 + nearest), (i, 0, n - 1)), inputs=[X, Y, t], name="distances")


def gathered() -> sg.Function:
    """Rows that data choose, and the gradient scattered back to them."""
    product = sp.Sum(Y[at[i], k] * w[k], (k, 0, d - 1))
    loss = sp.Sum(sp.Piecewise((product**2, t[i] > 0), (sp.sin(product) * i, True)), (i, 0, n - 1))
    return sg.function(loss, inputs=[Y, w, t, at], name="gathered")


def kernels(name: str, **options: object) -> tuple[sg.Function, object]:
    function, wrt = {"distances": (distances(), ("X", "Y", "t")), "gathered": (gathered(), ("Y", "w"))}[name]
    derived = sg.value_and_grad(function, wrt)
    return derived, sg.compile(derived, **options)


def numbers(name: str, length: int, seed: int = 0) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    points, others = random.normal(size=(length, 3)), random.normal(size=(5, 3))
    scale = random.normal(size=length)
    if name == "distances":
        return [points, others, scale]
    return [others, random.normal(size=3), scale, random.integers(0, 5, length)]


def flat(parts: object) -> np.ndarray:
    value, gradients = parts
    return np.concatenate([np.ravel(value), *(np.ravel(g) for g in gradients)])


def truth(derived: sg.Function, arguments: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.ravel(v) for v in evaluate(derived.graph, arguments)])


@pytest.mark.parametrize("name", ["distances", "gathered"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_length_of_the_last_vector(name: str, dtype: str) -> None:
    derived, kernel = kernels(name, dtype=dtype)
    assert "count_from(" in kernel.source or "load_part(" in kernel.source
    for length in LENGTHS:
        arguments = numbers(name, length, length)
        given = [a.astype(dtype) if a.dtype == np.float64 else a for a in arguments]
        tolerance = 1e-12 if dtype == "float64" else 2e-4
        np.testing.assert_allclose(flat(kernel(*given)), truth(derived, arguments), rtol=tolerance, atol=tolerance)


def test_rows_with_nan_and_infinity_stay_where_they_are() -> None:
    derived, kernel = kernels("distances")
    for length in (9, 33, 40):
        for bad in (np.nan, np.inf, -np.inf):
            arguments = numbers("distances", length)
            arguments[0][length - 2, 1] = bad
            found, expected = flat(kernel(*arguments)), truth(derived, arguments)
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


def test_exact_kernels_keep_the_order_of_sums() -> None:
    derived = sg.value_and_grad(distances(), ("X", "Y", "t"))
    _, decisions = over_lanes(lower(plan_graph(derived.graph, exact=True)), has_lanes, exact=True)
    assert any(decision.reason.startswith("exact:") for decision in decisions)


def test_explain_names_the_loops() -> None:
    text = sg.value_and_grad(distances(), ("X", "Y", "t")).explain()
    assert re.search(r"^lanes: .*\bi\b", text, re.MULTILINE)


def test_a_triangle_of_pairs_runs_along_its_inner_loop() -> None:
    position = sp.IndexedBase("p", shape=(3, n), real=True)
    square = sum((position[c, i] - position[c, j]) ** 2 for c in range(3))
    energy = sp.Sum(1 / square**3, (j, i + 1, n - 1), (i, 0, n - 1))
    derived = sg.value_and_grad(sg.function(energy, inputs=[position], name="pairs"), "p")
    kernel = sg.compile(derived)
    assert re.search(r"while .* - j\w* >= ", kernel.source)
    for length in (1, 2, 9, 17, 40):
        points = np.random.default_rng(length).normal(size=(3, length)) * 3
        value, gradient = kernel(points)
        expected = truth(derived, [points])
        np.testing.assert_allclose(np.concatenate([[value], gradient.ravel()]), expected, rtol=1e-10)


def test_a_divisor_that_mixes_lanes_and_numbers() -> None:
    """A rational model: Cython takes vector + number for a number, which no vector can be cast to."""
    u, y = (sp.IndexedBase(name, shape=(m,), real=True) for name in "uy")
    x = sp.IndexedBase("x", shape=(4,), real=True)
    quotient = x[0] * (u[i] ** 2 + u[i] * x[1]) / (u[i] ** 2 + u[i] * x[2] + x[3])
    function = sg.value_and_grad(sg.function(sp.Sum((y[i] - quotient) ** 2, (i, 0, m - 1)), inputs=[x, u, y]), wrt="x")
    arguments = np.array([0.25, 0.39, 0.415, 0.39]), np.linspace(0.1, 4.0, 11), np.linspace(0.2, 0.02, 11)
    value, gradient = sg.compile(function, target="cython")(*arguments)
    expected = function(*arguments)
    assert value == pytest.approx(expected[0], rel=1e-13)
    np.testing.assert_allclose(gradient, expected[1], rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_rows_are_transposed_whatever_their_length(dtype: str) -> None:
    product = sp.Sum(X[i, k] * w[k], (k, 0, d - 1))
    derived = sg.value_and_grad(sg.function(sp.Sum(sp.sin(product) * t[i], (i, 0, n - 1)), inputs=[X, w, t]), "w")
    kernel = sg.compile(derived, dtype=dtype)
    assert "load_rows(X_row" in kernel.source
    for columns in (1, 3, 7, 8, 9, 15, 16, 17, 33):
        for rows in (1, 7, 8, 16, 33, 75):
            random = np.random.default_rng(columns)
            arguments = [random.normal(size=s).astype(dtype) for s in ((rows, columns), columns, rows)]
            value, slope = kernel(*arguments)
            wanted, expected = derived(*arguments)
            scale = np.sqrt(rows * columns) * 64 * np.finfo(dtype).eps
            assert abs(value - wanted) <= scale * np.sqrt(rows), (columns, rows)
            np.testing.assert_allclose(slope, expected, atol=scale * np.sqrt(rows))
