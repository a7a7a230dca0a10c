"""The grammar of a graph, stated once: every rule has a name, no rule accepts everything.

``verify`` runs after every pass in tests and on every file that is loaded. It knows nothing of how nodes are built: it
says what a node may look like. A violation is a defect of whoever built the graph, so the message names the rule and
the node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import sympy as sp

from .axis import Axis
from .dtype import BOOLEAN, FLOATING, INTEGER, promote
from .errors import ModelError
from .graph import Graph, map_structure
from .node import Kind, Node
from .ops import OPS
from .reducers import REDUCERS

__all__ = ["verify"]

Problems = Iterator[tuple[str, str]]  # (name of the rule, what is wrong)


def verify(graph: Graph) -> None:
    """Check that a graph follows the grammar.

    Raises
    ------
    ModelError
        Naming the rule that is broken and the node that breaks it.

    Examples
    --------
    >>> from symgraph.graph import Graph, Output
    >>> from symgraph.node import input_node
    >>> x, y = input_node("x"), input_node("y")
    >>> verify(Graph("f", (x,), (Output("out", x),)))
    >>> verify(Graph("f", (x,), (Output("out", y),)))
    Traceback (most recent call last):
    symgraph.errors.ModelError: rule 'inputs are listed': the graph f reads the input y, which is not listed
    """
    for node in graph.order:
        for rule, problem in _node_problems(node):
            raise ModelError(f"rule {rule!r}: {problem}, at the node {node!r}")
    for rule, problem in _graph_problems(graph):
        raise ModelError(f"rule {rule!r}: {problem}")


# -------------------------------------------------------------------------------------------------------------- nodes
def _node_problems(node: Node) -> Problems:
    rule = _RULES.get(node.kind)
    if rule is None:
        yield "known kind", f"nodes of kind {node.kind.value!r} are not part of a graph yet"
        return
    for argument in node.args:
        if argument.number >= node.number:
            yield "arguments come first", f"the argument {argument!r} is not older than its user"
    if len(node.axes) > 1 and len(set(node.axes)) != len(node.axes):
        yield "axes are distinct", f"one of the axes {_names(node.axes)} appears twice"
    yield from rule(node)


def _input(node: Node) -> Problems:
    if node.args:
        yield "leaves have no arguments", f"{len(node.args)} arguments"
    if not isinstance(node.data, str) or not node.data:
        yield "inputs have a name", f"the name is {node.data!r}"


def _constant(node: Node) -> Problems:
    if node.args:
        yield "leaves have no arguments", f"{len(node.args)} arguments"
    if node.axes:
        yield "constants have no axes", f"axes {_names(node.axes)}"
    value = node.data
    if not isinstance(value, bool | int | Fraction | float | sp.Float | sp.NumberSymbol):
        yield "constants are numbers", f"a constant of type {type(value).__name__}"
        return
    if isinstance(value, Fraction) and value.denominator == 1:
        yield "whole fractions are integers", f"the fraction {value}"
    expected = BOOLEAN if isinstance(value, bool) else INTEGER if isinstance(value, int) else FLOATING
    if node.dtype is not expected:
        yield "dtype of a constant", f"{node.dtype.name}, expected {expected.name}"


def _size(node: Node) -> Problems:
    if node.args:
        yield "leaves have no arguments", f"{len(node.args)} arguments"
    if node.axes or node.dtype is not INTEGER:
        yield "sizes are integers", f"axes {_names(node.axes)} and dtype {node.dtype.name}"
    if not isinstance(node.data, str) or not node.data:
        yield "sizes have a name", f"the name is {node.data!r}"


def _axis_index(node: Node) -> Problems:
    if node.args:
        yield "leaves have no arguments", f"{len(node.args)} arguments"
    if not isinstance(node.data, Axis) or node.axes != (node.data,):
        yield "a running index varies over its axis", f"the axis {node.data!r}, axes {_names(node.axes)}"
    if node.dtype is not INTEGER:
        yield "running indices are integers", f"dtype {node.dtype.name}"


def _elementwise(node: Node) -> Problems:
    row = OPS.get(node.data)
    if row is None:
        yield "known operation", f"{node.data!r} is no row of the op table"
        return
    count = len(node.args)
    if not count if node.data == "undefined" else count < 2 if row.arity is None else count != row.arity:
        yield "number of arguments", f"{node.data} has {count}, expected {row.arity or 'two or more'}"
        return
    yield from _same_axes(node, [axis for argument in node.args if argument.axes for axis in argument.axes])
    expected = row.dtype(node.args)
    if node.dtype is not expected:
        yield "dtype of an operation", f"{node.data} has {node.dtype.name}, expected {expected.name}"
    if node.data == "mul":
        yield from _product(node)
    elif row.commutative and any(a.number > b.number for a, b in zip(node.args, node.args[1:], strict=False)):
        yield "commutative arguments are sorted", f"the arguments of {node.data} are not in order of creation"
    elif node.data in ("and", "or", "not") and any(a.dtype is not BOOLEAN for a in node.args):
        yield "logic is boolean", f"{node.data} of {', '.join(a.dtype.name for a in node.args)}"
    elif node.data == "select" and node.args[0].dtype is not BOOLEAN:
        yield "conditions are boolean", f"a condition of dtype {node.args[0].dtype.name}"


def _product(node: Node) -> Problems:
    numbers = [argument.kind is Kind.CONST and type(argument.data) in _FOLDED for argument in node.args]
    if any(numbers):
        if len(node.args) != 2 or not numbers[0] or numbers[1]:
            yield "a coefficient stands first, in a product of two", f"{len(node.args)} factors"
    elif any(a.number > b.number for a, b in zip(node.args, node.args[1:], strict=False)):
        yield "commutative arguments are sorted", "the arguments of mul are not in order of creation"


_FOLDED = (int, Fraction, float)


def _reduce(node: Node) -> Problems:
    if len(node.args) != 1:
        yield "number of arguments", f"a reduction has {len(node.args)}, expected 1"
        return
    if not isinstance(node.data, tuple) or len(node.data) != 2 or node.data[0] not in REDUCERS:
        yield "known reducer", f"{node.data!r} is not (a row of the reducer table, an axis)"
        return
    (argument,), (reducer, axis) = node.args, node.data
    if axis not in argument.axes:
        yield "a reduction is over an axis of its argument", f"{axis!r} is not among {_names(argument.axes)}"
    yield from _same_axes(node, [a for a in argument.axes if a != axis])
    expected = FLOATING if reducer in ("max", "min") else promote(argument.dtype)
    if node.dtype is not expected:
        yield "dtype of a reduction", f"{reducer} has {node.dtype.name}, expected {expected.name}"


def _broadcast(node: Node) -> Problems:
    if len(node.args) != 1:
        yield "number of arguments", f"a broadcast has {len(node.args)}, expected 1"
        return
    (argument,) = node.args
    if not isinstance(node.data, Axis) or node.data in argument.axes:
        yield "a broadcast adds an axis", f"{node.data!r} to {_names(argument.axes)}"
        return
    yield from _same_axes(node, [*argument.axes, node.data])
    if node.dtype is not argument.dtype:
        yield "dtype of a broadcast", f"{node.dtype.name} of {argument.dtype.name}"


def _gather(node: Node) -> Problems:
    if len(node.args) < 2 or not isinstance(node.data, tuple) or len(node.data) != len(node.args) - 1:
        yield "one index per replaced axis", f"{len(node.args) - 1} indices for {node.data!r}"
        return
    array, *indices = node.args
    if len(set(node.data)) != len(node.data):
        yield "replaced axes are distinct", _names(node.data)
    for axis in node.data:
        if axis not in array.axes:
            yield "replaced axes belong to the array", f"{axis!r} is not among {_names(array.axes)}"
    yield from _indices(indices)
    kept = [axis for axis in array.axes if axis not in node.data]
    yield from _same_axes(node, [*kept, *(axis for index in indices for axis in index.axes)])
    if node.dtype is not array.dtype:
        yield "dtype of a read", f"{node.dtype.name} from {array.dtype.name}"


def _scatter_add(node: Node) -> Problems:
    data = node.data
    if not isinstance(data, tuple) or len(data) != 2 or not data[0] or len(data[0]) != len(node.args) - 1:
        yield "one index per target axis", f"{len(node.args) - 1} indices for {data!r}"
        return
    value, *indices = node.args
    targets, summed = data
    if len(set(targets)) != len(targets) or len(set(summed)) != len(summed):
        yield "target and summed axes are distinct", f"{_names(targets)} and {_names(summed)}"
    below = [axis for argument in node.args for axis in argument.axes]
    for axis in summed:
        if axis not in below:
            yield "summed axes belong to value or index", f"{axis!r} is not among {_names(below)}"
    for axis in targets:
        if axis in below and axis not in summed:
            yield "a target axis is bound", f"{axis!r} also varies below and is not summed"
    yield from _indices(indices)
    yield from _same_axes(node, [*targets, *(axis for axis in below if axis not in summed)])
    if node.dtype is not value.dtype:
        yield "dtype of a scatter", f"{node.dtype.name} of {value.dtype.name}"


_RULES: dict[Kind, Callable[[Node], Problems]] = {
    Kind.INPUT: _input,
    Kind.CONST: _constant,
    Kind.SIZE: _size,
    Kind.AXIS_INDEX: _axis_index,
    Kind.ELEMENTWISE: _elementwise,
    Kind.REDUCE: _reduce,
    Kind.BROADCAST: _broadcast,
    Kind.GATHER: _gather,
    Kind.SCATTER_ADD: _scatter_add,
}


def _indices(indices: list[Node]) -> Problems:
    for index in indices:
        if index.dtype is not INTEGER:
            yield "indices are integers", f"the index {index!r} has dtype {index.dtype.name}"


def _same_axes(node: Node, expected: list[Axis]) -> Problems:
    if (node.axes or expected) and set(node.axes) != set(expected):
        yield "axes follow from the arguments", f"axes {_names(node.axes)}, expected {_names(dict.fromkeys(expected))}"


# -------------------------------------------------------------------------------------------------------------- graph
def _graph_problems(graph: Graph) -> Problems:
    names: set[str] = set()
    for node in graph.inputs:
        if node.kind is not Kind.INPUT:
            yield "inputs are input nodes", f"{node!r} is listed as an input of {graph.name}"
        elif node.data in names:
            yield "input names are unique", f"two inputs of {graph.name} are called {node.data}"
        else:
            yield from ((rule, f"{problem}, at {node!r}") for rule, problem in _node_problems(node))
        names.add(node.data)
    listed = set(graph.inputs)
    for node in graph.order:
        if node.kind is Kind.INPUT and node not in listed:
            yield "inputs are listed", f"the graph {graph.name} reads the input {node.data}, which is not listed"
    for output in graph.outputs:
        if len(set(output.axes)) != len(output.axes):
            yield "the axes of an output are distinct", f"{output.name} has {_names(output.axes)}"
        missing = [axis for axis in output.node.axes if axis not in output.axes]
        if missing:
            yield "an output has all axes of its node", f"{output.name} lacks {_names(missing)}"
    found: list[int] = []
    map_structure(graph.structure, found.append)
    if sorted(found) != list(range(len(graph.outputs))):
        yield "the structure holds every output once", f"{found} for {len(graph.outputs)} outputs"


def _names(axes: object) -> str:
    return f"({', '.join(axis.name for axis in axes)})"  # type: ignore[attr-defined]
