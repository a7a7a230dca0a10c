"""Elements of arrays: affine, packed, data-dependent and constant indices; inferred shapes; what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.tensor.array import ArrayComprehension

from symgraph.capture import capture
from symgraph.dtype import FLOATING, INTEGER
from symgraph.errors import ModelError, ShapeError, UnsupportedError

from .evaluation import value

i, j, k, o = sp.symbols("i j k o", integer=True)
n, m, p = sp.symbols("n m p", integer=True, positive=True)
x = sp.Symbol("x")
u = sp.IndexedBase("u", shape=(n,))
X = sp.IndexedBase("X", shape=(n, m))
U = np.array([0.5, -1.25, 2.0, 3.5])


def test_neighbours() -> None:
    assert value(sp.Sum((u[i + 1] - u[i]) ** 2, (i, 0, n - 2)), U) == pytest.approx(
        (np.diff(U) ** 2).sum(), rel=1e-15
    )


def test_reversed_strided_and_shifted_indices() -> None:
    assert value(sp.Sum(i * u[n - 1 - i], (i, 0, n - 1)), U) == (np.arange(4) * U[::-1]).sum()
    w = sp.IndexedBase("w", shape=(2 * n + 1,))
    W = np.arange(9.0) ** 2
    assert value([sp.Sum(w[2 * i + 1] * u[i], (i, 0, n - 1))], U, W, inputs=[u, w]) == (W[1::2] * U).sum()


def test_convolution() -> None:
    w = sp.IndexedBase("w", shape=(m,))
    W = np.array([1.0, -2.0])
    smooth = ArrayComprehension(sp.Sum(u[i + j] * w[j], (j, 0, m - 1)), (i, 0, n - m))
    assert np.allclose(value(smooth, U, W), np.correlate(U, W, "valid"), rtol=1e-15)


def test_diagonal_and_repeated_reads() -> None:
    A = sp.IndexedBase("A", shape=(n, n))
    values = np.arange(16.0).reshape(4, 4)
    assert value(sp.Sum(A[i, i], (i, 0, n - 1)), values) == np.trace(values)
    assert value(sp.Sum(A[i, j] * A[j, i], (i, 0, n - 1), (j, 0, n - 1)), values) == (values * values.T).sum()


def test_integer_arrays_as_indices() -> None:
    camera = sp.IndexedBase("camera", shape=(m, 3))
    which = sp.IndexedBase("which", shape=(p,))
    picked = ArrayComprehension(camera[which[o], k], (o, 0, p - 1), (k, 0, 2))
    graph, _ = capture(picked, [camera, which])
    assert [node.dtype for node in graph.inputs] == [FLOATING, INTEGER]
    cameras, index = np.arange(12.0).reshape(4, 3), np.array([3, 0, 3, 1, 2])
    assert np.array_equal(value(picked, cameras, index), cameras[index])
    shifted = ArrayComprehension(camera[which[o] + 1, 0], (o, 0, p - 1))
    assert np.array_equal(value(shifted, cameras, np.array([0, 2])), cameras[[1, 3], 0])


def test_packed_triangle() -> None:
    packed = sp.IndexedBase("L", shape=(n * (n - 1) / 2,))
    form = sp.Sum(packed[i * (i - 1) / 2 + j] * u[i] * u[j], (j, 0, i - 1), (i, 0, n - 1))
    L = np.arange(1.0, 7.0)
    lower = np.zeros((4, 4))
    lower[np.tril_indices(4, -1)] = L
    assert value(form, L, U, inputs=[packed, u]) == pytest.approx(U @ lower @ U, rel=1e-15)


def test_packed_by_columns() -> None:
    packed = sp.IndexedBase("L", shape=(n * (n - 1) / 2,))
    a, b = i, j
    place = b * (n - 1) - b * (b - 1) / 2 + (a - b - 1)
    form = sp.Sum(packed[place] * u[a] * u[b], (b, 0, a - 1), (a, 0, n - 1))
    L = np.arange(1.0, 7.0)
    upper = np.zeros((4, 4))
    upper[np.triu_indices(4, 1)] = L
    assert value(form, L, U, inputs=[packed, u]) == pytest.approx(U @ upper.T @ U, rel=1e-15)


def test_whole_quotients_and_remainders() -> None:
    block = sp.Sum(u[sp.floor(i / 2)] * i, (i, 0, 2 * n - 1))
    assert value(block, U) == (np.repeat(U, 2) * np.arange(8)).sum()
    upward = sp.Sum(u[sp.ceiling(i / 2)] * i, (i, 0, 2 * n - 2))
    assert value(upward, U) == sum(U[-(-a // 2)] * a for a in range(7))
    cyclic = sp.Sum(u[sp.Mod(i + 1, n)] * u[i], (i, 0, n - 1))
    assert value(cyclic, U) == (np.roll(U, -1) * U).sum()


def test_constants_sizes_and_integer_arguments_as_indices() -> None:
    assert value(u[2] + u[n - 1], U) == 5.5
    chosen, _ = capture(u[k] ** 2, [u, k])
    assert chosen.inputs[1].dtype is INTEGER
    assert value(u[k] ** 2, U, 1, inputs=[u, k]) == 1.5625
    plain = sp.Symbol("plain")  # no assumption: it is an integer because it is used as an index
    assert value(u[plain + 1], U, 2, inputs=[u, plain]) == 3.5
    window = sp.Sum(u[i + k], (i, 0, n - 3))  # where it starts is known at the call only
    assert value(window, U, 1, inputs=[u, k]) == U[1:3].sum()
    assert value(u[sp.Idx("q")], U, 3, inputs=[u, sp.Idx("q")]) == 3.5


def test_a_size_is_also_a_number() -> None:
    assert value(sp.Sum(u[i], (i, 0, n - 1)) / n, U) == U.mean()


def test_an_index_that_a_condition_guards_may_leave_the_array() -> None:
    padded = sp.Sum(sp.Piecewise((u[i - 1], i > 0), (0, True)) * u[i], (i, 0, n - 1))
    assert value(padded, U) == (U[1:] * U[:-1]).sum()


def test_shapes_are_inferred_from_full_ranges() -> None:
    w, A = sp.IndexedBase("w"), sp.IndexedBase("A")
    total = sp.Sum(A[i, j] * w[j], (i, 0, n - 1), (j, 0, m - 1))
    graph, symbols = capture(total)
    assert symbols == (A, w)
    assert [[str(axis.size) for axis in node.axes] for node in graph.inputs] == [["n", "m"], ["m"]]
    assert value(total, np.ones((2, 3)), np.arange(3.0)) == 6.0
    share = (
        w[k] / sp.Sum(w[i], (i, 0, n - 1)) + w[0]
    )  # an element beside the sum tells nothing about the size
    assert value(share, 2, np.array([1.0, 2.0, 5.0])) == 5 / 8 + 1


@pytest.mark.parametrize(
    ("expression", "error", "words"),
    [
        (u[-1], ShapeError, ["index -1", "u", "negative"]),
        (sp.IndexedBase("w", shape=(3,))[3], ShapeError, ["index 3", "w", "size 3"]),
        (sp.Sum(u[i], (i, 0, n)), ShapeError, ["index i", "u", "size n", "runs up to n"]),
        (sp.Sum(u[i - 1], (i, 0, n - 1)), ShapeError, ["i - 1", "runs down to -1"]),
        (sp.Sum(u[i] * X[0, i], (i, 0, n - 1)), ShapeError, ["X", "size m", "n - 1"]),
        (u[sp.Symbol("r", real=True)], UnsupportedError, ["r", "not an integer"]),
        (u[sp.Float(1.0)], UnsupportedError, ["1.0", "not an integer"]),
        (sp.Sum(u[sp.sin(i)], (i, 0, n - 1)), UnsupportedError, ["sin(i)", "not an integer"]),
        (sp.Sum(u[i / 2], (i, 0, n - 1)), UnsupportedError, ["i/2", "not an integer"]),
        (sp.Sum(u[1 / (i + 1)], (i, 0, n - 1)), UnsupportedError, ["not an integer"]),
    ],
)
def test_refused(expression: sp.Expr, error: type[Exception], words: list[str]) -> None:
    with pytest.raises(error) as caught:
        capture(expression)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "expression",
    [
        sp.Sum(sp.IndexedBase("w")[i + 1], (i, 0, n - 2)),
        sp.Sum(sp.IndexedBase("w")[2 * i], (i, 0, n - 1)),
        sp.Sum(sp.IndexedBase("w")[i], (i, 0, n - 1)) + sp.Sum(sp.IndexedBase("w")[i], (i, 0, n - 2)),
        sp.Sum(sp.IndexedBase("w")[i], (i, 0, n - 1)) + sp.Sum(sp.IndexedBase("w")[j], (j, 0, m - 1)),
    ],
)
def test_a_shape_that_cannot_be_inferred_is_asked_for(expression: sp.Expr) -> None:
    with pytest.raises(ModelError, match=r"array w .*IndexedBase\('w', shape="):
        capture(expression)


@pytest.mark.parametrize(
    ("expression", "size"),
    [
        (sp.Sum(sp.IndexedBase("w")[i + 1] - sp.IndexedBase("w")[i], (i, 0, n - 2)), "n"),
        (sp.Sum(sp.IndexedBase("w")[i] * sp.IndexedBase("w")[i + 2], (i, 0, n - 1)), "n + 2"),
        (sp.Sum(sp.IndexedBase("w")[i - 1] * sp.IndexedBase("w")[i], (i, 1, n)), "n + 1"),
        (sp.IndexedBase("w")[0], "size_0_of_w"),
    ],
)
def test_a_shape_is_as_large_as_what_is_read(expression: sp.Expr, size: str) -> None:
    graph, _ = capture(expression)
    assert str(graph.inputs[0].axes[0].size) == size


def test_an_array_is_no_number() -> None:
    with pytest.raises(UnsupportedError, match="u"):
        capture([u])


@pytest.mark.parametrize("element", [u[0], sp.MatrixSymbol("A", n, n)[0, 0]], ids=str)
def test_an_array_that_is_no_input_is_named(element: sp.Expr) -> None:
    with pytest.raises(ModelError, match=r"the array [uA] is not among the inputs.*add it to inputs"):
        capture(element * x, [x])


def test_an_array_with_another_shape_than_the_input_of_its_name_is_named() -> None:
    with pytest.raises(ModelError, match=r"array u is not among the inputs.*shape and assumptions"):
        capture(sp.Sum(sp.IndexedBase("u")[i], (i, 0, n - 1)), [u])
