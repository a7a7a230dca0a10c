"""Functions of the user's own: by formula, by NumPy value and partials, by fdiff."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import numpy as np
import pytest
import sympy as sp
from scipy import special
from sympy.utilities.lambdify import implemented_function

import symgraph as sg
from symgraph.capture import capture, to_sympy
from symgraph.capture.registry import FUNCTION_OF_ROW, USER_FUNCTIONS
from symgraph.errors import ModelError, UnsupportedError
from symgraph.interpret import evaluate
from symgraph.ops import OPS
from symgraph.register import inline_formulas, register

x, y = sp.symbols("x y")


@pytest.fixture(autouse=True)
def own_registry() -> Iterator[None]:
    """Every test starts without registered functions, and leaves none."""
    tables = (OPS, USER_FUNCTIONS, FUNCTION_OF_ROW)
    before = [dict(table) for table in tables]
    yield
    for table, kept in zip(tables, before, strict=True):
        for key in [k for k in table if k not in kept]:
            del table[key]


def test_a_formula_replaces_the_function() -> None:
    square = sp.Function("square_a")
    register(square, value=sp.Lambda(x, x**2))
    graph, _ = capture(square(y + 1) * square(y))
    assert evaluate(graph, [2.0]) == [36.0]
    assert all(node.data != "square_a" for node in graph.order)


def test_a_callable_that_knows_symbols_is_a_formula() -> None:
    smooth = sp.Function("smooth_a")
    register(smooth, value=lambda a, b: sp.sqrt(a**2 + b**2))
    f = sg.function(smooth(x, y), [x, y])
    assert f(3.0, 4.0) == 5.0
    assert sg.grad(f)(3.0, 4.0) == pytest.approx((0.6, 0.8), rel=1e-15)


def test_a_formula_with_sums_and_indices_inside_a_sum() -> None:
    n = sp.Symbol("n", integer=True, positive=True)
    i, k = sp.symbols("i k", integer=True)
    u = sp.IndexedBase("u", shape=(n,))
    powers = sp.Function("powers_a")
    register(powers, value=sp.Lambda(x, sp.Sum(x**k, (k, 0, 3))))
    graph, _ = capture(sp.Sum(powers(u[i]), (i, 0, n - 1)))
    values = np.array([0.5, 2.0])
    assert evaluate(graph, [values])[0] == sum(float(np.sum(values**p)) for p in range(4))


def test_a_numeric_value_with_partials() -> None:
    g = sp.Function("g_a")
    register(g, value=lambda a, b: a * np.exp(b), partials=(lambda a, b: sp.exp(b), lambda a, b: g(a, b)))
    f = sg.function(g(x, 2 * y), [x, y])
    assert f(3.0, 0.5) == pytest.approx(3 * np.e, rel=1e-15)
    assert sg.grad(f)(3.0, 0.5) == pytest.approx((np.e, 6 * np.e), rel=1e-15)
    assert sg.hessian(f)(3.0, 0.5)[1] == pytest.approx((2 * np.e, 12 * np.e), rel=1e-15)


def test_partials_may_contain_other_functions_of_the_user() -> None:
    first, second = sp.Function("first_a"), sp.Function("second_a")
    register(first, value=lambda a: np.cos(a), partials=(lambda a: -sp.sin(a),))
    register(second, value=lambda a: np.sin(a), partials=(lambda a: first(a),))
    f = sg.function(second(x))
    assert sg.grad(f, "x")(0.3) == pytest.approx(np.cos(0.3), rel=1e-15)


def test_fdiff_of_a_subclass_is_used() -> None:
    class normal_density_a(sp.Function):  # noqa: N801
        nargs = 1

        def fdiff(self, argindex: int = 1) -> sp.Expr:
            return -self.args[0] * self

    register(normal_density_a, value=lambda a: np.exp(-(a**2) / 2))
    f = sg.function(normal_density_a(x * y), [x, y])
    assert f(0.5, 2.0) == np.exp(-0.5)
    assert sg.grad(f)(0.5, 2.0) == pytest.approx((-2 * np.exp(-0.5), -0.5 * np.exp(-0.5)), rel=1e-15)


def test_an_implemented_function_needs_no_registration() -> None:
    h = implemented_function("h_a", lambda t: np.exp(t))
    assert evaluate(capture(h(x) + 1)[0], [0.0]) == [2.0]


def test_a_function_that_can_be_carried_out_needs_no_registration() -> None:
    class twice_a(sp.Function):  # noqa: N801
        def doit(self, **hints: object) -> sp.Expr:
            return 2 * self.args[0]

    assert evaluate(capture(twice_a(sp.sin(x)))[0], [0.5]) == [2 * np.sin(0.5)]


def test_a_formula_with_partials_differentiates_by_these_and_compiles_to_the_formula() -> None:
    cdf = sp.Function("cdf_a")
    register(
        cdf,
        value=lambda a: (1 + sp.erf(a / sp.sqrt(2))) / 2,
        partials=[lambda a: sp.exp(-(a**2) / 2) / sp.sqrt(2 * sp.pi)],
    )
    gradient = sg.value_and_grad(sg.function(cdf(x * y), [x, y]))
    inlined = inline_formulas(gradient.graph)
    assert all(node.data != "cdf_a" for node in inlined.order)
    expected = [special.ndtr(0.12), 0.4 * np.exp(-0.0072) / np.sqrt(2 * np.pi)]
    assert evaluate(inlined, [0.3, 0.4])[:2] == pytest.approx(expected, rel=1e-15)
    assert evaluate(gradient.graph, [0.3, 0.4])[:2] == pytest.approx(expected, rel=1e-15)


def test_a_kernel_of_a_registered_formula_is_pickled_without_it() -> None:
    cdf = sp.Function("cdf_b")
    register(cdf, value=lambda a: sp.erfc(-a) / 2, partials=[lambda a: sp.exp(-(a**2)) / sp.sqrt(sp.pi)])
    kernel = sg.compile(sg.value_and_grad(sg.function(cdf(x), name="cdf_kernel")))
    assert all(node.data != "cdf_b" for node in kernel.graph.order)
    value, gradient = pickle.loads(pickle.dumps(kernel))(0.25)
    assert (value, *np.ravel(gradient)) == pytest.approx(
        (special.erfc(-0.25) / 2, np.exp(-0.0625) / np.sqrt(np.pi)), rel=1e-15
    )


def test_a_graph_without_such_rows_is_returned_as_it_is() -> None:
    graph, _ = capture(sp.sin(x))
    assert inline_formulas(graph) is graph


def test_a_second_registration_replaces_the_first() -> None:
    step = sp.Function("step_a")
    register(step, value=np.sin, partials=(lambda a: sp.cos(a),))
    before, _ = capture(step(x))
    register(step, value=np.tanh, partials=(lambda a: 1 - step(a) ** 2,))
    after, _ = capture(step(x))
    assert evaluate(before, [0.5]) == [np.sin(0.5)]
    assert evaluate(after, [0.5]) == [np.tanh(0.5)]


def test_registered_functions_go_back_to_sympy() -> None:
    g = sp.Function("there_and_back_a")
    register(g, value=np.sin, partials=(lambda a: sp.cos(a),))
    graph, symbols = capture(g(x) * y)
    assert to_sympy(graph, symbols) == g(x) * y


@pytest.mark.parametrize("target", ["cython", "numba"])
def test_one_call_is_enough_for_every_order_on_every_target(target: str) -> None:
    cdf = sp.Function(f"normal_cdf_{target}")
    density = sp.Lambda(y, sp.exp(-(y**2) / 2) / sp.sqrt(2 * sp.pi))
    register(cdf, value=special.ndtr, partials=[density], c="scipy:ndtr")
    f = sg.function(cdf(x) * x, inputs=[x])
    outputs = sg.compile(sg.hessian(f), target=target), sg.compile(sg.value_and_grad(f), target=target)
    at = 0.75
    slope = float(density(at))
    value, (first,) = outputs[1](at)
    assert value == pytest.approx(special.ndtr(at) * at, rel=1e-15)
    assert first == pytest.approx(special.ndtr(at) + at * slope, rel=1e-15)
    assert np.ravel(outputs[0](at))[0] == pytest.approx(2 * slope - at**2 * slope, rel=1e-14)


@pytest.mark.parametrize("target", ["cython", "numba"])
def test_a_function_with_fdiff_compiles_with_its_formula(target: str) -> None:
    """A class that knows its derivative by another class, both with numbers given afterwards."""
    slope = sp.Function(f"slope_{target}")

    def fdiff(self: sp.Function, argindex: int = 1) -> sp.Expr:
        return slope(*self.args)

    bump = type(f"bump_{target}", (sp.Function,), {"nargs": 1, "fdiff": fdiff})
    register(slope, value=sp.Lambda(y, 2 * y * sp.cos(y**2)))
    register(bump, value=sp.Lambda(y, sp.sin(y**2)), partials=[slope])
    kernel = sg.compile(sg.value_and_grad(sg.function(bump(3 * x), inputs=[x])), target=target)
    value, (first,) = kernel(0.5)
    assert value == pytest.approx(np.sin(2.25), rel=1e-15)
    assert first == pytest.approx(9 * np.cos(2.25), rel=1e-15)


def test_refused() -> None:
    with pytest.raises(UnsupportedError, match="no function of SymPy"):
        register(sp.sin(x), value=np.sin)
    with pytest.raises(UnsupportedError, match="value of f_a is a int"):
        register(sp.Function("f_a"), value=3)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="partial 0 of f_a depends on y"):
        register(sp.Function("f_a"), value=np.sin, partials=(lambda a: y * a,))
    with pytest.raises(UnsupportedError, match="f_a has 5 arguments"):
        register(
            sp.Function("f_a"),
            value=lambda a, b, c, d, e: np.hypot(a, b) + np.hypot(c, d) + e,
            partials=(1, 1, 1, 1, 1),
        )
    with pytest.raises(UnsupportedError, match="has no derivative by argument 1"):
        register(sp.Function("blunt_a"), value=np.floor, partials=(None,))
        sg.grad(sg.function(sp.Function("blunt_a")(x)))

    class empty_a(sp.Function):  # noqa: N801
        pass

    with pytest.raises(UnsupportedError, match="function empty_a has no numeric value"):
        capture(empty_a(x))
