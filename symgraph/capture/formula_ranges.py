"""Sizes and ranges of formulas: integer polynomials of size names, and bounds that may depend on outer indices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sympy as sp

from ..axis import Axis, size_symbol
from .formula_syntax import MAXIMUM_DIGITS, Piece, Source

__all__ = ["AxisPool", "Range", "extent", "largest", "size_polynomial", "smallest"]

_MAXIMUM_PIECES = 100
_MAXIMUM_POWER = 8
_MAXIMUM_TERMS = 200


@dataclass(frozen=True)
class Range:
    """What a bound index runs over.

    Attributes
    ----------
    symbol:
        Stands for the index in the bounds of inner ranges.
    low, high:
        Both bounds, included; polynomials of sizes and of the symbols of outer ranges.
    minimum, maximum:
        The least low and the greatest high over all values of the outer indices: polynomials of sizes alone.
    """

    symbol: sp.Symbol
    low: sp.Expr
    high: sp.Expr
    minimum: sp.Expr
    maximum: sp.Expr


def size_polynomial(source: Source, piece: Piece, ranges: Mapping[str, Range]) -> sp.Expr:
    """The integer polynomial that a bound or a declared size says; a name that is no index is a size.

    Raises
    ------
    FormulaError
        Anything but integers, names, ``+ - *``, a division by an integer and small powers.
    """
    budget = [_MAXIMUM_PIECES]

    def read(part: Piece) -> sp.Expr:  # the budget bounds the depth as well
        budget[0] -= 1
        if budget[0] < 0:
            raise source.error(part.at, f"a bound or size has more than {_MAXIMUM_PIECES} parts")
        match part.kind:
            case "integer":
                if len(part.value) > MAXIMUM_DIGITS:
                    raise source.error(part.at, f"the integer has more than {MAXIMUM_DIGITS} digits")
                return sp.Integer(int(part.value))
            case "name":
                bound = ranges.get(part.value)
                return bound.symbol if bound else size_symbol(part.value)
            case "signed":
                return -read(part.parts[0]) if part.value == "-" else read(part.parts[0])
            case "add":
                total = read(part.parts[0])
                for sign, term in zip(part.value, part.parts[1:], strict=True):
                    total = total + read(term) if sign == "+" else total - read(term)
                return total
            case "multiply":
                product = read(part.parts[0])
                for sign, factor in zip(part.value, part.parts[1:], strict=True):
                    value = read(factor)
                    if sign == "*":
                        product = sp.expand(product * value)
                    elif sign in ("/", "//") and value.is_Integer and value > 0 and _divides(product, value, sign):
                        product = sp.expand(product / value)
                    else:
                        raise source.error(factor.at, f"{sign!r} in a bound or size: only exact division by an integer")
                    _few_terms(product, factor)
                return product
            case "power":
                exponent = read(part.parts[1])
                if exponent.is_Integer and 0 <= exponent <= _MAXIMUM_POWER:
                    return _few_terms(sp.expand(read(part.parts[0]) ** exponent), part)
        raise source.error(
            part.at, "bounds and sizes are integer polynomials of sizes and outer indices, such as n - 1"
        )

    def _few_terms(expression: sp.Expr, part: Piece) -> sp.Expr:
        if len(expression.args) > _MAXIMUM_TERMS:
            raise source.error(part.at, f"a bound or size has more than {_MAXIMUM_TERMS} terms")
        return expression

    return sp.expand(read(piece))


def _divides(product: sp.Expr, divisor: sp.Expr, sign: str) -> bool:
    """Whether the quotient takes integer values only; products of two neighbours are even."""
    quotient = sp.expand(product / divisor)
    names = sorted(quotient.free_symbols, key=lambda s: s.name)
    if sign == "/" and not names:
        return bool(quotient.is_Integer)
    period = int(divisor)
    if period ** len(names) > 64:
        return all(sp.Rational(c).is_Integer for c in sp.Poly(quotient, *names).coeffs())
    points: list[dict[sp.Symbol, int]] = [{}]
    for name in names:
        points = [point | {name: value} for point in points for value in range(period)]
    return all(quotient.xreplace({k: sp.Integer(v) for k, v in p.items()}).is_Integer for p in points)


def extent(expression: sp.Expr, ranges: Iterable[Range], greatest: bool) -> sp.Expr | None:
    """The greatest (or least) value over the ranges, innermost range last; None when the dependence is not affine."""
    for range_ in reversed(list(ranges)):
        if range_.symbol not in expression.free_symbols:
            continue
        slope = sp.expand(expression.diff(range_.symbol))
        if not slope.is_Integer:
            return None
        end = range_.high if (slope > 0) == greatest else range_.low
        expression = sp.expand(expression.xreplace({range_.symbol: end}))
    return expression


def largest(expression: sp.Expr, ranges: Iterable[Range]) -> sp.Expr | None:
    """The greatest value of an affine expression over the ranges."""
    return extent(expression, ranges, True)


def smallest(expression: sp.Expr, ranges: Iterable[Range]) -> sp.Expr | None:
    """The least value of an affine expression over the ranges."""
    return extent(expression, ranges, False)


class AxisPool:
    """Axes by size. Sums of equal ranges get the same axis where nesting allows, so that equal sums are one node."""

    def __init__(self) -> None:
        self._by_size: dict[sp.Expr, list[Axis]] = {}

    def take(self, name: str, size: sp.Expr, occupied: Iterable[Axis]) -> Axis:
        """The first axis of this size that is not occupied; a new one is named ``name``, or ``name_1``, ..."""
        axes = self._by_size.setdefault(size, [])
        taken = set(occupied)
        for axis in axes:
            if axis not in taken:
                return axis
        names = {axis.name for axis in axes}
        candidate, number = name, 0
        while candidate in names:
            number += 1
            candidate = f"{name}_{number}"
        axes.append(Axis(candidate, size))
        return axes[-1]
