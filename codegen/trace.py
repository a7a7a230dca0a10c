"""Which emitted lines compute which values: the link between a graph and the text that it becomes.

The lowering is run once more and watched: each expression that it makes is remembered with the nodes that it stands
for. Statements are then found again in the text, in which they stand in the same order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ..graph import Graph
from ..node import Kind, Node
from .loop_ir import Accumulate, Block, Expression, For, If, Let, Load, Operation, Statement, Store, Variable
from .lower import Lowering
from .names import bound_names, safe_names
from .pipeline import run_stages
from .plan import Plan
from .prepare import prepared_nodes
from .sweeps import Accumulator, OutputArray, Root
from .targets.cython import IN_BODY

__all__ = ["Place", "Trace", "trace"]

Thing = TypeVar("Thing")
FEW = 4  # lines that a value without a line of its own is said to be inside of


@dataclass(frozen=True)
class Place:
    """Where one value is computed.

    Attributes
    ----------
    own:
        Lines that define the value, counted from 0.
    inside:
        Lines of other values that compute this one in passing.
    loops:
        The loop variables around it, outermost first.
    variable:
        The variable or array that holds it; empty when it is computed in passing.
    """

    own: tuple[int, ...] = ()
    inside: tuple[int, ...] = ()
    loops: tuple[str, ...] = ()
    variable: str = ""


@dataclass(frozen=True)
class Trace:
    """The lines of the emitted function body, and the place of each value in them."""

    lines: tuple[str, ...]
    places: Mapping[Node, Place] = field(default_factory=dict)


def trace(graph: Graph, finish: Callable[[Graph], Graph] | None = None) -> Trace:
    """Emit a graph for the cython target and link its nodes with the lines.

    Parameters
    ----------
    graph:
        Any graph without recurrences.
    finish:
        What is done to the graph before it is planned, as in :func:`~symgraph.codegen.pipeline.build_kernel`.

    Examples
    --------
    >>> from symgraph.graph import Output
    >>> from symgraph.node import input_node
    >>> from symgraph.ops import apply_op
    >>> x = input_node("x")
    >>> node = apply_op("sin", x)
    >>> found = trace(Graph("f", (x,), (Output("y", node),)))
    >>> found.lines[found.places[node].own[0]].strip()
    'y[0] = sin(x)'
    """
    finished = graph if finish is None else finish(graph)
    results = run_stages(finished, "cython")
    lines = _body(results["source"])
    watched = _Watched(results["plan"])
    procedure = watched.procedure()
    names = safe_names(bound_names(procedure), IN_BODY)
    places: dict[Node, Place] = {}
    position = 0
    for statement, loops in _leaves(procedure.body):
        name = names[_target(statement).name]
        found = _find(lines, position, name)
        if found is None:
            continue
        position = found[-1] + 1
        around = tuple(names[v.name] for v in loops)
        for node in watched.defined_by(statement):
            known = places.get(node, Place())
            places[node] = Place(known.own + found, known.inside, known.loops or around, known.variable or name)
        for node in watched.passed_in(statement):
            known = places.get(node, Place())
            if not set(found) & set(known.own) and len(known.inside) < FEW:
                places[node] = Place(
                    known.own, (*known.inside, found[0]), known.loops or around, known.variable
                )
    return Trace(tuple(lines), _for_originals(graph, finished, watched.plan.graph, places))


def _for_originals(
    graph: Graph, finished: Graph, planned: Graph, places: Mapping[Node, Place]
) -> dict[Node, Place]:
    """Places by the nodes of the graph as it was given. What has no line of its own is inside those of its users."""
    result = {node: places[new] for node, new in prepared_nodes(finished).items() if new in places}
    for given, made in zip(graph.outputs, planned.outputs, strict=True):  # also those written in other operations
        if made.node in places:
            result.setdefault(given.node, places[made.node])
    for node in reversed(graph.order):
        if node in result or node.kind in (Kind.INPUT, Kind.CONST, Kind.SIZE, Kind.AXIS_INDEX):
            continue
        above = [result[u] for u in graph.users[node] if u in result]
        lines = dict.fromkeys(line for place in above for line in place.own or place.inside)
        if lines:
            result[node] = Place(inside=tuple(lines)[:FEW], loops=above[0].loops)
    return result


class _Watched(Lowering):
    """A lowering that remembers which nodes its expressions and statements stand for."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._nodes: dict[int, dict[Node, None]] = {}
        self._kept: list[object] = []  # so that no identity is given twice

    def value_at(self, node: Node, position: int) -> Expression:
        return self._noted(super().value_at(node, position), node)

    def operation_at(self, node: Node, position: int) -> Expression:
        return self._noted(super().operation_at(node, position), node)

    def load(self, node: Node, position: int) -> tuple[Expression, str]:
        expression, name = super().load(node, position)
        return self._noted(expression, node), name

    def compute(self, node: Node) -> None:
        super().compute(node)
        if node in self.expressions:
            self._noted(self.expressions[node], node)

    def write(self, root: Root) -> list[Statement]:
        statements = super().write(root)
        target = root.sink.target
        for statement, _ in _leaves(Block(tuple(statements))):
            if isinstance(target, OutputArray):
                self._noted(statement, root.value)
                self._noted(statement, target.output.node)
                self._noted(statement, self.plan.graph.outputs[target.position].node)
            else:
                self._noted(statement, target.node)
        if isinstance(target, Accumulator):
            self._noted(self.accumulators[target], target.node)
        return statements

    def _noted(self, thing: Thing, node: Node) -> Thing:
        self._kept.append(thing)
        self._nodes.setdefault(id(thing), {})[node] = None
        return thing

    def defined_by(self, statement: Statement) -> Sequence[Node]:
        """The nodes that a statement defines."""
        thing = statement.variable if isinstance(statement, Let) else statement
        return tuple(self._nodes.get(id(thing), ()))

    def passed_in(self, statement: Let | Store | Accumulate) -> Iterator[Node]:
        """The nodes that a statement computes in passing."""
        stack: list[Expression] = [statement.value]
        while stack:
            expression = stack.pop()
            if isinstance(expression, (Operation, Load)):
                yield from self._nodes.get(id(expression), ())
                stack.extend(expression.operands if isinstance(expression, Operation) else (expression.index,))


def _leaves(
    block: Statement, loops: tuple[Variable, ...] = ()
) -> Iterator[tuple[Let | Store | Accumulate, tuple[Variable, ...]]]:
    """The statements that compute something, in order, each with the loops around it."""
    match block:
        case Block(statements):
            for statement in statements:
                yield from _leaves(statement, loops)
        case For():
            yield from _leaves(block.body, (*loops, block.index))
        case If(_, then, otherwise):
            yield from _leaves(then, loops)
            yield from _leaves(otherwise, loops)
        case Let() | Store() | Accumulate():
            yield block, loops


def _target(statement: Let | Store | Accumulate) -> Variable:
    match statement:
        case Let(variable):
            return variable
        case Store(array):
            return Variable(array.name, array.dtype)
    target = statement.target
    return target if isinstance(target, Variable) else Variable(target.array.name, target.array.dtype)


def _body(source: str) -> list[str]:
    """The lines of the function that computes, and before it of the parts that it is cut into where it is long."""
    lines = source.splitlines()
    body = next(i for i, line in enumerate(lines) if line.startswith("cdef") and "_body(" in line)
    parts = [i for i, line in enumerate(lines[:body]) if re.match(r"cdef .*_part_\d+\(.*:$", line)]
    result: list[str] = []
    for start in (*parts, body):
        ends = (i for i in range(start + 1, len(lines)) if lines[i] and not lines[i].startswith(" "))
        end = next(ends, len(lines))
        while not lines[end - 1].strip():
            end -= 1
        result += lines[start:end]
    return result


def _find(lines: Sequence[str], position: int, name: str) -> tuple[int, ...] | None:
    """The lines of the next statement that assigns to a name."""
    assigned = rf"(?:cdef [\w ]+\*? )?{re.escape(name)}(?:_lanes)?(?:\[.*\])? (?:[-+*]?=) "
    stored = rf"(?:store_part|store_whole|scatter_add)\(&?{re.escape(name)}\b"  # by several lanes at a time
    pattern = re.compile(rf"\s*(?:{assigned}|{stored})")
    for start in range(position, len(lines)):
        if pattern.match(lines[start] + " "):
            end = start
            if lines[start].rstrip().endswith("= ("):
                while lines[end].strip() != ")":
                    end += 1
            return tuple(range(start, end + 1))
    return None
