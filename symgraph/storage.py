"""Graphs as plain data: rows that JSON, ``repr``, pickling and the content hash all share.

Nodes are numbered densely, arguments before users, in order of creation; a row is ``[kind, data, arguments]`` with a
fourth entry only where axes or dtype are not the ones that follow from the arguments. Constants are exact: the graph
that is read back consists of the very nodes that were written. Nothing in a file is ever evaluated.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .axis import Axis
from .dtype import FLOATING, Dtype, promote
from .encoding import Reader, encode_axis, encode_constant, encode_structure, malformed
from .errors import ModelError, SymgraphError, ToolchainError, UnsupportedError
from .graph import Graph, Output, topological_order
from .node import Kind, Node, axis_index, constant, input_node, make, size_node, union_axes
from .ops import BUILT_IN, OPS, ordered
from .reducers import REDUCERS
from .rewrite import gather_axes, scatter_axes
from .spec import verify

__all__ = [
    "content_hash", "dumps", "from_rows", "graph_from_data", "graph_repr", "graph_to_data", "load", "loads", "save",
]  # fmt: skip

FORMAT, VERSION = "symgraph graph", 1


# ------------------------------------------------------------------------------------------------------------ writing
def graph_to_data(graph: Graph) -> dict[str, Any]:
    """The graph as lists, strings, integers and booleans: what JSON can hold.

    >>> from symgraph.node import input_node
    >>> x = input_node("x")
    >>> graph_to_data(Graph("f", (x,), (Output("out", x),)))["nodes"]
    [['input', ['x', 'floating', []], []]]
    """
    order = topological_order([*graph.inputs, *(o.node for o in graph.outputs)])
    positions = {node: position for position, node in enumerate(order)}
    axes: dict[Axis, int] = {}
    nodes = [_row(node, positions, axes) for node in order]
    outputs = [[o.name, positions[o.node], _axis_numbers(o.axes, axes)] for o in graph.outputs]
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": graph.name,
        "axes": [encode_axis(axis) for axis in axes],
        "nodes": nodes,
        "inputs": [positions[node] for node in graph.inputs],
        "outputs": outputs,
        "structure": encode_structure(graph.structure),
    }


def _axis_numbers(some: Iterable[Axis], axes: dict[Axis, int]) -> list[int]:
    return [axes.setdefault(axis, len(axes)) for axis in some]


def _row(node: Node, positions: dict[Node, int], axes: dict[Axis, int]) -> list[Any]:
    data: Any = node.data
    match node.kind:
        case Kind.INPUT:
            data = [node.data, node.dtype.name.lower(), _axis_numbers(node.axes, axes)]
        case Kind.CONST:
            data = encode_constant(node.data)
        case Kind.AXIS_INDEX | Kind.BROADCAST:
            (data,) = _axis_numbers([node.data], axes)
        case Kind.REDUCE:
            data = [node.data[0], *_axis_numbers([node.data[1]], axes)]
        case Kind.GATHER:
            data = _axis_numbers(node.data, axes)
        case Kind.SCATTER_ADD:
            data = [_axis_numbers(node.data[0], axes), _axis_numbers(node.data[1], axes)]
        case Kind.SCAN:
            raise UnsupportedError("a graph with a recurrence cannot be saved")
    row = [node.kind.value, data, [positions[argument] for argument in node.args]]
    if node.args:
        derived_axes, derived_dtype = _derive(node.kind, node.data, node.args)
        if (derived_axes, derived_dtype) != (node.axes, node.dtype):
            row.append([_axis_numbers(node.axes, axes), node.dtype.name.lower()])
    return row


def _derive(kind: Kind, data: Any, arguments: tuple[Node, ...]) -> tuple[tuple[Axis, ...], Dtype]:
    """The axes and the dtype that follow from the arguments."""
    first = arguments[0]
    if kind is Kind.ELEMENTWISE:
        return union_axes(arguments), OPS[data].dtype(arguments)
    if kind is Kind.REDUCE:
        axes = tuple(a for a in first.axes if a != data[1])
        return axes, promote(first.dtype) if data[0] in ("sum", "product") else FLOATING
    if kind is Kind.BROADCAST:
        return (*first.axes, data), first.dtype
    if kind is Kind.GATHER:
        return gather_axes(arguments, data), first.dtype
    return scatter_axes(arguments, *data), first.dtype


def dumps(graph: Graph) -> str:
    """The graph as JSON text, one node per line."""
    data = graph_to_data(graph)
    lines = ",\n  ".join(json.dumps(row) for row in data["nodes"])
    parts = [
        f" {json.dumps(key)}: " + (f"[\n  {lines}\n ]" if key == "nodes" else json.dumps(value))
        for key, value in data.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def save(graph: Graph, path: str | os.PathLike[str]) -> None:
    """Write the graph to a file: all of it or, where that fails, nothing.

    Raises
    ------
    ToolchainError
        The file cannot be written.
    """
    target = Path(path)
    text = dumps(graph)
    temporary = ""
    try:
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(text)
        Path(temporary).replace(target)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise ToolchainError(f"the graph cannot be written to {target}: {error.strerror or error}") from error


def graph_repr(graph: Graph) -> str:
    """A Python expression that gives the graph again, where ``sg`` is symgraph."""
    data = graph_to_data(graph)
    arguments = [f"{key}={data[key]!r}" for key in ("name", "axes", "nodes", "inputs", "outputs", "structure")]
    return f"sg.from_rows({', '.join(arguments)})"


# ------------------------------------------------------------------------------------------------------------ reading
def from_rows(**rows: Any) -> Graph:
    """The graph of the given rows: what the ``repr`` of a graph calls (see :func:`graph_to_data` for the form).

    Raises
    ------
    ModelError
        The rows hold no graph; the message says where.

    Examples
    --------
    >>> import sympy as sp, symgraph as sg
    >>> f = sg.function(sp.Symbol("x") + 1)
    >>> again = eval(repr(f), {"sg": sg})
    >>> again.graph.outputs[0].node is f.graph.outputs[0].node
    True
    """
    return graph_from_data({"format": FORMAT, "version": VERSION, **rows})


def load(path: str | os.PathLike[str]) -> Graph:
    """Read a graph that :func:`save` wrote.

    Raises
    ------
    ModelError
        The file holds no graph; the message says where.
    ToolchainError
        The file cannot be read.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        raise ToolchainError(f"the graph cannot be read from {path}: {error.strerror or error}") from error
    except UnicodeDecodeError:
        raise ModelError(f"{path} holds no graph: it is not UTF-8 text") from None
    return loads(text)


def loads(text: str) -> Graph:
    """The graph of a JSON text; it has the very nodes of the graph that was written.

    >>> from symgraph.node import input_node
    >>> x = input_node("x")
    >>> loads(dumps(Graph("f", (x,), (Output("out", x),)))).outputs[0].node is x
    True
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise ModelError(f"the text holds no graph: it is not valid JSON ({reason})") from None
    return graph_from_data(data)


def graph_from_data(data: Any) -> Graph:
    """The graph of :func:`graph_to_data`'s form, checked row by row and then as a whole.

    Raises
    ------
    ModelError
        Something is missing, of the wrong type or out of range; the message says where.
    UnsupportedError
        A later format, or an operation that is not registered here.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise malformed("the format", repr(FORMAT), data.get("format") if isinstance(data, dict) else data)
    if data.get("version") != VERSION:
        raise UnsupportedError(f"the file has format version {data.get('version')!r}, this release reads {VERSION}")
    reader = Reader(data)
    for position, row in enumerate(reader.entry("nodes", list)):
        try:
            reader.nodes.append(_node(reader, row))
        except SymgraphError as error:
            raise error.reworded(f"node {position}: {error}") from None
    inputs = tuple(reader.node(number) for number in reader.entry("inputs", list))
    outputs = []
    for row in reader.entry("outputs", list):
        name, number, axes = reader.fields(row, "an output", str, int, list)
        outputs.append(Output(name, reader.node(number), reader.axis_tuple(axes)))
    graph = Graph(reader.entry("name", str), inputs, tuple(outputs), reader.structure(len(outputs)))
    verify(graph)
    return graph


_KINDS = {kind.value: kind for kind in Kind if kind is not Kind.SCAN}
_DTYPES = {dtype.name.lower(): dtype for dtype in Dtype}


def _node(reader: Reader, row: Any) -> Node:
    if not isinstance(row, list | tuple) or len(row) not in (3, 4):
        raise malformed("a row", "[kind, data, arguments]", row)
    name, data, numbers = row[:3]
    kind = reader.choice("the kind of a node", _KINDS, name)
    if not isinstance(numbers, list | tuple):
        raise malformed("the arguments", "a list", numbers)
    arguments = tuple(reader.node(number) for number in numbers)
    leaf = kind in (Kind.INPUT, Kind.CONST, Kind.SIZE, Kind.AXIS_INDEX)
    if leaf != (not arguments) or (kind in (Kind.REDUCE, Kind.BROADCAST) and len(arguments) != 1):
        raise malformed(f"the arguments of a node of kind {name}", "none" if leaf else "at least one", numbers)
    match kind:
        case Kind.INPUT:
            text, dtype, axes = reader.fields(data, "an input", str, str, list)
            return input_node(text, reader.axis_tuple(axes), reader.choice("the dtype", _DTYPES, dtype))
        case Kind.CONST:
            return constant(reader.constant(data))
        case Kind.SIZE:
            return size_node(reader.text(data))
        case Kind.AXIS_INDEX:
            return axis_index(reader.axis(data))
        case Kind.ELEMENTWISE:
            if not isinstance(data, str) or data not in OPS:
                raise UnsupportedError(f"the operation {data!r} is not known here: register it before loading")
            arguments = ordered(OPS[data], arguments)  # the order of creation may differ in another process
        case Kind.REDUCE:
            reducer, axis = reader.fields(data, "a reduction", str, int)
            reader.choice("the reducer", REDUCERS, reducer)
            data = (reducer, reader.axis(axis))
        case Kind.BROADCAST:
            data = reader.axis(data)
        case Kind.GATHER:
            data = reader.axis_tuple(data)
        case Kind.SCATTER_ADD:
            targets, summed = reader.fields(data, "a scatter", list, list)
            data = (reader.axis_tuple(targets), reader.axis_tuple(summed))
    axes, dtype = _derive(kind, data, arguments)
    if len(row) == 4:
        numbers, text = reader.fields(row[3], "axes and dtype", list, str)
        axes, dtype = reader.axis_tuple(numbers), reader.choice("the dtype", _DTYPES, text)
    return make(kind, arguments, axes, dtype, data)


# --------------------------------------------------------------------------------------------------------------- hash
def content_hash(graph: Graph) -> str:
    """A fingerprint of what the graph says: 64 hexadecimal digits.

    It depends on names, constants, axes and operations, not on the order in which nodes were created, the process or
    the hash seed. Arguments of commutative operations count as unordered.

    >>> from symgraph.node import input_node
    >>> x = input_node("x")
    >>> len(content_hash(Graph("f", (x,), (Output("out", x),))))
    64
    """
    digests: dict[Node, str] = {}
    texts: dict[Axis, str] = {}

    def axis_texts(axes: Iterable[Axis]) -> list[str]:
        return [texts.get(a) or texts.setdefault(a, ascii(encode_axis(a))) for a in axes]

    for node in topological_order([*graph.inputs, *(o.node for o in graph.outputs)]):
        below = [digests[argument] for argument in node.args]
        data: Any = node.data
        match node.kind:
            case Kind.INPUT:
                data = (data, axis_texts(node.axes))
            case Kind.CONST:
                data = encode_constant(data)
            case Kind.ELEMENTWISE:
                row = OPS[data]
                if row.commutative:
                    below.sort()
                if data not in BUILT_IN:  # two users may give one name to different functions
                    data = (data, row.c, row.python)
            case Kind.AXIS_INDEX | Kind.BROADCAST:
                data = axis_texts([data])
            case Kind.REDUCE:
                data = (data[0], axis_texts([data[1]]))
            case Kind.GATHER:
                data = axis_texts(data)
            case Kind.SCATTER_ADD:
                data = (axis_texts(data[0]), axis_texts(data[1]))
            case Kind.SCAN:
                raise UnsupportedError("a graph with a recurrence has no content hash")
        digests[node] = _digest(node.kind.value, int(node.dtype), data, below)
    inputs = [digests[node] for node in graph.inputs]
    outputs = [(o.name, digests[o.node], axis_texts(o.axes)) for o in graph.outputs]
    return _digest(FORMAT, VERSION, graph.name, inputs, outputs, encode_structure(graph.structure))


def _digest(*parts: object) -> str:
    return hashlib.sha256(ascii(parts).encode("ascii")).hexdigest()
