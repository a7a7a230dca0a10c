"""How each output is assembled: stored element by element, or zeroed and accumulated into.

An output that is a ScatterAdd, or a sum of them (a gradient that several reads contribute to, an array put together from
scalars), is written term by term at the scattered places; no array is made in between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from ..axis import Axis
from ..dtype import FLOATING
from ..graph import Graph, Output
from ..node import Kind, Node, axis_index, make, union_axes

__all__ = ["Delivery", "Term", "deliveries"]


@dataclass(frozen=True)
class Term:
    """A value that goes to the places ``indices`` of an output, for every index of ``axes``."""

    value: Node
    indices: tuple[Node, ...]
    axes: tuple[Axis, ...]

    @property
    def stored_axes(self) -> tuple[Axis, ...]:
        """The axes that run along a dimension of the output."""
        return tuple(i.data for i in self.indices if i.kind is Kind.AXIS_INDEX)


@dataclass(frozen=True)
class Delivery:
    """The terms of one output. ``accumulate``: they may meet in one element. ``fill``: not every element gets one."""

    output: Output
    terms: tuple[Term, ...]
    accumulate: bool
    fill: bool


def deliveries(graph: Graph) -> list[Delivery]:
    """One delivery per output of a prepared graph."""
    uses: dict[Node, int] = {}
    for node in graph.order:
        for argument in node.args:
            uses[argument] = uses.get(argument, 0) + 1
    for output in graph.outputs:
        uses[output.node] = uses.get(output.node, 0) + 1
    return [_delivery(output, uses) for output in graph.outputs]


def _delivery(output: Output, uses: Mapping[Node, int]) -> Delivery:
    plain = Term(output.node, tuple(axis_index(a) for a in output.axes), output.axes)
    if len(output.axes) != len(output.node.axes) or output.node.dtype is not FLOATING:
        return Delivery(output, (plain,), accumulate=False, fill=False)
    terms = _terms(output, uses)
    if terms is None:
        return Delivery(output, (plain,), accumulate=False, fill=False)
    disjoint, complete = _covered(terms, output.axes)
    return Delivery(output, tuple(terms), accumulate=not disjoint, fill=not complete)


def _terms(output: Output, uses: Mapping[Node, int]) -> list[Term] | None:
    """The terms of a sum of ScatterAdds, in order; None when there is no ScatterAdd to take apart."""
    terms: list[Term] = []
    found = False
    # a node with the operations that are still to be applied to each of its terms, innermost last
    stack: list[tuple[Node, tuple[tuple[str, Node | None], ...]]] = [(output.node, ())]
    while stack:
        node, pending = stack.pop()
        if uses[node] == 1 and set(node.axes) == set(output.axes):
            if node.kind is Kind.SCATTER_ADD:
                found = True
                terms.append(_scattered(node, output, pending))
                continue
            if node.kind is Kind.ELEMENTWISE and _contains_scatter(node):
                if node.data == "add":
                    stack.extend((a, pending) for a in reversed(node.args))
                    continue
                if node.data == "sub":
                    stack.append((node.args[1], (*pending, ("neg", None))))
                    stack.append((node.args[0], pending))
                    continue
                if node.data == "neg":
                    stack.append((node.args[0], (*pending, ("neg", None))))
                    continue
                if node.data == "mul" and len(node.args) == 2 and node.args[0].kind is Kind.CONST:
                    stack.append((node.args[1], (*pending, ("mul", node.args[0]))))
                    continue
        terms.append(Term(_applied(node, pending), tuple(axis_index(a) for a in output.axes), output.axes))
    return terms if found else None


def _contains_scatter(node: Node) -> bool:
    return any(a.kind is Kind.SCATTER_ADD or a.kind is Kind.ELEMENTWISE for a in node.args)


def _applied(value: Node, pending: Sequence[tuple[str, Node | None]]) -> Node:
    for op, factor in reversed(pending):
        arguments = (value,) if factor is None else (factor, value)
        value = make(Kind.ELEMENTWISE, arguments, union_axes(arguments), FLOATING, op)
    return value


def _scattered(node: Node, output: Output, pending: Sequence[tuple[str, Node | None]]) -> Term:
    value, *indices = node.args
    targets, summed = node.data
    place = dict(zip(targets, indices, strict=True))
    where = tuple(place.get(a) or axis_index(a) for a in output.axes)
    axes = union_axes(node.args)
    return Term(_applied(value, pending), where, axes + tuple(a for a in summed if a not in axes))


def _covered(terms: Sequence[Term], axes: Sequence[Axis]) -> tuple[bool, bool]:
    """Whether no two writes meet in one element, and whether every element is written."""
    fixed: set[tuple[int, ...]] = set()
    pattern: tuple[bool, ...] | None = None
    for term in terms:
        along = term.stored_axes
        if len(set(along)) != len(along) or set(along) != set(term.axes):
            return False, False
        position: list[int] = []
        kinds: list[bool] = []
        for index, axis in zip(term.indices, axes, strict=True):
            if index.kind is Kind.AXIS_INDEX:
                if index.data.size != axis.size:
                    return False, False
            elif index.kind is Kind.CONST and axis.size.is_Integer and 0 <= index.data < int(axis.size):
                position.append(index.data)
            else:
                return False, False
            kinds.append(index.kind is Kind.AXIS_INDEX)
        if pattern is None:
            pattern = tuple(kinds)
        if tuple(kinds) != pattern or tuple(position) in fixed:
            return False, False
        fixed.add(tuple(position))
    assert pattern is not None
    whole = prod(int(a.size) for a, running in zip(axes, pattern, strict=True) if not running)
    return True, len(fixed) == whole
