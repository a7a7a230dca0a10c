"""Operations that no mathematics library has, in terms of others: one function per row, applied before code is made.

An expansion sees the arguments of a node and returns plain nodes, or None where it does not apply (an order that is not
a constant). Derivatives never see them: they are taken of the rows, which are closed under differentiation.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import factorial

import sympy as sp

from .graph import Graph, Output
from .node import Kind, Node, constant, make
from .ops import OPS, apply_op, ordered

__all__ = ["EXPANSIONS", "expand"]

MAXIMUM_ORDER = 12  # of a family; orders come from derivatives, so that larger ones do not occur in practice
ZERO, ONE, MINUS_ONE, HALF = constant(0), constant(1), constant(-1), constant(Fraction(1, 2))


def expand(graph: Graph) -> Graph:
    """The graph with every node that has an expansion replaced; the very graph where none has.

    >>> from symgraph.node import input_node
    >>> x = input_node("x")
    >>> graph = Graph("f", (x,), (Output("out", apply_op("sinc", x)),))
    >>> sorted(n.data for n in expand(graph).order if n.kind is Kind.ELEMENTWISE)
    ['eq', 'mul', 'pow', 'select', 'sin']
    """
    if not any(node.kind is Kind.ELEMENTWISE and node.data in EXPANSIONS for node in graph.order):
        return graph
    done: dict[Node, Node] = {}
    for node in graph.order:
        done[node] = _expanded(node, tuple(done[argument] for argument in node.args))
    outputs = tuple(Output(o.name, done[o.node], o.axes) for o in graph.outputs)
    return Graph(graph.name, graph.inputs, outputs, graph.structure)


def _expanded(node: Node, arguments: tuple[Node, ...]) -> Node:
    if node.kind is Kind.ELEMENTWISE:
        expansion = EXPANSIONS.get(node.data)
        result = expansion(*arguments) if expansion is not None else None
        if result is not None:
            # an expansion may itself use a row that has one
            return result if result.kind is not Kind.ELEMENTWISE else _inside(result, arguments)
        if arguments != node.args:
            arguments = ordered(OPS[node.data], arguments)
    return node if arguments == node.args else make(node.kind, arguments, node.axes, node.dtype, node.data)


def _inside(result: Node, arguments: tuple[Node, ...]) -> Node:
    """The result with expansions of the rows that it uses, down to the arguments."""
    inner, seen, stack = [], set(arguments), [result]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            inner.append(node)
            stack.extend(node.args)
    if not any(node.kind is Kind.ELEMENTWISE and node.data in EXPANSIONS for node in inner):
        return result
    done = {argument: argument for argument in arguments}
    for node in sorted(inner, key=lambda n: n.number):
        done[node] = _expanded(node, tuple(done[a] for a in node.args))
    return done[result]


# ---------------------------------------------------------------------------------------------------------- arithmetic
def _add(*terms: Node) -> Node:
    return apply_op("add", *terms)


def _mul(*factors: Node) -> Node:
    return apply_op("mul", *factors)


def _scaled(factor: int | Fraction | float, node: Node) -> Node:
    if factor == 1:
        return node
    first = constant(factor)
    return make(Kind.ELEMENTWISE, (first, node), node.axes, OPS["mul"].dtype((first, node)), "mul")


def _sub(left: Node, right: Node) -> Node:
    return _add(left, _scaled(-1, right))


def _reciprocal(node: Node) -> Node:
    return apply_op("pow", node, MINUS_ONE)


def _power(node: Node, exponent: int) -> Node:
    return node if exponent == 1 else apply_op("pow", node, constant(exponent))


def _select(condition: Node, then: Node, otherwise: Node) -> Node:
    return apply_op("select", condition, then, otherwise)


def _polynomial(coefficients: list[Fraction], variable: Node) -> Node:
    """Horner's rule, the coefficient of the lowest power first; every other coefficient is not 0."""
    result = constant(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        product = _scaled(result.data, variable) if result.kind is Kind.CONST else _mul(result, variable)
        result = product if coefficient == 0 else _add(product, constant(coefficient))
    return result


def _order(node: Node, smallest: int) -> int | None:
    """The order of a family, where it is a constant in the range that is expanded."""
    if node.kind is not Kind.CONST or type(node.data) not in (int, float) or node.data != int(node.data):
        return None
    return int(node.data) if smallest <= node.data <= MAXIMUM_ORDER else None


# ---------------------------------------------------------------------------------------------------------------- rows
def _strong_quotient(numerator: Node, base: Node, order: Node) -> Node:
    quotient = _mul(numerator, _reciprocal(base))  # divided in steps: the square of a small base would underflow
    number = _order(order, 1)
    if number is None:
        quotient = _mul(quotient, apply_op("pow", base, _sub(ONE, order)))
    elif number > 1:
        quotient = _mul(quotient, _power(base, 1 - number))
    return _select(apply_op("eq", numerator, ZERO), ZERO, quotient)


def _xlogy(factor: Node, argument: Node) -> Node:
    is_zero = apply_op("and", apply_op("eq", factor, ZERO), apply_op("eq", argument, argument))  # nan is handed on
    return _select(is_zero, ZERO, _mul(factor, apply_op("log", argument)))


def _logaddexp(left: Node, right: Node) -> Node:
    largest = apply_op("max", left, right)
    rest = apply_op("log1p", apply_op("exp", _scaled(-1, apply_op("abs", _sub(left, right)))))
    equal = _add(left, apply_op("log", constant(2)))  # infinities of one sign have no difference
    return _select(apply_op("eq", left, right), equal, _add(largest, rest))


def _sinc(x: Node) -> Node:
    return _select(apply_op("eq", x, ZERO), ONE, _mul(apply_op("sin", x), _reciprocal(x)))


def _spherical_bessel(order: Node, x: Node) -> Node | None:
    """The power series up to order + 1, from there on upward recurrence, which is stable there."""
    n = _order(order, 0)
    if n is None:
        return None
    if n == 0:
        return _sinc(x)
    limit = n + 1
    coefficients = [Fraction(1, int(sp.factorial2(2 * n + 1)))]
    while abs(coefficients[-1]) * limit ** (2 * len(coefficients) - 2) > coefficients[0] * Fraction(1, 10**18):
        k = len(coefficients)
        coefficients.append(coefficients[-1] * Fraction(-1, 2 * k * (2 * n + 1 + 2 * k)))
    series = _mul(_power(x, n), _polynomial(coefficients, _power(x, 2)))
    inverse = _reciprocal(x)
    before = _mul(apply_op("sin", x), inverse)
    current = _mul(_sub(before, apply_op("cos", x)), inverse)
    for k in range(1, n):
        before, current = current, _sub(_scaled(2 * k + 1, _mul(current, inverse)), before)
    return _select(apply_op("lt", apply_op("abs", x), constant(limit)), series, current)


def _polygamma(order: Node, x: Node) -> Node | None:
    n = _order(order, 0)
    if n is None:
        return None
    if n == 0:
        return apply_op("digamma", x)
    return _scaled((-1) ** (n + 1) * factorial(n), apply_op("zeta", constant(n + 1), x))


def _zeta(exponent: Node, x: Node) -> Node | None:
    """Euler-Maclaurin summation from x + shift on; negative arguments by the reflection formula of the polygammas."""
    s = _order(exponent, 2)
    if s is None:
        return None
    negative = apply_op("lt", x, ZERO)
    t = _select(negative, _sub(ONE, x), x)
    shift = 10 + s
    inverse = _reciprocal(_add(t, constant(shift)))
    coefficients, rising = [Fraction(1, s - 1), Fraction(0)], 1
    for k in range(1, 11):
        rising = rising * (s + 2 * k - 3) * (s + 2 * k - 2) if k > 1 else s
        number = sp.bernoulli(2 * k)
        coefficients += [Fraction(int(number.p), int(number.q)) * Fraction(rising, factorial(2 * k)), Fraction(0)]
    tail = _add(_polynomial(coefficients[:-1:2], _power(inverse, 2)), _scaled(Fraction(1, 2), inverse))
    tail = _mul(tail, _power(inverse, s - 1))
    terms = [_power(_add(t, constant(k)) if k else t, -s) for k in range(shift)]
    total = _add(*terms, tail)
    return _select(negative, _reflected(s, x, total), total)


def _reflected(s: int, x: Node, at_one_minus_x: Node) -> Node:
    """zeta(s, x) = (-1)**(s-1) * (zeta(s, 1 - x) + pi**s * P(cot(pi*x)) / (s-1)!), P from the derivatives of cot."""
    cotangent = sp.Dummy("c")
    polynomial = cotangent
    for _ in range(s - 1):
        polynomial = sp.expand(-(1 + cotangent**2) * sp.diff(polynomial, cotangent))
    coefficients = [Fraction(int(c)) for c in reversed(sp.Poly(polynomial, cotangent).all_coeffs())]
    angle = _mul(constant(sp.pi), _sub(x, apply_op("floor", x)))
    cot = _mul(apply_op("cos", angle), _reciprocal(apply_op("sin", angle)))
    factor = _scaled(Fraction(1, factorial(s - 1)), apply_op("pow", constant(sp.pi), constant(s)))
    return _scaled((-1) ** (s - 1), _add(at_one_minus_x, _mul(factor, _polynomial(coefficients, cot))))


# the series of the principal branch at -1/e, in p = sqrt(2*(e*x + 1)) (OEIS A090804, A065973)
_BRANCH_SERIES = [
    Fraction(-1), Fraction(1), Fraction(-1, 3), Fraction(11, 72), Fraction(-43, 540), Fraction(769, 17280),
    Fraction(-221, 8505), Fraction(680863, 43545600),
]  # fmt: skip


def _lambertw(x: Node) -> Node:
    """Three steps of Halley's method from a guess with two right digits; the series close to the branch point."""
    inside = _add(_mul(constant(sp.E), x), ONE)
    p = apply_op("pow", _scaled(2, inside), HALF)
    series = _polynomial(_BRANCH_SERIES, p)
    logarithm = apply_op("log1p", x)
    ratio = _mul(apply_op("log1p", logarithm), _reciprocal(_add(logarithm, constant(2))))
    far = _mul(logarithm, _sub(ONE, ratio))
    w = _select(apply_op("lt", x, constant(Fraction(-1, 5))), series, far)
    for _ in range(3):
        power = apply_op("exp", w)
        error = _sub(_mul(w, power), x)
        above = _add(w, ONE)
        correction = _mul(_add(w, constant(2)), error, _reciprocal(_scaled(2, above)))
        w = _sub(w, _mul(error, _reciprocal(_sub(_mul(power, above), correction))))
    w = _select(apply_op("lt", p, constant(Fraction(1, 100))), series, w)
    return _select(apply_op("eq", x, constant(float("inf"))), x, w)


EXPANSIONS: dict[str, Callable[..., Node | None]] = {
    "strong_quotient": _strong_quotient,
    "xlogy": _xlogy,
    "logaddexp": _logaddexp,
    "sinc": _sinc,
    "sphericalj": _spherical_bessel,
    "polygamma": _polygamma,
    "zeta": _zeta,
    "lambertw": _lambertw,
}
