"""Bessel functions of real order, spherical Bessel functions and Airy functions.

Derivatives are by the argument alone, by the recurrences of Abramowitz and Stegun, 9.1.27, 9.6.26 and 10.1.20: they
have no division by the argument, so that nothing is lost at 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from .row import REAL, A, B, Op, cython_special, row, special

__all__ = ["ROWS"]

_Y, _I = (sp.Function(name) for name in ("sphericaly", "sphericali"))


def _spherical(name: str) -> Any:
    return lambda order, x: getattr(special, name)(np.asarray(order).astype(int), x)


_HALF_ORDER = A + sp.Rational(1, 2)
_SCALE = sp.sqrt(sp.pi / 2) / sp.sqrt(B)

ROWS: tuple[Op, ...] = (
    cython_special("besselj", sp.besselj(A, B), special.jv, (0, 2), (0.5, 5.0), c="scipy:jv",
             given_partials=(None, (sp.besselj(A - 1, B) - sp.besselj(A + 1, B)) / 2)),
    cython_special("bessely", sp.bessely(A, B), special.yv, (0, 2), (0.5, 5.0), c="scipy:yv",
             given_partials=(None, (sp.bessely(A - 1, B) - sp.bessely(A + 1, B)) / 2)),
    cython_special("besseli", sp.besseli(A, B), special.iv, (0, 2), (0.5, 5.0), c="scipy:iv",
             given_partials=(None, (sp.besseli(A - 1, B) + sp.besseli(A + 1, B)) / 2)),
    cython_special("besselk", sp.besselk(A, B), special.kv, (0, 2), (0.5, 5.0), c="scipy:kv",
             given_partials=(None, -(sp.besselk(A - 1, B) + sp.besselk(A + 1, B)) / 2)),
    row("sphericaly", _SCALE * sp.bessely(_HALF_ORDER, B), _spherical("spherical_yn"), (1, 4), (0.5, 5.0), cost=60,
        whole=(0,), c="special:sphericaly",
        given_partials=(None, (A * _Y(A - 1, B) - (A + 1) * _Y(A + 1, B)) / (2 * A + 1))),
    # sinh(x)/x and its derivatives
    row("sphericali", _SCALE * sp.besseli(_HALF_ORDER, B), _spherical("spherical_in"), (1, 4), (0.5, 5.0), cost=60,
        whole=(0,), c="special:sphericali",
        given_partials=(None, (A * _I(A - 1, B) + (A + 1) * _I(A + 1, B)) / (2 * A + 1))),
    row("airyai", sp.airyai(A), lambda x: special.airy(x)[0], REAL, given_partials=(sp.airyaiprime(A),), cost=60,
        c="special:airyai"),
    row("airyaiprime", sp.airyaiprime(A), lambda x: special.airy(x)[1], REAL, cost=60, c="special:airyaiprime",
        given_partials=(A * sp.airyai(A),)),
    row("airybi", sp.airybi(A), lambda x: special.airy(x)[2], REAL, given_partials=(sp.airybiprime(A),), cost=60,
        c="special:airybi"),
    row("airybiprime", sp.airybiprime(A), lambda x: special.airy(x)[3], REAL, cost=60, c="special:airybiprime",
        given_partials=(A * sp.airybi(A),)),
)  # fmt: skip
