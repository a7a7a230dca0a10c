"""The op table: one row per elementwise operation. Adding an operation is adding a row; the row brings its tests.

A row has a SymPy formula on the dummies ``A`` (first argument), ``B``, ``C``, ``D``; its partial derivatives follow
from the formula once, on first use, unless the row gives them (then the reason stands beside it). Partials may use
``R``, the row's own result, where that is cheaper.

``c`` is how C (and Cython) spells the operation on doubles: a function of ``math.h``, ``scipy:name`` for
``scipy.special.cython_special``, ``special:name`` for one of these with a few lines around it, or None for what the
printers handle as an operator. ``vector`` names the function of glibc's vector library, where there is one. ``python``
is the spelling for Numba and plain Python (``math.exp``); where there is none, Numba calls SciPy's too.
"""

from __future__ import annotations

from fractions import Fraction

from .errors import UnsupportedError
from .node import Kind, Node, make, union_axes
from .op_rows import ROWS
from .op_rows.row import ARGUMENTS, A, B, C, D, Op, R

__all__ = ["ARGUMENTS", "BUILT_IN", "OPS", "A", "B", "C", "D", "Op", "R", "apply_op", "ordered", "register_op"]

OPS: dict[str, Op] = {row.name: row for row in ROWS}
BUILT_IN = frozenset(OPS)  # the rows that every process has; others are a user's


def register_op(row: Op) -> None:
    """Add a row for a user's own operation; the name must be new."""
    if row.name in OPS:
        raise UnsupportedError(f"the operation {row.name!r} exists already: choose another name")
    OPS[row.name] = row


def apply_op(name: str, *arguments: Node) -> Node:
    """The bare elementwise node: dtype by the row's rule, commutative arguments in order of creation.

    No simplification happens here; use :func:`symgraph.simplify.call` for that.
    """
    row = OPS[name]
    if row.arity is not None and len(arguments) != row.arity:
        raise UnsupportedError(f"{name} takes {row.arity} arguments, {len(arguments)} were given")
    arguments = ordered(row, arguments)
    return make(Kind.ELEMENTWISE, arguments, union_axes(arguments), row.dtype(arguments), name)


def ordered(row: Op, arguments: tuple[Node, ...]) -> tuple[Node, ...]:
    """Arguments in canonical order: commutative ones by creation, but a number stands first in a product of two."""
    if row.commutative:
        arguments = tuple(sorted(arguments, key=_number))
        if row.name == "mul" and len(arguments) == 2:
            first, second = arguments
            if type(second.data) in _NUMBERS and type(first.data) not in _NUMBERS:
                return second, first
    return arguments


_NUMBERS = frozenset((int, Fraction, float))  # payloads of constants that are coefficients


def _number(node: Node) -> int:
    return node.number
