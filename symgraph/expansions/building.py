"""Plain arithmetic on nodes, from which expansions are made."""

from __future__ import annotations

from fractions import Fraction

from ..node import Kind, Node, constant, make
from ..ops import OPS, apply_op

__all__ = [
    "HALF", "MAXIMUM_ORDER", "MINUS_ONE", "ONE", "ZERO", "add", "mul", "order_of", "polynomial", "power", "reciprocal",
    "scaled", "select", "sub",
]  # fmt: skip

MAXIMUM_ORDER = 12  # of a family; orders come from derivatives, so that larger ones do not occur in practice
ZERO, ONE, MINUS_ONE, HALF = constant(0), constant(1), constant(-1), constant(Fraction(1, 2))


def add(*terms: Node) -> Node:
    return apply_op("add", *terms)


def mul(*factors: Node) -> Node:
    return apply_op("mul", *factors)


def scaled(factor: int | Fraction | float, node: Node) -> Node:
    if factor == 1:
        return node
    first = constant(factor)
    return make(Kind.ELEMENTWISE, (first, node), node.axes, OPS["mul"].dtype((first, node)), "mul")


def sub(left: Node, right: Node) -> Node:
    return add(left, scaled(-1, right))


def reciprocal(node: Node) -> Node:
    return apply_op("pow", node, MINUS_ONE)


def power(node: Node, exponent: int) -> Node:
    return node if exponent == 1 else apply_op("pow", node, constant(exponent))


def select(condition: Node, then: Node, otherwise: Node) -> Node:
    return apply_op("select", condition, then, otherwise)


def polynomial(coefficients: list[Fraction], variable: Node) -> Node:
    """Horner's rule, the coefficient of the lowest power first; every other coefficient is not 0."""
    result = constant(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        product = scaled(result.data, variable) if result.kind is Kind.CONST else mul(result, variable)
        result = product if coefficient == 0 else add(product, constant(coefficient))
    return result


def order_of(node: Node, smallest: int, largest: int = MAXIMUM_ORDER) -> int | None:
    """The order of a family, where it is a constant in the range that is expanded."""
    if node.kind is not Kind.CONST or type(node.data) not in (int, float) or node.data != int(node.data):
        return None
    return int(node.data) if smallest <= node.data <= largest else None
