"""Inputs of formulas: declared ones, and the shapes of arrays that nothing declares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from ..axis import Axis, size_names
from ..dtype import BOOLEAN, FLOATING, INTEGER, Dtype
from ..errors import ModelError
from ..node import Node, input_node
from .formula_ranges import size_polynomial
from .formula_scan import ArrayUse, Line, Scan, index_extent
from .formula_syntax import Source, parse_declarations, suggest

__all__ = ["Declaration", "check_indices", "declare", "infer_array", "line_ranges"]

_TYPES: dict[str, tuple[Dtype, str | None]] = {
    "f64": (FLOATING, "float64"), "float64": (FLOATING, "float64"), "double": (FLOATING, "float64"),
    "f32": (FLOATING, "float32"), "float32": (FLOATING, "float32"), "real": (FLOATING, None),
    "float": (FLOATING, None), "i64": (INTEGER, None), "int64": (INTEGER, None), "int": (INTEGER, None),
    "integer": (INTEGER, None), "bool": (BOOLEAN, None),
}  # fmt: skip


@dataclass(frozen=True)
class Declaration:
    """A declared input.

    Attributes
    ----------
    name:
        What formulas call it.
    node:
        The input node; array inputs have the axes ``name.0``, ``name.1``, ...
    width:
        "float64" or "float32" where the declaration says so.
    """

    name: str
    node: Node
    width: str | None


def declare(texts: Iterable[str]) -> tuple[Declaration, ...]:
    """Read declarations such as ``"x: f64[n, 3], k: i64"``, in the order of the arguments.

    Raises
    ------
    FormulaError
        An unknown type, a name that is declared twice, or a shape that is no integer polynomial of sizes.

    Examples
    --------
    >>> declare(["x: f64[n, 3]"])[0].node.axes
    (Axis('x.0', 'n'), Axis('x.1', 3))
    """
    found: dict[str, Declaration] = {}
    for text in texts:
        source = Source(text, 1, "input declaration")
        for piece in parse_declarations(source):
            name, kind = piece.value
            if name in found:
                raise source.error(piece.at, f"{name!r} is declared twice")
            if kind is not None and str(kind) not in _TYPES:
                raise source.error(kind.start_pos, f"unknown type {str(kind)!r}{suggest(str(kind), _TYPES)}; "
                                   "types are f64, f32, real, i64, int and bool")  # fmt: skip
            dtype, width = _TYPES[str(kind)] if kind is not None else (FLOATING, None)
            sizes = [size_polynomial(source, part, {}) for part in piece.parts]
            for part, size in zip(piece.parts, sizes, strict=True):
                if size.is_negative:
                    raise source.error(part.at, f"the size {size} is negative")
            found[name] = Declaration(name, _array(name, sizes, dtype), width)
    sizes_used = set(size_names(a.size for d in found.values() for a in d.node.axes))
    for name in found:
        if name in sizes_used:
            raise ModelError(f"{name!r} is declared as an input and is also a size in the shape of an array: sizes "
                             "come from the arrays and are no inputs; choose another name for one of them")  # fmt: skip
    return tuple(found.values())


def _array(name: str, sizes: Sequence[sp.Expr], dtype: Dtype) -> Node:
    return input_node(name, tuple(Axis(f"{name}.{k}", size) for k, size in enumerate(sizes)), dtype)


def infer_array(name: str, uses: Sequence[ArrayUse], dtype: Dtype) -> Node:
    """The input node of an array that is not declared, from the full ranges of its plain indices.

    Raises
    ------
    FormulaError
        Where a dimension is read in no plain way, or in two that differ.
    """
    first = uses[0]
    rank = len(first.piece.parts)
    sizes: list[sp.Expr] = []
    for use in uses:
        if len(use.piece.parts) != rank:
            raise use.source.error(use.piece.at, f"{name!r} is read with {len(use.piece.parts)} indices here and with "
                                   f"{rank} elsewhere")  # fmt: skip
    for dimension in range(rank):
        spans: dict[sp.Expr, ArrayUse] = {}
        least = 0
        for use in uses:
            part = use.piece.parts[dimension]
            if part.kind == "integer":
                least = max(least, int(part.value) + 1)
            elif part.kind == "name" and part.value in use.ranges and use.ranges[part.value].minimum == 0:
                spans.setdefault(sp.expand(use.ranges[part.value].maximum + 1), use)
        if len(spans) > 1:
            shown = " and ".join(str(size) for size in spans)
            use = list(spans.values())[1]
            raise use.source.error(use.piece.at, f"{name!r} is read along axis {dimension} over ranges of the sizes "
                                   f"{shown}: declare it, as in -i '{_declaration(name, rank)}'")  # fmt: skip
        if spans:
            sizes.append(next(iter(spans)))
        elif least:
            sizes.append(sp.Integer(least))
        else:
            raise first.source.error(first.piece.at, f"the shape of {name!r} cannot be seen from its indices: declare "
                                     f"it, as in -i '{_declaration(name, rank)}'")  # fmt: skip
    return _array(name, sizes, dtype)


def _declaration(name: str, rank: int) -> str:
    return f"{name}: f64[{', '.join('nmkl'[k % 4] for k in range(rank))}]"


def check_indices(scan: Scan, shapes: Mapping[str, Sequence[sp.Expr]]) -> None:
    """Refuse readings that leave an array: below 0, or beyond a size that the range does not have.

    Readings under a condition (``where``, ``Piecewise``) are the user's own guard and pass.
    """
    for name, uses in scan.arrays.items():
        for use in uses:
            if use.conditional or name not in shapes or len(use.piece.parts) != len(shapes[name]):
                continue
            for dimension, (part, size) in enumerate(zip(use.piece.parts, shapes[name], strict=True)):
                ends = index_extent(use, part)
                if ends is None or any(s.name not in _size_names(shapes, scan) for e in ends for s in e.free_symbols):
                    continue
                below, above = ends[0], sp.expand(size - 1 - ends[1])
                if below.is_negative or _may_be_negative(below):
                    raise use.source.error(part.at, f"the index of {name!r} along axis {dimension} begins at {below}: "
                                           "indices begin at 0")  # fmt: skip
                if above.is_negative or _may_be_negative(above):
                    raise use.source.error(part.at, f"the index of {name!r} along axis {dimension} reaches {ends[1]}, "
                                           f"the size is {size}")  # fmt: skip


def _size_names(shapes: Mapping[str, Sequence[sp.Expr]], scan: Scan) -> set[str]:
    return {s.name for sizes in shapes.values() for size in sizes for s in size.free_symbols} | set(scan.sizes)


def _may_be_negative(expression: sp.Expr) -> bool:
    """Whether a size stands in the expression with a minus: 0 <= n - m is nothing that formulas can promise."""
    return any(c < 0 for monomial, c in expression.as_coefficients_dict().items() if monomial != 1)


def line_ranges(
    line: Line, shapes: Mapping[str, Sequence[sp.Expr]], uses: Mapping[str, Sequence[ArrayUse]]
) -> list[sp.Expr]:
    """The sizes over which ``r[i, j] = ...`` runs: those of the arrays that it reads plainly at i and j."""
    sizes: list[sp.Expr] = []
    for index in line.indices:
        found: dict[sp.Expr, str] = {}
        for name, readings in uses.items():
            for use in readings:
                for dimension, part in enumerate(use.piece.parts):
                    if part.kind == "name" and part.value == index.value and name in shapes:
                        found.setdefault(shapes[name][dimension], name)
        if not found:
            raise line.source.error(index.at, f"the range of {index.value!r} cannot be seen: declare an array that is "
                                    f"read at {index.value}, as in -i 'x: f64[n]'")  # fmt: skip
        if len(found) > 1:
            (one, first), (two, second) = list(found.items())[:2]
            raise line.source.error(index.at, f"{index.value!r} runs over {one} in {first!r} and over {two} in "
                                    f"{second!r}")  # fmt: skip
        sizes.append(next(iter(found)))
    return sizes
