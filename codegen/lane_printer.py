"""Loops over lanes in Python's syntax: values that differ between turns are short vectors, all others numbers.

A strip of several vectors is printed vector by vector: each varying value has one variable per vector, and what does
not vary is read once for all of them. Behind the strips come single vectors, by the same lines with one vector, and
the last of them may be partly empty: its reads repeat the last turn, its writes leave out what is beyond it, and what
it collects is combined from the lanes that count.
"""

from __future__ import annotations

from collections.abc import Callable

from ..dtype import FLOATING, INTEGER, Dtype
from ..reducers import REDUCERS
from .lane_expressions import LaneExpressions, closed
from .loop_ir import (
    Accumulate,
    Array,
    Block,
    Collected,
    Expression,
    For,
    Let,
    Load,
    Operation,
    Statement,
    Store,
    Variable,
)  # fmt: skip
from .scalar_printer import ATOM, PRODUCT, UNARY, Piece, bracket

__all__ = ["LanePrinter"]

SHORT = 32  # lines: the turns of such a body with all lanes have a loop of their own, without what the last turn needs


class LanePrinter(LaneExpressions):
    """Prints the statements of one Procedure, loops over lanes among them."""

    def _statement(self, statement: Statement, depth: int, top: bool) -> list[str]:
        if isinstance(statement, For) and statement.lanes is not None:
            return self._lane_loop(statement, depth)
        if self._loop is None:
            return super()._statement(statement, depth, top)
        indent = "    " * depth
        match statement:
            case Let() if self._varies_let(statement):
                self._turns.add(statement.variable.name)
                return self._each(lambda: self._lane_let(statement), indent)
            case Store(array, index, value) if self._differs(index) or array.lanes:
                return self._each(lambda: self._lane_store(array, index, value), indent)
            case Accumulate():
                return self._lane_accumulate(statement, indent)
            case For(column, _, stop, Block((Store(copy, _, Load(array, Operation("add", (row, last)))),))) if (
                copy.lanes and last == column
            ):  # fmt: skip
                return self._each(lambda: self._rows(copy, array, row, stop), indent)
        return super()._statement(statement, depth, False)

    def _each(self, make: Callable[[], str], indent: str) -> list[str]:
        lines = []
        for vector in range(self._strip):
            self._vector = vector
            lines += self._noted("", indent, make())
        self._vector = 0
        return lines

    def _lane_loop(self, loop: For, depth: int) -> list[str]:
        assert loop.lanes is not None
        name = self.names[loop.index.name]
        indent, inner = "    " * depth, "    " * (depth + 1)
        start, stop = self.expression(loop.start), self.expression(loop.stop)
        self._bind(loop.index, False, False)
        active = self.extra(f"active_{name}")
        self._helpers[loop.index.name] = active
        self.declarations.append((active, INTEGER, False))
        lines = self._noted(loop.comment, indent, "") if loop.comment else []
        lines = [line for line in lines if line.strip()]
        if loop.parallel and not self._parallel and self.dialect.loop("i", "0", "1", True).find("prange") >= 0:
            strip = self.extra(f"strip_{name}")
            self.declarations.append((strip, INTEGER, False))
            head = self.dialect.loop(strip, "0", f"({stop} - {closed(start)} + LANES - 1) // LANES", True)
            lines.append(indent + head)
            first = f"{start} + {strip} * LANES" if start != "0" else f"{strip} * LANES"
            lines.append(f"{inner}{name} = {first}")
            lines.append(f"{inner}{active} = min(LANES, {stop} - {name})")
            self._parallel += 1
            lines += self._body(loop, 1, depth + 1)
            self._parallel -= 1
            return lines
        last = stop
        if not stop.isidentifier():
            last = self.extra(f"stop_{name}")
            self.declarations.append((last, INTEGER, False))
            lines.append(f"{indent}{last} = {stop}")
        for item in loop.lanes.collected:
            lines += self._cleared(item, indent)
        lines += [f"{indent}{name} = {start}"]
        vectors = loop.lanes.strip
        whole = self._body(loop, vectors, depth + 1, whole=True)
        if vectors == 1 and len(whole) <= SHORT:
            lines += [f"{indent}while {last} - {name} >= LANES:", *whole, inner + self._plus(name, "LANES")]
            for item in loop.lanes.collected:
                lines += self._combined(item, "LANES", indent)
            lines += [f"{indent}{active} = {last} - {name}", f"{indent}if {active} > 0:"]
            for item in loop.lanes.collected:
                lines += self._cleared(item, inner)
            lines += self._body(loop, 1, depth + 1)
            for item in loop.lanes.collected:
                lines += self._combined(item, active, inner)
            return lines
        if vectors > 1:
            lines += [f"{indent}while {last} - {name} >= {vectors} * LANES:", *whole]
            lines.append(inner + self._plus(name, f"{vectors} * LANES"))
        lines += [f"{indent}{active} = LANES", f"{indent}while True:",
                  f"{inner}while {last} - {name} >= {active}:"]  # fmt: skip
        lines += self._body(loop, 1, depth + 2)
        lines.append(f"{inner}    {self._plus(name, active)}")
        for item in loop.lanes.collected:
            lines += self._combined(item, active, inner)
        lines += [f"{inner}{active} = {last} - {name}", f"{inner}if {active} <= 0:", f"{inner}    break"]
        for item in loop.lanes.collected:
            lines += self._cleared(item, inner)
        return lines

    def _body(self, loop: For, strip: int, depth: int, whole: bool = False) -> list[str]:
        assert loop.lanes is not None
        self._loop, self._strip, self._whole = loop, strip, whole
        self._turns = {loop.index.name}
        self._together = {c.by.name for c in loop.lanes.collected}
        lines = self._block(loop.body, depth, False)
        self._loop, self._strip, self._whole = None, 0, False
        return lines

    def _cleared(self, item: Collected, indent: str) -> list[str]:
        name = self.names[item.by.name]
        identity = self.dialect.literal(REDUCERS[item.reducer].identity, FLOATING).text
        if isinstance(item.by, Variable):
            self._declare(name, FLOATING)
            return [f"{indent}{name} = {self.dialect.splat}({identity})"]
        return [f"{indent}fill_lanes({name}, {self.expression(item.size)}, {identity})"]

    def _combined(self, item: Collected, active: str, indent: str) -> list[str]:
        """Lines that combine the lanes that count into the target."""
        name = self.names[item.by.name]
        lines = []
        if isinstance(item.by, Variable):
            assert not isinstance(item.target, Array)
            target, vector = self.expression(item.target), name
        else:
            assert isinstance(item.target, Array)
            element = self._counter("lane_element")
            lines.append(f"{indent}for {element} in range({self.expression(item.size)}):")
            indent += "    "
            target, vector = f"{self.names[item.target.name]}[{element}]", f"{name}[{element}]"
        if REDUCERS[item.reducer].combine == "add":
            return [*lines, indent + self._plus(target, f"total({vector}, {active})")]
        lane = self._counter("lane")
        lines.append(f"{indent}for {lane} in range({active}):")
        return [*lines, f"{indent}    {self._merge(target, item.reducer, f'lane({vector}, {lane})')}"]

    def _merge(self, target: str, reducer: str, value: str) -> str:
        combine = REDUCERS[reducer].combine
        if combine == "mul":
            return self._plus(target, value, "*")
        name = self.dialect.function(combine, FLOATING)
        self.functions.setdefault((combine, FLOATING))
        return f"{target} = {name}({target}, {value})"

    def _plus(self, place: str, value: str, sign: str = "+") -> str:
        # inside a parallel loop an in-place operator would mean a reduction across threads
        return f"{place} = {place} {sign} ({value})" if self._parallel else f"{place} {sign}= {value}"

    def _bind(self, variable: Variable, varies: bool, top: bool) -> str:
        if not top and (self.names[variable.name], variable.dtype, varies) in self.declarations:
            return ""  # the lines of a strip are printed twice
        return super()._bind(variable, varies, top)

    def _counter(self, text: str) -> str:
        if text not in self._helpers:
            self._helpers[text] = self.extra(text)
            self.declarations.append((self._helpers[text], INTEGER, False))
        return self._helpers[text]

    # ---------------------------------------------------------------------------------------- statements in a turn
    def _varies_let(self, let: Let) -> bool:
        return (let.mutable and let.variable.dtype is FLOATING) or self._differs(let.value)

    def _lane_let(self, let: Let) -> str:
        name = self._of_vector(let.variable.name)
        self._declare(name, let.variable.dtype)
        return f"{name} = {self._wide(self._piece(let.value), let.variable.dtype)}"

    def _declare(self, name: str, dtype: Dtype) -> None:
        if (name, dtype, True) not in self.declarations:
            self.declarations.append((name, dtype, True))

    def _lane_store(self, array: Array, index: Expression, value: Expression) -> str:
        text = self._wide(self._piece(value), FLOATING)
        if array.lanes:
            return f"{self._element(array, index)} = {text}"
        step = self._step(index)
        assert step is not None
        if self._whole and step == "1":
            return f"store_whole({self._at(array, index)}, {text})"
        return f"store_part({self._at(array, index)}, {step}, {self._count()}, {text})"

    def _rows(self, copy: Array, array: Array, row: Expression, columns: Expression) -> str:
        """The copy of rows whose columns become vectors."""
        to = self.names[copy.name] + (f" + {self._vector}" if self._vector else "")
        step, count = self._step(row), self.expression(columns)
        return f"load_rows({to}, {copy.lanes}, {self._at(array, row)}, {step}, {count}, {self._count()})"

    def _lane_accumulate(self, statement: Accumulate, indent: str) -> list[str]:
        target, reducer, value = statement.target, statement.reducer, statement.value
        name = target.name if isinstance(target, Variable) else target.array.name
        if name in self._together:
            place = self.names[name]
            if isinstance(target, Load):
                place = f"{place}[{self._scalar(target.index)}]"
            return self._noted("", indent, self._onto(place, reducer, value, self._strip))
        if isinstance(target, Variable):
            if name not in self._turns:
                return super()._statement(statement, indent.count("    "), False)
            return self._each(lambda: self._onto(self._of_vector(name), reducer, value, 1), indent)
        if target.array.lanes:
            return self._each(
                lambda: self._onto(self._element(target.array, target.index), reducer, value, 1), indent
            )
        return self._each(lambda: self._scattered(target, value), indent)

    def _onto(self, place: str, reducer: str, value: Expression, vectors: int) -> str:
        """place = combine(place, the values of so many vectors)."""
        combine = REDUCERS[reducer].combine
        texts = []
        for vector in range(vectors):
            if vectors > 1:
                self._vector = vector
            piece = self._piece(value)
            wide = Piece(self._wide(piece, FLOATING), piece.level if piece.varies else ATOM, True)
            texts.append(wide)
        if vectors > 1:
            self._vector = 0
        if combine == "add":
            return self._plus(place, " + ".join(bracket(t, PRODUCT) for t in texts))
        if combine == "mul":
            return self._plus(place, " * ".join(bracket(t, UNARY) for t in texts), "*")
        result = place
        for text in texts:
            result = f"{self._lane_function(combine, FLOATING)}({result}, {text.text})"
        return f"{place} = {result}"

    def _scattered(self, target: Load, value: Expression) -> str:
        text = self._wide(self._piece(value), FLOATING)
        step = self._step(target.index)
        if step is None:
            places = self._piece(target.index).text
            return f"scatter_add({self.names[target.array.name]}, {places}, {self._count()}, {text})"
        return f"add_part({self._at(target.array, target.index)}, {step}, {self._count()}, {text})"
