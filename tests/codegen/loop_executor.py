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
                if isinstance(target, Variable):
                    self.scalars[target.name] = combine(self.scalars[target.name], self.value(value))
                else:
                    position = self.position(target.array, target.index)
                    array = self.arrays[target.array.name]
                    array[position] = combine(array[position], self.value(value))
            case For(index, start, stop, body):
                for i in range(self.value(start), self.value(stop)):
                    self.scalars[index.name] = i
                    self.block(body)
            case If(condition, then, otherwise):
                self.block(then if self.value(condition) else otherwise)
            case Alloc(array, size, fill):
                value = POISON[array.dtype] if fill is None else fill.value
                self.arrays[array.name] = np.full(self.value(size), value, array.dtype.numpy_name())
            case _:
                raise AssertionError(f"unknown statement {statement}")

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
