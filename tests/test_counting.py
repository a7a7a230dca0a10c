"""Operations are counted as they are emitted: small cases by hand, random graphs against the loop IR."""

import random
from fractions import Fraction

import pytest
import sympy as sp

from symgraph import simplify as s
from symgraph.axis import Axis
from symgraph.codegen.loop_ir import Load, Operation, Procedure
from symgraph.codegen.lower import lower
from symgraph.codegen.plan import plan_graph
from symgraph.counting import operation_count, operation_table
from symgraph.graph import Graph, Output
from symgraph.node import axis_index, constant, input_node
from symgraph.ops import apply_op

X, Y, Z = input_node("x"), input_node("y"), input_node("z")
ROW = Axis("i", "n")
V = input_node("v", (ROW,))


def power(base, exponent):
    return s.power(base, constant(exponent))


CASES = [  # (node, operations)
    (X, {}),
    (constant(3), {}),
    (s.sub(X, Y), {"add": 1}),
    (s.add(X, Y, Z), {"add": 2}),
    (s.neg(X), {"neg": 1}),
    (s.mul(X, Y, Z), {"mul": 2}),
    (s.sub(X, s.mul(Y, Z)), {"add": 1, "mul": 1}),
    (s.div(X, Y), {"div": 1}),
    (s.div(X, s.mul(Y, Z)), {"mul": 1, "div": 1}),
    (s.mul(power(Y, -1), power(Z, -1)), {"mul": 1, "div": 1}),
    (s.div(constant(2), Y), {"div": 1}),
    (s.neg(power(Y, -1)), {"div": 1}),
    (power(X, -1), {"div": 1}),
    (power(X, 2), {"mul": 1}),
    (power(X, 4), {"mul": 2}),
    (s.add(power(X, 4), power(X, 2)), {"mul": 2, "add": 1}),
    (power(X, -2), {"mul": 1, "div": 1}),
    (s.add(power(X, -1), power(X, -2)), {"mul": 1, "div": 1, "add": 1}),
    (power(X, Fraction(1, 2)), {"sqrt": 1}),
    (power(X, Fraction(-1, 2)), {"sqrt": 1, "div": 1}),
    (power(X, Fraction(3, 2)), {"sqrt": 1, "mul": 1}),
    (s.power(X, Y), {"pow": 1}),
    (s.call("sin", s.mul(constant(2), X)), {"mul": 1, "sin": 1}),
    (s.mul(constant(sp.pi), apply_op("exp", constant(2)), X), {"mul": 2}),
    (s.call("max", X, Y, Z), {"max": 2}),
    (s.select(s.call("lt", X, Y), X, Y), {"lt": 1, "select": 1}),
    (s.call("hold", X), {}),
    (s.reduce("sum", s.mul(V, V), ROW), {"mul": 1, "sum": 1}),
    (s.mul(V, s.add(axis_index(ROW), constant(1))), {"mul": 1}),
    (
        s.add(
            s.scatter_add(X, {Axis("o", 2): constant(0)}, ()),
            s.scatter_add(Y, {Axis("o", 2): constant(1)}, ()),
        ),
        {},
    ),
    (
        s.add(
            s.scatter_add(X, {Axis("o", 2): constant(0)}, ()),
            s.scatter_add(Y, {Axis("o", 2): constant(0)}, ()),
        ),
        {"add": 1},
    ),
]


@pytest.mark.parametrize(("node", "expected"), CASES, ids=lambda p: "")
def test_small_graphs(node, expected):
    assert operation_table([node]) == expected


def test_shared_values_count_once():
    shared = s.call("exp", s.mul(X, Y))
    graph = Graph("f", (X, Y), (Output("a", s.add(shared, X)), Output("b", s.mul(shared, Y))), (0, 1))
    assert operation_count(graph) == 4


def emitted(procedure: Procedure) -> int:
    """Operations in the loop IR: n-ary ones count their signs, equal trees that are not shared count again."""
    total, stack = 0, [procedure.body]
    while stack:
        item = stack.pop()
        if isinstance(item, Operation):
            stack.extend(item.operands)
            if item.op != "float":
                total += len(item.operands) - 1 if item.op in ("add", "mul", "max", "min") else 1
        elif not isinstance(item, Load) and hasattr(item, "__dataclass_fields__"):
            stack.extend(getattr(item, name) for name in item.__dataclass_fields__)
        elif isinstance(item, tuple):
            stack.extend(item)
    return total


def random_graph(seed: int, size: int) -> Graph:
    draw = random.Random(seed)
    nodes = [X, Y, Z]
    for _ in range(size):
        a, b = draw.choice(nodes[-6:]), draw.choice(nodes)
        nodes.append(
            draw.choice(
                [
                    lambda a=a, b=b: s.add(a, b),
                    lambda a=a, b=b: s.sub(a, b),
                    lambda a=a, b=b: s.mul(a, b),
                    lambda a=a, b=b: s.div(a, s.add(b, constant(3))),
                    lambda a=a: s.call(draw.choice(["sin", "exp", "atan"]), a),
                    lambda a=a: s.power(a, constant(draw.choice([2, 3]))),
                    lambda a=a: s.mul(constant(draw.choice([2, -3])), a),
                ]
            )()
        )
    outputs = tuple(Output(f"o{k}", node) for k, node in enumerate(nodes[-2:]))
    return Graph("f", (X, Y, Z), outputs, (0, 1))


@pytest.mark.parametrize("seed", range(12))
def test_the_count_is_that_of_the_emitted_text(seed):
    graph = random_graph(seed, 40)
    count = operation_count(graph)
    assert abs(emitted(lower(plan_graph(graph))) - count) <= max(2, count // 20)
