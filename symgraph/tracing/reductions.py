"""Sums, means, extremes, norms and running sums over dimensions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from .. import simplify as s
from ..axis import Axis
from ..dtype import BOOLEAN
from ..errors import ShapeError, UnsupportedError
from ..node import Node, axis_index, constant
from .array import TracedArray, size_of
from .elementwise import apply, truth
from .lifting import as_array
from .shapes import normal_axes

__all__ = [
    "all_", "any_", "average", "count_nonzero", "cumsum", "logsumexp", "mean", "norm", "prod", "ptp", "reduce_max",
    "reduce_min", "reduce_sum", "std", "var",
]  # fmt: skip

_HALF = constant(Fraction(1, 2))


def _reduce(reducer: str, x: Any, axis: Any, keepdims: bool, options: dict[str, Any]) -> TracedArray:
    unknown = [k for k, v in options.items() if v is not None and k not in ("dtype",) and v is not np._NoValue]
    if unknown:
        raise UnsupportedError(f"a reduction with {unknown[0]}=: use np.where on the array, or on the result")
    array = as_array(x)
    node = array.node
    if node.dtype is BOOLEAN:
        node = s.select(node, constant(1), constant(0))
    axes = normal_axes(axis, array.ndim, "a reduction")
    for k in reversed(axes):
        dim = array.dims[k]
        if dim is not None:
            node = s.reduce(reducer, node, dim)
    kept: list[Axis | None] = []
    for k, dim in enumerate(array.dims):
        if k not in axes:
            kept.append(dim)
        elif keepdims:
            kept.append(None)
    return TracedArray(node, tuple(kept), array.trace)


def reduce_sum(x: Any, axis: Any = None, *, keepdims: bool = False, **options: Any) -> TracedArray:
    """``numpy.sum``."""
    return _reduce("sum", x, axis, bool(keepdims), options)


def prod(x: Any, axis: Any = None, *, keepdims: bool = False, **options: Any) -> TracedArray:
    """``numpy.prod``."""
    return _reduce("product", x, axis, bool(keepdims), options)


def reduce_max(x: Any, axis: Any = None, *, keepdims: bool = False, **options: Any) -> TracedArray:
    """``numpy.max``."""
    return _reduce("max", x, axis, bool(keepdims), options)


def reduce_min(x: Any, axis: Any = None, *, keepdims: bool = False, **options: Any) -> TracedArray:
    """``numpy.min``."""
    return _reduce("min", x, axis, bool(keepdims), options)


def ptp(x: Any, axis: Any = None, *, keepdims: bool = False) -> TracedArray:
    """``numpy.ptp``: the distance between the extremes."""
    return reduce_max(x, axis, keepdims=keepdims) - reduce_min(x, axis, keepdims=keepdims)


def _count(array: TracedArray, axis: Any) -> Node:
    sizes = [size_of(array.dims[k]) for k in normal_axes(axis, array.ndim, "a reduction")]
    return array.trace.size(sp.Mul(*sizes))


def mean(x: Any, axis: Any = None, *, keepdims: bool = False, **options: Any) -> TracedArray:
    """``numpy.mean``."""
    array = as_array(x)
    total = _reduce("sum", array, axis, bool(keepdims), options)
    return TracedArray(s.div(total.node, s.call("float", _count(array, axis))), total.dims, array.trace)


def var(x: Any, axis: Any = None, *, ddof: Any = 0, correction: Any = None, keepdims: bool = False) -> TracedArray:
    """``numpy.var``: the mean of the squared distances from the mean, in two passes."""
    array = as_array(x)
    centred = array - mean(array, axis, keepdims=True)
    total = reduce_sum(centred * centred, axis, keepdims=keepdims)
    freedom = ddof if correction is None else correction
    count = s.add(s.call("float", _count(array, axis)), constant(-freedom))
    return TracedArray(s.div(total.node, count), total.dims, array.trace)


def std(x: Any, axis: Any = None, *, ddof: Any = 0, correction: Any = None, keepdims: bool = False) -> TracedArray:
    """``numpy.std``."""
    variance = var(x, axis, ddof=ddof, correction=correction, keepdims=keepdims)
    return TracedArray(s.power(variance.node, _HALF), variance.dims, variance.trace)


def average(x: Any, axis: Any = None, weights: Any = None, *, keepdims: bool = False) -> TracedArray:
    """``numpy.average`` with weights of the shape of the array (or none)."""
    if weights is None:
        return mean(x, axis, keepdims=keepdims)
    weighted = reduce_sum(x * weights, axis, keepdims=keepdims)
    return weighted / reduce_sum(weights + 0 * x, axis, keepdims=keepdims)


def any_(x: Any, axis: Any = None, *, keepdims: bool = False) -> TracedArray:
    """``numpy.any``."""
    found = reduce_max(apply(truth, as_array(x)), axis, keepdims=keepdims)
    return TracedArray(s.compare("lt", constant(0), found.node), found.dims, found.trace)


def all_(x: Any, axis: Any = None, *, keepdims: bool = False) -> TracedArray:
    """``numpy.all``."""
    found = reduce_min(apply(truth, as_array(x)), axis, keepdims=keepdims)
    return TracedArray(s.compare("lt", constant(0), found.node), found.dims, found.trace)


def count_nonzero(x: Any, axis: Any = None, *, keepdims: bool = False) -> TracedArray:
    """``numpy.count_nonzero``."""
    return reduce_sum(apply(truth, as_array(x)), axis, keepdims=keepdims)


def logsumexp(x: Any, axis: Any = None, b: Any = None, *, keepdims: bool = False) -> TracedArray:
    """``scipy.special.logsumexp``: shifted by the maximum, so that nothing overflows."""
    array = as_array(x)
    terms = apply(lambda e: s.call("exp", e), array)
    total = reduce_sum(terms if b is None else terms * b, axis, keepdims=keepdims)
    return TracedArray(s.call("log", total.node), total.dims, total.trace)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> TracedArray:
    """``numpy.linalg.norm``: of vectors (2, 1, inf, -inf, p), and the Frobenius norm of matrices."""
    array = as_array(x)
    axes = normal_axes(axis, array.ndim, "norm")
    if len(axes) > 1 and ord not in (None, "fro"):
        raise UnsupportedError(f"the matrix norm {ord!r} has no operation here: the Frobenius norm has")
    magnitude = abs(array)
    if ord in (None, 2, "fro"):
        total = reduce_sum(array * array, axis, keepdims=keepdims)
        return TracedArray(s.power(total.node, _HALF), total.dims, total.trace)
    if ord == np.inf:
        return reduce_max(magnitude, axis, keepdims=keepdims)
    if ord == -np.inf:
        return reduce_min(magnitude, axis, keepdims=keepdims)
    if ord == 1:
        return reduce_sum(magnitude, axis, keepdims=keepdims)
    if ord == 0:
        return count_nonzero(array, axis, keepdims=keepdims)
    return reduce_sum(magnitude**ord, axis, keepdims=keepdims) ** (1 / ord)


def cumsum(x: Any, axis: Any = None, **options: Any) -> TracedArray:
    """``numpy.cumsum``: element i is the sum of the elements up to i."""
    from .arranging import reshape

    if any(v is not None for v in options.values()):
        raise UnsupportedError("cumsum takes an array and an axis here")
    array = as_array(x)
    if axis is None:
        array, axis = reshape(array, (-1,)), 0
    (k,) = normal_axes(axis, array.ndim, "cumsum")
    dim = array.dims[k]
    if dim is None:
        return array
    others = [d for d in array.dims if d is not None]
    running = array.trace.axis(dim.size, others)
    if running is None:
        raise ShapeError("cumsum over a dimension of size 1")
    earlier = s.compare("le", axis_index(running), axis_index(dim))
    terms = s.guard(earlier, s.gather(array.node, {dim: axis_index(running)}))
    return TracedArray(s.reduce("sum", terms, running), array.dims, array.trace)
