"""Expansions of special functions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import factorial, log

import sympy as sp

from ..node import Node, constant
from ..op_rows.zeta_sum import TERMS, remainder
from ..ops import apply_op
from .building import (
    HALF,
    MAXIMUM_ORDER,
    MINUS_ONE,
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


def _polygamma(order: Node, x: Node) -> Node | None:
    n = order_of(order, 0)
    if n is None:
        return None
    if n == 0:
        return apply_op("digamma", x)
    return scaled((-1) ** (n + 1) * factorial(n), apply_op("zeta", constant(n + 1), x))


# cython_special has no zeta function of two arguments (SciPy 1.17)
def _zeta(exponent: Node, x: Node) -> Node | None:
    """Euler-Maclaurin summation from x + shift on; negative arguments by the reflection formula of the polygammas."""
    s = order_of(exponent, 2)
    if s is None:
        return None
    negative = apply_op("lt", x, ZERO)
    t = select(negative, sub(ONE, x), x)
    shift = 10 + s
    inverse = reciprocal(add(t, constant(shift)))
    coefficients, rising = [Fraction(1, s - 1), Fraction(0)], 1
    for k in range(1, 11):
        rising = rising * (s + 2 * k - 3) * (s + 2 * k - 2) if k > 1 else s
        number = sp.bernoulli(2 * k)
        coefficients += [Fraction(int(number.p), int(number.q)) * Fraction(rising, factorial(2 * k)), Fraction(0)]
    tail = add(polynomial(coefficients[:-1:2], power(inverse, 2)), scaled(Fraction(1, 2), inverse))
    tail = mul(tail, power(inverse, s - 1))
    terms = [power(add(t, constant(k)) if k else t, -s) for k in range(shift)]
    total = add(*terms, tail)
    return select(negative, _reflected(s, x, total), total)


def _reflected(s: int, x: Node, at_one_minus_x: Node) -> Node:
    """zeta(s, x) = (-1)**(s-1) * (zeta(s, 1 - x) + pi**s * P(cot(pi*x)) / (s-1)!), P from the derivatives of cot."""
    cotangent = sp.Dummy("c")
    derivative = cotangent
    for _ in range(s - 1):
        derivative = sp.expand(-(1 + cotangent**2) * sp.diff(derivative, cotangent))
    coefficients = [Fraction(int(c)) for c in reversed(sp.Poly(derivative, cotangent).all_coeffs())]
    angle = mul(constant(sp.pi), sub(x, apply_op("floor", x)))
    cot = mul(apply_op("cos", angle), reciprocal(apply_op("sin", angle)))
    factor = scaled(Fraction(1, factorial(s - 1)), apply_op("pow", constant(sp.pi), constant(s)))
    return scaled((-1) ** (s - 1), add(at_one_minus_x, mul(factor, polynomial(coefficients, cot))))


# the series of the principal branch at -1/e, in p = sqrt(2*(e*x + 1)) (OEIS A090804, A065973)
_BRANCH_SERIES = [
    Fraction(-1), Fraction(1), Fraction(-1, 3), Fraction(11, 72), Fraction(-43, 540), Fraction(769, 17280),
    Fraction(-221, 8505), Fraction(680863, 43545600),
]  # fmt: skip


def _halley(w: Node, x: Node, steps: int) -> Node:
    """Steps of Halley's method for w*exp(w) = x."""
    for _ in range(steps):
        power = apply_op("exp", w)
        error = sub(mul(w, power), x)
        above = add(w, ONE)
        correction = mul(add(w, constant(2)), error, reciprocal(scaled(2, above)))
        w = sub(w, mul(error, reciprocal(sub(mul(power, above), correction))))
    return w


def _branch_distance(x: Node) -> Node:
    return apply_op("pow", scaled(2, add(mul(constant(sp.E), x), ONE)), HALF)


# cython_special has no Lambert W (SciPy 1.17); its real wrightomega(log(x)) loses digits at small and large arguments
def _lambertw(x: Node) -> Node:
    """Three steps of Halley's method from a guess with two right digits; the series close to the branch point."""
    p = _branch_distance(x)
    series = polynomial(_BRANCH_SERIES, p)
    logarithm = apply_op("log1p", x)
    ratio = mul(apply_op("log1p", logarithm), reciprocal(add(logarithm, constant(2))))
    far = mul(logarithm, sub(ONE, ratio))
    w = _halley(select(apply_op("lt", x, constant(Fraction(-1, 5))), series, far), x, 3)
    w = select(apply_op("lt", p, constant(Fraction(1, 100))), series, w)
    return select(apply_op("eq", x, constant(float("inf"))), x, w)


def _lambertw_lower(x: Node) -> Node:
    """The branch -1: the series in -p; towards 0 from the two leading terms of the logarithms."""
    p = _branch_distance(x)
    series = polynomial(_BRANCH_SERIES, scaled(-1, p))
    first = apply_op("log", scaled(-1, x))
    second = apply_op("log", scaled(-1, first))
    far = add(sub(first, second), mul(second, reciprocal(first)))
    w = _halley(select(apply_op("lt", x, constant(Fraction(-1, 4))), series, far), x, 3)
    w = select(apply_op("lt", p, constant(Fraction(1, 100))), series, w)
    return select(apply_op("eq", x, ZERO), constant(float("-inf")), w)


def _expint(order: Node, x: Node) -> Node | None:
    """Order 1 has a function of its own; from 0 down it is a finite sum (DLMF 8.19.8, all terms of one sign)."""
    n = order_of(order, -MAXIMUM_ORDER)
    if n is None or n > 1:
        return None
    if n == 1:
        return apply_op("exp1", x)
    decay = mul(apply_op("exp", scaled(-1, x)), power(x, n - 1))
    if n == 0:
        return decay
    return mul(polynomial([Fraction(factorial(-n), factorial(k)) for k in range(1 - n)], x), decay)


def _lowergamma(a: Node, x: Node) -> Node:
    return mul(apply_op("gamma", a), apply_op("gammainc", a, x))


def _uppergamma(a: Node, x: Node) -> Node:
    """By the regularised function, or, from a = 0 down, by the exponential integral x**a*E(1 - a, x)."""
    n = order_of(a, -MAXIMUM_ORDER)
    if n is None or n > 0:
        return mul(apply_op("gamma", a), apply_op("gammaincc", a, x))
    integral = apply_op("exp1", x) if n == 0 else apply_op("expint", constant(1 - n), x)
    return integral if n == 0 else mul(power(x, n), integral)


def _riemann_zeta(order: Node, s: Node) -> Node | None:
    """SciPy's function; its derivatives, which no library has, by Euler-Maclaurin summation."""
    k = order_of(order, 0)
    if k is None:
        return None
    if k == 0:
        return add(apply_op("zetac", s), ONE)
    in_s, in_inverse = ([Fraction(c) for c in part] for part in remainder(k))
    inverse = reciprocal(add(s, MINUS_ONE))
    rest = add(polynomial(in_s, s), mul(inverse, polynomial(in_inverse, inverse)))
    minus = scaled(-1, s)
    terms = [
        scaled((-log(n)) ** k, apply_op("exp", scaled(log(n), minus))) for n in range(2, TERMS)
    ]
    return add(*terms, mul(apply_op("exp", scaled(log(TERMS), minus)), rest))


ROWS: dict[str, Callable[..., Node | None]] = {
    "polygamma": _polygamma,
    "zeta": _zeta,
    "lambertw": _lambertw,
    "lambertw_lower": _lambertw_lower,
    "expint": _expint,
    "lowergamma": _lowergamma,
    "uppergamma": _uppergamma,
    "riemann_zeta": _riemann_zeta,
}
