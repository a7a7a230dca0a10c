"""Piecewise, ITE, relationals and logic."""

from __future__ import annotations

import math
from collections.abc import Callable

import sympy as sp

from .. import simplify as s
from ..dtype import BOOLEAN, FLOATING
from ..node import Kind, Node, constant
from ..ops import apply_op
from .engine import Bindings, Machine, Rule, Steps

__all__ = ["LOGIC", "RELATIONS", "if_then_else", "logic_rule", "piecewise", "relation_rule"]


def condition_node(node: Node) -> Node:
    """A condition: a number counts as true where it is not 0."""
    return node if node.dtype is BOOLEAN else s.call("ne", node, constant(0))


def piecewise(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    """Nested selects, the first condition that holds decides; without a default the value elsewhere is undefined."""
    branches: list[tuple[Node, Node]] = []
    result: Node | None = None
    for pair in expression.args:
        value, condition = pair.args
        if condition is sp.true:
            result = yield value, bindings, position
            break
        branches.append(((yield condition, bindings, ()), (yield value, bindings, position)))
    if result is None:
        result = _undefined([node for branch in branches for node in branch])
    for test, then in reversed(branches):
        result = s.select(condition_node(test), then, result)
    return result


def _undefined(nodes: list[Node]) -> Node:
    """nan, and so is its derivative by everything that the branches and their conditions are made of."""
    operands: dict[Node, None] = {}
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        if node.dtype is BOOLEAN and node.kind is Kind.ELEMENTWISE:
            stack.extend(reversed(node.args))
        elif node.kind is not Kind.CONST and node.dtype is FLOATING:
            operands.setdefault(node)
    return apply_op("undefined", *operands) if operands else constant(math.nan)


def if_then_else(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    """ITE(condition, then, otherwise), a choice between conditions."""
    condition = yield expression.args[0], bindings, ()
    then = yield expression.args[1], bindings, ()
    otherwise = yield expression.args[2], bindings, ()
    return s.select(condition_node(condition), condition_node(then), condition_node(otherwise))


# class of SymPy -> (row, whether the sides change places)
RELATIONS: dict[type, tuple[str, bool]] = {
    sp.StrictLessThan: ("lt", False),
    sp.LessThan: ("le", False),
    sp.StrictGreaterThan: ("lt", True),
    sp.GreaterThan: ("le", True),
    sp.Equality: ("eq", False),
    sp.Unequality: ("ne", False),
}


def relation_rule(row: str, swapped: bool) -> Rule:
    """The rule of a comparison."""

    def rule(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Steps:
        left = yield expression.args[0], bindings, ()
        right = yield expression.args[1], bindings, ()
        return s.call(row, right, left) if swapped else s.call(row, left, right)

    return rule


def _exclusive(*conditions: Node) -> Node:
    result = conditions[0]
    for condition in conditions[1:]:
        result = s.call("ne", result, condition)
    return result


def _equivalent(*conditions: Node) -> Node:
    return s.logical_or(s.logical_and(*conditions), s.logical_and(*(s.logical_not(c) for c in conditions)))


LOGIC: dict[type, Callable[..., Node]] = {
    sp.And: s.logical_and,
    sp.Or: s.logical_or,
    sp.Not: s.logical_not,
    sp.Xor: _exclusive,
    sp.Implies: lambda a, b: s.logical_or(s.logical_not(a), b),
    sp.Equivalent: _equivalent,
    sp.Nand: lambda *c: s.logical_not(s.logical_and(*c)),
    sp.Nor: lambda *c: s.logical_not(s.logical_or(*c)),
}


def logic_rule(formula: Callable[..., Node]) -> Rule:
    """The rule of a connective."""

    def rule(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Steps:
        conditions = []
        for argument in expression.args:
            conditions.append(condition_node((yield argument, bindings, ())))
        return formula(*conditions)

    return rule
