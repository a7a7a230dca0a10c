"""The results of a function: expressions and arrays, alone or in sequences and dicts of any depth."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import sympy as sp
from sympy.tensor.array import ArrayComprehension, NDimArray

from ..axis import Axis
from ..errors import ModelError, SymgraphError, UnsupportedError
from ..graph import Output, Structure
from ..node import Node
from .engine import NO_BINDINGS, Machine
from .matrices import axis_position, shape_of
from .pool import unique_name

__all__ = ["capture_output", "flatten"]


def flatten(outputs: object, name: str) -> tuple[list[tuple[str, sp.Basic]], Structure]:
    """The outputs in order, each with a name, and how a call returns them.

    A single output bears the name of the function; those of a dict their keys; those of a sequence are counted.

    >>> flatten([sp.Integer(1), {"a": sp.Integer(2)}], "f")
    ([('f_0', 1), ('a', 2)], (0, {'a': 1}))
    """
    flat: list[tuple[str, sp.Basic]] = []
    taken: dict[str, None] = {}

    def place(item: object, label: str) -> Structure:
        if isinstance(item, Mapping):
            if not item:
                raise ModelError(f"the output {label} is an empty dict: there is nothing to compute")
            return {_key(key): place(value, _key(key)) for key, value in item.items()}
        if isinstance(item, (list, tuple, sp.Tuple)):
            if not len(item):
                raise ModelError(f"the output {label} is an empty sequence: there is nothing to compute")
            return tuple(place(value, f"{label}_{count}") for count, value in enumerate(item))
        unique = unique_name(label, taken)
        taken[unique] = None
        flat.append((unique, _expression(item, label)))
        return len(flat) - 1

    structure = place(outputs, name)
    return flat, structure


def _key(key: object) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, sp.Symbol):
        return str(key.name)
    raise UnsupportedError(f"the key {key!r} of a dict of outputs is no name: use text")


def _expression(item: object, name: str) -> sp.Basic:
    """A SymPy object; text is never turned into one, because SymPy would run it."""
    if isinstance(item, (sp.MatrixBase, NDimArray)):
        return item.as_immutable()
    if isinstance(item, (sp.IndexedBase,)):
        raise UnsupportedError(
            f"the output {name} is the array {item} without indices: use ArrayComprehension({item}[i], (i, 0, n - 1))"
        )
    if isinstance(item, sp.Basic):
        return item
    if isinstance(item, np.ndarray):
        return sp.ImmutableDenseNDimArray(
            [_expression(x, name) for x in item.reshape(-1).tolist()], item.shape
        )
    if isinstance(item, np.generic):
        item = item.item()
    if isinstance(item, bool):
        return sp.true if item else sp.false
    if isinstance(item, (int, float, Fraction)) and isinstance(item, numbers.Real):
        return (
            sp.Rational(item.numerator, item.denominator) if isinstance(item, Fraction) else sp.sympify(item)
        )
    hint = "; formulas as text are read by symgraph.parse" if False else ""
    raise UnsupportedError(
        f"the output {name} is a {type(item).__name__}: use a SymPy expression, a number, a Matrix or an array{hint}"
    )


def capture_output(machine: Machine, name: str, expression: sp.Basic) -> Output:
    """The node of an output, and its dimensions in order."""
    try:
        shape = shape_of(expression)
        axes: list[Axis] = []
        position: list[Node] = []
        for dimension, size in enumerate(shape):
            axis, index = axis_position(machine, size, _axis_name(expression, dimension), axes)
            axes.append(axis)
            position.append(index)
        return Output(name, machine.node(expression, NO_BINDINGS, tuple(position)), tuple(axes))
    except SymgraphError as error:
        raise error.reworded(f"output {name}: {error}") from None


def _axis_name(expression: sp.Basic, dimension: int) -> str:
    if isinstance(expression, ArrayComprehension) and dimension < len(expression.limits):
        return str(expression.limits[dimension][0])
    return "ijkl"[dimension] if dimension < 4 else f"i{dimension}"
