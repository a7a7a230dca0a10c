"""Functions of scalars: real ufuncs that broadcast as NumPy does, and an entry for Python numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy as sp

import symgraph as sg

from .conftest import Kernels

TARGETS = ["cython", "numba"]
x, y, z = sp.symbols("x y z")


def expected(x: Any, y: Any, z: Any) -> tuple[Any, ...]:
    x, y, z = np.broadcast_arrays(*(np.asarray(a, dtype=float) for a in (x, y, z)))
    return (x + y) * z + np.exp(x), z + np.exp(x), z, x + y


def check(result: Any, arguments: tuple[Any, ...]) -> None:
    value, gradient = result
    for found, wanted in zip((value, *gradient), expected(*arguments), strict=True):
        assert np.shape(found) == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("target", TARGETS)
def test_python_numbers_give_python_numbers(kernels: Kernels, target: str) -> None:
    kernel = kernels("textbook", target=target)
    for arguments in [(1.0, 3.0, -3.0), (1, 3, -3), (np.float64(1), np.int32(3), np.float32(-3)), (True, 3, -3)]:
        result = kernel(*arguments)
        check(result, arguments)
        assert type(result[0]) is float and all(type(r) is float for r in result[1])


GRID = np.linspace(-1, 1, 37)
READ_ONLY = GRID.copy()
READ_ONLY.flags.writeable = False
ARRAYS: dict[str, tuple[Any, ...]] = {
    "one size": (GRID, GRID + 1, GRID * 2),
    "scalars and arrays": (GRID, 2, -0.5),
    "zero dimensions": (np.array(0.5), np.array(1.0), 2.0),
    "empty": (np.empty(0), np.empty(0), 1.0),
    "empty with a shape": (np.empty((3, 0)), 1.0, np.empty((3, 1))),
    "outer": (GRID[:, None], GRID[None, :5], 1.5),
    "strided": (GRID[::2], GRID[::-2], GRID[1:20]),
    "reversed": (GRID[::-1], GRID, GRID[::-1]),
    "read-only": (READ_ONLY, READ_ONLY, READ_ONLY),
    "other byte order": (GRID.astype(">f8"), GRID.astype(">f4").astype(">f8"), GRID),
    "single precision": (GRID.astype("f4").astype(float).astype("f4"), np.float32(0.25), np.ones(37, "f4")),
    "integers": (np.arange(-3, 4), np.arange(7, dtype="u1"), np.arange(7, dtype="i2")),
    "truth values": (np.array([True, False]), 1.0, np.array([1.5, 2.5])),
    "lists": ([0.5, 1.0], [[1], [2]], (3, 4)),
    "Fortran order": (np.asfortranarray(np.outer(GRID, GRID)), 1.0, np.outer(GRID, GRID)),
    "unaligned": (np.frombuffer(b"\0" + GRID.tobytes(), dtype=np.uint8)[1:].view(float), GRID, GRID),
    "long": (np.linspace(-2, 2, 100_003), 1.0, 2.0),
    "wide type": (GRID.astype(np.longdouble), GRID, GRID),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_broadcast(kernels: Kernels, target: str, name: str) -> None:
    check(kernels("textbook", target=target)(*ARRAYS[name]), ARRAYS[name])


@pytest.mark.parametrize("count", range(20))
def test_every_tail_length_agrees_with_whole_vectors(kernels: Kernels, count: int) -> None:
    kernel = kernels("mixed")
    a, b = np.linspace(-1, 2, 64), np.linspace(3, -3, 64)
    whole = kernel(a, b)
    np.testing.assert_array_equal(kernel(a[:count], b[:count]), whole[:count])
    np.testing.assert_array_equal([kernel(float(p), float(q)) for p, q in zip(a, b, strict=True)], whole)
    out = np.full(count + 1, 7.0)
    kernel(a[:count], b[:count], out=out[:count])
    assert out[count] == 7.0


@pytest.mark.parametrize("apart", [1, 2, 3])
def test_whole_vectors_and_elements_apart_give_the_same_bits(kernels: Kernels, apart: int) -> None:
    kernel = kernels("textbook")
    random = np.random.default_rng(5)
    whole = [random.normal(size=41) for _ in range(3)]
    whole[0][[0, 8, 40]] = np.nan, np.inf, -np.inf
    spread = [np.repeat(a, apart)[::apart] for a in whole]
    turned = [np.ascontiguousarray(a[::-1])[::-1] for a in whole]
    wanted = kernel(*whole)
    for arrays in (spread, turned, [spread[0], whole[1], turned[2]]):
        value, gradient = kernel(*arrays)
        for found, expected in zip((value, *gradient), (wanted[0], *wanted[1]), strict=True):
            np.testing.assert_array_equal(found, expected)
    square = [a[:40].reshape(5, 8) for a in whole]
    for found, expected in zip(kernel(*square)[1], wanted[1], strict=True):
        np.testing.assert_array_equal(found, expected[:40].reshape(5, 8))
    for found, expected in zip(kernel(*[np.asfortranarray(a) for a in square])[1], wanted[1], strict=True):
        np.testing.assert_array_equal(found, expected[:40].reshape(5, 8))
    for position in range(3):  # a number for one of the operands: the same as an array that repeats it
        number: list[Any] = list(whole)
        number[position] = 0.75
        repeated = list(whole)
        repeated[position] = np.full(41, 0.75)
        np.testing.assert_array_equal(kernel(*number)[0], kernel(*repeated)[0])


@pytest.mark.parametrize("target", TARGETS)
def test_out_fills_the_callers_arrays(kernels: Kernels, target: str) -> None:
    kernel = kernels("textbook", target=target)
    flat = tuple(np.empty(37) for _ in range(4))
    result = kernel(GRID, 2.0, GRID, out=flat)
    assert result[0] is flat[0] and result[1][2] is flat[3]
    check(result, (GRID, 2.0, GRID))
    nested = kernel(GRID, 2.0, GRID, out=(flat[0], (None, flat[2], None)))
    assert nested[1][1] is flat[2]
    check(nested, (GRID, 2.0, GRID))
    add = kernels("add", target=target)
    strided = np.zeros(74)[::2]
    assert add(GRID, 1, out=strided) is strided
    np.testing.assert_array_equal(strided, GRID + 1)
    zero = np.empty(())
    assert add(1.0, 2.0, out=zero) is zero and zero == 3.0


@pytest.mark.parametrize("target", TARGETS)
def test_out_may_be_an_argument(kernels: Kernels, target: str) -> None:
    add = kernels("add", target=target)
    for ahead, behind in [((0, 50), (0, 50)), ((0, 49), (1, 50)), ((1, 50), (0, 49))]:
        memory = np.arange(50.0)
        wanted = memory[slice(*ahead)] + 1
        add(memory[slice(*ahead)], 1.0, out=memory[slice(*behind)])
        np.testing.assert_array_equal(memory[slice(*behind)], wanted)


def test_methods_of_the_ufunc_work(kernels: Kernels) -> None:
    ufunc = kernels("add").ufunc
    values = np.arange(100.0)
    assert isinstance(ufunc, np.ufunc) and ufunc.types == ["dd->d"]
    np.testing.assert_array_equal(ufunc.accumulate(values), np.cumsum(values))
    assert ufunc.reduce(values) == values.sum()
    np.testing.assert_array_equal(ufunc.outer(values[:3], values[:4]), np.add.outer(values[:3], values[:4]))
    where = ufunc(values, values, where=values > 50, out=np.zeros(100))
    np.testing.assert_array_equal(where, np.where(values > 50, 2 * values, 0))


@pytest.mark.parametrize("target", TARGETS)
def test_keyword_arguments(kernels: Kernels, target: str) -> None:
    check(kernels("textbook", target=target)(z=GRID, x=1.0, y=2), (1.0, 2, GRID))
    with pytest.raises(TypeError):
        kernels("textbook", target=target)(1.0, 2.0)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1j, 2.0, 3.0), "argument x is complex"),
        ((1.0, np.ones(2) + 0j, 3.0), "argument y is complex"),
        ((1.0, 2.0, "three"), "argument z has dtype <U5"),
        ((1.0, None, 3.0), "argument y has dtype object"),
        ((10**400, 1.0, 1.0), "argument x is an integer that is too large"),
        ((np.ones(3), np.ones(4), 1.0), r"\(3,\), \(4,\), \(\)"),
        (([1.0, [2.0]], 1.0, 1.0), "argument x is no array"),
    ],
)
def test_bad_arguments_are_named(kernels: Kernels, target: str, arguments: Any, message: str) -> None:
    with pytest.raises(sg.errors.SymgraphError, match=message):
        kernels("textbook", target=target)(*arguments)


@pytest.mark.parametrize("target", TARGETS)
def test_bad_out_is_refused(kernels: Kernels, target: str) -> None:
    kernel = kernels("textbook", target=target)
    with pytest.raises(sg.errors.SymgraphError, match="out holds 1 array, expected 4"):
        kernel(GRID, 1.0, 1.0, out=np.empty(37))
    with pytest.raises(sg.errors.SymgraphError, match=r"out holds a list|out holds a str"):
        kernel(GRID, 1.0, 1.0, out=("a", None, None, None))
    for bad in (np.empty(36), np.empty(37, dtype=int), READ_ONLY):
        with pytest.raises(sg.errors.SymgraphError):
            kernel(GRID, 1.0, 1.0, out=(bad, None, None, None))


@pytest.mark.parametrize("target", TARGETS)
def test_outputs_that_are_inputs_or_constants(target: str) -> None:
    kernel = sg.compile(sg.function({"same": x, "two": sp.Integer(2), "pi": sp.pi}, inputs=[x, y]), target=target)
    assert kernel(1.5, 0.0) == {"same": 1.5, "two": 2, "pi": math.pi}
    result = kernel(GRID, 0.0)
    np.testing.assert_array_equal(result["same"], GRID)
    np.testing.assert_array_equal(result["pi"], np.full(37, math.pi))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("count", [40, 70])
def test_many_arguments(target: str, count: int) -> None:
    names = sp.symbols(f"a:{count}")
    kernel = sg.compile(sg.function([sp.Add(*names), names[0] * names[-1]], inputs=names), target=target)
    numbers = [float(k) for k in range(count)]
    assert kernel(*numbers) == (sum(numbers), 0.0)
    columns = np.add.outer(np.arange(5.0), numbers)
    total, product = kernel(*columns.T)
    np.testing.assert_allclose(total, columns.sum(axis=1))
    np.testing.assert_allclose(product, columns[:, 0] * columns[:, -1])
    out = (np.empty((2, 5)), None)
    result = kernel(np.zeros((2, 1)), *columns.T[1:], out=out)
    assert result[0] is out[0]
    np.testing.assert_allclose(out[0], np.tile(columns[:, 1:].sum(axis=1), (2, 1)))
    with pytest.raises(sg.errors.SymgraphError, match="broadcast"):
        kernel(np.ones(2), np.ones(3), *numbers[2:])


@pytest.mark.parametrize("target", TARGETS)
def test_integer_arguments_stay_exact(target: str) -> None:
    m, k = sp.symbols("m k", integer=True)
    kernel = sg.compile(sg.function([m * k + 1, sp.Max(m, k), x / m], inputs=[m, k, x]), target=target)
    big = 2**53 + 1
    assert kernel(big, 1, 1.0)[:2] == (big + 1, big)
    assert type(kernel(3, 2, 1.0)[0]) is int
    assert kernel(np.array([big]), 1, 1.0)[0][0] == big + 1
    assert kernel(4.0, 2, 1.0) == (9, 4, 0.25)
    for bad, message in [(2.5, "argument m holds 2.5"), (2**64, "64 bits"), (np.array([1.5]), "argument m holds 1.5")]:
        with pytest.raises(sg.errors.SymgraphError, match=message):
            kernel(bad, 1, 1.0)


@pytest.mark.parametrize("target", TARGETS)
def test_single_precision(target: str) -> None:
    third = sp.Rational(1, 3)
    kernel = sg.compile(sg.function(third * x + sp.pi, inputs=[x]), target=target, dtype="float32")
    values = np.linspace(-1, 1, 33, dtype=np.float32)
    result = kernel(values)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, values / np.float32(3) + np.float32(np.pi), rtol=3e-7)
    assert kernel(values.astype(float)).dtype == np.float32
    assert type(kernel(1.0)) is float and kernel(1.0) == float(np.float32(kernel(1.0)))
    assert kernel([1, 2]).dtype == np.float32


def test_quotients_of_sums_in_single_precision() -> None:
    a, b = sp.Rational(87, 32), sp.Rational(83, 32)  # numbers that stand behind the variable
    quotients = [1 / (y + a), (x + 1) / (y + 3), (x + b) / y, 3 / (2 * y), (x / 3) / (y / 5 + 7), (y + 5) ** -3]
    for dtype in ("float32", "float64"):
        kernel = sg.compile(sg.function(quotients, inputs=[x, y]), dtype=dtype)
        points = np.linspace(0.5, 3, 17), np.linspace(1, 4, 17)
        for found, quotient in zip(kernel(*points), quotients, strict=True):
            wanted = [float(quotient.subs({x: a, y: b})) for a, b in zip(*points, strict=True)]
            np.testing.assert_allclose(found, wanted, rtol=8 * np.finfo(dtype).eps)


def test_no_floating_point_flags_reach_numpy(kernels: Kernels) -> None:
    """Values follow IEEE 754 in silence: lanes of padding and branches that are not taken must not warn."""
    inverse = sg.compile(sg.function(1 / x, inputs=[x]))
    with np.errstate(all="raise"):
        for count in range(1, 12):
            inverse(np.full(count, 3.0))
        np.testing.assert_array_equal(inverse(np.array([1.0, 0.0])), [1.0, np.inf])
        kernels("mixed")(np.linspace(-1, 1, 11), 0.0)


@pytest.mark.parametrize("target", TARGETS)
def test_special_values_follow_ieee(kernels: Kernels, target: str) -> None:
    kernel = kernels("mixed", target=target)
    with np.errstate(all="ignore"):
        assert math.isnan(kernel(math.nan, 1.0)) and math.isnan(kernel(1.0, math.nan))
        assert kernel(math.inf, 0.0) != kernel(-math.inf, 1.0)
    assert math.copysign(1, sg.compile(sg.function(x, inputs=[x]), target=target)(-0.0)) == -1


def test_scipy_functions_are_called() -> None:
    kernel = sg.compile(sg.function([sp.digamma(x), sp.besselj(0, x)], inputs=[x]))
    import scipy.special

    points = np.linspace(0.5, 5, 9)
    digamma, bessel = kernel(points)
    np.testing.assert_allclose(digamma, scipy.special.psi(points), rtol=1e-14)
    np.testing.assert_allclose(bessel, scipy.special.jv(0, points), rtol=1e-13)
    assert kernel(2.0)[0] == scipy.special.psi(2.0)


def test_exact_kernels_call_the_c_library() -> None:
    kernel = sg.compile(sg.function(sp.exp(x) * sp.sin(x), inputs=[x]), exact=True)
    points = np.linspace(-5, 5, 101)
    np.testing.assert_array_equal(kernel(points), [math.exp(p) * math.sin(p) for p in points])


@pytest.mark.parametrize(
    "name",
    ["lambda", "x.y", "exp", "i", "count", "out", "operands", "λ", "Ⅳ", "real", "Callable", "sizeof", "same_shape"],
)
def test_any_name_of_an_argument(name: str) -> None:
    strange, other = sp.Symbol(name), sp.Symbol("exp_" if name == "exp" else "y")
    kernel = sg.compile(sg.function(sp.exp(strange) + 2 * other, inputs=[strange, other], name=name))
    assert kernel(0.0, 3.0) == pytest.approx(7.0)
    np.testing.assert_allclose(kernel(np.zeros(9), 3.0), 7.0)
    parameter = next(iter(kernel.signature.parameters))
    assert kernel(**{parameter: 0.0}, **{list(kernel.signature.parameters)[1]: 3.0}) == pytest.approx(7.0)
