"""Random graphs: the interpreter against an evaluation of one element at a time in plain Python."""

import math
import random
from itertools import product

import numpy as np
import pytest

from symgraph import simplify as s
from symgraph.axis import Axis, evaluate_size
from symgraph.dtype import INTEGER
from symgraph.graph import Graph, Output
from symgraph.interpret import evaluate
from symgraph.node import Kind, axis_index, constant, input_node, size_node
from symgraph.ops import apply_op
from symgraph.spec import verify
from symgraph.storage import dumps, loads

ROW, COLUMN, THREE = Axis("i", "n"), Axis("j", "d"), Axis("k", 3)
POOL = [ROW, COLUMN, THREE]
M, V, A = (
    input_node("M", (Axis("M.0", "n"), Axis("M.1", "d"))),
    input_node("v", (Axis("v.0", "n"),)),
    input_node("a"),
)
CI = input_node("ci", (Axis("ci.0", "n"),), INTEGER)
INPUTS = (M, V, A, CI)

SCALAR = {
    "add": lambda *a: sum(a),
    "mul": lambda *a: math.prod(a),
    "sin": math.sin,
    "atan": math.atan,
    "max": max,
    "min": min,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "and": lambda *a: all(a),
    "or": lambda *a: any(a),
    "not": lambda a: not a,
    "pow": lambda a, b: a**b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "abs": abs,
}
FOLD = {
    "sum": sum,
    "product": math.prod,
    "max": lambda x: max(x, default=-math.inf),
    "min": lambda x: min(x, default=math.inf),
}


class Naive:
    """Value of one element: a node at given indices."""

    def __init__(self, arguments, sizes):
        self.arguments, self.sizes, self.memo = arguments, sizes, {}

    def size(self, axis):
        return evaluate_size(axis.size, self.sizes)

    def at(self, node, index):
        key = (node, *(index[a] for a in node.axes))
        if key not in self.memo:
            self.memo[key] = self.compute(node, index)
        return self.memo[key]

    def compute(self, node, index):
        match node.kind:
            case Kind.INPUT:
                return self.arguments[node][tuple(index[a] for a in node.axes)].item()
            case Kind.CONST:
                return node.data
            case Kind.SIZE:
                return self.sizes[node.data]
            case Kind.AXIS_INDEX:
                return index[node.data]
            case Kind.ELEMENTWISE if node.data == "select":
                return self.at(node.args[1] if self.at(node.args[0], index) else node.args[2], index)
            case Kind.ELEMENTWISE:
                return SCALAR[node.data](*(self.at(a, index) for a in node.args))
            case Kind.REDUCE:
                name, axis = node.data
                return FOLD[name]([self.at(node.args[0], {**index, axis: k}) for k in range(self.size(axis))])
            case Kind.BROADCAST:
                return self.at(node.args[0], index)
            case Kind.GATHER:
                places = {a: self.at(x, index) for a, x in zip(node.data, node.args[1:], strict=True)}
                if any(not 0 <= p < self.size(a) for a, p in places.items()):
                    return math.nan
                return self.at(node.args[0], {**index, **places})
            case Kind.SCATTER_ADD:
                targets, summed = node.data
                total = 0
                for loop in product(*(range(self.size(a)) for a in summed)):
                    inner = {**index, **dict(zip(summed, loop, strict=True))}
                    inner = {a: k for a, k in inner.items() if a not in targets or a in summed}
                    if all(
                        self.at(x, inner) == index[t] for t, x in zip(targets, node.args[1:], strict=True)
                    ):
                        total += self.at(node.args[0], inner)
                return total
        raise AssertionError(node)


def random_graph(seed):
    draw = random.Random(seed)
    i, j, k = (axis_index(a) for a in POOL)
    leaves = [
        s.gather(M, {M.axes[0]: i, M.axes[1]: j}), s.gather(V, {V.axes[0]: i}), A, constant(2), size_node("d"), i, k,
        s.gather(M, {M.axes[0]: i, M.axes[1]: constant(0)}),
    ]  # fmt: skip
    nodes = list(leaves)

    def pick():
        return draw.choice(nodes[-8:] + leaves)

    def reduced():
        node = draw.choice([n for n in nodes if n.axes])
        return s.reduce(draw.choice(["sum", "sum", "max", "min"]), node, draw.choice(node.axes))

    def product_over_three():
        return s.reduce("product", s.call("atan", s.mul(s.add(k, constant(1)), pick())), THREE)

    def triangle():
        lower = s.call("le", j, i)
        return s.reduce("sum", s.select(lower, pick(), s.ZERO), draw.choice([ROW, COLUMN]))

    def looked_up():
        node = draw.choice([n for n in nodes if ROW in n.axes])
        place = draw.choice(
            [s.gather(CI, {CI.axes[0]: i}), s.sub(s.sub(size_node("n"), i), constant(1)), constant(1)]
        )
        return s.gather(node, {ROW: place})

    def shifted():
        node = draw.choice([n for n in nodes if ROW in n.axes])
        back = s.sub(i, constant(1))
        return s.select(s.call("le", constant(1), i), s.gather(node, {ROW: back}), s.ZERO)

    def scattered():
        node = draw.choice([n for n in nodes if ROW in n.axes])
        value = s.scatter_add(node, {Axis("t", "n"): s.gather(CI, {CI.axes[0]: i})}, (ROW,))
        return s.rename_axes([value], {Axis("t", "n"): ROW})[0]

    def binned():
        node = draw.choice([n for n in nodes if ROW in n.axes])
        value = (
            s.scatter_add(node, {THREE: s.call("mod", i, constant(3))}, (ROW,))
            if THREE not in node.axes
            else node
        )
        return value

    makers = [
        lambda: s.add(pick(), pick()), lambda: s.mul(pick(), pick()), lambda: s.call("sin", pick()),
        lambda: s.call("max", pick(), pick()), lambda: s.select(s.call("lt", pick(), pick()), pick(), pick()),
        lambda: apply_op("mul", apply_op("lt", i, constant(1)), pick()), lambda: s.power(pick(), constant(2)),
        reduced, product_over_three, triangle, looked_up, shifted, scattered, binned,
    ]  # fmt: skip
    for _ in range(14):
        node = draw.choice(makers)()
        nodes.append(s.call("atan", s.mul(constant(0.25), node)) if draw.random() < 0.3 else node)
    outputs = [*nodes[-3:], s.reduce("sum", nodes[-1], nodes[-1].axes[0]) if nodes[-1].axes else nodes[-1]]
    return Graph("f", INPUTS, tuple(Output(f"o{k}", n, n.axes) for k, n in enumerate(outputs)), (0, 1, 2, 3))


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("shape", [(4, 3), (3, 5)])
def test_against_one_element_at_a_time(seed, shape):
    generator = np.random.default_rng(seed)
    n, d = shape
    matrix, vector, number = (
        generator.normal(size=(n, d)),
        generator.normal(size=n),
        generator.normal(size=()),
    )
    arguments = [matrix, vector, np.asarray(number), generator.integers(0, n, n)]
    graph = random_graph(seed)
    verify(graph)
    assert loads(dumps(graph)) == graph
    naive = Naive(dict(zip(INPUTS, arguments, strict=True)), {"n": n, "d": d})
    for output, found in zip(graph.outputs, evaluate(graph, arguments), strict=True):
        ranges = [range(naive.size(a)) for a in output.axes]
        expected = [
            naive.at(output.node, dict(zip(output.axes, place, strict=True))) for place in product(*ranges)
        ]
        np.testing.assert_allclose(np.ravel(found), np.array(expected, dtype=float), rtol=1e-11, atol=1e-12)
