"""Formula pieces to graph nodes, with an explicit stack: nesting of any depth, and nothing is evaluated on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

import sympy as sp

from .. import simplify as s
from ..axis import Axis
from ..dtype import BOOLEAN, INTEGER
from ..errors import UnsupportedError
from ..node import Node, axis_index, constant, size_node
from ..reducers import size_value
from .formula_functions import CONSTANTS, FUNCTIONS, REFUSED
from .formula_operations import (
    bound_value,
    branches,
    compare,
    limit_constants,
    literal,
    multiply,
    number,
    piecewise,
    power,
    require_condition,
)
from .formula_ranges import AxisPool, Range
from .formula_scan import REDUCTIONS, Scan
from .formula_syntax import FormulaError, Piece, Source, suggest

__all__ = ["BoundIndex", "Builder", "Definition", "UnknownFunctionError"]

_NEUTRAL = {"sum": constant(0), "product": constant(1)}


class UnknownFunctionError(FormulaError, UnsupportedError):
    """A call to a function that formulas do not know."""


@dataclass
class Definition:
    """An earlier line: its node and, for an array, its axes in order."""

    node: Node
    axes: tuple[Axis, ...] = ()


@dataclass
class BoundIndex:
    """A bound index: the node of its value, its axis, and the symbol that bounds use for it."""

    value: Node
    axis: Axis
    symbol: sp.Symbol


Environment: TypeAlias = Mapping[str, BoundIndex]


@dataclass
class Builder:
    """Makes nodes of pieces.

    Attributes
    ----------
    inputs:
        Input nodes by name.
    sizes:
        Names that stand for sizes.
    scan:
        What the first pass found.
    definitions:
        Earlier lines by name; the caller adds each line when it is built.
    """

    inputs: dict[str, Node]
    sizes: Mapping[str, object]
    scan: Scan
    definitions: dict[str, Definition] = field(default_factory=dict)
    pool: AxisPool = field(default_factory=AxisPool)

    def build(self, source: Source, body: Piece, outer: Environment) -> Node:
        """The node of ``body``, where the names of ``outer`` are bound."""
        values: list[Node] = []
        actions: list[Callable[[], None]] = []

        def visit(piece: Piece, environment: Environment) -> None:
            if piece.kind == "call" and piece.value in REDUCTIONS:
                inner, close = self._open(source, piece, environment)
                actions.append(lambda: values.append(close(values.pop())))
                actions.append(lambda: visit(self.scan.binders[piece].body, inner))
                return
            parts = piece.parts
            if piece.kind == "call" and piece.value == "Piecewise":
                parts = branches(source, piece)
            count = len(parts)

            def combine() -> None:
                arguments = values[len(values) - count :]
                del values[len(values) - count :]
                values.append(self._combine(source, piece, arguments, environment))

            actions.append(combine)
            for part in reversed(parts):
                actions.append(partial(visit, part, environment))

        visit(body, outer)
        while actions:
            actions.pop()()
        return values.pop()

    # -------------------------------------------------------------------------------------------------- binders
    def bind(self, name: str, range_: Range, environment: Environment, occupied: Sequence[Axis]) -> BoundIndex:
        """An axis for an index, and the node of the index: the running index of the axis plus the least bound."""
        size = sp.expand(range_.maximum - range_.minimum + 1)
        axis = self.pool.take(name, sp.Integer(0) if size.is_negative else size, occupied)
        return BoundIndex(s.add(axis_index(axis), size_value(range_.minimum, s.call)), axis, range_.symbol)

    def _open(
        self, source: Source, piece: Piece, environment: Environment
    ) -> tuple[dict[str, BoundIndex], Callable[[Node], Node]]:
        binder = self.scan.binders[piece]
        occupied = [environment[name].axis for name in binder.uses if name in environment]
        inner = dict(environment)
        opened: list[tuple[Axis, list[Node]]] = []
        symbols = {index.symbol: index.value for index in environment.values()}
        for name, range_ in binder.indices:
            index = self.bind(name, range_, inner, occupied)
            occupied.append(index.axis)
            conditions = []
            if range_.low != range_.minimum:
                conditions.append(s.call("le", bound_value(range_.low, symbols), index.value))
            if range_.high != range_.maximum:
                conditions.append(s.call("le", index.value, bound_value(range_.high, symbols)))
            opened.append((index.axis, conditions))
            inner[name] = index
            symbols[range_.symbol] = index.value
        neutral = _NEUTRAL[binder.reducer]

        def close(value: Node) -> Node:
            value = number(value)
            for axis, conditions in reversed(opened):
                if conditions:
                    value = s.select(s.logical_and(*conditions), value, neutral)
                value = s.reduce(binder.reducer, value, axis)
            return value

        return inner, close

    # -------------------------------------------------------------------------------------------- one piece each
    def _combine(self, source: Source, piece: Piece, arguments: list[Node], environment: Environment) -> Node:
        match piece.kind:
            case "name":
                return self._name(source, piece, environment)
            case "integer" | "decimal":
                return literal(source, piece)
            case "boolean":
                return constant(bool(piece.value))
            case "signed":
                return s.neg(number(arguments[0])) if piece.value == "-" else number(arguments[0])
            case "add":
                signs = ("+", *piece.value)
                terms = [number(a) for a in arguments]
                limit_constants(source, piece, terms)
                return s.add(*[t if sign == "+" else s.neg(t) for sign, t in zip(signs, terms, strict=True)])
            case "multiply":
                return multiply(source, piece, [number(a) for a in arguments])
            case "power":
                return power(source, piece, number(arguments[0]), number(arguments[1]))
            case "compare":
                pairs = zip(piece.value, arguments, arguments[1:], strict=False)
                return s.logical_and(*[compare(sign, left, right) for sign, left, right in pairs])
            case "index":
                return self._gather(source, piece, arguments)
            case "call":
                return self._call(source, piece, arguments)
        raise source.error(piece.at, "a list in brackets stands only as limits of a sum or as a branch of Piecewise")

    def _name(self, source: Source, piece: Piece, environment: Environment) -> Node:
        name = piece.value
        if name in environment:
            return environment[name].value
        found = self._value(name)
        if found is not None:
            if found.axes:
                example = ", ".join("ijklmn"[k % 6] for k in range(len(found.axes)))
                raise source.error(piece.at, f"{name!r} is an array: read its elements, as in {name}[{example}]")
            return found.node
        if name in self.sizes:
            return size_node(name)
        if name in CONSTANTS:
            return CONSTANTS[name]
        known = [*self.inputs, *self.definitions, *self.sizes, *environment]
        raise source.error(piece.at, f"{name!r} is not known{suggest(name, known)}")

    def _value(self, name: str) -> Definition | None:
        if name in self.inputs:
            return Definition(self.inputs[name], self.inputs[name].axes)
        return self.definitions.get(name)

    def _gather(self, source: Source, piece: Piece, arguments: list[Node]) -> Node:
        found = self._value(piece.value)
        if found is None:
            known = [*self.inputs, *self.definitions]
            raise source.error(piece.at, f"there is no array {piece.value!r}{suggest(piece.value, known)}")
        array, axes = found.node, found.axes
        if not axes:
            raise source.error(piece.at, f"{piece.value!r} is a scalar and has no elements; declare it as an array: "
                               f"-i '{piece.value}: f64[n]'")  # fmt: skip
        if len(axes) != len(arguments):
            raise source.error(piece.at, f"{piece.value!r} has {len(axes)} axes, {len(arguments)} indices were given")
        for part, index in zip(piece.parts, arguments, strict=True):
            if index.dtype is not INTEGER:
                raise source.error(part.at, f"an index of {piece.value!r} is not an integer; divide with '//'")
        places = {axis: index for axis, index in zip(axes, arguments, strict=True) if axis in array.axes}
        return s.gather(array, places) if places else array

    def _call(self, source: Source, piece: Piece, arguments: list[Node]) -> Node:
        name = piece.value
        if name == "Piecewise":
            return piecewise(source, piece, arguments)
        row = FUNCTIONS.get(name)
        if row is None:
            if name in self.definitions:
                raise source.error(piece.at, f"{name!r} is a value, not a function: use it without brackets")
            if name in REFUSED:
                raise source.error(piece.at, REFUSED[name])
            near = suggest(name, [*FUNCTIONS, *REDUCTIONS, "Piecewise"])
            error = source.error(piece.at, f"unknown function {name!r}{near}")
            raise UnknownFunctionError(str(error), error.line, error.column)
        if len(arguments) < row.fewest or (row.most is not None and len(arguments) > row.most):
            wanted = str(row.fewest) if row.most == row.fewest else f"at least {row.fewest}"
            if row.most is not None and row.most != row.fewest:
                wanted = f"{row.fewest} to {row.most}"
            raise source.error(piece.at, f"{name} takes {wanted} arguments, {len(arguments)} were given")
        for position, argument in enumerate(arguments):
            if row.conditions == "all" or position in row.conditions:
                require_condition(source, piece.parts[position], argument)
            elif name not in ("where", "ITE"):
                arguments[position] = number(argument)
        if name in ("where", "ITE") and (arguments[1].dtype is BOOLEAN) != (arguments[2].dtype is BOOLEAN):
            arguments[1:] = [number(a) for a in arguments[1:]]
        return row.build(*arguments)
