"""Random graphs of every kind of node, from a seed: nested sums and maxima, guards, reads and writes at all
sorts of indices."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from symgraph import simplify as s
from symgraph.axis import Axis
from symgraph.dtype import INTEGER
from symgraph.graph import Graph, Output
from symgraph.node import Node, axis_index, constant, input_node, size_node

__all__ = ["arguments", "random_graph"]

AXES = (Axis("a", "n"), Axis("b", "n"), Axis("c", "m"), Axis("k", 3), Axis("e", "n"))
X = input_node("X", (Axis("X.0", "n"), Axis("X.1", "m")))
Y = input_node("y", (Axis("y.0", "n"),))
W = input_node("w", (Axis("w.0", "m"),))
Q = input_node("q", (Axis("q.0", 3),))
V = input_node("v")
TABLE = input_node("ci", (Axis("ci.0", "n"),), INTEGER)
NEUTRAL = {"sum": 0, "product": 1, "max": float("-inf"), "min": float("inf")}


def arguments(seed: int, n: int, m: int) -> list[object]:
    """Values for the inputs of every random graph; n must not be 0."""
    rng = np.random.default_rng(seed)
    return [
        rng.normal(size=(n, m)), rng.normal(size=n), rng.normal(size=m), rng.normal(size=3), 0.7,
        rng.integers(0, n, size=n),
    ]  # fmt: skip


def random_graph(seed: int) -> Graph:
    """The graph of a seed."""
    return _Maker(seed).graph()


class _Maker:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.pool: dict[tuple[Axis, ...], list[Node]] = {}

    def graph(self) -> Graph:
        outputs = []
        for number in range(self.random.choice([1, 2, 3])):
            axes = self.random.sample(AXES, self.random.choice([0, 1, 1, 2]))
            outputs.append(Output(f"o{number}", self.value(axes, self.random.choice([2, 3, 4, 5])), tuple(axes)))
        structure = tuple(range(len(outputs))) if len(outputs) > 1 else 0
        return Graph("f", (X, Y, W, Q, V, TABLE), tuple(outputs), structure)

    def value(self, axes: Sequence[Axis], depth: int) -> Node:
        """A value that varies over some of ``axes``; now and then one that was made before."""
        known = self.pool.setdefault(tuple(axes), [])
        if known and self.random.random() < 0.3:
            return self.random.choice(known)
        if depth == 0:
            return self.leaf(axes)
        makers = [self.plain] * 11 + [self.guarded] * 2 + [self.read] * 2 + [self.written] + [self.reduced] * 4
        node = self.random.choice(makers)(axes, depth - 1)
        known.append(node)
        return node

    # ------------------------------------------------------------------------------------------------------ leaves
    def leaf(self, axes: Sequence[Axis]) -> Node:
        pick = self.random.choice("XywqvcsiXyw")
        if pick == "c":
            return constant(self.random.choice([2, -1, 0.5, 3]))
        if pick == "s":
            return s.call("float", size_node("n"))
        if pick == "i" and axes:
            return s.call("float", axis_index(self.random.choice(axes)))
        array = {"X": X, "y": Y, "w": W, "q": Q}.get(pick, V)
        indices = [self.index(axes, axis) for axis in array.axes]
        if any(i is None for i in indices) or not indices:
            return V
        return s.gather(array, {a: i for a, i in zip(array.axes, indices, strict=True) if i is not None})

    def index(self, axes: Sequence[Axis], axis: Axis) -> Node | None:
        fitting = [a for a in axes if a.size == axis.size]
        if not fitting:
            return constant(self.random.randrange(3)) if axis.size == 3 else None
        return self.looked_up(axis_index(self.random.choice(fitting)), 0.2)

    def looked_up(self, index: Node, probability: float) -> Node:
        """The index, or what the integer array has there."""
        if str(index.axes[0].size) == "n" and self.random.random() < probability:
            return s.gather(TABLE, {TABLE.axes[0]: index})
        return index

    def condition(self, axes: Sequence[Axis]) -> Node:
        equal = [a for a in axes if str(a.size) == "n"]
        if len(equal) >= 2 and self.random.random() < 0.8:
            left, right = (axis_index(a) for a in self.random.sample(equal, 2))
            offset = self.random.choice([0, 0, 0, 1, -1, 2])
            return s.call(self.random.choice(["lt", "le", "le", "eq"]), left, s.add(right, constant(offset)))
        if axes:
            sides = [axis_index(self.random.choice(axes)), constant(self.random.randrange(4))]
            self.random.shuffle(sides)
            return s.call(self.random.choice(["lt", "le"]), *sides)
        return s.call("lt", self.leaf(axes), constant(0.3))

    # ------------------------------------------------------------------------------------------------------- nodes
    def plain(self, axes: Sequence[Axis], depth: int) -> Node:
        first, second = self.value(axes, depth), self.value(axes, depth)
        match self.random.randrange(6):
            case 0 | 1:
                return s.add(first, second, self.value(axes, depth))
            case 2 | 3:
                return s.mul(first, second)
            case 4:
                return s.div(first, s.add(constant(2), s.power(second, constant(2))))
        return s.call(self.random.choice(["sin", "tanh", "cos"]), first)

    def guarded(self, axes: Sequence[Axis], depth: int) -> Node:
        otherwise = constant(0) if self.random.random() < 0.5 else self.value(axes, depth)
        return s.select(self.condition(axes), self.value(axes, depth), otherwise)

    def read(self, axes: Sequence[Axis], depth: int) -> Node:
        """A computed array read along another axis, at looked-up indices, or shifted under a guard."""
        free = [a for a in AXES if a not in axes]
        if not free or not axes:
            return self.leaf(axes)
        axis = self.random.choice(free)
        array = self.value([*(axes[:-1] if self.random.random() < 0.5 else axes), axis], depth)
        same = [a for a in axes if a.size == axis.size]
        if axis not in array.axes or not same:
            return s.reduce("sum", array, axis)
        node = s.gather(array, {axis: self.looked_up(axis_index(self.random.choice(same)), 0.4)})
        if str(axis.size) == "n" and self.random.random() < 0.4:
            index = s.add(axis_index(self.random.choice(same)), constant(self.random.choice([1, -1, 2])))
            inside = s.logical_and(s.call("le", constant(0), index), s.call("lt", index, size_node("n")))
            node = s.add(node, s.select(inside, s.gather(array, {axis: index}), constant(0)))
        return node

    def written(self, axes: Sequence[Axis], depth: int) -> Node:
        free = [a for a in AXES if a not in axes]
        if not free or not axes:
            return self.leaf(axes)
        axis, target = self.random.choice(free), self.random.choice(axes)
        value = self.value([*(a for a in axes if a != target), axis], depth)
        if axis.size == target.size:
            return s.scatter_add(value, {target: self.looked_up(axis_index(axis), 0.5)}, (axis,))
        value = s.reduce("sum", value, axis)
        return s.scatter_add(value, {target: constant(self.random.randrange(3))}, ()) if target.size == 3 else value

    def reduced(self, axes: Sequence[Axis], depth: int) -> Node:
        free = [a for a in AXES if a not in axes]
        if not free:
            return self.leaf(axes)
        axis = self.random.choice(free)
        body = self.value([*axes, axis], depth)
        reducer = self.random.choice(["sum", "sum", "sum", "max", "min", "product"])
        if reducer == "product":
            body = s.mul(constant(0.5), s.call("tanh", body))
        if self.random.random() < 0.5:
            body = s.select(self.condition([*axes, axis]), body, constant(NEUTRAL[reducer]))
        node = s.reduce(reducer, body, axis)
        return s.call("tanh", node) if reducer in ("max", "min") else node
