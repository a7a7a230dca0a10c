"""One run of a traced function: its axes, its inputs, and the symbols that stand for traced scalars."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import sympy as sp

from .. import simplify as s
from ..axis import Axis
from ..capture.pool import AxisPool
from ..errors import UnsupportedError
from ..node import Node
from ..reducers import size_value

if TYPE_CHECKING:
    from .array import TracedArray

__all__ = ["Trace"]


class Trace:
    """The state that the arrays of one traced run share.

    Axes are taken by size: two dimensions of one size are the same axis wherever one array does not need both, so that
    what is added or multiplied element by element mostly agrees without renaming.
    """

    def __init__(self) -> None:
        self.pool = AxisPool()
        self.symbols: dict[sp.Dummy, Node] = {}
        self._symbol_of: dict[Node, sp.Dummy] = {}

    def axis(self, size: sp.Expr, used: Collection[Axis], position: int = 0) -> Axis | None:
        """An axis of this size that is not in ``used``; None for the size 1."""
        if size == 1:
            return None
        return self.pool.take(size, "ijkl"[position] if position < 4 else f"i{position}", used)

    def axes(self, sizes: Collection[sp.Expr]) -> tuple[Axis | None, ...]:
        """One axis per size, all different."""
        taken: list[Axis] = []
        dims: list[Axis | None] = []
        for position, size in enumerate(sizes):
            axis = self.axis(size, taken, position)
            dims.append(axis)
            if axis is not None:
                taken.append(axis)
        return tuple(dims)

    def symbol(self, node: Node) -> sp.Dummy:
        """The SymPy symbol that stands for a traced scalar."""
        symbol = self._symbol_of.get(node)
        if symbol is None:
            symbol = self._symbol_of[node] = sp.Dummy("traced", real=True)
            self.symbols[symbol] = node
        return symbol

    # ------------------------------------------------------------------- what Python asks of an array: no answer yet
    def decide(self, array: TracedArray) -> bool:
        """The truth of a value."""
        raise UnsupportedError(
            "the truth of a traced value is not known while tracing: use np.where instead of if, np.logical_and "
            "instead of and; or record instead of tracing"
        )

    def number(self, array: TracedArray, what: str) -> Any:
        """A value as a Python number."""
        raise UnsupportedError(
            f"the number behind a traced value is not known while tracing: leave out {what}, or record instead of "
            "tracing; a size that is declared as an integer is a number"
        )

    def value(self, array: TracedArray) -> Any:
        """The value of an array."""
        raise UnsupportedError("a traced array has no value: only a recorded one has")

    def describe(self, array: TracedArray) -> str:
        """The array as it prints itself."""
        shape = ", ".join(map(str, array.sizes)) + "," * (array.ndim == 1)
        return f"<traced array of shape ({shape})>"

    def backward(self, array: TracedArray) -> None:
        """Derivatives of a value."""
        raise UnsupportedError("backward() belongs to a recording: trace the function and use symgraph.grad")

    @staticmethod
    def size(expression: sp.Expr) -> Node:
        """The node of a size."""
        return size_value(sp.expand(expression), s.call)
