"""Nodes: interning, exact constants, order of creation, lifetime."""

import gc
import math
import threading
from fractions import Fraction

import pytest
import sympy as sp

from symgraph.axis import Axis
from symgraph.dtype import BOOLEAN, FLOATING, INTEGER, Dtype, promote
from symgraph.node import Kind, axis_index, constant, input_node, make, size_node, union_axes
from symgraph.ops import apply_op

ROW, COLUMN = Axis("i", "n"), Axis("j", "m")


def test_equal_nodes_are_one_node():
    x, y = input_node("x"), input_node("y")
    assert input_node("x") is x
    assert apply_op("add", x, y) is apply_op("add", y, x)
    assert apply_op("atan2", x, y) is not apply_op("atan2", y, x)
    assert input_node("x", (ROW,)) is not x
    assert input_node("x", (), INTEGER) is not x
    assert input_node("x", (Axis("i", "n"),)) is input_node("x", (ROW,))


DIFFERENT = [
    0,
    False,
    0.0,
    -0.0,
    1,
    True,
    1.0,
    math.nan,
    math.inf,
    Fraction(1, 3),
    1 / 3,
    sp.Float("1", 30),
    sp.pi,
    sp.E,
]


def test_constants_of_different_types_are_different():
    nodes = [constant(value) for value in DIFFERENT]
    assert len(set(nodes)) == len(nodes)
    assert [constant(value) for value in DIFFERENT] == nodes


def test_constants_that_are_the_same():
    assert constant(math.nan) is constant(float("nan"))
    assert constant(Fraction(6, 3)) is constant(2)
    assert constant(sp.Float("0.1", 30)) is constant(sp.Float("0.1", 30))
    assert constant(sp.Float("0.1", 30)) is not constant(sp.Float("0.1", 31))


def test_dtypes_of_constants():
    assert constant(True).dtype is BOOLEAN
    assert constant(10**100).dtype is INTEGER
    assert constant(Fraction(1, 2)).dtype is FLOATING
    assert constant(sp.pi).dtype is FLOATING


@pytest.mark.parametrize("value", ["1", None, 1j, sp.I, sp.Symbol("x"), sp.zoo])
def test_what_is_no_constant(value):
    with pytest.raises(TypeError, match="is no constant of a graph"):
        constant(value)


def test_an_argument_is_older_than_its_user():
    x = input_node("x")
    node = apply_op("sin", x)
    assert x.number < node.number < apply_op("cos", node).number


def test_nodes_go_when_nobody_holds_them():
    node = apply_op("sin", input_node("only here"))
    number = node.number
    del node
    gc.collect()
    assert apply_op("sin", input_node("only here")).number > number


def test_threads_agree_on_one_node():
    x = input_node("x")
    barrier = threading.Barrier(4)
    found = []

    def build():
        barrier.wait()
        node = x
        for _ in range(2000):
            node = apply_op("exp", node)
        found.append(node)

    threads = [threading.Thread(target=build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1


def test_leaves():
    index = axis_index(ROW)
    assert (index.kind, index.axes, index.dtype, index.data) == (Kind.AXIS_INDEX, (ROW,), INTEGER, ROW)
    assert (size_node("n").kind, size_node("n").axes, size_node("n").dtype) == (Kind.SIZE, (), INTEGER)


def test_union_of_axes_is_in_order_of_appearance():
    a, b = input_node("a", (ROW, COLUMN)), input_node("b", (COLUMN, Axis("k", 2)))
    assert union_axes([input_node("x"), a, b]) == (ROW, COLUMN, Axis("k", 2))
    assert union_axes([b, a]) == (COLUMN, Axis("k", 2), ROW)
    assert union_axes([]) == ()


def test_the_text_of_a_node_is_short_and_names_its_arguments():
    x = input_node("x", (ROW,))
    node = make(Kind.ELEMENTWISE, (x,), (ROW,), FLOATING, "sin")
    assert repr(node) == f"#{node.number}=elementwise('sin', #{x.number})[i]"


def test_promotion():
    assert promote() is INTEGER
    assert promote(BOOLEAN, BOOLEAN) is INTEGER
    assert promote(INTEGER, FLOATING) is FLOATING
    assert [d.numpy_name() for d in Dtype] == ["bool", "int64", "float64"]
