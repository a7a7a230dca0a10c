"""Exponential, trigonometric, Fresnel and elliptic integrals; the hypergeometric function of Gauss."""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np
import sympy as sp

from .row import POSITIVE, REAL, A, B, C, D, Op, cython_special, row, special

__all__ = ["ROWS"]

_SINC, _EXPINT, _I, _GAUSS = (sp.Function(name) for name in ("sinc", "expint", "sphericali", "hyp2f1"))
_HALF = sp.Rational(1, 2)


def _expint(order: Any, x: Any) -> Any:
    """SciPy's function begins with order 0; below, the integral is a finite sum (DLMF 8.19.8, all terms positive)."""
    order = np.asarray(order)
    result = np.asarray(special.expn(np.maximum(order, 0).astype(int), x), dtype=float)
    for n in np.unique(order[order < 0]):
        terms = sum(x**k / factorial(k) for k in range(int(-n) + 1))
        below = factorial(int(-n)) * np.exp(-x) * terms / x ** (1 - int(n))
        result = np.where(order == n, below, result)
    return result


ROWS: tuple[Op, ...] = (
    cython_special("expi", sp.Ei(A), special.expi, POSITIVE, given_partials=(sp.exp(A) / A,)),
    cython_special("exp1", sp.expint(1, A), special.exp1, POSITIVE, given_partials=(-sp.exp(-A) / A,)),
    # the order is a whole number. A formula in the function's own value would cancel at small arguments
    cython_special("expint", sp.expint(A, B), _expint, (-1, 4), POSITIVE, c="special:expint", whole=(0,),
                   given_partials=(None, -_EXPINT(A - 1, B))),
    row("sici_sine", sp.Si(A), lambda x: special.sici(x)[0], (-8, 8), given_partials=(_SINC(A),), cost=60,
        c="special:sine_integral"),
    row("sici_cosine", sp.Ci(A), lambda x: special.sici(x)[1], POSITIVE, given_partials=(sp.cos(A) / A,), cost=60,
        c="special:cosine_integral"),
    row("shichi_sine", sp.Shi(A), lambda x: special.shichi(x)[0], (-5, 5), given_partials=(_I(0, A),), cost=60,
        c="special:sinh_integral"),
    row("shichi_cosine", sp.Chi(A), lambda x: special.shichi(x)[1], (0.8, 5), given_partials=(sp.cosh(A) / A,), cost=60,
        c="special:cosh_integral"),
    row("fresnel_sine", sp.fresnels(A), lambda x: special.fresnel(x)[0], REAL, cost=60, c="special:fresnel_sine",
        given_partials=(sp.sin(sp.pi / 2 * A**2),)),
    row("fresnel_cosine", sp.fresnelc(A), lambda x: special.fresnel(x)[1], REAL, cost=60, c="special:fresnel_cosine",
        given_partials=(sp.cos(sp.pi / 2 * A**2),)),
    # SymPy's parameter m, the square of the modulus. The plain formulas for the derivatives cancel at m = 0; these are
    # K = pi/2*F(1/2, 1/2; 1; m) and E = pi/2*F(-1/2, 1/2; 1; m) (DLMF 19.5) under Gauss's derivative, 15.5.1
    cython_special("elliptic_k", sp.elliptic_k(A), special.ellipk, (-2.0, 0.9), c="scipy:ellipk",
                   given_partials=(sp.pi / 8 * _GAUSS(_HALF, _HALF, 2, A) / (1 - A),)),
    cython_special("elliptic_e", sp.elliptic_e(A), special.ellipe, (-2.0, 0.9), c="scipy:ellipe",
                   given_partials=(-sp.pi / 8 * _GAUSS(_HALF, 3 * _HALF, 2, A),)),
    cython_special("elliptic_f", sp.elliptic_f(A, B), special.ellipkinc, (-1.4, 1.4), (-2.0, 0.9), c="scipy:ellipkinc",
                   given_partials=(1 / sp.sqrt(1 - B * sp.sin(A) ** 2), None)),
    cython_special("elliptic_e_incomplete", sp.elliptic_e(A, B), special.ellipeinc, (-1.4, 1.4), (-2.0, 0.9),
                   c="scipy:ellipeinc", given_partials=(sp.sqrt(1 - B * sp.sin(A) ** 2), None)),
    cython_special("hyp2f1", _GAUSS(A, B, C, D), special.hyp2f1, (0.2, 1.5), (0.2, 1.5), (1.6, 3.0), (-2.0, 0.8),
                   cost=100, given_partials=(None, None, None, A * B / C * _GAUSS(A + 1, B + 1, C + 1, D))),
)  # fmt: skip
