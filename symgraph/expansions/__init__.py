"""Operations that no mathematics library has, in terms of others: one function per row, applied before code is made.

An expansion sees the arguments of a node and returns plain nodes, or None where it does not apply (an order that is not
a constant). Derivatives never see them: they are taken of the rows, which are closed under differentiation.
"""

from __future__ import annotations

from collections.abc import Callable

from ..graph import Graph, Output
from ..node import Kind, Node, make
from ..ops import OPS, ordered
from . import families, polynomials, special, stable

__all__ = ["EXPANSIONS", "expand"]

EXPANSIONS: dict[str, Callable[..., Node | None]] = {
    **stable.ROWS, **families.ROWS, **special.ROWS, **polynomials.ROWS,
}


def expand(graph: Graph) -> Graph:
    """The graph with every node that has an expansion replaced; the very graph where none has.

    >>> from symgraph.node import input_node
    >>> from symgraph.ops import apply_op
    >>> x = input_node("x")
    >>> graph = Graph("f", (x,), (Output("out", apply_op("sinc", x)),))
    >>> sorted(n.data for n in expand(graph).order if n.kind is Kind.ELEMENTWISE)
    ['eq', 'mul', 'pow', 'select', 'sin']
    """
    if not any(node.kind is Kind.ELEMENTWISE and node.data in EXPANSIONS for node in graph.order):
        return graph
    done: dict[Node, Node] = {}
    for node in graph.order:
        done[node] = _expanded(node, tuple(done[argument] for argument in node.args))
    outputs = tuple(Output(o.name, done[o.node], o.axes) for o in graph.outputs)
    return Graph(graph.name, graph.inputs, outputs, graph.structure)


def _expanded(node: Node, arguments: tuple[Node, ...]) -> Node:
    if node.kind is Kind.ELEMENTWISE:
        expansion = EXPANSIONS.get(node.data)
        result = expansion(*arguments) if expansion is not None else None
        if result is not None:
            # an expansion may itself use a row that has one
            return result if result.kind is not Kind.ELEMENTWISE else _inside(result, arguments)
        if arguments != node.args:
            arguments = ordered(OPS[node.data], arguments)
    return node if arguments == node.args else make(node.kind, arguments, node.axes, node.dtype, node.data)


def _inside(result: Node, arguments: tuple[Node, ...]) -> Node:
    """The result with expansions of the rows that it uses, down to the arguments."""
    inner, seen, stack = [], set(arguments), [result]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            inner.append(node)
            stack.extend(node.args)
    if not any(node.kind is Kind.ELEMENTWISE and node.data in EXPANSIONS for node in inner):
        return result
    done = {argument: argument for argument in arguments}
    for node in sorted(inner, key=lambda n: n.number):
        done[node] = _expanded(node, tuple(done[a] for a in node.args))
    return done[result]
