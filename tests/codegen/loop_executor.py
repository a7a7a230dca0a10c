"""Runs Procedures slowly and suspiciously: every access is checked, and memory that nothing has written is
poisoned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from symgraph.codegen.loop_ir import (
    Accumulate,
    Alloc,
    Array,
    Block,
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
)
from symgraph.dtype import BOOLEAN, FLOATING, INTEGER, Dtype
from symgraph.ops import OPS
from symgraph.reducers import REDUCERS

__all__ = ["execute"]

POISON = {FLOATING: np.nan, INTEGER: -(2**61) - 7, BOOLEAN: False}
EMITTED: dict[str, Callable[..., Any]] = {
    "sub": lambda a, b: a - b,
    "div": lambda a, b: np.float64(a) / np.float64(b),
    "neg": lambda a: -a,
    "rcp": lambda a: np.float64(1) / np.float64(a),
    "sqrt": np.sqrt,
}


def execute(procedure: Procedure, arguments: Sequence[Any], sizes: Mapping[str, int]) -> list[np.ndarray]:
    """The outputs, each as an array of its shape (a scalar output has shape ())."""
    return _Machine(procedure, sizes).run(arguments)


class _Machine:
    def __init__(self, procedure: Procedure, sizes: Mapping[str, int]) -> None:
        self.procedure = procedure
        self.scalars: dict[str, Any] = {v.name: int(sizes[n]) for v, n in zip(procedure.sizes, sizes, strict=True)}
        self.arrays: dict[str, np.ndarray] = {}
        self.operations = 0
        self.collected: dict[str, Any] = {}
        self.lane_arrays: list[str] = []

    def run(self, arguments: Sequence[Any]) -> list[np.ndarray]:
        procedure = self.procedure
        with np.errstate(all="ignore"):
            for parameter, argument in zip(procedure.inputs, arguments, strict=True):
                if isinstance(parameter, Variable):
                    self.scalars[parameter.name] = self.scalar(argument, parameter.dtype)
                else:
                    array = np.ascontiguousarray(argument, dtype=parameter.dtype.numpy_name())
                    assert array.size == self.elements(parameter), f"{parameter.name} does not fit its shape"
                    self.arrays[parameter.name] = array.reshape(-1)
            for check in procedure.index_checks:
                low, high = self.value(check.low), self.value(check.high)
                name = check.input.name
                values = self.arrays[name] if isinstance(check.input, Array) else [self.scalars[name]]
                assert all(low <= v <= high for v in values), f"{check.input.name} is not in {low}..{high}"
            shapes = [tuple(self.value(s) for s in o.shape) for o in procedure.outputs]
            for output, shape in zip(procedure.outputs, shapes, strict=True):
                size = int(np.prod(shape, dtype=int))
                self.arrays[output.name] = np.full(size, POISON[output.dtype], output.dtype.numpy_name())
            self.block(procedure.body)
        return [self.arrays[o.name].reshape(s) for o, s in zip(procedure.outputs, shapes, strict=True)]

    def elements(self, array: Array) -> int:
        return int(np.prod([self.value(s) for s in array.shape], dtype=int))

    @staticmethod
    def scalar(value: Any, dtype: Dtype) -> Any:
        return {FLOATING: np.float64, INTEGER: int, BOOLEAN: bool}[dtype](value)

    def block(self, block: Block) -> None:
        for statement in block.statements:
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        match statement:
            case Block():
                self.block(statement)
            case Let(variable, value):
                self.scalars[variable.name] = self.value(value)
            case Store(array, index, value):
                self.arrays[array.name][self.position(array, index)] = self.value(value)
            case Accumulate(target, reducer, value):
                combine = OPS[REDUCERS[reducer].combine].numpy
                if isinstance(target, Variable) and target.name in self.collected:
                    self.collected[target.name] = combine(self.collected[target.name], self.value(value))
                elif isinstance(target, Variable):
                    self.scalars[target.name] = combine(self.scalars[target.name], self.value(value))
                else:
                    position = self.position(target.array, target.index)
                    array = self.arrays[target.array.name]
                    array[position] = combine(array[position], self.value(value))
            case For(lanes=Lanes()):
                self.lane_loop(statement)
            case For(index, start, stop, body):
                for i in range(self.value(start), self.value(stop)):
                    self.scalars[index.name] = i
                    self.block(body)
            case If(condition, then, otherwise):
                self.block(then if self.value(condition) else otherwise)
            case Alloc(array, size, fill):
                value = POISON[array.dtype] if fill is None else fill.value
                if array.lanes:
                    self.lane_arrays.append(array.name)
                self.arrays[array.name] = np.full(self.value(size), value, array.dtype.numpy_name())
            case _:
                raise AssertionError(f"unknown statement {statement}")

    def lane_loop(self, loop: For) -> None:
        """The turns of a strip in lockstep, each statement in the opposite order of turns, with arrays of their own."""
        start, stop, lanes = self.value(loop.start), self.value(loop.stop), loop.lanes
        shared, arrays = self.scalars, self.arrays
        for item in lanes.collected:
            identity = self.scalar(REDUCERS[item.reducer].identity, item.by.dtype)
            if isinstance(item.by, Variable):
                self.collected[item.by.name] = identity
            else:
                size = self.value(item.size)
                assert len(arrays[item.by.name]) == size, f"{item.by.name} does not have {size} elements"
                arrays[item.by.name][:] = identity
        by = {item.by.name for item in lanes.collected}
        private = [a for a in self.lane_arrays if a not in by]
        for first in range(start, stop, 3 * lanes.strip):
            turns = []
            for i in range(first, min(first + 3 * lanes.strip, stop)):
                own = {a: np.full(len(arrays[a]), POISON[FLOATING]) for a in private}
                turns.append(({**shared, loop.index.name: i}, {**arrays, **own}))
            self.lockstep(loop.body, turns)
        self.scalars, self.arrays = shared, arrays
        for item in lanes.collected:
            combine = OPS[REDUCERS[item.reducer].combine].numpy
            match item.target:
                case Variable(name):
                    self.scalars[name] = combine(self.scalars[name], self.collected[item.by.name])
                case Load(array, index):
                    place = self.position(array, index)
                    arrays[array.name][place] = combine(arrays[array.name][place], self.collected[item.by.name])
                case Array(name):
                    arrays[name][:] = combine(arrays[name], arrays[item.by.name])

    def lockstep(self, statement: Statement, turns: list[tuple[dict[str, Any], dict[str, np.ndarray]]]) -> None:
        def same(expression: Expression) -> Any:
            values = []
            for self.scalars, self.arrays in turns:
                values.append(self.value(expression))
            assert all(v == values[0] for v in values), f"{expression} differs between turns"
            return values[0]

        match statement:
            case Block(statements):
                for inner in statements:
                    self.lockstep(inner, turns)
            case For(index, start, stop, body):
                for i in range(same(start), same(stop)):
                    for scalars, _ in turns:
                        scalars[index.name] = i
                    self.lockstep(body, turns)
            case If(condition, then, otherwise):
                self.lockstep(then if same(condition) else otherwise, turns)
            case _:
                for self.scalars, self.arrays in reversed(turns):
                    self.statement(statement)

    def position(self, array: Array, index: Expression) -> int:
        position, size = self.value(index), len(self.arrays[array.name])
        assert 0 <= position < size, f"{array.name}[{position}] is outside 0..{size - 1}"
        return int(position)

    def value(self, expression: Expression) -> Any:
        match expression:
            case Literal(value, dtype):
                return self.scalar(value, dtype)
            case Variable(name):
                return self.scalars[name]
            case Load(array, index):
                return self.arrays[array.name][self.position(array, index)]
            case Operation("select", (condition, then, otherwise)):
                return self.value(then if self.value(condition) else otherwise)
            case Operation("and", operands):
                return all(self.value(o) for o in operands)
            case Operation(op, operands, dtype):
                values = [self.value(o) for o in operands]
                self.operations += dtype is FLOATING
                result = EMITTED[op](*values) if op in EMITTED else OPS[op].numpy(*values)
                return self.scalar(result, dtype)
        raise AssertionError(f"unknown expression {expression}")
