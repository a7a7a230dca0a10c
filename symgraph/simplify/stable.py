"""log-sum-exp, shifted by its maximum when it is built.

log(sum(w * exp(e))) = m + log(sum(w * exp(e - m))) for every m; with m the maximum of e nothing overflows. The value
does not depend on m, so derivatives hold m constant, which is exact at every order (Blanchard, Higham and Higham,
"Accurately computing the log-sum-exp and softmax functions", IMA J. Numer. Anal. 41, 2021, section 2).
"""

from __future__ import annotations

from ..axis import Axis
from ..node import Kind, Node, constant
from ..ops import apply_op
from .arithmetic import ZERO, add, mul, split_coefficient, sub
from .logic import compare, select, split_guard
from .sums import reduce

__all__ = ["shifted_log"]

_INFINITY, _MINUS_INFINITY = constant(float("inf")), constant(float("-inf"))


def shifted_log(argument: Node) -> Node | None:
    """The shifted form of log(argument) when the argument is a sum of exponentials (with weights), else None."""
    coefficient, core = split_coefficient(argument)
    factors = list(core.args) if core.kind is Kind.ELEMENTWISE and core.data == "mul" else [core]
    sums = [f for f in factors if f.kind is Kind.REDUCE and f.data[0] == "sum"]
    if len(sums) != 1:
        return None
    axes: list[Axis] = []
    conditions: list[Node] = []
    body = sums[0]
    while True:
        condition, value = split_guard(body)
        if condition is not None:
            conditions.append(condition)
            body = value
        elif body.kind is Kind.REDUCE and body.data[0] == "sum":
            axes.append(body.data[1])
            body = body.args[0]
        else:
            break
    exponent, weight = _exponent(body)
    if exponent is None or not any(a in exponent.axes for a in axes) or _is_shifted(exponent):
        return None
    largest = exponent
    for condition in conditions:
        largest = select(condition, largest, _MINUS_INFINITY)
    for axis in reversed(axes):
        largest = reduce("max", largest, axis)
    finite = compare("lt", apply_op("abs", largest), _INFINITY)
    shift = apply_op("hold", select(finite, largest, ZERO))
    total = mul(weight, apply_op("exp", sub(exponent, shift)))
    for condition in conditions:
        total = select(condition, total, ZERO)
    for axis in reversed(axes):
        total = reduce("sum", total, axis)
    rest = [f for f in factors if f is not sums[0]]
    return add(shift, apply_op("log", mul(constant(coefficient), *rest, total)))


def _exponent(body: Node) -> tuple[Node | None, Node]:
    """(e, weight) when body = weight * exp(e) with one exponential, else (None, body)."""
    coefficient, core = split_coefficient(body)
    factors = list(core.args) if core.kind is Kind.ELEMENTWISE and core.data == "mul" else [core]
    exponentials = [f for f in factors if f.kind is Kind.ELEMENTWISE and f.data == "exp"]
    if len(exponentials) != 1:
        return None, body
    rest = [f for f in factors if f is not exponentials[0]]
    return exponentials[0].args[0], mul(constant(coefficient), *rest)


def _is_shifted(exponent: Node) -> bool:
    """Whether a held maximum was subtracted before: a graph that is rebuilt keeps the shift that it has."""
    terms = exponent.args if exponent.kind is Kind.ELEMENTWISE and exponent.data == "add" else (exponent,)
    for coefficient, core in map(split_coefficient, terms):
        if coefficient == -1 and core.kind is Kind.ELEMENTWISE and core.data == "hold":
            return True
    return False
