"""The grammar of the loop IR: what every printer may assume of a Procedure.

>>> from symgraph.codegen.loop_ir import Array, Block, Literal, Procedure, Store
>>> from symgraph.dtype import FLOATING, INTEGER
>>> out = Array("out", FLOATING)
>>> store = Store(out, Literal(0, INTEGER), Literal(1, FLOATING))
>>> verify(Procedure("f", (), (out,), (), Block((store,))))
>>> verify(Procedure("f", (), (out,), (), Block(())))
Traceback (most recent call last):
...
symgraph.errors.ModelError: f: the output out is never stored
"""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

from ..dtype import BOOLEAN, FLOATING, INTEGER, Dtype
from ..errors import ModelError
from ..ops import OPS
from ..reducers import REDUCERS
from .expressions import COMPARISONS, depth_of
from .lane_spec import broken_rule
from .loop_ir import (
    EMITTED,
    MAXIMUM_DEPTH,
    Accumulate,
    Alloc,
    Array,
    Block,
    Call,
    Expression,
    For,
    If,
    Lanes,
    Let,
    Literal,
    Load,
    Operation,
    Procedure,
    Statement,
    Store,
    Variable,
)  # fmt: skip

__all__ = ["verify"]


def verify(procedure: Procedure) -> None:
    """Check a Procedure against the grammar of the loop IR.

    Raises
    ------
    ModelError
        Some rule is broken; the message names the procedure, the statement's target and the rule.
    """
    _Checker(procedure).run()


class _Checker:
    def __init__(self, procedure: Procedure) -> None:
        self.procedure = procedure
        self.bound: set[str] = set()  # every name so far: none is bound twice
        self.scalars: dict[str, Variable] = {}
        self.arrays: dict[str, Array] = {}
        self.writable: set[str] = set()
        self.stored: set[str] = set()
        self.accumulators: dict[str, int] = {}  # with the number of parallel loops around their Let
        self.open_lanes = False
        self.parallel: list[set[str]] = []  # per open parallel loop, its index and what depends on it

    def fail(self, message: str) -> None:
        raise ModelError(f"{self.procedure.name}: {message}")

    # ------------------------------------------------------------------------------------------------- procedure
    def run(self) -> None:
        procedure = self.procedure
        for size in procedure.sizes:
            if size.dtype is not INTEGER:
                self.fail(f"the size {size.name} is not an integer")
            self.bind(size)
        for parameter in (*procedure.inputs, *procedure.outputs, *(t.array for t in procedure.tables)):
            self.bind(parameter)
        for table in procedure.tables:
            if any(v.dtype is not table.array.dtype for v in table.values):
                self.fail(f"the table {table.array.name} holds a number of another type")
        for parameter in (*procedure.inputs, *procedure.outputs):
            for size_of in parameter.shape if isinstance(parameter, Array) else ():
                self.integer(size_of, f"a size of {parameter.name}")
        self.writable.update(o.name for o in procedure.outputs)
        for check in procedure.index_checks:
            if check.input not in procedure.inputs or check.input.dtype is not INTEGER:
                self.fail(f"the index check of {check.input.name} is not about an integer input")
            self.integer(check.low, f"the lowest index of {check.input.name}")
            self.integer(check.high, f"the highest index of {check.input.name}")
        self.block(procedure.body, top=True)
        for output in procedure.outputs:
            if output.name not in self.stored:
                self.fail(f"the output {output.name} is never stored")

    def bind(self, named: Variable | Array) -> None:
        if not named.name.isidentifier() or keyword.iskeyword(named.name):
            self.fail(f"{named.name!r} is not an identifier")
        if named.name in self.bound:
            self.fail(f"the name {named.name} is bound twice")
        self.bound.add(named.name)
        if isinstance(named, Array):
            self.arrays[named.name] = named
        else:
            self.scalars[named.name] = named

    # ------------------------------------------------------------------------------------------------ statements
    def block(self, block: Block, *, top: bool = False) -> None:
        """The statements of a block; what they bind is gone behind it."""
        before = dict(self.scalars)
        for statement in block.statements:
            self.statement(statement, top)
        self.scalars = before

    def statement(self, statement: Statement, top: bool) -> None:
        match statement:
            case Block():
                for inner in statement.statements:
                    self.statement(inner, top)
            case Let():
                self.let(statement)
            case Store(array, index, value):
                self.place(array, index)
                self.same(value, array.dtype, f"what is stored in {array.name}")
                self.stored.add(array.name)
            case Accumulate():
                self.accumulate(statement)
            case For():
                self.loop(statement)
            case If(condition, then, otherwise):
                self.same(condition, BOOLEAN, "the condition of an If")
                self.block(then)
                self.block(otherwise)
            case Alloc(array, size, fill):
                if not top:
                    self.fail(f"the array {array.name} is allocated inside a loop or a branch")
                self.integer(size, f"the size of {array.name}")
                if fill is not None:
                    self.same(fill, array.dtype, f"what fills {array.name}")
                    self.stored.add(array.name)
                self.bind(array)
                self.writable.add(array.name)
            case Call(_, arguments):
                for argument in arguments:
                    if isinstance(argument, Array):
                        self.known(argument)
                        self.stored.add(argument.name)
                    else:
                        self.expression(argument)

    def let(self, let: Let) -> None:
        self.same(let.value, let.variable.dtype, f"the value of {let.variable.name}")
        self.bind(let.variable)
        if let.mutable:
            self.accumulators[let.variable.name] = len(self.parallel)
        for dependent in self.parallel:
            if dependent & _names(let.value):
                dependent.add(let.variable.name)

    def accumulate(self, statement: Accumulate) -> None:
        target, value = statement.target, statement.value
        if statement.reducer not in REDUCERS:
            self.fail(f"there is no reducer {statement.reducer!r}")
        if isinstance(target, Variable):
            self.expression(target)
            if target.name not in self.accumulators:
                self.fail(f"{target.name} is accumulated, but not bound as mutable")
            if target.name in _names(value):
                self.fail(f"the accumulator {target.name} is read by what it accumulates")
            if self.accumulators[target.name] < len(self.parallel):
                self.fail(f"the accumulator {target.name} is shared by the turns of a parallel loop")
        else:
            self.place(target.array, target.index)
            if target.array.name not in self.stored:
                self.fail(f"{target.array.name} is accumulated into before anything is stored in it")
        self.same(value, target.dtype, "what is accumulated")

    def place(self, array: Array, index: Expression) -> None:
        self.known(array)
        self.integer(index, f"an index of {array.name}")
        if array.name not in self.writable:
            self.fail(f"the input {array.name} is written to")
        for dependent in self.parallel:
            if not dependent & _names(index):
                self.fail(f"the turns of a parallel loop write to the same element of {array.name}")

    def loop(self, loop: For) -> None:
        self.integer(loop.start, f"the start of the loop over {loop.index.name}")
        self.integer(loop.stop, f"the end of the loop over {loop.index.name}")
        before = dict(self.scalars)
        self.bind(loop.index)
        if loop.index.dtype is not INTEGER:
            self.fail(f"the loop index {loop.index.name} is not an integer")
        for dependent in self.parallel:
            if dependent & (_names(loop.start) | _names(loop.stop)):
                dependent.add(loop.index.name)
        if loop.parallel:
            self.parallel.append({loop.index.name})
        if loop.lanes is not None:
            self.lanes(loop, loop.lanes)
        self.block(loop.body)
        if loop.parallel:
            self.parallel.pop()
        if loop.lanes is not None:
            self.open_lanes = False
        self.scalars = before

    def lanes(self, loop: For, lanes: Lanes) -> None:
        """A loop over lanes, up to its body."""
        if broken := broken_rule(loop):
            self.fail(f"the loop over {loop.index.name} runs over lanes: {broken}")
        self.open_lanes = True
        for item in lanes.collected:
            target = item.target
            if isinstance(target, Variable):
                self.expression(target)
                if target.name not in self.accumulators:
                    self.fail(f"{target.name} is collected, but not bound as mutable")
            elif isinstance(target, Load):
                self.place(target.array, target.index)
            else:
                self.known(target)
            if not isinstance(target, Variable):
                array = target if isinstance(target, Array) else target.array
                if array.name not in self.stored:
                    self.fail(f"{array.name} is collected before anything is stored in it")
            if item.reducer not in REDUCERS:
                self.fail(f"there is no reducer {item.reducer!r}")
            self.integer(item.size, f"the size of {item.by.name}")
            if isinstance(item.by, Variable):
                self.bind(item.by)
                self.accumulators[item.by.name] = len(self.parallel)
            else:
                self.known(item.by)
                self.stored.add(item.by.name)

    # ----------------------------------------------------------------------------------------------- expressions
    def known(self, array: Array) -> None:
        if self.arrays.get(array.name) != array:
            self.fail(f"the array {array.name} is not known here, or is another one of that name")
        if array.lanes and not self.open_lanes:
            self.fail(f"{array.name} belongs to the turns of a loop over lanes, and is used outside")

    def integer(self, expression: Expression, what: str) -> None:
        self.same(expression, INTEGER, what)

    def same(self, expression: Expression, dtype: Dtype, what: str) -> None:
        self.expression(expression)
        if expression.dtype is not dtype:
            self.fail(f"{what} is {expression.dtype.name.lower()}, not {dtype.name.lower()}")

    def expression(self, root: Expression) -> None:
        if depth_of(root) > MAXIMUM_DEPTH:
            self.fail(f"an expression is more than {MAXIMUM_DEPTH} levels deep")
        stack = [root]
        while stack:
            match expression := stack.pop():
                case Literal(value, dtype):
                    if not _fits(value, dtype):
                        self.fail(f"the literal {value!r} is not {dtype.name.lower()}")
                case Variable(name):
                    if self.scalars.get(name) != expression:
                        self.fail(f"the variable {name} is used where it is not bound")
                case Load(array, index):
                    self.known(array)
                    if index.dtype is not INTEGER:
                        self.fail(f"an index of {array.name} is {index.dtype.name.lower()}, not integer")
                    stack.append(index)
                case Operation(op, operands, dtype):
                    self.operation(op, [o.dtype for o in operands], dtype)
                    stack.extend(operands)

    def operation(self, op: str, operands: Sequence[Dtype], dtype: Dtype) -> None:
        arity = EMITTED.get(op) or (OPS[op].arity if op in OPS else -1)
        if arity == -1:
            self.fail(f"there is no operation {op!r}")
        if (arity is None and len(operands) < 2) or (arity is not None and arity != len(operands)):
            self.fail(f"{op} has {len(operands)} operands")
        if op in COMPARISONS:
            right = dtype is BOOLEAN and operands[0] is operands[1]
        elif op in ("and", "or", "not"):
            right = dtype is BOOLEAN and all(o is BOOLEAN for o in operands)
        elif op == "select":
            right = operands[0] is BOOLEAN and all(o is dtype for o in operands[1:])
        elif op == "float":
            right = dtype is FLOATING and operands[0] is INTEGER
        else:
            right = all(o is dtype for o in operands)
        if not right:
            found = ", ".join(o.name.lower() for o in operands)
            self.fail(f"{op} of {found} is not {dtype.name.lower()}: casts must be explicit")


def _fits(value: object, dtype: Dtype) -> bool:
    if isinstance(value, bool):
        return dtype is BOOLEAN
    if dtype is INTEGER:
        return isinstance(value, int)
    return dtype is FLOATING and isinstance(value, (int, float, Fraction, sp.Float, sp.NumberSymbol))


def _names(expression: Expression) -> set[str]:
    """The variables in an expression."""
    names: set[str] = set()
    stack = [expression]
    while stack:
        match stack.pop():
            case Variable(name):
                names.add(name)
            case Load(_, index):
                stack.append(index)
            case Operation(_, operands):
                stack.extend(operands)
    return names
