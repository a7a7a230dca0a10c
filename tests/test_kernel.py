"""What sg.compile returns: description, pickling, callbacks from SciPy, and the interpreter lock."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
import threading
import time

import numpy as np
import pytest
import scipy.integrate
import scipy.ndimage
import sympy as sp

import symgraph as sg

x, y, z = sp.symbols("x y z")
i, n = sp.Symbol("i", integer=True), sp.Symbol("n", integer=True, positive=True)
a = sp.IndexedBase("a", shape=(n,))


@pytest.fixture(scope="module")
def gaussian() -> sg.Kernel:
    return sg.compile(sg.function(sp.exp(-(x**2)), inputs=[x], name="gaussian"))


@pytest.fixture(scope="module")
def total() -> sg.Kernel:
    return sg.compile(sg.function(sp.Sum(sp.exp(sp.sin(a[i])), (i, 0, n - 1)), inputs=[a], name="total"))


def test_a_kernel_describes_itself(gaussian: sg.Kernel, total: sg.Kernel) -> None:
    assert isinstance(gaussian, sg.Kernel) and isinstance(total, sg.Kernel)
    assert repr(gaussian) == "<symgraph.Kernel gaussian(x, *, out=None) target='cython', dtype='float64'>"
    assert inspect.signature(total) == total.signature
    assert list(total.signature.parameters) == ["a", "out"]
    assert total.path.exists() and total.source == total.path.read_text(encoding="utf-8")
    assert "# total" in total.source or "total" in total.source
    text = pydoc.plain(pydoc.render_doc(total))
    assert "a: float64 array of shape (n,)" in text and "total: float64" in text
    assert gaussian.ufunc.nin == 1 and total.ufunc is None
    assert callable(gaussian) and gaussian.name == "gaussian"


@pytest.mark.parametrize("target", ["cython", "numba"])
def test_pickling(target: str) -> None:
    kernel = sg.compile(sg.function(sp.exp(-(x**2)), inputs=[x], name="gaussian"), target=target, dtype="float32")
    for other in (pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel)):
        assert other(0.5) == kernel(0.5) and other.graph.outputs[0].node is kernel.graph.outputs[0].node
        assert (other.target, other.dtype, other.path) == (target, "float32", kernel.path)


def test_quad_calls_the_compiled_code(gaussian: sg.Kernel) -> None:
    value, _ = scipy.integrate.quad(gaussian.low_level_callable(), -np.inf, np.inf)
    assert value == pytest.approx(np.sqrt(np.pi), rel=1e-12)
    plane = sg.compile(sg.function(x * y**2, inputs=[x, y], name="plane")).low_level_callable()
    assert scipy.integrate.quad(plane, 0, 2, args=(3.0,))[0] == pytest.approx(18.0)
    assert scipy.integrate.nquad(plane, [[0, 2], [0, 3]])[0] == pytest.approx(18.0)


def test_ndimage_calls_the_compiled_code() -> None:
    left, middle, right = sp.symbols("left middle right")
    kernel = sg.compile(sg.function(sp.Max(left, middle, right) - middle, inputs=[left, middle, right], name="top"))
    image = np.random.default_rng(1).normal(size=(9, 11))
    found = scipy.ndimage.generic_filter(image, kernel.low_level_callable("filter"), size=(1, 3))
    np.testing.assert_array_equal(found, scipy.ndimage.maximum_filter(image, size=(1, 3)) - image)


def test_what_cannot_be_called_back_says_why(gaussian: sg.Kernel, total: sg.Kernel) -> None:
    several = sg.compile(sg.function([x, y], inputs=[x, y]))
    single = sg.compile(sg.function(x, inputs=[x]), dtype="float32")
    count = sg.compile(sg.function(n * 1.0 * x, inputs=[n, x]))
    for kernel, message in [
        (total, "the argument a is an array"), (several, "it has 2 outputs"), (single, "dtype='float64'"),
        (count, "the argument n is no float"),
    ]:  # fmt: skip
        with pytest.raises(sg.errors.UnsupportedError, match=message):
            kernel.low_level_callable()
    with pytest.raises(sg.errors.UnsupportedError, match="use one of integrand, filter"):
        gaussian.low_level_callable("callback")


def test_a_long_call_lets_other_threads_run(total: sg.Kernel) -> None:
    numbers = np.linspace(0, 1, 20_000_000)
    ticks = 0
    done = threading.Event()

    def work() -> None:
        total(numbers)
        done.set()

    thread = threading.Thread(target=work)
    start = time.perf_counter()
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    assert time.perf_counter() - start > 0.02 and ticks > 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "fortran"}, "no target 'fortran': use one of cython, numba"),
        ({"dtype": "float16"}, "dtype 'float16' is not known"),
        ({"threads": 0}, "threads must be an integer from 1 up"),
    ],
)
def test_unknown_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(sg.errors.UnsupportedError, match=message):
        sg.compile(sg.function(x, inputs=[x]), **options)  # type: ignore[arg-type]


def test_only_functions_are_compiled() -> None:
    with pytest.raises(sg.errors.ModelError, match="compile takes a Function, got Symbol"):
        sg.compile(x)  # type: ignore[arg-type]


def test_an_operation_that_a_target_lacks_is_named() -> None:
    order = sp.Symbol("order")  # a polygamma function of an order that is not known has no compiled form
    with pytest.raises(sg.errors.UnsupportedError, match="polygamma"):
        sg.compile(sg.function(sp.polygamma(order, x), inputs=[order, x]), target="numba")


@pytest.mark.parametrize("count", [0, 1, 4095, 4096, 4097, 100_003])
def test_threads_of_an_elementwise_kernel_give_the_same_bits(count: int) -> None:
    x, y = sp.symbols("x y")
    f = sg.value_and_grad(sg.function(sp.exp(-(x**2)) * sp.sin(x * y), inputs=[x, y]))
    one, two = sg.compile(f), sg.compile(f, threads=2)
    a, b = np.random.default_rng(1).normal(size=(2, count))
    for left, right in zip(flat(one(a, b)), flat(two(a, b)), strict=True):
        np.testing.assert_array_equal(left, right)


def test_numba_refuses_threads() -> None:
    x = sp.Symbol("x")
    with pytest.raises(sg.errors.UnsupportedError, match="numba"):
        sg.compile(sg.function(x), target="numba", threads=2)


def flat(result: object) -> list[object]:
    return [leaf for part in result for leaf in flat(part)] if isinstance(result, tuple) else [result]
