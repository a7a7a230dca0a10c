"""The op table: one row per elementwise operation. Adding an operation is adding a row; the row brings its tests.

A row has a SymPy formula on the dummies ``A`` (first argument), ``B``, ``C``; its partial derivatives follow from the
formula once, on first use, unless the row gives them (then the reason stands beside it). Partials may use ``R``, the
row's own result, where that is cheaper.

``c`` is how C (and Cython) spells the operation on doubles: a function of ``math.h``, ``scipy:name`` for
``scipy.special.cython_special``, or None for what the printers handle as an operator. ``vector`` names the function of
glibc's vector library, where there is one. ``python`` is the spelling for Numba and plain Python (``math.exp``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from .dtype import BOOLEAN, FLOATING, INTEGER, Dtype, promote
from .errors import UnsupportedError
from .node import Kind, Node, make, union_axes

__all__ = ["BUILT_IN", "OPS", "A", "B", "C", "Op", "R", "apply_op", "ordered", "register_op"]


class _Special:
    """scipy.special, loaded at the first call of a function: loading it takes longer than all of this package."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)

        def function(*arguments: Any) -> Any:
            import scipy.special

            return getattr(scipy.special, name)(*arguments)

        return function


special = _Special()
A, B, C, R = (sp.Dummy(name, real=True) for name in ("a", "b", "c", "r"))
ARGUMENTS = (A, B, C)


@dataclass(frozen=True)
class Op:
    """One row of the op table.

    Attributes
    ----------
    name:
        The key; what ``Node.data`` holds.
    formula:
        SymPy expression in ``A``, ``B``, ``C`` that defines value and derivative; None for what SymPy cannot say.
    numpy:
        The reference implementation on NumPy arrays.
    samples:
        One (low, high) range per argument, inside the domain, for generated tests.
    result:
        "float", "bool", "int", "promote" (widest argument), "branches" (widest of all but the first) or "power"
        (integer for integers to a constant power from 0 up).
    given_partials:
        Partials that replace the ones derived from the formula; None entries mean "no derivative known".
    arity:
        Number of arguments, or None for any number (from two up).
    cost:
        In units of one addition, for choices between storing and computing again.
    commutative:
        Whether the order of the arguments does not matter: nodes keep them in order of creation.
    whole:
        Positions of arguments that are whole numbers (orders of a family).
    """

    name: str
    formula: sp.Expr | None
    numpy: Callable[..., Any]
    samples: tuple[tuple[float, float], ...]
    result: str = "float"
    given_partials: tuple[object, ...] | None = None
    arity: int | None = 1
    cost: int = 20
    commutative: bool = False
    whole: tuple[int, ...] = ()
    c: str | None = None
    vector: str | None = None
    python: str | None = None

    @cached_property
    def partials(self) -> tuple[sp.Expr | None, ...]:
        """The partial derivative for each argument, as SymPy expressions in A, B, C and R."""
        if self.given_partials is not None:
            return tuple(None if p is None else sp.sympify(p) for p in self.given_partials)
        if self.formula is None or self.arity is None:
            raise UnsupportedError(f"the operation {self.name!r} has no derivative: register one with its row")
        return tuple(self.formula.diff(argument) for argument in ARGUMENTS[: self.arity])

    def dtype(self, arguments: Sequence[Node]) -> Dtype:
        """The kind of number of the result."""
        if self.result == "float":
            return FLOATING
        if self.result == "bool":
            return BOOLEAN
        if self.result == "int":
            return INTEGER
        if self.result == "power":
            whole = arguments[1].kind is Kind.CONST and type(arguments[1].data) is int and arguments[1].data >= 0
            return promote(arguments[0].dtype) if whole else FLOATING
        used = arguments[1:] if self.result == "branches" else arguments
        if self.result == "branches" and all(a.dtype is BOOLEAN for a in used):
            return BOOLEAN
        return promote(*(a.dtype for a in used))


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


def _fold(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def folded(*arguments: Any) -> Any:
        result = arguments[0]
        for argument in arguments[1:]:
            result = function(result, argument)
        return result

    return folded


def _strong_quotient(numerator: Any, base: Any, order: Any) -> Any:
    quotient = numerator / base  # divided in steps: the square of a small base would underflow
    return np.where(numerator == 0, 0.0, quotient * np.float_power(base, 1 - order))


def _strong_product(left: Any, right: Any) -> Any:
    return np.where((left == 0) | (right == 0), 0.0, left * right)


def _real_lambertw(x: Any) -> Any:
    value = special.lambertw(x)
    return np.where(value.imag == 0, value.real, np.nan)


def _spherical_bessel(order: Any, x: Any) -> Any:
    return special.spherical_jn(np.asarray(order).astype(int), x)


_REAL = (-2.0, 2.0)
_POSITIVE = (0.1, 3.0)
_UNIT = (-0.9, 0.9)


def _row(name: str, formula: Any, numpy: Any, *samples: tuple[float, float], **rest: Any) -> Op:
    rest.setdefault("arity", len(samples))
    return Op(name, formula, numpy, samples, **rest)


def _math(name: str, formula: Any, numpy: Any, *samples: tuple[float, float], **rest: Any) -> Op:
    """A function of math.h that Python's math module has under the same name."""
    rest.setdefault("c", name)
    rest.setdefault("python", f"math.{rest['c']}")
    return _row(name, formula, numpy, *samples, **rest)


def _special(name: str, formula: Any, numpy: Any, *samples: tuple[float, float], **rest: Any) -> Op:
    """A function that scipy.special.cython_special has (spelling in ``c``)."""
    rest.setdefault("c", f"scipy:{name}")
    rest.setdefault("cost", 60)
    return _row(name, formula, numpy, *samples, **rest)


_LOGISTIC, _SINC, _SPHERICAL = (sp.Function(name) for name in ("logistic", "sinc", "sphericalj"))
_RATIO, _STRONG, _XLOGY = (sp.Function(name) for name in ("strong_quotient", "strong_product", "xlogy"))
_COMPARE: dict[str, Any] = dict(result="bool", given_partials=(0, 0), cost=1)

_ROWS = (
    # ------------------------------------------------------------------ arithmetic
    Op("add", A + B, _fold(np.add), (_REAL, _REAL), "promote", arity=None, cost=1, commutative=True),
    Op("mul", A * B, _fold(np.multiply), (_REAL, _REAL), "promote", arity=None, cost=1, commutative=True),
    # the partial by the exponent is 0 where the base is 0: convention, table in docs/conventions.md
    Op("pow", A**B, _power, (_POSITIVE, _REAL), "power", (_STRONG(B, A ** (B - 1)), _XLOGY(R, A)), 2, 30,
       c="pow", vector="pow", python="math.pow"),
    _row("floordiv", sp.floor(A / B), np.floor_divide, (-9, 9), (1, 5), result="promote", given_partials=(0, 0),
         cost=5),
    _row("mod", sp.Mod(A, B), np.mod, _REAL, (0.5, 3.0), result="promote", given_partials=(1, -sp.floor(A / B)),
         cost=10),
    # ------------------------------------------------------------------ kinks and steps
    _row("abs", sp.Abs(A), np.abs, _REAL, result="promote", given_partials=(sp.sign(A),), cost=1, c="fabs",
         python="abs"),
    _row("sign", sp.sign(A), np.sign, _REAL, result="promote", given_partials=(0,), cost=2),
    _math("floor", sp.floor(A), np.floor, _REAL, given_partials=(0,), cost=2),
    _math("ceil", sp.ceiling(A), np.ceil, _REAL, given_partials=(0,), cost=2),
    # ties share the derivative equally; reverse and forward mode handle both rows by name (they are n-ary)
    Op("max", sp.Max(A, B), _fold(np.maximum), (_REAL, _REAL), "promote", arity=None, cost=1, commutative=True),
    Op("min", sp.Min(A, B), _fold(np.minimum), (_REAL, _REAL), "promote", arity=None, cost=1, commutative=True),
    # ------------------------------------------------------------------ exponentials and logarithms
    _math("exp", sp.exp(A), np.exp, _REAL, given_partials=(R,), vector="exp"),
    _math("expm1", sp.exp(A) - 1, np.expm1, _REAL, given_partials=(sp.exp(A),), vector="expm1"),
    _math("log", sp.log(A), np.log, _POSITIVE, vector="log"),
    _math("log1p", sp.log(1 + A), np.log1p, (-0.5, 2.0), vector="log1p"),
    _math("log2", sp.log(A) / sp.log(2), np.log2, _POSITIVE, vector="log2"),
    _math("log10", sp.log(A) / sp.log(10), np.log10, _POSITIVE, vector="log10"),
    _math("cbrt", sp.cbrt(A), np.cbrt, _POSITIVE, given_partials=(R / (3 * A),), vector="cbrt", python="np.cbrt"),
    _math("hypot", sp.sqrt(A**2 + B**2), np.hypot, _REAL, _REAL, vector="hypot",
          given_partials=(_RATIO(A, R, 1), _RATIO(B, R, 1))),
    # ------------------------------------------------------------------ trigonometric and hyperbolic functions
    _math("sin", sp.sin(A), np.sin, _REAL, vector="sin"),
    _math("cos", sp.cos(A), np.cos, _REAL, vector="cos"),
    _math("tan", sp.tan(A), np.tan, (-1.2, 1.2), given_partials=(1 + R**2,), vector="tan"),
    _math("asin", sp.asin(A), np.arcsin, _UNIT, given_partials=(1 / sp.sqrt((1 - A) * (1 + A)),), vector="asin"),
    _math("acos", sp.acos(A), np.arccos, _UNIT, given_partials=(-1 / sp.sqrt((1 - A) * (1 + A)),), vector="acos"),
    _math("atan", sp.atan(A), np.arctan, _REAL, vector="atan"),
    _math("atan2", sp.atan2(A, B), np.arctan2, _POSITIVE, _REAL, vector="atan2",
          given_partials=(_RATIO(B, A**2 + B**2, 1), -_RATIO(A, A**2 + B**2, 1))),
    _math("sinh", sp.sinh(A), np.sinh, _REAL, vector="sinh"),
    _math("cosh", sp.cosh(A), np.cosh, _REAL, vector="cosh"),
    _math("tanh", sp.tanh(A), np.tanh, _REAL, given_partials=(1 - R**2,), vector="tanh"),
    _math("asinh", sp.asinh(A), np.arcsinh, _REAL, vector="asinh"),
    _math("acosh", sp.acosh(A), np.arccosh, (1.2, 4.0), given_partials=(1 / (sp.sqrt(A - 1) * sp.sqrt(A + 1)),),
          vector="acosh"),
    _math("atanh", sp.atanh(A), np.arctanh, _UNIT, given_partials=(1 / ((1 - A) * (1 + A)),), vector="atanh"),
    # ------------------------------------------------------------------ named stable forms
    # in the partial of the logistic function, 1 - R would cancel far out
    _row("logistic", 1 / (1 + sp.exp(-A)), special.expit, (-5, 5), given_partials=(R * _LOGISTIC(-A),)),
    _row("softplus", sp.log(1 + sp.exp(A)), lambda x: np.logaddexp(0.0, x), (-5, 5), given_partials=(_LOGISTIC(A),)),
    _row("logaddexp", sp.log(sp.exp(A) + sp.exp(B)), np.logaddexp, (-5, 5), (-5, 5),
         given_partials=(_LOGISTIC(A - B), _LOGISTIC(B - A)), cost=40, commutative=True),
    # products that are 0 where their first factor is, whatever the second: closed under differentiation
    _special("xlogy", A * sp.log(B), special.xlogy, _REAL, _POSITIVE, given_partials=(sp.log(B), _RATIO(A, B, 1))),
    _row("strong_quotient", A * B**-C, _strong_quotient, _REAL, _POSITIVE, (1, 3), cost=8,
         given_partials=(B**-C, -C * _RATIO(A, B, C + 1), None)),
    # the product on a path through a square root at 0; differentiated as the plain product
    _row("strong_product", A * B, _strong_product, _REAL, _REAL, cost=2, commutative=True,
         given_partials=(B, A)),
    # sin(x)/x and its derivatives: spherical Bessel functions, with their limits at 0
    _row("sinc", sp.sinc(A), lambda x: np.sinc(x / np.pi), (-8, 8), given_partials=(-_SPHERICAL(1, A),)),
    _row("sphericalj", sp.sqrt(sp.pi / 2) / sp.sqrt(B) * sp.besselj(A + sp.Rational(1, 2), B), _spherical_bessel,
         (1, 4), (0.5, 9.0), cost=60, whole=(0,),
         given_partials=(None, (A * _SPHERICAL(A - 1, B) - (A + 1) * _SPHERICAL(A + 1, B)) / (2 * A + 1))),
    # ------------------------------------------------------------------ special functions
    _math("erf", sp.erf(A), special.erf, _REAL, vector="erf"),
    _math("erfc", sp.erfc(A), special.erfc, _REAL, vector="erfc"),
    _math("gamma", sp.gamma(A), special.gamma, _POSITIVE, given_partials=(R * sp.digamma(A),), c="tgamma",
          python="math.gamma", cost=60),
    _math("loggamma", sp.loggamma(A), special.gammaln, _POSITIVE, given_partials=(sp.digamma(A),), c="lgamma", cost=60),
    _special("digamma", sp.digamma(A), special.digamma, _POSITIVE, given_partials=(sp.zeta(2, A),), c="scipy:psi"),
    _row("polygamma", sp.polygamma(A, B), special.polygamma, (1, 4), _POSITIVE, cost=60, whole=(0,),
         given_partials=(None, sp.polygamma(A + 1, B))),
    # the Hurwitz zeta function; zeta(2, x) is the derivative of digamma
    _row("zeta", sp.zeta(A, B), special.zeta, (1.5, 4.0), _POSITIVE, cost=60,
         given_partials=(None, -A * sp.zeta(A + 1, B))),
    _special("beta", sp.gamma(A) * sp.gamma(B) / sp.gamma(A + B), special.beta, _POSITIVE, _POSITIVE, commutative=True,
             given_partials=(R * (sp.digamma(A) - sp.digamma(A + B)), R * (sp.digamma(B) - sp.digamma(A + B)))),
    _special("erfinv", sp.erfinv(A), special.erfinv, _UNIT, given_partials=(sp.sqrt(sp.pi) / 2 * sp.exp(R**2),)),
    _special("erfcinv", sp.erfcinv(A), special.erfcinv, (0.1, 1.9),
             given_partials=(-sp.sqrt(sp.pi) / 2 * sp.exp(R**2),)),
    _special("expi", sp.Ei(A), special.expi, _POSITIVE, given_partials=(sp.exp(A) / A,)),
    # the order is a whole number; by the recurrence, no order below the first appears
    _special("expint", sp.expint(A, B), special.expn, (1, 4), _POSITIVE, c="scipy:expn", whole=(0,),
             given_partials=(None, ((A - 1) * R - sp.exp(-B)) / B)),
    # the real principal branch; exp(-W)/(1 + W) has no singularity at 0
    _row("lambertw", sp.LambertW(A), _real_lambertw, (-0.3, 4.0), given_partials=(sp.exp(-R) / (1 + R),), cost=60),
    _row("sici_sine", sp.Si(A), lambda x: special.sici(x)[0], (-8, 8), given_partials=(_SINC(A),), cost=60),
    _row("sici_cosine", sp.Ci(A), lambda x: special.sici(x)[1], _POSITIVE, given_partials=(sp.cos(A) / A,), cost=60),
    _row("airyai", sp.airyai(A), lambda x: special.airy(x)[0], _REAL, given_partials=(sp.airyaiprime(A),), cost=60),
    _row("airyaiprime", sp.airyaiprime(A), lambda x: special.airy(x)[1], _REAL, cost=60,
         given_partials=(A * sp.airyai(A),)),
    _row("airybi", sp.airybi(A), lambda x: special.airy(x)[2], _REAL, given_partials=(sp.airybiprime(A),), cost=60),
    _row("airybiprime", sp.airybiprime(A), lambda x: special.airy(x)[3], _REAL, cost=60,
         given_partials=(A * sp.airybi(A),)),
    _special("besselj", sp.besselj(A, B), special.jv, (0, 2), (0.5, 5.0), c="scipy:jv",
             given_partials=(None, (sp.besselj(A - 1, B) - sp.besselj(A + 1, B)) / 2)),
    _special("bessely", sp.bessely(A, B), special.yv, (0, 2), (0.5, 5.0), c="scipy:yv",
             given_partials=(None, (sp.bessely(A - 1, B) - sp.bessely(A + 1, B)) / 2)),
    _special("besseli", sp.besseli(A, B), special.iv, (0, 2), (0.5, 5.0), c="scipy:iv",
             given_partials=(None, (sp.besseli(A - 1, B) + sp.besseli(A + 1, B)) / 2)),
    _special("besselk", sp.besselk(A, B), special.kv, (0, 2), (0.5, 5.0), c="scipy:kv",
             given_partials=(None, -(sp.besselk(A - 1, B) + sp.besselk(A + 1, B)) / 2)),
    # ------------------------------------------------------------------ conditions
    _row("lt", sp.Lt(A, B, evaluate=False), np.less, _REAL, _REAL, **_COMPARE),
    _row("le", sp.Le(A, B, evaluate=False), np.less_equal, _REAL, _REAL, **_COMPARE),
    _row("eq", sp.Eq(A, B, evaluate=False), np.equal, _REAL, _REAL, commutative=True, **_COMPARE),
    _row("ne", sp.Ne(A, B, evaluate=False), np.not_equal, _REAL, _REAL, commutative=True, **_COMPARE),
    Op("and", None, _fold(np.logical_and), ((0, 1), (0, 1)), "bool", (0, 0), None, 1, True),
    Op("or", None, _fold(np.logical_or), ((0, 1), (0, 1)), "bool", (0, 0), None, 1, True),
    Op("not", None, np.logical_not, ((0, 1),), "bool", (0,), 1, 1),
    # select(condition, then, else); reverse and forward mode handle it by name (masks)
    Op("select", None, np.where, ((0, 1), _REAL, _REAL), "branches", arity=3, cost=1),
    # ------------------------------------------------------------------ casts and markers
    Op("float", A, lambda x: np.asarray(x, dtype=float), (_REAL,), "float", (1,), 1, 0),
    # the value itself, held constant by derivatives: the shift of log-sum-exp, which cancels exactly
    Op("hold", A, lambda x: x, (_REAL,), "promote", (0,), 1, 0),
    # nan, and so are its derivatives of every order: a Piecewise without a default
    Op("undefined", None, lambda *a: np.nan * _fold(np.add)(0.0, *a), (_REAL,), "float", None, None, 0),
)

OPS: dict[str, Op] = {row.name: row for row in _ROWS}
BUILT_IN = frozenset(OPS)  # the rows that every process has; others are a user's


def register_op(row: Op) -> None:
    """Add a row for a user's own operation; the name must be new."""
    if row.name in OPS:
        raise UnsupportedError(f"the operation {row.name!r} exists already: choose another name")
    OPS[row.name] = row


def apply_op(name: str, *arguments: Node) -> Node:
    """The bare elementwise node: dtype by the row's rule, commutative arguments in order of creation.

    No simplification happens here; use :func:`symgraph.simplify.call` for that.
    """
    row = OPS[name]
    if row.arity is not None and len(arguments) != row.arity:
        raise UnsupportedError(f"{name} takes {row.arity} arguments, {len(arguments)} were given")
    arguments = ordered(row, arguments)
    return make(Kind.ELEMENTWISE, arguments, union_axes(arguments), row.dtype(arguments), name)


def ordered(row: Op, arguments: tuple[Node, ...]) -> tuple[Node, ...]:
    """Arguments in canonical order: commutative ones by creation, but a number stands first in a product of two."""
    if row.commutative:
        arguments = tuple(sorted(arguments, key=_number))
        if row.name == "mul" and len(arguments) == 2:
            first, second = arguments
            if type(second.data) in _NUMBERS and type(first.data) not in _NUMBERS:
                return second, first
    return arguments


_NUMBERS = frozenset((int, Fraction, float))  # payloads of constants that are coefficients


def _number(node: Node) -> int:
    return node.number
