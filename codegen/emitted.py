"""Nodes of emitted operations, which need not be rows of the op table."""

from __future__ import annotations

from ..dtype import FLOATING, Dtype
from ..node import Kind, Node, make, union_axes
from ..rewrite import copy, gather_axes

__all__ = ["elementwise", "with_arguments"]


def elementwise(op: str, *arguments: Node, dtype: Dtype = FLOATING) -> Node:
    """A node of an emitted operation, which need not be in the op table."""
    return make(Kind.ELEMENTWISE, arguments, union_axes(arguments), dtype, op)


def with_arguments(node: Node, arguments: tuple[Node, ...]) -> Node:
    """A node like ``node``, of any emitted operation, with other arguments."""
    if node.kind is Kind.ELEMENTWISE:
        return make(node.kind, arguments, union_axes(arguments), node.dtype, node.data)
    if node.kind is Kind.GATHER and not all(a in arguments[0].axes for a in node.data):
        # the array was repeated along an axis that is read here, and is no longer
        kept = [(a, i) for a, i in zip(node.data, arguments[1:], strict=True) if a in arguments[0].axes]
        if not kept:
            return arguments[0]
        arguments = (arguments[0], *(i for _, i in kept))
        return make(node.kind, arguments, gather_axes(arguments, tuple(a for a, _ in kept)), node.dtype,
                    tuple(a for a, _ in kept))  # fmt: skip
    return copy(node, arguments)
