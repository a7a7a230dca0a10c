"""The functions and constants that formulas know: one row each, under the names of SymPy and of NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from .. import simplify as s
from ..node import Node, constant
from . import special

__all__ = ["CONSTANTS", "FUNCTIONS", "REFUSED", "FormulaFunction", "log"]

_ONE, _HALF = constant(1), constant(Fraction(1, 2))


@dataclass(frozen=True)
class FormulaFunction:
    """A known function.

    Attributes
    ----------
    build:
        From argument nodes to the node of the call.
    fewest, most:
        Number of arguments; ``most`` is None for any number.
    conditions:
        Positions of arguments that are conditions; "all" where every argument is one.
    """

    build: Callable[..., Node]
    fewest: int = 1
    most: int | None = 1
    conditions: tuple[int, ...] | str = ()


def log(value: Node, base: Node | None = None) -> Node:
    """The logarithm, to a base where one is given."""
    natural = s.call("log", value)
    return natural if base is None else s.div(natural, s.call("log", base))


def _op(name: str) -> Callable[..., Node]:
    return lambda *arguments: s.call(name, *arguments)


def _flipped(name: str) -> Callable[..., Node]:
    return lambda left, right: s.call(name, right, left)


def _reciprocal(name: str) -> Callable[..., Node]:
    return lambda argument: s.power(s.call(name, argument), constant(-1))


def _of_reciprocal(name: str) -> Callable[..., Node]:
    return lambda argument: s.call(name, s.power(argument, constant(-1)))


def _heaviside(argument: Node, at_zero: Node = _HALF) -> Node:
    after = s.select(s.call("eq", argument, constant(0)), at_zero, _ONE)
    return s.select(s.call("lt", argument, constant(0)), constant(0), after)


def _exclusive_or(*conditions: Node) -> Node:
    result = conditions[0]
    for condition in conditions[1:]:
        both = s.logical_and(result, condition)
        result = s.logical_and(s.logical_or(result, condition), s.logical_not(both))
    return result


def _unary(*names: str) -> dict[str, FormulaFunction]:
    return {name: FormulaFunction(_op(name)) for name in names}


def _binary(*names: str) -> dict[str, FormulaFunction]:
    return {name: FormulaFunction(_op(name), 2, 2) for name in names}


FUNCTIONS: dict[str, FormulaFunction] = {
    **_unary(
        "exp", "expm1", "log1p", "log2", "log10", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
        "tanh", "asinh", "acosh", "atanh", "logistic", "softplus", "erf", "erfc", "gamma", "loggamma", "digamma",
        "erfinv", "sign", "floor", "ceil", "abs", "erfcx", "erfi", "erfcinv", "airyai", "airybi", "airyaiprime",
        "airybiprime", "elliptic_k", "sinc",
    ),
    **_binary(
        "atan2", "hypot", "polygamma", "besselj", "bessely", "besseli", "besselk", "beta", "gammainc", "gammaincc",
        "lowergamma", "uppergamma", "elliptic_f", "legendre", "chebyshevt", "chebyshevu", "hermite", "hermite_prob",
        "laguerre", "logaddexp", "xlogy",
    ),
    # ------------------------------------------------------------- special functions
    "zeta": FormulaFunction(special.zeta, 1, 2),
    "LambertW": FormulaFunction(special.lambertw, 1, 2),
    "lambertw": FormulaFunction(special.lambertw, 1, 2),
    "expint": FormulaFunction(special.expint, 2, 2),
    "E1": FormulaFunction(_op("exp1")),
    "Ei": FormulaFunction(_op("expi")),
    "Si": FormulaFunction(_op("sici_sine")),
    "Ci": FormulaFunction(_op("sici_cosine")),
    "Shi": FormulaFunction(_op("shichi_sine")),
    "Chi": FormulaFunction(_op("shichi_cosine")),
    "fresnels": FormulaFunction(_op("fresnel_sine")),
    "fresnelc": FormulaFunction(_op("fresnel_cosine")),
    "jn": FormulaFunction(_op("sphericalj"), 2, 2),
    "yn": FormulaFunction(_op("sphericaly"), 2, 2),
    "trigamma": FormulaFunction(lambda a: s.call("zeta", constant(2), a)),
    "elliptic_e": FormulaFunction(special.elliptic_e, 1, 2),
    "assoc_laguerre": FormulaFunction(_op("assoc_laguerre"), 3, 3),
    "gegenbauer": FormulaFunction(_op("gegenbauer"), 3, 3),
    "jacobi": FormulaFunction(_op("jacobi"), 4, 4),
    "assoc_legendre": FormulaFunction(special.assoc_legendre, 3, 3),
    "Znm": FormulaFunction(special.real_spherical_harmonic, 4, 4),
    "harmonic": FormulaFunction(special.harmonic, 1, 2),
    "factorial": FormulaFunction(lambda n: s.call("gamma", s.add(n, _ONE))),
    "binomial": FormulaFunction(special.binomial, 2, 2),
    "betaln": FormulaFunction(special.log_beta, 2, 2),
    "erf2": FormulaFunction(lambda a, b: s.sub(s.call("erf", b), s.call("erf", a)), 2, 2),
    # ------------------------------------------------------------- other spellings
    "arcsin": FormulaFunction(_op("asin")),
    "arccos": FormulaFunction(_op("acos")),
    "arctan": FormulaFunction(_op("atan")),
    "arctan2": FormulaFunction(_op("atan2"), 2, 2),
    "arcsinh": FormulaFunction(_op("asinh")),
    "arccosh": FormulaFunction(_op("acosh")),
    "arctanh": FormulaFunction(_op("atanh")),
    "sigmoid": FormulaFunction(_op("logistic")),
    "expit": FormulaFunction(_op("logistic")),
    "lgamma": FormulaFunction(_op("loggamma")),
    "gammaln": FormulaFunction(_op("loggamma")),
    "psi": FormulaFunction(_op("digamma")),
    "Abs": FormulaFunction(_op("abs")),
    "fabs": FormulaFunction(_op("abs")),
    "ceiling": FormulaFunction(_op("ceil")),
    # ------------------------------------------------------------- powers and logarithms
    "log": FormulaFunction(log, 1, 2),
    "ln": FormulaFunction(log),
    "sqrt": FormulaFunction(lambda a: s.power(a, _HALF)),
    "square": FormulaFunction(lambda a: s.power(a, constant(2))),
    "root": FormulaFunction(lambda a, n: s.power(a, s.power(n, constant(-1))), 2, 2),
    "exp2": FormulaFunction(lambda a: s.power(constant(2), a)),
    # ------------------------------------------------------------- by way of others
    "sec": FormulaFunction(_reciprocal("cos")),
    "csc": FormulaFunction(_reciprocal("sin")),
    "cot": FormulaFunction(_reciprocal("tan")),
    "sech": FormulaFunction(_reciprocal("cosh")),
    "csch": FormulaFunction(_reciprocal("sinh")),
    "coth": FormulaFunction(_reciprocal("tanh")),
    "asec": FormulaFunction(_of_reciprocal("acos")),
    "acsc": FormulaFunction(_of_reciprocal("asin")),
    "asech": FormulaFunction(_of_reciprocal("acosh")),
    "acsch": FormulaFunction(_of_reciprocal("asinh")),
    "acoth": FormulaFunction(_of_reciprocal("atanh")),
    "Heaviside": FormulaFunction(_heaviside, 1, 2),
    "frac": FormulaFunction(lambda a: s.sub(a, s.call("floor", a))),
    "Mod": FormulaFunction(_op("mod"), 2, 2),
    "mod": FormulaFunction(_op("mod"), 2, 2),
    # ------------------------------------------------------------- extremes
    **{name: FormulaFunction(_op("max"), 2, None) for name in ("Max", "max", "maximum")},
    **{name: FormulaFunction(_op("min"), 2, None) for name in ("Min", "min", "minimum")},
    # ------------------------------------------------------------- conditions
    "Eq": FormulaFunction(_op("eq"), 2, 2),
    "Ne": FormulaFunction(_op("ne"), 2, 2),
    "Lt": FormulaFunction(_op("lt"), 2, 2),
    "Le": FormulaFunction(_op("le"), 2, 2),
    "Gt": FormulaFunction(_flipped("lt"), 2, 2),
    "Ge": FormulaFunction(_flipped("le"), 2, 2),
    "And": FormulaFunction(lambda *c: s.logical_and(*c), 1, None, "all"),
    "Or": FormulaFunction(lambda *c: s.logical_or(*c), 1, None, "all"),
    "Xor": FormulaFunction(_exclusive_or, 2, None, "all"),
    "Not": FormulaFunction(lambda c: s.logical_not(c), 1, 1, "all"),
    "where": FormulaFunction(lambda c, a, b: s.select(c, a, b), 3, 3, (0,)),
    "ITE": FormulaFunction(lambda c, a, b: s.select(c, a, b), 3, 3, (0,)),
}

CONSTANTS: dict[str, Node] = {
    "pi": constant(sp.pi),
    "π": constant(sp.pi),
    "E": constant(sp.E),
    "EulerGamma": constant(sp.EulerGamma),
    "Catalan": constant(sp.Catalan),
    "GoldenRatio": constant(sp.GoldenRatio),
    "oo": constant(math.inf),
    "inf": constant(math.inf),
    "nan": constant(math.nan),
}

# names that people write and that have no meaning here, with what to do instead
REFUSED: dict[str, str] = {
    "I": "the imaginary unit has no place in a real model; declare I as an input to use the name",
    "zoo": "complex infinity has no value here",
    "Derivative": "ask for derivatives with -d grad, jac or hess",
    "diff": "ask for derivatives with -d grad, jac or hess",
    "Integral": "integrals are not evaluated; write a Sum",
    "eval": "formulas are never evaluated as Python code",
    "exec": "formulas are never evaluated as Python code",
}
