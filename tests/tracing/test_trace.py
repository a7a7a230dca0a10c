"""Tracing: declarations of arguments, derivatives and kernels, SymPy inside, Functions inside, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special
import sympy as sp

import symgraph as sg
from symgraph.errors import ModelError, ShapeError, UnsupportedError

X = np.array([[0.3, -1.2, 0.7], [1.1, 0.4, -0.5], [0.2, 0.9, 1.3], [-0.8, 0.6, 0.1]])
W = np.array([0.5, -0.3, 0.8])
V = np.array([[0.2, 0.5, -0.4], [-0.7, 0.1, 0.3], [0.6, -0.2, 0.9]])
K = np.array([2, 0, 1, 0])


# ------------------------------------------------------------------------------------------------------- declarations
def test_decorator_with_annotations() -> None:
    @sg.trace
    def loss(X: "n, d", w: "d", t: "n") -> Any:  # type: ignore[name-defined]  # noqa: F821, UP037
        return np.mean((X @ w - t) ** 2)

    assert isinstance(loss, sg.Function)
    assert str(loss) == "loss(X[n, d], w[d], t[n]) -> loss"
    assert loss(X, W, np.ones(4)) == pytest.approx(np.mean((X @ W - 1) ** 2), rel=1e-15)


def test_decorator_with_shapes_and_a_name() -> None:
    @sg.trace(name="energy", x=("n", 3))
    def anything(x, k=2.0):  # type: ignore[no-untyped-def]
        return k * (x**2).sum()

    assert anything.name == "energy" and anything.inputs == ("x",)
    assert anything(X) == pytest.approx(2 * (X**2).sum(), rel=1e-15)


def test_shapes_of_given_arrays() -> None:
    f = sg.trace(lambda x, k, c: x[k] * c, x=X, k=K, c=1.0)
    np.testing.assert_allclose(f(X, K, 2.0), 2 * X[K])
    assert str(f.graph.inputs[0].axes[0].size) == "4"


def test_nested_arguments_and_results() -> None:
    def layers(params: Any, x: Any) -> Any:
        for w, b in params["hidden"]:
            x = np.tanh(x @ w + b)
        return {"out": x @ params["last"], "norm": [np.linalg.norm(x)]}

    f = sg.trace(
        layers, x="n, 3", params={"hidden": [("3, h", "h"), ("h, 3", "3")], "last": "3"}
    )
    assert f.inputs == (
        "params_hidden_0_0", "params_hidden_0_1", "params_hidden_1_0", "params_hidden_1_1", "params_last", "x",
    )  # fmt: skip
    b = np.array([0.1, 0.2, 0.3])
    found = f(V, b, V.T, -b, W, X)
    expected = layers({"hidden": [(V, b), (V.T, -b)], "last": W}, X)
    np.testing.assert_allclose(found["out"], expected["out"], rtol=1e-14)
    np.testing.assert_allclose(found["norm"][0], expected["norm"][0], rtol=1e-14)


def test_keyword_only_and_fixed_arguments() -> None:
    def f(x: Any, *, power: int = 3, scale: Any) -> Any:
        return scale * x**power

    traced = sg.trace(f, scale="")
    assert traced.inputs == ("x", "scale") and traced(2.0, 10.0) == 80.0


def test_sizes_stay_symbolic() -> None:
    f = sg.trace(lambda x: x.reshape(-1).sum() / x.size, x="n, d")
    for shape in ((2, 3), (5, 1)):
        assert f(np.ones(shape)) == 1.0


@pytest.mark.parametrize("text", ["n; d", "f128[n]", "n, d]", "n**2", "__import__('os')"])
def test_bad_declarations_are_refused(text: str) -> None:
    with pytest.raises(ModelError, match="argument x"):
        sg.trace(lambda x: x, x=text)


def test_unknown_argument() -> None:
    with pytest.raises(ModelError, match=r"no argument 'y'.*arguments are x"):
        sg.trace(lambda x: x, y="n")


# ------------------------------------------------------------------------------------------------ derivatives, kernels
ANALYTIC = {
    "network": lambda x, w, v: np.sum(np.tanh(np.tanh(x @ v) @ v.T + x) @ w),
    "normalised": lambda x, w, v: np.sum(((x - x.mean(axis=0)) / (1 + (x * x).sum(axis=1))[:, None]) @ (v @ w)),
    "attention": lambda x, w, v: np.sum(np.exp(x @ v @ x.T) / np.exp(x @ v @ x.T).sum(axis=1, keepdims=True) @ x @ w),
    "gathered": lambda x, w, v: np.sum(np.exp(x[K][:, ::-1]) @ w * x[np.array([0, 0, 3, 1]), 1]),
    "joined": lambda x, w, v: np.sum(np.sin(np.concatenate([x, v]) @ w) * np.arange(7)) + np.stack([w, w * w])[1, 2],
    "moved": lambda x, w, v: np.sum(np.roll(x, 1, axis=1).reshape(2, 6) ** 2 @ np.repeat(w, 2)) + np.cumsum(w)[1],
    "pairs": lambda x, w, v: np.sum(np.triu(1 / (1 + ((x[:, None] - x[None]) ** 2).sum(-1)), 1)),
    "contracted": lambda x, w, v: np.einsum("ij,jk,k->", x, np.exp(v), w) + np.trace(v @ v) + np.kron(w, w).sum(),
}


@pytest.fixture(scope="module")
def gradients() -> dict[str, list[np.ndarray]]:
    """By complex steps through NumPy itself, which knows nothing of symgraph."""
    step = 1e-30
    found: dict[str, list[np.ndarray]] = {}
    for name, function in ANALYTIC.items():
        found[name] = []
        for position in range(3):
            arguments = [a.astype(complex) for a in (X, W, V)]
            slope = np.zeros(arguments[position].shape)
            for place in np.ndindex(slope.shape):
                shifted = [a.copy() for a in arguments]
                shifted[position][place] += 1j * step
                slope[place] = function(*shifted).imag / step
            found[name].append(slope)
    return found


@pytest.mark.parametrize("name", ANALYTIC)
def test_gradients(name: str, gradients: dict[str, list[np.ndarray]]) -> None:
    f = sg.trace(ANALYTIC[name], name="f", x="4, d", w="d", v="d, d") if name not in _SIZED else _sized(name)
    value, slopes = sg.value_and_grad(f)(X, W, V)
    assert value == pytest.approx(ANALYTIC[name](X, W, V), rel=1e-14)
    for slope, expected in zip(slopes, gradients[name], strict=True):
        np.testing.assert_allclose(slope, expected, rtol=1e-12, atol=1e-13)


_SIZED = ("gathered", "joined", "moved")  # these name positions, so that sizes are numbers


def _sized(name: str) -> sg.Function:
    return sg.trace(ANALYTIC[name], name="f", x="4, 3", w="3", v="3, 3")


def test_one_kernel_of_traced_functions(gradients: dict[str, list[np.ndarray]]) -> None:
    f = sg.trace(lambda x, w, v: sum(g(x, w, v) for g in ANALYTIC.values()), name="total", x="4, 3", w="3", v="3, 3")
    value, slopes = sg.compile(sg.value_and_grad(f))(X, W, V)
    assert value == pytest.approx(sum(g(X, W, V) for g in ANALYTIC.values()), rel=1e-13)
    for position, slope in enumerate(slopes):
        expected = sum(gradients[name][position] for name in ANALYTIC)
        np.testing.assert_allclose(slope, expected, rtol=1e-12, atol=1e-13)


# ------------------------------------------------------------------------------------------------------- SymPy inside
def test_sympy_functions_of_traced_scalars() -> None:
    f = sg.trace(lambda x, y: sp.sin(x) * y + sp.pi * x, name="f")
    assert f(0.5, 2.0) == pytest.approx(np.sin(0.5) * 2 + np.pi * 0.5, rel=1e-15)
    assert sg.grad(f, "x")(0.5, 2.0) == pytest.approx(2 * np.cos(0.5) + np.pi, rel=1e-15)


def test_sympy_numbers_beside_arrays() -> None:
    f = sg.trace(lambda x: sp.sqrt(2) * x + x * sp.Rational(1, 3), x="n")
    np.testing.assert_allclose(f(W), W * (np.sqrt(2) + 1 / 3), rtol=1e-15)


def test_unknown_symbols_are_named() -> None:
    with pytest.raises(ModelError, match="symbol q in a traced function is none of its arguments"):
        sg.trace(lambda x: x * sp.Symbol("q"), x="n")


# -------------------------------------------------------------------------------------------------- special points
def test_removable_singularities_have_their_limit() -> None:
    f = sg.trace(lambda x: np.sin(x) / x + np.expm1(x) / x, name="f")
    first = sg.grad(f, "x")
    # sin(x)/x = 1 - x**2/6 + ..., (exp(x) - 1)/x = 1 + x/2 + x**2/6 + ...
    assert f(0.0) == 2.0 and first(0.0) == 0.5
    assert sg.grad(first, "x")(0.0) == pytest.approx(0.0, abs=1e-15)


# ------------------------------------------------------------------------------------------------------------ refusals
def _assign(x: Any) -> Any:
    x[0] = 1.0
    return x


def _branch(x: Any) -> Any:
    return x if x > 0 else -x


REFUSED = [
    (_assign, "n", r"assignment to elements.*np\.where.*test_trace\.py, line \d+: x\[0\] = 1\.0"),
    (_branch, "", r"truth of a traced value.*np\.where.*line \d+: return x if x > 0 else -x"),
    (lambda x: x[x > 0], "n", "index of truth values gives a shape that depends on the data"),
    (lambda x: float(x.sum()), "n", r"leave out float\(\)"),
    (lambda x: np.sort(x), "n", "numpy.sort has no translation"),
    (lambda x: [row for row in x], "n", "size n is symbolic"),
    (lambda x: x[: x.sum()], "n", "slice up to a traced value"),
    (lambda x: x[0.5], "n", "not an integer"),
    (lambda x: x[7], "3", "index 7 is outside of dimension 0 of size 3"),
    (lambda x: x.reshape(5), "2, 3", r"\(2, 3\) cannot become \(5,\)"),
    (lambda x: x + np.ones(4), "3", "sizes 3 and 4 differ"),
    (lambda x: x @ x, "n, d", "sizes d and n differ.*declared with equal names"),
    (lambda x: x @ x, "", "declare the shapes"),
    (lambda x: np.asarray(x), "n", "cannot become a NumPy array"),
    (lambda x: x + 1j, "n", "real"),
    (lambda x: x * np.arange(2000), "2000", "is data, so that it is to be an argument"),
    (lambda x: np.exp(x, out=np.zeros(3)), "3", "use the result that it returns"),
    (lambda x: None, "n", "returns None"),
    (lambda x: np.frexp(x), "n", "frexp has no operation"),
    (lambda x: scipy.special.struve(1, x), "n", "struve has no operation"),
    (lambda x: np.zeros(x.shape), "n, 2", "symbolic"),
    (lambda x: x.nothing(), "n", "no attribute 'nothing'"),
]


@pytest.mark.parametrize(("function", "shape", "message"), REFUSED, ids=[m[:30] for _, _, m in REFUSED])
def test_refused(function: Any, shape: str, message: str) -> None:
    errors = (UnsupportedError, ShapeError, AttributeError)
    with pytest.raises(errors, match=f"(?s){message}"):
        sg.trace(function, name="f", x=shape)


def test_array_of_another_trace() -> None:
    kept: list[Any] = []
    sg.trace(lambda x: kept.append(x) or x, x="n")
    with pytest.raises(UnsupportedError, match="another"):
        sg.trace(lambda x: x + kept[0], x="n")


# --------------------------------------------------------------------------------------------------------------- scale
def test_deep_functions() -> None:
    def deep(x: Any) -> Any:
        for k in range(20_000):
            x = x + np.sin(x) * (1 / (k + 1))
        return x

    f = sg.trace(deep)
    assert f(0.25) == pytest.approx(deep(0.25), rel=1e-12)


def test_many_layers() -> None:
    def network(x: Any, w: Any) -> Any:
        for _ in range(300):
            x = np.tanh(x @ w) + x
        return x.sum()

    f = sg.trace(network, x="n, d", w="d, d")
    assert f(X, V / 10) == pytest.approx(network(X, V / 10), rel=1e-12)


# ------------------------------------------------------------------------------------ functions inside of functions
def _ridge() -> sg.Function:
    return sg.trace(lambda A, v, y: np.mean((A @ v - y) ** 2) + 0.1 * v @ v, name="ridge", A="n, d", v="d", y="n")


def test_a_gradient_step_is_one_kernel() -> None:
    slope = sg.value_and_grad(_ridge(), wrt="v")

    @sg.trace(x="m, p", w="p", t="m", rate="")
    def step(x: Any, w: Any, t: Any, rate: Any) -> Any:
        loss, gradient = slope(x, w, t)
        return w - rate * gradient, loss

    target = np.array([1.0, -1.0, 0.5, 2.0])
    residual = X @ W - target
    expected = W - 0.05 * (2 * X.T @ residual / 4 + 0.2 * W)
    for run in (step, sg.compile(step)):
        moved, loss = run(X, W, target, 0.05)
        np.testing.assert_allclose(moved, expected, rtol=1e-14)
        assert loss == pytest.approx(np.mean(residual**2) + 0.1 * W @ W, rel=1e-14)


def test_a_function_of_scalars_broadcasts_inside() -> None:
    a, b = sp.symbols("a b")
    i = sp.Symbol("i", integer=True)
    series = sg.function(sp.Sum(a**i / sp.factorial(i), (i, 0, 5)) * b, [a, b], name="series")
    f = sg.trace(lambda x, w: series(x, w).sum(axis=0) + series(w, 1.0), x="n, d", w="d")
    terms = [1, 1, 2, 6, 24, 120]

    def power_series(values: np.ndarray) -> np.ndarray:
        return sum(values**k / terms[k] for k in range(6))

    np.testing.assert_allclose(f(X, W), (power_series(X) * W).sum(axis=0) + power_series(W), rtol=1e-13)


def test_sizes_that_contradict_inside() -> None:
    with pytest.raises(ShapeError, match="argument y of ridge has the size p, expected m"):
        sg.trace(lambda x, w: _ridge()(x, w, w), x="m, p", w="p")
    with pytest.raises(ShapeError, match=r"argument A of ridge has the shape.*expected 2 dimensions"):
        sg.trace(lambda w: _ridge()(w, w, w), w="p")
