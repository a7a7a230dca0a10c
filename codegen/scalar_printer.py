"""Loop IR to text in Python's own syntax, which Cython and Numba share.

A :class:`Dialect` holds what differs between targets: spellings of functions, casts, literals and declarations. The
printer knows how tightly each operator binds, writes no parenthesis that is not needed and never changes the order of
evaluation: ``a + (b + c)`` keeps its parenthesis.

One dialect may print *lanes*: floating values are then short vectors, and what a loop index or a literal gives is
uniform, that is one number for all lanes, which the dialect's ``splat`` widens where a function needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..dtype import BOOLEAN, FLOATING, Dtype
from ..errors import UnsupportedError
from ..reducers import REDUCERS
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
    Statement,
    Store,
    Variable,
)  # fmt: skip

__all__ = ["ATOM", "PRODUCT", "UNARY", "Dialect", "Piece", "Printer", "bracket", "called"]

CONDITIONAL, OR, AND, NOT, COMPARE, SUM, PRODUCT, UNARY, ATOM = range(9)

# op -> (text between the operands, how tightly it binds)
INFIX = {
    "add": (" + ", SUM), "sub": (" - ", SUM), "mul": (" * ", PRODUCT), "div": (" / ", PRODUCT),
    "lt": (" < ", COMPARE), "le": (" <= ", COMPARE), "eq": (" == ", COMPARE), "ne": (" != ", COMPARE),
    "and": (" and ", AND), "or": (" or ", OR),
}  # fmt: skip
LOGICAL = frozenset({"lt", "le", "eq", "ne", "and", "or", "not"})
ASSIGNMENT = {"sum": " += ", "product": " *= "}


class Piece(NamedTuple):
    """Printed text, how tightly its outermost operator binds, and whether it differs between lanes."""

    text: str
    level: int = ATOM
    varies: bool = False


@dataclass(frozen=True)
class Dialect:
    """What differs between the targets that print Python syntax.

    Attributes
    ----------
    literal:
        (value, dtype) to a piece.
    function:
        (op, dtype of the operands) to the name that is called, or None when the target lacks it.
    cast:
        (text, dtype) to a conversion.
    declare:
        (name, dtype, varies) to the declaration that stands before an assignment, or "" where there is none.
    loop:
        (index, start, stop, parallel) to the head of a for loop.
    allocate:
        An Alloc and its printed size to lines.
    fill:
        (array, size, value) to the line that sets every element.
    lanes:
        Floating values are short vectors; then ``splat`` widens a number and ``logical`` names the functions on masks.
    """

    literal: Callable[[object, Dtype], Piece]
    function: Callable[[str, Dtype], str | None]
    cast: Callable[[str, Dtype], Piece]
    declare: Callable[[str, Dtype, bool], str]
    loop: Callable[[str, str, str, bool], str]
    allocate: Callable[[Alloc, str, str], Sequence[str]]
    lanes: bool = False
    splat: str = ""
    logical: Mapping[str, str] = field(default_factory=dict)
    width: int = 110


class Printer:
    """Prints the statements of one Procedure.

    Attributes
    ----------
    functions:
        (op, dtype of the operands) of every function that the text calls, in the order of first use.
    declarations:
        (name, dtype, varies) of variables that are bound inside loops and branches, in the order of appearance.
    """

    def __init__(self, dialect: Dialect, names: Mapping[str, str], varying: Sequence[str] = ()) -> None:
        self.dialect = dialect
        self.names = names
        self.functions: dict[tuple[str, Dtype], None] = {}
        self.declarations: list[tuple[str, Dtype, bool]] = []
        self._varying = set(varying)
        self._parallel = 0

    # ------------------------------------------------------------------------------------------------ expressions
    def expression(self, expression: Expression) -> str:
        """The text of an expression."""
        return self._piece(expression).text

    def _piece(self, expression: Expression) -> Piece:
        match expression:
            case Literal(value, dtype):
                return self.dialect.literal(value, dtype)
            case Variable(name, _):
                return Piece(self.names[name], ATOM, name in self._varying)
            case Load(array, index):
                varies = self.dialect.lanes and array.dtype is FLOATING
                return Piece(f"{self.names[array.name]}[{self.expression(index)}]", ATOM, varies)
            case Operation():
                return self._operation(expression)
        raise UnsupportedError(f"the loop IR has no expression of type {type(expression).__name__}")

    def _operation(self, operation: Operation) -> Piece:
        op, operands = operation.op, operation.operands
        if op == "hold":
            return self._piece(operands[0])
        pieces = [self._piece(o) for o in operands]
        varies = any(p.varies for p in pieces)
        if op in LOGICAL and varies:
            return self._mask(op, operands, pieces)
        if op == "select":
            return self._select(pieces, varies, operation.dtype)
        if op == "add" or op == "sub":
            return self._sum(op, pieces, varies)
        if op == "mul" and isinstance(operands[0], Literal) and operands[0].value == -1 and len(operands) == 2:
            return _negative(pieces[1])
        if op in INFIX:
            between, level = INFIX[op]
            first = level + 1 if level == COMPARE else level
            if op == "div" and varies:  # Cython casts a number to the type of lanes here, which C refuses
                pieces = [p if p.varies else Piece(self._wide(p, FLOATING), ATOM) for p in pieces]
            texts = [bracket(p, first if i == 0 else level + 1) for i, p in enumerate(pieces)]
            if op == "div":
                texts[1:] = [self._divisor(p, level + 1) for p in pieces[1:]]
            return Piece(between.join(texts), level, varies)
        if op == "neg":
            return _negative(pieces[0])
        if op == "rcp":
            one = self.dialect.literal(1, FLOATING)
            text = self._wide(one, FLOATING) if varies else one.text
            return Piece(f"{text} / {self._divisor(pieces[0], UNARY)}", PRODUCT, varies)
        if op == "not":
            return Piece(f"not {bracket(pieces[0], NOT)}", NOT)
        if op == "float":
            if operands[0].dtype is FLOATING:
                return pieces[0]
            return self.dialect.cast(bracket(pieces[0], UNARY), FLOATING)
        return self._call(operation, pieces)

    def _divisor(self, piece: Piece, level: int) -> str:
        # Cython takes lanes + <real>number for a number, and casts to that type whatever is divided by it
        if piece.varies and piece.level < ATOM and "<real>" in piece.text:
            return f"<lanes>({piece.text})"
        return bracket(piece, level)

    def _sum(self, op: str, pieces: Sequence[Piece], varies: bool) -> Piece:
        text = bracket(pieces[0], SUM)
        for piece in pieces[1:]:
            term = bracket(piece, PRODUCT)
            if term.startswith("-") and op == "add":
                text += f" - {term[1:]}"  # a + (-b) and a - b are the same number
            else:
                text += INFIX[op][0] + term
        return Piece(text, SUM, varies)

    def _select(self, pieces: Sequence[Piece], varies: bool, dtype: Dtype) -> Piece:
        condition, then, otherwise = pieces
        if condition.varies:
            arguments = ", ".join([condition.text, *(self._wide(p, dtype) for p in pieces[1:])])
            name = self.dialect.logical["select masks" if dtype is BOOLEAN else "select"]
            return Piece(f"{name}({arguments})", ATOM, True)
        if varies:
            then, otherwise = (Piece(self._wide(p, dtype), p.level if p.varies else ATOM) for p in pieces[1:])
        texts = (bracket(then, OR), bracket(condition, OR), bracket(otherwise, OR))
        return Piece(f"{texts[0]} if {texts[1]} else {texts[2]}", CONDITIONAL, varies)

    def _mask(self, op: str, operands: Sequence[Expression], pieces: Sequence[Piece]) -> Piece:
        name = self.dialect.logical[op]
        texts = [self._wide(p, o.dtype) for p, o in zip(pieces, operands, strict=True)]
        if op == "not":
            return Piece(f"{name}({texts[0]})", ATOM, True)
        text = texts[0]
        for other in texts[1:]:
            text = f"{name}({text}, {other})"
        return Piece(text, ATOM, True)

    def _call(self, operation: Operation, pieces: Sequence[Piece]) -> Piece:
        op, operands = operation.op, operation.operands
        dtype = operands[0].dtype if operands else FLOATING
        name = self.dialect.function(op, dtype)
        if name is None:
            raise UnsupportedError(f"the operation {op!r} does not exist on this target").about(operation=op)
        self.functions.setdefault((op, dtype))
        lanes = self.dialect.lanes and operation.dtype is FLOATING
        texts = [self._wide(p, FLOATING) if lanes else p.text for p in pieces]
        return Piece(called(name, op, texts), ATOM, lanes)

    def _wide(self, piece: Piece, dtype: Dtype) -> str:
        if piece.varies or not self.dialect.lanes:
            return piece.text
        splat = self.dialect.splat if dtype is FLOATING else self.dialect.logical["splat"]
        return f"{splat}({piece.text})"

    # ------------------------------------------------------------------------------------------------- statements
    def block(self, block: Block, depth: int = 1) -> list[str]:
        """The lines of a block, indented by ``depth`` levels of four spaces."""
        return self._block(block, depth, top=True)

    def _block(self, block: Block, depth: int, top: bool) -> list[str]:
        lines: list[str] = []
        for statement in block.statements:
            lines.extend(self._statement(statement, depth, top))
        return lines or [f"{'    ' * depth}pass"]

    def _statement(self, statement: Statement, depth: int, top: bool) -> list[str]:
        indent = "    " * depth
        match statement:
            case Block():
                return self._block(statement, depth, top) if statement.statements else []
            case Let(variable, value, mutable, comment):
                return self._noted(comment, indent, self._let(variable, value, mutable, top))
            case Store(array, index, value, comment):
                text = f"{self.names[array.name]}[{self.expression(index)}] = {self._value(value)}"
                return self._noted(comment, indent, text)
            case Accumulate(target, reducer, value):
                return self._noted("", indent, self._accumulate(target, reducer, value))
            case For(index, start, stop, body, parallel, comment):
                self._bind(index, False, False)
                head = self.dialect.loop(
                    self.names[index.name], self.expression(start), self.expression(stop),
                    parallel and not self._parallel,
                )  # fmt: skip
                self._parallel += parallel
                lines = self._noted(comment, indent, head) + self._block(body, depth + 1, False)
                self._parallel -= parallel
                return lines
            case If(condition, then, otherwise):
                lines = [f"{indent}if {self.expression(condition)}:", *self._block(then, depth + 1, False)]
                if otherwise.statements:
                    lines += [f"{indent}else:", *self._block(otherwise, depth + 1, False)]
                return lines
            case Alloc(array, size, _):
                allocated = self.dialect.allocate(statement, self.names[array.name], self.expression(size))
                return [indent + line for line in allocated]
            case Call(function, arguments):
                texts = [self.names[a.name] if isinstance(a, Array) else self.expression(a) for a in arguments]
                return [f"{indent}{function}({', '.join(texts)})"]
        raise UnsupportedError(f"the loop IR has no statement of type {type(statement).__name__}")

    def _let(self, variable: Variable, value: Expression, mutable: bool, top: bool) -> str:
        piece = self._piece(value)
        lanes = self.dialect.lanes and variable.dtype is FLOATING
        varies = lanes or piece.varies
        text = self._wide(piece, variable.dtype) if varies else piece.text
        return f"{self._bind(variable, varies, top)}{self.names[variable.name]} = {text}"

    def _value(self, value: Expression) -> str:
        piece = self._piece(value)
        return self._wide(piece, value.dtype) if self.dialect.lanes and value.dtype is FLOATING else piece.text

    def _bind(self, variable: Variable, varies: bool, top: bool) -> str:
        if varies:
            self._varying.add(variable.name)
        if top:
            return self.dialect.declare("", variable.dtype, varies)
        self.declarations.append((self.names[variable.name], variable.dtype, varies))
        return ""

    def _accumulate(self, target: Variable | Load, reducer: str, value: Expression) -> str:
        name = self.expression(target)
        combine = REDUCERS[reducer].combine
        if reducer in ASSIGNMENT and not (self._parallel and isinstance(target, Variable)):
            return f"{name}{ASSIGNMENT[reducer]}{self.expression(value)}"
        # inside a parallel loop an in-place operator would mean a reduction across threads, in no fixed order
        return f"{name} = {self.expression(Operation(combine, (target, value), target.dtype))}"

    def _noted(self, comment: str, indent: str, text: str) -> list[str]:
        lines = [f"{indent}# {part}" for part in comment.splitlines()]
        return lines + _wrap(indent + text, indent, self.dialect.width)


def bracket(piece: Piece, level: int) -> str:
    """The text, in parentheses where its operator binds less tightly than ``level``."""
    return piece.text if piece.level >= level else f"({piece.text})"


def called(name: str, op: str, texts: Sequence[str]) -> str:
    """A call of a function; max and min take any number of operands, and their functions two."""
    if op not in ("max", "min"):
        return f"{name}({', '.join(texts)})"
    text = texts[0]
    for other in texts[1:]:
        text = f"{name}({text}, {other})"
    return text


def _negative(piece: Piece) -> Piece:
    operand = f"({piece.text})" if piece.text.startswith("-") else bracket(piece, UNARY)
    return Piece(f"-{operand}", UNARY, piece.varies)


def _wrap(line: str, indent: str, width: int) -> list[str]:
    """Break a long assignment at spaces; parentheses around its right-hand side make that legal."""
    left, equals, right = next((p for p in map(line.partition, (" = ", " += ", " *= ")) if p[1]), (line, "", ""))
    if len(line) <= width or not equals:
        return [line]
    lines = [f"{left}{equals}("]
    current = indent + "    "
    for word in right.split(" "):
        if len(current) + len(word) > width and current.strip():
            lines.append(current.rstrip())
            current = indent + "    "
        current += word + " "
    return [*lines, current.rstrip(), f"{indent})"]
