"""The grammar of a graph: what good graphs pass, and for every rule a graph that breaks it alone."""

import inspect
import re
import time
from fractions import Fraction

import pytest
import sympy as sp

from symgraph import simplify as s
from symgraph import spec
from symgraph.axis import Axis
from symgraph.dtype import BOOLEAN, FLOATING, INTEGER
from symgraph.errors import ModelError
from symgraph.graph import Graph, Output
from symgraph.node import Kind, Node, axis_index, constant, input_node, make, size_node
from symgraph.ops import apply_op
from symgraph.spec import verify

ROW, COLUMN = Axis("i", "n"), Axis("j", 3)
X, Y = input_node("x"), input_node("y")
V = input_node("v", (ROW,))
M = input_node("m", (ROW, COLUMN))
B = input_node("b", (), BOOLEAN)
INDEX = axis_index(ROW)


def graph_of(node: Node) -> Graph:
    leaves, stack, seen = [], [node], set()
    while stack:
        current = stack.pop()
        if current not in seen:
            seen.add(current)
            stack.extend(current.args)
            if current.kind is Kind.INPUT:
                leaves.append(current)
    return Graph("f", tuple(leaves), (Output("out", node, node.axes),))


def elementwise(name, *arguments, axes=(), dtype=FLOATING):
    return make(Kind.ELEMENTWISE, arguments, axes, dtype, name)


def out_of_order(name):
    low, high = sorted((X, Y), key=lambda n: n.number)
    return elementwise(name, high, low)


def circular():
    node = Node()
    node.kind, node.args, node.axes, node.dtype, node.data, node.number = (
        Kind.ELEMENTWISE,
        (X,),
        (),
        FLOATING,
        "sin",
        0,
    )
    return node


BROKEN = {  # rule -> nodes that break it
    "known kind": [make(Kind.SCAN, (X,), (), FLOATING, "recurrence")],
    "arguments come first": [circular()],
    "axes are distinct": [make(Kind.INPUT, (), (ROW, ROW), FLOATING, "w")],
    "leaves have no arguments": [
        make(Kind.INPUT, (X,), (), FLOATING, "w"),
        make(Kind.CONST, (X,), (), INTEGER, 1, "odd"),
        make(Kind.SIZE, (X,), (), INTEGER, "n"),
        make(Kind.AXIS_INDEX, (X,), (ROW,), INTEGER, ROW),
    ],
    "inputs have a name": [make(Kind.INPUT, (), (), FLOATING, ""), make(Kind.INPUT, (), (), FLOATING, 3)],
    "constants have no axes": [make(Kind.CONST, (), (ROW,), INTEGER, 1, "odd")],
    "constants are numbers": [make(Kind.CONST, (), (), FLOATING, "one")],
    "whole fractions are integers": [make(Kind.CONST, (), (), FLOATING, Fraction(4, 2), "odd")],
    "dtype of a constant": [
        make(Kind.CONST, (), (), FLOATING, 1, "floating 1"),
        make(Kind.CONST, (), (), INTEGER, True, "integer True"),
    ],
    "sizes are integers": [make(Kind.SIZE, (), (), FLOATING, "n"), make(Kind.SIZE, (), (ROW,), INTEGER, "n")],
    "sizes have a name": [make(Kind.SIZE, (), (), INTEGER, "")],
    "a running index varies over its axis": [make(Kind.AXIS_INDEX, (), (COLUMN,), INTEGER, ROW)],
    "running indices are integers": [make(Kind.AXIS_INDEX, (), (ROW,), FLOATING, ROW)],
    "known operation": [elementwise("arcsinc", X)],
    "number of arguments": [
        elementwise("sin", X, Y),
        elementwise("add", X),
        elementwise("undefined"),
        make(Kind.REDUCE, (), (), FLOATING, ("sum", ROW)),
        make(Kind.BROADCAST, (X, Y), (ROW,), FLOATING, ROW),
    ],
    "axes follow from the arguments": [
        elementwise("sin", V),
        make(Kind.REDUCE, (M,), (ROW, COLUMN), FLOATING, ("sum", ROW)),
        make(Kind.BROADCAST, (X,), (ROW, COLUMN), FLOATING, ROW),
        make(Kind.GATHER, (V, constant(0)), (ROW,), FLOATING, (ROW,)),
        make(Kind.SCATTER_ADD, (V, INDEX), (COLUMN, ROW), FLOATING, ((COLUMN,), (ROW,))),
    ],
    "dtype of an operation": [elementwise("sin", X, dtype=INTEGER), elementwise("lt", X, Y, dtype=FLOATING)],
    "commutative arguments are sorted": [out_of_order("add"), out_of_order("mul"), out_of_order("max")],
    "logic is boolean": [elementwise("not", X, dtype=BOOLEAN)],
    "conditions are boolean": [elementwise("select", X, X, Y)],
    "a coefficient stands first, in a product of two": [
        elementwise("mul", X, constant(2)),
        elementwise("mul", constant(2), X, Y),
        elementwise("mul", constant(2), constant(3), dtype=INTEGER),
    ],
    "known reducer": [
        make(Kind.REDUCE, (V,), (), FLOATING, ("median", ROW)),
        make(Kind.REDUCE, (V,), (), FLOATING, "sum"),
    ],
    "a reduction is over an axis of its argument": [
        make(Kind.REDUCE, (V,), (ROW,), FLOATING, ("sum", COLUMN))
    ],
    "dtype of a reduction": [make(Kind.REDUCE, (V,), (), INTEGER, ("sum", ROW))],
    "a broadcast adds an axis": [
        make(Kind.BROADCAST, (V,), (ROW,), FLOATING, ROW),
        make(Kind.BROADCAST, (X,), (ROW,), FLOATING, "i"),
    ],
    "dtype of a broadcast": [make(Kind.BROADCAST, (X,), (ROW,), INTEGER, ROW)],
    "one index per replaced axis": [
        make(Kind.GATHER, (V,), (ROW,), FLOATING, ()),
        make(Kind.GATHER, (M, constant(0)), (), FLOATING, (ROW, COLUMN)),
    ],
    "replaced axes are distinct": [
        make(Kind.GATHER, (M, constant(0), constant(1)), (COLUMN,), FLOATING, (ROW, ROW))
    ],
    "replaced axes belong to the array": [make(Kind.GATHER, (V, constant(0)), (ROW,), FLOATING, (COLUMN,))],
    "indices are integers": [
        make(Kind.GATHER, (V, X), (), FLOATING, (ROW,)),
        make(Kind.SCATTER_ADD, (V, X), (COLUMN, ROW), FLOATING, ((COLUMN,), ())),
    ],
    "dtype of a read": [make(Kind.GATHER, (V, constant(0)), (), INTEGER, (ROW,))],
    "one index per target axis": [
        make(Kind.SCATTER_ADD, (V,), (), FLOATING, ((), (ROW,))),
        make(Kind.SCATTER_ADD, (V, INDEX), (), FLOATING, "odd"),
    ],
    "target and summed axes are distinct": [
        make(Kind.SCATTER_ADD, (V, INDEX), (COLUMN,), FLOATING, ((COLUMN,), (ROW, ROW))),
    ],
    "summed axes belong to value or index": [
        make(Kind.SCATTER_ADD, (X, constant(0)), (COLUMN,), FLOATING, ((COLUMN,), (ROW,))),
    ],
    "a target axis is bound": [make(Kind.SCATTER_ADD, (V, constant(0)), (ROW,), FLOATING, ((ROW,), ()))],
    "dtype of a scatter": [make(Kind.SCATTER_ADD, (V, INDEX), (COLUMN,), INTEGER, ((COLUMN,), (ROW,)))],
}

BROKEN_GRAPHS = {  # rule -> graphs that break it
    "inputs are input nodes": Graph("f", (apply_op("sin", X),), (Output("out", constant(1)),)),
    "input names are unique": Graph("f", (X, input_node("x", (ROW,))), (Output("out", X),)),
    "inputs are listed": Graph("f", (X,), (Output("out", apply_op("add", X, Y)),)),
    "inputs have a name": Graph(
        "f", (make(Kind.INPUT, (), (), FLOATING, ""),), (Output("out", constant(1)),)
    ),
    "the axes of an output are distinct": Graph("f", (X,), (Output("out", X, (ROW, ROW)),)),
    "an output has all axes of its node": Graph("f", (V,), (Output("out", V),)),
    "the structure holds every output once": Graph("f", (X, Y), (Output("a", X), Output("b", Y)), (0, 0)),
}


@pytest.mark.parametrize(
    ("rule", "node"),
    [(rule, node) for rule, nodes in BROKEN.items() for node in nodes],
    ids=lambda p: p if isinstance(p, str) else "",
)
def test_a_malformed_node_breaks_its_rule(rule, node):
    with pytest.raises(ModelError, match="rule") as error:
        verify(graph_of(node))
    assert str(error.value).startswith(f"rule {rule!r}: ")
    assert f"#{node.number}=" in str(error.value)


@pytest.mark.parametrize("rule", BROKEN_GRAPHS)
def test_a_malformed_graph_breaks_its_rule(rule):
    with pytest.raises(ModelError, match="rule") as error:
        verify(BROKEN_GRAPHS[rule])
    assert str(error.value).startswith(f"rule {rule!r}: ")


def test_every_rule_has_a_graph_that_breaks_it():
    named = set(re.findall(r'yield "([^"]+)"', inspect.getsource(spec)))
    assert named == {*BROKEN, *BROKEN_GRAPHS}


GOOD = [
    X,
    V,
    M,
    constant(Fraction(1, 3)),
    constant(sp.pi),
    constant(sp.Float("0.1", 40)),
    constant(True),
    constant(10**40),
    size_node("n"),
    INDEX,
    apply_op("add", X, Y),
    apply_op("undefined", X),
    s.mul(constant(2), X, Y),
    s.sub(X, Y),
    s.div(X, Y),
    s.mul(constant(sp.pi), X, Y),
    s.reduce("max", M, ROW),
    s.broadcast(X, ROW),
    s.gather(V, {ROW: constant(0)}),
    s.scatter_add(X, {COLUMN: constant(1)}, ()),
    s.select(s.call("lt", X, Y), X, s.ZERO),
    s.logical_not(B),
    apply_op("and", B, apply_op("lt", X, Y)),
    s.power(INDEX, constant(2)),
    apply_op("float", INDEX),
]


@pytest.mark.parametrize("node", GOOD, ids=lambda node: node.kind.value)
def test_good_graphs_pass(node):
    verify(graph_of(node))


def test_outputs_may_have_more_axes_than_their_node():
    verify(
        Graph(
            "f",
            (X, V),
            (Output("out", X, (ROW,)), Output("c", constant(1), (COLUMN, ROW))),
            {"a": 0, "b": (1,)},
        )
    )


def test_a_hundred_thousand_nodes_in_about_a_second():
    node = X
    for k in range(100_000):
        node = apply_op("add" if k % 2 else "mul", node, X)
    graph = graph_of(node)
    start = time.perf_counter()
    verify(graph)
    assert time.perf_counter() - start < 5.0  # about 0.4 s on an idle core
