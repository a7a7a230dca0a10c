"""Functions of SymPy: a row of the op table each, or a formula made of rows. One line per function."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.codegen import cfunctions

from .. import simplify as s
from ..errors import UnsupportedError
from ..node import Node, constant
from ..ops import OPS
from . import special
from .engine import Bindings, Machine, Steps
from .reductions import held, undefined

__all__ = ["FORMULAS", "ROWS", "formula_rule", "row_rule"]

_ONE, _TWO, _HALF = constant(1), constant(2), constant(Fraction(1, 2))


def _reciprocal(node: Node) -> Node:
    return s.power(node, constant(-1))


def _of(name: str) -> Callable[..., Node]:
    return lambda *arguments: s.call(name, *arguments)


def _acot(x: Node) -> Node:
    """acot is odd, with acot(0) = pi/2; through atan2 it is smooth from either side of 0."""
    return s.select(
        s.call("lt", x, constant(0)), s.neg(s.call("atan2", _ONE, s.neg(x))), s.call("atan2", _ONE, x)
    )


def _heaviside(x: Node, at_zero: Node) -> Node:
    return s.select(
        s.call("lt", x, constant(0)), constant(0), s.select(s.call("eq", x, constant(0)), at_zero, _ONE)
    )


def _polygamma(order: Node, x: Node) -> Node:
    return s.call("digamma", x) if order is constant(0) else s.call("polygamma", order, x)


def _log(x: Node, base: Node | None = None) -> Node:
    return s.call("log", x) if base is None else s.div(s.call("log", x), s.call("log", base))


# SymPy class -> row of the op table with the same arguments
ROWS: dict[type, str] = {
    sp.exp: "exp", sp.sin: "sin", sp.cos: "cos", sp.tan: "tan", sp.asin: "asin", sp.acos: "acos", sp.atan: "atan",
    sp.atan2: "atan2", sp.sinh: "sinh", sp.cosh: "cosh", sp.tanh: "tanh", sp.asinh: "asinh", sp.acosh: "acosh",
    sp.atanh: "atanh", sp.Abs: "abs", sp.sign: "sign", sp.floor: "floor", sp.ceiling: "ceil", sp.Mod: "mod",
    sp.erf: "erf", sp.erfc: "erfc", sp.erfinv: "erfinv", sp.erfcinv: "erfcinv", sp.gamma: "gamma",
    sp.loggamma: "loggamma", sp.besselj: "besselj", sp.bessely: "bessely", sp.besseli: "besseli",
    sp.besselk: "besselk", sp.Max: "max", sp.Min: "min", sp.Ei: "expi", sp.Si: "sici_sine", sp.Ci: "sici_cosine",
    sp.airyai: "airyai", sp.airybi: "airybi", sp.airyaiprime: "airyaiprime", sp.airybiprime: "airybiprime",
    sp.beta: "beta", sp.jn: "sphericalj", sp.yn: "sphericaly", sp.sinc: "sinc", sp.erfi: "erfi",
    sp.Shi: "shichi_sine", sp.Chi: "shichi_cosine", sp.fresnels: "fresnel_sine", sp.fresnelc: "fresnel_cosine",
    sp.lowergamma: "lowergamma", sp.uppergamma: "uppergamma", sp.elliptic_k: "elliptic_k", sp.elliptic_f: "elliptic_f",
    sp.legendre: "legendre", sp.chebyshevt: "chebyshevt", sp.chebyshevu: "chebyshevu", sp.hermite: "hermite",
    sp.hermite_prob: "hermite_prob", sp.laguerre: "laguerre", sp.assoc_laguerre: "assoc_laguerre",
    sp.gegenbauer: "gegenbauer", sp.jacobi: "jacobi",
    cfunctions.expm1: "expm1", cfunctions.log1p: "log1p", cfunctions.log2: "log2", cfunctions.log10: "log10",
    cfunctions.Cbrt: "cbrt", cfunctions.hypot: "hypot",
}  # fmt: skip

# SymPy class -> formula on nodes
FORMULAS: dict[type, Callable[..., Node]] = {
    sp.log: _log,
    sp.sec: lambda x: _reciprocal(s.call("cos", x)),
    sp.csc: lambda x: _reciprocal(s.call("sin", x)),
    sp.cot: lambda x: s.div(s.call("cos", x), s.call("sin", x)),
    sp.sech: lambda x: _reciprocal(s.call("cosh", x)),
    sp.csch: lambda x: _reciprocal(s.call("sinh", x)),
    sp.coth: lambda x: _reciprocal(s.call("tanh", x)),
    sp.asec: lambda x: s.call("acos", _reciprocal(x)),
    sp.acsc: lambda x: s.call("asin", _reciprocal(x)),
    sp.acot: _acot,
    sp.asech: lambda x: s.call("acosh", _reciprocal(x)),
    sp.acsch: lambda x: s.call("asinh", _reciprocal(x)),
    sp.acoth: lambda x: s.call("atanh", _reciprocal(x)),
    held: lambda x: s.call("hold", x),
    undefined: lambda *arguments: s.call("undefined", *arguments),
    sp.frac: lambda x: s.sub(x, s.call("floor", x)),
    sp.Heaviside: _heaviside,
    sp.re: lambda x: x,
    sp.im: lambda x: constant(0),
    sp.conjugate: lambda x: x,
    sp.digamma: lambda x: s.call("digamma", x),
    sp.polygamma: _polygamma,
    sp.zeta: special.zeta,
    sp.LambertW: special.lambertw,
    sp.expint: special.expint,
    sp.elliptic_e: special.elliptic_e,
    sp.assoc_legendre: special.assoc_legendre,
    sp.Znm: special.real_spherical_harmonic,
    sp.harmonic: special.harmonic,
    sp.RisingFactorial: lambda x, k: special.rising_factorial(x, k),
    sp.FallingFactorial: lambda x, k: special.rising_factorial(s.sub(s.add(x, _ONE), k), k),
    sp.dirichlet_eta: special.dirichlet_eta,
    sp.factorial: lambda x: s.call("gamma", s.add(x, _ONE)),
    sp.binomial: special.binomial,
    sp.erf2: lambda x, y: s.sub(s.call("erf", y), s.call("erf", x)),
    sp.KroneckerDelta: lambda i, j, *_: s.select(s.call("eq", i, j), _ONE, constant(0)),
    cfunctions.exp2: lambda x: s.power(_TWO, x),
    cfunctions.Sqrt: lambda x: s.power(x, _HALF),
    cfunctions.fma: lambda a, b, c: s.add(s.mul(a, b), c),
    cfunctions.isnan: lambda x: s.call("ne", x, x),
}


def row_rule(name: str) -> Any:
    """The rule of a function that is a row of the op table."""

    def rule(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Steps:
        if name not in OPS:
            raise UnsupportedError(
                f"the function {type(expression).__name__} has no operation here: register one with "
                "symgraph.register"
            )
        arguments = []
        for argument in expression.args:
            arguments.append((yield argument, bindings, ()))
        return s.call(name, *arguments)

    return rule


def formula_rule(formula: Callable[..., Node]) -> Any:
    """The rule of a function that is a formula of its arguments."""

    def rule(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Steps:
        arguments = []
        for argument in expression.args:
            arguments.append((yield argument, bindings, ()))
        return formula(*arguments)

    return rule
