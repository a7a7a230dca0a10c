"""Walks over the statements and expressions of a Procedure: one place for every pass that only looks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from .loop_ir import (
    Accumulate,
    Alloc,
    Array,
    Block,
    Call,
    Expression,
    For,
    If,
    Let,
    Load,
    Operation,
    Procedure,
    Statement,
    Store,
    Variable,
)  # fmt: skip

__all__ = ["expressions_of", "leaves", "mentions", "operations", "walk"]


def walk(statements: Iterable[Statement]) -> Iterator[Statement]:
    """All statements, outer before inner, in the order of the text."""
    stack = list(reversed(list(statements)))
    while stack:
        statement = stack.pop()
        match statement:
            case Block(inner):
                stack.extend(reversed(inner))
                continue
            case For():
                stack.append(statement.body)
            case If():
                stack.extend((statement.otherwise, statement.then))
        yield statement


def expressions_of(statement: Statement) -> tuple[Expression, ...]:
    """The expressions of a statement itself; the place that an Accumulate changes counts as a Load."""
    match statement:
        case Let(_, value):
            return (value,)
        case Store(_, index, value):
            return (index, value)
        case Accumulate(target, _, value):
            return (target, value)
        case For(_, start, stop):
            return (start, stop)
        case If(condition):
            return (condition,)
        case Alloc(_, size):
            return (size,)
        case Call(_, arguments):
            return tuple(a for a in arguments if not isinstance(a, Array))
    return ()


def leaves(root: Expression) -> Iterator[Expression]:
    """Every Variable and every Load of an expression."""
    stack = [root]
    while stack:
        match item := stack.pop():
            case Variable():
                yield item
            case Load(_, index):
                yield item
                stack.append(index)
            case Operation(_, operands):
                stack.extend(reversed(operands))


def mentions(expression: Expression, names: Collection[str]) -> bool:
    """Whether a variable of these names appears in an expression, or an array of these names is read in it."""
    for leaf in leaves(expression):
        if (leaf.array.name if isinstance(leaf, Load) else leaf.name if isinstance(leaf, Variable) else "") in names:
            return True
    return False


def operations(procedure: Procedure) -> list[Operation]:
    """All operations of a procedure, in the order of the text, outer ones before their operands."""
    found: list[Operation] = []
    stack: list[Expression] = [e for s in walk([procedure.body]) for e in expressions_of(s)]
    stack.reverse()
    while stack:
        match stack.pop():
            case Operation() as operation:
                found.append(operation)
                stack.extend(reversed(operation.operands))
            case Load(_, index):
                stack.append(index)
    return found
