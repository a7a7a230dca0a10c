"""Orthogonal polynomials, by degree.

Derivatives lower the degree and raise the parameter (DLMF 18.9.3 and 18.9.15 to 25): they are polynomials of these
families again, with no division by 1 - x**2, so that they are right at x = 1 and x = -1. A degree below 0, which only
derivatives bring about, gives 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from .row import A, B, C, D, Op, row, special

__all__ = ["ROWS"]

_GEGENBAUER, _JACOBI, _CHEBYSHEVU, _HERMITE, _HERMITE_PROB, _LAGUERRE = (
    sp.Function(n) for n in ("gegenbauer", "jacobi", "chebyshevu", "hermite", "hermite_prob", "assoc_laguerre")
)
_DEGREE, _UNIT, _PARAMETER = (1, 6), (-1.0, 1.0), (0.5, 2.5)


def _value(name: str, whole: bool = False) -> Any:
    """SciPy takes integer degrees by recurrence, others (where there are any) by a hypergeometric function."""

    def value(degree: Any, *rest: Any) -> Any:
        degree = np.asarray(degree)
        function = getattr(special, name)
        is_whole = degree == np.floor(degree)
        by_recurrence = function(np.where(is_whole, degree, 0).astype(int), *rest)
        if is_whole.all():
            return np.where(degree < 0, 0.0, by_recurrence)
        other = np.nan if whole else function(degree.astype(float), *rest)
        return np.where(degree < 0, 0.0, np.where(is_whole, by_recurrence, other))

    return value


def _family(name: str, scipy: str, formula: Any, *samples: tuple[float, float], **rest: Any) -> Op:
    whole = name in ("hermite", "hermite_prob")
    return row(name, formula, _value(scipy, whole), _DEGREE, *samples, cost=60, whole=(0,), c=f"special:{name}", **rest)


ROWS: tuple[Op, ...] = (
    _family("legendre", "eval_legendre", sp.legendre(A, B), _UNIT,
            given_partials=(None, _GEGENBAUER(A - 1, sp.Rational(3, 2), B))),
    _family("chebyshevt", "eval_chebyt", sp.chebyshevt(A, B), _UNIT, given_partials=(None, A * _CHEBYSHEVU(A - 1, B))),
    _family("chebyshevu", "eval_chebyu", sp.chebyshevu(A, B), _UNIT,
            given_partials=(None, 2 * _GEGENBAUER(A - 1, 2, B))),
    _family("hermite", "eval_hermite", sp.hermite(A, B), (-2.0, 2.0),
            given_partials=(None, 2 * A * _HERMITE(A - 1, B))),
    _family("hermite_prob", "eval_hermitenorm", sp.hermite_prob(A, B), (-2.0, 2.0),
            given_partials=(None, A * _HERMITE_PROB(A - 1, B))),
    _family("laguerre", "eval_laguerre", sp.laguerre(A, B), (0.0, 4.0), given_partials=(None, -_LAGUERRE(A - 1, 1, B))),
    _family("assoc_laguerre", "eval_genlaguerre", sp.assoc_laguerre(A, B, C), _PARAMETER, (0.0, 4.0),
            given_partials=(None, None, -_LAGUERRE(A - 1, B + 1, C))),
    _family("gegenbauer", "eval_gegenbauer", sp.gegenbauer(A, B, C), _PARAMETER, _UNIT,
            given_partials=(None, None, 2 * B * _GEGENBAUER(A - 1, B + 1, C))),
    _family("jacobi", "eval_jacobi", sp.jacobi(A, B, C, D), _PARAMETER, _PARAMETER, _UNIT,
            given_partials=(None, None, None, (A + B + C + 1) / 2 * _JACOBI(A - 1, B + 1, C + 1, D))),
)  # fmt: skip
