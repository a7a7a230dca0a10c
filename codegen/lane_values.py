"""What one turn of a loop reads, computes and writes, and whether many turns can do it together in lanes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import chain

from ..dtype import BOOLEAN, FLOATING, INTEGER, Dtype
from ..ops import OPS
from .expressions import COMPARISONS
from .lane_access import array_uses, row_position, stride_along
from .loop_ir import (
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
    Store,
    Variable,
)  # fmt: skip
from .loop_walks import expressions_of, mentions, walk
from .values import LIGHT

__all__ = ["RefusalError", "Supports", "Turn"]

Supports = Callable[[str, Dtype], bool]  # whether lanes of a dtype have an operation

WHOLE = frozenset({"add", "sub", "mul", "neg"})  # what lanes of whole numbers can do


class RefusalError(Exception):
    """Why a loop does not run over lanes."""


class Turn:
    """One turn of a loop.

    Attributes
    ----------
    varying:
        Names of variables and private arrays whose values differ between turns.
    private:
        Scratch arrays that every turn fills for itself.
    shared:
        What all turns accumulate together.
    repeated_rows:
        Inputs of which inner loops read the turn's own row more than once.
    strided:
        Number of reads and writes that are not of neighbouring elements in neighbouring turns.
    operations, calls, inner_loops:
        How much a turn does.
    """

    def __init__(
        self, loop: For, allocs: Mapping[str, Alloc], uses: Counter[str], supports: Supports, exact: bool
    ) -> None:
        self.loop = loop
        self.supports = supports
        self.index = loop.index
        self.exact = exact
        self.statements = list(walk(loop.body.statements))
        self.bound = {loop.index.name}
        for statement in self.statements:
            match statement:
                case Let(variable) | For(variable):
                    self.bound.add(variable.name)
                case Call() | Alloc():
                    raise RefusalError("it calls another function")
        self.varying: set[str] = {loop.index.name}
        self.private: dict[str, None] = {}
        self.shared: list[Accumulate] = []
        self.repeated_rows: dict[Array, None] = {}
        self.strided = self.operations = self.calls = self.inner_loops = 0
        self._find_private(allocs, uses)
        self._read = Counter[str]()
        self._written: dict[str, list[tuple[str, Expression]]] = {}
        self._rows: dict[str, tuple[Array, int]] = {}
        self._walk(loop.body, 0)
        self._check_arrays()

    # ------------------------------------------------------------------------------------------------- questions
    def moves(self, expression: Expression) -> bool:
        """Whether a value differs between turns."""
        return mentions(expression, self.varying)

    def is_fixed(self, expression: Expression) -> bool:
        """Whether a value is known before the loop."""
        return not mentions(expression, self.bound)

    # -------------------------------------------------------------------------------------------------- one walk
    def _find_private(self, allocs: Mapping[str, Alloc], uses: Counter[str]) -> None:
        own = array_uses(self.loop.body.statements)
        whole = {self.index.name}
        for statement in self.statements:
            if isinstance(statement, Let) and statement.variable.dtype is INTEGER and mentions(statement.value, whole):
                whole.add(statement.variable.name)
        for statement in self.statements:
            if isinstance(statement, Store) and not mentions(statement.index, whole):
                array = statement.array
                alloc = allocs.get(array.name)
                if alloc is None or alloc.fill is not None or own[array.name] != uses[array.name]:
                    raise RefusalError(f"{array.name} is kept from turn to turn")
                if array.dtype is not FLOATING:
                    raise RefusalError(f"{array.name} holds no floating numbers")
                self.private.setdefault(array.name)
        self.varying.update(self.private)

    def _walk(self, block: Block, depth: int) -> None:
        for statement in block.statements:
            for position, expression in enumerate(expressions_of(statement)):
                self._expression(expression, depth, isinstance(statement, Accumulate) and not position)
            match statement:
                case Block():
                    self._walk(statement, depth)
                case Let(variable, value, mutable):
                    if mutable and variable.dtype is FLOATING:
                        self.varying.add(variable.name)
                    elif self.moves(value):
                        if mutable:
                            raise RefusalError(f"{variable.name} counts differently in every turn")
                        self.varying.add(variable.name)
                case For(index, start, stop, body):
                    if self.moves(start) or self.moves(stop):
                        raise RefusalError(f"the bounds of the loop over {index.name} differ between turns")
                    self.inner_loops += 1
                    self._walk(body, depth + 1)
                case If(condition, then, otherwise):
                    if self.moves(condition):
                        raise RefusalError("turns take different branches")
                    self._walk(then, depth)
                    self._walk(otherwise, depth)
                case Store(array, index):
                    self._write(array, index, "", depth)
                case Accumulate():
                    self._accumulate(statement, depth)

    def _accumulate(self, statement: Accumulate, depth: int) -> None:
        target = statement.target
        if isinstance(target, Variable):
            if target.name in self.bound:
                if target.name not in self.varying and self.moves(statement.value):
                    raise RefusalError(f"{target.name} counts differently in every turn")
                return
            self._share(statement)
        elif target.array.name in self.private:
            return
        elif self.moves(target.index):
            if statement.reducer != "sum" or target.dtype is not FLOATING:
                raise RefusalError(f"a {statement.reducer} is collected at places that differ between turns")
            self._write(target.array, target.index, "sum", depth)
        else:
            self._share(statement)
            self._written.setdefault(target.array.name, []).append((statement.reducer, target.index))

    def _share(self, statement: Accumulate) -> None:
        if self.exact:
            raise RefusalError("exact: a sum over the turns keeps its order")
        if statement.target.dtype is not FLOATING:
            raise RefusalError("what the turns collect are no floating numbers")
        self.shared.append(statement)

    def _write(self, array: Array, index: Expression, reducer: str, depth: int) -> None:
        if array.name in self.private:
            return
        if array.dtype is not FLOATING:
            raise RefusalError(f"{array.name} holds no floating numbers")
        if not self._steps(index) and self.exact and reducer:
            raise RefusalError("exact: a scattered sum keeps its order")
        self._written.setdefault(array.name, []).append((reducer, index))

    def _steps(self, index: Expression) -> bool:
        """Whether a place moves by a fixed number of elements from turn to turn; notes what is not the next one."""
        stride = stride_along(index, self.index.name, self.varying)
        if stride is None or not (isinstance(stride, Literal) and stride.value == 1):
            self.strided += 1
        return stride is not None

    # ----------------------------------------------------------------------------------------------- expressions
    def _expression(self, root: Expression, depth: int, is_target: bool) -> None:
        stack: list[tuple[Expression, bool]] = [(root, False)]
        while stack:
            item, branch = stack.pop()
            if isinstance(item, Load):
                self._load(item, depth, branch, is_target and item is root)
                stack.append((item.index, branch))
            elif isinstance(item, Operation):
                branch = branch or (item.op == "select" and self.moves(item.operands[0]))
                if self.moves(item):
                    self._operation(item)
                stack.extend((o, branch) for o in item.operands)

    def _load(self, load: Load, depth: int, branch: bool, target: bool) -> None:
        name = load.array.name
        if target or name in self.private:
            return
        self._read[name] += 1
        if branch:
            raise RefusalError(f"{name} is read in some turns only")
        if not self.moves(load.index):
            return
        if load.dtype is BOOLEAN:
            raise RefusalError(f"{name} holds truth values")
        before = self.strided
        self._steps(load.index)
        if self.strided == before or load.dtype is not FLOATING or len(load.array.shape) < 2:
            return
        if row_position(load, self.index, self.varying) is not None:
            self._rows[name] = (load.array, self._rows.get(name, (load.array, 0))[1] + (2 if depth > 1 else 1))

    def _operation(self, operation: Operation) -> None:
        op = operation.op
        kinds = {o.dtype for o in operation.operands}
        if operation.dtype is INTEGER:
            if op not in WHOLE:
                raise RefusalError(f"lanes of whole numbers have no {op}")
            return
        self.operations += operation.dtype is FLOATING
        if op in COMPARISONS and BOOLEAN in kinds:
            raise RefusalError("truth values are compared")
        if not self.supports(op, operation.operands[0].dtype if operation.operands else FLOATING):
            raise RefusalError(f"lanes have no {op}")
        self.calls += op in OPS and op not in LIGHT

    def _check_arrays(self) -> None:
        for name, places in self._written.items():
            kinds = {(reducer, self.moves(index)) for reducer, index in places}
            if self._read[name]:
                raise RefusalError(f"{name} is read and written")
            if len(kinds) > 1:
                raise RefusalError(f"{name} is written in two ways")
            if ("", True) in kinds and any(not self._fixed_stride(index) for _, index in places):
                raise RefusalError(f"{name} is written at places that are data")
        counted = {name: n for name, (_, n) in self._rows.items()}
        moving: Counter[str] = Counter()
        for statement in self.statements:
            for load in chain.from_iterable(_loads(e) for e in expressions_of(statement)):
                if load.array.name in counted and self.moves(load.index):
                    moving[load.array.name] += row_position(load, self.index, self.varying) is None
        self.repeated_rows = {
            array: None for name, (array, n) in self._rows.items() if n > 1 and not moving[name] and self.inner_loops
        }

    def _fixed_stride(self, index: Expression) -> bool:
        return stride_along(index, self.index.name, self.varying) is not None


def _loads(root: Expression) -> list[Load]:
    found, stack = [], [root]
    while stack:
        match item := stack.pop():
            case Load(_, index):
                found.append(item)
                stack.append(index)
            case Operation(_, operands):
                stack.extend(operands)
    return found
