"""Arrays made from sizes alone: zeros, ones, ranges, unit matrices."""

from __future__ import annotations

from typing import Any

import sympy as sp

from .. import simplify as s
from ..dtype import BOOLEAN
from ..errors import ShapeError
from ..node import Node, axis_index, constant
from .arranging import sizes_of
from .array import TracedArray
from .context import Trace
from .lifting import find_trace, lift
from .shapes import align

__all__ = ["arange", "eye", "full", "full_like", "linspace", "where"]


def full(shape: Any, value: Any, trace: Trace) -> TracedArray:
    """``numpy.full``."""
    dims = trace.axes(sizes_of(shape))
    nodes, dims = align([lift(value, trace), TracedArray(constant(0), dims, trace)], trace)
    return TracedArray(nodes[0], dims, trace)


def full_like(array: TracedArray, value: Any) -> TracedArray:
    """``numpy.full_like``."""
    nodes, dims = align([lift(value, array.trace), TracedArray(constant(0), array.dims, array.trace)], array.trace)
    return TracedArray(nodes[0], dims, array.trace)


def arange(trace: Trace, start: Any, stop: Any = None, step: int = 1) -> TracedArray:
    """``numpy.arange`` of integers: the running index itself, no array in memory."""
    if stop is None:
        start, stop = 0, start
    first, last = sizes_of((start, stop))
    count = sp.expand(last - first)
    if step != 1:
        count = sp.ceiling(count / step)
    if count.is_Integer and count < 1:
        raise ShapeError(f"arange({start}, {stop}, {step}) has no elements")
    axis = trace.axis(count, [])
    index = constant(0) if axis is None else axis_index(axis)
    return TracedArray(s.add(s.mul(constant(step), index), trace.size(first)), (axis,), trace)


def linspace(trace: Trace, start: Any, stop: Any, num: Any = 50, *, endpoint: bool = True) -> TracedArray:
    """``numpy.linspace``."""
    (count,) = sizes_of(num)
    steps = trace.size(count - 1 if endpoint else count)
    axis = trace.axis(count, [])
    index: Node = constant(0) if axis is None else axis_index(axis)
    fraction = TracedArray(s.div(s.call("float", index), s.call("float", steps)), (axis,), trace)
    return start + (stop - start) * fraction


def eye(trace: Trace, rows: Any, columns: Any = None, k: int = 0) -> TracedArray:
    """``numpy.eye``."""
    sizes = sizes_of((rows, rows if columns is None else columns))
    dims = trace.axes(sizes)
    row, column = (constant(0) if d is None else axis_index(d) for d in dims)
    inside = s.compare("eq", s.add(row, constant(k)), column)
    return TracedArray(s.select(inside, constant(1), constant(0)), dims, trace)


def where(condition: Any, x: Any, y: Any) -> TracedArray:
    """``numpy.where`` with three arguments."""
    trace = find_trace((condition, x, y))
    nodes, dims = align([lift(v, trace) for v in (condition, x, y)], trace)
    chosen = nodes[0] if nodes[0].dtype is BOOLEAN else s.compare("ne", nodes[0], constant(0))
    return TracedArray(s.select(chosen, nodes[1], nodes[2]), dims, trace)
