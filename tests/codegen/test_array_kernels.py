"""Functions with arrays: exact shapes, sizes checked by name, results into the caller's memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import symgraph as sg

from .conftest import Kernels, d, i, j, n, w, x

TARGETS = ["cython", "numba"]
RANDOM = np.random.default_rng(7)
DATA, WEIGHTS, WANTED = RANDOM.normal(size=(11, 3)), RANDOM.normal(size=3), RANDOM.normal(size=11)
X = sp.IndexedBase("X", shape=(n, d))


def value_and_gradient(data: Any, weights: Any, wanted: Any) -> tuple[Any, Any]:
    residual = np.asarray(data, float) @ np.asarray(weights, float) - np.asarray(wanted, float)
    return residual @ residual / len(residual), 2 * np.asarray(data, float).T @ residual / len(residual)


def check(result: Any, data: Any, weights: Any, wanted: Any) -> None:
    value, gradient = value_and_gradient(data, weights, wanted)
    assert result[0] == pytest.approx(value, rel=1e-13)
    np.testing.assert_allclose(result[1], gradient, rtol=1e-12, atol=1e-13)


READ_ONLY = DATA.copy()
READ_ONLY.flags.writeable = False
FORMS: dict[str, Any] = {
    "plain": DATA,
    "Fortran order": np.asfortranarray(DATA),
    "every other row": np.repeat(DATA, 2, axis=0)[::2],
    "reversed": DATA[::-1][::-1],
    "negative strides": DATA[::-1, ::-1][::-1, ::-1],
    "read-only": READ_ONLY,
    "other byte order": DATA.astype(">f8"),
    "unaligned": np.frombuffer(b"\0" + DATA.tobytes(), np.uint8)[1:].view(float).reshape(11, 3),
    "list": DATA.tolist(),
    "wide type": DATA.astype(np.longdouble),
    "subclass": DATA.view(np.recarray),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", FORMS)
def test_any_form_of_an_array(kernels: Kernels, target: str, name: str) -> None:
    check(kernels("regression", target=target)(FORMS[name], WEIGHTS, WANTED), DATA, WEIGHTS, WANTED)


@pytest.mark.parametrize("target", TARGETS)
def test_other_numbers_are_converted(kernels: Kernels, target: str) -> None:
    whole = np.arange(33).reshape(11, 3)
    for data in (whole, whole.astype("u1"), whole.astype("f4"), whole > 5):
        check(kernels("regression", target=target)(data, WEIGHTS, WANTED), data, WEIGHTS, WANTED)


@pytest.mark.parametrize("target", TARGETS)
def test_results_are_floats_and_new_arrays(kernels: Kernels, target: str) -> None:
    kernel = kernels("regression", target=target)
    value, gradient = kernel(DATA, WEIGHTS, WANTED)
    assert type(value) is float and gradient.dtype == np.float64 and gradient.flags.owndata
    assert kernel(DATA, WEIGHTS, WANTED)[1] is not gradient
    check(kernel(t=WANTED, X=DATA, w=WEIGHTS), DATA, WEIGHTS, WANTED)


@pytest.mark.parametrize("target", TARGETS)
def test_out(kernels: Kernels, target: str) -> None:
    kernel = kernels("regression", target=target)
    value, gradient = np.empty(()), np.empty(3)
    result = kernel(DATA, WEIGHTS, WANTED, out=(value, gradient))
    assert result[0] is value and result[1] is gradient
    check(result, DATA, WEIGHTS, WANTED)
    partly = kernel(DATA, WEIGHTS, WANTED, out=(None, gradient))
    assert type(partly[0]) is float and partly[1] is gradient


@pytest.mark.parametrize("target", TARGETS)
def test_out_may_overlap_an_argument(kernels: Kernels, target: str) -> None:
    weights = WEIGHTS.copy()
    result = kernels("regression", target=target)(DATA, weights, WANTED, out=(None, weights))
    assert result[1] is weights
    check(result, DATA, WEIGHTS, WANTED)
    data = DATA.copy()
    result = kernels("regression", target=target)(data, WEIGHTS, WANTED, out=(None, data[4]))
    check((result[0], data[4]), DATA, WEIGHTS, WANTED)


BAD_OUT = {
    "shape": (np.empty(4), r"shape \(3,\), found a float64 array of shape \(4,\)"),
    "dtype": (np.empty(3, "f4"), "found a float32 array"),
    "order": (np.empty(6)[::2], "not contiguous"),
    "byte order": (np.empty(3, ">f8"), "found a >f8 array"),
    "list": ([0.0, 0.0, 0.0], "out holds 4 arrays, expected 2"),
    "text": ("abc", "out holds a str"),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", BAD_OUT)
def test_out_that_does_not_fit(kernels: Kernels, target: str, name: str) -> None:
    out, message = BAD_OUT[name]
    with pytest.raises(sg.errors.SymgraphError, match=message):
        kernels("regression", target=target)(DATA, WEIGHTS, WANTED, out=(None, out))


@pytest.mark.parametrize("target", TARGETS)
def test_read_only_out_is_refused(kernels: Kernels, target: str) -> None:
    out = np.empty(3)
    out.flags.writeable = False
    with pytest.raises(sg.errors.SymgraphError, match="read-only"):
        kernels("regression", target=target)(DATA, WEIGHTS, WANTED, out=(None, out))


BAD = {
    "size": (
        (DATA, np.ones(4), WANTED),
        r"argument w has size 4 along axis 0 \(d\), but argument X has 3 along axis 1 \(d\)",
    ),
    "first size": (
        (DATA, WEIGHTS, np.ones(5)),
        r"argument t has size 5 along axis 0 \(n\), but argument X has 11 along axis 0 \(n\)",
    ),
    "dimensions": ((DATA[0], WEIGHTS, WANTED), r"argument X has 1 dimension, expected 2: its shape is \(n, d\)"),
    "scalar": ((DATA, 1.0, WANTED), r"argument w has 0 dimensions, expected 1: its shape is \(d,\)"),
    "complex": ((DATA, WEIGHTS, WANTED + 1j), "argument t is complex"),
    "text": ((DATA, ["a", "b", "c"], WANTED), "argument w has dtype <U1"),
    "ragged": (([[1.0, 2.0], [3.0]], WEIGHTS, WANTED), "argument X is no array"),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", BAD)
def test_bad_arguments_are_named(kernels: Kernels, target: str, name: str) -> None:
    arguments, message = BAD[name]
    with pytest.raises(sg.errors.SymgraphError, match=message):
        kernels("regression", target=target)(*arguments)


@pytest.mark.parametrize("target", TARGETS)
def test_compound_sizes_are_solved_and_checked(target: str) -> None:
    a, b = sp.IndexedBase("a", shape=(n + 1,)), sp.IndexedBase("b", shape=(n * (n + 1) / 2,))
    total = sp.Sum(a[i] - a[i + 1], (i, 0, n - 1)) + sp.Sum(b[j], (j, 0, n * (n + 1) / 2 - 1)) + n
    kernel = sg.compile(sg.function(total, inputs=[a, b], name="compound"), target=target)
    numbers, packed = RANDOM.normal(size=5), RANDOM.normal(size=10)
    assert kernel(numbers, packed) == pytest.approx(numbers[0] - numbers[-1] + packed.sum() + 4)
    message = r"argument b has size 9 along axis 0 .*expected 10: argument a has 5"
    with pytest.raises(sg.errors.SymgraphError, match=message):
        kernel(numbers, packed[:9])
    with pytest.raises(sg.errors.SymgraphError, match="argument a has size 0"):
        kernel(numbers[:0], packed)


@pytest.mark.parametrize("target", TARGETS)
def test_empty_arrays(kernels: Kernels, target: str) -> None:
    value, gradient = kernels("regression", target=target)(np.empty((4, 0)), np.empty(0), np.ones(4))
    assert value == 1.0 and gradient.shape == (0,)


@pytest.mark.parametrize("target", TARGETS)
def test_integer_arrays_are_indices(target: str) -> None:
    m = sp.Symbol("m", integer=True, positive=True)
    table, rows = sp.IndexedBase("table", shape=(m,)), sp.IndexedBase("rows", shape=(n,), integer=True)
    try:
        value = sp.Sum(table[rows[i]] ** 2, (i, 0, n - 1))
        function = sg.function(value, inputs=[table, rows], name="pick")
    except TypeError:
        pytest.fail("an integer array must be possible as an index")
    kernel = sg.compile(sg.value_and_grad(function, wrt="table"), target=target)
    numbers, picked = RANDOM.normal(size=6), np.array([0, 5, 5, 2])
    result = kernel(numbers, picked)
    assert result[0] == pytest.approx((numbers[picked] ** 2).sum())
    gradient = np.zeros(6)
    np.add.at(gradient, picked, 2 * numbers[picked])
    np.testing.assert_allclose(result[1], gradient)
    np.testing.assert_allclose(kernel(numbers, picked.astype(float))[1], gradient)
    for bad, message in [([0, 6], "argument rows holds the index 6"), ([-1, 0], "holds the index -1"),
                         ([0.5, 1], "argument rows holds 0.5")]:  # fmt: skip
        with pytest.raises(sg.errors.SymgraphError, match=message):
            kernel(numbers, np.array(bad))


@pytest.mark.parametrize("target", TARGETS)
def test_single_precision(kernels: Kernels, target: str) -> None:
    kernel = kernels("regression", target=target, dtype="float32")
    value, gradient = kernel(DATA.astype("f4"), WEIGHTS.astype("f4"), WANTED.astype("f4"))
    assert gradient.dtype == np.float32 and value == float(np.float32(value))
    np.testing.assert_allclose(gradient, value_and_gradient(DATA, WEIGHTS, WANTED)[1], rtol=2e-5)
    assert kernel(DATA, WEIGHTS, WANTED)[1].dtype == np.float32
    with pytest.raises(sg.errors.SymgraphError, match="float32 array of shape"):
        kernel(DATA, WEIGHTS, WANTED, out=(None, np.empty(3)))


@pytest.mark.parametrize("target", TARGETS)
def test_scalars_beside_arrays(target: str) -> None:
    rate = sp.Symbol("rate")
    f = sg.function(rate * sp.Sum(w[j], (j, 0, d - 1)), inputs=[w, rate], name="w_number")
    kernel = sg.compile(f, target=target)
    assert kernel([1, 2, 3], 2) == 12.0 and kernel([1.0], np.array(0.5)) == 0.5
    with pytest.raises(sg.errors.SymgraphError, match="argument rate has 1 dimension, expected a scalar"):
        kernel([1.0], [0.5])
    with pytest.raises(sg.errors.SymgraphError, match="argument rate is complex"):
        kernel([1.0], 1j)


@pytest.mark.parametrize("target", TARGETS)
def test_a_function_without_arguments(target: str) -> None:
    kernel = sg.compile(sg.function([sp.pi, sp.Integer(2)], inputs=[], name="constants"), target=target)
    assert kernel() == (3.141592653589793, 2)


@pytest.mark.parametrize("target", TARGETS)
def test_array_of_scalars(target: str) -> None:
    turn = sp.Matrix([[sp.cos(x), -sp.sin(x)], [sp.sin(x), sp.cos(x)]])
    kernel = sg.compile(sg.function(turn, inputs=[x], name="turn"), target=target)
    np.testing.assert_allclose(kernel(0.5), [[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
    out = np.empty((2, 2))
    assert kernel(0.5, out=out) is out


def test_large_scratch_lives_in_one_arena() -> None:
    k = sp.Symbol("k", integer=True)
    a = sp.IndexedBase("a", shape=(n,))
    softmax = sp.log(sp.Sum(sp.exp(a[k]), (k, 0, n - 1)))
    kernel = sg.compile(sg.hessian(sg.function(softmax, inputs=[a], name="lse"), wrt="a"))
    numbers = RANDOM.normal(size=40)
    p = np.exp(numbers) / np.exp(numbers).sum()
    np.testing.assert_allclose(kernel(numbers), np.diag(p) - np.outer(p, p), atol=1e-15)
    body = kernel.source.partition("cdef int hessian_lse_body")[2]
    assert body.count("malloc(") == body.count("free(arena)") == 1


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_give_the_same_bits(kernels: Kernels, threads: int) -> None:
    a = sp.IndexedBase("a", shape=(n, d))
    k = sp.Symbol("k", integer=True)
    total = sp.Sum(sp.exp(a[i, k]) * sp.sin(a[i, k]), (i, 0, n - 1), (k, 0, d - 1))
    slope = sg.grad(sg.function(total, inputs=[a]), wrt="a")
    rows, exact = (sg.compile(slope, exact=exact, threads=threads) for exact in (False, True))
    numbers = RANDOM.normal(size=(500, 40))
    expected = np.exp(numbers) * (np.sin(numbers) + np.cos(numbers))
    np.testing.assert_allclose(exact(numbers), expected, rtol=1e-12)
    # the vector functions are right to 4 units each; where sine and cosine cancel, that is units of either
    found = rows(numbers)
    either = np.exp(numbers) * (np.abs(np.sin(numbers)) + np.abs(np.cos(numbers)))
    assert np.all(np.abs(found - expected) <= 12 * np.finfo(float).eps * either)
    np.testing.assert_array_equal(found, rows(numbers))
