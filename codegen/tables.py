"""Constants as data: many elements that are numbers times one value are written by a loop over a table.

A matrix of numbers times a symbol has one statement per element otherwise, and a compiler takes longer for them than
for anything else. The numbers are those of the statements, so the results are the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..dtype import FLOATING, INTEGER
from .expressions import integer
from .literals import nearest
from .loop_ir import (
    Array,
    Block,
    Call,
    Expression,
    For,
    Let,
    Literal,
    Load,
    Operation,
    Procedure,
    Statement,
    Store,
    Table,
    Variable,
)  # fmt: skip
from .loop_walks import expressions_of, mentions, walk
from .names import bound_names, free_name

__all__ = ["with_tables"]

FEWEST = 64  # elements: fewer statements are easier to read than a table
Multiple = tuple[Literal, Variable | None]  # a coefficient, and what it multiplies


def with_tables(procedure: Procedure) -> Procedure:
    """The procedure with tables in place of long runs of stores; the very procedure where there are none."""
    statements = _flat(procedure.body)
    lets: dict[Variable, Multiple] = {}
    for statement in statements:
        if isinstance(statement, Let) and not statement.mutable:
            bound = _multiple(statement.value, {})
            if bound is not None:
                lets[statement.variable] = bound
    groups: dict[tuple[Array, Variable | None], list[int]] = {}
    found: dict[int, Multiple] = {}
    for position, statement in enumerate(statements):
        if isinstance(statement, Store) and isinstance(statement.index, Literal):
            multiple = _multiple(statement.value, lets)
            if multiple is not None:
                found[position] = multiple
                groups.setdefault((statement.array, multiple[1]), []).append(position)
    taken = set(bound_names(procedure))
    tables: list[Table] = []
    loops: dict[int, For] = {}
    gone: set[int] = set()
    for (array, core), positions in groups.items():
        if len(positions) >= FEWEST and _alone(array, statements, positions):
            stores = [statements[k] for k in positions]
            loop, made = _loop(array, core, stores, [found[k][0] for k in positions], taken)
            tables += made
            loops[positions[-1]] = loop
            gone.update(positions)
    if not tables:
        return procedure
    kept = [loops.get(k, s) for k, s in enumerate(statements) if k not in gone or k in loops]
    used = {name for s in walk(kept) for e in expressions_of(s) for name in _variables(e)}
    kept = [s for s in kept if not (isinstance(s, Let) and s.variable in lets and s.variable.name not in used)]
    return replace(procedure, body=Block(tuple(kept)), tables=tuple(tables))


def _flat(block: Block) -> list[Statement]:
    return [inner for s in block.statements for inner in (_flat(s) if isinstance(s, Block) else [s])]


def _multiple(value: Expression, lets: Mapping[Variable, Multiple]) -> Multiple | None:
    """A floating value as a finite number times a variable, or a finite number alone."""
    match value:
        case Literal(_, dtype) if dtype is FLOATING and _is_finite(value):
            return value, None
        case Operation("mul", (Literal() as number, Variable() as core), dtype) if dtype is FLOATING:
            return (number, core) if core.dtype is FLOATING and _is_finite(number) else None
        case Operation("neg", (Variable() as core,)) if core.dtype is FLOATING:
            return Literal(-1, FLOATING), core
        case Variable():
            return lets.get(value)
    return None


def _is_finite(number: Literal) -> bool:
    return math.isfinite(nearest(number.value, "float32"))


def _alone(array: Array, statements: Sequence[Statement], positions: Sequence[int]) -> bool:
    """Whether nothing reads the array, and nothing but these stores writes it from the first of them on."""
    if any(mentions(e, {array.name}) for s in walk(statements) for e in expressions_of(s)):
        return False
    chosen = set(positions)
    for position in range(positions[0], len(statements)):
        if position not in chosen:
            for inner in walk([statements[position]]):
                if isinstance(inner, Store) and inner.array == array and not isinstance(inner.index, Literal):
                    return False
                if isinstance(inner, Call) and array in inner.arguments:
                    return False
    return True


def _loop(
    array: Array, core: Variable | None, stores: Sequence[Statement], numbers: Sequence[Literal], taken: set[str]
) -> tuple[For, list[Table]]:
    places = [int(str(s.index.value)) for s in stores if isinstance(s, Store) and isinstance(s.index, Literal)]
    count = len(places)
    counter = Variable(free_name("entry", taken), INTEGER)
    coefficients = Array(free_name(f"numbers_of_{array.name}", taken), FLOATING, (integer(count),))
    tables = [Table(coefficients, tuple(numbers))]
    place: Expression = counter
    if places != list(range(count)):
        where = Array(free_name(f"places_in_{array.name}", taken), INTEGER, (integer(count),))
        tables.append(Table(where, tuple(integer(k) for k in places)))
        place = Load(where, counter)
    number: Expression = Load(coefficients, counter)
    value = number if core is None else Operation("mul", (number, core), FLOATING)
    comment = "".join(s.comment for s in stores if isinstance(s, Store))
    return For(counter, integer(0), integer(count), Block((Store(array, place, value),)), comment=comment), tables


def _variables(expression: Expression) -> set[str]:
    names, stack = set(), [expression]
    while stack:
        match stack.pop():
            case Variable(name):
                names.add(name)
            case Load(_, index):
                stack.append(index)
            case Operation(_, operands):
                stack.extend(operands)
    return names
