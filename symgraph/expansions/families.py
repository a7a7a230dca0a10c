"""Expansions of the families that are closed under differentiation."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import sqrt

import sympy as sp

from ..node import Kind, Node, constant
from ..op_rows.families import exprel_coefficients, exprel_limit, spherical_limit
from ..ops import apply_op
from .building import HALF, ONE, ZERO, add, mul, order_of, polynomial, power, reciprocal, scaled, select, sub

__all__ = ["ROWS"]


def _root(s: Node) -> Node:
    """sqrt(s); the absolute value where s is a square."""
    if s.kind is Kind.ELEMENTWISE and s.data == "pow" and s.args[1] is constant(2):
        return apply_op("abs", s.args[0])
    return apply_op("pow", s, HALF)


def _spherical_ratio(modified: bool) -> Callable[[Node, Node], Node | None]:
    sine, cosine, sign = ("sinh", "cosh", -1) if modified else ("sin", "cos", 1)

    def expansion(order: Node, s: Node) -> Node | None:
        """The power series up to the limit, from there on upward recurrence."""
        n = order_of(order, -1)
        if n is None:
            return None
        z = _root(s)
        before = apply_op(cosine, z)
        if n == -1:
            return before
        current = mul(apply_op(sine, z), reciprocal(z))
        if n == 0:
            return select(apply_op("eq", z, ZERO), ONE, current)
        inverse = reciprocal(s)
        for k in range(n):
            difference = sub(scaled(2 * k + 1, current), before)
            before, current = current, mul(scaled(sign, difference), inverse)
        limit = spherical_limit(n, modified)
        coefficients = [Fraction(1, int(sp.factorial2(2 * n + 1)))]
        while abs(coefficients[-1]) * limit ** (len(coefficients) - 1) > coefficients[0] * Fraction(
            1, 10**18
        ):
            k = len(coefficients)
            coefficients.append(coefficients[-1] * Fraction(-sign, 2 * k * (2 * n + 1 + 2 * k)))
        # compared by the root: nan where s is negative
        return select(apply_op("lt", z, constant(sqrt(limit))), polynomial(coefficients, s), current)

    return expansion


def _exprel(order: Node, x: Node) -> Node | None:
    """Upward recurrences from ``(1 - exp(-abs(x)))/abs(x)``, one for each sign; the series up to the limit."""
    n = order_of(order, 0)
    if n is None:
        return None
    if n == 0:
        return select(apply_op("eq", x, ZERO), ONE, mul(apply_op("expm1", x), reciprocal(x)))
    size = apply_op("abs", x)
    opposite, inverse = scaled(-1, size), reciprocal(size)
    decayed = apply_op("exp", opposite)
    above = below = mul(scaled(-1, apply_op("expm1", opposite)), inverse)
    for k in range(1, n + 1):
        above = mul(sub(ONE, scaled(k, above)), inverse)
        below = mul(sub(scaled(k, below), decayed), inverse)
    far = select(apply_op("lt", ZERO, x), mul(apply_op("exp", x), above), below)
    near = mul(apply_op("exp", scaled(HALF.data, x)), polynomial(list(exprel_coefficients(n)), x))
    return select(apply_op("lt", size, constant(exprel_limit(n))), near, far)


def _tanh_slope(x: Node) -> Node:
    """4*e/(1 + e)**2 with e = exp(-2*abs(x)), which cannot overflow."""
    e = apply_op("exp", scaled(-2, apply_op("abs", x)))
    return mul(scaled(4, e), power(add(ONE, e), -2))


ROWS: dict[str, Callable[..., Node | None]] = {
    "spherical_ratio": _spherical_ratio(False),
    "modified_spherical_ratio": _spherical_ratio(True),
    "exprel": _exprel,
    "tanh_slope": _tanh_slope,
}
