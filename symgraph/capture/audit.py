"""Reads outside of an array, found before anything runs on real data.

Affine indices are checked by intervals where they are captured. What intervals cannot decide, a packed index that is
quadratic in its axes or an index behind a condition, is tried here: the captured graph runs on a few small sizes with
every read outside of its array replaced by nan. Where that nan reaches an output, no condition keeps the read from
being used, and the model is refused.
"""

from __future__ import annotations

import math

import numpy as np

from .. import simplify as s
from ..axis import Axis, evaluate_size
from ..dtype import FLOATING, INTEGER
from ..errors import ShapeError, SymgraphError
from ..graph import Graph, Output, topological_order
from ..interpret import evaluate, node_values
from ..node import Kind, Node, constant
from ..placing import reads_data
from ..reducers import size_value

__all__ = ["check_reads"]

_SIZES = ((3, 4, 5, 6), (5, 3, 4, 3))  # for the size symbols in order, beyond the numbers in the indices
_LARGEST = 40  # a model that needs larger arrays than this is not tried
_NAN = constant(math.nan)


def check_reads(graph: Graph) -> None:
    """Refuse a graph that uses what it reads outside of an array.

    Raises
    ------
    ShapeError
        The message names the array, the sizes and the element that would be read.
    """
    suspects = {n: found for n in graph.order if n.kind is Kind.GATHER and (found := _uncertain(n))}
    if not suspects:
        return
    outputs = [o.node for o in graph.outputs]
    marked = s.substitute(outputs, {gather: _marked(gather, found) for gather, found in suspects.items()})
    axes = [o.axes for o in graph.outputs]
    pairs = zip(outputs + marked, axes + axes, strict=True)
    tried = Graph(graph.name, graph.inputs, tuple(Output(str(k), n, a) for k, (n, a) in enumerate(pairs)))
    offset = _numbers(suspects)
    for numbers in _SIZES if offset <= _LARGEST else ():
        sizes = {name: offset + numbers[k % len(numbers)] for k, name in enumerate(graph.size_names)}
        try:
            arguments = [_argument(node, sizes, k) for k, node in enumerate(graph.inputs)]
            values = evaluate(tried, arguments)
        except SymgraphError:
            continue  # these sizes do not fit the model
        plain, poisoned = values[: len(outputs)], values[len(outputs) :]
        if any(np.any(np.isnan(b) & ~np.isnan(a)) for a, b in zip(plain, poisoned, strict=True)):
            _refuse(suspects, sizes, dict(zip(graph.inputs, arguments, strict=True)))


def _uncertain(gather: Node) -> list[tuple[Axis, Node]]:
    """The axes of a floating array that are read at something else than a running index, a fixed place, or data."""
    if gather.dtype is not FLOATING:
        return []
    pairs = zip(gather.data, gather.args[1:], strict=True)
    return [(axis, index) for axis, index in pairs if not _is_certain(axis, index) and not reads_data(index)]


def _is_certain(axis: Axis, index: Node) -> bool:
    if index.kind is Kind.CONST:
        return True  # a place that small arrays may lack is the caller's choice; kernels read it safely
    return index.kind is Kind.AXIS_INDEX and index.data.size == axis.size


def _numbers(suspects: dict[Node, list[tuple[Axis, Node]]]) -> int:
    """The largest number in an index: an array must be longer for the index to fit at all."""
    order = topological_order([index for found in suspects.values() for _, index in found])
    constants = [abs(int(n.data)) for n in order if n.kind is Kind.CONST and n.dtype is INTEGER and abs(n.data) > 2]
    fixed = [int(a.size) for n in order for a in n.axes if a.size.is_Integer]
    return max([*constants, *fixed], default=0)


def _marked(gather: Node, found: list[tuple[Axis, Node]]) -> Node:
    inside = [
        condition
        for axis, index in found
        for condition in (s.compare("le", s.ZERO, index), s.compare("lt", index, size_value(axis.size, s.call)))
    ]
    return s.select(s.logical_and(*inside), gather, _NAN)


def _argument(node: Node, sizes: dict[str, int], position: int) -> object:
    shape = tuple(max(evaluate_size(a.size, sizes), 0) for a in node.axes)
    if node.dtype is not FLOATING:
        return np.zeros(shape, node.dtype.numpy_name())
    count = math.prod(shape)
    return (0.3 + 0.1 * position + 0.05 * np.arange(count) / max(count, 1)).reshape(shape)


def _refuse(suspects: dict[Node, list[tuple[Axis, Node]]], sizes: dict[str, int], bindings: dict[Node, object]) -> None:
    for gather, found in suspects.items():
        for axis, index in found:
            length = evaluate_size(axis.size, sizes)
            values = node_values(topological_order([index]), bindings, sizes)[index]
            outside = values[(values < 0) | (values >= length)]
            if outside.size:
                at = ", ".join(f"{name} = {size}" for name, size in sizes.items())
                name = gather.args[0].data if gather.args[0].kind is Kind.INPUT else "an intermediate array"
                raise ShapeError(
                    f"an index of {name} leaves the array: with {at} it reads element {int(outside.flat[0])} along the "
                    f"axis of size {axis.size} = {length}; change the index, or the range or condition that it stands "
                    "under"
                )
