"""The two dialects of Cython text: numbers, and lanes for functions of scalars that are applied to arrays."""

from __future__ import annotations

from collections.abc import Sequence

from ...dtype import BOOLEAN, FLOATING, INTEGER, Dtype
from ..literals import floating_text, integer_text
from ..loop_ir import (
    Accumulate,
    Alloc,
    Array,
    Call,
    Expression,
    For,
    If,
    Let,
    Literal,
    Load,
    Operation,
    Procedure,
)  # fmt: skip
from ..loop_walks import operations, walk
from ..scalar_printer import ATOM, UNARY, Dialect, Piece
from .c_functions import LOGICAL, c_function

__all__ = [
    "PLAIN", "TYPES", "declaration_lines", "dialect", "fits_lanes", "has_lanes", "memory_kind", "scaled",
]  # fmt: skip

VARYING = {BOOLEAN: "masks", INTEGER: "wholes", FLOATING: "lanes"}
TYPES = {BOOLEAN: "bint", INTEGER: "int64_t", FLOATING: "real"}


def dialect(floating: str, lanes: bool = False, threads: int = 1, arena: Sequence[str] = ()) -> Dialect:
    """How Cython spells things for one floating type; scratch arrays named in ``arena`` are not on the stack."""

    def literal(value: object, dtype: Dtype) -> Piece:
        if dtype is BOOLEAN:
            return Piece("True" if value else "False")
        if dtype is INTEGER:
            text = integer_text(value)
            return Piece(text, UNARY if text.startswith("-") else ATOM)
        text = floating_text(value, floating)
        if "inf" in text or "nan" in text:
            text = text.replace("inf", "INFINITY").replace("nan", "NAN")
        elif floating == "float32":
            return Piece(f"<real>{text}" if not text.startswith("-") else f"-<real>{text[1:]}", UNARY)
        return Piece(text, UNARY if text.startswith("-") else ATOM)

    def function(op: str, dtype: Dtype) -> str | None:
        found = c_function(op, dtype)
        if found is None:
            return None
        # what computes on doubles is rounded at once, so that the rest stays in single precision
        return f"<real>{found.name}" if found.origin == "scipy" and floating == "float32" else found.name

    def declare(name: str, dtype: Dtype, varies: bool) -> str:
        kind = VARYING[dtype] if varies else TYPES[dtype]
        return f"cdef {kind} {name}"

    def loop(index: str, start: str, stop: str, parallel: bool) -> str:
        if parallel and threads > 1:
            return f'for {index} in prange({start}, {stop}, num_threads={threads}, schedule="static"):'
        return f"for {index} in range({stop}):" if start == "0" else f"for {index} in range({start}, {stop}):"

    def allocate(alloc: Alloc, name: str, size: str) -> list[str]:
        kind = memory_kind(alloc.array)
        size = scaled(size, alloc.array.lanes)
        lines = []
        if name in arena:
            lines.append(f"cdef {kind}* {name} = <{kind}*>place")
            lines.append(f"place += padded({size}, sizeof({kind}))")
        else:
            lines.append(f"cdef {kind}[{max(1, int(size))}] {name}")
        if alloc.fill is not None:
            fill = literal(alloc.fill.value, alloc.fill.dtype).text
            lines.append(f"fill_{_FILLS[alloc.array.dtype]}({name}, {size}, {fill})")
        return lines

    return Dialect(
        literal, function, lambda text, dtype: Piece(f"<{TYPES[dtype]}>{text}", UNARY), declare, loop, allocate,
        lanes=lanes, splat="splat", logical=LOGICAL,
    )  # fmt: skip


_FILLS = {BOOLEAN: "truth", INTEGER: "integer", FLOATING: "real"}


def memory_kind(array: Array) -> str:
    """The type of an element in memory."""
    if array.lanes:
        return "lanes"
    return "npy_bool" if array.dtype is BOOLEAN else TYPES[array.dtype]


def scaled(size: str, vectors: int) -> str:
    """The text of a size times the vectors of an element."""
    if vectors <= 1:
        return size
    return str(int(size) * vectors) if size.isdigit() else f"({size}) * {vectors}"


def has_lanes(op: str, dtype: Dtype) -> bool:
    """Whether lanes have an operation on floating numbers, or one that compares or chooses."""
    if op in PLAIN:
        return True
    found = c_function(op, dtype)
    return found is not None and found.origin != "scipy" and found.argument is FLOATING and found.result is FLOATING


def declaration_lines(declarations: Sequence[tuple[str, Dtype, bool]], width: int = 110) -> list[str]:
    """One `cdef` line or more per type for variables that are bound inside loops."""
    groups: dict[str, list[str]] = {}
    for name, dtype, varies in declarations:
        kind = VARYING[dtype] if varies else TYPES[dtype]
        groups.setdefault(kind, []).append(name)
    lines = []
    for kind, names in groups.items():
        line = f"    cdef {kind} {names[0]}"
        for name in names[1:]:
            if len(line) + len(name) + 2 > width:
                lines.append(line)
                line = f"    cdef {kind} {name}"
            else:
                line += f", {name}"
        lines.append(line)
    return lines


def fits_lanes(procedure: Procedure) -> bool:
    """Whether the body can run on lanes.

    It can with floating scalars in and out, no scratch, no branch or index that differs between lanes, and no call of a
    function that is a Python package's.
    """
    floating = all(p.dtype is FLOATING for p in (*procedure.inputs, *procedure.outputs))
    if not floating:
        return False
    varying: set[str] = {p.name for p in procedure.inputs}

    def uniform(expression: Expression) -> bool:
        stack = [expression]
        while stack:
            item = stack.pop()
            match item:
                case Load():
                    return False
                case Operation(_, operands):
                    stack.extend(operands)
                case Literal():
                    pass
                case _:
                    if item.name in varying:
                        return False
        return True

    for statement in walk([procedure.body]):
        match statement:
            case Let(variable, value):
                if variable.dtype is INTEGER and not uniform(value):
                    return False
                if variable.dtype is FLOATING or not uniform(value):
                    varying.add(variable.name)
            case For(_, start, stop):
                if not (uniform(start) and uniform(stop)):
                    return False
            case If(condition):
                if not uniform(condition):
                    return False
            case Alloc() | Call():
                return False
            case Accumulate(target):
                if isinstance(target, Load):
                    return False
    for operation in operations(procedure):
        if operation.dtype is INTEGER or (operation.op == "float" and operation.operands[0].dtype is not FLOATING):
            if not uniform(operation):
                return False
        elif operation.op not in PLAIN:
            found = c_function(operation.op, operation.operands[0].dtype if operation.operands else FLOATING)
            if found is None or found.origin == "scipy":
                return False
            if operation.dtype is BOOLEAN:
                return False
    return True


PLAIN = frozenset(
    "add sub mul div neg rcp lt le eq ne and or not select float hold".split()
)
