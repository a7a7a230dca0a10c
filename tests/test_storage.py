"""Graphs as data: the same nodes come back, hashes depend on content alone, and hostile files are refused."""

import copy
import json
import math
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from symgraph import simplify as s
from symgraph import storage
from symgraph.axis import Axis, size_symbol
from symgraph.dtype import BOOLEAN, FLOATING, INTEGER
from symgraph.encoding import encode_constant, encode_size
from symgraph.errors import ModelError, SymgraphError, ToolchainError, UnsupportedError
from symgraph.graph import Graph, Output
from symgraph.node import Kind, axis_index, constant, input_node, make, size_node
from symgraph.ops import OPS, Op, apply_op
from symgraph.storage import (
    content_hash,
    dumps,
    graph_from_data,
    graph_repr,
    graph_to_data,
    load,
    loads,
    save,
)

n, d = size_symbol("n"), size_symbol("d")
ROW, COLUMN, LONG = Axis("i", "n"), Axis("j", "d"), Axis("p", n * 2 + d * (d + 1) / 2)
X, Y = input_node("x"), input_node("y")
M = input_node("M", (ROW, COLUMN))


def every_kind() -> Graph:
    index = input_node("ci", (ROW,), INTEGER)
    flag = input_node("flag", (), BOOLEAN)
    total = s.reduce("sum", s.call("exp", s.mul(M, X)), COLUMN)
    outputs = (
        Output("sum", total, (ROW,)),
        Output("max", s.reduce("max", total, ROW)),
        Output("long", s.broadcast(s.add(X, size_node("n"), axis_index(LONG)), COLUMN), (COLUMN, LONG)),
        Output("read", s.gather(M, {ROW: index}), (COLUMN, ROW)),
        Output("at", s.scatter_add(total, {Axis("o", 4): index}, (ROW,)), (Axis("o", 4),)),
        Output("branch", s.select(flag, X, s.power(X, constant(Fraction(-1, 2))))),
        Output("constant", constant(sp.pi)),
    )
    structure = {"value": 0, "rest": (1, (2, 3), {"a": 4, "b": 5}), "c": 6}
    return Graph("f", (X, M, index, flag, Y), outputs, structure)


def test_every_kind_comes_back_as_the_same_nodes():
    graph = every_kind()
    again = loads(dumps(graph))
    assert again == graph
    assert all(a.node is b.node for a, b in zip(again.outputs, graph.outputs, strict=True))
    assert again.structure == graph.structure


def test_the_text_of_what_was_read_is_the_text_that_was_read():
    text = dumps(every_kind())
    assert dumps(loads(text)) == text
    assert json.loads(text) == graph_to_data(every_kind())


CONSTANTS = [
    0, -1, 2**53, -(2**53) - 1, 10**400, 10**5000, True, False, Fraction(1, 3), Fraction(-(10**30), 7),
    0.1, -0.0, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, math.nan,
    sp.Float("0.1", 50), sp.Float(-2, 30), sp.Float("1e-5000", 20),
    sp.pi, sp.E, sp.EulerGamma, sp.GoldenRatio, sp.Catalan,
]  # fmt: skip


@pytest.mark.parametrize("value", CONSTANTS, ids=lambda v: type(v).__name__)
def test_constants_come_back_exactly(value):
    node = constant(value)
    again = loads(dumps(Graph("f", (), (Output("c", node),)))).outputs[0].node
    assert again is node
    assert type(again.data) is type(node.data)


@given(st.one_of(st.integers(), st.fractions(), st.floats(allow_nan=True), st.booleans()))
def test_any_number_comes_back_exactly(value):
    node = constant(value)
    assert loads(dumps(Graph("f", (), (Output("c", node),)))).outputs[0].node is node


@given(st.text(min_size=1), st.text(min_size=1))
def test_any_name_comes_back(name, size):
    node = input_node(name, (Axis(size, size_symbol(size) + 1),))
    graph = Graph(name, (node,), (Output(name, node, node.axes),))
    again = loads(dumps(graph))
    assert again.outputs[0].node is node
    assert again == graph


@pytest.mark.parametrize("size", [sp.Integer(0), sp.Integer(7), n, n * d, n**2 / 2 - n / 2, 3 * n**2 * d - 4])
def test_sizes_come_back(size):
    axis = Axis("i", size)
    node = axis_index(axis)
    assert (
        loads(dumps(Graph("f", (input_node("x", (axis,)),), (Output("o", node, (axis,)),)))).outputs[0].node
        is node
    )


def test_what_cannot_be_written_is_named():
    with pytest.raises(UnsupportedError, match=r"the constant oo of type Infinity cannot be saved"):
        encode_constant(sp.oo)
    with pytest.raises(UnsupportedError, match=r"the size floor\(n/2\) is no polynomial"):
        encode_size(sp.floor(n / 2))
    scan = Graph("f", (X,), (Output("o", make(Kind.SCAN, (X,), (), FLOATING, "loop")),))
    for function in (dumps, content_hash):
        with pytest.raises(UnsupportedError, match="recurrence"):
            function(scan)


def test_axes_and_dtypes_that_do_not_follow_are_kept():
    turned = make(Kind.ELEMENTWISE, (M,), (COLUMN, ROW), FLOATING, "sin")
    assert loads(dumps(Graph("f", (M,), (Output("o", turned, (ROW, COLUMN)),)))).outputs[0].node is turned


# ---------------------------------------------------------------------------------------------------------------- repr
def test_the_repr_evaluates_back():
    graph = every_kind()
    assert eval(graph_repr(graph), {"sg": storage}) == graph


# ---------------------------------------------------------------------------------------------------------------- hash
def test_the_hash_depends_on_every_part():
    graph = every_kind()
    texts = {content_hash(graph)}
    others = [
        Graph("g", graph.inputs, graph.outputs, graph.structure),
        Graph("f", graph.inputs[::-1], graph.outputs, graph.structure),
        Graph("f", graph.inputs, graph.outputs, tuple(range(7))),
        Graph(
            "f",
            graph.inputs,
            (Output("total", *_rest(graph.outputs[0])), *graph.outputs[1:]),
            graph.structure,
        ),
        Graph("f", graph.inputs, (*graph.outputs[:-1], Output("constant", constant(sp.E))), graph.structure),
        Graph("f", graph.inputs, (*graph.outputs[:-1], Output("constant", constant(3))), graph.structure),
        Graph("f", graph.inputs, (*graph.outputs[:-1], Output("constant", constant(3.0))), graph.structure),
    ]
    for other in others:
        texts.add(content_hash(other))
    assert len(texts) == len(others) + 1
    assert content_hash(every_kind()) == content_hash(graph) == content_hash(loads(dumps(graph)))


def _rest(output):
    return output.node, output.axes


def test_the_hash_does_not_depend_on_order_of_operands_but_on_their_places():
    a, b = input_node("first"), input_node("second")
    unsorted = make(Kind.ELEMENTWISE, (b, a), (), FLOATING, "add")
    graph = Graph("f", (a, b), (Output("o", apply_op("add", a, b)),))
    assert content_hash(Graph("f", (a, b), (Output("o", unsorted),))) == content_hash(graph)
    one, other = (Graph("f", (a, b), (Output("o", apply_op("atan2", *p)),)) for p in ((a, b), (b, a)))
    assert content_hash(one) != content_hash(other)


PROGRAM = """
from symgraph import simplify as s
from symgraph.graph import Graph, Output
from symgraph.node import input_node, constant
from symgraph.storage import content_hash, dumps
import sys
names = ["x", "y", "z"] if sys.argv[1] == "forwards" else ["z", "y", "x"]
inputs = {name: input_node(name) for name in names}
x, y, z = (inputs[name] for name in ("x", "y", "z"))
graph = Graph("f", (x, y, z), (Output("o", s.mul(s.add(x, y, z), s.call("exp", s.mul(x, y)), z)),))
print(content_hash(graph), dumps(graph) if sys.argv[1] == "forwards" else "")
"""


def test_hash_and_text_do_not_depend_on_process_order_of_creation_or_hash_seed():
    def run(order, seed):
        environment = {"PYTHONHASHSEED": seed, "PATH": ""}
        command = [sys.executable, "-c", PROGRAM, order]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    first, second, backwards = run("forwards", "1"), run("forwards", "2"), run("backwards", "3")
    assert first == second
    assert first.split()[0] == backwards.split()[0]


# --------------------------------------------------------------------------------------------------------------- files
def test_save_and_load(tmp_path):
    path = tmp_path / "ä model.json"
    graph = every_kind()
    save(graph, path)
    assert load(str(path)) == graph
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_files_that_cannot_be_written_or_read(tmp_path):
    with pytest.raises(ToolchainError, match="cannot be written to"):
        save(every_kind(), tmp_path / "missing" / "f.json")
    with pytest.raises(ToolchainError, match="cannot be read from"):
        load(tmp_path / "missing.json")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(ModelError, match="not UTF-8"):
        load(tmp_path / "bytes")


def test_a_failure_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "f.json"
    save(every_kind(), path)
    before = path.read_bytes()

    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(ToolchainError, match="No space left"):
        save(Graph("g", (X,), (Output("o", X),)), path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["f.json"]


# ------------------------------------------------------------------------------------------------------- hostile files
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not valid JSON"),
        ("[" * 100_000, "nested too deep"),
        ("9" * 10_000, "not valid JSON"),
        ("[]", "the format must be 'symgraph graph', found a list"),
        ('{"format": "other"}', "the format must be 'symgraph graph', found 'other'"),
        ('{"format": "symgraph graph", "version": 2}', "format version 2, this release reads 1"),
    ],
)
def test_texts_that_hold_no_graph(text, message):
    with pytest.raises(SymgraphError) as error:
        loads(text)
    assert message in str(error.value)


VALID = {
    "format": "symgraph graph",
    "version": 1,
    "name": "f",
    "axes": [["i", "n"]],
    "nodes": [
        ["input", ["v", "floating", [0]], []],
        ["const", ["fraction", 1, 3], []],
        ["elementwise", "mul", [1, 0]],
        ["reduce", ["sum", 0], [2]],
    ],
    "inputs": [0],
    "outputs": [["o", 3, []]],
    "structure": 0,
}

DAMAGE = [  # (path into the data, what is put there, part of the message)
    (("nodes",), {}, "the entry 'nodes' must be a list"),
    (("nodes", 0), 5, "node 0: a row must be [kind, data, arguments], found 5"),
    (("nodes", 0, 0), "scan", "node 0: the kind of a node must be one of input"),
    (("nodes", 0, 1), ["x", "complex", []], "the dtype must be one of boolean, integer, floating"),
    (("nodes", 0, 1), ["x", 3, []], "an input must be [str, str, list]"),
    (("nodes", 0, 2), [0], "node 0: the number of a node must be an integer from 0 to -1, found 0"),
    (("nodes", 1, 1), ["float", "__import__('os')"], "a float must be a decimal number"),
    (("nodes", 1, 1), ["fraction", 1, 0], "a denominator must be positive"),
    (
        ("nodes", 1, 1),
        ["symbol", "exit()"],
        "a constant must be an integer, fraction, float or named constant",
    ),
    (("nodes", 1, 1), "12; exit()", "an integer must be a number or hexadecimal text"),
    (("nodes", 1, 1), ["decimal", "+", "0xff", 0, 4], "a long number must be"),
    (("nodes", 1, 1), ["decimal", "+", "0xff", 0, 2**60], "a long number must be"),
    (("nodes", 2, 2), [0, 99], "the number of a node must be an integer from 0 to"),
    (("nodes", 2, 2), [0, True], "the number of a node must be an integer from 0 to"),
    (("nodes", 2, 2), [], "the arguments of a node of kind elementwise must be at least one"),
    (("nodes", 2, 2), "01", "the arguments must be a list"),
    (("nodes", 2, 1), "system", "the operation 'system' is not known here"),
    (("nodes", 2, 1), ["add"], "the operation ['add'] is not known here"),
    (("nodes", 2, 2), [0, 1, 0], "rule 'a coefficient stands first, in a product of two'"),
    (("nodes", 3, 1), ["median", 0], "the reducer must be one of sum, product, max, min"),
    (("nodes", 3, 1), ["sum", 7], "the number of an axis must be an integer from 0 to 0"),
    (("axes", 0), ["i"], "an axis must be [name, size]"),
    (("axes", 0), ["i", -3], "the size -3 is negative"),
    (("axes", 0), ["i", [[1, 2, {"n": 10**9}]]], "a power in a size must be an integer from 1 to 64"),
    (("axes", 0), ["i", [["n"]]], "a term of a size must be"),
    (("axes", 0), ["i", 1.5], "a size must be"),
    (("inputs",), [1], "rule 'inputs are input nodes'"),
    (("inputs",), [], "rule 'inputs are listed'"),
    (("outputs", 0), ["o", 3], "an output must be [str, int, list]"),
    (("structure",), [0, 0], "the structure must be over 1 outputs"),
    (("structure",), 1, "rule 'the structure holds every output once'"),
    (("structure",), "0", "a structure must be"),
    (("name",), None, "the entry 'name' must be a str"),
]


@pytest.mark.parametrize(("path", "value", "message"), DAMAGE, ids=lambda p: "")
def test_damaged_data_is_refused_with_its_place(path, value, message):
    data = copy.deepcopy(VALID)
    assert dumps(graph_from_data(data)).startswith("{")
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(SymgraphError) as error:
        graph_from_data(data)
    assert message in str(error.value)


@settings(max_examples=20)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
def test_nonsense_raises_our_error(data):
    for key in ("nodes", "axes", "inputs", "outputs", "structure", "name"):
        damaged = graph_to_data(every_kind())
        if damaged[key] == data:
            continue
        damaged[key] = [data] if key in ("nodes", "axes") else data
        with pytest.raises(SymgraphError):
            graph_from_data(damaged) if key != "name" or not isinstance(data, str) else loads("")


# --------------------------------------------------------------------------------------------------------------- scale
def test_a_hundred_thousand_nodes():
    node = X
    for k in range(100_000):
        node = apply_op("add" if k % 2 else "sin", *([node, X] if k % 2 else [node]))
    graph = Graph("f", (X,), (Output("o", node),))
    start = time.perf_counter()
    content_hash(graph)
    assert time.perf_counter() - start < 5.0  # about 0.5 s on an idle core
    assert loads(dumps(graph)).outputs[0].node is node


def test_the_hash_of_a_users_operation_depends_on_how_it_is_spelled(monkeypatch):
    x = input_node("x")
    hashes = set()
    for spelling in ("j0", "j1"):
        monkeypatch.setitem(OPS, "spelled twice", Op("spelled twice", None, np.sin, ((0, 1),), c=spelling))
        hashes.add(content_hash(Graph("f", (x,), (Output("out", apply_op("spelled twice", x)),))))
    assert len(hashes) == 2
