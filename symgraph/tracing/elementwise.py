"""NumPy's ufuncs, and those of scipy.special, on traced arrays: one line per function."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from .. import simplify as s
from ..dtype import BOOLEAN, INTEGER
from ..errors import UnsupportedError
from ..node import Node, constant
from .array import TracedArray
from .context import Trace
from .lifting import find_trace, lift
from .shapes import align

__all__ = ["UFUNCS", "apply", "elementwise", "truth"]

Formula = Callable[..., Node]

_ZERO, _ONE, _TWO, _HALF = constant(0), constant(1), constant(2), constant(Fraction(1, 2))
_PI = constant(sp.pi)
_ROOT_TWO = s.power(_TWO, _HALF)


def apply(formula: Formula, *values: Any, trace: Trace | None = None) -> TracedArray:
    """A formula on nodes, applied element by element to values that broadcast."""
    trace = trace if trace is not None else find_trace(values)
    nodes, dims = align([lift(v, trace) for v in values], trace)
    return TracedArray(formula(*nodes), dims, trace)


def elementwise(name: str) -> Formula:
    """The formula that is a row of the op table."""
    return lambda *arguments: s.call(name, *arguments)


def _compare(name: str) -> Formula:
    return lambda left, right: s.compare(name, left, right)


def _swapped(name: str) -> Formula:
    return lambda left, right: s.compare(name, right, left)


def truth(x: Node) -> Node:
    """A condition as it is; a number as whether it is not 0."""
    return x if x.dtype is BOOLEAN else s.compare("ne", x, _ZERO)


def _number(x: Node) -> Node:
    """NumPy counts True as 1 in arithmetic."""
    return s.select(x, _ONE, _ZERO) if x.dtype is BOOLEAN else x


def _arithmetic(formula: Formula) -> Formula:
    return lambda *arguments: formula(*[_number(a) for a in arguments])


def _divide(x: Node, y: Node) -> Node:
    return s.div(s.call("float", x) if x.dtype is INTEGER and y.dtype is INTEGER else x, y)


def _either(both_boolean: Formula, otherwise: str) -> Formula:
    def formula(x: Node, y: Node) -> Node:
        if x.dtype is BOOLEAN and y.dtype is BOOLEAN:
            return both_boolean(x, y)
        raise UnsupportedError(f"{otherwise} of numbers bit by bit has no operation here: use it on conditions")

    return formula


def _heaviside(x: Node, at_zero: Node) -> Node:
    return s.select(s.compare("lt", x, _ZERO), _ZERO, s.select(s.compare("eq", x, _ZERO), at_zero, _ONE))


def _finite(x: Node) -> Node:
    return s.compare("lt", s.call("abs", x), constant(float("inf")))


def _radians(x: Node) -> Node:
    return s.mul(s.div(_PI, constant(180)), x)


def _degrees(x: Node) -> Node:
    return s.mul(s.div(constant(180), _PI), x)


UFUNCS: dict[np.ufunc, Formula] = {
    np.add: _arithmetic(s.add), np.subtract: _arithmetic(s.sub), np.multiply: _arithmetic(s.mul),
    np.divide: _arithmetic(_divide), np.negative: s.neg, np.positive: lambda x: x,
    np.power: _arithmetic(s.power), np.float_power: _arithmetic(s.power),
    np.floor_divide: _arithmetic(elementwise("floordiv")), np.remainder: _arithmetic(elementwise("mod")),
    np.reciprocal: lambda x: s.power(x, constant(-1)), np.square: lambda x: s.mul(x, x),
    np.sqrt: lambda x: s.power(x, _HALF), np.cbrt: elementwise("cbrt"),
    np.absolute: elementwise("abs"), np.fabs: elementwise("abs"), np.sign: elementwise("sign"),
    np.floor: elementwise("floor"), np.ceil: elementwise("ceil"), np.heaviside: _heaviside,
    np.trunc: lambda x: s.mul(s.call("sign", x), s.call("floor", s.call("abs", x))),
    np.copysign: lambda x, y: s.select(s.compare("lt", y, _ZERO), s.neg(s.call("abs", x)), s.call("abs", x)),
    np.exp: elementwise("exp"), np.expm1: elementwise("expm1"), np.exp2: lambda x: s.power(_TWO, x),
    np.log: elementwise("log"), np.log1p: elementwise("log1p"), np.log2: elementwise("log2"),
    np.log10: elementwise("log10"), np.logaddexp: elementwise("logaddexp"),
    np.sin: elementwise("sin"), np.cos: elementwise("cos"), np.tan: elementwise("tan"),
    np.arcsin: elementwise("asin"), np.arccos: elementwise("acos"), np.arctan: elementwise("atan"),
    np.arctan2: elementwise("atan2"), np.hypot: elementwise("hypot"),
    np.sinh: elementwise("sinh"), np.cosh: elementwise("cosh"), np.tanh: elementwise("tanh"),
    np.arcsinh: elementwise("asinh"), np.arccosh: elementwise("acosh"), np.arctanh: elementwise("atanh"),
    np.deg2rad: _radians, np.radians: _radians, np.rad2deg: _degrees, np.degrees: _degrees,
    np.maximum: elementwise("max"), np.minimum: elementwise("min"),
    np.conjugate: lambda x: x,
    np.less: _compare("lt"), np.less_equal: _compare("le"), np.equal: _compare("eq"), np.not_equal: _compare("ne"),
    np.greater: _swapped("lt"), np.greater_equal: _swapped("le"),
    np.logical_and: lambda x, y: s.logical_and(truth(x), truth(y)),
    np.logical_or: lambda x, y: s.logical_or(truth(x), truth(y)),
    np.logical_not: lambda x: s.logical_not(truth(x)),
    np.logical_xor: lambda x, y: s.select(truth(x), s.logical_not(truth(y)), truth(y)),
    np.bitwise_and: _either(lambda x, y: s.logical_and(x, y), "&"),
    np.bitwise_or: _either(lambda x, y: s.logical_or(x, y), "|"),
    np.bitwise_xor: _either(lambda x, y: s.select(x, s.logical_not(y), y), "^"),
    np.invert: lambda x: s.logical_not(truth(x)),
    np.isnan: lambda x: s.compare("ne", x, x), np.isfinite: _finite,
    np.isinf: lambda x: s.compare("eq", s.call("abs", x), constant(float("inf"))),
}  # fmt: skip

# functions of scipy.special, by name: SciPy is loaded by those who use it
SPECIAL: dict[str, Formula] = {
    "expit": elementwise("logistic"), "log_expit": lambda x: s.neg(s.call("softplus", s.neg(x))),
    "logit": lambda x: s.sub(s.call("log", x), s.call("log1p", s.neg(x))),
    "erf": elementwise("erf"), "erfc": elementwise("erfc"), "erfinv": elementwise("erfinv"),
    "erfcinv": elementwise("erfcinv"), "erfcx": elementwise("erfcx"),
    "gamma": elementwise("gamma"), "gammaln": elementwise("loggamma"), "loggamma": elementwise("loggamma"),
    "psi": elementwise("digamma"), "digamma": elementwise("digamma"), "beta": elementwise("beta"),
    "betaln": lambda a, b: s.sub(s.add(s.call("loggamma", a), s.call("loggamma", b)), s.call("loggamma", s.add(a, b))),
    "xlogy": elementwise("xlogy"), "xlog1py": lambda x, y: s.call("xlogy", x, s.add(_ONE, y)),
    "entr": lambda x: s.neg(s.call("xlogy", x, x)),
    "rel_entr": lambda x, y: s.sub(s.call("xlogy", x, x), s.call("xlogy", x, y)),
    "kl_div": lambda x, y: s.add(s.sub(s.call("xlogy", x, x), s.call("xlogy", x, y)), s.neg(x), y),
    "ndtr": lambda x: s.mul(_HALF, s.call("erfc", s.neg(s.div(x, _ROOT_TWO)))),
    "j0": lambda x: s.call("besselj", _ZERO, x), "j1": lambda x: s.call("besselj", _ONE, x),
    "y0": lambda x: s.call("bessely", _ZERO, x), "y1": lambda x: s.call("bessely", _ONE, x),
    "i0": lambda x: s.call("besseli", _ZERO, x), "i1": lambda x: s.call("besseli", _ONE, x),
    "k0": lambda x: s.call("besselk", _ZERO, x), "k1": lambda x: s.call("besselk", _ONE, x),
    "jv": elementwise("besselj"), "yv": elementwise("bessely"), "iv": elementwise("besseli"),
    "kv": elementwise("besselk"), "jn": elementwise("besselj"), "expi": elementwise("expi"),
    "expn": elementwise("expint"), "exp1": lambda x: s.call("expint", _ONE, x), "zeta": elementwise("zeta"),
    "expm1": elementwise("expm1"), "log1p": elementwise("log1p"), "cbrt": elementwise("cbrt"),
    "exp2": lambda x: s.power(_TWO, x), "exp10": lambda x: s.power(constant(10), x),
}  # fmt: skip


def _formula(ufunc: np.ufunc) -> Formula:
    known = UFUNCS.get(ufunc)
    if known is not None:
        return known
    import scipy.special

    known = SPECIAL.get(ufunc.__name__) if getattr(scipy.special, ufunc.__name__, None) is ufunc else None
    if known is None:
        raise UnsupportedError(
            f"the NumPy function {ufunc.__name__} has no operation here: say it with others, or register it as a SymPy "
            "function with symgraph.register"
        )
    return known


_REDUCTIONS = {np.add: "sum", np.multiply: "prod", np.maximum: "max", np.minimum: "min"}


def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What NumPy calls when a traced array is an argument of a ufunc."""
    out = options.pop("out", None)
    if out is not None and not (len(out) == 1 and out[0] is inputs[0]):  # y += x gives y a new value
        raise UnsupportedError(f"{ufunc.__name__}(..., out=) writes into an array: use the result that it returns")
    if options.pop("dtype", None) is not None or options.get("where", True) is not True:
        raise UnsupportedError(f"{ufunc.__name__} with dtype= or where=: use np.where on the result")
    if method == "reduce" and ufunc in _REDUCTIONS:
        options.setdefault("axis", 0)
        return TracedArray.methods[_REDUCTIONS[ufunc]](*inputs, **options)
    if method == "outer":
        first, second = (lift(v, find_trace(inputs)) for v in inputs)
        spread = first[(..., *(None,) * second.ndim)]
        return call_ufunc(ufunc, "__call__", (spread, second), options)
    if method != "__call__":
        raise UnsupportedError(f"{ufunc.__name__}.{method} has no meaning here: use array operations")
    if ufunc is np.matmul:
        return TracedArray.methods["matmul"](*inputs)
    if ufunc is np.divmod:
        return call_ufunc(np.floor_divide, method, inputs, options), call_ufunc(np.remainder, method, inputs, options)
    return apply(_formula(ufunc), *inputs)


TracedArray.ufunc = staticmethod(call_ufunc)
