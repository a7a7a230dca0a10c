"""Blocks of Jacobians: which sweeps to run, and how their results go together.

The axes of an output are batch axes, so that one reverse sweep serves all of them. What has to be done one by one are
outputs (or inputs) that are separate scalars: reverse mode takes a sweep for each scalar output, forward mode one for
each scalar input; the smaller number wins. Arrays that are assembled from single elements count by element.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import simplify as s
from ..axis import Axis
from ..graph import topological_order
from ..node import Kind, Node
from .elements import Position, assembled, elements
from .forward import tangents
from .reverse import gradients

__all__ = ["jacobian_nodes"]


def jacobian_nodes(
    outputs: Sequence[Node], axes: Sequence[tuple[Axis, ...]], wrt: Sequence[Node]
) -> list[list[Node]]:
    """For each output and each input the node of the block, with axes output.axes + input.axes (or fewer).

    The output axes must be free to serve as batch axes: bound nowhere below, and no axes of an input.
    """
    parts = [_parts(node) for node in outputs]
    entries = _input_entries(outputs, wrt)
    reverse_sweeps = sum(len(values) for _, values in parts)
    forward_sweeps = None if entries is None else sum(len(values) for values in entries)
    if forward_sweeps is not None and forward_sweeps < reverse_sweeps:
        return _forward_blocks(parts, entries or [], wrt)
    blocks = []
    for (targets, values), batch in zip(parts, axes, strict=True):
        free = tuple(a for a in batch if a not in targets)
        rows = {position: gradients({value: s.ONE}, wrt, free) for position, value in values.items()}
        blocks.append([assembled_block(targets, {p: row[k] for p, row in rows.items()}) for k in range(len(wrt))])
    return blocks


def assembled_block(targets: tuple[Axis, ...], values: dict[Position, Node]) -> Node:
    """Elements along ``targets`` put together; without targets, the one element."""
    return assembled(targets, values) if targets else values[()]


def _parts(node: Node) -> tuple[tuple[Axis, ...], dict[Position, Node]]:
    return elements(node) or ((), {(): node})


def _input_entries(outputs: Sequence[Node], wrt: Sequence[Node]) -> list[dict[Position, Node]] | None:
    """For each input its scalar entries (position -> node); None if one is an array that is not read by element."""
    reads: dict[Node, list[Node]] = {node: [] for node in wrt}
    for node in topological_order(outputs):
        for argument in node.args:
            if argument in reads and argument.axes:
                reads[argument].append(node)
    entries: list[dict[Position, Node]] = []
    for node in wrt:
        if not node.axes:
            entries.append({(): node})
            continue
        found: dict[Position, Node] = {}
        for read in reads[node]:
            indices = read.args[1:] if read.kind is Kind.GATHER and read.args[0] is node else ()
            if len(indices) != len(node.axes) or any(i.kind is not Kind.CONST for i in indices):
                return None
            if tuple(read.data) != node.axes:
                return None
            found[tuple(int(i.data) for i in indices)] = read
        entries.append(dict(sorted(found.items())))
    return entries


def _forward_blocks(
    parts: Sequence[tuple[tuple[Axis, ...], dict[Position, Node]]],
    entries: Sequence[dict[Position, Node]],
    wrt: Sequence[Node],
) -> list[list[Node]]:
    flat = [value for _, values in parts for value in values.values()]
    blocks: list[list[Node]] = [[] for _ in parts]
    for x, positions in zip(wrt, entries, strict=True):
        columns = {position: tangents(flat, {node: s.ONE}) for position, node in positions.items()}
        start = 0
        for block, (targets, values) in zip(blocks, parts, strict=True):
            along: dict[Position, Node] = {}
            for position, column in columns.items():
                piece = dict(zip(values, column[start : start + len(values)], strict=True))
                along[position] = assembled_block(targets, piece)
            start += len(values)
            block.append(assembled(x.axes, along) if x.axes else along.get((), s.ZERO))
    return blocks
