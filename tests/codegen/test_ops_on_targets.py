"""Every row of the op table on every target: value and derivatives against the interpreter, several rows per kernel."""

from functools import cache

import numpy as np
import pytest

import symgraph as sg
from symgraph import simplify as s
from symgraph.derive.reverse import gradients
from symgraph.errors import UnsupportedError
from symgraph.graph import Graph, Output
from symgraph.node import constant, input_node
from symgraph.ops import OPS, Op, apply_op, register_op

from ..test_ops_table import points

LOGIC = {"and", "or", "not", "select", "undefined"}
ROWS = [row for row in OPS.values() if row.name not in LOGIC]
GROUP = 12
GROUPS = [ROWS[k : k + GROUP] for k in range(0, len(ROWS), GROUP)]
NUMBER = 19  # more than two vectors of the widest machine, and a tail


def outputs_of(row: Op):
    """Inputs, columns of arguments, and the nodes for one row: its value and its derivatives."""
    columns = [np.array(column) for column in zip(*points(row, NUMBER), strict=True)]
    fixed = [
        k in row.whole or (row.arity is not None and row.partials[k] is None) for k in range(len(columns))
    ]
    arguments = [
        constant(_order(row, k, column[0])) if fixed[k] else input_node(f"{row.name}_{k}")
        for k, column in enumerate(columns)
    ]
    node = s.call(row.name, *arguments)
    inputs = [a for a, f in zip(arguments, fixed, strict=True) if not f]
    nodes = [node]
    if row.result != "bool":
        nodes += gradients({node: constant(1)}, inputs)
    return inputs, [c for c, f in zip(columns, fixed, strict=True) if not f], nodes


def _order(row: Op, position: int, value: float):
    """What stands at an argument without a derivative: zeta has code for whole exponents, which derivatives give."""
    return round(value) if position in row.whole or row.name == "zeta" else float(value)


@cache
def results(target: str, group: int):
    """For each row of a group: (found, expected), the results of one kernel and of the interpreter."""
    rows = GROUPS[group]
    inputs, columns, outputs, parts = [], [], [], {}
    for row in rows:
        own, values, nodes = outputs_of(row)
        parts[row.name] = slice(len(outputs), len(outputs) + len(nodes))
        inputs += own
        columns += values
        outputs += [Output(f"{row.name}_result_{k}", node) for k, node in enumerate(nodes)]
    function = sg.Function(Graph(f"rows_{group}", tuple(inputs), tuple(outputs), tuple(range(len(outputs)))))
    found, expected = sg.compile(function, target=target)(*columns), function(*columns)
    return {name: (found[part], expected[part]) for name, part in parts.items()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_cython(row):
    check(*results("cython", ROWS.index(row) // GROUP)[row.name], row)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_numba(row):
    check(*results("numba", ROWS.index(row) // GROUP)[row.name], row)


def check(found, expected, row):
    tolerance = 1e-12 if row.cost >= 60 else 2e-15
    for one, other in zip(found, expected, strict=True):
        scale = np.maximum(np.abs(np.asarray(other, dtype=float)), 1e-3)
        error = np.abs(np.asarray(one, dtype=float) - np.asarray(other, dtype=float)) / scale
        assert np.max(error) <= 4 * tolerance


@pytest.mark.parametrize("target", ["cython", "numba"])
def test_what_a_target_lacks_is_refused_by_name(target):
    x = input_node("x")
    register_op(Op(f"untold_{target}", None, np.sin, ((0, 1),), given_partials=(1,)))
    function = sg.Function(Graph("f", (x,), (Output("o", apply_op(f"untold_{target}", x)),)))
    with pytest.raises(UnsupportedError, match=f"untold_{target}"):
        sg.compile(function, target=target)
