"""Logarithms of sums, products and powers in forms that neither overflow nor lose digits near 1."""

from __future__ import annotations

from fractions import Fraction

from ..dtype import INTEGER
from ..node import Kind, Node, constant
from ..ops import apply_op
from .arithmetic import ONE, add, mul, neg, split_coefficient, sub
from .logic import compare, select
from .numbers import Number, is_number

__all__ = ["log_of_exponentials", "log_of_logistic", "log_of_one_plus", "log_of_power"]

_ONE_AS_EXP = apply_op("exp", constant(0))  # a number stands for its product with exp(0)
_ZERO, _INFINITY = constant(0), constant(float("inf"))


def _is(node: Node, op: str) -> bool:
    return node.kind is Kind.ELEMENTWISE and node.data == op


def _call(op: str, *arguments: Node) -> Node:
    from . import call  # the rules are entries of the table that `call` reads

    return call(op, *arguments)


def log_of_one_plus(node: Node) -> Node | None:
    """log(1 + u) = log1p(u): the sum would round away the digits of a small u."""
    if not _is(node, "add") or ONE not in node.args or node.dtype is INTEGER:
        return None
    return _call("log1p", add(*[a for a in node.args if a is not ONE]))


def log_of_logistic(node: Node) -> Node | None:
    """log(logistic(u)) = -softplus(-u): the logistic function underflows where its logarithm is -u."""
    return neg(_call("softplus", neg(node.args[0]))) if _is(node, "logistic") else None


def log_of_power(node: Node) -> Node | None:
    """log(u**q) = q*log(u), of abs(u) for an even q: the power may overflow, and rounds where it is near 1."""
    if not _is(node, "pow") or not is_number(node.args[1]) or type(node.args[1].data) not in (int, Fraction):
        return None
    base, q = node.args[0], node.args[1].data
    if type(q) is int and q % 2 == 0:
        base = _call("abs", base)
    return mul(constant(q), _call("log", base))


def log_of_exponentials(node: Node) -> Node | None:
    """log(c1*exp(a1) + c2*exp(a2) + ...) with positive coefficients, shifted by the largest exponent.

    Two exponentials are ``logaddexp``; the shift of more is held constant by derivatives, which is exact at every
    order (Blanchard, Higham and Higham, IMA J. Numer. Anal. 41, 2021, section 2).
    """
    if not _is(node, "add"):
        return None
    terms: list[tuple[Number, Node]] = []  # coefficient, exponent
    for term in node.args:
        coefficient, core = (term.data, _ONE_AS_EXP) if is_number(term) else split_coefficient(term)
        if not (coefficient > 0 and (core is _ONE_AS_EXP or _is(core, "exp"))):
            return None
        terms.append((coefficient, core.args[0]))
    exponents = [exponent for _, exponent in terms]
    if any(_is_shifted(e) for e in exponents):
        return None  # a graph that is rebuilt keeps the shift that it has
    if len(terms) == 2 and all(coefficient == 1 for coefficient, _ in terms):
        return _call("logaddexp", *exponents)
    largest = _call("max", *exponents)
    shift = _call("hold", select(compare("lt", _call("abs", largest), _INFINITY), largest, _ZERO))
    total = add(*[mul(constant(c), _call("exp", sub(e, shift))) for c, e in terms])
    return add(shift, _call("log", total))


def _is_shifted(exponent: Node) -> bool:
    """Whether a shift, with any coefficient, is among the terms; ``-(a + shift)`` is one way to write it."""
    stack = [exponent]
    while stack:
        core = split_coefficient(stack.pop())[1]
        if _is(core, "hold"):
            return True
        if _is(core, "add"):
            stack.extend(core.args)
    return False
