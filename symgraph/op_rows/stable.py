"""Named stable forms: rows that are right where the plain formula is not, closed under differentiation."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from .families import spherical_ratio
from .row import POSITIVE, REAL, A, B, C, Op, R, cython_special, row, special

__all__ = ["ROWS"]

_LOGISTIC, _SPHERICAL = (sp.Function(name) for name in ("logistic", "sphericalj"))
_RATIO, _HYPOT = sp.Function("strong_quotient"), sp.Function("hypot_quotient")


def _strong_quotient(numerator: Any, base: Any, order: Any) -> Any:
    quotient = numerator / base  # divided in steps: the square of a small base would underflow
    return np.where(numerator == 0, 0.0, quotient * np.float_power(base, 1 - order))


def _hypot_quotient(left: Any, right: Any) -> Any:
    largest = np.maximum(np.abs(left), np.abs(right))
    u, v = left / largest, right / largest  # the squares of what is small or large would leave the range
    return np.where((left == 0) & (right == right), 0.0, u / (u * u + v * v) / largest)


def _strong_product(left: Any, right: Any) -> Any:
    return np.where((left == 0) | (right == 0), 0.0, left * right)


def _spherical_bessel(order: Any, x: Any) -> Any:
    with np.errstate(over="ignore", under="ignore"):
        near = np.float_power(x, order) * spherical_ratio(order, np.square(x))  # SciPy loses digits at small arguments
    return np.where(np.abs(x) < np.asarray(order) + 1, near, special.spherical_jn(np.asarray(order).astype(int), x))


ROWS: tuple[Op, ...] = (
    # in the partial of the logistic function, 1 - R would cancel far out
    row("logistic", 1 / (1 + sp.exp(-A)), special.expit, (-5, 5), given_partials=(R * _LOGISTIC(-A),)),
    row("softplus", sp.log(1 + sp.exp(A)), lambda x: np.logaddexp(0.0, x), (-5, 5), given_partials=(_LOGISTIC(A),)),
    row("logaddexp", sp.log(sp.exp(A) + sp.exp(B)), np.logaddexp, (-5, 5), (-5, 5),
         given_partials=(_LOGISTIC(A - B), _LOGISTIC(B - A)), cost=40, commutative=True),
    # products that are 0 where their first factor is, whatever the second: closed under differentiation
    cython_special("xlogy", A * sp.log(B), special.xlogy, REAL, POSITIVE, given_partials=(sp.log(B), _RATIO(A, B, 1))),
    row("strong_quotient", A * B**-C, _strong_quotient, REAL, POSITIVE, (1, 3), cost=8,
         given_partials=(B**-C, -C * _RATIO(A, B, C + 1), None)),
    # a/(a**2 + b**2), 0 at the origin: the partials of atan2, closed under differentiation
    row("hypot_quotient", A / (A**2 + B**2), _hypot_quotient, POSITIVE, REAL, cost=12,
         given_partials=((_HYPOT(B, A) - _HYPOT(A, B)) * (_HYPOT(B, A) + _HYPOT(A, B)),
                         -2 * _HYPOT(A, B) * _HYPOT(B, A))),
    # the product on a path through a square root at 0; differentiated as the plain product
    row("strong_product", A * B, _strong_product, REAL, REAL, cost=2, commutative=True,
         given_partials=(B, A)),
    # sin(x)/x and its derivatives: spherical Bessel functions, with their limits at 0
    row("sinc", sp.sinc(A), lambda x: np.sinc(x / np.pi), (-8, 8), given_partials=(-_SPHERICAL(1, A),)),
    row("sphericalj", sp.sqrt(sp.pi / 2) / sp.sqrt(B) * sp.besselj(A + sp.Rational(1, 2), B), _spherical_bessel,
         (1, 4), (0.5, 9.0), cost=60, whole=(0,), c="special:sphericalj",
         given_partials=(None, (A * _SPHERICAL(A - 1, B) - (A + 1) * _SPHERICAL(A + 1, B)) / (2 * A + 1))),
)
