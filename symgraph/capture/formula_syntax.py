"""Formula text to syntax pieces: a LALR grammar, positions for messages, and limits on what is read.

Nothing is evaluated and no Python code is ever run: the result is a tree of :class:`Piece`, built bottom up without
recursion. What the pieces mean is decided in `formula_build`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from ..errors import ModelError

__all__ = [
    "MAXIMUM_DIGITS", "MAXIMUM_TEXT", "FormulaError", "Piece", "Source", "parse_declarations", "parse_statement",
    "split_lines", "suggest",
]  # fmt: skip

MAXIMUM_TEXT = 1_000_000
MAXIMUM_DIGITS = 40
_WINDOW = 64  # characters of a long line that are shown around the caret


class FormulaError(ModelError):
    """A formula that cannot be read; ``line`` and ``column`` (both from 1) say where.

    Raised for wrong syntax, unknown names and everything else that has a place in the text.
    """

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line, self.column = line, column


class Source:
    """One logical line of formula text and where it came from; makes errors with a caret line."""

    def __init__(self, text: str, line: int = 1, origin: str = "formula") -> None:
        self.text, self.line, self.origin = text, line, origin

    def error(self, position: int, message: str) -> FormulaError:
        """The error for ``message``, with the text around ``position`` and a caret under it."""
        position = min(position, len(self.text))
        begin = self.text.rfind("\n", 0, position) + 1
        line = self.line + self.text.count("\n", 0, position)
        end = self.text.find("\n", begin)
        shown = self.text[begin : end if end >= 0 else len(self.text)]
        column = position - begin
        start = max(0, column - _WINDOW // 2) if len(shown) > _WINDOW else 0
        shown = "".join(c if c.isprintable() else " " for c in shown[start : start + _WINDOW])
        place = f"{self.origin} {line}, column {column + 1}"
        return FormulaError(f"{place}: {message}\n  {shown}\n  {' ' * (column - start)}^", line, column + 1)


class Piece:
    """A piece of syntax: what it is, its parts, what it carries, and where it begins."""

    __slots__ = ("at", "kind", "parts", "value")

    def __init__(self, kind: str, parts: tuple[Piece, ...], at: int, value: Any = None) -> None:
        self.kind, self.parts, self.at, self.value = kind, parts, at, value


def suggest(name: str, known: Iterable[str]) -> str:
    """A closing "; did you mean ..." with the nearest known name, or nothing.

    >>> suggest("sen", ["sin", "cos"])
    "; did you mean 'sin'?"
    """
    candidates = sorted(set(known))
    close = difflib.get_close_matches(name, candidates, n=1, cutoff=0.5)
    if not close:
        close = [c for c in candidates if c.lower() == name.lower()]
    return f"; did you mean {close[0]!r}?" if close else ""


class _Pieces(Transformer[Token, Piece]):
    """Callbacks of the parser: each makes one piece from parts that are made already."""

    def statement(self, parts: list[Any]) -> Piece:
        return Piece("statement", (parts[0],), parts[0].at)

    def definition(self, parts: list[Any]) -> Piece:
        return Piece("definition", tuple(parts), parts[0].at)

    def declarations(self, parts: list[Any]) -> Piece:
        return Piece("declarations", tuple(parts), 0)

    def declaration(self, parts: list[Any]) -> Piece:
        name, kind, shape = parts
        return Piece("declaration", tuple(shape or ()), name.start_pos, (str(name), kind))

    def items(self, parts: list[Any]) -> list[Any]:
        return parts

    def integer(self, parts: list[Token]) -> Piece:
        return Piece("integer", (), parts[0].start_pos or 0, str(parts[0]))

    def decimal(self, parts: list[Token]) -> Piece:
        return Piece("decimal", (), parts[0].start_pos or 0, str(parts[0]))

    def name(self, parts: list[Token]) -> Piece:
        return Piece("name", (), parts[0].start_pos or 0, str(parts[0]))

    def true(self, parts: list[Token]) -> Piece:
        return Piece("boolean", (), parts[0].start_pos or 0, True)

    def false(self, parts: list[Token]) -> Piece:
        return Piece("boolean", (), parts[0].start_pos or 0, False)

    def call(self, parts: list[Any]) -> Piece:
        return Piece("call", tuple(parts[1] or ()), parts[0].start_pos, str(parts[0]))

    def index(self, parts: list[Any]) -> Piece:
        return Piece("index", tuple(parts[1]), parts[0].start_pos, str(parts[0]))

    def group(self, parts: list[Piece]) -> Piece:
        return parts[0]

    def record(self, parts: list[Any]) -> Piece:
        return Piece("record", (parts[0], *(parts[1] or ())), parts[0].at)

    def conditional(self, parts: list[Piece]) -> Piece:
        then, condition, otherwise = parts
        return Piece("call", (condition, then, otherwise), then.at, "where")

    def any_of(self, parts: list[Piece]) -> Piece:
        return Piece("call", tuple(parts), parts[0].at, "Or")

    def all_of(self, parts: list[Piece]) -> Piece:
        return Piece("call", tuple(parts), parts[0].at, "And")

    def negate(self, parts: list[Any]) -> Piece:
        return Piece("call", (parts[1],), parts[0].start_pos, "Not")

    def compare(self, parts: list[Any]) -> Piece:
        return Piece("compare", tuple(parts[::2]), parts[0].at, tuple(str(t) for t in parts[1::2]))

    def add(self, parts: list[Any]) -> Piece:
        return Piece("add", tuple(parts[::2]), parts[0].at, tuple(str(t) for t in parts[1::2]))

    def multiply(self, parts: list[Any]) -> Piece:
        return Piece("multiply", tuple(parts[::2]), parts[0].at, tuple(str(t) for t in parts[1::2]))

    def signed(self, parts: list[Any]) -> Piece:
        return Piece("signed", (parts[1],), parts[0].start_pos, str(parts[0]))

    def power(self, parts: list[Any]) -> Piece:
        return Piece("power", (parts[0], parts[2]), parts[0].at)


@cache
def _parser() -> Lark:
    grammar = resources.files(__package__).joinpath("formula.lark").read_text(encoding="utf-8")
    starts = ["statement", "declarations"]
    return Lark(grammar, parser="lalr", start=starts, transformer=_Pieces(), maybe_placeholders=True)


_HINTS = {
    "^": "'^' is no operator here; did you mean '**'?",
    ".": "names have no attributes; write the bare name",
    "'": "text in quotes has no meaning in a formula",
    '"': "text in quotes has no meaning in a formula",
    "_": "a name begins with a letter, not with '_'",
    "{": "use round brackets to group",
    "}": "use round brackets to group",
}
_WORDS = {"NAME": "a name", "INTEGER": "a number", "DECIMAL": "a number", "$END": "the end of the formula"}


def _explain(source: Source, error: UnexpectedInput) -> FormulaError:
    if isinstance(error, UnexpectedCharacters):
        position = error.pos_in_stream or 0
        character = source.text[position : position + 1]
        hint = _HINTS.get(character, "formulas hold names, numbers, operators, brackets and calls")
        return source.error(position, f"unexpected {character!r}: {hint}")
    assert isinstance(error, UnexpectedToken)
    token = error.token
    if token.type == "$END":
        return source.error(len(source.text), "the formula ends too early: an operand or a bracket is missing")
    position = token.start_pos if token.start_pos is not None else len(source.text)
    if token.type == "EQUAL":
        hint = "compare with '==', and define one name per line with 'name = ...'"
    elif token.type in ("NAME", "INTEGER", "DECIMAL") and "TIMES" in error.accepts:
        hint = "an operator is missing before it, such as '*'"
    else:
        hint = "an operand is missing, or a bracket does not match"
    return source.error(position, f"unexpected {str(token)!r}: {hint}")


def _parse(source: Source, start: str) -> Piece:
    try:
        piece = _parser().parse(source.text, start=start)
    except UnexpectedInput as error:
        raise _explain(source, error) from None
    assert isinstance(piece, Piece)
    return piece


def parse_statement(source: Source) -> Piece:
    """The piece of one formula: kind "statement" (an expression) or "definition" (target, expression).

    >>> parse_statement(Source("p = x + y")).kind
    'definition'
    """
    return _parse(source, "statement")


def parse_declarations(source: Source) -> tuple[Piece, ...]:
    """The declared inputs of ``'x: f64[n, 3], k: i64'``, each a piece with (name, type or None) and its shape.

    >>> [p.value[0] for p in parse_declarations(Source("x: f64[n, 3], k: i64"))]
    ['x', 'k']
    """
    return _parse(source, "declarations").parts


def split_lines(texts: Sequence[str], origin: str = "formula") -> list[Source]:
    """The logical lines of formula text: ``#`` starts a comment, an open bracket continues on the next line.

    Raises
    ------
    FormulaError
        More than 1 MB of text.
    """
    if sum(map(len, texts)) > MAXIMUM_TEXT:
        raise Source("", 1, origin).error(0, f"the text is longer than {MAXIMUM_TEXT} characters: save a graph instead")
    sources: list[Source] = []
    number = 0
    for text in texts:
        pending: list[str] = []
        depth = 0
        first = number + 1
        for physical in text.split("\n"):
            number += 1
            code = physical.split("#", 1)[0].rstrip()
            if not pending:
                first = number
                if not code.strip():
                    continue
            pending.append(code)
            depth += sum(code.count(c) for c in "([") - sum(code.count(c) for c in ")]")
            if depth <= 0:
                sources.append(Source("\n".join(pending), first, origin))
                pending, depth = [], 0
        if pending:
            sources.append(Source("\n".join(pending), first, origin))
    return sources
