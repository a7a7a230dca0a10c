"""The names of a Procedure: what the user called things, made into identifiers, each once."""

from __future__ import annotations

import sympy as sp

from ..dtype import INTEGER
from ..node import Kind, Node
from ..reducers import size_value
from .expressions import integer, integer_product, integer_sum, typed_operation
from .loop_ir import Array, Expression, Variable
from .names import identifier
from .plan import Plan

__all__ = ["Names"]


class Names:
    """Parameters of the Procedure of a plan, and new names beside them.

    Attributes
    ----------
    function:
        The name of the Procedure.
    inputs, outputs, sizes:
        The parameters: by input node, in the order of outputs, and by name of the size symbol.
    """

    def __init__(self, plan: Plan) -> None:
        graph = plan.graph
        self._taken: set[str] = set()
        self._last: dict[str, int] = {}
        self._temporaries = 0
        self._sizes: dict[sp.Expr, Expression] = {}
        self.function = identifier(graph.name)
        texts = {node: self.new(node.data) for node in graph.inputs}
        self.sizes = {name: Variable(self.new(name), INTEGER) for name in graph.size_names}
        self.inputs: dict[Node, Array | Variable] = {
            node: Array(text, node.dtype, tuple(self.size(a.size) for a in node.axes))
            if node.axes
            else Variable(text, node.dtype)
            for node, text in texts.items()
        }
        self.outputs = [
            Array(self.new(o.name), o.node.dtype, tuple(self.size(a.size) for a in o.axes)) for o in graph.outputs
        ]

    def new(self, text: str) -> str:
        """An identifier like ``text`` that nothing has yet: with a number behind it where the plain one is taken."""
        base = identifier(text)
        name, number = base, self._last.get(base, 1)
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._last[base] = number
        self._taken.add(name)
        return name

    def temporary(self) -> str:
        """The next of t0, t1, ... that is free."""
        while True:
            name = f"t{self._temporaries}"
            self._temporaries += 1
            if name not in self._taken:
                self._taken.add(name)
                return name

    def size(self, size: sp.Expr) -> Expression:
        """An integer expression of sizes."""
        found = self._sizes.get(size)
        if found is None:
            found = self._sizes[size] = self._expression(size_value(size))
        return found

    def _expression(self, node: Node) -> Expression:
        # sizes are small expressions: recursion over them is bounded
        match node.kind:
            case Kind.CONST:
                return integer(node.data)
            case Kind.SIZE:
                return self.sizes[node.data]
        operands = [self._expression(a) for a in node.args]
        if node.data in ("add", "mul"):
            combine = integer_sum if node.data == "add" else integer_product
            result = operands[0]
            for operand in operands[1:]:
                result = combine(result, operand)
            return result
        return typed_operation(node.data, operands, INTEGER)
