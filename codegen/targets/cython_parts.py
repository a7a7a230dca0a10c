"""Long straight-line bodies, cut into functions: a C compiler takes quadratic time in the size of one function.

Cuts are made where few values are alive. What lives across a cut goes through an array on the stack, whose places are
used again once their value is dead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...dtype import Dtype
from ..loop_ir import (
    Accumulate,
    Alloc,
    Array,
    Block,
    Call,
    Expression,
    For,
    If,
    Let,
    Literal,
    Load,
    Operation,
    Procedure,
    Statement,
    Store,
    Variable,
)  # fmt: skip
from ..scalar_printer import Printer

__all__ = ["Part", "cut_body", "print_parts"]

LIMIT = 2000  # operations: a body with more is cut
PART = 1000  # operations of a part, roughly


@dataclass(frozen=True)
class Part:
    """Consecutive statements, with the variables that they take from earlier parts and leave to later ones."""

    statements: tuple[Statement, ...]
    taken: tuple[tuple[Variable, int], ...]
    left: tuple[tuple[Variable, int], ...]
    names: frozenset[str]


def cut_body(procedure: Procedure) -> list[Part]:
    """The parts of a body; none when the body is short or works on scratch arrays."""
    flat = list(_flat(procedure.body.statements))
    if any(isinstance(s, Alloc) for s in flat):
        return []
    uses = [_mentioned(s) for s in flat]
    weights = [weight for _, _, weight in uses]
    if sum(weights) <= LIMIT:
        return []
    first = {v: k for k, (bound, _, _) in reversed(list(enumerate(uses))) for v in bound}
    last: dict[Variable, int] = {}
    for k, (bound, used, _) in enumerate(uses):
        last.update({v: k for v in (*bound, *used) if isinstance(v, Variable)})
    edges = _cuts(weights, [(k, last[v]) for v, k in first.items()])
    parts_of = [0] * len(flat)
    for number, (start, stop) in enumerate(zip([0, *edges], [*edges, len(flat)], strict=True)):
        parts_of[start:stop] = [number] * (stop - start)
    return _parts(flat, uses, parts_of, first, last)


def _flat(statements: Iterable[Statement]) -> Iterable[Statement]:
    stack = list(reversed(list(statements)))
    while stack:
        statement = stack.pop()
        if isinstance(statement, Block):
            stack.extend(reversed(statement.statements))
        else:
            yield statement


def _mentioned(statement: Statement) -> tuple[dict[Variable, None], dict[Variable | Array, None], int]:
    """(variables bound or changed, variables and arrays read, operations) of one statement with all that it holds."""
    bound: dict[Variable, None] = {}
    used: dict[Variable | Array, None] = {}
    weight = 1
    inner: list[Statement] = [statement]
    while inner:
        current = inner.pop()
        expressions: list[Expression] = []
        match current:
            case Block(statements):
                inner.extend(reversed(statements))
            case Let(variable, value):
                bound[variable] = None
                expressions = [value]
            case Store(array, index, value):
                used[array] = None
                expressions = [index, value]
            case Accumulate(target, _, value):
                expressions = [target, value]
                if isinstance(target, Variable):
                    bound[target] = None
            case For(_, start, stop, body):
                expressions = [start, stop]
                inner.append(body)
            case If(condition, then, otherwise):
                expressions = [condition]
                inner.extend((otherwise, then))
            case Call(_, arguments):
                for argument in arguments:
                    if isinstance(argument, Array):
                        used[argument] = None
                    else:
                        expressions.append(argument)
        while expressions:
            match expressions.pop():
                case Variable() as variable:
                    used[variable] = None
                case Load(array, index):
                    used[array] = None
                    expressions.append(index)
                case Operation(_, operands):
                    weight += 1
                    expressions.extend(operands)
                case Literal():
                    pass
    return bound, used, weight


def _cuts(weights: Sequence[int], lives: Iterable[tuple[int, int]]) -> list[int]:
    """Positions before which to cut: about every ``PART`` operations, where the fewest values are alive."""
    change = [0] * (len(weights) + 1)
    for start, stop in lives:
        if stop > start:
            change[start + 1] += 1
            change[stop + 1] -= 1
    alive, live = 0, []
    for step in change:
        alive += step
        live.append(alive)
    edges: list[int] = []
    window: list[int] = []
    total = 0
    for position, weight in enumerate(weights):
        total += weight
        if total > PART * 3 // 4:
            window.append(position + 1)
        if total > PART * 5 // 4:
            best = min(window, key=lambda p: (live[p], p))
            if best < len(weights):
                edges.append(best)
            total = sum(weights[best : position + 1])
            window = [p for p in window if p > best and sum(weights[best:p]) > PART * 3 // 4]
    return edges


Uses = Sequence[tuple[dict[Variable, None], dict["Variable | Array", None], int]]


def _parts(
    flat: Sequence[Statement], uses: Uses, parts_of: Sequence[int], first: Mapping[Variable, int],
    last: Mapping[Variable, int],
) -> list[Part]:  # fmt: skip
    crossing = {v for v, k in first.items() if parts_of[k] != parts_of[last[v]]}
    places: dict[Variable, int] = {}
    free: dict[Dtype, list[int]] = {}
    used_places: dict[Dtype, int] = {}
    parts = []
    for number, positions in enumerate(_group(parts_of)):
        bound: dict[Variable, None] = {}
        used: dict[Variable | Array, None] = {}
        for k in positions:
            bound.update(uses[k][0])
            used.update(uses[k][1])
        taken = [v for v in used if isinstance(v, Variable) and v in crossing and parts_of[first[v]] < number]
        taken += [v for v in bound if v in crossing and parts_of[first[v]] < number and v not in used]
        left = [v for v in bound if v in crossing and parts_of[last[v]] > number]
        for v in left:
            if v not in places:
                spare = free.setdefault(v.dtype, [])
                places[v] = spare.pop() if spare else used_places.get(v.dtype, 0)
                used_places[v.dtype] = max(used_places.get(v.dtype, 0), places[v] + 1)
        parts.append(Part(
            tuple(flat[k] for k in positions), tuple((v, places[v]) for v in taken),
            tuple((v, places[v]) for v in left), frozenset(v.name for v in used),
        ))  # fmt: skip
        for v in taken:
            if parts_of[last[v]] == number:
                free.setdefault(v.dtype, []).append(places[v])
    return parts


def _group(parts_of: Sequence[int]) -> list[list[int]]:
    groups: list[list[int]] = [[] for _ in range(parts_of[-1] + 1)]
    for position, number in enumerate(parts_of):
        groups[number].append(position)
    return groups


def print_parts(
    parts: Sequence[Part], printer: Printer, parameters: Mapping[str, str], kinds: Mapping[Dtype, str], name: str,
) -> tuple[list[str], list[str]]:  # fmt: skip
    """The text of the functions, and the lines of a body that calls them.

    ``parameters`` maps the printed name of each parameter to its declaration; ``kinds`` the dtype of a kept variable to
    its type.
    """
    sizes: dict[Dtype, int] = {}
    for part in parts:
        for v, place in part.left:
            sizes[v.dtype] = max(sizes.get(v.dtype, 0), place + 1)
    arrays = {dtype: f"kept_{kinds[dtype]}" for dtype in sorted(sizes)}
    functions, calls = [], []
    names = printer.names
    for number, part in enumerate(parts, 1):
        wanted = {names[n] for n in part.names if n in names}
        own = [p for p in parameters if p in wanted]
        declared = [*(parameters[p] for p in own), *(f"{kinds[d]}* {array}" for d, array in arrays.items())]
        before = len(printer.declarations)
        changed = {v for statement in part.statements for v in _mentioned(statement)[0]}
        # what is only read stands where it is kept: a copy would be one more value to find a register for
        printer.names = {**names, **{v.name: f"{arrays[v.dtype]}[{k}]" for v, k in part.taken if v not in changed}}
        head = [f"    cdef {kinds[v.dtype]} {names[v.name]} = {arrays[v.dtype]}[{k}]"
                for v, k in part.taken if v in changed]  # fmt: skip
        left, lines = dict(part.left), []
        for statement in part.statements:
            lines += printer.block(Block((statement,)))
            if isinstance(statement, Let) and not statement.mutable and statement.variable in left:
                v = statement.variable
                lines.append(f"    {arrays[v.dtype]}[{left.pop(v)}] = {names[v.name]}")
        inner = printer.declarations[before:]
        tail = [f"    {arrays[v.dtype]}[{k}] = {names[v.name]}" for v, k in left.items()]
        local = [f"    cdef {kinds[dtype] if varies else _NUMBERS[dtype]} {text}" for text, dtype, varies in inner]
        title = f"cdef void {name}_part_{number}({', '.join(declared)}) noexcept nogil:"
        functions.append("\n".join([title, *local, *head, *lines, *tail]))
        calls.append(f"    {name}_part_{number}({', '.join([*own, *arrays.values()])})")
    printer.names = names
    stack = [f"    cdef {kinds[dtype]}[{size}] kept_{kinds[dtype]}" for dtype, size in sorted(sizes.items())]
    return functions, [*stack, *calls]


_NUMBERS = ("bint", "int64_t", "real")
