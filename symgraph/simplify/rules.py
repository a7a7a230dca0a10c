"""Local algebraic rules for functions, one per line. A rule looks at its own arguments and returns a node or None."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from ..dtype import INTEGER
from ..node import Kind, Node, constant
from .arithmetic import ONE, ZERO, mul, neg, power, split_coefficient
from .cosines import of_root
from .logarithms import log_of_exponentials, log_of_logistic, log_of_one_plus, log_of_power
from .numbers import is_number, simplest

__all__ = ["RULES", "Rule"]


class Rule(NamedTuple):
    """``law`` in words; ``op`` whose construction it intercepts; ``apply`` to the arguments."""

    law: str
    op: str
    apply: Callable[..., Node | None]


def _is(node: Node, op: str) -> bool:
    return node.kind is Kind.ELEMENTWISE and node.data == op


def _at(point: Node, value: Node) -> Callable[[Node], Node | None]:
    return lambda x: value if x is point else None


def _inverse(op: str) -> Callable[[Node], Node | None]:
    return lambda x: x.args[0] if _is(x, op) else None


def _negative(node: Node) -> Node | None:
    """-node where node is written with a negative coefficient, else None."""
    return neg(node) if split_coefficient(node)[0] < 0 else None


def _even(op: str) -> Callable[[Node], Node | None]:
    def rule(x: Node) -> Node | None:
        if _is(x, "abs"):
            return _call(op, x.args[0])
        y = _negative(x)
        return None if y is None else _call(op, y)

    return rule


def _odd(op: str) -> Callable[[Node], Node | None]:
    def rule(x: Node) -> Node | None:
        y = _negative(x)
        return None if y is None else neg(_call(op, y))

    return rule


def _call(op: str, *arguments: Node) -> Node:
    from . import call  # the rules are entries of the table that `call` reads

    return call(op, *arguments)


def _exact(function: Callable[..., Any]) -> Callable[..., Node | None]:
    """Fold on exact or finite constants, where the function is exact on them."""

    def rule(*arguments: Node) -> Node | None:
        if not all(is_number(a) and math.isfinite(a.data) for a in arguments):
            return None
        if any(type(a.data) is float for a in arguments) and len(arguments) > 1:
            return None
        result = function(*(Fraction(a.data) for a in arguments))
        return constant(simplest(Fraction(result)))

    return rule


def _flat(op: str) -> Callable[..., Node | None]:
    """max and min: nested ones flatten, equal arguments count once, numbers fold."""

    def rule(*arguments: Node) -> Node | None:
        flat = [b for a in arguments for b in (a.args if _is(a, op) else (a,))]
        numbers = [a for a in flat if is_number(a) and type(a.data) is not float]
        kept = list(dict.fromkeys(a for a in flat if a not in numbers))
        if numbers:
            kept.append(constant((max if op == "max" else min)(a.data for a in numbers)))
        if len(kept) == 1:
            return kept[0]
        return None if len(kept) == len(arguments) else _call(op, *kept)

    return rule


def _nonzero(y: Node) -> bool:
    return is_number(y) and y.data != 0


_INTEGER_ARGUMENT = lambda x: x if x.dtype is INTEGER else None  # noqa: E731

RULES: tuple[Rule, ...] = (
    Rule("exp(0) = 1", "exp", _at(ZERO, ONE)),
    Rule("exp(log(x)) = x", "exp", _inverse("log")),
    Rule("log(1) = 0", "log", _at(ONE, ZERO)),
    Rule("log(exp(x)) = x", "log", _inverse("exp")),
    Rule("log(1 + exp(x)) = softplus(x)", "log", lambda x: _softplus(x)),
    Rule("log(exp(a) + exp(b) + ...) is shifted", "log", log_of_exponentials),
    Rule("log(1 + x) = log1p(x)", "log", log_of_one_plus),
    Rule("log(logistic(x)) = -softplus(-x)", "log", log_of_logistic),
    Rule("log(x**q) = q*log(x)", "log", log_of_power),
    Rule("log1p(exp(x)) = softplus(x)", "log1p", lambda x: _call("softplus", x.args[0]) if _is(x, "exp") else None),
    Rule("log1p(expm1(x)) = x", "log1p", _inverse("expm1")),
    Rule("expm1(log1p(x)) = x", "expm1", _inverse("log1p")),
    Rule("sinc(sqrt(s)) is smooth in s", "sinc", lambda x: of_root("spherical_ratio", 0, x)),
    Rule("sinc(0) = 1", "sinc", _at(ZERO, ONE)),
    Rule("sinc(-x) = sinc(x)", "sinc", _even("sinc")),
    Rule("tanh_slope(0) = 1", "tanh_slope", _at(ZERO, ONE)),
    Rule("tanh_slope(-x) = tanh_slope(x)", "tanh_slope", _even("tanh_slope")),
    Rule("sphericalj(n, 0) = 0 from n = 1 on", "sphericalj", lambda n, x: _sphericalj(n, x)),
    Rule("j_k(z)/z**k at 0", "spherical_ratio", lambda k, s: _ratio_at_zero(k, s)),
    Rule("i_k(z)/z**k at 0", "modified_spherical_ratio", lambda k, s: _ratio_at_zero(k, s)),
    Rule("exprel(k, 0) = 1/(k + 1)", "exprel", lambda k, x: _exprel_at_zero(k, x)),
    Rule("expm1(0) = 0", "expm1", _at(ZERO, ZERO)),
    Rule("log1p(0) = 0", "log1p", _at(ZERO, ZERO)),
    Rule("sin(0) = 0", "sin", _at(ZERO, ZERO)),
    Rule("cos(0) = 1", "cos", _at(ZERO, ONE)),
    Rule("tan(0) = 0", "tan", _at(ZERO, ZERO)),
    Rule("sinh(0) = 0", "sinh", _at(ZERO, ZERO)),
    Rule("cosh(0) = 1", "cosh", _at(ZERO, ONE)),
    Rule("tanh(0) = 0", "tanh", _at(ZERO, ZERO)),
    Rule("asin(0) = 0", "asin", _at(ZERO, ZERO)),
    Rule("atan(0) = 0", "atan", _at(ZERO, ZERO)),
    Rule("asinh(0) = 0", "asinh", _at(ZERO, ZERO)),
    Rule("atanh(0) = 0", "atanh", _at(ZERO, ZERO)),
    Rule("acosh(1) = 0", "acosh", _at(ONE, ZERO)),
    Rule("erf(0) = 0", "erf", _at(ZERO, ZERO)),
    Rule("erfc(0) = 1", "erfc", _at(ZERO, ONE)),
    Rule("cos(-x) = cos(x)", "cos", _even("cos")),
    Rule("cosh(-x) = cosh(x)", "cosh", _even("cosh")),
    Rule("abs(-x) = abs(x)", "abs", _even("abs")),
    Rule("sin(-x) = -sin(x)", "sin", _odd("sin")),
    Rule("tan(-x) = -tan(x)", "tan", _odd("tan")),
    Rule("sinh(-x) = -sinh(x)", "sinh", _odd("sinh")),
    Rule("tanh(-x) = -tanh(x)", "tanh", _odd("tanh")),
    Rule("asin(-x) = -asin(x)", "asin", _odd("asin")),
    Rule("atan(-x) = -atan(x)", "atan", _odd("atan")),
    Rule("asinh(-x) = -asinh(x)", "asinh", _odd("asinh")),
    Rule("atanh(-x) = -atanh(x)", "atanh", _odd("atanh")),
    Rule("erf(-x) = -erf(x)", "erf", _odd("erf")),
    Rule("sign(-x) = -sign(x)", "sign", _odd("sign")),
    Rule("abs of a number", "abs", _exact(abs)),
    Rule("abs(abs(x)) = abs(x)", "abs", lambda x: x if _is(x, "abs") or _is(x, "exp") else None),
    Rule("sign of a number", "sign", _exact(lambda x: (x > 0) - (x < 0))),
    Rule("floor of a number", "floor", _exact(math.floor)),
    Rule("ceil of a number", "ceil", _exact(math.ceil)),
    Rule("floor of an integer", "floor", _INTEGER_ARGUMENT),
    Rule("ceil of an integer", "ceil", _INTEGER_ARGUMENT),
    Rule("floordiv of numbers", "floordiv", lambda x, y: _exact(lambda a, b: a // b)(x, y) if _nonzero(y) else None),
    Rule("x // 1 = x for integers", "floordiv", lambda x, y: x if y is ONE and x.dtype is INTEGER else None),
    Rule("mod of numbers", "mod", lambda x, y: _exact(lambda a, b: a % b)(x, y) if _nonzero(y) else None),
    Rule("max is flat", "max", _flat("max")),
    Rule("min is flat", "min", _flat("min")),
    Rule("hypot(x, 0) = abs(x)", "hypot", lambda x, y: _call("abs", y if x is ZERO else x) if ZERO in (x, y) else None),
    Rule("atan2(0, 1) = 0", "atan2", lambda y, x: ZERO if y is ZERO and x is ONE else None),
    Rule("hold of a constant", "hold", lambda x: x if x.kind in (Kind.CONST, Kind.SIZE) or _is(x, "hold") else None),
    Rule("log2(x) of an exact power", "log2", lambda x: _exact_logarithm(x, 2)),
    Rule("log10(x) of an exact power", "log10", lambda x: _exact_logarithm(x, 10)),
    Rule("cbrt(x**3) = x", "cbrt", lambda x: x.args[0] if _is(x, "pow") and x.args[1] is constant(3) else None),
    Rule("strong_product with a number is a product", "strong_product", lambda x, y: _strong(x, y)),
    Rule("xlogy with a positive number", "xlogy", lambda x, y: mul(x, _call("log", y)) if _positive(y) else None),
    Rule("sqrt(x) = x**(1/2)", "sqrt", lambda x: power(x, constant(Fraction(1, 2)))),
    Rule("reciprocal", "reciprocal", lambda x: power(x, constant(-1))),
    Rule("square", "square", lambda x: mul(x, x)),
)


def _positive(node: Node) -> bool:
    return is_number(node) and 0 < node.data < math.inf


def _ratio_at_zero(order: Node, s: Node) -> Node | None:
    """1/(2*k + 1)!!"""
    if s is not ZERO or not is_number(order) or order.data < -1:
        return None
    return constant(simplest(Fraction(1, math.prod(range(1, 2 * int(order.data) + 2, 2)))))


def _exprel_at_zero(order: Node, x: Node) -> Node | None:
    if x is not ZERO or not is_number(order) or order.data < 0:
        return None
    return constant(simplest(Fraction(1, int(order.data) + 1)))


def _sphericalj(order: Node, x: Node) -> Node | None:
    if is_number(order) and order.data == 0:
        return _call("sinc", x)
    return ZERO if x is ZERO and is_number(order) and order.data > 0 else None


def _strong(x: Node, y: Node) -> Node | None:
    return mul(x, y) if is_number(x) or is_number(y) else None


def _softplus(node: Node) -> Node | None:
    if not (_is(node, "add") and len(node.args) == 2 and ONE in node.args):
        return None
    other = node.args[0] if node.args[1] is ONE else node.args[1]
    return _call("softplus", other.args[0]) if _is(other, "exp") else None


def _exact_logarithm(node: Node, base: int) -> Node | None:
    if not is_number(node) or type(node.data) is not int or node.data < 1:
        return None
    exponent = round(math.log(node.data, base))
    return constant(exponent) if base**exponent == node.data else None
