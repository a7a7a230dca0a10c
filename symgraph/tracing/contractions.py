"""Products that sum over shared dimensions: einsum, and what is written with it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from .. import simplify as s
from ..axis import Axis
from ..errors import ShapeError, UnsupportedError
from ..node import axis_index
from .array import TracedArray, size_of
from .elementwise import apply
from .lifting import find_trace, lift
from .shapes import check_equal, normal_axes, text

__all__ = ["contract", "dot", "einsum", "inner", "kron", "matmul", "outer", "tensordot", "vdot"]

Labels = Sequence[Hashable]


def contract(operands: Sequence[TracedArray], labels: Sequence[Labels], result: Labels, what: str) -> TracedArray:
    """The product of the operands, summed over the labels that the result lacks.

    A label of several dimensions is one axis: it keeps the axis that the first operand with work in it has there.
    """
    trace = operands[0].trace
    axes: dict[Hashable, Axis | None] = {}
    for operand, own in zip(operands, labels, strict=True):
        for dim, label in zip(operand.dims, own, strict=True):
            known = axes.get(label)
            if known is not None and dim is not None:
                check_equal(known.size, dim.size, what)
            elif dim is not None:
                taken = [a for a in axes.values() if a is not None]
                axes[label] = dim if dim not in taken else trace.axis(dim.size, taken)
            else:
                axes.setdefault(label, None)
    nodes = []
    for operand, own in zip(operands, labels, strict=True):
        names = {d: axes[label] for d, label in zip(operand.dims, own, strict=True) if d is not None}
        moved = {d: axis_index(a) for d, a in names.items() if a is not None and a != d}
        nodes.append(s.gather(operand.node, moved) if moved else operand.node)
    product = s.mul(*nodes) if len(nodes) > 1 else nodes[0]
    for label in reversed([label for label in axes if label not in result]):
        axis = axes[label]
        if axis is not None:
            product = s.reduce("sum", product, axis)
    return TracedArray(product, tuple(axes[label] for label in result), trace)


def einsum(subscripts: str, *operands: Any, optimize: object = None, **options: Any) -> TracedArray:
    """``numpy.einsum`` with subscripts as text, implicit or explicit, with an ellipsis for batches."""
    if options or not isinstance(subscripts, str):
        raise UnsupportedError("einsum takes text and arrays here, as in einsum('ij,j->i', a, x)")
    trace = find_trace(operands)
    arrays = [lift(o, trace) for o in operands]
    written = subscripts.replace(" ", "")
    given, arrow, out = written.partition("->")
    terms = given.split(",")
    if len(terms) != len(arrays):
        raise ShapeError(f"einsum({subscripts!r}) has {len(terms)} terms, {len(arrays)} arrays were given")
    labels = [_labels(term, a, subscripts) for term, a in zip(terms, arrays, strict=True)]
    rank = max((sum(isinstance(x, int) for x in own) for own in labels), default=0)
    batch: list[Hashable] = list(range(-rank, 0))
    if arrow:
        result = [*batch, *out.replace("...", "")] if "..." in out else list(out)
    else:
        letters = [x for own in labels for x in own if isinstance(x, str)]
        result = [*batch, *sorted(x for x in dict.fromkeys(letters) if letters.count(x) == 1)]
    known = {x for own in labels for x in own}
    missing = [x for x in result if x not in known]
    if missing:
        raise ShapeError(f"einsum({subscripts!r}): the subscript {missing[0]} of the result is in no term")
    return contract(arrays, labels, result, f"einsum({subscripts!r})")


def _labels(term: str, array: TracedArray, subscripts: str) -> list[Hashable]:
    """One label per dimension; those of the ellipsis are negative numbers, counted from the right."""
    before, dots, after = term.partition("...")
    count = array.ndim - len(before) - len(after)
    if count < 0 or (count > 0 and not dots):
        raise ShapeError(
            f"einsum({subscripts!r}): the term {term!r} does not fit the shape {text(array.sizes)}"
        )
    return [*before, *range(-count, 0), *after]


def matmul(a: Any, b: Any) -> TracedArray:
    """``a @ b``: matrix products over the last two dimensions, batches broadcast."""
    trace = find_trace((a, b))
    left, right = lift(a, trace), lift(b, trace)
    if left.ndim == 0 or right.ndim == 0:
        raise ShapeError(
            f"a matrix product needs arrays, found the shapes {text(left.sizes)} and {text(right.sizes)}: declare the "
            "shapes of the arguments, as in trace(function, W='h, d', x='d')"
        )
    what = f"the matrix product of the shapes {text(left.sizes)} and {text(right.sizes)}"
    check_equal(left.sizes[-1], right.sizes[-2 if right.ndim > 1 else -1], what)
    batch = max(left.ndim, right.ndim) - 2
    first: list[Hashable] = [*range(-max(left.ndim - 2, 0), 0), *(["n"] if left.ndim > 1 else []), "k"]
    second: list[Hashable] = [*range(-max(right.ndim - 2, 0), 0), "k", *(["m"] if right.ndim > 1 else [])]
    result = [*range(-max(batch, 0), 0), *(x for x in ("n", "m") if x in (*first, *second))]
    return contract([left, right], [first, second], result, what)


def tensordot(a: Any, b: Any, axes: Any = 2) -> TracedArray:
    """``numpy.tensordot``."""
    trace = find_trace((a, b))
    left, right = lift(a, trace), lift(b, trace)
    if isinstance(axes, (int, np.integer)):
        first = tuple(range(left.ndim - int(axes), left.ndim))
        second = tuple(range(int(axes)))
    else:
        one, two = axes
        first, second = normal_axes(one, left.ndim, "tensordot"), normal_axes(two, right.ndim, "tensordot")
    if len(first) != len(second):
        raise ShapeError(f"tensordot sums over {len(first)} dimensions of one array and {len(second)} of the other")
    own: list[Hashable] = [("left", k) for k in range(left.ndim)]
    other: list[Hashable] = [("right", k) for k in range(right.ndim)]
    for k, m in zip(first, second, strict=True):
        check_equal(size_of(left.dims[k]), size_of(right.dims[m]), "tensordot")
        other[m] = own[k]
    summed = [own[k] for k in first]
    result = [x for x in (*own, *other) if x not in summed]
    return contract([left, right], [own, other], result, "tensordot")


def dot(a: Any, b: Any) -> TracedArray:
    """``numpy.dot``: a product with a scalar, or a sum over the last of one and the last but one of the other."""
    trace = find_trace((a, b))
    left, right = lift(a, trace), lift(b, trace)
    if left.ndim == 0 or right.ndim == 0:
        return apply(s.mul, left, right)
    return tensordot(left, right, ((left.ndim - 1,), (max(right.ndim - 2, 0),)))


def vdot(a: Any, b: Any) -> TracedArray:
    """``numpy.vdot``: the sum of the products of all elements, for arrays of one shape."""
    trace = find_trace((a, b))
    left, right = lift(a, trace), lift(b, trace)
    return tensordot(left, right, (tuple(range(left.ndim)), tuple(range(right.ndim))))


def inner(a: Any, b: Any) -> TracedArray:
    """``numpy.inner``: a sum over the last dimensions."""
    trace = find_trace((a, b))
    left, right = lift(a, trace), lift(b, trace)
    if left.ndim == 0 or right.ndim == 0:
        return apply(s.mul, left, right)
    return tensordot(left, right, ((left.ndim - 1,), (right.ndim - 1,)))


def outer(a: Any, b: Any) -> TracedArray:
    """``numpy.outer``: every product of an element of one and an element of the other."""
    from .arranging import reshape

    trace = find_trace((a, b))
    left, right = reshape(lift(a, trace), (-1,)), reshape(lift(b, trace), (-1,))
    return contract([left, right], [["n"], ["m"]], ["n", "m"], "outer")


def kron(a: Any, b: Any) -> TracedArray:
    """``numpy.kron`` of arrays with as many dimensions."""
    from .arranging import reshape

    trace = find_trace((a, b))
    left, right = lift(a, trace), lift(b, trace)
    if left.ndim != right.ndim:
        raise UnsupportedError(f"kron of arrays with {left.ndim} and {right.ndim} dimensions: give them as many")
    labels: list[list[Hashable]] = [[(side, k) for k in range(left.ndim)] for side in (0, 1)]
    result = [labels[side][k] for k in range(left.ndim) for side in (0, 1)]
    product = contract([left, right], labels, result, "kron")
    shape = [x * y for x, y in zip(left.sizes, right.sizes, strict=True)]
    return reshape(product, shape)
