"""Indexing by NumPy's rules: integers, slices, None, ellipsis, and integer arrays."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import sympy as sp

from .. import simplify as s
from ..axis import Axis
from ..dtype import BOOLEAN, INTEGER
from ..errors import ShapeError, UnsupportedError
from ..node import Node, axis_index, constant
from .array import TracedArray, TracedSize, size_of
from .context import Trace
from .lifting import lift
from .shapes import align, text

__all__ = ["getitem", "take"]


def getitem(array: TracedArray, key: Any) -> TracedArray:
    """``array[key]``."""
    entries = _expanded(array, key)
    advanced = [k for k, e in enumerate(entries) if isinstance(e, TracedArray) and e.ndim]
    # with an integer array, a plain integer is an array of no dimension that broadcasts with it
    joined = [k for k, e in enumerate(entries) if isinstance(e, TracedArray)] if advanced else []
    used = [d for d in array.dims if d is not None]
    nodes: dict[int, Node] = {}
    together: tuple[Axis | None, ...] = ()
    if joined:
        found, together = align([entries[k] for k in joined], array.trace)
        together, found = _apart(found, together, used, array.trace)
        nodes = dict(zip(joined, found, strict=True))
    reads: dict[Axis, Node] = {}
    dims: list[Axis | None] = []
    place: int | None = None
    taken = [*used, *(d for d in together if d is not None)]
    dimension = 0
    for k, entry in enumerate(entries):
        if entry is None:
            dims.append(None)
            continue
        dim = array.dims[dimension]
        dimension += 1
        if k in nodes:
            place = len(dims) if place is None else place
            if dim is not None:
                reads[dim] = nodes[k]
        elif isinstance(entry, TracedArray):
            if dim is not None:
                reads[dim] = entry.node
        else:
            kept, index = _slice(entry, dim, array, taken)
            dims.append(kept)
            if dim is not None and index is not None:
                reads[dim] = index
            if kept is not None:
                taken.append(kept)
    if joined:
        contiguous = joined == list(range(joined[0], joined[-1] + 1))
        position = place if contiguous and place is not None else 0
        dims[position:position] = together
    node = s.gather(array.node, reads) if reads else array.node
    return TracedArray(node, tuple(dims), array.trace)


def take(array: TracedArray, indices: Any, axis: Any = None, **options: Any) -> TracedArray:
    """``numpy.take``."""
    from .arranging import reshape

    if axis is None:
        array, axis = reshape(array, (-1,)), 0
    axis = operator.index(axis) % array.ndim
    return getitem(array, (*(slice(None),) * axis, indices))


def _expanded(array: TracedArray, key: Any) -> list[Any]:
    """One entry per dimension, and None for each new one: slices, integers as arrays, arrays."""
    items = list(key) if isinstance(key, tuple) else [key]
    count = sum(1 for item in items if item is not None and item is not Ellipsis)
    if count > array.ndim:
        raise ShapeError(f"{count} indices for an array of shape {text(array.sizes)}")
    dots = [k for k, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise ShapeError("an index has one ellipsis at most")
    fill = [slice(None)] * (array.ndim - count)
    if dots:
        items[dots[0] : dots[0] + 1] = fill
    else:
        items += fill
    entries: list[Any] = []
    dimension = 0
    for item in items:
        if item is None:
            entries.append(None)
            continue
        entries.append(item if isinstance(item, slice) else _index(item, array, dimension))
        dimension += 1
    return entries


def _index(item: Any, array: TracedArray, dimension: int) -> TracedArray:
    index = lift(item, array.trace)
    if index.node.dtype is BOOLEAN:
        raise UnsupportedError(
            "an index of truth values gives a shape that depends on the data: use np.where, or a sum of np.where"
        )
    if index.node.dtype is not INTEGER:
        raise UnsupportedError(
            f"an index that is not an integer ({item!r}): declare the argument as integers, as in idx='int[n]'"
        )
    size = size_of(array.dims[dimension])
    if isinstance(item, (int, np.integer)):
        position = int(item)
        if size.is_Integer and not -int(size) <= position < int(size):
            raise ShapeError(f"the index {position} is outside of dimension {dimension} of size {size}")
        if position < 0:
            return TracedArray(array.trace.size(size + position), (), array.trace)
    return index


def _apart(
    nodes: list[Node], dims: tuple[Axis | None, ...], used: list[Axis], trace: Trace
) -> tuple[tuple[Axis | None, ...], list[Node]]:
    """The index arrays over axes that the indexed array does not have itself."""
    taken = list(used)
    fresh: list[Axis | None] = []
    names: dict[Axis, Node] = {}
    for position, dim in enumerate(dims):
        axis = dim
        if dim is not None and dim in taken:
            axis = trace.axis(dim.size, [*taken, *(d for d in dims if d is not None)], position)
        if axis is not None and dim is not None:
            taken.append(axis)
            if axis != dim:
                names[dim] = axis_index(axis)
        fresh.append(axis)
    return tuple(fresh), [s.gather(node, names) if names else node for node in nodes]


def _slice(item: slice, dim: Axis | None, array: TracedArray, taken: list[Axis]) -> tuple[Axis | None, Node | None]:
    """The axis of a slice, and the index that it reads (None for the whole dimension)."""
    size = size_of(dim)
    step = 1 if item.step is None else operator.index(item.step)
    start, stop = _bound(item.start, size), _bound(item.stop, size)
    if size.is_Integer and all(b is None or b.is_Integer for b in (start, stop)):
        found = range(int(size))[slice(_integer(start), _integer(stop), step)]
        first, length = sp.Integer(found.start), sp.Integer(len(found))
    elif step == 1:
        first = sp.Integer(0) if start is None else start
        length = sp.expand((size if stop is None else stop) - first)
    elif step == -1 and start is None and stop is None:
        first, length = sp.expand(size - 1), size
    else:
        raise UnsupportedError(
            f"a slice with the step {step} of a dimension of symbolic size {size}: declare the size as an integer"
        )
    if length == 0 or (length.is_Integer and length < 0):
        raise ShapeError(f"the slice {item.start}:{item.stop} of a dimension of size {size} has no elements")
    if first == 0 and step == 1 and length == size:
        return dim, None
    origin = array.trace.size(first)
    if length == 1:
        return None, origin
    axis = array.trace.axis(length, taken)
    assert axis is not None
    return axis, s.add(s.mul(constant(step), axis_index(axis)), origin)


def _bound(value: Any, size: sp.Expr) -> sp.Expr | None:
    """A bound of a slice as a size, counted from the front."""
    if value is None:
        return None
    if isinstance(value, TracedSize):
        return value.expression
    if isinstance(value, TracedArray):
        raise UnsupportedError("a slice up to a traced value has a shape that depends on the data: use np.where")
    number = sp.Integer(operator.index(value))
    return sp.expand(size + number) if number < 0 and not size.is_Integer else number


def _integer(bound: sp.Expr | None) -> int | None:
    return None if bound is None else int(bound)


TracedArray.getitem = staticmethod(getitem)
