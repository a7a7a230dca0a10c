"""Reducers, and the one rule of multiplicity: a reduction over a missing axis counts its size."""

import math
from itertools import pairwise

import numpy as np
import pytest
import sympy as sp

from symgraph import simplify as s
from symgraph.axis import Axis, evaluate_size, size_expression, size_symbol
from symgraph.derive.reverse import gradients
from symgraph.dtype import FLOATING, INTEGER
from symgraph.graph import Graph, Output
from symgraph.interpret import evaluate
from symgraph.node import Kind, axis_index, constant, input_node, size_node
from symgraph.ops import OPS, apply_op
from symgraph.reducers import REDUCERS, reduce_over, size_value

ROW, COLUMN = Axis("i", "n"), Axis("k", "m")
X, Y = input_node("x", (ROW,)), input_node("y", (COLUMN,))
POINTS, OTHERS = np.array([1.0, 2.0, 4.0]), np.array([0.5, 1.5])
REDUCERS_OF = {"sum": np.sum, "product": np.prod, "max": np.max, "min": np.min}


def run(*nodes):
    graph = Graph(
        "f", (X, Y), tuple(Output(str(k), n, n.axes) for k, n in enumerate(nodes)), tuple(range(len(nodes)))
    )
    return evaluate(graph, [POINTS, OTHERS])


def test_multiplicity_sum_ik_of_x_plus_y():
    """sum_ik (x_i + y_k) = m sum x + n sum y, and its gradients are the sizes, however the sum is taken apart."""
    for add, reduce in ((apply_op, reduce_over), (s.call, s.reduce)):
        body = add("add", X, Y)
        total = reduce("sum", reduce("sum", body, COLUMN), ROW)
        value, *rest = run(total, *gradients({total: constant(1)}, [X, Y]))
        assert value == 2 * POINTS.sum() + 3 * OTHERS.sum()
        for gradient, multiple, length in zip(rest, (2, 3), (3, 2), strict=True):
            np.testing.assert_array_equal(np.broadcast_to(gradient, length), np.full(length, float(multiple)))


@pytest.mark.parametrize("name", REDUCERS)
def test_a_reduction_over_a_missing_axis(name):
    expected = REDUCERS_OF[name](np.broadcast_to(POINTS[:, None], (3, 2)), axis=1)
    np.testing.assert_allclose(run(reduce_over(name, X, COLUMN))[0], expected, rtol=1e-15)
    if name in ("max", "min"):
        assert reduce_over(name, X, COLUMN) is X


@pytest.mark.parametrize("name", REDUCERS)
def test_a_reduction_over_its_own_axis(name):
    node = reduce_over(name, X, ROW)
    assert (node.kind, node.axes, node.data) == (Kind.REDUCE, (), (name, ROW))
    assert run(node)[0] == REDUCERS_OF[name](POINTS)


@pytest.mark.parametrize("row", REDUCERS.values(), ids=lambda row: row.name)
def test_the_identity_is_neutral(row):
    combine = OPS[row.combine].numpy
    for value in (-2.5, 0.0, 3.0, math.inf, -math.inf):
        assert combine(np.float64(value), np.float64(row.identity)) == value
    assert row.numpy(np.zeros(0), axis=0, initial=row.identity) == row.identity


@pytest.mark.parametrize("row", REDUCERS.values(), ids=lambda row: row.name)
def test_the_reduction_is_the_fold_of_its_operation(row):
    values = [3.0, -1.0, 2.0, 0.5]
    folded = np.float64(row.identity)
    for value in values:
        folded = OPS[row.combine].numpy(folded, np.float64(value))
    assert row.numpy(np.array(values), axis=0, initial=row.identity) == folded


def test_dtypes():
    index = axis_index(ROW)
    flag = apply_op("lt", index, constant(2))
    assert reduce_over("sum", flag, ROW).dtype is INTEGER
    assert reduce_over("product", index, ROW).dtype is INTEGER
    assert reduce_over("max", index, ROW).dtype is FLOATING  # it is -inf over nothing
    assert run(reduce_over("sum", flag, ROW))[0] == 2


@pytest.mark.parametrize(
    "size",
    [
        sp.Integer(4), size_symbol("n"), size_expression(sp.sympify("n*(n+1)/2")),
        size_expression(sp.sympify("2*n*m - 3")),
        size_expression(sp.sympify("n**3 + m/2 + n/2")), size_expression(sp.sympify("7*n")),
    ],
    ids=str,
)  # fmt: skip
def test_a_size_as_a_node_has_the_value_of_the_size(size):
    for sizes in ({"n": 3, "m": 5}, {"n": 8, "m": 2}):
        inputs = [input_node(name, (Axis("a", name),)) for name in sizes]
        node = size_value(size)
        assert node.dtype is INTEGER
        graph = Graph("f", tuple(inputs), (Output("o", node),))
        assert evaluate(graph, [np.zeros(k) for k in sizes.values()]) == [evaluate_size(size, sizes)]


def test_sizes_are_leaves_where_they_can_be():
    assert size_value(sp.Integer(3)) is constant(3)
    assert size_value(size_symbol("n")) is size_node("n")


def test_the_table_has_its_names_as_keys():
    assert all(name == row.name for name, row in REDUCERS.items())
    assert all(a != b for a, b in pairwise(REDUCERS))


def test_a_sum_over_a_missing_axis_of_negative_length_is_empty():
    size = sp.Symbol("n") - 1
    x, v = input_node("x"), input_node("v", (Axis("v_0", "n"),))
    graph = Graph("f", (x, v), (Output("o", s.reduce("sum", x, Axis("i", size))),))
    assert evaluate(graph, [2.0, np.zeros(0)]) == [0.0]
    assert evaluate(graph, [2.0, np.zeros(3)]) == [4.0]
