"""Families closed under differentiation: each derivative of a row is the row of the next order.

That is why derivatives of every order have their limit where the plain formula is 0/0: nothing is ever divided by the
value that vanishes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from .row import A, B, Op, R, row

__all__ = ["ROWS", "SPHERICAL_LIMITS", "spherical_limit", "spherical_ratio"]

_SLOPE = sp.Function("tanh_slope")
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

    def ratio(orders: Any, s: Any) -> Any:
        orders, s = np.broadcast_arrays(np.asarray(orders).astype(int), np.asarray(s, dtype=float))
        result = np.full(s.shape, np.nan)
        with np.errstate(all="ignore"):  # the form that is not chosen
            for order in np.unique(orders):
                result = np.where(orders == order, one(int(order), s), result)
        return result[()]

    return ratio


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
    # the derivative of tanh: 1 - tanh(x)**2 has no digit left from x = 20 on
    row("tanh_slope", 1 / sp.cosh(A) ** 2, _tanh_slope, (-5, 5), given_partials=(-2 * sp.tanh(A) * R,)),
)
