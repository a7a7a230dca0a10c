"""Numbers of SymPy as exact constants of the graph."""

from __future__ import annotations

import math
from fractions import Fraction

import sympy as sp

from ..errors import UnsupportedError
from ..node import Node, constant

__all__ = ["number_node"]

_DOUBLE_PRECISION = 53


def number_node(number: sp.Basic) -> Node:
    """The constant of a SymPy number: integers and rationals of any size exactly, a Float at its precision.

    Raises
    ------
    UnsupportedError
        For the imaginary unit, complex infinity and numbers that have no constant.

    >>> number_node(sp.Rational(1, 3)).data, number_node(sp.Float("0.5")).data, number_node(sp.pi).data
    (Fraction(1, 3), 0.5, pi)
    """
    if isinstance(number, sp.Integer):
        return constant(int(number))
    if isinstance(number, sp.Rational):
        return constant(Fraction(int(number.p), int(number.q)))
    if isinstance(number, sp.Float):
        return constant(number if number._prec > _DOUBLE_PRECISION else float(number))
    if isinstance(number, sp.NumberSymbol):
        return constant(number)
    special = _SPECIAL.get(number)
    if special is not None:
        return constant(special)
    if number is sp.I:
        raise UnsupportedError(
            "the imaginary unit I has no meaning here: values are real; split the expression into "
            "its real and imaginary part"
        )
    if number is sp.zoo:
        raise UnsupportedError(
            "complex infinity (zoo) has no meaning here: values are real; look for a division by 0"
        )
    raise UnsupportedError(
        f"the number {number} has no exact constant here: use its numerical value, {number}.evalf()"
    )


_SPECIAL = {sp.oo: math.inf, sp.S.NegativeInfinity: -math.inf, sp.nan: math.nan}
