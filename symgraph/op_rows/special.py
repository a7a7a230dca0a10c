"""Special functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from .row import POSITIVE, REAL, UNIT, A, B, Op, R, cython_special, math, row, special

__all__ = ["ROWS"]

_SINC = sp.Function("sinc")


def _real_lambertw(x: Any) -> Any:
    value = special.lambertw(x)
    return np.where(value.imag == 0, value.real, np.nan)


ROWS: tuple[Op, ...] = (
    math("erf", sp.erf(A), special.erf, REAL, vector="erf"),
    math("erfc", sp.erfc(A), special.erfc, REAL, vector="erfc"),
    math("gamma", sp.gamma(A), special.gamma, POSITIVE, given_partials=(R * sp.digamma(A),), c="tgamma",
          python="math.gamma", cost=60),
    math("loggamma", sp.loggamma(A), special.gammaln, POSITIVE, given_partials=(sp.digamma(A),), c="lgamma", cost=60),
    cython_special("digamma", sp.digamma(A), special.digamma, POSITIVE, given_partials=(sp.zeta(2, A),), c="scipy:psi"),
    row("polygamma", sp.polygamma(A, B), special.polygamma, (1, 4), POSITIVE, cost=60, whole=(0,),
         given_partials=(None, sp.polygamma(A + 1, B))),
    # the Hurwitz zeta function; zeta(2, x) is the derivative of digamma
    row("zeta", sp.zeta(A, B), special.zeta, (1.5, 4.0), POSITIVE, cost=60,
         given_partials=(None, -A * sp.zeta(A + 1, B))),
    cython_special("beta", sp.gamma(A) * sp.gamma(B) / sp.gamma(A + B), special.beta, POSITIVE, POSITIVE,
                   commutative=True,
                   given_partials=(R * (sp.digamma(A) - sp.digamma(A + B)), R * (sp.digamma(B) - sp.digamma(A + B)))),
    cython_special("erfinv", sp.erfinv(A), special.erfinv, UNIT, given_partials=(sp.sqrt(sp.pi) / 2 * sp.exp(R**2),)),
    cython_special("erfcinv", sp.erfcinv(A), special.erfcinv, (0.1, 1.9),
             given_partials=(-sp.sqrt(sp.pi) / 2 * sp.exp(R**2),)),
    cython_special("expi", sp.Ei(A), special.expi, POSITIVE, given_partials=(sp.exp(A) / A,)),
    # the order is a whole number; by the recurrence, no order below the first appears
    cython_special("expint", sp.expint(A, B), special.expn, (1, 4), POSITIVE, c="scipy:expn", whole=(0,),
             given_partials=(None, ((A - 1) * R - sp.exp(-B)) / B)),
    # the real principal branch; exp(-W)/(1 + W) has no singularity at 0
    row("lambertw", sp.LambertW(A), _real_lambertw, (-0.3, 4.0), given_partials=(sp.exp(-R) / (1 + R),), cost=60),
    row("sici_sine", sp.Si(A), lambda x: special.sici(x)[0], (-8, 8), given_partials=(_SINC(A),), cost=60,
         c="special:sine_integral"),
    row("sici_cosine", sp.Ci(A), lambda x: special.sici(x)[1], POSITIVE, given_partials=(sp.cos(A) / A,), cost=60,
         c="special:cosine_integral"),
    row("airyai", sp.airyai(A), lambda x: special.airy(x)[0], REAL, given_partials=(sp.airyaiprime(A),), cost=60,
         c="special:airyai"),
    row("airyaiprime", sp.airyaiprime(A), lambda x: special.airy(x)[1], REAL, cost=60, c="special:airyaiprime",
         given_partials=(A * sp.airyai(A),)),
    row("airybi", sp.airybi(A), lambda x: special.airy(x)[2], REAL, given_partials=(sp.airybiprime(A),), cost=60,
         c="special:airybi"),
    row("airybiprime", sp.airybiprime(A), lambda x: special.airy(x)[3], REAL, cost=60, c="special:airybiprime",
         given_partials=(A * sp.airybi(A),)),
    cython_special("besselj", sp.besselj(A, B), special.jv, (0, 2), (0.5, 5.0), c="scipy:jv",
             given_partials=(None, (sp.besselj(A - 1, B) - sp.besselj(A + 1, B)) / 2)),
    cython_special("bessely", sp.bessely(A, B), special.yv, (0, 2), (0.5, 5.0), c="scipy:yv",
             given_partials=(None, (sp.bessely(A - 1, B) - sp.bessely(A + 1, B)) / 2)),
    cython_special("besseli", sp.besseli(A, B), special.iv, (0, 2), (0.5, 5.0), c="scipy:iv",
             given_partials=(None, (sp.besseli(A - 1, B) + sp.besseli(A + 1, B)) / 2)),
    cython_special("besselk", sp.besselk(A, B), special.kv, (0, 2), (0.5, 5.0), c="scipy:kv",
             given_partials=(None, -(sp.besselk(A - 1, B) + sp.besselk(A + 1, B)) / 2)),
)
