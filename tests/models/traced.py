"""Numbers that build a graph as they are computed with: the shortest way from Python arithmetic to a Function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import symgraph as sg
from symgraph import simplify as s
from symgraph.graph import Graph, Output, collection_paused
from symgraph.node import Node, constant, input_node

__all__ = ["Traced", "cos", "exp", "merge", "sin", "traced_function"]


class Traced:
    """A scalar node with Python's arithmetic operators."""

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node

    def __add__(self, other: Any) -> Traced:
        return Traced(s.add(self.node, _node(other)))

    __radd__ = __add__

    def __mul__(self, other: Any) -> Traced:
        return Traced(s.mul(self.node, _node(other)))

    __rmul__ = __mul__

    def __sub__(self, other: Any) -> Traced:
        return Traced(s.sub(self.node, _node(other)))

    def __rsub__(self, other: Any) -> Traced:
        return Traced(s.sub(_node(other), self.node))

    def __truediv__(self, other: Any) -> Traced:
        return Traced(s.div(self.node, _node(other)))

    def __rtruediv__(self, other: Any) -> Traced:
        return Traced(s.div(_node(other), self.node))

    def __neg__(self) -> Traced:
        return Traced(s.neg(self.node))

    def __pow__(self, exponent: int | Fraction) -> Traced:
        return Traced(s.power(self.node, constant(exponent)))


def _node(value: Any) -> Node:
    return value.node if isinstance(value, Traced) else constant(value)


def sin(x: Traced) -> Traced:
    """The sine."""
    return Traced(s.call("sin", x.node))


def cos(x: Traced) -> Traced:
    """The cosine."""
    return Traced(s.call("cos", x.node))


def exp(x: Traced) -> Traced:
    """The exponential function."""
    return Traced(s.call("exp", x.node))


def traced_function(
    formula: Callable[[Sequence[Traced]], Traced], names: Sequence[str], name: str = "traced"
) -> sg.Function:
    """The Function that ``formula`` computes from scalar inputs.

    >>> traced_function(lambda v: v[0] * v[1] + 1, ["x", "y"])(2.0, 3.0)
    7.0
    """
    inputs = tuple(input_node(n) for n in names)
    with collection_paused():  # as capture does: nodes make no cycles, and looking for some costs a third of the time
        result = formula([Traced(node) for node in inputs])
    return sg.Function(Graph(name, inputs, (Output(name, result.node),)))


def merge(functions: Sequence[sg.Function], name: str = "merged") -> sg.Function:
    """One Function that returns the tuple of the results of all; an input that several have is one argument."""
    inputs: dict[Node, None] = {}
    outputs: list[Output] = []
    structure: list[Any] = []
    for position, function in enumerate(functions):
        graph = function.graph
        structure.append(_shifted(graph.structure, len(outputs)))
        inputs.update(dict.fromkeys(graph.inputs))
        outputs.extend(Output(f"{o.name}_{position}", o.node, o.axes) for o in graph.outputs)
    return sg.Function(Graph(name, tuple(inputs), tuple(outputs), tuple(structure)))


def _shifted(structure: Any, offset: int) -> Any:
    if isinstance(structure, int):
        return structure + offset
    if isinstance(structure, tuple):
        return tuple(_shifted(part, offset) for part in structure)
    return {key: _shifted(part, offset) for key, part in structure.items()}
