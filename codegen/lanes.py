"""Which loops run over lanes: several turns at a time, one in each lane of a short vector.

A loop qualifies when nothing in it but values and places depends on its index: the bounds of inner loops and branches
are the same for all turns, no turn reads what another one writes, and what the turns accumulate together may be
combined in any order (which the exact mode forbids). Of nested loops that qualify the outer one is taken, whose
inner loops then work on lane values, unless an inner one reads and writes neighbouring elements where the outer one
would take strides.

Rows of an input that inner loops read again and again are copied to lanes first, element by element.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..dtype import INTEGER
from .expressions import integer, integer_product, integer_sum
from .lane_access import array_uses, rewritten, row_position
from .lane_values import RefusalError, Supports, Turn
from .loop_ir import (
    Accumulate,
    Alloc,
    Array,
    Block,
    Collected,
    Expression,
    For,
    If,
    Lanes,
    Literal,
    Load,
    Procedure,
    Statement,
    Store,
    Variable,
)  # fmt: skip
from .loop_walks import walk
from .names import bound_names

__all__ = ["Decision", "lanes_text", "over_lanes"]

FEWEST = 8  # turns: a loop that is known to have fewer stays as it is
SMALL_BODY, LARGE_BODY = 12, 60  # operations


@dataclass(frozen=True)
class Decision:
    """What became of one loop: ``reason`` is "" when it runs over lanes, and why not otherwise."""

    index: str
    reason: str
    strip: int = 1


def over_lanes(
    procedure: Procedure, supports: Supports, *, exact: bool = False, threads: int = 1
) -> tuple[Procedure, tuple[Decision, ...]]:
    """The procedure with lanes in the loops that qualify, and what was decided for each loop.

    Parameters
    ----------
    procedure:
        Loops over numbers.
    supports:
        Whether the target has an operation on lanes.
    exact:
        No sum may be taken in another order.
    threads:
        Of parallel loops.
    """
    return _Pass(procedure, supports, exact, threads).run()


def lanes_text(decisions: Sequence[Decision]) -> list[str]:
    """Lines for `explain`: which loops run over lanes, and why the others do not.

    >>> lanes_text([Decision("i", "", 4), Decision("j", "few turns")])
    ['lanes: i in strips of 4 vectors', 'one turn at a time: j (few turns)']
    """
    taken = [d for d in decisions if not d.reason]
    strips = [f"{d.index} in strips of {d.strip} vectors" if d.strip > 1 else d.index for d in taken]
    single = [f"{d.index} ({d.reason})" for d in decisions if d.reason]
    lines = [f"lanes: {', '.join(strips)}"] if strips else []
    return [*lines, f"one turn at a time: {', '.join(single)}"] if single else lines


class _Pass:
    def __init__(self, procedure: Procedure, supports: Supports, exact: bool, threads: int) -> None:
        self.procedure = procedure
        self.supports = supports
        self.exact = exact
        self.threads = threads
        self.taken = set(bound_names(procedure))
        self.uses = array_uses([procedure.body])
        self.allocs = {s.array.name: s for s in procedure.body.statements if isinstance(s, Alloc)}
        # a size that inner loops have as well is one of the model, not of the data: strips would be longer than it
        self.inner_sizes = {
            _name(inner.stop) for outer in walk(procedure.body.statements) if isinstance(outer, For)
            for inner in walk(outer.body.statements) if isinstance(inner, For)
        } - {""}  # fmt: skip
        self.parameters = {a.name for a in (*procedure.inputs, *procedure.outputs)}
        self.added: list[Alloc] = []
        self.replaced: dict[str, Alloc] = {}
        self.decisions: list[Decision] = []

    def run(self) -> tuple[Procedure, tuple[Decision, ...]]:
        body = tuple(self.statement(s, 0) for s in self.procedure.body.statements)
        body = tuple(self.replaced.get(s.array.name, s) if isinstance(s, Alloc) else s for s in body)
        place = next((k for k, s in enumerate(body) if not isinstance(s, Alloc)), len(body))
        body = (*body[:place], *self.added, *body[place:])
        return replace(self.procedure, body=Block(body)), tuple(self.decisions)

    def new(self, text: str) -> str:
        name, number = text, 1
        while name in self.taken:
            number += 1
            name = f"{text}_{number}"
        self.taken.add(name)
        return name

    # ------------------------------------------------------------------------------------------------ which loops
    def statement(self, statement: Statement, depth: int) -> Statement:
        match statement:
            case Block(statements):
                return Block(tuple(self.statement(s, depth) for s in statements))
            case If(condition, then, otherwise):
                blocks = (Block(tuple(self.statement(s, depth + 1) for s in b.statements)) for b in (then, otherwise))
                return If(condition, *blocks)
            case For():
                return self.loop(statement, depth, "")
        return statement

    def loop(self, loop: For, depth: int, outer: str) -> Statement:
        try:
            turn = self.judge(loop, depth, outer)
        except RefusalError as refusal:
            self.decisions.append(Decision(loop.index.name, str(refusal)))
        else:
            inner = loop.body.statements[0] if len(loop.body.statements) == 1 else None
            if isinstance(inner, For) and turn.strided and self.runs_along(inner):
                self.decisions.append(Decision(loop.index.name, f"neighbours lie along {inner.index.name}"))
                return replace(loop, body=Block((self.take(inner, self.judge(inner, depth + 1, "*")),)))
            return self.take(loop, turn)
        body = tuple(
            self.loop(s, depth + 1, _name(loop.stop)) if isinstance(s, For) else self.statement(s, depth + 1)
            for s in loop.body.statements
        )
        return replace(loop, body=Block(body))

    def runs_along(self, inner: For) -> bool:
        """Whether an inner loop reads and writes neighbouring elements only, and keeps nothing."""
        try:
            turn = self.judge(inner, 1, "*")
        except RefusalError:
            return False
        return not turn.strided and not turn.private and not turn.shared

    def judge(self, loop: For, depth: int, outer: str) -> Turn:
        """What one turn of a loop does; raises RefusalError where lanes are impossible or do not pay."""
        ends = [int(str(e.value)) for e in (loop.start, loop.stop) if isinstance(e, Literal)]
        if len(ends) == 2 and ends[1] - ends[0] < FEWEST:
            raise RefusalError("few turns")
        if depth and outer != "*" and not (outer and outer == _name(loop.stop)):
            raise RefusalError("it lies in a loop, and may be short")
        turn = Turn(loop, self.allocs, self.uses, self.supports, self.exact)
        if depth and (turn.private or any(isinstance(a.target, Load) and not turn.is_fixed(a.target.index)
                                          for a in turn.shared)):  # fmt: skip
            raise RefusalError("it lies in a loop, and its tables would be cleared in every turn of that")
        if not turn.operations:
            raise RefusalError("nothing is computed")
        return turn

    # ------------------------------------------------------------------------------------------------- into lanes
    def take(self, loop: For, turn: Turn) -> For:
        """The loop over lanes."""
        short = _name(loop.stop) in self.inner_sizes or (self.threads > 1 and loop.parallel)
        strip = 1 if short else _strip(turn)
        private = {name: self.private(self.allocs[name], strip) for name in turn.private}
        collected: dict[Variable | Load | str, Collected] = {}
        for statement in turn.shared:
            target = statement.target
            key = target if isinstance(target, Variable) or turn.is_fixed(target.index) else target.array.name
            if key not in collected:
                collected[key] = self.collected(statement, key)
        rows, head = self.rows(loop, turn, strip)

        def arrays(array: Array) -> Array:
            return private.get(array.name, array)

        def change(expression: Expression) -> Expression:
            if isinstance(expression, Load) and expression.array.name in rows:
                position = row_position(expression, loop.index, turn.varying)
                assert position is not None
                return Load(rows[expression.array.name], position)
            return expression

        def targets(statement: Accumulate) -> Accumulate:
            target = statement.target
            if target in collected:
                single = collected[target].by
                assert isinstance(single, Variable)
                return replace(statement, target=single)
            if isinstance(target, Variable):
                return statement
            if target.array.name in collected and not turn.moves(target.index):
                by = collected[target.array.name].by
                assert isinstance(by, Array)
                return replace(statement, target=Load(by, target.index))
            return statement

        body = rewritten(loop.body, change, targets, arrays)
        assert isinstance(body, Block)
        self.decisions.append(Decision(loop.index.name, "", strip))
        return replace(loop, body=Block((*head, *body.statements)), lanes=Lanes(strip, tuple(collected.values())))

    def private(self, alloc: Alloc, strip: int) -> Array:
        array = replace(alloc.array, lanes=strip)
        self.replaced[array.name] = Alloc(array, alloc.size)
        return array

    def collected(self, statement: Accumulate, key: Variable | Load | str) -> Collected:
        target = statement.target
        if isinstance(target, Variable) or not isinstance(key, str):
            name = target.name if isinstance(target, Variable) else target.array.name
            variable = Variable(self.new(f"{name}_lanes"), target.dtype)
            return Collected(target, variable, statement.reducer, integer(1))
        array = Array(self.new(f"{key}_lanes"), target.dtype, target.array.shape, lanes=1)
        size: Expression = integer(1)
        if key in self.allocs:
            size = self.allocs[key].size
        else:
            for extent in array.shape:
                size = integer_product(size, extent)
        self.added.append(Alloc(array, size))
        return Collected(target.array, array, statement.reducer, size)

    def rows(self, loop: For, turn: Turn, strip: int) -> tuple[dict[str, Array], list[Statement]]:
        """Copies of rows that inner loops read repeatedly, and the loops that make them."""
        found: dict[str, Array] = {}
        head: list[Statement] = []
        for array in turn.repeated_rows if self.threads == 1 or not loop.parallel else ():
            if array.name not in self.parameters or array.shape[0] != loop.stop:
                continue
            size: Expression = integer(1)
            for extent in array.shape[1:]:
                size = integer_product(size, extent)
            copy = Array(self.new(f"{array.name}_row"), array.dtype, array.shape[1:], lanes=strip)
            column = Variable(self.new(f"column_of_{array.name}"), INTEGER)
            self.added.append(Alloc(copy, size))
            read = Load(array, integer_sum(integer_product(loop.index, size), column))
            head.append(For(column, integer(0), size, Block((Store(copy, column, read),))))
            found[array.name] = copy
        return found, head


def _name(expression: Expression) -> str:
    return expression.name if isinstance(expression, Variable) else ""


def _strip(turn: Turn) -> int:
    """How many vectors at a time: as many as keep the units busy, as few as leave their values in registers."""
    if turn.inner_loops:
        return 4 if turn.operations <= LARGE_BODY else 1
    return 2 if turn.operations <= SMALL_BODY and not turn.calls else 1
