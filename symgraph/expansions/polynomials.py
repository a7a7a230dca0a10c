"""Orthogonal polynomials of constant degree, by the recurrence in the degree (DLMF 18.9.1 and 2).

Expanded in powers of x they would cancel. Polynomials of neighbouring degrees share the steps.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ..node import Kind, Node, constant
from .building import ONE, ZERO, add, mul, order_of, scaled

__all__ = ["ROWS"]

_LARGEST = 64  # steps; SciPy's own loop beyond
# coefficients (slope, offset, back) of p[k + 1] = (slope*x + offset)*p[k] - back*p[k - 1]
Step = Callable[[int], tuple[Fraction, Fraction, Fraction]]


def _run(degree: int, x: Node, step: Step) -> Node:
    if degree < 0:
        return ZERO
    before, current = ZERO, ONE
    for k in range(degree):
        slope, offset, back = step(k)
        factor = scaled(slope, x) if offset == 0 else add(scaled(slope, x), constant(offset))
        following = factor if current is ONE else mul(factor, current)
        if k > 0:
            following = add(following, constant(-back) if before is ONE else scaled(-back, before))
        before, current = current, following
    return current


def _number(node: Node) -> Fraction | None:
    """A parameter, where it is a number."""
    if node.kind is not Kind.CONST or type(node.data) not in (int, float, Fraction) or node.data - node.data != 0:
        return None
    return Fraction(node.data)


def _plain(step: Step) -> Callable[..., Node | None]:
    def expansion(degree: Node, x: Node) -> Node | None:
        n = order_of(degree, -1, _LARGEST)
        return None if n is None else _run(n, x, step)

    return expansion


def _with_parameter(step_of: Callable[..., Step]) -> Callable[..., Node | None]:
    def expansion(degree: Node, *rest: Node) -> Node | None:
        n = order_of(degree, -1, _LARGEST)
        parameters = [_number(p) for p in rest[:-1]]
        if n is None or (n > 0 and any(p is None for p in parameters)):
            return None
        return _run(n, rest[-1], step_of(*parameters))

    return expansion


def _gegenbauer(a: Fraction) -> Step:
    return lambda k: (2 * (k + a) / (k + 1), Fraction(0), (k + 2 * a - 1) / (k + 1))


def _laguerre(a: Fraction) -> Step:
    return lambda k: (Fraction(-1, k + 1), (2 * k + 1 + a) / (k + 1), (k + a) / (k + 1))


def _jacobi(a: Fraction, b: Fraction) -> Step:
    def step(k: int) -> tuple[Fraction, Fraction, Fraction]:
        if k == 0:
            return (a + b + 2) / 2, (a - b) / 2, Fraction(0)
        total = 2 * k + a + b
        scale = 2 * (k + 1) * (k + a + b + 1) * total
        slope = (total + 1) * (total + 2) * total / scale
        return slope, (total + 1) * (a * a - b * b) / scale, 2 * (k + a) * (k + b) * (total + 2) / scale

    return step


ROWS: dict[str, Callable[..., Node | None]] = {
    "legendre": _plain(_gegenbauer(Fraction(1, 2))),
    "chebyshevt": _plain(lambda k: (Fraction(2 if k else 1), Fraction(0), Fraction(1))),
    "chebyshevu": _plain(lambda k: (Fraction(2), Fraction(0), Fraction(1))),
    "hermite": _plain(lambda k: (Fraction(2), Fraction(0), Fraction(2 * k))),
    "hermite_prob": _plain(lambda k: (Fraction(1), Fraction(0), Fraction(k))),
    "laguerre": _plain(_laguerre(Fraction(0))),
    "assoc_laguerre": _with_parameter(_laguerre),
    "gegenbauer": _with_parameter(_gegenbauer),
    "jacobi": _with_parameter(_jacobi),
}
