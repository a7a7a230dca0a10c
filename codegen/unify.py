"""One name for one loop: the axes of what goes to an output are renamed to those of the sums that it is made of.

A derivative delivers ``sum_i(...)[k]`` to the element ``mu.0`` of an output: a Gather that reads the sum at
another index. The axes of a delivered term are only labels of its loops, so that renaming ``mu.0`` to ``k``
makes the Gather the sum itself, and the output can be written in the loop that finishes the sum, without a
table in between.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from ..axis import Axis
from ..graph import topological_order
from ..node import Kind, Node, axis_index, make
from ..rewrite import bound_axes, gather_axes, scatter_axes
from .deliver import Delivery, Term
from .emitted import with_arguments

__all__ = ["unified"]


def unified(deliveries: Sequence[Delivery]) -> list[Delivery]:
    """The same deliveries with the axes of their terms renamed.

    First to axes whose Gathers of computed arrays disappear by that; then, where there is no such, to those that other
    terms were renamed to, so that loops of equal length can be one.
    """
    chosen: dict[Axis, None] = {}
    result = list(deliveries)
    for wishes in (_wishes, None):
        for position, delivery in enumerate(result):
            terms = []
            for term in delivery.terms:
                for axis in term.axes:
                    if axis in chosen:
                        continue
                    region = [n for n in topological_order((term.value, *term.indices)) if axis in n.axes]
                    candidates = chosen if wishes is None else wishes(region, axis, chosen)
                    new = next((a for a in candidates if a.size == axis.size and _is_free(region, a, axis, term)), None)
                    if new is not None:
                        term = _replaced(term, region, axis, new)
                        if wishes is not None:
                            chosen.setdefault(new)
                terms.append(term)
            result[position] = replace(delivery, terms=tuple(terms))
        if not chosen:
            break
    return result


def _wishes(region: Sequence[Node], axis: Axis, chosen: Collection[Axis]) -> Iterable[Axis]:
    """Axes of computed arrays that are read along ``axis``: the most frequent first, then those chosen before."""
    running = axis_index(axis)
    found: dict[Axis, int] = {}
    for node in region:
        if node.kind is Kind.GATHER and node.args[0].kind is not Kind.INPUT and axis not in node.args[0].axes:
            for replaced, index in zip(node.data, node.args[1:], strict=True):
                if index is running:
                    found[replaced] = found.get(replaced, 0) + 1
    return sorted(found, key=lambda a: (-found[a], a not in chosen))


def _is_free(region: Sequence[Node], wanted: Axis, axis: Axis, term: Term) -> bool:
    """Whether an axis is met in the region only as the one that Gathers replace by the running index of ``axis``."""
    running = axis_index(axis)
    if wanted in term.axes:
        return False
    for node in region:
        if wanted in node.axes:
            return False
        if node.kind is Kind.GATHER and wanted in node.data:
            if node.args[1 + node.data.index(wanted)] is not running:
                return False
        elif wanted in bound_axes(node):
            return False
    return True


def _replaced(term: Term, region: Sequence[Node], axis: Axis, new: Axis) -> Term:
    done: dict[Node, Node] = {axis_index(axis): axis_index(new)}
    for node in region:
        if node in done:
            continue
        if node.kind is Kind.INPUT:  # it was read at its own axes, and is now read at others
            arguments = (node, axis_index(new))
            done[node] = make(Kind.GATHER, arguments, gather_axes(arguments, (axis,)), node.dtype, (axis,))
            continue
        done[node] = _moved(node, tuple(done.get(a, a) for a in node.args), axis, new)
    return Term(
        done.get(term.value, term.value),
        tuple(done.get(i, i) for i in term.indices),
        tuple(new if a == axis else a for a in term.axes),
    )


def _moved(node: Node, arguments: tuple[Node, ...], axis: Axis, new: Axis) -> Node:
    """A node that varies along ``axis``, along ``new`` instead; in what it binds itself, the axis is another one."""
    if node.kind is Kind.SCATTER_ADD and axis in node.data[0]:
        targets, summed = node.data
        data = tuple(new if a == axis else a for a in targets), summed
        return make(node.kind, node.args, scatter_axes(node.args, *data), node.dtype, data)
    if node.kind is not Kind.GATHER:
        return with_arguments(node, arguments)
    array, indices, replaced = node.args[0], arguments[1:], tuple(node.data)
    if axis in array.axes and axis not in replaced:
        if array.kind is Kind.INPUT:  # it is read at its own axis
            indices, replaced = (*indices, axis_index(new)), (*replaced, axis)
        else:
            array = arguments[0]
    return _read(node, (array, *indices), replaced)


def _read(gather: Node, arguments: tuple[Node, ...], data: tuple[Axis, ...]) -> Node:
    """A Gather with new arguments, without what reads an axis at its own index."""
    array, *indices = arguments
    moved = [(a, i) for a, i in zip(data, indices, strict=True) if i.kind is not Kind.AXIS_INDEX or i.data != a]
    if not moved:
        return array
    replaced = tuple(a for a, _ in moved)
    arguments = (array, *(i for _, i in moved))
    return make(Kind.GATHER, arguments, gather_axes(arguments, replaced), gather.dtype, replaced)
