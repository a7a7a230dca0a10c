"""Small array programs in index notation, built with the constructors: what derivative tests run on."""

from __future__ import annotations

from collections.abc import Callable

from symgraph import simplify as s
from symgraph.axis import Axis
from symgraph.graph import Graph, Output
from symgraph.node import Node, axis_index, constant, input_node

N, M = Axis("n", "N"), Axis("m", "M")
X0, X1, Y0, C0 = Axis("x_0", "N"), Axis("x_1", "N"), Axis("y_0", "M"), Axis("c_0", "M")


def read(array: Node, *indices: Node) -> Node:
    return s.gather(array, dict(zip(array.axes, indices, strict=True)))


x = input_node("x", (X0,))
y = input_node("y", (Y0,))
A = input_node("A", (X0, X1))
i, j = axis_index(N), axis_index(Axis("j", "N"))
J = Axis("j", "N")
k = axis_index(M)
ix = input_node("ix", (C0,), constant(1).dtype)


def sum_(node: Node, *axes: Axis) -> Node:
    for axis in axes:
        node = s.reduce("sum", node, axis)
    return node


def exp(node: Node) -> Node:
    return s.call("exp", node)


def sin(node: Node) -> Node:
    return s.call("sin", node)


PROGRAMS: dict[str, Callable[[], Node]] = {
    "double sum": lambda: sum_(s.mul(s.add(read(x, i), read(y, k)), s.add(read(x, i), read(y, k))), M, N),
    "multiplicity": lambda: s.power(sum_(s.add(read(x, i), read(y, k)), M, N), constant(2)),
    "matrix vector": lambda: sum_(sin(sum_(s.mul(read(A, i, j), read(x, j)), J)), N),
    "log-sum-exp": lambda: s.call("log", sum_(exp(read(x, i)), N)),
    "diagonal": lambda: sum_(s.mul(sin(read(A, i, i)), read(x, i)), N),
    "trace of square": lambda: sum_(s.mul(read(A, i, j), read(A, j, i)), J, N),
    "triangle": lambda: sum_(
        s.guard(s.compare("lt", j, i), s.mul(read(A, i, j), s.mul(read(x, i), sin(read(x, j))))), J, N
    ),
    "pairs": lambda: sum_(
        s.guard(
            s.compare("lt", i, j),
            s.call("log", s.add(constant(1), s.power(s.sub(read(x, i), read(x, j)), constant(2)))),
        ),
        J, N,
    ),
    "shift": lambda: sum_(
        s.guard(
            s.compare("lt", s.add(i, constant(1)), s.call("add", constant(0), _size())),
            s.power(s.sub(read(x, s.add(i, constant(1))), s.power(read(x, i), constant(2))), constant(2)),
        ),
        N,
    ),
    "table look-up": lambda: sum_(s.mul(sin(read(x, read(ix, k))), read(y, k)), M),
    "product": lambda: s.reduce("product", s.add(read(x, i), constant(0.1)), N),
    "maximum": lambda: s.mul(s.reduce("max", s.mul(read(x, i), read(x, i)), N), read(x, constant(0))),
    "computed table": lambda: sum_(s.mul(exp(read(x, i)), s.gather(exp(read(x, i)), {N: j})), J, N),
    "branch": lambda: sum_(
        s.select(s.compare("lt", constant(0), read(x, i)), s.call("log", read(x, i)), sin(read(x, i))), N
    ),
    "softmax": lambda: sum_(
        s.mul(s.div(exp(read(x, i)), sum_(exp(read(x, i)), N)), s.mul(read(x, i), read(x, i))), N
    ),
}  # fmt: skip


def _size() -> Node:
    from symgraph.node import size_node

    return size_node("N")


def graph(name: str) -> Graph:
    return Graph("f", (x, y, A, ix), (Output("f", PROGRAMS[name]()),))
