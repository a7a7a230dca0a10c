"""A plan as text: the loops as a tree, what each computes, stores and accumulates, and what the tables cost."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..axis import Axis
from ..dtype import BOOLEAN
from ..node import Kind, Node
from .affine import Affine, Bound
from .plan import Plan
from .sweeps import Accumulator, Buffer, Compute, Fill, Item, OutputArray, Root, Sweep, Target, Write

__all__ = ["explain_plan"]


def explain_plan(plan: Plan) -> str:
    """Describe a plan.

    >>> from symgraph.axis import Axis
    >>> from symgraph.codegen.plan import plan_graph
    >>> from symgraph.graph import Graph, Output
    >>> from symgraph.node import input_node
    >>> from symgraph.ops import apply_op
    >>> from symgraph.reducers import reduce_over
    >>> i = Axis("i", "n")
    >>> x = input_node("x", (i,))
    >>> total = reduce_over("sum", x, i)
    >>> print(explain_plan(plan_graph(Graph("f", (x,), (Output("out", total),)))))
    f: 1 sweep, no tables
    for i in 0..n
      accumulate x into the sum over i
    store the sum over i in out
    """
    return _Text(plan).text()


class _Text:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.numbers = {buffer: position + 1 for position, buffer in enumerate(plan.buffers)}

    def text(self) -> str:
        plan = self.plan
        sweeps = self.sweeps(plan.scope.items)
        tables = {0: "no tables", 1: "1 table"}.get(len(plan.buffers), f"{len(plan.buffers)} tables")
        lines = [f"{plan.graph.name}: {sweeps} {'sweep' if sweeps == 1 else 'sweeps'}, {tables}"]
        for buffer, number in self.numbers.items():
            shape = ", ".join(f"{a.name}: {a.size}" for a in buffer.axes)
            lines.append(f"table {number}: {describe(buffer.node)}, [{shape}], {_bytes(buffer)} bytes, {buffer.reason}")
        lines.extend(f"fill {target.output.name}" for target, _ in plan.fills)
        lines.extend(self.items(plan.scope.items, 0))
        return "\n".join(lines)

    def sweeps(self, items: Sequence[Item]) -> int:
        return sum(isinstance(item, Sweep) for item in items)

    def items(self, items: Sequence[Item], depth: int) -> list[str]:
        indent = "  " * depth
        lines: list[str] = []
        computed: list[str] = []

        def flush() -> None:
            if computed:
                lines.append(f"{indent}compute {_joined(computed)}")
                computed.clear()

        for item in items:
            if isinstance(item, Compute):
                computed.append(describe(item.node))
                continue
            flush()
            match item:
                case Write(root):
                    lines.append(indent + self.write(root))
                case Fill(target, _) if isinstance(target, Buffer):
                    lines.append(f"{indent}clear {self.target(target)}")
                case Sweep(axis, lower, upper, _, body):
                    lines.append(f"{indent}for {axis.name} in {_range(axis, lower, upper)}")
                    lines.extend(self.items(body.items, depth + 1))
        flush()
        return lines

    def write(self, root: Root) -> str:
        target = self.target(root.sink.target)
        if root.sink.reducer is None:
            return f"store {describe(root.value)} in {target}"
        verb = "accumulate" if root.sink.reducer == "sum" else f"accumulate ({root.sink.reducer})"
        return f"{verb} {describe(root.value)} into {target}"

    def target(self, target: Target) -> str:
        match target:
            case OutputArray(_, output):
                return output.name
            case Accumulator(node):
                return describe(node)
            case Buffer():
                return f"table {self.numbers[target]}"


def describe(node: Node) -> str:
    """A few words for a value: its operation, or its name."""
    match node.kind:
        case Kind.INPUT | Kind.SIZE:
            return str(node.data)
        case Kind.CONST:
            return str(node.data)
        case Kind.AXIS_INDEX:
            return f"the index {node.data.name}"
        case Kind.REDUCE:
            return f"the {node.data[0]} over {node.data[1].name}"
        case Kind.GATHER:
            return f"a read of {describe(node.args[0]) if node.args[0].kind is Kind.INPUT else 'a table'}"
        case Kind.SCATTER_ADD:
            return "a scattered sum"
    return str(node.data)


def _joined(names: Sequence[str]) -> str:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return ", ".join(name if count == 1 else f"{count} {name}" for name, count in counts.items())


def _bytes(buffer: Buffer) -> sp.Expr:
    total = sp.Integer(1 if buffer.dtype is BOOLEAN else 8)
    for axis in buffer.axes:
        total *= axis.size
    return sp.factor(total)


def _range(axis: Axis, lower: Sequence[Bound], upper: Sequence[Bound]) -> str:
    start = [_bound(b) for b in lower] or ["0"]
    stop = [_bound(b) for b in upper] or [str(axis.size)]
    return f"{_one('max', start)}..{_one('min', stop)}"


def _one(choice: str, texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{choice}({', '.join(texts)})"


def _bound(bound: Bound) -> str:
    text = _form(bound.form)
    return text if bound.divisor == 1 else f"({text}) // {bound.divisor}"


def _form(form: Affine) -> str:
    parts = [f"{c}*{a.name}" if c != 1 else a.name for a, c in sorted(form.terms, key=lambda t: (-t[1], t[0].name))]
    if form.constant != 0 or not parts:
        parts.append(str(form.constant))
    return " + ".join(parts).replace("+ -", "- ")
