"""Partial derivatives of rows of the op table, as nodes.

A row's partials are SymPy expressions on its dummies. Each is flattened once into a short program of op applications;
putting in a node's arguments runs the program with the smart constructors. SymPy's cost is per row, never per node.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from .. import simplify as s
from ..errors import UnsupportedError
from ..node import Node, constant
from ..ops import ARGUMENTS, OPS, R

__all__ = ["OPERATIONS", "partial"]

# SymPy classes that may stand in a partial, and the op each becomes. Sums, products and powers are handled apart.
OPERATIONS: dict[type, str] = {
    sp.exp: "exp", sp.log: "log", sp.sin: "sin", sp.cos: "cos", sp.tan: "tan", sp.sinh: "sinh", sp.cosh: "cosh",
    sp.tanh: "tanh", sp.asin: "asin", sp.acos: "acos", sp.atan: "atan", sp.asinh: "asinh", sp.acosh: "acosh",
    sp.atanh: "atanh", sp.Abs: "abs", sp.sign: "sign", sp.floor: "floor", sp.ceiling: "ceil", sp.erf: "erf",
    sp.erfc: "erfc", sp.gamma: "gamma", sp.loggamma: "loggamma", sp.polygamma: "polygamma", sp.zeta: "zeta",
    sp.besselj: "besselj", sp.bessely: "bessely", sp.besseli: "besseli", sp.besselk: "besselk", sp.erfinv: "erfinv",
    sp.atan2: "atan2", sp.Add: "add", sp.Mul: "mul", sp.Pow: "pow", sp.Max: "max", sp.Min: "min",
}  # fmt: skip


class _Program:
    """Steps over a list of values that starts with the arguments and the result."""

    def __init__(self, name: str, expression: sp.Expr) -> None:
        self.constants: list[tuple[int, Node]] = []
        self.steps: list[tuple[int, str, tuple[int, ...]]] = []
        self.positions: dict[sp.Expr, int] = {symbol: i for i, symbol in enumerate((*ARGUMENTS, R))}
        self.count = len(self.positions)
        for part in sp.postorder_traversal(expression):
            if part not in self.positions:
                self._append(name, part)
        self.result = self.positions[expression]

    def _append(self, name: str, part: sp.Expr) -> None:
        position = self.positions[part] = self.count
        self.count += 1
        if part.is_Integer or part.is_Rational:
            self.constants.append((position, constant(Fraction(int(part.p), int(part.q)))))
        elif part.is_NumberSymbol:
            self.constants.append((position, constant(part)))
        elif part.func is sp.polygamma and part.args[0] == 0:
            self.steps.append((position, "digamma", (self.positions[part.args[1]],)))
        else:
            op = OPERATIONS.get(part.func) or _registered(part)
            if op is None:
                raise UnsupportedError(
                    f"a partial derivative of {name!r} contains {part.func.__name__}, which is no row of the op table: "
                    "write the partial with known functions, or register that function first"
                )
            self.steps.append((position, op, tuple(self.positions[a] for a in part.args)))

    def run(self, arguments: tuple[Node, ...], result: Node) -> Node:
        values: list[Node] = [s.ZERO] * self.count
        values[: len(arguments)] = arguments
        values[len(ARGUMENTS)] = result
        for position, node in self.constants:
            values[position] = node
        for position, op, operands in self.steps:
            values[position] = s.call(op, *[values[i] for i in operands])
        return values[self.result]


def _registered(part: sp.Expr) -> str | None:
    name = part.func.__name__
    return name if name in OPS else None


@cache
def _program(name: str, position: int) -> _Program | None:
    expression = OPS[name].partials[position]
    return None if expression is None else _Program(name, expression)


def partial(node: Node, position: int) -> Node:
    """The partial derivative of an elementwise node by one argument.

    Raises
    ------
    UnsupportedError
        The row of the op table knows no derivative by that argument.
    """
    program = _program(node.data, position)
    if program is None:
        raise UnsupportedError(
            f"{node.data} has no derivative by argument {position + 1}: hold that argument constant, or register the "
            "derivative with the operation"
        ).about(node)
    return program.run(node.args, node)
