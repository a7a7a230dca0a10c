"""Families closed under differentiation: each derivative of a row is the row of the next order.

That is why derivatives of every order have their limit where the plain formula is 0/0: nothing is ever divided by the
value that vanishes.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import comb, factorial
from typing import Any

import numpy as np
import sympy as sp

from .row import A, B, Op, R, row

__all__ = [
    "ROWS", "SPHERICAL_LIMITS", "exprel_coefficients", "exprel_limit", "spherical_limit", "spherical_ratio",
]  # fmt: skip

_SLOPE, _EXPREL = sp.Function("tanh_slope"), sp.Function("exprel")
_RATIO, _MODIFIED = sp.Function("spherical_ratio"), sp.Function("modified_spherical_ratio")

# below this square of the argument the series has all digits, above it the recurrence loses few
SPHERICAL_LIMITS: dict[bool, tuple[int, ...]] = {False: (0, 4, 10, 18, 26, 36), True: (0, 8, 24, 60, 80, 140)}


def spherical_limit(order: int, modified: bool) -> int:
    """Where the power series in s hands over to the recurrence, by order; beyond the table orders are rare."""
    limits = SPHERICAL_LIMITS[modified]
    return limits[order] if order < len(limits) else (40 * order - 60 if modified else 10 * order - 14)


def _ratio(modified: bool) -> Callable[[Any, Any], Any]:
    sine, cosine = (np.sinh, np.cosh) if modified else (np.sin, np.cos)

    def one(order: int, s: Any) -> Any:
        z = np.sqrt(s)
        if order == -1:
            return cosine(z)
        before, current = cosine(z), np.where(z == 0, 1.0, sine(z) / z)
        if order == 0:
            return current
        for k in range(order):
            after = (2 * k + 1) * current - before
            before, current = current, (-after if modified else after) / s
        term = total = np.full_like(z, 1 / float(sp.factorial2(2 * order + 1))) + 0 * z
        for k in range(1, 60):
            term = term * s / (2 * k * (2 * order + 2 * k + 1)) * (1 if modified else -1)
            total = total + term
        return np.where(z < np.sqrt(spherical_limit(order, modified)), total, current)

    return lambda orders, s: _by_order(one, orders, s)


def _by_order(one: Callable[[int, Any], Any], orders: Any, x: Any) -> Any:
    """The values of a family, of which ``one`` gives those of a single order."""
    orders, x = np.broadcast_arrays(np.asarray(orders).astype(int), np.asarray(x, dtype=float))
    result = np.full(x.shape, np.nan)
    with np.errstate(all="ignore"):  # the form that is not chosen
        for order in np.unique(orders):
            result = np.where(orders == order, one(int(order), x), result)
    return result[()]


def exprel_limit(order: int) -> int:
    """The size of the argument up to which the series of an order from 1 up has all digits; beyond, the recurrence."""
    return order


@cache
def exprel_coefficients(order: int) -> tuple[Fraction, ...]:
    """Of the power series of ``exp(-x/2) * exprel(order, x)``, whose terms hardly cancel for either sign of x.

    The coefficient of x**k is the integral of t**order * (t - 1/2)**k / k! over t from 0 to 1.
    """
    found: list[Fraction] = []
    while len(found) < 3 or max(found[-1], found[-2]) * exprel_limit(order) ** len(found) > found[0] / 10**18:
        k = len(found)
        terms = (comb(k, j) * Fraction(-1, 2) ** (k - j) / (order + j + 1) for j in range(k + 1))
        found.append(sum(terms, Fraction(0)) / factorial(k))
    return tuple(found)


def _exprel(orders: Any, x: Any) -> Any:
    def one(order: int, x: Any) -> Any:
        size = np.abs(x)
        start = np.where(size == 0, 1.0, -np.expm1(-size) / size)
        if order == 0:
            return np.where(x == 0, 1.0, np.expm1(x) / x)
        above = below = start
        for k in range(1, order + 1):
            above, below = (1 - k * above) / size, (k * below - np.exp(-size)) / size
        series = 0 * x
        for coefficient in reversed(exprel_coefficients(order)):
            series = series * x + float(coefficient)
        near = np.exp(x / 2) * series
        return np.where(size < exprel_limit(order), near, np.where(x > 0, np.exp(x) * above, below))

    return _by_order(one, orders, x)


def _tanh_slope(x: Any) -> Any:
    e = np.exp(-2 * np.abs(x))
    return 4 * e / (1 + e) ** 2


spherical_ratio = _ratio(False)

ROWS: tuple[Op, ...] = (
    # j_k(z)/z**k and i_k(z)/z**k as functions of s = z**2, from k = -1 (cos z, cosh z) on: entire, so that even
    # functions of a norm are smooth at the origin (Abramowitz and Stegun, 10.1.2, 10.2.2)
    row(
        "spherical_ratio",
        sp.sqrt(sp.pi / 2) * sp.besselj(A + sp.Rational(1, 2), sp.sqrt(B)) / B ** (A / 2 + sp.Rational(1, 4)),
        spherical_ratio,
        (-1, 4),
        (0.5, 60.0),
        cost=60,
        whole=(0,),
        given_partials=(None, -_RATIO(A + 1, B) / 2),
    ),
    row(
        "modified_spherical_ratio",
        sp.sqrt(sp.pi / 2) * sp.besseli(A + sp.Rational(1, 2), sp.sqrt(B)) / B ** (A / 2 + sp.Rational(1, 4)),
        _ratio(True),
        (-1, 4),
        (0.5, 60.0),
        cost=60,
        whole=(0,),
        given_partials=(None, _MODIFIED(A + 1, B) / 2),
    ),
    # the integral of t**k * exp(x*t) over t from 0 to 1, from k = 0 on, which is (exp(x) - 1)/x (Abramowitz and Stegun,
    # 13.2.1 with a = k + 1, b = k + 2)
    row(
        "exprel", sp.hyper((A + 1,), (A + 2,), B) / (A + 1), _exprel, (0, 3), (-5, 5), cost=60, whole=(0,),
        given_partials=(None, _EXPREL(A + 1, B)),
    ),
    # the derivative of tanh: 1 - tanh(x)**2 has no digit left from x = 20 on
    row("tanh_slope", 1 / sp.cosh(A) ** 2, _tanh_slope, (-5, 5), given_partials=(-2 * sp.tanh(A) * R,)),
)
