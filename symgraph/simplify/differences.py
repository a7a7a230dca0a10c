"""Sums of a number and a function value that cancel where the function comes near the number: named stable forms.

One line per rule: the operation, the number that stands beside it with the opposite sign, and f(u) - number in a form
that keeps its digits. (Higham, "Accuracy and stability of numerical algorithms", 2nd ed., sections 1.7 and 1.14.)
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from ..node import Kind, Node, constant
from .numbers import Number

__all__ = ["DIFFERENCES", "Difference", "difference"]


class Difference(NamedTuple):
    """``law`` in words; ``op`` of the function value; ``apply`` to that node gives op(u) - 1, or None."""

    law: str
    op: str
    apply: Callable[[Node], Node | None]


def _call(op: str, *arguments: Node) -> Node:
    from . import call  # the constructors of sums are among those that `call` reads

    return call(op, *arguments)


def _number(value: int | Fraction) -> Node:
    return constant(value)


def _mul(*factors: Node) -> Node:
    return _call("mul", *factors)


def _of_ratio(node: Node) -> Node | None:
    """Of order -1, which is the cosine of sqrt(s)."""
    order, s = node.args
    if order is not _number(-1):
        return None
    quarter = _mul(_number(Fraction(1, 4)), s)
    half = Fraction(-1 if node.data == "spherical_ratio" else 1, 2)
    return _mul(_number(half), s, _call("pow", _call(node.data, _number(0), quarter), _number(2)))


def _of_power(node: Node) -> Node | None:
    """Squares of tanh, sin and cos, and the square root of 1 + u."""
    base, exponent = node.args
    if exponent is _number(2) and base.kind is Kind.ELEMENTWISE:
        match base.data:
            case "tanh":
                return _mul(_number(-1), _call("tanh_slope", base.args[0]))
            case "sin" | "cos":
                other = _call("cos" if base.data == "sin" else "sin", base.args[0])
                return _mul(_number(-1), _call("pow", other, _number(2)))
    is_sum = base.kind is Kind.ELEMENTWISE and base.data == "add" and _number(1) in base.args
    if is_sum and exponent is _number(Fraction(1, 2)):
        rest = _call("add", *[a for a in base.args if a is not _number(1)])
        return _mul(rest, _call("pow", _call("add", _number(1), node), _number(-1)))
    return None


DIFFERENCES: tuple[Difference, ...] = (
    Difference("exp(u) - 1 = expm1(u)", "exp", lambda f: _call("expm1", f.args[0])),
    Difference("cos(z) - 1 = -s/2*(sin(z/2)/(z/2))**2 with s = z**2", "spherical_ratio", _of_ratio),
    Difference("cosh(z) - 1 = s/2*(sinh(z/2)/(z/2))**2 with s = z**2", "modified_spherical_ratio", _of_ratio),
    Difference("erf(u) - 1 = -erfc(u)", "erf", lambda f: _mul(_number(-1), _call("erfc", f.args[0]))),
    Difference("erfc(u) - 1 = -erf(u)", "erfc", lambda f: _mul(_number(-1), _call("erf", f.args[0]))),
    Difference(
        "logistic(u) - 1 = -logistic(-u)",
        "logistic",
        lambda f: _mul(_number(-1), _call("logistic", _mul(_number(-1), f.args[0]))),
    ),
    Difference(
        "tanh(u)**2 - 1 = -tanh_slope(u), sin(u)**2 - 1 = -cos(u)**2, sqrt(1 + u) - 1 = u/(1 + sqrt(1 + u))",
        "pow",
        _of_power,
    ),
)
_BY_OP = {rule.op: rule.apply for rule in DIFFERENCES}


def difference(core: Node, coefficient: Number, shift: Number) -> Node | None:
    """coefficient*core + shift where the shift is minus the coefficient and a rule applies, else None.

    >>> from symgraph.node import input_node
    >>> from symgraph.ops import apply_op
    >>> difference(apply_op("exp", input_node("x")), 1, -1).data
    'expm1'
    """
    if shift != -coefficient or core.kind is not Kind.ELEMENTWISE:
        return None
    rule = _BY_OP.get(core.data)
    found = rule(core) if rule is not None else None
    return None if found is None else _mul(constant(coefficient), found)
