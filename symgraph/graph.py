"""A graph: named inputs, named outputs with ordered axes, and the order in which everything between can be computed."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from .axis import Axis, size_names
from .node import Kind, Node

__all__ = [
    "Graph", "Output", "Structure", "collection_paused", "leaf_count", "map_structure", "topological_order",
    "user_table",
]  # fmt: skip

# How the flat outputs are returned: an index into them, a tuple of structures, or a dict of structures.
Structure: TypeAlias = "int | tuple[Structure, ...] | dict[str, Structure]"


def topological_order(roots: Iterable[Node]) -> list[Node]:
    """All nodes below (and with) ``roots``, arguments before users, in order of creation.

    An argument is always created before its user, so that sorting by creation number is a topological order.
    """
    seen: set[Node] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(node.args)
    return sorted(seen, key=_number)


def _number(node: Node) -> int:
    return node.number


@contextmanager
def collection_paused() -> Iterator[None]:
    """Build a graph without the cyclic garbage collector, which would visit every node again and again in vain.

    Graphs have no cycles; for 20,000 operations this is a third of the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def user_table(order: Iterable[Node]) -> dict[Node, list[Node]]:
    """For each node of ``order``, the nodes that have it as an argument (each once), in order of creation."""
    users: dict[Node, list[Node]] = {}
    for node in order:
        users.setdefault(node, [])
        for argument in dict.fromkeys(node.args):
            users.setdefault(argument, []).append(node)
    return users


def map_structure(structure: Structure, leaf: Any) -> Any:
    """Replace every index of a structure by ``leaf(index)``; tuples and dicts stay."""
    if isinstance(structure, int):
        return leaf(structure)
    if isinstance(structure, tuple):
        return tuple(map_structure(s, leaf) for s in structure)
    return {name: map_structure(s, leaf) for name, s in structure.items()}


def leaf_count(structure: Structure) -> int:
    """The number of indices in a structure."""
    indices: list[int] = []
    map_structure(structure, indices.append)
    return len(indices)


@dataclass(frozen=True)
class Output:
    """A named output.

    Attributes
    ----------
    name:
        How messages and emitted code call it.
    node:
        Its value.
    axes:
        The order of its dimensions: every axis of ``node``, and perhaps more, along which the value is repeated.

    Examples
    --------
    >>> from symgraph.node import input_node
    >>> Output("y", input_node("x", (Axis("i", 3),)), (Axis("i", 3),)).axes
    (Axis('i', 3),)
    """

    name: str
    node: Node
    axes: tuple[Axis, ...] = ()


@dataclass(frozen=True)
class Graph:
    """Named inputs to named outputs.

    Attributes
    ----------
    name:
        The name of the function.
    inputs:
        Input nodes, in the order of the arguments.
    outputs:
        :class:`Output` records; the structure refers to them by position.
    structure:
        How a call returns them: an index, or nested tuples and dicts of indices.

    Examples
    --------
    >>> from symgraph.node import input_node
    >>> x = input_node("x", (Axis("i", "n"),))
    >>> Graph("identity", (x,), (Output("y", x, x.axes),)).size_names
    ('n',)
    """

    name: str
    inputs: tuple[Node, ...]
    outputs: tuple[Output, ...]
    structure: Structure = 0

    @cached_property
    def order(self) -> list[Node]:
        """Every node below the outputs, arguments first (inputs that are not used do not appear)."""
        return topological_order(o.node for o in self.outputs)

    @cached_property
    def users(self) -> dict[Node, list[Node]]:
        """For each node the nodes that use it."""
        return user_table(self.order)

    @cached_property
    def size_names(self) -> tuple[str, ...]:
        """Names of the size symbols: those of the inputs' shapes first, in order of appearance."""
        return size_names(self._sizes())

    def _sizes(self) -> Iterator[Any]:
        for node in self.inputs:
            yield from (a.size for a in node.axes)
        for output in self.outputs:
            yield from (a.size for a in output.axes)
        for node in self.order:
            yield from (a.size for a in node.axes)
            if node.kind is Kind.REDUCE:
                yield node.data[1].size
            elif node.kind is Kind.SCATTER_ADD:
                yield from (a.size for a in node.data[1])

    def __hash__(self) -> int:
        return object.__hash__(self)
