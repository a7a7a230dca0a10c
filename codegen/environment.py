"""Which values can be read while a plan is walked through: variables and tables, each with the scope that
they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..axis import Axis
from ..dtype import INTEGER
from ..node import Kind, Node
from .affine import Atom, Facts, axis_form, holds
from .plan import Plan
from .sweeps import Buffer, Scope
from .values import LEAVES, resolve

__all__ = ["Environment", "Frame"]


@dataclass(eq=False, slots=True)
class Frame:
    """An open scope, and what was published in it."""

    scope: Scope
    variables: list[Node] = field(default_factory=list)
    tables: list[Node] = field(default_factory=list)
    resolved: dict[Node, Node] = field(default_factory=dict)


class Environment:
    """The open scopes of a walk through a plan.

    Attributes
    ----------
    frames:
        Open scopes; the frame at position k has k axes open.
    variables:
        For each value that a variable (or an expression) stands for, the position of its frame.
    tables:
        For each value that a table holds, the table and the position of its frame.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.frames: list[Frame] = []
        self.variables: dict[Node, int] = {}
        self.tables: dict[Node, tuple[Buffer, int]] = {}
        self._reads_data: set[Node] = set()
        for node in plan.order:
            is_input = node.kind is Kind.INPUT
            if node.dtype is INTEGER and (is_input or any(a in self._reads_data for a in node.args)):
                self._reads_data.add(node)

    def enter(self, scope: Scope) -> Frame:
        """Open a scope."""
        self.frames.append(Frame(scope))
        return self.frames[-1]

    def leave(self) -> None:
        """Close the innermost scope and forget what was published in it."""
        frame = self.frames.pop()
        for node in frame.variables:
            del self.variables[node]
        for node in frame.tables:
            del self.tables[node]

    def publish_variable(self, node: Node, position: int) -> None:
        """From now on a variable of the frame at ``position`` stands for the value."""
        self.variables[node] = position
        self.frames[position].variables.append(node)

    def publish_table(self, node: Node, table: Buffer) -> None:
        """From now on the value can be read in a table."""
        if node not in self.tables:
            self.frames[-1].tables.append(node)
        self.tables[node] = (table, len(self.frames) - 1)

    def resolved(self, node: Node, position: int) -> Node:
        """The node, or the branch of a select that the facts of a frame decide."""
        if node.kind is not Kind.ELEMENTWISE or node.data != "select" or node in self.variables or node in self.tables:
            return node
        frame = self.frames[position]
        if node not in frame.resolved:
            frame.resolved[node] = resolve(node, frame.scope.facts, self.plan.conditions)
        return frame.resolved[node]

    # --------------------------------------------------------------------------------------------------- placing
    def is_load(self, node: Node) -> bool:
        """Whether a value that no variable stands for is read from an array."""
        return node.kind is Kind.GATHER or node.kind is Kind.INPUT or node in self.tables

    def operands(self, node: Node) -> Sequence[Node]:
        """The values that a value is made of where it is computed or read."""
        if node in self.tables or node.kind in LEAVES:
            return ()
        return node.args[1:] if node.kind is Kind.GATHER else node.args

    def home(self, node: Node, position: int) -> int:
        """The frame in which a value that is used at ``position`` belongs.

        That of its variable; for a load the outermost frame in which the read is possible and safe; otherwise the
        frame that uses it.
        """
        if node in self.variables:
            return self.variables[node]
        if not self.is_load(node):
            return position
        for candidate in range(self._lowest(node), position):
            if self.is_safe(node, self.frames[candidate].scope.facts):
                return candidate
        return position

    def _lowest(self, node: Node) -> int:
        """The outermost frame in which everything that a load needs is there."""
        opened = {axis: i + 1 for i, axis in enumerate(self.frames[-1].scope.open)}
        lowest = 0
        stack = [node]
        while stack:
            node = stack.pop()
            lowest = max([lowest, *(opened.get(a, 0) for a in node.axes)])
            if node in self.variables:
                lowest = max(lowest, self.variables[node])
                continue
            for array in (node, *node.args[:1]) if node.kind is Kind.GATHER else (node,):
                if array in self.tables:
                    lowest = max(lowest, self.tables[array][1])
            stack.extend(self.operands(node))
        return lowest

    # ---------------------------------------------------------------------------------------------------- ranges
    def is_safe(self, node: Node, facts: Facts) -> bool:
        """Whether a load, with the loads in its indices, stays inside its arrays where the facts hold."""
        stack = [node]
        while stack:
            node = stack.pop()
            if node in self.variables:
                continue
            if node.kind is Kind.GATHER and node not in self.tables and any(True for _ in self.unsafe(node, facts)):
                return False
            stack.extend(self.operands(node))
        return True

    def unsafe(self, gather: Node, facts: Facts) -> Iterable[tuple[Axis, Node]]:
        """The dimensions of a Gather whose index may be out of range where the facts hold."""
        promised = self.plan.domains.safe(gather, facts)
        checked = self.plan.domains.unconditional(gather)
        for axis, index in zip(gather.data, gather.args[1:], strict=True):
            if not self.in_range(axis, index, facts, promised, checked):
                yield axis, index

    def in_range(self, axis: Axis, index: Node, facts: Facts, promised: bool, checked: bool) -> bool:
        """Whether an index is inside an axis.

        ``promised``: the graph says so, unless the index is data. ``checked``: integer inputs are checked on entry.
        """
        if index in self._reads_data:
            return checked and self.data_index(index) is not None
        if promised and not checked:  # a condition stands before the read; elsewhere the range has to be proved
            return True
        form = self.plan.forms.get(index)
        if form is None:
            return False
        rest = axis_form(axis).plus(form, -1).without(axis).shifted(axis.size - 1)
        return holds(Atom(form), facts) and holds(Atom(rest), facts)

    def data_index(self, index: Node) -> tuple[Node, int] | None:
        """An index that is an element of an integer input plus a constant, as that input and the constant."""
        offset = 0
        if index.kind is Kind.ELEMENTWISE and index.data in ("add", "sub") and len(index.args) == 2:
            left, right = index.args
            if left.kind is Kind.CONST and index.data == "add":
                left, right = right, left
            if right.kind is not Kind.CONST:
                return None
            offset = right.data if index.data == "add" else -right.data
            index = left
        source = index.args[0] if index.kind is Kind.GATHER else index
        return (source, offset) if source.kind is Kind.INPUT else None
