"""Reading arrays at indices, and the transpose of that.

A Gather moves towards the inputs through cheap operations (a renamed difference is computed again rather than stored)
and stops at reductions and at expensive functions (a renamed exponential is a read of the stored one).

A ScatterAdd over an affine index is rewritten as a Gather, so that every element has one owner: no atomics, and a
fixed order of additions. What stays a ScatterAdd is an indirect, packed or constant index.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..axis import Axis
from ..dtype import INTEGER
from ..errors import ShapeError
from ..node import Kind, Node, axis_index, make
from ..ops import OPS
from ..reducers import size_value
from ..rewrite import gather_axes, scatter_axes
from .arithmetic import ZERO, add, split_coefficient, sub
from .logic import compare, guard, logical_and
from .numbers import is_number
from .sums import reduce

__all__ = ["broadcast", "gather", "scatter_add", "unit_offset"]

_CHEAP = 12  # cost of a row of the op table up to which it is computed again rather than read at another index

_MOST_PASSED = 10  # operations that are computed again at another index: more of them are stored and read


def gather(array: Node, indices: Mapping[Axis, Node]) -> Node:
    """The array read at ``indices``: each axis that is a key is replaced by the axes of its index node.

    >>> from symgraph.node import input_node
    >>> i, j = Axis("i", "n"), Axis("j", "n")
    >>> gather(axis_index(i), {i: axis_index(j)}) is axis_index(j)
    True
    """
    for axis, index in indices.items():
        if index.dtype is not INTEGER:
            raise ShapeError(f"the index of axis {axis.name} is not an integer: {index!r}")
    moved = {a: x for a, x in indices.items() if a in array.axes and not (x.kind is Kind.AXIS_INDEX and x.data == a)}
    if not moved:
        return array
    region = _region(array, moved)
    if region is None:
        return _bare_gather(array, moved)
    done: dict[Node, Node] = {}
    for node in region:
        done[node] = _moved(node, moved, done)
    return done[array]


def _region(array: Node, moved: Mapping[Axis, Node]) -> list[Node] | None:
    """The nodes that the Gather passes through, and those where it stops, arguments first; None if they are many."""
    passed = 0
    seen: set[Node] = set()
    stack = [array]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if any(a in moved for a in node.axes):
            if _transparent(node, moved):
                passed += 1
                if passed > _MOST_PASSED:
                    return None
                stack.extend(node.args)
            elif node.kind is Kind.GATHER:
                stack.extend(node.args[1:])
    return sorted(seen, key=lambda n: n.number)


def _transparent(node: Node, moved: Mapping[Axis, Node]) -> bool:
    if node.kind is Kind.ELEMENTWISE:
        if node.data == "pow":
            return is_number(node.args[1]) and type(node.args[1].data) is int and abs(node.args[1].data) <= 4
        return OPS[node.data].cost <= _CHEAP
    return node.kind is Kind.BROADCAST


def _moved(node: Node, moved: Mapping[Axis, Node], done: Mapping[Node, Node]) -> Node:
    from . import construct  # rebuilding needs every constructor, this one among them

    own = {a: x for a, x in moved.items() if a in node.axes}
    if not own:
        return node
    if node.kind is Kind.AXIS_INDEX:
        return own[node.data]
    if _transparent(node, moved):
        if node.kind is Kind.BROADCAST and node.data in own:
            spread = own[node.data].axes
            return broadcast(done[node.args[0]], spread[0]) if spread else done[node.args[0]]
        return construct(node, tuple(done[a] for a in node.args))
    if node.kind is Kind.GATHER:
        kept = [a for a in node.args[0].axes if a not in node.data]
        if all(a in node.data or a in kept for a in node.args[0].axes):
            inner = {a: done[x] for a, x in zip(node.data, node.args[1:], strict=True)}
            inner.update({a: own[a] for a in kept if a in own})
            return _bare_gather(node.args[0], inner)
    return _bare_gather(node, own)


def _bare_gather(array: Node, indices: Mapping[Axis, Node]) -> Node:
    replaced = tuple(a for a in array.axes if a in indices)
    arguments = (array, *(indices[a] for a in replaced))
    return make(Kind.GATHER, arguments, gather_axes(arguments, replaced), array.dtype, replaced)


def broadcast(node: Node, axis: Axis) -> Node:
    """The node with an axis that it lacks, along which its value is repeated."""
    if axis in node.axes:
        return node
    return make(Kind.BROADCAST, (node,), (*node.axes, axis), node.dtype, axis)


def unit_offset(index: Node, summed: Iterable[Axis]) -> tuple[Axis, Node] | None:
    """(axis, offset) when index = axis + offset with a summed axis and an offset free of all summed axes."""
    summed = tuple(summed)
    terms = index.args if index.kind is Kind.ELEMENTWISE and index.data == "add" else (index,)
    found: Axis | None = None
    rest: list[Node] = []
    for term in terms:
        coefficient, core = split_coefficient(term)
        if core.kind is Kind.AXIS_INDEX and core.data in summed:
            if found is not None or coefficient != 1:
                return None
            found = core.data
        elif any(a in summed for a in term.axes):
            return None
        else:
            rest.append(term)
    return None if found is None else (found, add(*rest) if rest else ZERO)


def scatter_add(value: Node, indices: Mapping[Axis, Node], summed: Iterable[Axis]) -> Node:
    """out[targets, kept] = sum over the summed axes of value where the indices equal the targets.

    The keys of ``indices`` are the target axes; ``summed`` are axes of the value or of the indices.
    """
    summed = list(dict.fromkeys(summed))
    indices = dict(indices)
    for axis in list(summed):
        if not any(axis in x.axes for x in indices.values()):
            value = reduce("sum", value, axis)
            summed.remove(axis)
    if value is ZERO:
        return ZERO
    for target, index in list(indices.items()):
        others = [x for t, x in indices.items() if t != target]
        unit = unit_offset(index, summed)
        if unit is not None and not any(unit[0] in x.axes for x in others):
            axis, offset = unit
            del indices[target]
            summed.remove(axis)
            value = _owned(value, target, axis, offset)
        elif index.axes and not any(a in summed for a in index.axes):
            del indices[target]
            value = guard(compare("eq", axis_index(target), index), value)
    if not indices:
        return value
    arguments = (value, *indices.values())
    data = (tuple(indices), tuple(summed))
    return make(Kind.SCATTER_ADD, arguments, scatter_axes(arguments, *data), value.dtype, data)


def _owned(value: Node, target: Axis, axis: Axis, offset: Node) -> Node:
    """out[target] = value[axis = target - offset], 0 where no element of the axis lands on the target."""
    position = sub(axis_index(target), offset)
    conditions = []
    if offset is not ZERO or axis.size != target.size:
        if not (is_number(offset) and offset.data <= 0):
            conditions.append(compare("le", offset, axis_index(target)))
        conditions.append(compare("lt", position, size_value(axis.size, _call)))
    return guard(logical_and(*conditions), gather(value, {axis: position}))


def _call(op: str, *arguments: Node) -> Node:
    from . import call

    return call(op, *arguments)
