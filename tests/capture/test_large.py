"""Long sums, deep nesting and shared expressions: capture neither recurses nor repeats work, and its order is fixed."""

from __future__ import annotations

import math
import subprocess
import sys

import sympy as sp

from symgraph.capture import capture, to_sympy
from symgraph.errors import UnsupportedError
from symgraph.graph import Graph, Output
from symgraph.interpret import evaluate
from symgraph.node import input_node
from symgraph.simplify import call

x = sp.Symbol("x")


def nested(depth: int, innermost: sp.Expr) -> sp.Expr:
    """sin(... sin(sin(innermost) + 1) + 2 ...), put together without evaluation."""
    for count in range(depth):
        innermost = sp.Add(sp.sin(innermost, evaluate=False), sp.Integer(count), evaluate=False)
    return innermost


def test_a_sum_of_12000_terms() -> None:
    symbols = sp.symbols("x0:100")
    terms = [
        sp.Mul(symbols[k % 100], sp.Pow(symbols[k * 7 % 100], k + 2, evaluate=False), evaluate=False)
        for k in range(12_000)
    ]
    graph, _ = capture(sp.Add(*terms, evaluate=False))
    assert len(graph.order) > 12_000
    assert len(graph.inputs) == 100


def test_an_expression_nested_3000_deep() -> None:
    graph, _ = capture(nested(3000, x))
    assert sum(node.data == "sin" for node in graph.order) == 3000


def test_the_path_of_an_error_deep_inside_is_short() -> None:
    try:
        capture(nested(2000, sp.Integral(sp.exp(-(x**2)), x)))
    except UnsupportedError as error:
        assert "Integral" in str(error)
        assert "more" in str(error)
        assert len(str(error)) < 600
    else:
        raise AssertionError("an Integral has no meaning")


def test_shared_expressions_are_captured_once() -> None:
    expression = x
    for _ in range(200):  # as a tree this would have 2**200 leaves
        expression = sp.Add(
            sp.sin(expression, evaluate=False), sp.cos(expression, evaluate=False), evaluate=False
        )
    graph, _ = capture(expression)
    assert len(graph.order) < 1_000


def test_equal_expressions_that_are_different_objects_are_one() -> None:
    left, right = nested(300, x), nested(300, x)
    graph, _ = capture([left, right])
    assert graph.outputs[0].node is graph.outputs[1].node


def test_a_chain_of_5000_goes_to_sympy_and_back() -> None:
    node = first = input_node("x")
    for count in range(5_000):
        node = call("sin", call("add", node, first)) if count % 2 else call("mul", node, first)
    expression = to_sympy(Graph("chain", (first,), (Output("chain", node),)), (x,))
    assert capture(expression, [x])[0].outputs[0].node is node


def test_the_order_of_nodes_does_not_depend_on_the_hash_seed() -> None:
    program = """
import sympy as sp
from symgraph.capture import capture
a, b, c, d = sp.symbols("a b c d")
i, n, m = sp.Symbol("i", integer=True), *sp.symbols("n m", integer=True, positive=True)
u, v = sp.IndexedBase("u", shape=(n,)), sp.IndexedBase("v", shape=(m,))
total = sp.Sum(sp.sin(u[i] * a) + b, (i, 0, n - 1)) + sp.Sum(v[i] ** c, (i, 0, m - 1)) * d
f, symbols = capture([total, sp.Max(a, b, c, d), sp.And(a > b, c > d, a < d)])
print([repr(node) for node in f.order], symbols)
"""
    texts = set()
    for seed in ("0", "77"):
        run = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
        )
        texts.add(run.stdout)
    assert len(texts) == 1


def test_values_of_a_deep_expression_are_right() -> None:
    graph, _ = capture(sp.Add(nested(50, x), x, evaluate=False))
    expected = 0.5
    for count in range(50):
        expected = math.sin(expected) + count
    assert abs(evaluate(graph, [0.5])[0] - expected - 0.5) < 1e-12
