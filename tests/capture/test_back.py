"""Back to SymPy: the same expression, and the same graph again when that is captured."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.tensor.array import ArrayComprehension

import symgraph as sg
from symgraph.capture import capture, to_sympy

x, y, z = sp.symbols("x y z")
i, j, k, o = sp.symbols("i j k o", integer=True)
n, d, p = sp.symbols("n d p", integer=True, positive=True)
X, w, t = (sp.IndexedBase(name, shape=shape) for name, shape in (("X", (n, d)), ("w", (d,)), ("t", (n,))))
L, u = sp.IndexedBase("L", shape=(n * (n - 1) / 2,)), sp.IndexedBase("u", shape=(n,))
camera, which = sp.IndexedBase("camera", shape=(d, 3)), sp.IndexedBase("which", shape=(p,))
A, S = sp.MatrixSymbol("A", n, d), sp.MatrixSymbol("S", n, n)
q = sp.Function("q")(sp.Symbol("t"))

MODELS = {
    "arithmetic": (x + y) * z - x / y + sp.sqrt(x) - 3 * x * y + x ** sp.Rational(-3, 2),
    "numbers": sp.pi * x + sp.Rational(1, 3) + sp.Float("0.1") * y + 2**70 + sp.Rational(1, 7).evalf(40) * z,
    "special values": sp.Piecewise((sp.oo, x > 1), (-sp.oo, x < 0), (sp.nan, True)),
    "functions": sp.sin(x) * sp.atan2(y, x)
    + sp.erf(z)
    + sp.gamma(x)
    + sp.besselj(2, y)
    + sp.log(x)
    + sp.exp(-z),
    "conditions": sp.Piecewise((x, x > 1), (y, sp.And(y > 0, sp.Or(x < 3, z >= 2))), (z, True)),
    "no default": sp.Piecewise((x, x > 1)),
    "logic": sp.ITE(x > 0, y > 0, sp.Not(sp.Eq(z, 1))),
    "largest": sp.Max(x, y, 0) - sp.Min(x, sp.Abs(y), z),
    "least squares": sp.Sum((sp.Sum(X[i, j] * w[j], (j, 0, d - 1)) - t[i]) ** 2, (i, 0, n - 1)) / n,
    "triangle": sp.Sum(L[i * (i - 1) / 2 + j] * u[i] * u[j], (j, 0, i - 1), (i, 0, n - 1)),
    "neighbours": sp.Sum((u[i + 1] - u[i]) ** 2, (i, 0, n - 2)),
    "log-sum-exp": sp.Sum(sp.log(sp.Sum(sp.exp(X[i, j] - w[j]), (j, 0, d - 1))), (i, 0, n - 1)),
    "product": sp.Product(1 + u[i] * x, (i, 0, n - 1)),
    "integer index": sp.Sum(camera[which[o], 2] * camera[which[o], k], (k, 0, 2), (o, 0, p - 1)),
    "quotients": sp.Sum(u[sp.floor(i / 2)] * u[sp.Mod(i, n)], (i, 0, 2 * n - 1)),
    "array": ArrayComprehension(X[i, j] + w[j] * t[i] + i, (i, 0, n - 1), (j, 0, d - 1)),
    "matrix": sp.Matrix([[x, 0], [1, sp.sin(y)]]),
    "column": sp.Matrix([x, y, x]),
    "cube": sp.Array([[[x, y], [1, 2]], [[x * y, 0], [z, x]]]),
    "constant array": sp.ones(2, 2),
    "products of matrices": A.T * S * A,
    "trace": sp.Trace(S * S) + S[0, 1],
    "mechanics": q.diff() ** 2 / 2 - sp.cos(q),
    "structure": {"a": x, "b": [y, (x * y, 1)]},
}


@pytest.mark.parametrize("name", MODELS)
def test_the_way_there_and_back_ends_at_the_same_graph(name: str) -> None:
    graph, symbols = capture(MODELS[name])
    again, _ = capture(to_sympy(graph, symbols), list(symbols))
    assert again.structure == graph.structure
    assert [o.node for o in again.outputs] == [o.node for o in graph.outputs]
    assert [o.axes for o in again.outputs] == [o.axes for o in graph.outputs]


@pytest.mark.parametrize(
    "expression",
    [(x + y) * z, x - y, x / y, sp.sqrt(x), -x, x**2 - 2 * x * y, sp.exp(-x) * 3, 1 / (1 + x)],
    ids=str,
)
def test_plain_expressions_come_back_as_they_were(expression: sp.Expr) -> None:
    assert to_sympy(*capture(expression)) == expression


def test_sums_come_back_with_their_indices() -> None:
    back = to_sympy(*capture(sp.Sum(sp.sin(X[i, j]), (j, 0, d - 1), (i, 0, n - 1))))
    assert str(back) == "Sum(sin(X[i, j]), (j, 0, d - 1), (i, 0, n - 1))"


def test_a_matrix_comes_back_as_a_matrix() -> None:
    matrix = sp.ImmutableMatrix([[x, 0], [1, sp.sin(y)]])
    assert to_sympy(*capture(matrix)) == matrix


def test_the_structure_comes_back() -> None:
    assert to_sympy(*capture({"a": x, "b": [y, sp.Integer(2)]})) == {"a": x, "b": (y, 2)}


def test_a_graph_without_symbols_gets_new_ones() -> None:
    graph, _ = capture(sp.Sum(u[i] * x, (i, 0, n - 1)))
    again, _ = capture(to_sympy(graph))
    assert again.outputs[0].node is graph.outputs[0].node


def test_derivatives_come_back_with_the_same_values() -> None:
    f = sg.function(MODELS["log-sum-exp"] + MODELS["least squares"], [X, w, t])
    g = sg.grad(f)
    again = sg.function(g.to_sympy(), [X, w, t])
    numbers = np.random.default_rng(3)
    arguments = numbers.normal(size=(4, 3)), numbers.normal(size=3), numbers.normal(size=4)
    for found, expected in zip(again(*arguments), g(*arguments), strict=True):
        assert np.allclose(found, expected, rtol=1e-14, atol=1e-14)


def test_second_derivatives_of_a_triangle_come_back_with_the_same_values() -> None:
    h = sg.hessian(sg.function(MODELS["triangle"], [L, u]))
    again = sg.function(h.to_sympy(), [L, u])
    arguments = np.arange(1.0, 7.0), np.array([0.5, -1.0, 2.0, 0.25])
    for found, expected in zip(sum(again(*arguments), ()), sum(h(*arguments), ()), strict=True):
        assert np.allclose(found, expected, rtol=1e-14, atol=1e-14)
