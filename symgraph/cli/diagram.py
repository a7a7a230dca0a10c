"""Graphs as diagrams: Graphviz dot and Mermaid, one box per node, arguments above users."""

from __future__ import annotations

from ..graph import Graph, topological_order
from ..node import Kind, Node

__all__ = ["dot", "mermaid"]


def _label(node: Node) -> str:
    match node.kind:
        case Kind.ELEMENTWISE | Kind.INPUT | Kind.SIZE:
            text = str(node.data)
        case Kind.CONST:
            text = str(node.data)
        case Kind.AXIS_INDEX:
            text = f"index {node.data.name}"
        case Kind.REDUCE:
            text = f"{node.data[0]} over {node.data[1].name} < {node.data[1].size}"
        case _:
            text = node.kind.value.replace("_", " ")
    if node.axes and node.kind is not Kind.AXIS_INDEX:
        text += f" [{', '.join(axis.name for axis in node.axes)}]"
    return text


def _numbered(graph: Graph) -> dict[Node, int]:
    roots = [*graph.inputs, *(output.node for output in graph.outputs)]
    return {node: number for number, node in enumerate(topological_order(roots))}


def dot(graph: Graph) -> str:
    """The graph for Graphviz.

    >>> from symgraph.capture.formula import graph_from_formulas
    >>> print(dot(graph_from_formulas(["sin(x)"])).splitlines()[1])
      n0 [label="x", shape=box];
    """

    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    numbers = _numbered(graph)
    lines = [f"digraph {quoted(graph.name)} {{"]
    for node, number in numbers.items():
        shape = ", shape=box" if node.kind is Kind.INPUT else ""
        lines.append(f"  n{number} [label={quoted(_label(node))}{shape}];")
        lines += [f"  n{numbers[argument]} -> n{number};" for argument in node.args]
    for position, output in enumerate(graph.outputs):
        lines.append(f"  o{position} [label={quoted(output.name)}, shape=box, peripheries=2];")
        lines.append(f"  n{numbers[output.node]} -> o{position};")
    return "\n".join([*lines, "}"])


def mermaid(graph: Graph) -> str:
    """The graph for Mermaid, which many web pages draw.

    >>> from symgraph.capture.formula import graph_from_formulas
    >>> print(mermaid(graph_from_formulas(["sin(x)"])).splitlines()[0])
    flowchart TD
    """

    def quoted(text: str) -> str:
        return '"' + text.replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;") + '"'

    numbers = _numbered(graph)
    lines = ["flowchart TD"]
    for node, number in numbers.items():
        lines.append(f"  n{number}[{quoted(_label(node))}]")
        lines += [f"  n{numbers[argument]} --> n{number}" for argument in node.args]
    for position, output in enumerate(graph.outputs):
        lines.append(f"  o{position}([{quoted(output.name)}])")
        lines.append(f"  n{numbers[output.node]} --> o{position}")
    return "\n".join(lines)
