"""The first look at formulas: which names are scalars, arrays, sizes and indices, and what the indices run over.

A formula uses names before anything says what they are, so that one pass over all lines collects the uses and a
second one (`formula_build`) makes nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import sympy as sp

from .formula_ranges import Range, largest, size_polynomial, smallest
from .formula_syntax import FormulaError, Piece, Source

__all__ = ["REDUCTIONS", "ArrayUse", "Binder", "Line", "Scan", "bind", "index_extent", "make_range", "read_line"]

REDUCTIONS = {"Sum": "sum", "sum": "sum", "Product": "product", "product": "product", "prod": "product"}
_CHOICES = ("where", "Piecewise", "ITE")
_MAXIMUM_BINDERS = 32


@dataclass
class Line:
    """One formula: what it defines and how.

    ``parameters`` is None, or the argument order of ``f(x, y) = ...``; ``indices`` are those of ``r[i, j] = ...``.
    """

    source: Source
    name: str | None
    body: Piece
    parameters: tuple[str, ...] | None = None
    indices: tuple[Piece, ...] = ()


@dataclass
class Binder:
    """A sum or product: its reducer, its indices from the outermost in, and the outer indices it depends on."""

    reducer: str
    indices: tuple[tuple[str, Range], ...]
    body: Piece
    uses: dict[str, None] = field(default_factory=dict)


@dataclass
class ArrayUse:
    """One reading of an array: where, under which ranges, and whether a condition stands around it."""

    source: Source
    piece: Piece
    ranges: dict[str, Range]
    conditional: bool


def read_line(source: Source, piece: Piece) -> Line:
    """The line that a parsed statement says."""
    if piece.kind == "statement":
        return Line(source, None, piece.parts[0])
    target, body = piece.parts
    if target.kind == "name":
        return Line(source, target.value, body)
    if target.kind in ("call", "index") and all(p.kind == "name" for p in target.parts):
        names = tuple(p.value for p in target.parts)
        for position, name in enumerate(names):
            if name in names[:position]:
                raise source.error(target.parts[position].at, f"{name!r} appears twice on the left")
        if target.kind == "call":
            return Line(source, target.value, body, parameters=names)
        return Line(source, target.value, body, indices=target.parts)
    raise source.error(target.at, "on the left of '=' stands a name, 'f(x, y)' or 'r[i, j]'")


class Scan:
    """Uses of names in formulas.

    Attributes
    ----------
    scalars, sizes:
        Name to the place of its first use as a value, or in a bound.
    arrays:
        Name to its readings.
    integers:
        Names whose values are used as an index.
    binders:
        What each sum or product piece binds.
    bound:
        Every index name, with the place of its first binding.
    """

    def __init__(self, definitions: Mapping[str, Line]) -> None:
        self._definitions = definitions
        self.scalars: dict[str, tuple[Source, int]] = {}
        self.sizes: dict[str, tuple[Source, int]] = {}
        self.arrays: dict[str, list[ArrayUse]] = {}
        self.integers: dict[str, None] = {}
        self.binders: dict[Piece, Binder] = {}
        self.bound: dict[str, tuple[Source, int]] = {}

    def read(self, source: Source, body: Piece, ranges: dict[str, Range]) -> None:
        """Collect the uses in ``body``, under the ranges of the indices that are bound around it."""
        # entries: piece, ranges by name, open binders from the outermost in, inside an index, inside a choice
        stack: list[tuple[Piece, dict[str, Range], tuple[Binder, ...], bool, bool]] = [(body, ranges, (), False, False)]
        while stack:
            piece, known, opened, indexing, conditional = stack.pop()
            if piece.kind == "name":
                if piece.value in known:
                    _mark(piece.value, opened)
                else:
                    self.scalars.setdefault(piece.value, (source, piece.at))
                    if indexing:
                        self.integers.setdefault(piece.value)
                continue
            if piece.kind == "call" and piece.value in REDUCTIONS:
                binder, inner = self._open(source, piece, known, opened)
                self.binders[piece] = binder
                stack.append((binder.body, inner, (*opened, binder), indexing, conditional))
                continue
            if piece.kind == "index":
                if piece.value in known:
                    raise source.error(piece.at, f"{piece.value!r} is an index here, not an array")
                self.arrays.setdefault(piece.value, []).append(ArrayUse(source, piece, known, conditional))
                if indexing:
                    self.integers.setdefault(piece.value)
                indexing = True
            elif piece.kind == "call" and piece.value in _CHOICES:
                conditional = True
            stack.extend((part, known, opened, indexing, conditional) for part in reversed(piece.parts))

    def _open(
        self, source: Source, piece: Piece, known: dict[str, Range], opened: tuple[Binder, ...]
    ) -> tuple[Binder, dict[str, Range]]:
        body, limits = _limits(source, piece)
        if len(opened) + len(limits) > _MAXIMUM_BINDERS:
            raise source.error(piece.at, f"sums and products are nested more than {_MAXIMUM_BINDERS} deep")
        binder = Binder(REDUCTIONS[piece.value], (), body)
        inner, indices = dict(known), []
        for name, low, high in limits:
            self._bounds(source, (low, high), inner, (*opened, binder))
            indices.append((name.value, make_range(source, name, low, high, inner)))
            inner = bind(inner, *indices[-1])
            self.bound.setdefault(name.value, (source, name.at))
            binder.indices = tuple(indices)
        for name, _ in indices:
            binder.uses.pop(name, None)
        return binder, inner

    def _bounds(
        self, source: Source, bounds: tuple[Piece, ...], known: dict[str, Range], opened: tuple[Binder, ...]
    ) -> None:
        stack = list(reversed(bounds))
        while stack:
            piece = stack.pop()
            if piece.kind == "name":
                if piece.value in known:
                    _mark(piece.value, opened)
                elif piece.value in self._definitions:
                    raise source.error(piece.at, f"the bound uses {piece.value!r}, which an earlier line defines; "
                                       "write sizes of arrays or integers")  # fmt: skip
                else:
                    self.sizes.setdefault(piece.value, (source, piece.at))
            stack.extend(reversed(piece.parts))


def bind(known: Mapping[str, Range], name: str, range_: Range) -> dict[str, Range]:
    """The ranges with one more, innermost. A range that it hides stays, for the bounds that mention it."""
    return {(f"{key} hidden by {len(known)}" if key == name else key): r for key, r in known.items()} | {name: range_}


def _mark(name: str, opened: tuple[Binder, ...]) -> None:
    """An index that is bound outside of a binder is something the binder depends on."""
    for binder in reversed(opened):
        if any(name == index for index, _ in binder.indices):
            return
        binder.uses.setdefault(name)


def _limits(source: Source, piece: Piece) -> tuple[Piece, list[tuple[Piece, Piece, Piece]]]:
    """The body and the limits, outermost first: of ``Sum(body, (i, lo, hi), ...)`` or ``sum(i, lo, hi, body)``."""
    parts = piece.parts
    if len(parts) == 4 and parts[0].kind == "name" and not any(p.kind == "record" for p in parts):
        return parts[3], [(parts[0], parts[1], parts[2])]
    limits: list[tuple[Piece, Piece, Piece]] = []
    for record in reversed(parts[1:]):
        if record.kind != "record" or len(record.parts) != 3 or record.parts[0].kind != "name":
            raise source.error(record.at, f"{piece.value} expects limits such as (i, 0, n - 1)")
        limits.append((record.parts[0], record.parts[1], record.parts[2]))
    if not limits:
        raise source.error(piece.at, f"{piece.value} expects a body and limits: {piece.value}(x[i], (i, 0, n - 1))")
    return parts[0], limits


def make_range(source: Source, name: Piece, low: Piece, high: Piece, known: Mapping[str, Range]) -> Range:
    """The range of an index, inside the ranges that are known already."""
    first, last = size_polynomial(source, low, known), size_polynomial(source, high, known)
    outer = tuple(known.values())
    minimum, maximum = smallest(first, outer), largest(last, outer)
    if minimum is None or maximum is None:
        raise source.error((low if minimum is None else high).at,
                           f"the bound of {name.value!r} must be affine in the outer indices")  # fmt: skip
    return Range(sp.Dummy(name.value, integer=True), first, last, minimum, maximum)


def index_extent(use: ArrayUse, piece: Piece) -> tuple[sp.Expr, sp.Expr] | None:
    """Least and greatest value of an index expression; None where it is not affine in indices, or is data."""
    ranges = tuple(use.ranges.values())
    try:
        value = size_polynomial(use.source, piece, use.ranges)
    except FormulaError:
        return None
    low, high = smallest(value, ranges), largest(value, ranges)
    return None if low is None or high is None else (low, high)
