"""Euler-Maclaurin summation of the derivatives of Riemann's zeta function (DLMF 25.2.9), which no library has.

With N terms summed, the rest is N**-s*(N/(s - 1) + 1/2 + p(s)), p a polynomial of Bernoulli numbers; a derivative by s
of an order brings powers of log(N) and derivatives of the bracket.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb, factorial, log
from typing import Any

import numpy as np
import sympy as sp

__all__ = ["TERMS", "derivative", "remainder"]

TERMS = 14
_BERNOULLI = 9


@cache
def remainder(order: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Coefficients of the rest over N**-s: of powers of s from 0 up, and of powers of 1/(s - 1) from 1 up.

    >>> remainder(0)[1]
    (14.0,)
    """
    s = sp.Dummy("s")
    bracket = sp.Poly(sp.Rational(1, 2), s)
    for j in range(1, _BERNOULLI + 1):
        rising = sp.Poly(sp.Mul(*(s + k for k in range(2 * j - 1))), s)
        bracket += rising * (sp.bernoulli(2 * j) / sp.factorial(2 * j) / sp.Integer(TERMS) ** (2 * j - 1))
    polynomial = [0.0] * (bracket.degree() + 1)
    reciprocal = []
    for i in range(order + 1):
        factor = comb(order, i) * (-log(TERMS)) ** (order - i)
        for k, c in enumerate(reversed(bracket.all_coeffs())):
            polynomial[k] += factor * float(Fraction(int(c.p), int(c.q)))
        reciprocal.append(factor * TERMS * (-1.0) ** i * factorial(i))
        bracket = bracket.diff(s)
    return tuple(polynomial), tuple(reciprocal)


def derivative(order: int, s: Any) -> Any:
    """The derivative of an order from 1 up, on arrays; s is not much below 0."""
    polynomial, reciprocal = remainder(order)
    total = sum((-log(n)) ** order * np.float_power(n, -s) for n in range(2, TERMS))
    inverse = 1 / (np.asarray(s) - 1)
    rest = np.polyval(polynomial[::-1], s) + inverse * np.polyval(reciprocal[::-1], inverse)
    return total + np.float_power(TERMS, -s) * rest
