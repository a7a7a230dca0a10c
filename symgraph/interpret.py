"""The reference semantics: a graph evaluated node by node with NumPy.

Every other way to run a graph is tested against this one, so it is written to be read. A value has one dimension per
axis of its node, in the order of ``node.axes``, always of full length. Graphs whose inputs are all scalars also take
arrays that broadcast: their values then have the dimensions of the batch in front, and only there, so that one rule
of alignment (:func:`align`) serves both cases.

Out-of-range reads are clipped: in a well-formed graph an index leaves its array only where a guard throws the value
away. Where the index is data and no guard stands between the read and an output, it is an error of the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arguments import Value, argument_value, bind_arguments
from .axis import Axis, evaluate_size
from .dtype import FLOATING, INTEGER, Dtype
from .errors import ModelError, ShapeError, UnsupportedError
from .graph import Graph, Output
from .node import Kind, Node
from .ops import OPS
from .placing import (
    elements_of_sums,
    front_selectors,
    loops_of,
    range_message,
    reads_data,
    values_read,
)  # fmt: skip
from .reducers import REDUCERS

__all__ = ["Evaluator", "Step", "Value", "align", "bind_arguments", "evaluate", "node_values", "steps"]

@dataclass(frozen=True)
class Step:
    """One node of an execution: what it is, its value, and its adjoint where adjoints were asked for."""

    node: Node
    value: Value
    adjoint: Value | None = None


def evaluate(graph: Graph, arguments: Sequence[object]) -> list[Any]:
    """Run a graph.

    Parameters
    ----------
    graph:
        The graph to run.
    arguments:
        One value per input: arrays of the input's shape, or, where all inputs are scalars, anything that broadcasts.

    Returns
    -------
    list
        One entry per output, in their order: a Python number where the output has no dimension, else an array whose
        dimensions follow ``Output.axes`` (after those of the batch). Floating values are float64, integers int64.

    Raises
    ------
    ShapeError
        An argument does not fit its shape, another argument or its dtype, or an index array leaves its array.
    ModelError
        The number of arguments is wrong, or the graph reads an input that it does not list.

    Examples
    --------
    >>> from symgraph.node import input_node
    >>> from symgraph.ops import apply_op
    >>> from symgraph.graph import Graph, Output
    >>> x, y = input_node("x"), input_node("y")
    >>> graph = Graph("f", (x, y), (Output("out", apply_op("mul", x, y)),))
    >>> evaluate(graph, [3, 4])
    [12.0]
    >>> evaluate(graph, [[1.0, 2.0], 4.0])
    [array([4., 8.])]
    """
    bindings, sizes, batch = bind_arguments(graph.inputs, arguments)
    runner = Evaluator(bindings, sizes, _unguarded(graph))
    results = [o.node for o in graph.outputs]
    gathered = elements_of_sums(graph)
    last_use: dict[Node, int] = {}
    for position, node in enumerate(graph.order):
        for argument in values_read(node, gathered):
            last_use[argument] = position
    for node in results:
        last_use[node] = len(graph.order)
    with np.errstate(all="ignore"):
        for position, node in enumerate(graph.order):
            if node in gathered:
                continue
            runner.compute(node, gathered)
            for argument in values_read(node, gathered):
                if last_use[argument] == position:
                    runner.values.pop(argument, None)
        return [_as_output(runner, output, batch) for output in graph.outputs]


def node_values(order: Iterable[Node], bindings: Mapping[Node, object], sizes: Mapping[str, int]) -> dict[Node, Value]:
    """The value of every node of ``order``.

    Parameters
    ----------
    order:
        Nodes, arguments before users.
    bindings:
        A value for each Input node, of its shape (scalars may be arrays that broadcast).
    sizes:
        A value for each size symbol.

    Returns
    -------
    dict
        Node to value, in the order given; dimensions follow ``node.axes``.
    """
    converted = {node: argument_value(node, value) for node, value in bindings.items()}
    runner = Evaluator(converted, sizes)
    with np.errstate(all="ignore"):
        return {node: runner.compute(node) for node in order}


def steps(
    order: Iterable[Node], values: Mapping[Node, Value], adjoints: Mapping[Node, Node] | None = None
) -> list[Step]:
    """The execution as records, one per node in execution order; read backwards, the adjoints are in theirs.

    Parameters
    ----------
    order:
        The nodes to show, arguments before users.
    values:
        What :func:`node_values` gave for an order that holds these nodes and the adjoint nodes.
    adjoints:
        Node to its adjoint node, for those that have one.
    """
    found = adjoints or {}
    return [Step(node, values[node], values[found[node]] if node in found else None) for node in order]


def align(value: Value, axes: Sequence[Axis], target: Sequence[Axis]) -> Value:
    """``value`` over ``axes`` with its trailing dimensions in the order of ``target``; missing axes get length 1.

    >>> i, j = Axis("i", 2), Axis("j", 3)
    >>> align(np.zeros((2, 3)), (i, j), (j, i)).shape, align(np.zeros(3), (j,), (i, j)).shape
    ((3, 2), (1, 3))
    """
    if tuple(axes) == tuple(target):
        return value
    front = value.ndim - len(axes)
    present = [a for a in target if a in axes]
    value = value.transpose(*range(front), *(front + axes.index(a) for a in present))
    shape = iter(value.shape[front:])
    return value.reshape(*value.shape[:front], *(next(shape) if a in axes else 1 for a in target))


def _as_output(runner: Evaluator, output: Output, batch: tuple[int, ...]) -> Any:
    value = align(runner.values[output.node], output.node.axes, output.axes)
    result = np.broadcast_to(value, batch + tuple(runner.length(a) for a in output.axes))
    return result.item() if result.ndim == 0 else np.array(result)


def _unguarded(graph: Graph) -> set[Node]:
    """Nodes that reach an output without passing through a branch of a select."""
    seen: set[Node] = set()
    stack = [o.node for o in graph.outputs]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            is_select = node.kind is Kind.ELEMENTWISE and node.data == "select"
            stack.extend(node.args[:1] if is_select else node.args)
    return seen


class Evaluator:
    """The values of the nodes so far, and one rule per kind."""

    def __init__(
        self, bindings: Mapping[Node, Value], sizes: Mapping[str, int], unguarded: Set[Node] = frozenset()
    ) -> None:
        self.values: dict[Node, Value] = {}
        self._bindings, self._sizes, self._unguarded = bindings, sizes, unguarded
        self._lengths: dict[Axis, int] = {}

    def length(self, axis: Axis) -> int:
        """The size of an axis as a number."""
        length = self._lengths.get(axis)
        if length is None:
            # a range(0, n - 1) is empty for n = 0
            length = self._lengths[axis] = max(0, evaluate_size(axis.size, self._sizes))
        return length

    def compute(self, node: Node, gathered: Set[Node] = frozenset()) -> Value:
        """The value of a node whose arguments have theirs; a sum adds what is ``gathered`` to its result in place."""
        rule = _RULES.get(node.kind)
        if rule is None:
            raise UnsupportedError(f"the interpreter has no rule for nodes of kind {node.kind.value!r}")
        if gathered.isdisjoint(node.args):
            value = self.values[node] = np.asarray(rule(self, node))
        else:
            value = self.values[node] = self._sum_in_place(node, gathered)
        return value

    def aligned(self, argument: Node, axes: Sequence[Axis]) -> Value:
        """The value of an argument with its dimensions in the order of ``axes``."""
        return align(self.values[argument], argument.axes, axes)

    # ------------------------------------------------------------------------------------------- one rule per kind
    def _input(self, node: Node) -> Value:
        if node not in self._bindings:
            raise ModelError(f"the graph reads the input {node.data}, which is not among its inputs: add it to them")
        return self._bindings[node]

    def _constant(self, node: Node) -> Value:
        if node.dtype is FLOATING or (node.dtype is INTEGER and not -(2**63) <= node.data < 2**63):
            return np.asarray(_nearest_float(node.data))
        return np.asarray(node.data)

    def _size(self, node: Node) -> Value:
        if node.data not in self._sizes:
            raise ShapeError(f"the size {node.data} is not known: no argument has it in its shape")
        return np.asarray(self._sizes[node.data])

    def _axis_index(self, node: Node) -> Value:
        return np.arange(self.length(node.axes[0]))

    def _elementwise(self, node: Node) -> Value:
        row = OPS[node.data]
        arguments = [self.aligned(argument, node.axes) for argument in node.args]
        if row.result in ("promote", "branches"):  # NumPy's arithmetic on booleans is logic, ours is on integers
            first = 1 if row.result == "branches" else 0
            arguments[first:] = [_cast(argument, node.dtype) for argument in arguments[first:]]
        elif row.result == "power":
            arguments[0] = _cast(arguments[0], node.dtype)
        return self._full(_cast(np.asarray(row.numpy(*arguments)), node.dtype), node.axes)

    def _reduce(self, node: Node) -> Value:
        (argument,), (reducer, axis) = node.args, node.data
        kept = tuple(a for a in argument.axes if a != axis)
        value = _cast(self.values[argument], node.dtype)
        dimension = argument.axes.index(axis) - len(argument.axes)
        row = REDUCERS[reducer]
        return align(row.numpy(value, axis=dimension, initial=row.identity), kept, node.axes)

    def _broadcast(self, node: Node) -> Value:
        return self._full(self.aligned(node.args[0], node.axes), node.axes)

    def _gather(self, node: Node) -> Value:
        array, *indices = node.args
        source = self.values[array]
        names = dict(zip(node.data, indices, strict=True))
        renamed = self._renamed_axes(array, names)
        if renamed is not None:
            return align(source, renamed, node.axes)
        selectors: list[Any] = []
        for axis in array.axes:
            if axis in names:
                selector = self.aligned(names[axis], node.axes)
                selectors.append(self._in_range(node, axis, names[axis], selector))
            else:
                selectors.append(align(np.arange(self.length(axis)), (axis,), node.axes))
        if 0 in source.shape[source.ndim - len(array.axes) :]:  # nothing can be read: every read is behind a guard
            return np.zeros(self._shape(source, selectors, node.axes), node.dtype.numpy_name())
        front = source.shape[: source.ndim - len(array.axes)]
        return self._full(source[(*front_selectors(front, len(node.axes)), *selectors)], node.axes)

    def _renamed_axes(self, array: Node, names: Mapping[Axis, Node]) -> tuple[Axis, ...] | None:
        """The axes of ``array`` after a gather that only renames them, else None."""
        renamed = []
        for axis in array.axes:
            index = names.get(axis)
            if index is not None and (index.kind is not Kind.AXIS_INDEX or index.axes[0].size != axis.size):
                return None
            renamed.append(axis if index is None else index.axes[0])
        return tuple(renamed) if len(set(renamed)) == len(renamed) else None

    def _in_range(self, node: Node, axis: Axis, index: Node, selector: Value) -> Value:
        length = self.length(axis)
        outside = (selector < 0) | (selector >= length)
        if not outside.any():
            return selector
        if node in self._unguarded and reads_data(index):
            raise ShapeError(range_message(node.args[0], axis, length, selector[outside][0]))
        return selector.clip(0, max(length - 1, 0))

    def _scatter_add(self, node: Node) -> Value:
        source, positions = self._scattered(node)
        result = np.zeros(self._front(node, source) + self._lengths_of(node.axes), node.dtype.numpy_name())
        self._add_onto(result, node, source, positions)
        return result

    def _sum_in_place(self, node: Node, gathered: Set[Node]) -> Value:
        terms: list[tuple[Node, Value, dict[Axis, Value]]] = []
        for argument in node.args:
            if argument in gathered:
                terms.append((argument, *self._scattered(argument)))
            else:
                terms.append((argument, _cast(self.aligned(argument, node.axes), node.dtype), {}))
        front = np.broadcast_shapes(*(self._front(n, v) if n in gathered else v.shape[: v.ndim - len(node.axes)]
                                      for n, v, _ in terms))  # fmt: skip
        result = np.zeros(front + self._lengths_of(node.axes), node.dtype.numpy_name())
        for argument, value, positions in terms:
            if argument in gathered:
                self._add_onto(result, argument, value, positions)
            else:
                result += value
        return result

    def _scattered(self, node: Node) -> tuple[Value, dict[Axis, Value]]:
        """What a ScatterAdd adds, over all its loops, and where along each axis that it places."""
        value, *indices = node.args
        targets = node.data[0]
        loops = loops_of(node)
        source = _cast(self.aligned(value, loops), node.dtype)
        positions: dict[Axis, Value] = {}
        inside: Value = np.asarray(True)
        for axis, index in zip(targets, indices, strict=True):
            positions[axis] = self.aligned(index, loops)
            outside = (positions[axis] < 0) | (positions[axis] >= self.length(axis))
            if node in self._unguarded and reads_data(index) and (lost := outside & (source != 0)).any():
                bad = np.broadcast_to(positions[axis], lost.shape)[lost][0]
                raise ShapeError(range_message(node, axis, self.length(axis), bad))
            inside = inside & ~outside
        # what falls outside is thrown away by a select, not by a product: it may be nan
        return self._full(np.where(inside, source, np.zeros((), source.dtype)), loops), positions

    def _add_onto(self, result: Value, node: Node, source: Value, positions: Mapping[Axis, Value]) -> None:
        if result.size == 0:
            return
        loops = loops_of(node)
        front = result.shape[: result.ndim - len(node.axes)]
        source = np.broadcast_to(source, front + source.shape[source.ndim - len(loops) :])
        selectors = front_selectors(front, len(loops))
        for axis in node.axes:
            position = positions[axis] if axis in positions else align(np.arange(self.length(axis)), (axis,), loops)
            selectors.append(position.clip(0, self.length(axis) - 1))
        np.add.at(result, tuple(selectors), source)

    def _front(self, node: Node, source: Value) -> tuple[int, ...]:
        return source.shape[: source.ndim - len(loops_of(node))]

    def _lengths_of(self, axes: Sequence[Axis]) -> tuple[int, ...]:
        return tuple(self.length(a) for a in axes)

    def _full(self, value: Value, axes: Sequence[Axis]) -> Value:
        """``value`` with every one of its trailing dimensions repeated to full length."""
        front = value.shape[: max(value.ndim - len(axes), 0)]
        shape = front + tuple(self.length(a) for a in axes)
        return value if value.shape == shape else np.broadcast_to(value, shape)

    def _shape(self, source: Value, selectors: Iterable[Value], axes: Sequence[Axis]) -> tuple[int, ...]:
        fronts = [s.shape[: max(s.ndim - len(axes), 0)] for s in selectors]
        return np.broadcast_shapes(*fronts) + tuple(self.length(a) for a in axes)


_RULES: dict[Kind, Callable[[Evaluator, Node], Any]] = {
    Kind.INPUT: Evaluator._input,
    Kind.CONST: Evaluator._constant,
    Kind.SIZE: Evaluator._size,
    Kind.AXIS_INDEX: Evaluator._axis_index,
    Kind.ELEMENTWISE: Evaluator._elementwise,
    Kind.REDUCE: Evaluator._reduce,
    Kind.BROADCAST: Evaluator._broadcast,
    Kind.GATHER: Evaluator._gather,
    Kind.SCATTER_ADD: Evaluator._scatter_add,
}


def _cast(value: Value, dtype: Dtype) -> Value:
    return value.astype(dtype.numpy_name(), copy=False)


def _nearest_float(value: Any) -> float:
    """A constant rounded once to float64; beyond its range, an infinity."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
