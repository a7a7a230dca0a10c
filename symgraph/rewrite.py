"""Rebuilding graphs: replace nodes, rename axes. Everything here is one bottom-up pass without recursion.

``construct(node, arguments)`` makes a node like ``node`` with other arguments; :mod:`symgraph.simplify` supplies one
that simplifies on the way, :func:`copy` is the plain one.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping

import sympy as sp

from .axis import Axis
from .errors import UnsupportedError
from .graph import topological_order
from .node import Kind, Node, axis_index, make, union_axes
from .ops import apply_op

__all__ = ["Construct", "bound_axes", "copy", "fresh_axis", "is_large", "rebuild", "rename"]

Construct = Callable[[Node, tuple[Node, ...]], Node]


def copy(node: Node, arguments: tuple[Node, ...]) -> Node:
    """The plain node of the same kind and data with other arguments."""
    match node.kind:
        case Kind.ELEMENTWISE:
            return apply_op(node.data, *arguments)
        case Kind.REDUCE:
            axes = tuple(a for a in arguments[0].axes if a != node.data[1])
            return make(node.kind, arguments, axes, node.dtype, node.data)
        case Kind.BROADCAST:
            return make(node.kind, arguments, (*arguments[0].axes, node.data), node.dtype, node.data)
        case Kind.GATHER:
            return make(node.kind, arguments, gather_axes(arguments, node.data), node.dtype, node.data)
        case Kind.SCATTER_ADD:
            return make(node.kind, arguments, scatter_axes(arguments, *node.data), node.dtype, node.data)
        case Kind.SCAN:
            raise UnsupportedError("a recurrence cannot be rebuilt")
        case _:
            return node


def gather_axes(arguments: tuple[Node, ...], replaced: tuple[Axis, ...]) -> tuple[Axis, ...]:
    """The axes of a Gather: those of the array that stay, then those of the indices."""
    kept = tuple(a for a in arguments[0].axes if a not in replaced)
    return kept + tuple(a for a in union_axes(arguments[1:]) if a not in kept)


def scatter_axes(
    arguments: tuple[Node, ...], targets: tuple[Axis, ...], summed: tuple[Axis, ...]
) -> tuple[Axis, ...]:
    """The axes of a ScatterAdd: its targets, then the axes of value and indices that are not summed."""
    return targets + tuple(a for a in union_axes(arguments) if a not in summed and a not in targets)


def rebuild(roots: Iterable[Node], replacements: Mapping[Node, Node], construct: Construct) -> list[Node]:
    """The roots with every node of ``replacements`` replaced; untouched parts stay the same nodes."""
    roots = list(roots)
    done: dict[Node, Node] = dict(replacements)
    for node in topological_order(roots):
        if node in done:
            continue
        arguments = tuple(done[a] for a in node.args)
        done[node] = node if arguments == node.args else construct(node, arguments)
    return [done[root] for root in roots]


def bound_axes(node: Node) -> tuple[Axis, ...]:
    """The axes that a node binds in its arguments."""
    if node.kind is Kind.REDUCE:
        return (node.data[1],)
    if node.kind is Kind.GATHER:
        return tuple(node.data)
    if node.kind is Kind.SCATTER_ADD:
        return tuple(node.data[1])
    return ()


def fresh_axis(name: str, size: sp.Expr, used: Iterable[Axis]) -> Axis:
    """An axis of that size whose name no axis in ``used`` has: ``name`` itself, else with a number appended."""
    taken = {a.name for a in used}
    if name in taken:
        stem = name.rstrip("0123456789").rstrip("_") or name
        name = next(n for i in range(1, len(taken) + 2) if (n := f"{stem}_{i}") not in taken)
    return Axis(name, size)


def is_large(root: Node, axes: Container[Axis], limit: int = 64) -> bool:
    """Whether more than ``limit`` nodes below a node vary over one of the axes."""
    seen: set[Node] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node not in seen and any(a in axes for a in node.axes):
            seen.add(node)
            if len(seen) > limit:
                return True
            stack.extend(node.args)
    return False


def rename(roots: Iterable[Node], names: Mapping[Axis, Axis], construct: Construct) -> list[Node]:
    """The roots with free axes renamed. Axes that a reduction, gather or scatter binds are other axes: where a new
    name would be captured by such a binder, the binder's own axis gets a fresh name first.

    Each node is visited once per set of names that reaches it, arguments first.
    """
    roots = list(roots)
    if not names:
        return roots
    everywhere: dict[Axis, None] = {}  # filled when the first fresh name is needed: that is seldom
    done: dict[tuple[Node, tuple[tuple[Axis, Axis], ...]], Node] = {}

    def fresh(axis: Axis) -> Axis:
        if not everywhere:
            everywhere.update({a: None for node in topological_order(roots) for a in (*node.axes, *bound_axes(node))})
            everywhere.update(dict.fromkeys(names.values()))
        new = fresh_axis(axis.name, axis.size, everywhere)
        everywhere[new] = None
        return new

    def relevant(node: Node, mapping: Mapping[Axis, Axis]) -> tuple[tuple[Axis, Axis], ...]:
        return tuple((a, mapping[a]) for a in node.axes if a in mapping and mapping[a] != a)

    def inner(node: Node, mapping: Mapping[Axis, Axis]) -> tuple[dict[Axis, Axis], list[dict[Axis, Axis]]]:
        """The binder's own renaming, and the names that hold in each argument."""
        binders = bound_axes(node)
        outside = {a: b for a, b in mapping.items() if a not in binders}
        own: dict[Axis, Axis] = {}
        if node.kind is not Kind.GATHER:  # the axes that a Gather replaces are bound in the array alone
            for axis in binders:
                if axis in outside.values():
                    own[axis] = fresh(axis)
            return own, [{**outside, **own}] * len(node.args)
        array = node.args[0]
        clashes = [a for a in binders if a in {outside.get(b, b) for b in array.axes if b not in binders}]
        for axis in clashes:
            own[axis] = fresh(axis)
        return own, [{**outside, **own}] + [dict(mapping)] * (len(node.args) - 1)

    stack: list[tuple[Node, dict[Axis, Axis]]] = [(root, dict(names)) for root in roots]
    plans: dict[tuple[Node, tuple[tuple[Axis, Axis], ...]], tuple[dict[Axis, Axis], list[dict[Axis, Axis]]]] = {}
    while stack:
        node, mapping = stack[-1]
        wanted = relevant(node, mapping)
        key = (node, wanted)
        if key in done:
            stack.pop()
            continue
        if not wanted:
            done[key] = node
            stack.pop()
            continue
        if node.kind is Kind.AXIS_INDEX:
            done[key] = axis_index(wanted[0][1])
            stack.pop()
            continue
        if node.kind is Kind.INPUT:
            done[key] = _rename_input(node, dict(wanted))
            stack.pop()
            continue
        if key not in plans:
            plans[key] = inner(node, dict(wanted))
        own, mappings = plans[key]
        missing = [(a, m) for a, m in zip(node.args, mappings, strict=True) if (a, relevant(a, m)) not in done]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        arguments = tuple(done[a, relevant(a, m)] for a, m in zip(node.args, mappings, strict=True))
        done[key] = construct(_with_data(node, own, dict(wanted)), arguments)
    return [done[root, relevant(root, names)] for root in roots]


def _rename_input(node: Node, names: Mapping[Axis, Axis]) -> Node:
    replaced = tuple(a for a in node.axes if a in names)
    arguments = (node, *(axis_index(names[a]) for a in replaced))
    return make(Kind.GATHER, arguments, gather_axes(arguments, replaced), node.dtype, replaced)


def _with_data(node: Node, own: Mapping[Axis, Axis], names: Mapping[Axis, Axis]) -> Node:
    """A stand-in whose data carries the renamed binders; only its kind and data are read by ``construct``."""
    if node.kind is Kind.REDUCE:
        data: object = (node.data[0], own.get(node.data[1], node.data[1]))
    elif node.kind is Kind.GATHER:
        data = tuple(own.get(a, a) for a in node.data)
    elif node.kind is Kind.SCATTER_ADD:
        data = (tuple(names.get(a, a) for a in node.data[0]), tuple(own.get(a, a) for a in node.data[1]))
    elif node.kind is Kind.BROADCAST:
        data = names.get(node.data, node.data)
    else:
        return node
    return make(node.kind, node.args, node.axes, node.dtype, data)
