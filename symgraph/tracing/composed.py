"""NumPy functions that are made of others: clip, diff, joins by rows and columns, convolve, casts."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import simplify as s
from ..dtype import BOOLEAN, INTEGER
from ..errors import UnsupportedError
from ..node import axis_index, constant
from . import arranging, contractions, creation, reductions
from .array import TracedArray
from .lifting import as_array, find_trace, lift

__all__ = [
    "astype", "at_least_1d", "at_least_2d", "clip", "column_stack", "convolve", "cross", "diag",
    "diagonal", "diff", "hstack", "pad", "polyval", "trace_of", "trapezoid", "vstack",
]  # fmt: skip


def clip(x: Any, a_min: Any = None, a_max: Any = None, **bounds: Any) -> TracedArray:
    low, high = bounds.get("min", a_min), bounds.get("max", a_max)
    result = x
    if low is not None:
        result = np.maximum(result, low)
    return result if high is None else np.minimum(result, high)


def diff(x: Any, n: int = 1, axis: int = -1) -> TracedArray:
    array = as_array(x)
    k = axis % array.ndim
    for _ in range(n):
        before, after = [slice(None)] * array.ndim, [slice(None)] * array.ndim
        before[k], after[k] = slice(None, -1), slice(1, None)
        array = array[tuple(after)] - array[tuple(before)]
    return array


def trace_of(x: Any) -> TracedArray:
    """``numpy.trace`` of the main diagonal."""
    return contractions.einsum("ii->", x)


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> TracedArray:
    if offset:
        raise UnsupportedError("a diagonal beside the main one: index it, as in x[i, i + 1]")
    array = arranging.moveaxis(as_array(x), (axis1, axis2), (-2, -1))
    return contractions.einsum("...ii->...i", array)


def diag(x: Any, k: int = 0) -> TracedArray:
    array = as_array(x)
    if array.ndim == 2:
        return diagonal(array, k)
    size = array.shape[0]
    return creation.where(creation.eye(array.trace, size) != 0, array[:, None], 0) if k == 0 else _off_diagonal(k)


def _off_diagonal(k: int) -> TracedArray:
    raise UnsupportedError(f"diag(x, {k}): the main diagonal has an operation here")


def vstack(arrays: Any) -> TracedArray:
    return arranging.concatenate([at_least_2d(a) for a in arrays], 0)


def hstack(arrays: Any) -> TracedArray:
    parts = [as_array(a) if np.ndim(a) else as_array(a)[None] for a in arrays]
    return arranging.concatenate(parts, 0 if parts[0].ndim == 1 else 1)


def column_stack(arrays: Any) -> TracedArray:
    parts = [as_array(a) for a in arrays]
    return arranging.concatenate([p[:, None] if p.ndim == 1 else p for p in parts], 1)


def at_least_2d(x: Any) -> TracedArray:
    array = as_array(x)
    return array[None] if array.ndim == 1 else array[None, None] if array.ndim == 0 else array


def at_least_1d(x: Any) -> TracedArray:
    array = as_array(x)
    return array[None] if array.ndim == 0 else array


def cross(a: Any, b: Any) -> TracedArray:
    trace = find_trace((a, b))
    x, y = lift(a, trace), lift(b, trace)
    first, second = ([v[..., k] for k in range(3)] for v in (x, y))
    parts = [first[k - 2] * second[k - 1] - first[k - 1] * second[k - 2] for k in range(3)]
    return arranging.stack(parts, -1)


def astype(x: Any, dtype: Any, **options: Any) -> TracedArray:
    array = as_array(x)
    kind = np.dtype(dtype).kind
    node = array.node
    if kind == "b":
        node = node if node.dtype is BOOLEAN else s.compare("ne", node, constant(0))
    elif kind == "f":
        node = s.select(node, constant(1), constant(0)) if node.dtype is BOOLEAN else node
        node = s.call("float", node) if node.dtype is INTEGER else node
    elif kind in "iu" and node.dtype is BOOLEAN:
        node = s.select(node, constant(1), constant(0))
    elif kind in "iu" and node.dtype is not INTEGER:
        raise UnsupportedError("a cast of traced numbers to integers: use np.floor or np.round_ where that is meant")
    elif kind not in "iu":
        raise UnsupportedError(f"a cast to {np.dtype(dtype)}: traced values are real numbers, integers or conditions")
    return TracedArray(node, array.dims, array.trace)


def pad(array: Any, pad_width: Any, mode: str = "constant", **options: Any) -> TracedArray:
    if mode != "constant" or options.get("constant_values", 0) != 0:
        raise UnsupportedError("pad with anything but zeros: use np.concatenate")
    return arranging.pad_zero(as_array(array), pad_width)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> TracedArray:
    values = arranging.moveaxis(as_array(y), axis, -1)
    width = dx if x is None else np.diff(x)
    return reductions.reduce_sum((values[..., 1:] + values[..., :-1]) * width / 2, -1)


def polyval(p: Any, x: Any) -> Any:
    result: Any = 0
    for k in range(len(p)):
        result = result * x + p[k]
    return result


def convolve(a: Any, v: Any, mode: str = "full") -> TracedArray:
    """The sum over k of a[i - k] v[k]; reads outside of ``a`` are 0."""
    trace = find_trace((a, v))
    left, right = lift(a, trace), lift(v, trace)
    if mode == "full":
        left = arranging.pad_zero(left, len(right) - 1)
    elif mode != "valid":
        raise UnsupportedError(f"convolve with the mode {mode!r}: use 'full' or 'valid'")
    taps = right.dims[0]
    if taps is None:
        return left * right
    out = trace.axis(left.sizes[0] - taps.size + 1, [d for d in (left.dims[0], taps) if d is not None])
    position = s.add(axis_index(taps), constant(0) if out is None else axis_index(out))
    flipped = right[::-1]
    reads = s.gather(left.node, {left.dims[0]: position}) if left.dims[0] is not None else left.node
    kernel = s.gather(flipped.node, {d: axis_index(taps) for d in flipped.dims if d is not None})
    return TracedArray(s.reduce("sum", s.mul(reads, kernel), taps), (out,), trace)
