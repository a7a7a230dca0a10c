"""Expressions in loops over lanes, in Python's syntax: values that differ between turns are short vectors.

All others are numbers. An index stands for the place of the first lane; what is read from there on depends on how far
the lanes lie apart.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ..dtype import FLOATING, INTEGER, Dtype
from .lane_access import stride_along
from .loop_ir import Array, Expression, For, Load, Operation, Variable
from .loop_walks import mentions
from .names import free_name
from .scalar_printer import ATOM, Dialect, Piece, Printer, called

__all__ = ["LaneExpressions", "closed"]


class LaneExpressions(Printer):
    """Prints the expressions of one Procedure, on lanes where a loop over lanes is in print.

    Attributes
    ----------
    lane_functions:
        (op, dtype of the operands) of every function that is called on lanes, in the order of first use.
    """

    def __init__(self, dialect: Dialect, names: Mapping[str, str], reserved: Collection[str]) -> None:
        super().__init__(dialect, names)
        self.lane_functions: dict[tuple[str, Dtype], None] = {}
        self._loop: For | None = None
        self._turns: set[str] = set()  # what differs between turns: variables, and arrays of lanes
        self._together: set[str] = set()  # variables and arrays that all turns accumulate into
        self._strip = self._vector = 0
        self._whole = False  # all lanes of the vectors in print count
        self._address = False  # the index stands for the first lane
        self._taken = {*names.values(), *reserved}
        self._vectors: dict[tuple[str, int], str] = {}
        self._helpers: dict[str, str] = {}

    def extra(self, text: str) -> str:
        """A free name for a variable that only the printed loop has."""
        return free_name(text, self._taken)

    def _differs(self, expression: Expression) -> bool:
        if mentions(expression, self._turns):
            return True
        return _reads_lanes(expression)

    def _piece(self, expression: Expression) -> Piece:
        if self._loop is None:
            return super()._piece(expression)
        match expression:
            case Variable(name) if name in self._turns:
                if name == self._loop.index.name:
                    first = self.names[name] + (f" + {self._vector} * LANES" if self._vector else "")
                    if self._address:
                        return Piece(f"({first})" if self._vector else first)
                    return Piece(f"count_from({first})", ATOM, True)
                return Piece(self._of_vector(name), ATOM, True)
            case Load(array, index):
                if array.lanes:
                    return Piece(self._element(array, index), ATOM, True)
                if not self._address and self._differs(index):
                    return Piece(self._read(array, index), ATOM, True)
                return Piece(f"{self.names[array.name]}[{self._scalar(index)}]")
        return super()._piece(expression)

    def _read(self, array: Array, index: Expression) -> str:
        step = self._step(index)
        if step is None:
            return f"gather({self.names[array.name]}, {self._piece(index).text})"
        at = self._at(array, index)
        if array.dtype is INTEGER:
            return f"whole_part({at}, {step}, {self._count()})"
        if self._whole and step == "1":
            return f"load_whole({at})"
        return f"load_part({at}, {step}, {self._count()})"

    def _element(self, array: Array, index: Expression) -> str:
        place = self._scalar(index)
        if array.lanes > 1:
            place = f"{closed(place)} * {array.lanes}" + (f" + {self._vector}" if self._vector else "")
        return f"{self.names[array.name]}[{place}]"

    def _at(self, array: Array, index: Expression) -> str:
        return f"&{self.names[array.name]}[{self._scalar(index)}]"

    def _scalar(self, index: Expression) -> str:
        """An index as a number: that of the first lane."""
        before, self._address = self._address, True
        text = self.expression(index)
        self._address = before
        return text

    def _step(self, index: Expression) -> str | None:
        assert self._loop is not None
        stride = stride_along(index, self._loop.index.name, self._turns)
        return None if stride is None else self._scalar(stride)

    def _count(self) -> str:
        assert self._loop is not None
        return "LANES" if self._whole else self._helpers[self._loop.index.name]

    def _of_vector(self, name: str) -> str:
        if not self._vector:
            return self.names[name]
        key = (name, self._vector)
        if key not in self._vectors:
            self._vectors[key] = self.extra(f"{self.names[name]}_v{self._vector}")
        return self._vectors[key]

    def _wide(self, piece: Piece, dtype: Dtype) -> str:
        if self._loop is None:
            return super()._wide(piece, dtype)
        if piece.varies:
            return piece.text
        if dtype is INTEGER:
            return f"whole({piece.text})"
        splat = self.dialect.splat if dtype is FLOATING else self.dialect.logical["splat"]
        return f"{splat}({piece.text})"

    def _mask(self, op: str, operands: Sequence[Expression], pieces: Sequence[Piece]) -> Piece:
        if self._loop is None or operands[0].dtype is not INTEGER:
            return super()._mask(op, operands, pieces)
        left, right = (self._wide(p, INTEGER) for p in pieces)
        return Piece(f"{self.dialect.logical[op]}_whole({left}, {right})", ATOM, True)

    def _operation(self, operation: Operation) -> Piece:
        if self._loop is not None and operation.op == "float" and operation.operands[0].dtype is INTEGER:
            piece = self._piece(operation.operands[0])
            if piece.varies:
                return Piece(f"floating({piece.text})", ATOM, True)
        return super()._operation(operation)

    def _divisor(self, piece: Piece, level: int) -> str:
        # Cython takes lanes + number for a number, and casts to that type whatever is divided by it
        if self._loop is not None and piece.varies and piece.level < ATOM:
            return f"<lanes>({piece.text})"
        return super()._divisor(piece, level)

    def _call(self, operation: Operation, pieces: Sequence[Piece]) -> Piece:
        if self._loop is None or not any(p.varies for p in pieces):
            return super()._call(operation, pieces)
        op, dtype = operation.op, operation.operands[0].dtype
        name = self._lane_function(op, dtype)
        return Piece(called(name, op, [self._wide(p, FLOATING) for p in pieces]), ATOM, True)

    def _lane_function(self, op: str, dtype: Dtype) -> str:
        self.lane_functions.setdefault((op, dtype))
        return f"{self.dialect.function(op, dtype)}_lanes"


def _reads_lanes(expression: Expression) -> bool:
    stack = [expression]
    while stack:
        match stack.pop():
            case Load(array, index):
                if array.lanes:
                    return True
                stack.append(index)
            case Operation(_, operands):
                stack.extend(operands)
    return False


def closed(text: str) -> str:
    """The text, in parentheses unless it is a name or a number."""
    return text if text.isidentifier() or text.isdigit() else f"({text})"
