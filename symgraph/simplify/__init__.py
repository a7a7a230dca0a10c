"""Smart constructors: every node that capture, differentiation and rewriting make comes from here.

Simplification is local and happens on construction: rules in :mod:`.rules` (one per line), canonical sums, products and
powers in :mod:`.arithmetic`, conditions in :mod:`.logic`, reductions in :mod:`.sums`, array access in :mod:`.access`,
and the shifted log-sum-exp in :mod:`.stable`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..axis import Axis
from ..node import Kind, Node
from ..ops import apply_op
from ..rewrite import copy, rename
from ..rewrite import rebuild as _rebuild
from .access import broadcast, gather, scatter_add
from .arithmetic import (
    MINUS_ONE,
    ONE,
    ZERO,
    add,
    div,
    factor_product,
    mul,
    neg,
    power,
    scale,
    split_coefficient,
    sub,
)
from .logic import FALSE, TRUE, compare, guard, logical_and, logical_not, logical_or, select, split_guard
from .removable import remove_singularities
from .rules import RULES
from .stable import shifted_log
from .sums import reduce

__all__ = [
    "FALSE", "MINUS_ONE", "ONE", "TRUE", "ZERO", "add", "broadcast", "call", "compare", "construct", "div",
    "factor_product", "gather", "guard", "logical_and", "logical_not", "logical_or", "mul", "neg", "power", "reduce",
    "remove_singularities", "rename_axes", "scale", "scatter_add", "select", "split_coefficient", "split_guard", "sub",
    "substitute",
]  # fmt: skip

_CONSTRUCTORS: dict[str, Callable[..., Node]] = {
    "add": add,
    "mul": mul,
    "pow": power,
    "select": select,
    "and": logical_and,
    "or": logical_or,
    "not": logical_not,
    **{name: (lambda left, right, name=name: compare(name, left, right)) for name in ("lt", "le", "eq", "ne")},
}

_RULES: dict[str, list[Callable[..., Node | None]]] = {"log": [shifted_log]}
for _rule in RULES:
    _RULES.setdefault(_rule.op, []).append(_rule.apply)


def call(op: str, *arguments: Node) -> Node:
    """A row of the op table applied to arguments, simplified by the local rules.

    >>> call("exp", ZERO) is ONE
    True
    """
    constructor = _CONSTRUCTORS.get(op)
    if constructor is not None:
        return constructor(*arguments)
    for rule in _RULES.get(op, ()):
        result = rule(*arguments)
        if result is not None:
            return result
    return apply_op(op, *arguments)


def construct(node: Node, arguments: tuple[Node, ...]) -> Node:
    """A node like ``node`` with other arguments, simplified."""
    match node.kind:
        case Kind.ELEMENTWISE:
            return call(node.data, *arguments)
        case Kind.REDUCE:
            return reduce(node.data[0], arguments[0], node.data[1])
        case Kind.BROADCAST:
            return broadcast(arguments[0], node.data)
        case Kind.GATHER:
            return gather(arguments[0], dict(zip(node.data, arguments[1:], strict=True)))
        case Kind.SCATTER_ADD:
            return scatter_add(arguments[0], dict(zip(node.data[0], arguments[1:], strict=True)), node.data[1])
        case _:
            return copy(node, arguments)


def substitute(roots: Iterable[Node], replacements: Mapping[Node, Node]) -> list[Node]:
    """The roots with nodes replaced, simplified on the way up."""
    return _rebuild(roots, replacements, construct)


def rename_axes(roots: Iterable[Node], names: Mapping[Axis, Axis]) -> list[Node]:
    """The roots with free axes renamed (capture-avoiding)."""
    return rename(roots, names, construct)



