"""How an index runs along a loop: by a fixed stride, or through data; and rewriting of statements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from .expressions import integer, integer_product, integer_sum, negated
from .loop_ir import (
    Accumulate,
    Array,
    Block,
    Call,
    Expression,
    For,
    If,
    Let,
    Load,
    Operation,
    Statement,
    Store,
    Variable,
)  # fmt: skip
from .loop_walks import expressions_of, leaves, mentions, walk

__all__ = ["array_uses", "rewritten", "row_position", "stride_along"]


def array_uses(statements: Iterable[Statement]) -> Counter[str]:
    """How often each array is read, written or handed on."""
    counts: Counter[str] = Counter()
    for statement in walk(statements):
        if isinstance(statement, Store):
            counts[statement.array.name] += 1
        elif isinstance(statement, Call):
            counts.update(a.name for a in statement.arguments if isinstance(a, Array))
        for expression in expressions_of(statement):
            counts.update(leaf.array.name for leaf in leaves(expression) if isinstance(leaf, Load))
    return counts


def stride_along(index: Expression, name: str, varying: Collection[str]) -> Expression | None:
    """By how much an index grows from one turn of the loop over ``name`` to the next; None when it is not affine.

    >>> from symgraph.codegen.expressions import flat_index
    >>> from symgraph.dtype import INTEGER
    >>> i, j, m, n = (Variable(v, INTEGER) for v in "ijmn")
    >>> stride_along(flat_index([i, j], [m, n]), "i", {"i"}) == n
    True
    """
    if not mentions(index, varying):
        return integer(0)
    match index:
        case Variable(found):
            return integer(1) if found == name else None
        case Operation("add" | "sub" as op, operands):
            total: Expression = integer(0)
            for position, operand in enumerate(operands):
                stride = stride_along(operand, name, varying)
                if stride is None:
                    return None
                total = integer_sum(total, negated(stride) if op == "sub" and position else stride)
            return total
        case Operation("neg", (operand,)):
            stride = stride_along(operand, name, varying)
            return None if stride is None else negated(stride)
        case Operation("mul", operands):
            own = [o for o in operands if mentions(o, varying)]
            if len(own) > 1:
                return None
            stride = stride_along(own[0], name, varying)
            for operand in operands:
                if stride is not None and operand is not own[0]:
                    stride = integer_product(stride, operand)
            return stride
    return None


def row_position(load: Load, index: Variable, varying: Collection[str]) -> Expression | None:
    """Where in its row an element lies, when the loop's own row of the array is read; None otherwise."""
    position = load.index
    rest: list[tuple[Expression, Expression]] = []  # (index, size) of the inner dimensions, innermost first
    for size in reversed(load.array.shape[1:]):
        last: Expression = integer(0)
        if isinstance(position, Operation) and position.op == "add" and len(position.operands) == 2:
            position, last = position.operands
        if not isinstance(position, Operation) or position.op != "mul" or position.operands[1] != size:
            return None
        if mentions(last, varying):
            return None
        rest.append((last, size))
        position = position.operands[0]
    if position != index or not rest:
        return None
    result: Expression = integer(0)
    for last, size in reversed(rest):
        result = integer_sum(integer_product(result, size), last)
    return result


def rewritten(statement: Statement, change: Callable[[Expression], Expression],
              targets: Callable[[Accumulate], Accumulate], arrays: Callable[[Array], Array]) -> Statement:
    """A statement with every expression changed from the leaves up; loops are nested a handful of levels."""

    def deep(expression: Expression) -> Expression:
        match expression:
            case Load(array, index):
                return change(Load(arrays(array), deep(index)))
            case Operation(op, operands, dtype):
                return change(Operation(op, tuple(deep(o) for o in operands), dtype))
        return change(expression)

    def again(inner: Statement) -> Statement:
        return rewritten(inner, change, targets, arrays)

    match statement:
        case Block(statements):
            return Block(tuple(again(s) for s in statements))
        case Let():
            return replace(statement, value=deep(statement.value))
        case Store(array, index, value):
            return replace(statement, array=arrays(array), index=deep(index), value=deep(value))
        case Accumulate():
            statement = targets(statement)
            target = statement.target
            if isinstance(target, Load):
                target = Load(arrays(target.array), deep(target.index))
            return Accumulate(target, statement.reducer, deep(statement.value))
        case For():
            body = again(statement.body)
            assert isinstance(body, Block)
            return replace(statement, start=deep(statement.start), stop=deep(statement.stop), body=body)
        case If(condition, then, otherwise):
            return If(deep(condition), *(Block(tuple(again(s) for s in b.statements)) for b in (then, otherwise)))
    return statement


