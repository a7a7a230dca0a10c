"""The interpreter: every kind of node against NumPy, broadcasting, integers, edges and errors."""

import math
import sys
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph import simplify as s
from symgraph.arguments import argument_value
from symgraph.axis import Axis, size_symbol
from symgraph.derive.reverse import adjoints
from symgraph.dtype import BOOLEAN, FLOATING, INTEGER
from symgraph.errors import ModelError, ShapeError, UnsupportedError
from symgraph.graph import Graph, Output, topological_order
from symgraph.interpret import align, evaluate, node_values, steps
from symgraph.node import Kind, axis_index, constant, input_node, make, size_node
from symgraph.ops import apply_op
from symgraph.reducers import reduce_over
from symgraph.rewrite import gather_axes, scatter_axes

ROW, COLUMN, FOUR = Axis("i", "n"), Axis("j", "d"), Axis("k", 4)
X = input_node("X", (ROW, COLUMN))
V = input_node("v", (ROW,))
W = input_node("w", (COLUMN,))


def read(array, *indices):
    """A bare Gather that replaces all axes of ``array``."""
    arguments = (array, *indices)
    return make(Kind.GATHER, arguments, gather_axes(arguments, array.axes), array.dtype, array.axes)


def scatter(value, indices, summed=()):
    arguments = (value, *indices.values())
    data = (tuple(indices), tuple(summed))
    return make(Kind.SCATTER_ADD, arguments, scatter_axes(arguments, *data), value.dtype, data)


def run(node, inputs, *arguments, axes=None):
    graph = Graph("f", tuple(inputs), (Output("out", node, node.axes if axes is None else axes),))
    return evaluate(graph, arguments)[0]


MATRIX = np.arange(6.0).reshape(3, 2) - 2.5


# ------------------------------------------------------------------------------------------------- the golden example
def test_values_forward_and_adjoints_backward_in_topological_order():
    x, y, z = input_node("x"), input_node("y"), input_node("z")
    p = apply_op("add", x, y)
    g = apply_op("mul", p, z)
    found = adjoints({g: constant(1)}, [x, y, z, p, g])
    shown = [x, y, z, p, g]
    order = topological_order([g, *found.values()])
    values = node_values(order, {x: 1.0, y: 3.0, z: -3.0}, {})
    records = steps(shown, values, found)
    assert [float(r.value) for r in records if r.node.kind is Kind.ELEMENTWISE] == [4.0, -12.0]
    assert [float(r.adjoint) for r in reversed(records)] == [1.0, -3.0, 4.0, -3.0, -3.0]


def test_steps_without_adjoints_have_none():
    x = input_node("x")
    (record,) = steps([x], node_values([x], {x: 2.0}, {}))
    assert (record.node, float(record.value), record.adjoint) == (x, 2.0, None)


# ------------------------------------------------------------------------------------------------------ kind by kind
def test_elementwise_unites_axes():
    node = apply_op("mul", apply_op("add", V, W), X)
    expected = (np.arange(3.0)[:, None] + np.array([5.0, 7.0])) * MATRIX
    np.testing.assert_array_equal(
        run(node, [X, V, W], MATRIX, np.arange(3.0), [5.0, 7.0], axes=(ROW, COLUMN)), expected
    )
    np.testing.assert_array_equal(
        run(node, [X, V, W], MATRIX, np.arange(3.0), [5.0, 7.0], axes=(COLUMN, ROW)), expected.T
    )


@pytest.mark.parametrize(
    ("name", "function"), [("sum", np.sum), ("product", np.prod), ("max", np.max), ("min", np.min)]
)
def test_reductions(name, function):
    np.testing.assert_allclose(
        run(reduce_over(name, X, ROW), [X], MATRIX), function(MATRIX, axis=0), rtol=1e-15
    )
    np.testing.assert_allclose(
        run(reduce_over(name, X, COLUMN), [X], MATRIX), function(MATRIX, axis=1), rtol=1e-15
    )
    inner = reduce_over(name, X, COLUMN)
    assert run(reduce_over(name, inner, ROW), [X], MATRIX) == pytest.approx(function(MATRIX), rel=1e-15)


@pytest.mark.parametrize(
    ("name", "value"), [("sum", 0.0), ("product", 1.0), ("max", -math.inf), ("min", math.inf)]
)
def test_reductions_over_nothing(name, value):
    assert run(reduce_over(name, V, ROW), [V], np.zeros(0)) == value


def test_maxima_hand_on_nan():
    assert math.isnan(run(reduce_over("max", V, ROW), [V], [1.0, math.nan, 2.0]))


def test_sizes_indices_and_broadcasts():
    node = apply_op("add", apply_op("mul", axis_index(ROW), size_node("d")), W)
    expected = np.arange(3)[:, None] * 2 + np.array([0.5, 1.5])
    np.testing.assert_array_equal(run(node, [X, W], MATRIX, [0.5, 1.5], axes=(ROW, COLUMN)), expected)
    repeated = make(Kind.BROADCAST, (W,), (COLUMN, ROW), FLOATING, ROW)
    np.testing.assert_array_equal(run(repeated, [X, W], MATRIX, [1.0, 2.0]), [[1.0] * 3, [2.0] * 3])


def test_gather_renames_and_transposes():
    p, q = Axis("p", "d"), Axis("q", "n")
    np.testing.assert_array_equal(
        run(read(X, axis_index(q), axis_index(p)), [X], MATRIX, axes=(p, q)), MATRIX.T
    )


def test_gather_takes_the_diagonal():
    square = input_node("A", (Axis("A.0", "n"), Axis("A.1", "n")))
    matrix = np.arange(9.0).reshape(3, 3)
    np.testing.assert_array_equal(
        run(read(square, axis_index(ROW), axis_index(ROW)), [square], matrix), [0.0, 4.0, 8.0]
    )


def test_gather_of_one_axis_keeps_the_other():
    node = make(Kind.GATHER, (X, constant(1)), (COLUMN,), FLOATING, (ROW,))
    np.testing.assert_array_equal(run(node, [X], MATRIX), MATRIX[1])
    shifted = s.gather(X, {ROW: s.add(axis_index(FOUR), constant(1))})
    np.testing.assert_array_equal(
        run(shifted, [X], np.arange(10.0).reshape(5, 2), axes=(FOUR, COLUMN))[:, 0], [2, 4, 6, 8]
    )


def test_gather_through_an_integer_array():
    table = input_node("cam", (Axis("c", "m"), Axis("p", 2)))
    index = input_node("ci", (ROW,), INTEGER)
    node = read(table, read(index, axis_index(ROW)), axis_index(Axis("p", 2)))
    cameras = np.arange(8.0).reshape(4, 2)
    np.testing.assert_array_equal(run(node, [table, index], cameras, [3, 0, 3]), cameras[[3, 0, 3]])


def test_packed_triangle():
    packed = input_node("L", (Axis("L.0", sp.Symbol("d") * (sp.Symbol("d") - 1) / 2),))
    i, j = Axis("i", "d"), Axis("j", "d")
    row, column = axis_index(i), axis_index(j)
    place = s.add(s.call("floordiv", s.mul(row, s.add(row, constant(-1))), constant(2)), column)
    node = s.select(s.call("lt", column, row), s.gather(packed, {packed.axes[0]: place}), s.ZERO)
    lower = run(
        node, [packed, input_node("w", (j,))], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], np.zeros(4), axes=(i, j)
    )
    expected = np.zeros((4, 4))
    expected[np.tril_indices(4, -1)] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    np.testing.assert_array_equal(lower, expected)


def test_scatter_adds_repeated_places():
    index = input_node("ci", (ROW,), INTEGER)
    target = Axis("m", 3)
    node = scatter(X, {target: read(index, axis_index(ROW))}, (ROW,))
    expected = np.zeros((3, 2))
    np.add.at(expected, [2, 0, 2], MATRIX)
    np.testing.assert_array_equal(run(node, [X, index], MATRIX, [2, 0, 2]), expected)


def test_scatter_of_scalars_assembles_an_array():
    x, y = input_node("x"), input_node("y")
    target = Axis("o", 2)
    node = apply_op("add", scatter(x, {target: constant(0)}), scatter(y, {target: constant(1)}))
    np.testing.assert_array_equal(run(node, [x, y], 3.0, 4.0), [3.0, 4.0])


def test_scatter_drops_what_falls_outside_an_affine_index():
    target = Axis("o", "n")
    node = scatter(V, {target: s.add(axis_index(ROW), constant(1))}, (ROW,))
    np.testing.assert_array_equal(run(node, [V], [1.0, 2.0, math.nan]), [0.0, 1.0, 2.0])


def test_scatter_multiplies_by_what_the_value_lacks():
    node = scatter(input_node("x"), {Axis("o", 2): apply_op("mod", axis_index(FOUR), constant(2))}, (FOUR,))
    np.testing.assert_array_equal(run(node, [input_node("x")], 1.5), [3.0, 3.0])


def test_scatter_is_the_transpose_of_gather():
    index = input_node("ci", (FOUR,), INTEGER)
    place = read(index, axis_index(FOUR))
    gathered = make(Kind.GATHER, (X, place), (COLUMN, FOUR), FLOATING, (ROW,))
    adjoint = input_node("a", (COLUMN, FOUR))
    back = scatter(adjoint, {ROW: place}, (FOUR,))
    generator = np.random.default_rng(1)
    a, ci = generator.normal(size=(2, 4)), [2, 0, 2, 1]
    left = np.vdot(run(gathered, [X, index], MATRIX, ci), a)
    right = np.vdot(MATRIX, run(back, [X, index, adjoint], MATRIX, ci, a, axes=(ROW, COLUMN)))
    assert left == pytest.approx(right, rel=1e-14)


def test_select_keeps_nan_of_the_other_branch_out():
    x = input_node("x")
    node = s.select(s.call("lt", s.ZERO, x), s.call("log", x), x)
    assert run(node, [x], -2.0) == -2.0


# ------------------------------------------------------------------------------------------------------------ numbers
def test_arithmetic_on_booleans_is_on_integers():
    x = input_node("x")
    positive = apply_op("lt", constant(0), x)
    small = apply_op("lt", x, constant(5))
    assert run(apply_op("add", positive, small), [x], 1.0) == 2
    assert run(apply_op("mul", positive, small), [x], 9.0) == 0
    assert run(positive, [x], 1.0) is True


def test_integers_stay_exact():
    n = input_node("n", (), INTEGER)
    large = 2**53 + 1
    assert run(apply_op("add", n, constant(1)), [n], large) == large + 1
    assert isinstance(run(n, [n], large), int)
    assert run(s.power(n, constant(2)), [n], 3) == 9
    assert run(apply_op("pow", n, constant(-1)), [n], 4) == 0.25


def test_constants_are_rounded_once():
    x = input_node("x")
    assert run(apply_op("mul", constant(Fraction(1, 3)), x), [x], 1.0) == 1 / 3
    assert run(apply_op("mul", constant(10**30), x), [x], 1.0) == 1e30
    assert run(apply_op("mul", constant(10**400), x), [x], 1.0) == math.inf
    assert run(apply_op("mul", constant(sp.pi), x), [x], 1.0) == math.pi
    assert run(constant(sp.Float("0.1", 40)), []) == 0.1


def test_floating_edges_follow_ieee_and_do_not_warn():
    x = input_node("x")
    assert run(apply_op("pow", x, constant(-1)), [x], 0.0) == math.inf
    assert math.isnan(run(apply_op("log", x), [x], -1.0))
    assert run(apply_op("exp", x), [x], 1000.0) == math.inf


# ------------------------------------------------------------------------------------------------------- broadcasting
def test_scalar_graphs_broadcast_as_numpy_does():
    x, y = input_node("x"), input_node("y")
    node = apply_op("add", apply_op("sin", x), y)
    column, row = np.arange(3.0)[:, None], np.arange(2.0)
    np.testing.assert_array_equal(run(node, [x, y], column, row), np.sin(column) + row)
    assert run(node, [x, y], np.zeros((0, 2)), 1.0).shape == (0, 2)
    assert isinstance(run(node, [x, y], np.float32(0.0), np.array(1)), float)


def test_batches_pass_through_sums_gathers_and_scatters():
    x = input_node("x")
    powers = apply_op("pow", x, axis_index(FOUR))
    stored = scatter(powers, {Axis("o", 2): apply_op("floordiv", axis_index(FOUR), constant(2))}, (FOUR,))
    picked = make(Kind.GATHER, (stored, constant(1)), (), FLOATING, (Axis("o", 2),))
    total = reduce_over("sum", powers, FOUR)
    graph = Graph(
        "f", (x,), (Output("t", total), Output("o", stored, stored.axes), Output("p", picked)), (0, 1, 2)
    )
    batch = np.array([[0.5, 2.0, 3.0]])
    whole = evaluate(graph, [batch])
    for position, value in enumerate(batch[0]):
        for all_at_once, alone in zip(whole, evaluate(graph, [value]), strict=True):
            np.testing.assert_allclose(all_at_once[0, position], alone, rtol=1e-15)


def test_outputs_that_are_inputs_or_constants_are_repeated():
    x, y = input_node("x"), input_node("y")
    graph = Graph("f", (x, y), (Output("x", x), Output("c", constant(2)), Output("r", x, (FOUR,))), (0, 1, 2))
    a, b, c = evaluate(graph, [[1.0, 2.0], 0.0])
    np.testing.assert_array_equal(a, [1.0, 2.0])
    np.testing.assert_array_equal(b, [2, 2])
    np.testing.assert_array_equal(c, [[1.0] * 4, [2.0] * 4])
    a[0] = 5.0  # results are the caller's own


def test_results_do_not_share_memory_with_arguments():
    given = np.arange(3.0)
    result = run(V, [V], given)
    result[0] = 7.0
    assert given[0] == 0.0


# ------------------------------------------------------------------------------------------------------------- errors
def test_sizes_that_differ_name_both_arguments():
    with pytest.raises(ShapeError) as error:
        run(apply_op("mul", X, W), [X, W], np.zeros((2, 3)), np.zeros(4), axes=(ROW, COLUMN))
    assert str(error.value) == "argument w has size 4 along axis 0 (d), but argument X has 3 along axis 1 (d)"


@pytest.mark.parametrize(
    ("node", "argument", "message"),
    [
        (input_node("x"), 1j, "argument x holds complex numbers, expected real numbers"),
        (input_node("x"), "one", "argument x holds values of dtype <U3, expected real numbers"),
        (input_node("x"), None, "argument x holds values of dtype object, expected real numbers"),
        (
            input_node("x"),
            [[1], [1, 2]],
            "argument x is no rectangular array: expected an array of real numbers",
        ),
        (input_node("n", (), INTEGER), 1.5, "argument n holds values of dtype float64 that are no integers"),
        (
            input_node("n", (), INTEGER),
            math.nan,
            "argument n holds values of dtype float64 that are no integers",
        ),
        (input_node("b", (), BOOLEAN), 2, "argument b holds values of dtype int64 that are no booleans"),
    ],
)
def test_arguments_of_the_wrong_kind(node, argument, message):
    with pytest.raises(ShapeError, match="argument") as error:
        argument_value(node, argument)
    assert str(error.value) == message


def test_arguments_that_convert():
    n, x = input_node("n", (), INTEGER), input_node("x")
    assert argument_value(n, [1.0, 2.0]).dtype == np.int64
    assert argument_value(x, np.float32(0.5)).dtype == np.float64
    assert argument_value(x, Fraction(1, 3)) == 1 / 3
    assert argument_value(x, sp.Rational(1, 3)) == 1 / 3
    assert argument_value(x, 10**400) == math.inf
    swapped = np.arange(3.0).astype(">f8")
    np.testing.assert_array_equal(argument_value(V, swapped), [0.0, 1.0, 2.0])


def test_wrong_number_of_arguments():
    with pytest.raises(ModelError, match=r"1 arguments were given, expected 2: \(x, y\)"):
        run(input_node("x"), [input_node("x"), input_node("y")], 1.0)


def test_shapes_that_do_not_broadcast():
    x, y = input_node("x"), input_node("y")
    with pytest.raises(ShapeError, match=r"do not broadcast: x has \(2,\), y has \(3,\)"):
        run(apply_op("add", x, y), [x, y], [1.0, 2.0], [1.0, 2.0, 3.0])


def test_an_input_that_is_not_listed():
    with pytest.raises(ModelError, match="reads the input y, which is not among its inputs"):
        run(apply_op("add", input_node("x"), input_node("y")), [input_node("x")], 1.0)


def test_a_size_that_no_argument_has():
    with pytest.raises(ShapeError, match="the size m is not known"):
        run(size_node("m"), [input_node("x")], 1.0)


def test_an_index_outside_of_its_array():
    index = input_node("ci", (FOUR,), INTEGER)
    node = make(Kind.GATHER, (V, read(index, axis_index(FOUR))), (FOUR,), FLOATING, (ROW,))
    with pytest.raises(ShapeError, match="the index 3 is outside of array v along axis i, which has size 3"):
        run(node, [V, index], np.zeros(3), [0, 1, 2, 3])
    with pytest.raises(ShapeError, match="the index -1 is outside"):
        run(node, [V, index], np.zeros(3), [0, -1, 2, 1])
    back = scatter(input_node("a", (FOUR,)), {ROW: read(index, axis_index(FOUR))}, (FOUR,))
    with pytest.raises(ShapeError, match="the index 9 is outside of a computed array along axis i"):
        run(back, [V, index, input_node("a", (FOUR,))], np.zeros(3), [0, 9, 1, 1], np.ones(4))


def test_a_guarded_index_may_be_anything():
    index = input_node("ci", (FOUR,), INTEGER)
    place = read(index, axis_index(FOUR))
    value = make(Kind.GATHER, (V, place), (FOUR,), FLOATING, (ROW,))
    node = s.select(s.call("lt", place, size_node("n")), value, constant(-1))
    np.testing.assert_array_equal(run(node, [V, index], [5.0, 6.0], [0, 7, 1, 2]), [5.0, -1.0, 6.0, -1.0])
    np.testing.assert_array_equal(run(node, [V, index], np.zeros(0), [0, 7, 1, 2]), [-1.0] * 4)


def test_sums_of_single_elements_need_the_memory_of_the_result():
    table = sp.Matrix(60, 70, lambda i, j: sp.Rational((7 * i + 3 * j) % 31, 8))
    x = sp.Symbol("x")
    f = sg.function(table * x + sp.ones(60, 70) * x**2, inputs=[x])
    tracemalloc.start()
    value = f(0.5)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.testing.assert_array_equal(value, np.array(table.tolist(), dtype=float) * 0.5 + 0.25)
    assert peak < 1000 * value.size  # bytes; every element apart would need an array of its own, 4200 times as much
    batch = f(np.array([0.5, -1.0]))
    np.testing.assert_array_equal(batch[0], value)


def test_a_sum_with_elements_of_several_batches():
    a, b = input_node("a"), input_node("b")
    places = [scatter(value, {FOUR: constant(k)}) for k, value in ((1, a), (3, b), (1, b))]
    found = run(apply_op("add", *places), [a, b], np.array([1.0, 2.0]), 10.0, axes=(FOUR,))
    np.testing.assert_array_equal(found, [[0, 11, 0, 10], [0, 12, 0, 10]])


def test_recurrences_are_refused():
    with pytest.raises(UnsupportedError, match="no rule for nodes of kind 'scan'"):
        run(make(Kind.SCAN, (input_node("x"),), (), FLOATING, "loop"), [input_node("x")], 1.0)


# --------------------------------------------------------------------------------------------------------------- scale
def test_deep_graphs_do_not_recurse():
    x = input_node("x")
    node = x
    for _ in range(20_000):
        node = apply_op("add", apply_op("sin", node), x)
    assert sys.getrecursionlimit() < 20_000
    assert math.isfinite(run(node, [x], 0.3))


def test_align_moves_and_inserts_dimensions():
    value = np.arange(24.0).reshape(4, 3, 2)
    assert align(value, (ROW, COLUMN), (COLUMN, ROW)).shape == (4, 2, 3)
    assert align(value, (ROW, COLUMN), (FOUR, ROW, COLUMN)).shape == (4, 1, 3, 2)


def test_compound_sizes_are_checked():
    longer = input_node("y", (Axis("p", size_symbol("n") + 1),))
    node = apply_op("mul", reduce_over("sum", longer, longer.axes[0]), V)
    np.testing.assert_array_equal(run(node, [V, longer], [1.0, 2.0], [1.0, 1.0, 1.0]), [3.0, 6.0])
    with pytest.raises(ShapeError) as error:
        run(node, [V, longer], [1.0, 2.0], [1.0, 1.0])
    assert str(error.value) == (
        "argument y has size 2 along axis 0 (n + 1), expected 3: argument v has 2 along axis 0 (n)"
    )
