"""Which objects are arguments, in which order, under which names; and in which structure results come back."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

from symgraph.capture import capture
from symgraph.dtype import BOOLEAN, FLOATING, INTEGER
from symgraph.errors import ModelError, UnsupportedError
from symgraph.graph import Graph
from symgraph.interpret import evaluate

from .evaluation import value

x, y, z = sp.symbols("x y z")
n = sp.Symbol("n", integer=True, positive=True)
i = sp.Symbol("i", integer=True)
u = sp.IndexedBase("u", shape=(n,))


def names(graph: Graph) -> list[str]:
    """The names of the arguments in order."""
    return [node.data for node in graph.inputs]


def test_by_default_everything_free_is_an_input_by_name() -> None:
    A = sp.MatrixSymbol("A", n, n)
    graph, symbols = capture(z * x + sp.Sum(u[i], (i, 0, n - 1)) * A[0, 0] + n * y)
    assert names(graph) == ["A", "u", "x", "y", "z"]
    assert symbols == (A, u, x, y, z)


def test_given_inputs_keep_their_order_and_may_be_unused() -> None:
    graph, symbols = capture(x + z, [z, y, x])
    assert names(graph) == ["z", "y", "x"]
    assert symbols == (z, y, x)
    assert evaluate(graph, [1.0, 5.0, 2.0]) == [3.0]


def test_one_input_needs_no_list() -> None:
    assert names(capture(x**2, x)[0]) == ["x"]
    assert names(capture(x**2, sp.Tuple(x))[0]) == ["x"]


def test_a_dict_names_the_arguments() -> None:
    graph, symbols = capture(x * y, {"left": x, "right": y})
    assert names(graph) == ["left", "right"]
    assert symbols == (x, y)


def test_two_dummies_of_one_name_are_two_arguments() -> None:
    first, second = sp.Dummy("a"), sp.Dummy("a")
    graph, symbols = capture(first - 2 * second, [first, second])
    assert names(graph) == ["a", "a_1"]
    assert symbols == (first, second)
    assert evaluate(graph, [5.0, 1.0]) == [3.0]


@pytest.mark.parametrize(
    "name", ["lambda", "λ", "x y", "x_{1}'", "1st", "double", "None", "I", "pi", "class", "__import__"]
)
def test_any_name_is_a_name(name: str) -> None:
    graph, _ = capture(2 * sp.Symbol(name) + 1)
    assert names(graph) == [name]
    assert evaluate(graph, [3.0]) == [7.0]


def test_names_that_are_alike_stay_different() -> None:
    graph, _ = capture(sp.Symbol("x y") - sp.Symbol("x_y"))
    assert sorted(names(graph)) == ["x y", "x_y"]


def test_applied_functions_and_their_derivatives_are_inputs() -> None:
    t = sp.Symbol("t")
    q = sp.Function("q")(t)
    energy = q.diff(t, 2) + 2 * q.diff(t) * sp.sin(q) + q**2
    graph, symbols = capture(energy, [q, q.diff(t), q.diff(t, 2)])
    assert names(graph) == ["q", "q_t", "q_tt"]
    assert symbols == (q, q.diff(t), q.diff(t, 2))
    assert evaluate(graph, [0.5, -2.0, 3.0]) == [pytest.approx(3 - 4 * np.sin(0.5) + 0.25, rel=1e-15)]
    assert names(capture(energy)[0]) == ["q", "q_t", "q_tt"]


def test_mechanics_symbols() -> None:
    q, v = dynamicsymbols("q"), dynamicsymbols("q", 1)
    graph, _ = capture(v**2 / 2 - sp.cos(q), [q, v])
    assert evaluate(graph, [0.0, 2.0]) == [1.0]


def test_a_symbol_keeps_its_name_beside_a_derivative_that_would_have_it() -> None:
    t = sp.Symbol("t")
    q = sp.Function("q")(t)
    graph, _ = capture(q.diff(t) + sp.Symbol("q_t"), [q.diff(t), sp.Symbol("q_t")])
    assert names(graph) == ["q_t_1", "q_t"]


def test_a_matrix_of_symbols_is_one_argument() -> None:
    elements = sp.Matrix(sp.symbols("w0:3"))
    graph, symbols = capture(elements.dot(elements) * x, [elements, x])
    assert names(graph) == ["w", "x"]
    assert symbols == (elements.as_immutable(), x)
    assert [str(axis.size) for axis in graph.inputs[0].axes] == ["3", "1"]
    assert evaluate(graph, [np.array([[1.0], [2.0], [3.0]]), 0.5]) == [7.0]
    square = sp.Matrix(2, 2, sp.symbols("a b c d"))
    assert value(square.det(), np.array([[1.0, 2.0], [3.0, 4.0]]), inputs=[square]) == -2.0
    flat = sp.Array(sp.symbols("v0:2"))
    assert value(flat[0] - flat[1], np.array([3.0, 1.0]), inputs=[flat]) == 2.0


def test_kinds_of_numbers() -> None:
    k = sp.Symbol("k", integer=True)
    table = sp.IndexedBase("table", shape=(n,), integer=True)
    flag = sp.Symbol("flag")
    expression = sp.Piecewise((k * x, flag), (sp.Sum(table[i], (i, 0, n - 1)), True))
    graph, _ = capture(expression, [k, table, x, flag])
    assert [node.dtype for node in graph.inputs] == [INTEGER, INTEGER, FLOATING, BOOLEAN]
    assert evaluate(graph, [3, np.arange(4), 0.5, True]) == [1.5]
    assert evaluate(graph, [3, np.arange(4), 0.5, False]) == [6.0]


def test_structures_of_outputs() -> None:
    graph, _ = capture({"a": x, "b": [y, (x * y,)], "c": sp.Tuple(x, 1)})
    assert graph.structure == {"a": 0, "b": (1, (2,)), "c": (3, 4)}
    assert [o.name for o in graph.outputs] == ["a", "b_0", "b_1_0", "c_0", "c_1"]
    assert capture(x)[0].structure == 0
    assert capture([x])[0].structure == (0,)


def test_outputs_that_are_inputs_constants_and_python_numbers() -> None:
    graph, _ = capture([x, 2, 0.5, Fraction(1, 3), np.float64(0.25), np.int64(7), True, sp.pi], [x])
    results = evaluate(graph, [1.5])
    assert [float(r) for r in results] == [1.5, 2.0, 0.5, 1 / 3, 0.25, 7.0, 1.0, np.pi]


def test_names_of_outputs_are_different() -> None:
    graph, _ = capture({"f": [x, y], "f_0": x})
    assert [o.name for o in graph.outputs] == ["f_0", "f_1", "f_0_1"]


def test_forty_arguments() -> None:
    symbols = sp.symbols("p0:40")
    assert value(sp.Add(*symbols), *range(40), inputs=symbols) == 780


@pytest.mark.parametrize(
    ("outputs", "inputs", "error", "words"),
    [
        (x + y, [x], ModelError, ["y is not bound", "x"]),
        (x + sp.Function("g")(y), [x], ModelError, ["g(y)", "not bound"]),
        (sp.Symbol("x", real=True) + 1, [x], ModelError, ["x", "other assumptions"]),
        (x, [x, x], ModelError, ["x is given twice"]),
        (n * u[0], [u, n], ModelError, ["n is a size", "leave it out"]),
        (x, [x + 1], UnsupportedError, ["x + 1", "can be no input"]),
        (x, "x", UnsupportedError, ["str"]),
        (x, [sp.Matrix([x, 1])], UnsupportedError, ["1", "no symbol"]),
        (x + sp.Symbol("x", real=True), None, ModelError, ["two symbols x", "assumptions"]),
        ([], None, ModelError, ["empty", "nothing to compute"]),
        ({"a": {}}, None, ModelError, ["a", "empty dict"]),
        ({1: x}, None, UnsupportedError, ["key 1"]),
        (1j, None, UnsupportedError, ["complex"]),
        (object(), None, UnsupportedError, ["object"]),
    ],
)  # fmt: skip
def test_refused(outputs: object, inputs: object, error: type[Exception], words: list[str]) -> None:
    with pytest.raises(error) as caught:
        capture(outputs, inputs)
    for word in words:
        assert word in str(caught.value)
