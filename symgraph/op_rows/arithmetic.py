"""Arithmetic, kinks and steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from .row import POSITIVE, REAL, A, B, Op, R, fold, math, row

__all__ = ["ROWS"]

_STRONG, _XLOGY = (sp.Function(name) for name in ("strong_product", "xlogy"))


def _power(base: Any, exponent: Any) -> Any:
    if np.ndim(exponent) == 0:
        if exponent == 0.5:
            return np.sqrt(base)
        if exponent == -0.5:
            return 1 / np.sqrt(base)
        if np.issubdtype(np.asarray(exponent).dtype, np.integer) or float(exponent).is_integer():
            if exponent < 0 or np.asarray(base).dtype.kind == "f":
                return np.float_power(base, exponent)
            return np.power(base, exponent)
    return np.float_power(base, exponent)


ROWS: tuple[Op, ...] = (
    # ------------------------------------------------------------------ arithmetic
    Op("add", A + B, fold(np.add), (REAL, REAL), "promote", arity=None, cost=1, commutative=True),
    Op("mul", A * B, fold(np.multiply), (REAL, REAL), "promote", arity=None, cost=1, commutative=True),
    # the partial by the exponent is 0 where the base is 0: convention, table in docs/conventions.md
    Op("pow", A**B, _power, (POSITIVE, REAL), "power", (_STRONG(B, A ** (B - 1)), _XLOGY(R, A)), 2, 30,
       c="pow", vector="pow", python="math.pow"),
    row("floordiv", sp.floor(A / B), np.floor_divide, (-9, 9), (1, 5), result="promote", given_partials=(0, 0),
         cost=5),
    row("mod", sp.Mod(A, B), np.mod, REAL, (0.5, 3.0), result="promote", given_partials=(1, -sp.floor(A / B)),
         cost=10),
    # ------------------------------------------------------------------ kinks and steps
    row("abs", sp.Abs(A), np.abs, REAL, result="promote", given_partials=(sp.sign(A),), cost=1, c="fabs",
         python="abs"),
    row("sign", sp.sign(A), np.sign, REAL, result="promote", given_partials=(0,), cost=2),
    math("floor", sp.floor(A), np.floor, REAL, given_partials=(0,), cost=2),
    math("ceil", sp.ceiling(A), np.ceil, REAL, given_partials=(0,), cost=2),
    # ties share the derivative equally; reverse and forward mode handle both rows by name (they are n-ary)
    Op("max", sp.Max(A, B), fold(np.maximum), (REAL, REAL), "promote", arity=None, cost=1, commutative=True),
    Op("min", sp.Min(A, B), fold(np.minimum), (REAL, REAL), "promote", arity=None, cost=1, commutative=True),
)
