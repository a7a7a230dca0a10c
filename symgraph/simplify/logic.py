"""Conditions and selects in canonical form. A guard is ``select(condition, value, 0)``."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from ..dtype import INTEGER
from ..node import Kind, Node, constant
from ..ops import OPS, apply_op
from ..rewrite import rebuild
from .numbers import is_number

__all__ = ["FALSE", "TRUE", "compare", "guard", "logical_and", "logical_not", "logical_or", "select", "split_guard"]

TRUE, FALSE = constant(True), constant(False)
_ZERO = constant(0)


def guard(condition: Node, value: Node) -> Node:
    """The value where the condition holds, 0 elsewhere (an Iverson bracket)."""
    return select(condition, value, _ZERO)


def split_guard(node: Node) -> tuple[Node | None, Node]:
    """(condition, value) of a guard, (None, node) of anything else."""
    if node.kind is Kind.ELEMENTWISE and node.data == "select" and node.args[2] is _ZERO:
        return node.args[0], node.args[1]
    return None, node


def select(condition: Node, then: Node, otherwise: Node) -> Node:
    """``then`` where the condition holds, ``otherwise`` elsewhere.

    >>> from symgraph.node import input_node
    >>> x = input_node("x")
    >>> select(TRUE, x, constant(0)) is x
    True
    """
    if condition is TRUE or then is otherwise:
        return then
    if condition is FALSE:
        return otherwise
    if condition.kind is Kind.ELEMENTWISE and condition.data == "not":
        condition, then, otherwise = condition.args[0], otherwise, then
    if then.kind is Kind.ELEMENTWISE and then.data == "select":
        if then.args[0] is condition:  # the inner decision is already taken
            return select(condition, then.args[1], otherwise)
        if otherwise is _ZERO and then.args[2] is _ZERO:
            return select(logical_and(condition, then.args[0]), then.args[1], _ZERO)
    if condition.kind is Kind.ELEMENTWISE and condition.data in ("eq", "ne"):
        general, point = (otherwise, then) if condition.data == "eq" else (then, otherwise)
        if _holds_at_point(condition, general, point):
            return general
    if otherwise.kind is Kind.ELEMENTWISE and otherwise.data == "select" and otherwise.args[0] is condition:
        return select(condition, then, otherwise.args[2])
    if then is _ZERO and otherwise is not _ZERO:
        return apply_op("select", logical_not(condition), otherwise, _ZERO)
    return apply_op("select", condition, then, otherwise)


def _holds_at_point(condition: Node, general: Node, point: Node) -> bool:
    """Whether a value that is written apart for ``x == number`` is what the general branch gives there exactly.

    Without the select the derivative at the point is that of the general branch, not that of a constant.
    """
    left, right = condition.args
    if is_number(left):
        left, right = right, left
    if not is_number(right) or is_number(left) or left.dtype is INTEGER:
        return False
    from . import construct  # rebuilding needs every constructor, this one among them

    if not math.isfinite(right.data):
        return False
    singular: set[Node] = set()  # nodes of the branches whose value at the point is not defined

    def checked(node: Node, arguments: tuple[Node, ...]) -> Node:
        result = construct(node, arguments)
        used = node.args
        if node.kind is Kind.ELEMENTWISE and node.data == "select" and arguments[0] in (TRUE, FALSE):
            used = (node.args[1 if arguments[0] is TRUE else 2],)  # the other branch is not taken there
        if any(a in singular for a in used) or (result.kind is not Kind.CONST and not _is_defined(node, arguments)):
            singular.add(node)
        return result

    at_point = rebuild([general, point], {left: constant(Fraction(right.data))}, checked)
    return general not in singular and point not in singular and at_point[0] is at_point[1]


def _is_defined(node: Node, arguments: tuple[Node, ...]) -> bool:
    """Whether an operation on numbers that did not fold is finite (0**-1 and log(0) are not)."""
    if node.kind is not Kind.ELEMENTWISE or not all(is_number(a) for a in arguments):
        return True
    with np.errstate(all="ignore"):
        return bool(np.isfinite(OPS[node.data].numpy(*(float(a.data) for a in arguments))))


def compare(name: str, left: Node, right: Node) -> Node:
    """A comparison: one of the rows lt, le, eq, ne."""
    if left is right and left.dtype is INTEGER:  # a floating value may be nan, which differs from itself
        return TRUE if name in ("le", "eq") else FALSE
    if is_number(left) and is_number(right):
        a, b = left.data, right.data
        return constant(bool({"lt": a < b, "le": a <= b, "eq": a == b, "ne": a != b}[name]))
    if name in ("eq", "ne") and left.number > right.number:
        left, right = right, left
    return apply_op(name, left, right)


def logical_not(node: Node) -> Node:
    """not node; integer comparisons turn around (floating ones do not: nan)."""
    if node.kind is Kind.CONST:
        return FALSE if node is TRUE else TRUE
    if node.kind is Kind.ELEMENTWISE:
        if node.data == "not":
            return node.args[0]
        if node.data in ("eq", "ne"):
            return apply_op("ne" if node.data == "eq" else "eq", *node.args)
        if node.data in ("lt", "le") and all(a.dtype is INTEGER for a in node.args):
            return compare("le" if node.data == "lt" else "lt", node.args[1], node.args[0])
    return apply_op("not", node)


def logical_and(*nodes: Node) -> Node:
    """The conjunction, flattened, each condition once."""
    return _junction("and", nodes, TRUE, FALSE)


def logical_or(*nodes: Node) -> Node:
    """The disjunction, flattened, each condition once."""
    return _junction("or", nodes, FALSE, TRUE)


def _junction(name: str, nodes: tuple[Node, ...], neutral: Node, absorbing: Node) -> Node:
    parts: dict[Node, None] = {}
    for node in nodes:
        flat = node.args if node.kind is Kind.ELEMENTWISE and node.data == name else (node,)
        for part in flat:
            if part is absorbing:
                return absorbing
            if part is not neutral:
                parts[part] = None
    if not parts:
        return neutral
    return next(iter(parts)) if len(parts) == 1 else apply_op(name, *parts)
