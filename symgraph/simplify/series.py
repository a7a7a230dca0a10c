"""Exact Taylor series at 0 of nodes that are functions of one node: coefficients are fractions, never rounded.

Every function follows from the differential equation that it solves, so that a series of n terms costs n**2 operations
(Knuth, "The art of computer programming", volume 2, section 4.7).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

from ..node import Kind, Node
from .numbers import is_number

__all__ = ["SERIES", "Series", "error_function", "series_of"]

Series = list[Fraction]
_MAXIMUM_NODES = 60  # of a numerator: what is larger is no textbook singularity
_MAXIMUM_BITS = 20000  # of a coefficient


def _product(a: Series, b: Series) -> Series:
    result = [Fraction(0)] * len(a)
    for i, left in enumerate(a):
        if left:
            for j in range(len(a) - i):
                if b[j]:
                    result[i + j] += left * b[j]
    return result


def _quotient(a: Series, b: Series) -> Series | None:
    if not b[0]:
        return None
    result: Series = []
    for k, value in enumerate(a):
        rest = sum((b[j] * result[k - j] for j in range(1, k + 1) if b[j]), Fraction(0))
        result.append((value - rest) / b[0])
    return result


def _slope(a: Series) -> Series:
    return [k * a[k] for k in range(1, len(a))] + [Fraction(0)]


def _integral(slope: Series) -> Series:
    return [Fraction(0)] + [value / (k + 1) for k, value in enumerate(slope[:-1])]


def _exp(a: Series) -> Series | None:
    if a[0]:
        return None  # the value at 0 is no fraction
    result = [Fraction(1)]
    for k in range(1, len(a)):
        result.append(sum((j * a[j] * result[k - j] for j in range(1, k + 1) if a[j]), Fraction(0)) / k)
    return result


def _power(a: Series, exponent: Fraction) -> Series | None:
    """a**exponent for a base that is not 0 at 0, whose root there is a fraction."""
    if exponent.denominator == 1 and exponent >= 0 and not a[0]:
        result = [Fraction(1)] + [Fraction(0)] * (len(a) - 1)
        for _ in range(min(exponent.numerator, len(a))):
            result = _product(result, a)
        return result
    start = _root(a[0], exponent)
    if start is None:
        return None
    result = [start]
    for k in range(1, len(a)):
        terms = (((exponent + 1) * j - k) * a[j] * result[k - j] for j in range(1, k + 1) if a[j])
        result.append(sum(terms, Fraction(0)) / (k * a[0]))
    return result


def _root(value: Fraction, exponent: Fraction) -> Fraction | None:
    """value**exponent where that is a fraction."""
    if not value:
        return None
    if exponent.denominator == 1:
        return value**exponent.numerator
    if exponent.denominator != 2 or value < 0:
        return Fraction(1) if value == 1 else None
    above, below = isqrt(value.numerator), isqrt(value.denominator)
    exact = above * above == value.numerator and below * below == value.denominator
    return Fraction(above, below) ** exponent.numerator if exact else None


def _by_slope(derivative: Callable[[Series], Series | None]) -> Callable[[Series], Series | None]:
    """f(a) with f(0) = 0, from f'(a): the integral of f'(a)*a'."""

    def series(a: Series) -> Series | None:
        outer = None if a[0] else derivative(a)
        return None if outer is None else _integral(_product(outer, _slope(a)))

    return series


def _one_plus(a: Series, sign: int = 1) -> Series:
    return [1 + sign * a[0], *(sign * value for value in a[1:])]


def _exponentials(a: Series) -> tuple[Series, Series] | None:
    up, down = _exp(a), _exp([-value for value in a])
    return None if up is None or down is None else (up, down)


def _sinh(a: Series) -> Series | None:
    both = _exponentials(a)
    return None if both is None else [(u - d) / 2 for u, d in zip(*both, strict=True)]


def _cosh(a: Series) -> Series | None:
    both = _exponentials(a)
    return None if both is None else [(u + d) / 2 for u, d in zip(*both, strict=True)]


def _circular(a: Series) -> tuple[Series, Series] | None:
    """sin(a) and cos(a)"""
    if a[0]:
        return None
    sine, cosine = [Fraction(0)], [Fraction(1)]
    for k in range(1, len(a)):
        sine.append(sum((j * a[j] * cosine[k - j] for j in range(1, k + 1) if a[j]), Fraction(0)) / k)
        cosine.append(-sum((j * a[j] * sine[k - j] for j in range(1, k + 1) if a[j]), Fraction(0)) / k)
    return sine, cosine


def _ratio(above: Series | None, below: Series | None) -> Series | None:
    return None if above is None or below is None else _quotient(above, below)


def _sine(a: Series) -> Series | None:
    both = _circular(a)
    return None if both is None else both[0]


def _cosine(a: Series) -> Series | None:
    both = _circular(a)
    return None if both is None else both[1]


def _expm1(a: Series) -> Series | None:
    power = _exp(a)
    return None if power is None else [power[0] - 1, *power[1:]]


def _log(a: Series) -> Series | None:
    if a[0] != 1:
        return None
    slope = _quotient(_slope(a), a)
    return None if slope is None else _integral(slope)


def _square(a: Series) -> Series:
    return _product(a, a)


def _logistic(a: Series) -> Series | None:
    down = _exp([-value for value in a])
    return None if down is None else _power(_one_plus(down), Fraction(-1))


def _sinc(a: Series) -> Series | None:
    """From sin(t)/t, put into a: sin(a)/a where a is 0 at 0 to the first order."""
    sine = _sine([*a, Fraction(0)])
    if sine is None or len(a) < 2 or not a[1]:
        return None
    return _quotient(sine[1:], [*a[1:], Fraction(0)])


# op -> the series of op(a), given that of a; None where its coefficients are no fractions
SERIES: dict[str, Callable[[Series], Series | None]] = {
    "exp": _exp,
    "expm1": _expm1,
    "log": _log,
    "log1p": lambda a: _log(_one_plus(a)),
    "sin": _sine,
    "cos": _cosine,
    "tan": lambda a: _ratio(_sine(a), _cosine(a)),
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": lambda a: _ratio(_sinh(a), _cosh(a)),
    "atan": _by_slope(lambda a: _power(_one_plus(_square(a)), Fraction(-1))),
    "atanh": _by_slope(lambda a: _power(_one_plus(_square(a), -1), Fraction(-1))),
    "asin": _by_slope(lambda a: _power(_one_plus(_square(a), -1), Fraction(-1, 2))),
    "asinh": _by_slope(lambda a: _power(_one_plus(_square(a)), Fraction(-1, 2))),
    "logistic": _logistic,
    "sinc": _sinc,
}


def error_function(a: Series) -> Series | None:
    """The series of erf(a)*sqrt(pi)/2: the factor is no fraction."""
    return _by_slope(lambda inner: _exp([-value for value in _square(inner)]))(a)


def series_of(node: Node, variable: Node, terms: int) -> Series | None:
    """The Taylor coefficients of a node as a function of ``variable`` at 0; None where it is no such function.

    Parameters
    ----------
    node:
        Made of numbers, the variable, sums, products, powers with rational exponents and the functions of
        :data:`SERIES`.
    variable:
        A node; nothing else that is no number may be read.
    terms:
        How many coefficients.

    Examples
    --------
    >>> from symgraph.node import input_node
    >>> from symgraph.ops import apply_op
    >>> x = input_node("x")
    >>> [str(c) for c in series_of(apply_op("tan", x), x, 6)]
    ['0', '1', '0', '1/3', '0', '2/15']
    """
    order = _nodes(node, variable)
    if order is None:
        return None
    found: dict[Node, Series] = {}
    for part in order:
        value = _series(part, variable, found, terms)
        if value is None or max(c.denominator.bit_length() for c in value) > _MAXIMUM_BITS:
            return None
        found[part] = value
    return found[node]


def _nodes(node: Node, variable: Node) -> list[Node] | None:
    """The nodes from the variable up to ``node``, arguments first; None where another leaf is read."""
    seen: dict[Node, None] = {}
    stack = [node]
    while stack:
        part = stack.pop()
        if part in seen:
            continue
        if part is not variable and not is_number(part) and part.kind is not Kind.ELEMENTWISE:
            return None
        seen[part] = None
        if len(seen) > _MAXIMUM_NODES:
            return None
        if part is not variable:
            stack.extend(part.args)
    return sorted(seen, key=lambda part: part.number)


def _series(node: Node, variable: Node, found: dict[Node, Series], terms: int) -> Series | None:
    zeros = [Fraction(0)] * (terms - 1)
    if node is variable:
        return [Fraction(0), Fraction(1), *zeros][:terms]
    if is_number(node):
        return None if type(node.data) is float else [Fraction(node.data), *zeros]
    match node.data:
        case "add":
            return [sum(column, Fraction(0)) for column in zip(*(found[a] for a in node.args), strict=True)]
        case "mul":
            result = found[node.args[0]]
            for argument in node.args[1:]:
                result = _product(result, found[argument])
            return result
        case "pow":
            exponent = node.args[1]
            if not is_number(exponent) or type(exponent.data) is float:
                return None
            return _power(found[node.args[0]], Fraction(exponent.data))
    function = SERIES.get(node.data)
    return None if function is None else function(found[node.args[0]])
