"""Other arrangements of the same elements: reshape, transpose, joins, flips, and arrays made from sizes alone."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import sympy as sp

from .. import simplify as s
from ..axis import Axis
from ..errors import ShapeError, UnsupportedError
from ..node import Node, axis_index, constant
from .array import TracedArray, TracedSize, size_of
from .context import Trace
from .lifting import find_trace, lift
from .shapes import align, check_equal, normal_axes, same_size, text

__all__ = [
    "broadcast_to", "concatenate", "expand_dims", "flip", "moveaxis", "pad_zero", "permute", "repeat", "reshape",
    "roll", "sizes_of", "squeeze", "stack", "swapaxes", "tile", "triangle",
]  # fmt: skip


def sizes_of(shape: Any) -> list[sp.Expr]:
    """A shape, as users write it, as SymPy sizes; -1 stays -1."""
    entries = shape if isinstance(shape, (tuple, list)) else (shape,)
    return [_size(entry) for entry in entries]


def _size(entry: Any) -> sp.Expr:
    if isinstance(entry, TracedSize):
        return entry.expression
    return entry if isinstance(entry, sp.Expr) else sp.Integer(operator.index(entry))


# ---------------------------------------------------------------------------------------------------------- reshape
def reshape(array: TracedArray, shape: Any, *more: Any) -> TracedArray:
    """``numpy.reshape`` in row-major order; one size may be -1.

    Dimensions that stay keep their axes; runs of dimensions that are merged or split are read by division or by a
    linear form of the new indices.
    """
    new = sizes_of((shape, *more) if more else shape)
    old = list(array.sizes)
    new = _completed(old, new)
    groups = _groups(old, new)
    trace = array.trace
    taken: list[Axis] = [*(d for d in array.dims if d is not None)]
    dims: list[Axis | None] = [None] * len(new)
    reads: dict[Axis, Node] = {}
    for before, after in groups:
        if len(before) == len(after) == 1:
            dims[after[0]] = array.dims[before[0]]
            continue
        for k in after:
            axis = trace.axis(new[k], taken, k)
            dims[k] = axis
            if axis is not None:
                taken.append(axis)
        flat = _flat([dims[k] for k in after], [new[k] for k in after], trace)
        for dim, index in zip(
            [array.dims[k] for k in before], _unflat(flat, [old[k] for k in before], trace), strict=True
        ):
            if dim is not None:
                reads[dim] = index
    node = s.gather(array.node, reads) if reads else array.node
    return TracedArray(node, tuple(dims), trace)


def _completed(old: Sequence[sp.Expr], new: list[sp.Expr]) -> list[sp.Expr]:
    total = sp.expand(sp.Mul(*old))
    unknown = [k for k, size in enumerate(new) if size == -1]
    if len(unknown) > 1:
        raise ShapeError("a shape has one -1 at most")
    if unknown:
        known = sp.Mul(*[size for size in new if size != -1])
        rest = sp.cancel(total / known)
        if sp.fraction(sp.together(rest))[1] != 1:
            raise ShapeError(f"the shape {text(old)} does not divide into {text([x for x in new if x != -1])}")
        new = [sp.expand(rest) if size == -1 else size for size in new]
    if not same_size(total, sp.Mul(*new)):
        raise ShapeError(f"the shape {text(old)} cannot become {text(new)}: the numbers of elements differ")
    return new


def _groups(old: Sequence[sp.Expr], new: Sequence[sp.Expr]) -> list[tuple[list[int], list[int]]]:
    """Runs of old and new dimensions with equal numbers of elements, as short as possible."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        before: list[int] = []
        after: list[int] = []
        left = right = sp.Integer(1)
        while True:
            if i < len(old) and (not before or not _covers(left, right)):
                before.append(i)
                left, i = sp.expand(left * old[i]), i + 1
            elif j < len(new):
                after.append(j)
                right, j = sp.expand(right * new[j]), j + 1
            elif i < len(old):
                before.append(i)
                left, i = sp.expand(left * old[i]), i + 1
            if same_size(left, right) and (before or after):
                break
            if i >= len(old) and j >= len(new):
                break
        groups.append((before, after))
    return groups


def _covers(left: sp.Expr, right: sp.Expr) -> bool:
    """Whether the old run is longer than the new one, as far as it shows: a multiple that is not equal."""
    ratio = sp.cancel(left / right)
    if ratio.is_number:
        return bool(ratio > 1)
    return bool(sp.fraction(sp.together(ratio))[1] == 1)


def _flat(dims: Sequence[Axis | None], sizes: Sequence[sp.Expr], trace: Trace) -> Node:
    """The row-major position of an element of a run of dimensions."""
    terms, stride = [], sp.Integer(1)
    for dim, size in zip(reversed(dims), reversed(sizes), strict=True):
        if dim is not None:
            terms.append(s.mul(trace.size(stride), axis_index(dim)))
        stride = sp.expand(stride * size)
    return s.add(*reversed(terms)) if terms else constant(0)


def _unflat(flat: Node, sizes: Sequence[sp.Expr], trace: Trace) -> list[Node]:
    """The indices of a run of dimensions from a row-major position."""
    indices = []
    sizes = list(sizes)
    for k in range(len(sizes)):
        stride = trace.size(sp.Mul(*sizes[k + 1 :]))
        index = s.call("floordiv", flat, stride)
        outer = [n for n in sizes[:k] if n != 1]
        indices.append(s.call("mod", index, trace.size(sizes[k])) if outer else index)
    return indices


# --------------------------------------------------------------------------------------------------------- dimensions
def permute(array: TracedArray, axes: Any = None, *more: Any) -> TracedArray:
    """``numpy.transpose``."""
    if axes is None:
        return array.T
    order = normal_axes((axes, *more) if more else axes, array.ndim, "transpose")
    if len(order) != array.ndim:
        raise ShapeError(f"transpose names {len(order)} dimensions of {array.ndim}")
    return TracedArray(array.node, tuple(array.dims[k] for k in order), array.trace)


def swapaxes(array: TracedArray, axis1: int, axis2: int) -> TracedArray:
    """``numpy.swapaxes``."""
    first, second = normal_axes((axis1,), array.ndim, "swapaxes")[0], normal_axes((axis2,), array.ndim, "swapaxes")[0]
    dims = list(array.dims)
    dims[first], dims[second] = dims[second], dims[first]
    return TracedArray(array.node, tuple(dims), array.trace)


def moveaxis(array: TracedArray, source: Any, destination: Any) -> TracedArray:
    """``numpy.moveaxis``."""
    one, two = normal_axes(source, array.ndim, "moveaxis"), normal_axes(destination, array.ndim, "moveaxis")
    order = [k for k in range(array.ndim) if k not in one]
    for place, k in sorted(zip(two, one, strict=True)):
        order.insert(place, k)
    return permute(array, tuple(order))


def expand_dims(array: TracedArray, axis: Any) -> TracedArray:
    """``numpy.expand_dims``."""
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    places = normal_axes(axis, array.ndim + count, "expand_dims")
    own = iter(array.dims)
    dims = tuple(None if k in places else next(own) for k in range(array.ndim + count))
    return TracedArray(array.node, dims, array.trace)


def squeeze(array: TracedArray, axis: Any = None) -> TracedArray:
    """``numpy.squeeze``."""
    if axis is None:
        places: tuple[int, ...] = tuple(k for k, d in enumerate(array.dims) if d is None)
    else:
        places = normal_axes(axis, array.ndim, "squeeze")
    for k in places:
        if array.dims[k] is not None:
            raise ShapeError(f"squeeze: the dimension {k} has size {size_of(array.dims[k])}, not 1")
    return TracedArray(array.node, tuple(d for k, d in enumerate(array.dims) if k not in places), array.trace)


def broadcast_to(array: TracedArray, shape: Any) -> TracedArray:
    """``numpy.broadcast_to``."""
    sizes = sizes_of(shape)
    pattern = TracedArray(constant(0), array.trace.axes(sizes), array.trace)
    nodes, dims = align([array, pattern], array.trace)
    if len(dims) != len(sizes) or not all(same_size(size_of(d), n) for d, n in zip(dims, sizes, strict=True)):
        raise ShapeError(f"the shape {text(array.sizes)} does not broadcast to {text(sizes)}")
    return TracedArray(nodes[0], dims, array.trace)


# ---------------------------------------------------------------------------------------------------------------- joins
def concatenate(arrays: Sequence[Any], axis: Any = 0) -> TracedArray:
    """``numpy.concatenate``: every array stands where its offset says, and is 0 elsewhere; their sum is the result."""
    trace = find_trace(list(arrays))
    parts = [lift(a, trace) for a in arrays]
    if axis is None:
        parts, axis = [reshape(p, (-1,)) for p in parts], 0
    if any(p.ndim != parts[0].ndim or p.ndim == 0 for p in parts):
        raise ShapeError(f"concatenate: the shapes {', '.join(text(p.sizes) for p in parts)} differ in dimensions")
    (k,) = normal_axes(axis, parts[0].ndim, "concatenate")
    return _joined(parts, k, trace)


def _joined(parts: Sequence[TracedArray], k: int, trace: Trace) -> TracedArray:
    first = parts[0]
    for part in parts[1:]:
        for m in range(first.ndim):
            if m != k:
                check_equal(size_of(first.dims[m]), size_of(part.dims[m]), "concatenate")
    total = sp.expand(sp.Add(*[size_of(p.dims[k]) for p in parts]))
    dims = list(first.dims)
    kept = [d for m, d in enumerate(dims) if d is not None and m != k]
    target = trace.axis(total, [*kept, *(d for p in parts for d in p.dims if d is not None)], k)
    if target is None:
        return first
    terms, offset = [], sp.Integer(0)
    for part in parts:
        names: dict[Axis, Node] = {}
        running = part.dims[k]
        if running is not None and (running in kept or running == target):
            running = trace.axis(running.size, [*kept, target, *(d for d in part.dims if d is not None)], k)
        for m, (own, wanted) in enumerate(zip(part.dims, dims, strict=True)):
            if own is not None:
                names[own] = axis_index(running if m == k and running is not None else wanted or own)
        node = s.gather(part.node, names)
        index = trace.size(offset) if running is None else s.add(axis_index(running), trace.size(offset))
        terms.append(s.scatter_add(node, {target: index}, () if running is None else (running,)))
        offset = sp.expand(offset + size_of(part.dims[k]))
    dims[k] = target
    return TracedArray(s.add(*terms), tuple(dims), trace)


def stack(arrays: Sequence[Any], axis: int = 0) -> TracedArray:
    """``numpy.stack``."""
    trace = find_trace(list(arrays))
    parts = [lift(a, trace) for a in arrays]
    for part in parts[1:]:
        if part.ndim != parts[0].ndim:
            raise ShapeError(f"stack: the shapes {text(parts[0].sizes)} and {text(part.sizes)} differ")
    return concatenate([expand_dims(p, axis) for p in parts], axis)


def tile(array: TracedArray, reps: Any) -> TracedArray:
    """``numpy.tile``."""
    counts = sizes_of(reps)
    rank = max(len(counts), array.ndim)
    counts = [sp.Integer(1)] * (rank - len(counts)) + counts
    sizes = [sp.Integer(1)] * (rank - array.ndim) + list(array.sizes)
    spread = reshape(array, _shape([x for n in sizes for x in (sp.Integer(1), n)], array.trace))
    wide = broadcast_to(spread, _shape([x for c, n in zip(counts, sizes, strict=True) for x in (c, n)], array.trace))
    return reshape(wide, _shape([c * n for c, n in zip(counts, sizes, strict=True)], array.trace))


def repeat(array: TracedArray, repeats: Any, axis: Any = None) -> TracedArray:
    """``numpy.repeat`` by one number for all elements."""
    if axis is None:
        array, axis = reshape(array, (-1,)), 0
    (count,) = sizes_of(repeats)
    (k,) = normal_axes(axis, array.ndim, "repeat")
    sizes = list(array.sizes)
    wide = broadcast_to(expand_dims(array, k + 1), _shape([*sizes[: k + 1], count, *sizes[k + 1 :]], array.trace))
    sizes[k] = sizes[k] * count
    return reshape(wide, _shape(sizes, array.trace))


def _shape(sizes: Sequence[sp.Expr], trace: Trace) -> tuple[Any, ...]:
    return tuple(int(n) if n.is_Integer else TracedSize(n, trace) for n in map(sp.expand, sizes))


def flip(array: TracedArray, axis: Any = None) -> TracedArray:
    """``numpy.flip``."""
    places = normal_axes(axis, array.ndim, "flip")
    return array[tuple(slice(None, None, -1) if k in places else slice(None) for k in range(array.ndim))]


def roll(array: TracedArray, shift: Any, axis: Any = None) -> TracedArray:
    """``numpy.roll``: element i comes from i - shift, counted round."""
    if axis is None:
        flat = roll(reshape(array, (-1,)), shift, 0)
        return reshape(flat, _shape(list(array.sizes), array.trace))
    shifts = tuple(shift) if isinstance(shift, (tuple, list)) else (shift,)
    node = array.node
    for number, k in zip(shifts, normal_axes(axis, array.ndim, "roll"), strict=True):
        dim = array.dims[k]
        if dim is not None:
            moved = s.add(axis_index(dim), constant(-operator.index(number)))
            node = s.gather(node, {dim: s.call("mod", moved, array.trace.size(dim.size))})
    return TracedArray(node, array.dims, array.trace)


def triangle(array: TracedArray, k: int, *, upper: bool) -> TracedArray:
    """``numpy.triu`` and ``numpy.tril``: elements on the other side of a diagonal are 0."""
    if array.ndim < 2:
        raise ShapeError(f"triu and tril need two dimensions, found the shape {text(array.sizes)}")
    rows, columns = (constant(0) if d is None else axis_index(d) for d in array.dims[-2:])
    diagonal = s.add(rows, constant(operator.index(k)))
    inside = s.compare("le", diagonal, columns) if upper else s.compare("le", columns, diagonal)
    return TracedArray(s.guard(inside, array.node), array.dims, array.trace)


def pad_zero(array: TracedArray, width: Any) -> TracedArray:
    """``numpy.pad`` with zeros: (before, after) for every dimension."""
    pairs = _pairs(width, array.ndim)
    node, dims, taken = array.node, list(array.dims), [d for d in array.dims if d is not None]
    for k, (before, after) in enumerate(pairs):
        if (before, after) == (0, 0):
            continue
        target = array.trace.axis(size_of(dims[k]) + before + after, taken, k)
        if target is None:
            raise UnsupportedError("pad of a dimension to the size 1")
        own = dims[k]
        index = constant(before) if own is None else s.add(axis_index(own), constant(before))
        node = s.scatter_add(node, {target: index}, () if own is None else (own,))
        dims[k] = target
        taken.append(target)
    return TracedArray(node, tuple(dims), array.trace)


def _pairs(width: Any, rank: int) -> list[tuple[int, int]]:
    if isinstance(width, int):
        return [(width, width)] * rank
    entries = [tuple(w) if isinstance(w, (tuple, list)) else (w,) for w in width]
    if all(len(e) == 1 for e in entries):
        numbers = [int(e[0]) for e in entries]
        return [(numbers[0], numbers[-1])] * rank
    pairs = [(int(e[0]), int(e[-1])) for e in entries]
    return pairs * rank if len(pairs) == 1 else pairs
