"""Error functions, the family of the gamma function, zeta functions and Lambert's W."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from .row import POSITIVE, REAL, UNIT, A, B, Op, R, cython_special, math, row, special
from .zeta_sum import derivative

__all__ = ["ROWS"]

_XLOGY, _RIEMANN = (sp.Function(name) for name in ("xlogy", "riemann_zeta"))
# the density of the gamma distribution; the logarithm keeps large shapes in range
_DENSITY = sp.exp(_XLOGY(A - 1, B) - B - sp.loggamma(A))


def _real_lambertw(branch: int) -> Any:
    def value(x: Any) -> Any:
        found = special.lambertw(x, branch)
        return np.where(found.imag == 0, found.real, np.nan)

    return value


def _riemann_zeta(order: Any, s: Any) -> Any:
    """SciPy has the function, not its derivatives: these by the summation that kernels use, with NumPy's functions."""
    order = np.asarray(order)
    result = np.where(order == 0, special.zeta(s), np.nan)
    for k in np.unique(order[order > 0]):
        result = np.where(order == k, derivative(int(k), s), result)
    return result


ROWS: tuple[Op, ...] = (
    math("erf", sp.erf(A), special.erf, REAL, vector="erf"),
    math("erfc", sp.erfc(A), special.erfc, REAL, vector="erfc"),
    cython_special("erfcx", sp.exp(A**2) * sp.erfc(A), special.erfcx, REAL,
                   given_partials=(2 * A * R - 2 / sp.sqrt(sp.pi),)),
    cython_special("erfi", sp.erfi(A), special.erfi, REAL, given_partials=(2 / sp.sqrt(sp.pi) * sp.exp(A**2),)),
    cython_special("erfinv", sp.erfinv(A), special.erfinv, UNIT, given_partials=(sp.sqrt(sp.pi) / 2 * sp.exp(R**2),)),
    cython_special("erfcinv", sp.erfcinv(A), special.erfcinv, (0.1, 1.9),
                   given_partials=(-sp.sqrt(sp.pi) / 2 * sp.exp(R**2),)),
    math("gamma", sp.gamma(A), special.gamma, POSITIVE, given_partials=(R * sp.digamma(A),), c="tgamma",
         python="math.gamma", cost=60),
    math("loggamma", sp.loggamma(A), special.gammaln, POSITIVE, given_partials=(sp.digamma(A),), c="lgamma", cost=60),
    cython_special("digamma", sp.digamma(A), special.digamma, POSITIVE, given_partials=(sp.zeta(2, A),), c="scipy:psi"),
    row("polygamma", sp.polygamma(A, B), special.polygamma, (1, 4), POSITIVE, cost=60, whole=(0,),
        given_partials=(None, sp.polygamma(A + 1, B))),
    # the Hurwitz zeta function; zeta(2, x) is the derivative of digamma
    row("zeta", sp.zeta(A, B), special.zeta, (1.5, 4.0), POSITIVE, cost=60,
        given_partials=(None, -A * sp.zeta(A + 1, B))),
    # the derivative of Riemann's zeta function of an order, from 0 up
    row("riemann_zeta", _RIEMANN(A, B), _riemann_zeta, (0, 3), (1.2, 6.0), cost=100, whole=(0,),
        given_partials=(None, _RIEMANN(A + 1, B))),
    cython_special("zetac", sp.zeta(A) - 1, lambda s: special.zeta(s) - 1, (1.2, 6.0),
                   given_partials=(_RIEMANN(1, A),)),
    cython_special("beta", sp.gamma(A) * sp.gamma(B) / sp.gamma(A + B), special.beta, POSITIVE, POSITIVE,
                   commutative=True,
                   given_partials=(R * (sp.digamma(A) - sp.digamma(A + B)), R * (sp.digamma(B) - sp.digamma(A + B)))),
    # incomplete gamma functions by their second argument: regularised, and as they are
    cython_special("gammainc", sp.lowergamma(A, B) / sp.gamma(A), special.gammainc, (0.2, 5.0), POSITIVE,
                   given_partials=(None, _DENSITY)),
    cython_special("gammaincc", sp.uppergamma(A, B) / sp.gamma(A), special.gammaincc, (0.2, 5.0), POSITIVE,
                   given_partials=(None, -_DENSITY)),
    row("lowergamma", sp.lowergamma(A, B), lambda a, x: special.gamma(a) * special.gammainc(a, x), (0.2, 5.0), POSITIVE,
        cost=100, given_partials=(None, B ** (A - 1) * sp.exp(-B))),
    row("uppergamma", sp.uppergamma(A, B), lambda a, x: special.gamma(a) * special.gammaincc(a, x), (0.2, 5.0),
        POSITIVE, cost=100, given_partials=(None, -(B ** (A - 1)) * sp.exp(-B))),
    # the two real branches; exp(-W)/(1 + W) has no singularity at 0
    row("lambertw", sp.LambertW(A), _real_lambertw(0), (-0.3, 4.0), given_partials=(sp.exp(-R) / (1 + R),), cost=60),
    row("lambertw_lower", sp.LambertW(A, -1), _real_lambertw(-1), (-0.36, -0.01),
        given_partials=(sp.exp(-R) / (1 + R),), cost=60),
)  # fmt: skip
