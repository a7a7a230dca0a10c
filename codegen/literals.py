"""Exact constants as numbers of one floating type, rounded once.

A constant of a graph may be an integer beyond 2**64, a fraction, a float or a SymPy number. Going through float64
on the way to float32 would round twice, and converting numerator and denominator one by one would overflow. Comparing
exact fractions avoids both.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import sympy as sp

from ..errors import UnsupportedError

__all__ = ["exact_fraction", "floating_text", "integer_text", "nearest"]

_DIGITS = 60  # working digits of named constants: far more than any floating type holds
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1


def exact_fraction(value: object) -> Fraction | float:
    """The exact value of a constant; infinities and nan stay floats.

    >>> exact_fraction(0.5)
    Fraction(1, 2)
    """
    if isinstance(value, (bool, int, Fraction)):
        return Fraction(value)
    if isinstance(value, float):
        return Fraction(value) if math.isfinite(value) else value
    if isinstance(value, sp.Rational):
        return Fraction(int(value.p), int(value.q))
    if isinstance(value, sp.Expr) and value.is_number:
        number = value if isinstance(value, sp.Float) else value.evalf(_DIGITS)
        if isinstance(number, sp.Float):
            sign, mantissa, exponent, _ = number._mpf_
            magnitude = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
            return -magnitude if sign else magnitude
        if number in (sp.oo, -sp.oo, sp.nan):
            return float(number)
    raise UnsupportedError(
        f"the constant {value!r} is no real number: use integers, fractions, floats or real SymPy numbers"
    )


def nearest(value: object, floating: str) -> float:
    """The number of type ``floating`` nearest to ``value`` (ties to even), as a Python float.

    >>> nearest(Fraction(1, 3), "float64"), nearest(0.1, "float32")
    (0.3333333333333333, 0.10000000149011612)
    """
    exact = exact_fraction(value)
    if isinstance(exact, float):
        return exact
    if isinstance(value, float) and floating == "float64":
        return value  # keeps the sign of -0.0
    try:
        double = exact.numerator / exact.denominator  # Python rounds this quotient correctly
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
    if floating == "float64":
        return double
    return _nearest_single(exact, double if double or not isinstance(value, float) else value)


def _nearest_single(exact: Fraction, double: float) -> float:
    with np.errstate(over="ignore", under="ignore"):
        guess = np.float32(double)
        if not np.isfinite(guess) or guess == 0:
            return float(guess)
        around = (guess, np.nextafter(guess, np.float32(-np.inf)), np.nextafter(guess, np.float32(np.inf)))
    finite = [c for c in around if np.isfinite(c)]
    return float(min(finite, key=lambda c: (abs(Fraction(float(c)) - exact), int(c.view(np.int32)) & 1)))


def floating_text(value: object, floating: str) -> str:
    """The shortest decimal text that a compiler turns into the nearest number; "inf" and "nan" for what has none.

    >>> floating_text(Fraction(1, 10), "float64"), floating_text(2, "float32"), floating_text(sp.pi, "float64")
    ('0.1', '2.0', '3.141592653589793')
    """
    number = nearest(value, floating)
    if floating == "float64" or not math.isfinite(number):
        return repr(number)
    short = str(np.float32(number))
    # the text is read as a double first: take the long form in the rare case where that would round twice
    return short if float(np.float32(float(short))) == number else repr(number)


def integer_text(value: object) -> str:
    """An integer constant of 64 bits.

    Raises
    ------
    UnsupportedError
        When the value does not fit into 64 bits.
    """
    exact = exact_fraction(value)
    if isinstance(exact, float) or exact.denominator != 1:
        raise UnsupportedError(f"the constant {value!r} stands where an integer is needed")
    number = exact.numerator
    if not _LOWEST <= number <= _HIGHEST:
        raise UnsupportedError(f"the integer {number} does not fit into 64 bits: use a float for it")
    return str(number) if number != _LOWEST else f"({_LOWEST + 1} - 1)"
