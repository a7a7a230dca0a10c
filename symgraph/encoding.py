"""Constants, axes and structures as plain data, and the checks on the way back."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeVar

import sympy as sp
from mpmath.libmp import from_man_exp

from .axis import Axis, size_symbol
from .errors import ModelError, ShapeError, UnsupportedError
from .graph import Structure, leaf_count
from .node import Node

__all__ = ["Reader", "encode_axis", "encode_constant", "encode_size", "encode_structure", "malformed"]

Item = TypeVar("Item")

NAMED = {str(c): c for c in (sp.pi, sp.E, sp.EulerGamma, sp.GoldenRatio, sp.Catalan, sp.TribonacciConstant)}
MAXIMUM_POWER = 64  # of a size symbol in a size
MAXIMUM_PRECISION = 2**20  # bits of a long number


def malformed(what: str, expected: str, found: object) -> ModelError:
    """The error for data that is not of the expected form."""
    text = ascii(found) if not isinstance(found, list | dict | tuple) else f"a {type(found).__name__}"
    return ModelError(f"{what} must be {expected}, found {text[:80]}")


# ---------------------------------------------------------------------------------------------------------- constants
def encode_constant(value: Any) -> Any:
    """An exact constant as plain data.

    >>> encode_constant(3), encode_constant(Fraction(1, 3)), encode_constant(-0.0), encode_constant(sp.pi)
    (3, ['fraction', 1, 3], ['float', '-0.0'], ['symbol', 'pi'])
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else hex(value)  # what every JSON reader keeps, then what Python does
    if isinstance(value, Fraction):
        return ["fraction", encode_constant(value.numerator), encode_constant(value.denominator)]
    if isinstance(value, float):
        return ["float", repr(value)]
    if isinstance(value, sp.Float):
        sign, mantissa, exponent, _ = value._mpf_
        return ["decimal", "-" if sign else "+", hex(mantissa), int(exponent), int(value._prec)]
    if isinstance(value, sp.NumberSymbol) and str(value) in NAMED:
        return ["symbol", str(value)]
    raise UnsupportedError(f"the constant {value} of type {type(value).__name__} cannot be saved")


def decode_constant(data: Any) -> Any:
    """The constant of :func:`encode_constant`'s form."""
    if type(data) in (bool, int):
        return data
    if isinstance(data, str):
        return _integer(data)
    match data:
        case ["fraction", numerator, denominator]:
            bottom = _integer(denominator)
            if bottom <= 0:
                raise malformed("a denominator", "positive", denominator)
            return Fraction(_integer(numerator), bottom)
        case ["float", str(text)]:
            try:
                return float(text)
            except ValueError:
                raise malformed("a float", "a decimal number", text) from None
        case ["decimal", str(sign), str(mantissa), int(exponent), int(precision)] if sign in ("+", "-"):
            number = _integer(mantissa)
            if number < 0 or not 1 <= precision <= MAXIMUM_PRECISION or number.bit_length() > precision:
                raise malformed("a long number", f"of at most {MAXIMUM_PRECISION} bits", mantissa)
            parts = from_man_exp(-number if sign == "-" else number, exponent)
            return sp.Float._new(parts, precision, zero=False)
        case ["symbol", str(name)] if name in NAMED:
            return NAMED[name]
    raise malformed("a constant", "an integer, fraction, float or named constant", data)


def _integer(data: Any) -> int:
    if type(data) is int:
        return data
    try:
        return int(data, 16) if isinstance(data, str) and "0x" in data else int("")
    except ValueError:
        raise malformed("an integer", "a number or hexadecimal text", data) from None


# --------------------------------------------------------------------------------------------------------------- axes
def encode_size(size: sp.Expr) -> Any:
    """A size: an integer, the name of a symbol, or a polynomial as [[numerator, denominator, {name: power}], ...].

    >>> encode_size(size_symbol("n") * 2 + 1)
    [[1, 1, {}], [2, 1, {'n': 1}]]
    """
    if size.is_Integer:
        return int(size)
    if size.is_Symbol:
        return size.name
    terms = []
    for term in sp.Add.make_args(size):
        coefficient, rest = term.as_coeff_Mul()
        powers = {}
        for factor in sp.Mul.make_args(rest) if rest is not sp.S.One else ():
            base, exponent = factor.as_base_exp()
            if not base.is_Symbol or not exponent.is_Integer or exponent < 1:
                raise UnsupportedError(f"the size {size} is no polynomial of size symbols and cannot be saved")
            powers[base.name] = int(exponent)
        terms.append([int(coefficient.p), int(coefficient.q), dict(sorted(powers.items()))])
    return sorted(terms, key=lambda term: (list(term[2].items()), term[:2]))


def decode_size(data: Any) -> sp.Expr:
    """The size of :func:`encode_size`'s form."""
    if isinstance(data, str):
        return size_symbol(data)
    if type(data) is int:
        return sp.Integer(data)
    if not isinstance(data, list | tuple):
        raise malformed("a size", "an integer, a name or a list of terms", data)
    terms = []
    for term in data:
        match term:
            case [int(numerator), int(denominator), dict(powers)] if denominator > 0:
                factors = [sp.Rational(numerator, denominator)]
                for name, power in powers.items():
                    if not isinstance(name, str) or type(power) is not int or not 1 <= power <= MAXIMUM_POWER:
                        raise malformed("a power in a size", f"an integer from 1 to {MAXIMUM_POWER}", power)
                    factors.append(size_symbol(name) ** power)
                terms.append(sp.Mul(*factors))
            case _:
                raise malformed("a term of a size", "[numerator, denominator, {name: power}]", term)
    return sp.Add(*terms)


def encode_axis(axis: Axis) -> list[Any]:
    """An axis as [name, size]."""
    return [axis.name, encode_size(axis.size)]


# ---------------------------------------------------------------------------------------------------------- structure
def encode_structure(structure: Structure) -> Any:
    """A structure with lists for tuples: dicts and integers stay."""
    if isinstance(structure, int):
        return structure
    if isinstance(structure, tuple):
        return [encode_structure(part) for part in structure]
    return {name: encode_structure(part) for name, part in structure.items()}


def decode_structure(data: Any) -> Structure:
    """The structure of :func:`encode_structure`'s form."""
    if type(data) is int:
        return data
    if isinstance(data, list | tuple):
        return tuple(decode_structure(part) for part in data)
    if isinstance(data, dict) and all(isinstance(name, str) for name in data):
        return {name: decode_structure(part) for name, part in data.items()}
    raise malformed("a structure", "an integer, a list or a dict of structures", data)


class Reader:
    """Typed access to the data of a graph; the nodes read so far are in ``nodes``."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self.nodes: list[Node] = []
        self._axes: list[Axis] = []
        for row in self.entry("axes", list):
            if not isinstance(row, list | tuple) or len(row) != 2 or not isinstance(row[0], str):
                raise malformed("an axis", "[name, size]", row)
            try:
                self._axes.append(Axis(row[0], decode_size(row[1])))
            except ShapeError as error:
                raise ModelError(f"the axis {row[0]!r} has no valid size: {error}") from None

    def entry(self, key: str, expected: type[Any]) -> Any:
        """A top-level entry of the expected type (a tuple counts as a list)."""
        value = self._data.get(key)
        if not isinstance(value, (list, tuple) if expected is list else expected):
            raise malformed(f"the entry {key!r}", f"a {expected.__name__}", value)
        return value

    def fields(self, row: Any, what: str, *types: type[Any]) -> Any:
        """The fields of a row, checked one by one."""
        names = ", ".join(t.__name__ for t in types)
        if not isinstance(row, list | tuple) or len(row) != len(types):
            raise malformed(what, f"[{names}]", row)
        for value, expected in zip(row, types, strict=True):
            if not isinstance(value, (list, tuple) if expected is list else expected) or type(value) is bool:
                raise malformed(what, f"[{names}]", value)
        return row

    def node(self, number: Any) -> Node:
        """An earlier node."""
        return _item("the number of a node", self.nodes, number)

    def axis(self, number: Any) -> Axis:
        """An axis by its number."""
        return _item("the number of an axis", self._axes, number)

    def axis_tuple(self, numbers: Any) -> tuple[Axis, ...]:
        """Axes by their numbers."""
        if not isinstance(numbers, list | tuple):
            raise malformed("axes", "a list of numbers", numbers)
        return tuple(self.axis(number) for number in numbers)

    def choice(self, what: str, table: Mapping[str, Item], name: Any) -> Item:
        """The entry of a table."""
        if not isinstance(name, str) or name not in table:
            raise malformed(what, f"one of {', '.join(table)}", name)
        return table[name]

    def text(self, value: Any) -> str:
        """A string."""
        if not isinstance(value, str):
            raise malformed("a name", "a string", value)
        return value

    def constant(self, data: Any) -> Any:
        """An exact constant."""
        return decode_constant(data)

    def structure(self, count: int) -> Structure:
        """The structure over ``count`` outputs."""
        try:
            structure = decode_structure(self._data.get("structure"))
        except RecursionError:
            raise ModelError("the structure of the outputs is nested too deep") from None
        if leaf_count(structure) != count:
            raise malformed("the structure", f"over {count} outputs", leaf_count(structure))
        return structure


def _item(what: str, items: list[Item], number: Any) -> Item:
    if type(number) is not int or not 0 <= number < len(items):
        raise malformed(what, f"an integer from 0 to {len(items) - 1}", number)
    return items[number]
