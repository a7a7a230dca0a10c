"""Which form would keep the digits: a table of cancellations that are known, one entry per pattern."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ..node import Kind, Node
from .blame import Loss

__all__ = ["NONE_KNOWN", "PATTERNS", "rewrite_for"]

NONE_KNOWN = "none known"
_PERIODIC = ("sin", "cos", "tan")
_SERIES = ("exp", "expm1", "sin", "tan", "atan", "sinh", "tanh", "log1p", "asin")


def rewrite_for(loss: Loss) -> str:
    """What would help where digits are lost, or :data:`NONE_KNOWN`.

    >>> from symgraph.node import constant, input_node
    >>> from symgraph.ops import apply_op
    >>> difference = apply_op("add", constant(-1), apply_op("exp", input_node("x")))
    >>> rewrite_for(Loss(difference, 1e8))
    'exp(u) - 1: expm1(u)'
    """
    if loss.own:
        return NONE_KNOWN
    for pattern in PATTERNS:
        found = pattern(loss.node)
        if found is not None:
            return found
    return NONE_KNOWN


def _is(node: Node, *names: str) -> bool:
    return node.kind is Kind.ELEMENTWISE and node.data in names


def _is_power(node: Node, exponent: object) -> bool:
    return _is(node, "pow") and node.args[1].kind is Kind.CONST and node.args[1].data == exponent


def _split(node: Node) -> tuple[int, Node]:
    """A term without its sign."""
    if (
        _is(node, "mul")
        and len(node.args) == 2
        and node.args[0].kind is Kind.CONST
        and node.args[0].data == -1
    ):
        return -1, node.args[1]
    return 1, node


def _terms(node: Node) -> list[tuple[int, Node]]:
    return [_split(a) for a in node.args] if _is(node, "add") else []


# with the constant 1 (or -1): operation of the other term, and what to write instead of the difference
_BESIDE_ONE = {
    "exp": "exp(u) - 1: expm1(u)",
    "cos": "1 - cos(u): 2*sin(u/2)**2",
    "cosh": "cosh(u) - 1: 2*sinh(u/2)**2",
    "logistic": "1 - logistic(u): logistic(-u)",
    "erf": "1 - erf(u): erfc(u)",
    "erfc": "1 - erfc(u): erf(u)",
    "tanh": "1 - tanh(u): 2*logistic(-2*u)",
    "sin": "1 - sin(u): 2*sin(pi/4 - u/2)**2",
}
_SQUARES_BESIDE_ONE = {
    "sin": "1 - sin(u)**2: cos(u)**2",
    "cos": "1 - cos(u)**2: sin(u)**2",
    "tanh": "1 - tanh(u)**2: 1/cosh(u)**2",
    "logistic": "1 - p**2: (1 - p)*(1 + p), with 1 - p = logistic(-u)",
}
# two terms of one operation
_DIFFERENCES = {
    "exp": "exp(a) - exp(b): exp(b)*expm1(a - b)",
    "log": "log(a) - log(b): log1p((a - b)/b)",
    "sin": "sin(a) - sin(b): 2*cos((a + b)/2)*sin((a - b)/2)",
    "cos": "cos(a) - cos(b): -2*sin((a + b)/2)*sin((a - b)/2)",
    "tan": "tan(a) - tan(b): sin(a - b)/(cos(a)*cos(b))",
    "atan": "atan(a) - atan(b): atan2(a - b, 1 + a*b)",
    "sqrt": "sqrt(a) - sqrt(b): (a - b)/(sqrt(a) + sqrt(b))",
    "loggamma": "loggamma(a) - loggamma(b): a form with rising factorials or Stirling's series of the difference",
}


def _beside_one(node: Node) -> str | None:
    terms = _terms(node)
    if not any(t.kind is Kind.CONST and abs(t.data) == 1 for _, t in terms):
        return None
    for _, term in terms:
        for name, hint in _BESIDE_ONE.items():
            if _is(term, name):
                return hint
        if _is_power(term, 2):
            for name, hint in _SQUARES_BESIDE_ONE.items():
                if _is(term.args[0], name):
                    return hint
            return "1 - u**2: (1 - u)*(1 + u)"
        if _is_power(term, Fraction(1, 2)):
            return "sqrt(u) - 1: (u - 1)/(sqrt(u) + 1)"
        if _is(term, "pow"):
            return "a**b - 1: expm1(b*log(a)), with log1p for an a near 1"
    return None


def _difference(node: Node) -> str | None:
    terms = _terms(node)
    if len(terms) != 2:
        return None
    (_, left), (_, right) = terms
    if _is_power(left, 2) and _is_power(right, 2):
        return "a**2 - b**2: (a - b)*(a + b)"
    if _is_power(left, Fraction(1, 2)) or _is_power(right, Fraction(1, 2)):
        return _DIFFERENCES["sqrt"]
    if _is_power(left, -1) and _is_power(right, -1):
        return "1/a - 1/b: (b - a)/(a*b)"
    for name, hint in _DIFFERENCES.items():
        if _is(left, name) and _is(right, name):
            return hint
    if {str(left.data), str(right.data)} == {"cosh", "sinh"}:
        return "cosh(u) - sinh(u): exp(-u)"
    return None


def _series(node: Node) -> str | None:
    terms = _terms(node)
    arguments = {t.args[0] for _, t in terms if _is(t, *_SERIES)}
    if any(t in arguments or not arguments.isdisjoint(t.args) for _, t in terms if not _is(t, *_SERIES)):
        return "the first terms of a series cancel: a named form (exprel, sinc ...) or the series itself for small u"
    return None


def _products(node: Node) -> str | None:
    terms = _terms(node)
    if len(terms) == 2 and all(_is(t, "mul") or _is_power(t, 2) for _, t in terms):
        return "a*b - c*d: the products rounded once, with fma, or a factored form"
    if len(terms) > 2:
        return "terms of both signs: an order, or a factored form, in which no large terms cancel"
    return None


def _logarithm(node: Node) -> str | None:
    if not _is(node, "log"):
        return None
    (argument,) = node.args
    if _is(argument, "add"):
        if any(_is_power(t, 2) for _, t in _terms(argument)):
            return "log(a**2 + b**2) near 1: log1p((a - 1)*(a + 1) + b**2)"
        return "log(1 + u): log1p(u), with u computed without the 1"
    if _is(argument, "mul"):
        return "log(a*b) near 1: log1p(a*b - 1), with the difference in factored form"
    if _is(argument, "cos"):
        return "log(cos(u)): log1p(-2*sin(u/2)**2)"
    return None


def _inverse(node: Node) -> str | None:
    if _is(node, "acos"):
        return "acos(u) near 1: 2*asin(sqrt((1 - u)/2)) or atan2(sine, cosine), with 1 - u computed exactly"
    if _is(node, "asin", "acosh", "atanh"):
        return f"{node.data}(u) near its edge: a form in 1 - u, computed without the 1 (atan2, log1p)"
    return None


def _growth(node: Node) -> str | None:
    if _is(node, *_PERIODIC):
        return "a large angle: take whole turns out of the argument before it is rounded (sin(pi*x) for whole turns)"
    if _is(node, "exp", "pow", "sinh", "cosh", "gamma"):
        return (
            "a large exponent magnifies the rounding of its argument: keep the logarithm as long as possible"
        )
    return None


def _sum(node: Node) -> str | None:
    if node.kind is Kind.REDUCE:
        return "terms of both signs cancel in the sum: take out what they share before summing (centred data)"
    return None


PATTERNS: tuple[Callable[[Node], str | None], ...] = (
    _beside_one, _difference, _series, _products, _logarithm, _inverse, _growth, _sum,
)  # fmt: skip
