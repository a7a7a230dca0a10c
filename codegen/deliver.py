"""How each output is assembled: stored element by element, or zeroed and accumulated into.

An output that is a ScatterAdd, or a sum of them (a gradient that several reads contribute to, an array put
together from scalars), is written term by term at the scattered places; no array is made in between.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
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
    scattered: set[Node] = set()
    for node in graph.order:
        if uses[node] == 1 and (node.kind is Kind.SCATTER_ADD or any(a in scattered for a in _linear(node))):
            scattered.add(node)
    return [_delivery(output, scattered) for output in graph.outputs]


def _linear(node: Node) -> Sequence[Node]:
    """The arguments that a node passes on with at most another sign or a constant factor."""
    if node.kind is not Kind.ELEMENTWISE:
        return ()
    if node.data == "mul" and node.args[0].kind is Kind.CONST and len(node.args) == 2:
        return node.args[1:]
    return node.args if node.data in ("add", "sub", "neg") else ()


def _delivery(output: Output, scattered: Set[Node]) -> Delivery:
    if output.node in scattered and output.node.dtype is FLOATING:
        terms = _merged(_terms(output, scattered))
        disjoint, complete = _covered(terms, output.axes)
        return Delivery(output, tuple(terms), accumulate=not disjoint, fill=not complete)
    plain = Term(output.node, tuple(axis_index(a) for a in output.axes), output.axes)
    return Delivery(output, (plain,), accumulate=False, fill=False)


@dataclass(frozen=True)
class _Part:
    """A part of an output that is not taken apart yet: it goes to ``indices`` after ``pending`` operations."""

    node: Node
    pending: tuple[tuple[str, Node | None], ...]
    indices: tuple[Node, ...]
    summed: tuple[Axis, ...] = ()


def _terms(output: Output, scattered: Set[Node]) -> list[Term]:
    """The terms of a (nested) sum of ScatterAdds, in order."""
    terms: list[Term] = []
    stack = [_Part(output.node, (), tuple(axis_index(a) for a in output.axes))]
    while stack:
        part = stack.pop()
        parts = _taken_apart(part) if part.node in scattered else None
        if parts is None:
            value = _applied(part.node, part.pending)
            axes = union_axes((*part.indices, value))
            terms.append(Term(value, part.indices, axes + tuple(a for a in part.summed if a not in axes)))
        else:
            stack.extend(reversed(parts))
    return terms


def _merged(terms: Sequence[Term]) -> list[Term]:
    """Terms that go to the same places as one."""
    groups: dict[tuple[object, ...], list[Term]] = {}
    for term in terms:
        running = {a for i in term.indices for a in i.axes}
        alone = not set(term.axes) <= running  # it is summed on the way
        groups.setdefault((term.indices, len(groups) if alone else -1), []).append(term)
    result = []
    for first, *others in groups.values():
        if others:
            values = tuple(t.value for t in (first, *others))
            first = replace(first, value=make(Kind.ELEMENTWISE, values, union_axes(values), FLOATING, "add"))
        result.append(first)
    return result


def _taken_apart(part: _Part) -> list[_Part] | None:
    node = part.node
    if node.kind is Kind.SCATTER_ADD:
        return _scattered(part)
    if node.kind is not Kind.ELEMENTWISE:
        return None
    match node.data, node.args:
        case "add", arguments:
            return [replace(part, node=a) for a in arguments]
        case "sub", (left, right):
            return [replace(part, node=left), replace(part, node=right, pending=(*part.pending, ("neg", None)))]
        case "neg", (argument,):
            return [replace(part, node=argument, pending=(*part.pending, ("neg", None)))]
        case "mul", (factor, argument) if factor.kind is Kind.CONST:
            return [replace(part, node=argument, pending=(*part.pending, ("mul", factor)))]
    return None


def _scattered(part: _Part) -> list[_Part] | None:
    """The value of a ScatterAdd at its places; None where its axes cannot be told from those around it."""
    value, *places = part.node.args
    targets, summed = part.node.data
    place = dict(zip(targets, places, strict=True))
    indices: list[Node] = []
    replaced: set[Axis] = set()
    for index in part.indices:
        if index.kind is Kind.AXIS_INDEX and index.data in place:
            replaced.add(index.data)
            indices.append(place[index.data])
        elif any(a in place or a in summed for a in index.axes):
            return None
        else:
            indices.append(index)
    if len(replaced) != len(place) or any(a in summed for a in part.summed):
        return None
    return [_Part(value, part.pending, tuple(indices), part.summed + summed)]


def _applied(value: Node, pending: Sequence[tuple[str, Node | None]]) -> Node:
    for op, factor in reversed(pending):
        arguments = (value,) if factor is None else (factor, value)
        value = make(Kind.ELEMENTWISE, arguments, union_axes(arguments), FLOATING, op)
    return value


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
