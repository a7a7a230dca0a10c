"""Broadcasting by NumPy's rules, and renaming of axes so that dimensions that go together are one axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from .. import simplify as s
from ..axis import Axis
from ..errors import ShapeError
from ..node import Kind, Node, axis_index
from .array import TracedArray, size_of
from .context import Trace

__all__ = ["align", "check_equal", "normal_axes", "rename", "same_size", "text"]


def text(sizes: Sequence[sp.Expr]) -> str:
    """A shape as NumPy writes it."""
    return f"({', '.join(map(str, sizes))}{',' * (len(sizes) == 1)})"


def same_size(left: sp.Expr, right: sp.Expr) -> bool:
    """Whether two sizes are equal, whatever the values of their symbols."""
    return left == right or sp.expand(left - right) == 0


def check_equal(left: sp.Expr, right: sp.Expr, what: str) -> None:
    """Refuse two sizes that need not be equal."""
    if not same_size(left, right):
        hint = "" if left.is_Integer and right.is_Integer else "; equal sizes must be declared with equal names"
        raise ShapeError(f"{what}: the sizes {left} and {right} differ{hint}")


def rename(array: TracedArray, names: Mapping[Axis, Axis]) -> TracedArray:
    """The array with axes renamed, all at once."""
    moved = {old: new for old, new in names.items() if old != new}
    if not moved:
        return array
    node = s.gather(array.node, {old: axis_index(new) for old, new in moved.items()})
    return TracedArray(node, tuple(None if d is None else moved.get(d, d) for d in array.dims), array.trace)


def align(arrays: Sequence[TracedArray], trace: Trace) -> tuple[list[Node], tuple[Axis | None, ...]]:
    """The nodes of arrays over common dimensions, broadcast as NumPy does.

    A dimension gets the axis that the array with the most work in it has there, so that only cheap nodes are renamed.

    Raises
    ------
    ShapeError
        Sizes that do not go together.
    """
    rank = max((a.ndim for a in arrays), default=0)
    order = sorted(range(len(arrays)), key=lambda k: (_is_leaf(arrays[k].node), -arrays[k].ndim, k))
    dims: list[Axis | None] = [None] * rank
    for position in range(-1, -rank - 1, -1):
        size: sp.Expr = sp.Integer(1)
        for array in arrays:
            own = size_of(array.dims[position]) if array.ndim >= -position else sp.Integer(1)
            if own != 1:
                if size != 1:
                    check_equal(size, own, _shapes(arrays))
                size = own
        if size != 1:
            candidates = [
                d for k in order if arrays[k].ndim >= -position and (d := arrays[k].dims[position]) is not None
            ]
            free = [d for d in candidates if d not in dims and d.size == size]
            dims[position] = free[0] if free else trace.axis(size, [d for d in dims if d is not None], rank + position)
    nodes = []
    for array in arrays:
        own = dims[rank - array.ndim :]
        nodes.append(rename(array, {d: t for d, t in zip(array.dims, own, strict=True) if d is not None and t}).node)
    return nodes, tuple(dims)


def _is_leaf(node: Node) -> bool:
    """Whether renaming an axis costs nothing: an argument, or a number."""
    if node.kind is Kind.GATHER:
        node = node.args[0]
    return node.kind is not Kind.ELEMENTWISE and node.kind is not Kind.REDUCE


def _shapes(arrays: Sequence[TracedArray]) -> str:
    return f"the shapes {' and '.join(text(a.sizes) for a in arrays)} do not broadcast"


def normal_axes(axis: object, rank: int, what: str) -> tuple[int, ...]:
    """Dimension numbers from 0 up; None is all of them."""
    if axis is None:
        return tuple(range(rank))
    numbers = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    found: list[int] = []
    for number in numbers:
        k = int(number)
        if not -rank <= k < rank:
            raise ShapeError(f"{what}: there is no dimension {k} in an array with {rank}")
        if k % rank in found:
            raise ShapeError(f"{what}: the dimension {k} is named twice")
        found.append(k % rank)
    return tuple(found)
