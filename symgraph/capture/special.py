"""Special functions of SymPy as formulas of rows of the op table."""

from __future__ import annotations

from fractions import Fraction
from math import factorial, prod

import sympy as sp

from .. import simplify as s
from ..errors import UnsupportedError
from ..node import Kind, Node, constant

__all__ = [
    "assoc_legendre", "binomial", "dirichlet_eta", "elliptic_e", "expint", "harmonic", "lambertw", "log_beta",
    "real_spherical_harmonic", "rising_factorial", "zeta",
]  # fmt: skip

_ZERO, _ONE, _TWO = constant(0), constant(1), constant(2)
_LARGEST = 64  # factors that are written out


def _whole(node: Node) -> int | None:
    """A constant whole number, else None."""
    if node.kind is not Kind.CONST or type(node.data) not in (int, float) or node.data != node.data // 1:
        return None
    return int(node.data)


def zeta(x: Node, a: Node | None = None) -> Node:
    """Riemann's function, or that of Hurwitz. Below 0 by reflection (DLMF 25.4.1), where the sum would cancel."""
    if a is not None and a is not _ONE:
        return s.call("zeta", x, a)
    mirrored = s.sub(_ONE, x)
    reflected = s.mul(
        s.power(_TWO, x), s.power(constant(sp.pi), s.neg(mirrored)),
        s.call("sin", s.mul(constant(sp.pi), constant(Fraction(1, 2)), x)),
        s.call("gamma", mirrored), s.call("riemann_zeta", _ZERO, mirrored),
    )  # fmt: skip
    return s.select(s.call("lt", x, _ZERO), reflected, s.call("riemann_zeta", _ZERO, x))


def dirichlet_eta(x: Node, a: Node | None = None) -> Node:
    """The alternating sum, by way of the zeta function."""
    if a is not None and a is not _ONE:
        raise UnsupportedError("dirichlet_eta of two arguments has no operation here: use its sum")
    return s.mul(s.sub(_ONE, s.power(_TWO, s.sub(_ONE, x))), zeta(x))


def lambertw(x: Node, branch: Node | None = None) -> Node:
    """The two branches that are real somewhere."""
    number = 0 if branch is None else _whole(branch)
    if number not in (0, -1):
        raise UnsupportedError(
            "LambertW has real values on the branches 0 and -1 alone: use LambertW(x) or LambertW(x, -1)"
        )
    return s.call("lambertw" if number == 0 else "lambertw_lower", x)


def expint(order: Node, x: Node) -> Node:
    """The generalised exponential integral of whole order; of real order below 1 by the incomplete gamma function."""
    if order.kind is Kind.CONST and _whole(order) is None:
        if float(order.data) > 1:
            raise UnsupportedError(
                f"expint of the order {order.data} has no operation here: whole orders have one, and real ones below 1"
            )
        return s.mul(s.power(x, s.sub(order, _ONE)), s.call("uppergamma", s.sub(_ONE, order), x))
    return s.call("expint", order, x)


def elliptic_e(first: Node, second: Node | None = None) -> Node:
    """Complete, of the parameter m, or incomplete, of amplitude and parameter."""
    if second is None:
        return s.call("elliptic_e", first)
    return s.call("elliptic_e_incomplete", first, second)


def binomial(n: Node, k: Node) -> Node:
    """By the beta function: gamma functions of large arguments overflow, their quotient does not."""
    return s.power(
        s.mul(s.add(n, _ONE), s.call("beta", s.add(n, s.neg(k), _ONE), s.add(k, _ONE))), constant(-1)
    )


def log_beta(a: Node, b: Node) -> Node:
    """The logarithm of the beta function of positive arguments."""
    return s.sub(s.add(s.call("loggamma", a), s.call("loggamma", b)), s.call("loggamma", s.add(a, b)))


def harmonic(n: Node, order: Node | None = None) -> Node:
    """H(n) = digamma(n + 1) + EulerGamma; of higher order by the zeta function of Hurwitz."""
    after = s.add(n, _ONE)
    if order is None or order is _ONE:
        return s.add(s.call("digamma", after), constant(sp.EulerGamma))
    return s.sub(zeta(order), s.call("zeta", order, after))


def rising_factorial(x: Node, k: Node) -> Node:
    """x*(x + 1)*...*(x + k - 1); a quotient of gamma functions where k is no small whole number."""
    count = _whole(k)
    if count is not None and 0 <= count <= _LARGEST:
        factors = [s.add(x, constant(i)) if i else x for i in range(count)]
        return s.mul(*factors) if len(factors) > 1 else factors[0] if factors else _ONE
    return s.div(s.call("gamma", s.add(x, k)), s.call("gamma", x))


def _degree_and_order(name: str, degree: Node, order: Node) -> tuple[int, int]:
    n, m = _whole(degree), _whole(order)
    if n is None or m is None or n < 0 or abs(m) > n:
        raise UnsupportedError(
            f"{name} wants a degree n from 0 up and an order m from -n to n as numbers, found {degree.data} and "
            f"{order.data}"
        )
    return n, m


def _legendre(n: int, m: int, x: Node, root: Node) -> Node:
    """P(n, m) with the phase (-1)**m, from the root of 1 - x**2 and a derivative of P(n) (DLMF 14.6.1, 14.9.3)."""
    size = abs(m)
    odd = prod(range(1, 2 * size, 2))
    factor = Fraction((-1) ** size * odd)
    if m < 0:
        factor *= Fraction((-1) ** size * factorial(n - size), factorial(n + size))
    polynomial = s.call("gegenbauer", constant(n - size), constant(Fraction(2 * size + 1, 2)), x)
    if size == 0:
        polynomial = s.call("legendre", constant(n), x)
    return s.mul(constant(factor), s.power(root, constant(size)), polynomial)


def assoc_legendre(degree: Node, order: Node, x: Node) -> Node:
    """The associated Legendre function of constant degree and order, with SymPy's phase (-1)**m."""
    n, m = _degree_and_order("assoc_legendre", degree, order)
    root = s.power(s.mul(s.sub(_ONE, x), s.add(_ONE, x)), constant(Fraction(1, 2)))
    return _legendre(n, m, x, root)


def real_spherical_harmonic(degree: Node, order: Node, theta: Node, phi: Node) -> Node:
    """SymPy's Znm. The sine of the polar angle is the root of 1 - cos**2, and has a derivative at the poles."""
    n, m = _degree_and_order("Znm", degree, order)
    size = abs(m)
    norm = sp.Rational(2 * n + 1, 4) / sp.pi * sp.Rational(factorial(n - size), factorial(n + size))
    scale = s.power(constant(sp.pi), constant(Fraction(-1, 2)))
    square = norm * sp.pi * (2 if m else 1)
    legendre = _legendre(n, size, s.call("cos", theta), s.call("sin", theta))
    turn = s.mul(constant(size), phi)
    angle = _ONE if m == 0 else s.call("cos" if m > 0 else "sin", turn)
    root = s.power(constant(Fraction(int(square.p), int(square.q))), constant(Fraction(1, 2)))
    sign = constant((-1) ** (size + 1) if m < 0 else 1)
    return s.mul(sign, root, scale, legendre, angle)
