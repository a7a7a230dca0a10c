"""Determinant and inverse of small square matrices, by minors.

Without division but by the determinant itself, so that they are exact at every matrix that has an inverse and their
derivatives need no pivoting. The work grows as 2**n: larger systems are for a solver.
"""

from __future__ import annotations

from collections.abc import Generator

import sympy as sp

from .. import simplify as s
from ..errors import ShapeError, UnsupportedError
from ..node import Node, constant
from .engine import Bindings, Machine, Request, Steps
from .matrices import assemble, matrix_power_chain, shape_of

__all__ = ["LARGEST", "determinant", "matrix_power"]

LARGEST = 5


def determinant(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    """The determinant of a matrix of constant size."""
    minors = yield from _minors(expression.args[0], bindings, f"the determinant of {expression.args[0]}")
    return minors.whole()


def matrix_power(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    """A to a whole power: a chain of products, of the inverse where the power is negative."""
    base, exponent = expression.args
    if not isinstance(exponent, sp.Integer):
        raise UnsupportedError(f"the matrix power {exponent} has no meaning here: use a whole number")
    if exponent == -1:
        minors = yield from _minors(base, bindings, f"the inverse of {base}")
        scale = s.power(minors.whole(), constant(-1))
        size = minors.size
        elements = [
            s.mul(scale, minors.cofactor(column, row)) for row in range(size) for column in range(size)
        ]
        return assemble(machine, expression, bindings, position, (size, size), elements)
    if exponent < 0:
        base, exponent = sp.Inverse(base), -exponent
    if exponent == 0:
        return (yield sp.Identity(base.shape[0]), bindings, position)
    return (yield from matrix_power_chain(machine, base, int(exponent), bindings, position))


class _Minors:
    """The minors of a square matrix of nodes, each made once."""

    def __init__(self, elements: list[list[Node]]) -> None:
        self.size = len(elements)
        self._elements = elements
        self._made: dict[tuple[tuple[int, ...], tuple[int, ...]], Node] = {}

    def whole(self) -> Node:
        """The determinant."""
        everything = tuple(range(self.size))
        return self.minor(everything, everything)

    def cofactor(self, row: int, column: int) -> Node:
        """The determinant without one row and one column, with its sign."""
        everything = range(self.size)
        rows, columns = (tuple(k for k in everything if k != left_out) for left_out in (row, column))
        minor = self.minor(rows, columns)
        return s.neg(minor) if (row + column) % 2 else minor

    def minor(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> Node:
        """The determinant of these rows and columns, along its first row."""
        if not rows:
            return constant(1)
        key = (rows, columns)
        if key not in self._made:
            terms = []
            for place, column in enumerate(columns):
                rest = self.minor(rows[1:], columns[:place] + columns[place + 1 :])
                term = s.mul(self._elements[rows[0]][column], rest)
                terms.append(s.neg(term) if place % 2 else term)
            self._made[key] = s.add(*terms)
        return self._made[key]


def _minors(matrix: sp.Basic, bindings: Bindings, what: str) -> Generator[Request, Node, _Minors]:
    rows, columns = shape_of(matrix)
    if sp.expand(rows - columns) != 0:
        raise ShapeError(f"{what} needs a square matrix, found {rows} rows and {columns} columns")
    if not rows.is_Integer or rows > LARGEST:
        raise UnsupportedError(
            f"{what} has size {rows}: determinants and inverses are written out for constant sizes up to {LARGEST}; "
            "solve larger systems outside, or state the model so that the solution is an input"
        )
    elements = []
    for row in range(int(rows)):
        line = []
        for column in range(int(rows)):
            line.append((yield matrix, bindings, (constant(row), constant(column))))
        elements.append(line)
    return _Minors(elements)
