"""Matrix and array expressions against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.matrices.expressions.dotproduct import DotProduct
from sympy.tensor.array import ArrayComprehension
from sympy.tensor.array.expressions.array_expressions import ArraySymbol

from symgraph.capture import capture
from symgraph.errors import ShapeError, UnsupportedError

from .evaluation import value

n, m, p = sp.symbols("n m p", integer=True, positive=True)
i, j, k = sp.symbols("i j k", integer=True)
x, y = sp.symbols("x y")
A, B, S = sp.MatrixSymbol("A", n, m), sp.MatrixSymbol("B", m, p), sp.MatrixSymbol("S", n, n)
b, r = sp.MatrixSymbol("b", n, 1), sp.MatrixSymbol("r", 1, n)
numbers = np.random.default_rng(5)
AV, BV, SV = numbers.normal(size=(4, 3)), numbers.normal(size=(3, 2)), numbers.normal(size=(4, 4))
BC, RV = numbers.normal(size=(4, 1)), numbers.normal(size=(1, 4))


def near(found: np.ndarray, expected: np.ndarray) -> bool:
    """Equal in shape, and in value but for the order of additions."""
    return found.shape == expected.shape and bool(np.allclose(found, expected, rtol=1e-13, atol=1e-13))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (A * B, AV @ BV),
        (A.T, AV.T),
        (2 * A - x * A, -0.5 * AV),
        (S * A * B, SV @ AV @ BV),
        ((A * B).T * S, (AV @ BV).T @ SV),
        (S**3, SV @ SV @ SV),
        (S**0, np.eye(4)),
        (S + sp.Identity(n), SV + np.eye(4)),
        (S * b + b, SV @ BC + BC),
        (r * S, RV @ SV),
        (b * r, BC @ RV),
        (A.T * S * A, AV.T @ SV @ AV),
        (sp.HadamardProduct(S, S.T), SV * SV.T),
        (sp.HadamardPower(S, 2), SV**2),
        (S.applyfunc(sp.sin), np.sin(SV)),
        (S.applyfunc(sp.Lambda(x, x**2 + y)), SV**2 + 0.25),
        (S + sp.ZeroMatrix(n, n), SV),
        (S + sp.OneMatrix(n, n), SV + 1),
        (sp.DiagMatrix(b) * S, np.diag(BC[:, 0]) @ SV),
        (S[1:3, 0:2], SV[1:3, 0:2]),
        (sp.Adjoint(A), AV.T),
        (x * (A + A) * B, 2.5 * 2 * AV @ BV),
        (sp.Identity(n), np.eye(4)),
    ],
    ids=str,
)
def test_matrix_expressions(expression: sp.MatrixExpr, expected: np.ndarray) -> None:
    inputs = [A, B, S, b, r, x, y]
    assert near(value(expression, AV, BV, SV, BC, RV, 2.5, 0.25, inputs=inputs), expected)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (sp.Trace(S), np.trace(SV)),
        (sp.Trace(A * B * B.T * A.T), np.trace(AV @ BV @ BV.T @ AV.T)),
        ((b.T * S * b)[0, 0], (BC.T @ SV @ BC)[0, 0]),
        (DotProduct(b, r), BC[:, 0] @ RV[0]),
        (S[1, 2] * S[0, 0], SV[1, 2] * SV[0, 0]),
        ((A * B)[2, 1], (AV @ BV)[2, 1]),
        (sp.Sum(A[i, j] ** 2, (i, 0, n - 1), (j, 0, m - 1)), (AV**2).sum()),
        (sp.Sum((S * S)[i, i], (i, 0, n - 1)), np.trace(SV @ SV)),
    ],
    ids=str,
)
def test_numbers_from_matrices(expression: sp.Expr, expected: float) -> None:
    assert value(expression, AV, BV, SV, BC, RV, inputs=[A, B, S, b, r]) == pytest.approx(expected, rel=1e-13)


def test_a_sum_of_matrices() -> None:
    total = sp.Sum(x**k * S, (k, 0, 3))
    assert near(value(total, SV, 0.5, inputs=[S, x]), (1 + 0.5 + 0.25 + 0.125) * SV)


def test_a_one_by_one_matrix_stands_for_a_number() -> None:
    expression = sp.exp((b.T * b)[0, 0]) + sp.Symbol("x")
    assert value(expression, BC, 1.0) == pytest.approx(np.exp((BC**2).sum()) + 1, rel=1e-14)


def test_an_explicit_matrix_keeps_its_shape() -> None:
    column = sp.Matrix([x, x * y, 1])
    assert value(column, 2.0, 3.0).shape == (3, 1)
    row = sp.Matrix([[x, x * y, 1]])
    assert np.array_equal(value(row, 2.0, 3.0), [[2.0, 6.0, 1.0]])
    square = sp.ImmutableMatrix([[x, 0], [0, sp.sin(y)]])
    assert np.array_equal(value(square, 2.0, 3.0), [[2.0, 0.0], [0.0, np.sin(3.0)]])
    assert np.array_equal(value(sp.zeros(2, 3)), np.zeros((2, 3)))
    assert np.array_equal(value(sp.SparseMatrix(2, 2, {(0, 1): x}), 2.0), [[0.0, 2.0], [0.0, 0.0]])
    assert value(sp.Matrix(0, 2, [])).shape == (0, 2)


def test_arrays_of_any_rank() -> None:
    cube = sp.Array([[[x, 1], [y, 0]], [[x * y, 2], [3, x]]])
    assert np.array_equal(value(cube, 2.0, 3.0), [[[2, 1], [3, 0]], [[6, 2], [3, 2]]])
    assert np.array_equal(value(sp.Array([x, y]), 2.0, 3.0), [2.0, 3.0])
    assert np.array_equal(value(np.array([[x], [y]]), 2.0, 3.0), [[2.0], [3.0]])


def test_an_array_symbol() -> None:
    T = ArraySymbol("T", (2, n, 3))
    data = np.arange(24.0).reshape(2, 4, 3)
    assert value(sp.Sum(T[1, i, j] * T[0, i, j], (i, 0, n - 1), (j, 0, 2)), data) == (data[0] * data[1]).sum()
    assert np.array_equal(value(T, data), data)


def test_explicit_and_symbolic_matrices_mix() -> None:
    Q = sp.MatrixSymbol("Q", 2, 2)
    QV = np.array([[0.5, 1.0], [-2.0, 3.0]])
    rotation = sp.ImmutableMatrix([[sp.cos(x), -sp.sin(x)], [sp.sin(x), sp.cos(x)]])
    turn = np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    assert near(value(rotation * Q * rotation.T, QV, 0.3, inputs=[Q, x]), turn @ QV @ turn.T)
    assert near(value(Q * Q + sp.ImmutableMatrix([[1, 0], [0, 3]]), QV), QV @ QV + np.diag([1.0, 3.0]))


def test_determinant_and_inverse_of_small_matrices() -> None:
    Q = sp.MatrixSymbol("Q", 3, 3)
    QV = np.array([[2.0, -1.0, 0.5], [0.25, 3.0, 1.0], [1.0, 0.5, -2.5]])
    assert value(sp.Determinant(Q), QV) == pytest.approx(np.linalg.det(QV), rel=1e-14)
    assert value(sp.log(sp.Abs(sp.Determinant(Q))), QV) == pytest.approx(np.linalg.slogdet(QV)[1], rel=1e-14)
    assert near(value(sp.Inverse(Q), QV), np.linalg.inv(QV))
    assert near(value(Q**-2, QV), np.linalg.inv(QV) @ np.linalg.inv(QV))


def test_comprehensions() -> None:
    u = sp.IndexedBase("u", shape=(n,))
    outer = ArrayComprehension(u[i] * u[j] + i, (i, 0, n - 1), (j, 1, n - 1))
    U = np.array([0.5, 2.0, -1.0])
    assert near(value(outer, U), np.outer(U, U[1:]) + np.arange(3)[:, None])
    pairs = ArrayComprehension(sp.Sum(u[j], (j, 0, i)), (i, 0, n - 1))
    assert near(value(pairs, U), np.cumsum(U))
    repeated = ArrayComprehension(x, (i, 0, 2))
    assert np.array_equal(value(repeated, 1.5), [1.5, 1.5, 1.5])
    elements = ArrayComprehension(sp.Array([u[i], 1]), (i, 0, n - 1))
    assert near(value(elements, U), np.stack([U, np.ones(3)], axis=1))


def test_the_length_of_a_product_chain_does_not_matter_to_the_source() -> None:
    graph, _ = capture(S**12 * b, [S, b])
    assert len(graph.order) < 120


@pytest.mark.parametrize(
    ("expression", "error", "words"),
    [
        (A * sp.MatrixSymbol("C", p, 2), ShapeError, ["A", "m columns", "C", "p rows"]),
        (sp.HadamardProduct(A, sp.MatrixSymbol("C", n, p)), ShapeError, ["A", "C", "shape"]),
        (sp.Inverse(S), UnsupportedError, ["inverse of S", "size n"]),
        (S ** sp.Symbol("q", integer=True), UnsupportedError, ["power q"]),
        (
            sp.sin(sp.Symbol("x")) * sp.Trace(sp.BlockMatrix([[S, S], [S, S]])),
            UnsupportedError,
            ["BlockMatrix"],
        ),
        (sp.sin(sp.Determinant(S)), UnsupportedError, ["determinant of S", "size n"]),
    ],
    ids=str,
)
def test_refused(expression: sp.Basic, error: type[Exception], words: list[str]) -> None:
    with pytest.raises(error) as caught:
        capture(expression)
    for word in words:
        assert word in str(caught.value)
