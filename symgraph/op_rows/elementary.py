"""Exponentials, logarithms, trigonometric and hyperbolic functions."""

from __future__ import annotations

import numpy as np
import sympy as sp

from .row import POSITIVE, REAL, UNIT, A, B, Op, R, math

__all__ = ["ROWS"]

_RATIO, _HYPOT = sp.Function("strong_quotient"), sp.Function("hypot_quotient")
_SLOPE = sp.Function("tanh_slope")

ROWS: tuple[Op, ...] = (
    # ------------------------------------------------------------------ exponentials and logarithms
    math("exp", sp.exp(A), np.exp, REAL, given_partials=(R,), vector="exp"),
    math("expm1", sp.exp(A) - 1, np.expm1, REAL, given_partials=(sp.exp(A),), vector="expm1"),
    math("log", sp.log(A), np.log, POSITIVE, vector="log"),
    math("log1p", sp.log(1 + A), np.log1p, (-0.5, 2.0), vector="log1p"),
    math("log2", sp.log(A) / sp.log(2), np.log2, POSITIVE, vector="log2"),
    math("log10", sp.log(A) / sp.log(10), np.log10, POSITIVE, vector="log10"),
    math("cbrt", sp.cbrt(A), np.cbrt, POSITIVE, given_partials=(R / (3 * A),), vector="cbrt", python="np.cbrt"),
    math("hypot", sp.sqrt(A**2 + B**2), np.hypot, REAL, REAL, vector="hypot",
          given_partials=(_RATIO(A, R, 1), _RATIO(B, R, 1))),
    # ------------------------------------------------------------------ trigonometric and hyperbolic functions
    math("sin", sp.sin(A), np.sin, REAL, vector="sin"),
    math("cos", sp.cos(A), np.cos, REAL, vector="cos"),
    math("tan", sp.tan(A), np.tan, (-1.2, 1.2), given_partials=(1 + R**2,), vector="tan"),
    math("asin", sp.asin(A), np.arcsin, UNIT, given_partials=(1 / sp.sqrt((1 - A) * (1 + A)),), vector="asin"),
    math("acos", sp.acos(A), np.arccos, UNIT, given_partials=(-1 / sp.sqrt((1 - A) * (1 + A)),), vector="acos"),
    math("atan", sp.atan(A), np.arctan, REAL, vector="atan"),
    math("atan2", sp.atan2(A, B), np.arctan2, POSITIVE, REAL, vector="atan2",
         given_partials=(_HYPOT(B, A), -_HYPOT(A, B))),
    math("sinh", sp.sinh(A), np.sinh, REAL, vector="sinh"),
    math("cosh", sp.cosh(A), np.cosh, REAL, vector="cosh"),
    # 1 - R**2 has no digit left from 20 on
    math("tanh", sp.tanh(A), np.tanh, REAL, given_partials=(_SLOPE(A),), vector="tanh"),
    math("asinh", sp.asinh(A), np.arcsinh, REAL, vector="asinh"),
    math("acosh", sp.acosh(A), np.arccosh, (1.2, 4.0), given_partials=(1 / (sp.sqrt(A - 1) * sp.sqrt(A + 1)),),
          vector="acosh"),
    math("atanh", sp.atanh(A), np.arctanh, UNIT, given_partials=(1 / ((1 - A) * (1 + A)),), vector="atanh"),
)
