"""Building blocks of the loop IR: typed operations, casts and integer index arithmetic with the trivial cases
folded."""

from __future__ import annotations

from collections.abc import Sequence

from ..dtype import BOOLEAN, FLOATING, INTEGER, Dtype, promote
from ..ops import OPS
from .loop_ir import EMITTED, Expression, Literal, Load, Operation, Variable

__all__ = [
    "cast",
    "depth_of",
    "flat_index",
    "integer",
    "integer_product",
    "integer_sum",
    "negated",
    "typed_operation",
    "weight_of",
]

COMPARISONS = frozenset({"lt", "le", "eq", "ne"})


def integer(value: int) -> Literal:
    """An integer literal."""
    return Literal(value, INTEGER)


def integer_sum(left: Expression, right: Expression) -> Expression:
    """left + right, folded where one is a literal."""
    if isinstance(left, Literal) and isinstance(right, Literal):
        return integer(_whole(left) + _whole(right))
    if isinstance(left, Literal):
        left, right = right, left
    if isinstance(right, Literal):
        value = _whole(right)
        if value == 0:
            return left
        if isinstance(left, Operation) and left.op in ("add", "sub") and isinstance(left.operands[-1], Literal):
            before = _whole(left.operands[-1]) * (1 if left.op == "add" else -1)
            if len(left.operands) == 2:
                return integer_sum(left.operands[0], integer(before + value))
        if value < 0:
            return Operation("sub", (left, integer(-value)), INTEGER)
    return Operation("add", (left, right), INTEGER)


def integer_product(left: Expression, right: Expression) -> Expression:
    """left * right, folded where one is a literal."""
    if isinstance(right, Literal):
        left, right = right, left
    if isinstance(left, Literal):
        value = _whole(left)
        if isinstance(right, Literal):
            return integer(value * _whole(right))
        if value == 0:
            return integer(0)
        if value == 1:
            return right
        return Operation("mul", (right, left), INTEGER)
    return Operation("mul", (left, right), INTEGER)


def flat_index(indices: Sequence[Expression], sizes: Sequence[Expression]) -> Expression:
    """The row-major position of an element: ((i0*n1 + i1)*n2 + i2)..."""
    result: Expression = integer(0)
    for index, size in zip(indices, sizes, strict=True):
        result = integer_sum(integer_product(result, size), index)
    return result


def _whole(literal: Literal) -> int:
    assert isinstance(literal.value, int)
    return literal.value


def negated(value: Expression) -> Expression:
    """-value of an integer."""
    return integer_product(integer(-1), value)


def cast(value: Expression, dtype: Dtype) -> Expression:
    """The value as another kind of number; conversions are explicit in the loop IR."""
    if value.dtype is dtype:
        return value
    if isinstance(value, Literal):
        exact = int(value.value) if isinstance(value.value, bool) else value.value
        return Literal(bool(exact) if dtype is BOOLEAN else exact, dtype)
    if dtype is BOOLEAN:
        return Operation("ne", (value, Literal(0, value.dtype)), BOOLEAN)
    if value.dtype is BOOLEAN:
        return Operation("select", (value, Literal(1, dtype), Literal(0, dtype)), dtype)
    assert dtype is FLOATING, "no operation of the graph rounds to an integer"
    return Operation("float", (value,), FLOATING)


def typed_operation(op: str, operands: Sequence[Expression], dtype: Dtype) -> Expression:
    """An operation whose operands are cast to what its row wants."""
    if op in COMPARISONS:
        common = promote(*(o.dtype for o in operands))
        return Operation(op, tuple(cast(o, common) for o in operands), BOOLEAN)
    if op in ("and", "or", "not"):
        return Operation(op, tuple(cast(o, BOOLEAN) for o in operands), BOOLEAN)
    if op == "select":
        condition, *branches = operands
        return Operation(op, (cast(condition, BOOLEAN), *(cast(b, dtype) for b in branches)), dtype)
    if op == "float":
        return cast(operands[0], FLOATING)
    if op in EMITTED or OPS[op].result != "int":
        return Operation(op, tuple(cast(o, dtype) for o in operands), dtype)
    return Operation(op, tuple(operands), dtype)


def weight_of(expression: Expression) -> int:
    """Number of leaves of an expression tree, which its length in print grows with."""
    match expression:
        case Literal() | Variable():
            return 1
        case Load(_, index):
            return 1 + weight_of(index)
        case Operation(_, operands):
            return sum(weight_of(o) for o in operands)


def depth_of(expression: Expression) -> int:
    """Levels of an expression tree (trees are shallow, so that recursion is fine)."""
    match expression:
        case Literal() | Variable():
            return 0
        case Load(_, index):
            return 1 + depth_of(index)
        case Operation(_, operands):
            return 1 + max((depth_of(o) for o in operands), default=0)
