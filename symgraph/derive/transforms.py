"""Graph to graph: gradients, Jacobians, Hessians, directional derivatives and batching.

A transform takes a graph and the input nodes to differentiate by, and returns a graph whose outputs all live in one DAG
with what they share. Names of derived outputs: ``df_dx`` for output f and input x.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from .. import simplify as s
from ..axis import Axis
from ..dtype import FLOATING
from ..errors import ModelError
from ..graph import Graph, Output, Structure, collection_paused, map_structure, topological_order
from ..marks import marks_nodes
from ..node import Kind, Node, input_node
from ..ops import apply_op
from ..rewrite import bound_axes, fresh_axis
from .forward import tangents
from .jacobians import jacobian_nodes
from .reverse import gradients

__all__ = [
    "batched", "gradient", "hessian", "hessian_vector", "jacobian", "pullback", "pushforward", "value_and_gradient",
]  # fmt: skip


class _Collector:
    """Collects outputs and hands out their positions."""

    def __init__(self) -> None:
        self.outputs: list[Output] = []
        self._taken: set[str] = set()

    def add(self, name: str, node: Node, axes: Sequence[Axis]) -> int:
        candidates = (f"{name}_{i}" if i > 1 else name for i in count(1))
        unique = next(n for n in candidates if n not in self._taken)
        self._taken.add(unique)
        self.outputs.append(Output(unique, node, tuple(axes)))
        return len(self.outputs) - 1

    def derivative(self, name: str, node: Node, axes: Sequence[Axis]) -> int:
        """Derivatives are floating numbers, also where they are the integers 0 and 1."""
        return self.add(name, node if node.dtype is FLOATING else apply_op("float", node), axes)

    def graph(self, name: str, inputs: Sequence[Node], structure: Structure) -> Graph:
        return Graph(name, tuple(inputs), tuple(self.outputs), structure)


def _packed(items: Sequence[Structure], single: bool) -> Structure:
    return items[0] if single else tuple(items)


def _scalar_output(graph: Graph, what: str) -> Output:
    if len(graph.outputs) != 1 or graph.outputs[0].axes:
        found = ", ".join(f"{o.name} with {len(o.axes)} axes" if o.axes else o.name for o in graph.outputs)
        raise ModelError(
            f"{what} of {graph.name}: expected one scalar output, found {len(graph.outputs)} ({found}): "
            "use jacobian, or sum the outputs first"
        )
    return graph.outputs[0]


@collection_paused()
@marks_nodes
def gradient(graph: Graph, wrt: Sequence[Node], single: bool) -> Graph:
    """The gradient of the one scalar output."""
    output = _scalar_output(graph, "grad")
    collector = _Collector()
    structure = _gradient_outputs(collector, output, wrt, single)
    return collector.graph(f"grad_{graph.name}", graph.inputs, structure)


def _gradient_outputs(collector: _Collector, output: Output, wrt: Sequence[Node], single: bool) -> Structure:
    nodes = gradients({output.node: s.ONE}, wrt)
    items = [collector.derivative(f"d{output.name}_d{x.data}", g, x.axes) for x, g in zip(wrt, nodes, strict=True)]
    return _packed(items, single)


@collection_paused()
@marks_nodes
def value_and_gradient(graph: Graph, wrt: Sequence[Node], single: bool) -> Graph:
    """(value, gradient) of the one scalar output."""
    output = _scalar_output(graph, "value_and_grad")
    collector = _Collector()
    value = collector.add(output.name, output.node, output.axes)
    structure = (value, _gradient_outputs(collector, output, wrt, single))
    return collector.graph(f"value_and_grad_{graph.name}", graph.inputs, structure)


def _used_axes(graph: Graph) -> set[Axis]:
    used = {a for node in topological_order([*graph.inputs, *(o.node for o in graph.outputs)]) for a in node.axes}
    for node in graph.order:
        used.update(bound_axes(node))
    for output in graph.outputs:
        used.update(output.axes)
    return used


def _free_output(graph: Graph, output: Output) -> Output:
    """The output with its axes renamed where the graph binds them or an input has them: they become batch axes."""
    blocked = {a for node in graph.inputs for a in node.axes}
    for node in graph.order:
        blocked.update(bound_axes(node))
        if node.kind is Kind.INPUT:
            blocked.update(node.axes)
    clash = [a for a in output.axes if a in blocked]
    if not clash:
        return output
    used = _used_axes(graph)
    names: dict[Axis, Axis] = {}
    for axis in clash:
        names[axis] = fresh_axis(axis.name, axis.size, used)
        used.add(names[axis])
    (node,) = s.rename_axes([output.node], names)
    return Output(output.name, node, tuple(names.get(a, a) for a in output.axes))


@collection_paused()
@marks_nodes
def jacobian(graph: Graph, wrt: Sequence[Node], single: bool) -> Graph:
    """The Jacobian of every output by every input of ``wrt``: shape output.shape + input.shape."""
    collector = _Collector()
    free = [_free_output(graph, output) for output in graph.outputs]
    table = jacobian_nodes([o.node for o in free], [o.axes for o in free], wrt)

    def leaf(position: int) -> Structure:
        output = free[position]
        items = [
            collector.derivative(f"d{output.name}_d{x.data}", node, (*output.axes, *x.axes))
            for x, node in zip(wrt, table[position], strict=True)
        ]
        return _packed(items, single)

    structure = map_structure(graph.structure, leaf)
    return collector.graph(f"jacobian_{graph.name}", graph.inputs, structure)


@collection_paused()
@marks_nodes
def hessian(graph: Graph, wrt: Sequence[Node], single: bool) -> Graph:
    """The Hessian of the one scalar output: for inputs x, y a block of shape x.shape + y.shape."""
    output = _scalar_output(graph, "hessian")
    first = gradient(graph, wrt, False)
    free = [_free_output(first, o) for o in first.outputs]
    collector = _Collector()
    rows: list[Structure] = []
    blocks: dict[tuple[int, int], Node] = {}
    for i, row in enumerate(free):
        scalar = [j for j, x in enumerate(wrt) if not x.axes and not wrt[i].axes]
        needed = [j for j in range(len(wrt)) if not (j in scalar and j < i)]
        (values,) = jacobian_nodes([row.node], [row.axes], [wrt[j] for j in needed])
        blocks.update({(i, j): v for j, v in zip(needed, values, strict=True)})
        items: list[Structure] = []
        for j, x in enumerate(wrt):
            node = blocks[i, j] if (i, j) in blocks else blocks[j, i]  # scalar blocks are symmetric
            items.append(collector.derivative(f"d2{output.name}_d{wrt[i].data}_d{x.data}", node, (*row.axes, *x.axes)))
        rows.append(_packed(items, single))
    return collector.graph(f"hessian_{graph.name}", graph.inputs, _packed(rows, single))


def _companions(graph: Graph, nodes: Sequence[Node], suffix: str) -> list[Node]:
    taken = {node.data for node in graph.inputs}
    found = []
    for node in nodes:
        name = f"{node.data}_{suffix}"
        while name in taken:
            name += "_"
        taken.add(name)
        found.append(input_node(name, node.axes, node.dtype))
    return found


@collection_paused()
@marks_nodes
def pushforward(graph: Graph, wrt: Sequence[Node]) -> Graph:
    """(outputs, their tangents) along a direction; the direction's inputs follow the function's own."""
    directions = _companions(graph, wrt, "tangent")
    results = tangents([o.node for o in graph.outputs], dict(zip(wrt, directions, strict=True)))
    collector = _Collector()

    def value(k: int) -> int:
        return collector.add(graph.outputs[k].name, graph.outputs[k].node, graph.outputs[k].axes)

    def tangent(k: int) -> int:
        return collector.derivative(f"{graph.outputs[k].name}_tangent", results[k], graph.outputs[k].axes)

    structure = (map_structure(graph.structure, value), map_structure(graph.structure, tangent))
    return collector.graph(f"jvp_{graph.name}", (*graph.inputs, *directions), structure)


@collection_paused()
@marks_nodes
def pullback(graph: Graph, wrt: Sequence[Node], single: bool) -> Graph:
    """The adjoints of ``wrt`` for given adjoints of the outputs, whose inputs follow the function's own."""
    named = [input_node(o.name, o.axes) for o in graph.outputs]
    cotangents = _companions(graph, named, "cotangent")
    seeds: dict[Node, Node] = {}
    for output, cotangent in zip(graph.outputs, cotangents, strict=True):
        seed = cotangent
        for axis in output.axes:
            if axis not in output.node.axes:
                seed = s.reduce("sum", seed, axis)
        seeds[output.node] = s.add(seeds[output.node], seed) if output.node in seeds else seed
    results = gradients(seeds, wrt)
    collector = _Collector()
    items = [collector.derivative(f"{x.data}_adjoint", g, x.axes) for x, g in zip(wrt, results, strict=True)]
    return collector.graph(f"vjp_{graph.name}", (*graph.inputs, *cotangents), _packed(items, single))


@collection_paused()
@marks_nodes
def hessian_vector(graph: Graph, wrt: Sequence[Node], single: bool) -> Graph:
    """The Hessian of the one scalar output times a vector, whose inputs follow the function's own."""
    output = _scalar_output(graph, "hvp")
    directions = _companions(graph, wrt, "vector")
    first = gradients({output.node: s.ONE}, wrt)
    results = tangents(first, dict(zip(wrt, directions, strict=True)))
    collector = _Collector()
    items = [collector.derivative(f"hvp_{x.data}", h, x.axes) for x, h in zip(wrt, results, strict=True)]
    return collector.graph(f"hvp_{graph.name}", (*graph.inputs, *directions), _packed(items, single))


@collection_paused()
def batched(graph: Graph, positions: Sequence[int | None], axis: Axis, out_position: int) -> Graph:
    """The graph with one more axis on the inputs whose entry of ``positions`` is not None, and on every output."""
    used = _used_axes(graph)
    axis = fresh_axis(axis.name, axis.size, used)
    replacements: dict[Node, Node] = {}
    inputs: list[Node] = []
    for node, position in zip(graph.inputs, positions, strict=True):
        if position is not None:
            axes = _inserted(node.axes, position, axis)
            replacements[node] = input_node(node.data, axes, node.dtype)
        inputs.append(replacements.get(node, node))
    nodes = s.substitute([o.node for o in graph.outputs], replacements)
    outputs = tuple(
        Output(o.name, node, _inserted(o.axes, out_position, axis))
        for o, node in zip(graph.outputs, nodes, strict=True)
    )
    return Graph(f"vmap_{graph.name}", tuple(inputs), outputs, graph.structure)


def _inserted(axes: tuple[Axis, ...], position: int, axis: Axis) -> tuple[Axis, ...]:
    if position < 0:
        position += len(axes) + 1
    if not 0 <= position <= len(axes):
        raise ModelError(f"the batch axis cannot stand at position {position} of {len(axes) + 1} dimensions")
    return (*axes[:position], axis, *axes[position:])


