"""Expansions of the named stable forms."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from ..node import Node, constant
from ..ops import apply_op
from .building import (
    ONE,
    ZERO,
    add,
    mul,
    order_of,
    polynomial,
    power,
    reciprocal,
    scaled,
    select,
    sub,
)

__all__ = ["ROWS"]


def _strong_quotient(numerator: Node, base: Node, order: Node) -> Node:
    quotient = mul(numerator, reciprocal(base))  # divided in steps: the square of a small base would underflow
    number = order_of(order, 1)
    if number is None:
        quotient = mul(quotient, apply_op("pow", base, sub(ONE, order)))
    elif number > 1:
        quotient = mul(quotient, power(base, 1 - number))
    return select(apply_op("eq", numerator, ZERO), ZERO, quotient)


def _hypot_quotient(left: Node, right: Node) -> Node:
    """Divided by the larger one first: the squares of what is small or large would leave the range."""
    unit = reciprocal(apply_op("max", apply_op("abs", left), apply_op("abs", right)))
    u, v = mul(left, unit), mul(right, unit)
    quotient = mul(u, reciprocal(add(power(u, 2), power(v, 2))), unit)
    is_zero = apply_op("and", apply_op("eq", left, ZERO), apply_op("eq", right, right))  # nan is handed on
    return select(is_zero, ZERO, quotient)


def _xlogy(factor: Node, argument: Node) -> Node:
    is_zero = apply_op("and", apply_op("eq", factor, ZERO), apply_op("eq", argument, argument))  # nan is handed on
    return select(is_zero, ZERO, mul(factor, apply_op("log", argument)))


def _logaddexp(left: Node, right: Node) -> Node:
    largest = apply_op("max", left, right)
    rest = apply_op("log1p", apply_op("exp", scaled(-1, apply_op("abs", sub(left, right)))))
    equal = add(left, apply_op("log", constant(2)))  # infinities of one sign have no difference
    return select(apply_op("eq", left, right), equal, add(largest, rest))


def _sinc(x: Node) -> Node:
    return select(apply_op("eq", x, ZERO), ONE, mul(apply_op("sin", x), reciprocal(x)))


def _spherical_bessel(order: Node, x: Node) -> Node | None:
    """The power series up to order + 1, from there on upward recurrence, which is stable there."""
    n = order_of(order, 0)
    if n is None:
        return None
    if n == 0:
        return _sinc(x)
    limit = n + 1
    coefficients = [Fraction(1, int(sp.factorial2(2 * n + 1)))]
    while abs(coefficients[-1]) * limit ** (2 * len(coefficients) - 2) > coefficients[0] * Fraction(1, 10**18):
        k = len(coefficients)
        coefficients.append(coefficients[-1] * Fraction(-1, 2 * k * (2 * n + 1 + 2 * k)))
    series = mul(power(x, n), polynomial(coefficients, power(x, 2)))
    inverse = reciprocal(x)
    before = mul(apply_op("sin", x), inverse)
    current = mul(sub(before, apply_op("cos", x)), inverse)
    for k in range(1, n):
        before, current = current, sub(scaled(2 * k + 1, mul(current, inverse)), before)
    return select(apply_op("lt", apply_op("abs", x), constant(limit)), series, current)


ROWS: dict[str, Callable[..., Node | None]] = {
    "strong_quotient": _strong_quotient,
    "hypot_quotient": _hypot_quotient,
    "xlogy": _xlogy,
    "logaddexp": _logaddexp,
    "sinc": _sinc,
    "sphericalj": _spherical_bessel,
}
