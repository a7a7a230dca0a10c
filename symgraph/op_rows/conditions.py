"""Conditions, selection, casts and markers."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from .row import REAL, A, B, Op, fold, row

__all__ = ["ROWS"]

_COMPARE: dict[str, Any] = dict(result="bool", given_partials=(0, 0), cost=1)

ROWS: tuple[Op, ...] = (
    # ------------------------------------------------------------------ conditions
    row("lt", sp.Lt(A, B, evaluate=False), np.less, REAL, REAL, **_COMPARE),
    row("le", sp.Le(A, B, evaluate=False), np.less_equal, REAL, REAL, **_COMPARE),
    row("eq", sp.Eq(A, B, evaluate=False), np.equal, REAL, REAL, commutative=True, **_COMPARE),
    row("ne", sp.Ne(A, B, evaluate=False), np.not_equal, REAL, REAL, commutative=True, **_COMPARE),
    Op("and", None, fold(np.logical_and), ((0, 1), (0, 1)), "bool", (0, 0), None, 1, True),
    Op("or", None, fold(np.logical_or), ((0, 1), (0, 1)), "bool", (0, 0), None, 1, True),
    Op("not", None, np.logical_not, ((0, 1),), "bool", (0,), 1, 1),
    # select(condition, then, else); reverse and forward mode handle it by name (masks)
    Op("select", None, np.where, ((0, 1), REAL, REAL), "branches", arity=3, cost=1),
    # ------------------------------------------------------------------ casts and markers
    Op("float", A, lambda x: np.asarray(x, dtype=float), (REAL,), "float", (1,), 1, 0),
    # the value itself, held constant by derivatives: the shift of log-sum-exp, which cancels exactly
    Op("hold", A, lambda x: x, (REAL,), "promote", (0,), 1, 0),
    # nan, and so are its derivatives of every order: a Piecewise without a default
    Op("undefined", None, lambda *a: np.nan * fold(np.add)(0.0, *a), (REAL,), "float", None, None, 0),
)
