"""Reads and writes at indices, as the interpreter does them: positions, loops, and sums of single elements."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

import numpy as np

from .axis import Axis
from .graph import Graph
from .node import Kind, Node

__all__ = ["elements_of_sums", "front_selectors", "loops_of", "range_message", "reads_data", "values_read"]


def elements_of_sums(graph: Graph) -> set[Node]:
    """Scattered values that only one sum reads: they are added to its result in place.

    An array that is written element by element is a sum of thousands of them, each as large as the whole.
    """
    uses: dict[Node, int] = {}
    for node in graph.order:
        for argument in node.args:
            uses[argument] = uses.get(argument, 0) + 1
    kept = {o.node for o in graph.outputs}
    return {
        argument
        for node in graph.order
        if node.kind is Kind.ELEMENTWISE and node.data == "add"
        for argument in node.args
        if argument.kind is Kind.SCATTER_ADD and uses[argument] == 1 and argument not in kept
        and argument.axes == node.axes and argument.dtype is node.dtype
    }  # fmt: skip


def values_read(node: Node, gathered: Set[Node]) -> Sequence[Node]:
    """The nodes whose values are read when a node is computed."""
    if gathered.isdisjoint(node.args):
        return node.args
    return [n for argument in node.args for n in (argument.args if argument in gathered else (argument,))]


def loops_of(node: Node) -> tuple[Axis, ...]:
    """The axes that a ScatterAdd runs over."""
    targets, summed = node.data
    return (*(a for a in node.axes if a not in targets), *summed)


def front_selectors(front: tuple[int, ...], trailing: int) -> list[np.ndarray[Any, Any]]:
    """Index arrays that read the dimensions of the batch as they are."""
    return [np.arange(n).reshape(n, *(1,) * (len(front) - 1 - k + trailing)) for k, n in enumerate(front)]


def reads_data(index: Node) -> bool:
    """Whether an index expression depends on an input, not only on running indices and sizes."""
    seen: set[Node] = set()
    stack = [index]
    while stack:
        node = stack.pop()
        if node.kind is Kind.INPUT:
            return True
        if node not in seen:
            seen.add(node)
            stack.extend(node.args)
    return False


def range_message(array: Node, axis: Axis, length: int, found: int) -> str:
    name = f"array {array.data}" if array.kind is Kind.INPUT else "a computed array"
    return (
        f"the index {found} is outside of {name} along axis {axis.name}, which has size {length}: "
        f"indices run from 0 to {length - 1}"
    )
