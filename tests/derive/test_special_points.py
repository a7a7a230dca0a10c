"""Rules of derivatives at special points: branches, ties, infinite partials, steps, tiny and huge values."""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph import simplify as s
from symgraph.axis import Axis
from symgraph.counting import operation_table
from symgraph.graph import Graph, Output
from symgraph.node import Node, axis_index, constant, input_node
from symgraph.simplify.sharing import shared_graph

x, y, z, a = sp.symbols("x y z a", real=True)
INF, NAN = np.inf, np.nan
P = sp.Piecewise


def check(expression: sp.Expr, inputs: list[sp.Symbol], point: tuple[float, ...], gradient: object, hessian: object):
    f = sg.function(expression, inputs=inputs)
    np.testing.assert_array_equal(sg.grad(f, wrt=[str(v) for v in inputs])(*point), gradient)
    if hessian is not None:
        np.testing.assert_array_equal(sg.hessian(f, wrt=[str(v) for v in inputs])(*point), hessian)


@pytest.mark.parametrize(
    ("expression", "point", "gradient", "hessian"),
    [
        # a factor that does not depend on the input is garbage outside of its branch, too
        (P((x / y, y > 0), (0, True)), (2.0, 0.0, 0.0), (0, 0, 0), np.zeros((3, 3))),
        (P((x * sp.log(y), y > 0), (z, True)), (2.0, -1.0, 0.0), (0, 0, 1), np.zeros((3, 3))),
        (P((sp.sqrt(y) * x, y > 0), (z * x, True)), (3.0, -1.0, 2.0), (2, 0, 3), [[0, 0, 1], [0, 0, 0], [1, 0, 0]]),
        # the disjunction of two branches stays pending at what they share
        (P((4 / sp.cos(sp.log(y)), y < -1), (0, True)) + P((sp.log(y) * x, x > 1), (0, True)), (0.5, 0.0, 0.0),
         (0, 0, 0), np.zeros((3, 3))),
        # shares of a tie add up to 1
        (sp.Max(x, y) + sp.Max(y, z), (1.0, 1.0, 1.0), (0.5, 1, 0.5), np.zeros((3, 3))),
        (sp.Max(x, y, z), (1.0, 1.0, 1.0), (1 / 3, 1 / 3, 1 / 3), np.zeros((3, 3))),
        (sp.Min(x, y, z), (1.0, 2.0, 1.0), (0.5, 0, 0.5), np.zeros((3, 3))),
        (sp.Min(sp.Max(x, y), z), (0.0, 0.0, 5.0), (0.5, 0.5, 0), np.zeros((3, 3))),
        (sp.sqrt(sp.Max(0, x)) + y + z, (-1.0, 0.0, 0.0), (0, 1, 1), np.zeros((3, 3))),
        # steps push nothing, also onto what is infinite
        (sp.sign(x) + sp.floor(y) * z + sp.Heaviside(x), (0.0, 0.5, 2.0), (0, 0, 0), np.zeros((3, 3))),
        (sp.floor(sp.sqrt(x)) + y + z, (0.0, 0.0, 0.0), (0, 1, 1), np.zeros((3, 3))),
        (sp.Abs(x) * x + y + z, (0.0, 0.0, 0.0), (0, 1, 1), np.zeros((3, 3))),
        (sp.Mod(x, 3) + y + z, (-1.0, 0.0, 0.0), (1, 1, 1), np.zeros((3, 3))),
        # powers of equal bases are one power
        (sp.sqrt(x**2 + y**2) * sp.sqrt(x**2 + y**2) + z, (0.0, 0.0, 0.0), (0, 0, 1), np.diag([2, 2, 0])),
        (sp.sqrt(x) * sp.sqrt(x) + y + z, (0.0, 0.0, 0.0), (1, 1, 1), np.zeros((3, 3))),
        (sp.sqrt(x**2) ** 4 + y + z, (0.0, 0.0, 0.0), (0, 1, 1), np.zeros((3, 3))),
        (sp.sqrt((x * y) ** 2) + z, (0.0, 0.0, 0.0), (0, 0, 1), np.zeros((3, 3))),
        # norms: the symmetric subgradient, and true curvatures
        (sp.sqrt(x**2 + y**2) + z, (0.0, 0.0, 0.0), (0, 0, 1), [[INF, 0, 0], [0, INF, 0], [0, 0, 0]]),
        (sp.sqrt(x**2 + y**2) ** 3 + z, (0.0, 0.0, 0.0), (0, 0, 1), np.zeros((3, 3))),
        (sp.atan2(x, y) + z, (0.0, 0.0, 0.0), (0, 0, 1), np.zeros((3, 3))),
    ],
)  # fmt: skip
def test_conventions(expression, point, gradient, hessian):
    check(expression, [x, y, z], point, gradient, hessian)


def test_no_condition_holds():
    f = sg.function(P((sp.log(x), x > 1), (x, x < -1)), inputs=[x])
    gradient, hessian = (g(f, wrt="x") for g in (sg.grad, sg.hessian))
    assert np.isnan([f(0.0), gradient(0.0), hessian(0.0)]).all()
    assert gradient(2.0) == 0.5 and hessian(-2.0) == 0


@pytest.mark.parametrize("expression", [sp.log(x) * y, P((x, x > 1), (y, True)) * x, sp.Max(x, y), sp.atan2(x, y)])
def test_a_nan_that_is_used_is_handed_on(expression):
    f = sg.function(expression, inputs=[x, y])
    assert np.isnan(f(NAN, 1.0)) and np.isnan(f(2.0, NAN)) == (f(2.0, 3.0) != f(2.0, 4.0))


EXTREME = [  # partials whose parts leave the range of doubles although they do not
    (x / y, (1e-200, 1e-155)), (x / (y * z), (1e-150, 1e-150, 1e-30)),
    (sp.log(x * y / z), (1e-200, 1e-200, 3.0)), (sp.log(x**3 * y), (1e-130, 2.0)),
    (sp.atan2(x, y), (1e-200, 2e-200)), (sp.atan2(x, y), (1e200, -3e200)),
    (sp.exp(x) ** 3 * sp.exp(-3 * x), (400.0,)), (sp.asin(x), (1 - 1e-15,)), (sp.acos(x), (-1 + 1e-15,)),
    (sp.atanh(x), (1 - 1e-15,)),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "point"), EXTREME, ids=[f"{e} at {p}" for e, p in EXTREME])
def test_gradients_of_tiny_and_huge_values(expression, point):
    inputs = sorted(expression.free_symbols, key=str) or [x]
    f = sg.function(expression, inputs=inputs)
    with mpmath.workdps(60):
        for mode in (sg.grad(f, wrt=[str(v) for v in inputs]), lambda *p: _forward(f, inputs, p)):
            for found, variable in zip(mode(*point), inputs, strict=True):
                slope = sp.lambdify(inputs, sp.diff(expression, variable), "mpmath")
                exact = slope(*[mpmath.mpf(p) for p in point])
                assert abs(found - exact) <= 1e-13 * abs(exact), (variable, found, exact)


def _forward(f: sg.Function, inputs: list[sp.Symbol], point: tuple[float, ...]) -> list[float]:
    directions = np.eye(len(point))
    names = [str(v) for v in inputs]
    return [sg.jvp(f, wrt=names)(*point, *direction)[1] for direction in directions]


# value and gradient, then with the Hessian: arithmetic with roots and functions, selects. Ceilings, never to be raised.
COSTS: dict[str, tuple[Callable[[], sp.Expr], tuple[int, int], tuple[int, int]]] = {
    "a root": (lambda: P((sp.sqrt(x) + 2 * x, x > 0), (0, True)), (5, 2), (9, 3)),
    "x*log(x)": (lambda: P((x * sp.log(x) + y, x > 0), (y, True)), (4, 2), (5, 3)),
    "three branches": (lambda: P((1 / x, y > 2), (x**2, y > 0), (sp.log(x), True)), (6, 4), (8, 6)),
    "one logarithm in two": (
        lambda: P((sp.log(x) * y, y > 0), (sp.log(x) * z, z > 0), (0, True)) + sp.sin(x), (9, 7), (13, 10)),
    "a pole": (lambda: P((10 ** (sp.Rational(7, 4) - 1000 / (x + y)), x > z), (0, True)), (9, 2), (20, 3)),
    "Morse": (  # expm1(u) for exp(u) - 1, whose derivative is no function of it: four multiplications in the Hessian
        lambda: P((z * (1 - sp.exp(-a * (x - y))) ** 2, x < 3), (z * sp.log(x) * sp.sqrt(y), True)), (22, 5), (69, 14)),
    "the root of a maximum": (lambda: sp.sqrt(sp.Max(0, x * y - z)), (10, 4), (32, 10)),
}  # fmt: skip


@pytest.mark.parametrize(("model", "first", "second"), COSTS.values(), ids=COSTS)
def test_what_branches_cost(model, first, second):
    expression = model()
    f = sg.function(expression, inputs=sorted(expression.free_symbols, key=str))
    gradient, hessian = sg.value_and_grad(f).graph, sg.hessian(f).graph
    nodes = [o.node for o in gradient.outputs]
    assert counts(gradient, nodes) <= first
    assert counts(gradient, [*nodes, *[o.node for o in hessian.outputs]]) <= second


def counts(graph: Graph, nodes: list[Node]) -> tuple[int, int]:
    outputs = tuple(Output(f"o{k}", node) for k, node in enumerate(nodes))
    emitted = shared_graph(Graph("f", graph.inputs, outputs, tuple(range(len(nodes)))))
    table = operation_table([o.node for o in emitted.outputs])
    selects = table.pop("select", 0)
    return sum(n for op, n in table.items() if op not in ("lt", "le", "eq", "ne", "and", "or", "not")), selects


def test_the_shares_of_a_tie_along_an_axis_add_up_to_one_at_second_order():
    i = Axis("i", "n")
    array = input_node("w", (Axis("w_0", "n"),))
    element = s.gather(array, {array.axes[0]: axis_index(i)})
    square = s.power(s.reduce("max", element, i), constant(2))
    f = sg.Function(Graph("f", (array,), (Output("f", square),)))
    tied, direction = np.array([3.0, 1.0, 3.0, 3.0]), np.array([1.0, 5.0, 2.0, 3.0])
    np.testing.assert_allclose(sg.grad(f, wrt="w")(tied), 6 * np.array([1, 0, 1, 1]) / 3, rtol=1e-15)
    found = sg.hvp(f, wrt="w")(tied, direction)
    np.testing.assert_allclose(found, 2 * (1 + 2 + 3) / 3 * np.array([1, 0, 1, 1]) / 3, rtol=1e-15)


SECOND = [  # rows whose second derivatives have conventions or limits: op, point, Hessian
    ("hypot", (0.0, 0.0), [[INF, 0], [0, INF]]),
    ("hypot", (3e-200, 4e-200), [[0.128e200, -0.096e200], [-0.096e200, 0.072e200]]),
    ("atan2", (0.0, 0.0), [[0, 0], [0, 0]]), ("atan2", (3.0, 4.0), [[-0.0384, -0.0112], [-0.0112, 0.0384]]),
    ("strong_product", (0.0, 2.0), [[0, 1], [1, 0]]), ("hypot_quotient", (0.0, 0.0), [[0, 0], [0, 0]]),
]  # fmt: skip


@pytest.mark.parametrize(("op", "point", "hessian"), SECOND, ids=[f"{op} at {p}" for op, p, _ in SECOND])
def test_second_derivatives_of_rows(op, point, hessian):
    inputs = (input_node("u"), input_node("v"))
    f = sg.Function(Graph("f", inputs, (Output("f", s.call(op, *inputs)),)))
    np.testing.assert_allclose(sg.hessian(f)(*point), hessian, rtol=1e-14)


@pytest.mark.parametrize("target", ["cython", "numba"])
def test_powers_at_0_by_their_exponent_to_the_third_order(target: str) -> None:
    power = sg.function(x**y, inputs=[x, y])
    hessian = sg.hessian(power)
    third = sg.grad(sg.grad(sg.grad(power, "y"), "y"), "y")
    rows = sg.jvp(sg.grad(power, "y"), "y")
    with np.errstate(all="ignore"):
        for exponent, bend in ((2.0, 2.0), (2.5, 0.0), (3.0, 0.0)):
            wanted = [[bend, 0.0], [0.0, 0.0]]
            for f in (hessian, sg.compile(hessian, target=target)):
                np.testing.assert_array_equal(f(0.0, exponent), wanted)
                arrays = f(np.zeros(9), np.full(9, exponent))
                np.testing.assert_array_equal(np.array(arrays)[..., 3], wanted)
            assert sg.compile(third, target=target)(0.0, exponent) == 0
            assert np.ravel(rows(0.0, exponent, 1.0)[-1])[0] == 0  # forward over reverse
    exact = 2**3 * np.log(2) ** 3
    assert third(2.0, 3.0) == pytest.approx(exact, rel=1e-15)


@pytest.mark.parametrize("target", ["cython", "numba"])
def test_strong_products_and_softplus_take_infinities(target: str) -> None:
    f = sg.Function(Graph("f", (u := input_node("u"), v := input_node("v")), (
        Output("product", s.call("strong_product", u, v)), Output("soft", s.call("softplus", u)),
    ), (0, 1)))  # fmt: skip
    first, second = np.array([0.0, INF, -INF, 0.0, -0.0, 2.0, NAN]), np.array([INF, 0.0, 0.0, -INF, NAN, 3.0, 0.0])
    with np.errstate(all="ignore"):
        product, soft = sg.compile(f, target=target)(first, second)
    np.testing.assert_array_equal(product, [0, 0, 0, 0, 0, 6, 0])
    np.testing.assert_allclose(soft, [np.log(2), INF, 0, np.log(2), np.log(2), np.log1p(np.exp(2.0)), NAN], rtol=1e-15)
