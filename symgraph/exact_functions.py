"""mpmath's names of the functions that formulas of the op table mention and SymPy's printer does not translate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath

__all__ = ["FUNCTIONS"]


def _spherical(bessel: Callable[..., Any]) -> Callable[..., Any]:
    # a root of x itself: below 0 its phase and that of the Bessel function cancel
    return lambda n, x: mpmath.re(mpmath.sqrt(mpmath.pi / 2) / mpmath.sqrt(x) * bessel(n + mpmath.mpf(1) / 2, x))


def _sphericali(n: Any, x: Any) -> Any:
    return mpmath.mpf(n == 0) if x == 0 else _spherical(mpmath.besseli)(n, x)


def _spherical_ratio(bessel: Callable[..., Any]) -> Callable[..., Any]:
    def ratio(k: Any, s: Any) -> Any:
        if s == 0:
            return 1 / mpmath.fac2(2 * k + 1)
        z, order = mpmath.sqrt(s), k + mpmath.mpf(1) / 2
        return mpmath.sqrt(mpmath.pi / 2) * bessel(order, z) / z**order

    return ratio


def _strong_quotient(numerator: Any, base: Any, order: Any) -> Any:
    return mpmath.mpf(0) if numerator == 0 else numerator / base**order


def _polynomial(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda degree, *rest: mpmath.mpf(0) if degree < 0 else function(degree, *rest)


def _hermite_prob(degree: Any, x: Any) -> Any:
    return mpmath.hermite(degree, x / mpmath.sqrt(2)) / mpmath.sqrt(2) ** degree


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "LambertW": lambda x, branch=0: mpmath.lambertw(x, int(branch)),
    "strong_quotient": _strong_quotient,
    "hypot_quotient": lambda x, y: mpmath.mpf(0) if x == 0 else x / (x**2 + y**2),
    "strong_product": lambda x, y: mpmath.mpf(0) if 0 in (x, y) else x * y,
    "xlogy": lambda x, y: mpmath.mpf(0) if x == 0 else x * mpmath.log(y),
    "logistic": lambda x: 1 / (1 + mpmath.exp(-x)),
    "sphericalj": _spherical(mpmath.besselj),
    "sphericaly": _spherical(mpmath.bessely),
    "sphericali": _sphericali,
    "spherical_ratio": _spherical_ratio(mpmath.besselj),
    "modified_spherical_ratio": _spherical_ratio(mpmath.besseli),
    "exprel": lambda n, x: mpmath.hyp1f1(n + 1, n + 2, x) / (n + 1),
    "tanh_slope": lambda x: 1 / mpmath.cosh(x) ** 2,
    "polygamma": lambda n, x: mpmath.polygamma(int(n), x),
    "airyaiprime": lambda x: mpmath.airyai(x, derivative=1),
    "airybiprime": lambda x: mpmath.airybi(x, derivative=1),
    "erfcinv": lambda x: mpmath.erfinv(1 - x),
    "sinc": lambda x: mpmath.mpf(1) if x == 0 else mpmath.sin(x) / x,
    "Shi": mpmath.shi,
    "Chi": mpmath.chi,
    "Si": mpmath.si,
    "Ci": mpmath.ci,
    "Ei": mpmath.ei,
    "expint": mpmath.expint,
    "uppergamma": lambda a, x: mpmath.gammainc(a, x),
    "lowergamma": lambda a, x: mpmath.gammainc(a, 0, x),
    "riemann_zeta": lambda order, s: mpmath.zeta(s, 1, int(order)),
    "elliptic_k": mpmath.ellipk,
    "elliptic_e": mpmath.ellipe,
    "elliptic_f": mpmath.ellipf,
    "hyp2f1": mpmath.hyp2f1,
    "legendre": _polynomial(mpmath.legendre),
    "chebyshevt": _polynomial(mpmath.chebyt),
    "chebyshevu": _polynomial(mpmath.chebyu),
    "hermite": _polynomial(mpmath.hermite),
    "hermite_prob": _polynomial(_hermite_prob),
    "laguerre": _polynomial(lambda degree, x: mpmath.laguerre(degree, 0, x)),
    "assoc_laguerre": _polynomial(mpmath.laguerre),
    "gegenbauer": _polynomial(mpmath.gegenbauer),
    "jacobi": _polynomial(mpmath.jacobi),
}
