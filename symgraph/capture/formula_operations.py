"""Single operations of formulas: literals, arithmetic with limits on exact constants, comparisons and branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from .. import simplify as s
from ..dtype import BOOLEAN
from ..node import Kind, Node, constant
from ..ops import apply_op
from ..reducers import size_value
from ..simplify.numbers import is_number
from .formula_syntax import MAXIMUM_DIGITS, Piece, Source

__all__ = [
    "bound_value", "branches", "compare", "limit_constants", "literal", "multiply", "number", "piecewise", "power",
    "require_condition",
]  # fmt: skip

MAXIMUM_EXPONENT = 64
_MAXIMUM_BITS = 65_536
_COMPARISONS: dict[str, tuple[str, bool]] = {
    "<": ("lt", False), "<=": ("le", False), ">": ("lt", True), ">=": ("le", True), "==": ("eq", False),
    "!=": ("ne", False),
}  # fmt: skip


def number(node: Node) -> Node:
    """A condition that is used as a number counts as 1 or 0."""
    return s.select(node, constant(1), constant(0)) if node.dtype is BOOLEAN else node


def require_condition(source: Source, piece: Piece, node: Node) -> None:
    """Refuse a number where a condition is expected."""
    if node.dtype is not BOOLEAN:
        raise source.error(piece.at, "expected a condition such as x > 0, found a number")


def compare(sign: str, left: Node, right: Node) -> Node:
    """One comparison as formulas write it; ``>`` and ``>=`` turn around."""
    name, turned = _COMPARISONS[sign]
    left, right = number(left), number(right)
    return s.call(name, right, left) if turned else s.call(name, left, right)


def literal(source: Source, piece: Piece) -> Node:
    """A number as it is written: integers and decimals are exact, as far as decimals are of ordinary size."""
    digits = sum(c.isdigit() for c in piece.value)
    if digits > MAXIMUM_DIGITS:
        raise source.error(piece.at, f"the number has more than {MAXIMUM_DIGITS} digits")
    if piece.kind == "integer":
        return constant(int(piece.value))
    mantissa, _, exponent = piece.value.lower().partition("e")
    if abs(int(exponent or "0")) > 400:
        raise source.error(piece.at, "the number is beyond the range of double precision")
    exact = Fraction(mantissa if not mantissa.endswith(".") else mantissa + "0") * Fraction(10) ** int(exponent or "0")
    rounded = float(exact) if abs(exact) < 2**1024 else float("inf")
    if rounded in (float("inf"), float("-inf")):
        raise source.error(piece.at, "the number is beyond the range of double precision")
    # 2.0 is a floating value; 0.1 is one tenth until it is printed
    ordinary = exact.denominator != 1 and abs(int(exponent or "0")) <= MAXIMUM_DIGITS
    return constant(exact if ordinary else rounded)


def _bits(node: Node) -> int:
    if node.kind is Kind.ELEMENTWISE and node.data == "mul":
        node = node.args[0]
    if node.kind is not Kind.CONST or not isinstance(node.data, int | Fraction):
        return 0
    value = Fraction(node.data)
    return value.numerator.bit_length() + value.denominator.bit_length()


def limit_constants(source: Source, piece: Piece, nodes: Sequence[Node]) -> None:
    """Refuse exact constants that would grow without bound when they are folded."""
    if sum(map(_bits, nodes)) > _MAXIMUM_BITS:
        raise source.error(piece.at, f"the exact constants here have more than {_MAXIMUM_BITS} bits: write decimals")


def multiply(source: Source, piece: Piece, operands: list[Node]) -> Node:
    """A chain of ``* / // %`` from the left."""
    limit_constants(source, piece, operands)
    factors = [operands[0]]
    for sign, operand in zip(piece.value, operands[1:], strict=True):
        if sign in ("/", "//", "%") and operand is constant(0):
            raise source.error(piece.at, "division by zero")
        if sign == "*":
            factors.append(operand)
        elif sign == "/":
            factors.append(s.power(operand, constant(-1)))
        else:
            factors = [s.call("floordiv" if sign == "//" else "mod", s.mul(*factors), operand)]
    return s.mul(*factors)


def power(source: Source, piece: Piece, base: Node, exponent: Node) -> Node:
    """``base ** exponent``; powers of two constants are folded only while the exponent is small."""
    value: Any = exponent.data
    if is_number(exponent) and base.kind is Kind.CONST:
        if value < 0 and base is constant(0):
            raise source.error(piece.at, "division by zero")
        if abs(value) > MAXIMUM_EXPONENT:
            return apply_op("pow", base, exponent)
    if is_number(exponent) and type(value) is int and abs(value) <= MAXIMUM_EXPONENT:
        limit_constants(source, piece, [base] * abs(value))
    return s.power(base, exponent)


def bound_value(expression: sp.Expr, symbols: Mapping[sp.Symbol, Node]) -> Node:
    """A bound as an integer node: affine in outer indices, with a polynomial of sizes."""
    rest = expression
    terms: list[Node] = []
    for symbol, value in symbols.items():
        slope = sp.expand(expression).coeff(symbol, 1)
        if slope != 0:
            terms.append(s.mul(constant(int(slope)), value))
            rest = sp.expand(rest - slope * symbol)
    return s.add(*terms, size_value(sp.expand(rest), s.call))


def branches(source: Source, piece: Piece) -> tuple[Piece, ...]:
    """The parts of ``Piecewise((value, condition), ...)``: value, condition, value, condition, ..."""
    flat: list[Piece] = []
    for branch in piece.parts:
        if branch.kind != "record" or len(branch.parts) != 2:
            raise source.error(branch.at, "Piecewise expects branches such as (x, x > 0)")
        flat.extend(branch.parts)
    if not flat:
        raise source.error(piece.at, "Piecewise expects at least one branch such as (x, x > 0)")
    return tuple(flat)


def piecewise(source: Source, piece: Piece, arguments: list[Node]) -> Node:
    """The first branch whose condition holds; nan where none does."""
    for branch, condition in zip(piece.parts, arguments[1::2], strict=True):
        require_condition(source, branch.parts[1], condition)
    values = [number(v) for v in arguments[::2]]
    result: Node | None = None
    if arguments[-1] is not constant(True):
        result = s.call("undefined", values[0])  # nan where no branch holds
    for value, condition in zip(reversed(values), reversed(arguments[1::2]), strict=True):
        result = value if result is None else s.select(condition, value, result)
    assert result is not None
    return result
