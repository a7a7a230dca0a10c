"""Cancelling before dividing: what makes second derivatives of smooth functions of a norm right at its zero.

``E - (1 + r)*E`` is ``-r*E``, and ``r*E`` divided by ``r`` is ``E``: written out, both are exact; left as they are, the
second is 0/0 where ``r`` is 0. Both rules look at the factors and terms of a product or a sum, and a level below.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .. import simplify as s
from ..node import Kind, Node, constant
from ..simplify.numbers import is_number

__all__ = ["cancelled_sum", "root_product"]

Term = tuple[int | Fraction, Node]
WIDEST = 16  # a product or sum that is wider is left as it is


def _is(node: Node, op: str) -> bool:
    return node.kind is Kind.ELEMENTWISE and node.data == op


# ---------------------------------------------------------------------------------------------------------------- sums
def cancelled_sum(values: Sequence[Node]) -> Node:
    """The sum of adjoints; where c*F stands beside -c/k * F*(k + A), what remains is -c/k * F*A.

    >>> from symgraph.node import input_node
    >>> f, r = input_node("f"), input_node("r")
    >>> cancelled_sum([f, s.neg(s.mul(f, s.add(s.ONE, r)))]) is s.neg(s.mul(f, r))
    True
    """
    if len(values) < 2 or len(values) > WIDEST or not any(_is(_core(v), "mul") for v in values):
        return s.add(*values)
    terms = [_exact(v) for v in values]
    if None in terms:
        return s.add(*values)
    known = [t for t in terms if t is not None]
    for position, (coefficient, core) in enumerate(known):
        if not _is(core, "mul") or len(core.args) > WIDEST:
            continue
        for factor in core.args:
            shift, rest = _split_constant(factor)
            if shift == 0:
                continue
            others = s.mul(*[a for a in core.args if a is not factor])
            opposite = (-coefficient * shift, others)
            for other, term in enumerate(known):
                if other != position and _same(term, opposite):
                    left = s.mul(constant(coefficient), others, rest)
                    kept = [v for k, v in enumerate(values) if k not in (position, other)]
                    return cancelled_sum([left, *kept])
    return s.add(*values)


def _core(node: Node) -> Node:
    return s.split_coefficient(node)[1]


def _exact(node: Node) -> Term | None:
    coefficient, core = s.split_coefficient(node)
    if isinstance(coefficient, float):
        return None
    return coefficient, core


def _same(term: Term, other: Term) -> bool:
    inner = _exact(other[1])
    return inner is not None and term[1] is inner[1] and term[0] == other[0] * inner[0]


def _split_constant(node: Node) -> tuple[int | Fraction, Node]:
    """(k, A) of a sum k + A, sums inside of it opened; k is 0 for anything else."""
    if not _is(node, "add"):
        return 0, node
    shift: int | Fraction = 0
    rest: list[Node] = []
    stack: list[Term] = [(1, node)]
    while stack:
        scale, part = stack.pop()
        coefficient, core = s.split_coefficient(part)
        if isinstance(coefficient, float) or len(rest) + len(stack) > WIDEST:
            return 0, node
        if _is(core, "add"):
            stack.extend((scale * coefficient, a) for a in reversed(core.args))
        elif is_number(core) and not isinstance(core.data, float):
            shift += scale * coefficient * core.data
        else:
            rest.append(s.mul(constant(scale), part))
    return (shift, s.add(*rest)) if shift != 0 and rest else (0, node)


# ------------------------------------------------------------------------------------------------------------ products
def root_product(value: Node, node: Node) -> Node | None:
    """value * d(s**q)/ds where every term of ``value`` has a power of ``s`` to cancel with, else None.

    >>> from symgraph.node import input_node
    >>> e, x = input_node("e"), input_node("x")
    >>> r = s.power(x, constant(Fraction(1, 2)))
    >>> root_product(s.mul(r, e), r) is s.mul(constant(Fraction(1, 2)), e)
    True
    """
    base, exponent = node.args[0], node.args[1].data
    divided = _divided(value, base, Fraction(exponent) - 1)
    return None if divided is None else s.mul(constant(Fraction(exponent)), divided)


def _divided(value: Node, base: Node, exponent: Fraction) -> Node | None:
    """value * base**exponent (an exponent below 0), one power of the base in every term cancelled."""
    found = _cancelled(value, base, exponent)
    if found is not None:
        return found
    factors = _factors(value)
    for position, factor in enumerate(factors):
        if _is(factor, "add") and len(factor.args) <= WIDEST:
            terms = [_cancelled(term, base, exponent) for term in factor.args]
            if all(t is not None for t in terms):
                rest = [f for k, f in enumerate(factors) if k != position]
                return s.mul(*rest, s.add(*[t for t in terms if t is not None]))
    return None


def _cancelled(value: Node, base: Node, exponent: Fraction) -> Node | None:
    """A product with a power of the base, times ``base**exponent``; None where it has none of enough height."""
    factors = _factors(value)
    for position, factor in enumerate(factors):
        height = _height(factor, base)
        if height is not None and height + exponent >= 0:
            rest = [f for k, f in enumerate(factors) if k != position]
            return s.mul(*rest, s.power(base, constant(height + exponent)))
    return None


def _factors(value: Node) -> list[Node]:
    """The factors of a product, products inside of it opened."""
    found: list[Node] = []
    stack = [value]
    while stack:
        part = stack.pop()
        if _is(part, "mul") and len(found) + len(stack) <= WIDEST:
            stack.extend(reversed(part.args))
        else:
            found.append(part)
    return found


def _height(factor: Node, base: Node) -> Fraction | None:
    """e where a factor is base**e, an exact power above 0."""
    if factor is base:
        return Fraction(1)
    if _is(factor, "pow") and factor.args[0] is base and isinstance(factor.args[1].data, int | Fraction):
        return Fraction(factor.args[1].data)
    return None
