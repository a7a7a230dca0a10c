"""Exact arithmetic on the payloads of constants: integers and fractions exactly, floats rounded once."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeAlias

from ..node import Kind, Node

__all__ = ["Number", "is_number", "number_power", "number_product", "number_sum", "simplest"]

Number: TypeAlias = int | Fraction | float

_EXACT = 2**53  # every integer up to here is a double
_MAXIMUM_BITS = 4096  # larger powers stay symbolic: they would fill memory before they are ever needed


def is_number(node: Node) -> bool:
    """Whether the node is a constant that takes part in folding (not a boolean, not pi, not a long Float)."""
    return node.kind is Kind.CONST and type(node.data) in (int, Fraction, float)


def simplest(value: Number) -> Number:
    """A whole fraction as an integer."""
    return value.numerator if type(value) is Fraction and value.denominator == 1 else value


def number_sum(left: Number, right: Number) -> Number:
    """left + right: exact, except that a sum with a float is a float (exact sum, rounded once)."""
    if _plain(left) and _plain(right):
        return left + right
    if type(left) is not float and type(right) is not float:
        return simplest(left + right)
    if not (math.isfinite(left) and math.isfinite(right)):
        return float(left) + float(right)
    return _rounded(Fraction(left) + Fraction(right))


def number_product(left: Number, right: Number) -> Number:
    """left * right, with the same rule as :func:`number_sum`."""
    if _plain(left) and _plain(right):
        return left * right
    if type(left) is not float and type(right) is not float:
        return simplest(left * right)
    if not (math.isfinite(left) and math.isfinite(right)):
        return float(left) * float(right)
    if not left or not right:
        return float(left) * float(right)  # keeps the sign of zero
    return _rounded(Fraction(left) * Fraction(right))


def _plain(value: Number) -> bool:
    """Whether Python's own arithmetic on such numbers is exact, or rounds the exact result once."""
    return type(value) is float or (type(value) is int and -_EXACT <= value <= _EXACT)


def _rounded(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def number_power(base: Number, exponent: int) -> Number | None:
    """base ** exponent for an integer exponent; None where it is not a finite exact number of sensible size."""
    if type(base) is float:
        if not math.isfinite(base) or (base == 0 and exponent < 0):
            return None
        base_exact = Fraction(base)
    else:
        base_exact = Fraction(base)
        if base_exact == 0 and exponent < 0:
            return None
    bits = max(base_exact.numerator.bit_length(), base_exact.denominator.bit_length())
    if bits * abs(exponent) > _MAXIMUM_BITS:
        return None
    power = base_exact**exponent
    return _rounded(power) if type(base) is float else simplest(power)
