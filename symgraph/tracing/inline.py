"""A Function called on traced arrays: its graph becomes part of the graph that is being traced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import sympy as sp

from .. import simplify as s
from ..axis import Axis, size_symbol
from ..capture.pool import unique_name
from ..errors import ShapeError
from ..graph import map_structure
from ..node import Kind, Node, axis_index
from .array import TracedArray, size_of
from .context import Trace
from .lifting import find_trace, lift
from .shapes import align, rename, text

if TYPE_CHECKING:
    from ..function import Function

__all__ = ["inline"]


def inline(function: Function, arguments: Sequence[Any]) -> Any:
    """The results of a Function, as traced arrays, in the structure that a call returns.

    A function of scalars broadcasts its arguments. The names of sizes in the Function are its own: they stand for the
    sizes of the arguments.

    Raises
    ------
    ShapeError
        An argument with another number of dimensions, or sizes that contradict each other.
    """
    graph = function.graph
    trace = find_trace(list(arguments))
    values = [lift(a, trace) for a in arguments]
    batch: tuple[Axis | None, ...] = ()
    if not any(node.axes for node in graph.inputs):
        nodes, batch = align(values, trace)
        values = [TracedArray(node, batch, trace) for node in nodes]
    sizes = _sizes(function, values, bool(batch))
    outer = {a.name: None for value in values for a in value.node.axes}
    axes: dict[Axis, Axis] = {}

    def own(axis: Axis) -> Axis:
        """An axis of the Function with its size here, and a name that none of the arguments has."""
        if axis not in axes:
            axes[axis] = Axis(unique_name(axis.name, outer), sp.expand(axis.size.xreplace(sizes)))
        return axes[axis]

    done: dict[Node, Node] = {}
    for node, value in zip(graph.inputs, values, strict=True):
        names = {d: own(a) for d, a in zip(value.dims, node.axes, strict=False) if d is not None}
        done[node] = value.node if batch else rename(value, names).node
    for node in graph.order:
        if node not in done:
            done[node] = _copied(node, tuple(done[a] for a in node.args), own, sizes, trace)
    results = []
    for output in graph.outputs:
        dims = tuple(None if own(a).size == 1 else own(a) for a in output.axes)
        node = done[output.node]
        single = {own(a): s.ZERO for a in output.axes if own(a).size == 1}
        results.append(TracedArray(s.gather(node, single) if single else node, (*batch, *dims), trace))
    return map_structure(graph.structure, results.__getitem__)


def _sizes(function: Function, values: Sequence[TracedArray], broadcast: bool) -> dict[sp.Symbol, sp.Expr]:
    """What the size symbols of the Function stand for."""
    known: dict[sp.Symbol, sp.Expr] = {}
    pending = []
    for node, value in zip(function.graph.inputs, values, strict=True):
        if broadcast:
            continue
        if value.ndim != len(node.axes):
            raise ShapeError(
                f"argument {node.data} of {function.name} has the shape {text(value.sizes)}, expected "
                f"{len(node.axes)} dimensions"
            )
        for axis, dim in zip(node.axes, value.dims, strict=True):
            if axis.size.is_Symbol and axis.size not in known:
                known[size_symbol(axis.size.name)] = size_of(dim)
            else:
                pending.append((node.data, axis.size, size_of(dim)))
    for name, declared, found in pending:
        expected = sp.expand(declared.xreplace(known))
        if sp.expand(expected - found) != 0:
            raise ShapeError(f"argument {name} of {function.name} has the size {found}, expected {expected}")
    return known


def _copied(node: Node, arguments: tuple[Node, ...], own: Any, sizes: dict[sp.Symbol, sp.Expr], trace: Trace) -> Node:
    match node.kind:
        case Kind.SIZE:
            return trace.size(sizes.get(size_symbol(node.data), size_symbol(node.data)))
        case Kind.AXIS_INDEX:
            axis = own(node.data)
            return s.ZERO if axis.size == 1 else axis_index(axis)
        case Kind.REDUCE:
            reducer, axis = node.data
            return s.reduce(reducer, arguments[0], own(axis))
        case Kind.BROADCAST:
            return s.broadcast(arguments[0], own(node.data))
        case Kind.GATHER:
            return s.gather(arguments[0], dict(zip(map(own, node.data), arguments[1:], strict=True)))
        case Kind.SCATTER_ADD:
            targets, summed = node.data
            indices = dict(zip(map(own, targets), arguments[1:], strict=True))
            return s.scatter_add(arguments[0], indices, [own(a) for a in summed])
        case Kind.ELEMENTWISE:
            return s.call(node.data, *arguments)
        case _:
            return node


TracedArray.inline = staticmethod(inline)
