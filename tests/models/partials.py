"""All partial derivatives of a scalar function up to some order, each distinct one once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement, pairwise

import symgraph as sg
from symgraph.graph import Graph, Output

__all__ = ["orders", "up_to"]

Combination = tuple[int, ...]


def orders(size: int, order: int) -> list[list[Combination]]:
    """The partials of each order from 0: which inputs they are by, in the order of the corpora.

    >>> orders(2, 2)
    [[()], [(0,), (1,)], [(0, 0), (0, 1), (1, 1)]]
    """
    return [list(combinations_with_replacement(range(size), k)) for k in range(order + 1)]


def up_to(function: sg.Function, order: int) -> sg.Function:
    """Value and all partials up to ``order``: a tuple per order, in the order of :func:`orders`.

    The first order is one reverse sweep. Every further order is one forward sweep per input, over those partials
    that have no later input in them: a sweep serves all of them, and none is derived twice.
    """
    names = function.inputs
    table: dict[Combination, Output] = {(): function.graph.outputs[0]}
    if order:
        first = sg.grad(function, wrt=names)
        table.update({(k,): output for k, output in enumerate(first.graph.outputs)})
    for k in range(1, order):
        for position, name in enumerate(names):
            chosen = [c for c in table if len(c) == k and c[-1] <= position]
            found = sg.jacobian(_of(function, [table[c] for c in chosen]), wrt=name)
            table.update({(*c, position): o for c, o in zip(chosen, found.graph.outputs, strict=True)})
    return _of(function, [table[c] for row in orders(len(names), order) for c in row], order)


def _of(function: sg.Function, outputs: Sequence[Output], order: int | None = None) -> sg.Function:
    structure: tuple[object, ...] = tuple(range(len(outputs)))
    if order is not None:
        ends = [0]
        for row in orders(len(function.inputs), order):
            ends.append(ends[-1] + len(row))
        structure = tuple(tuple(range(a, b)) for a, b in pairwise(ends))
    named = tuple(Output(f"d{k}", o.node) for k, o in enumerate(outputs))
    graph = function.graph
    return sg.Function(Graph(graph.name, graph.inputs, named, structure), function.symbols)  # type: ignore[arg-type]
