"""What may stand beside a traced array: numbers, small NumPy arrays, sequences, SymPy expressions."""

from __future__ import annotations

import numbers
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from .. import simplify as s
from ..capture.sympy import capture_inside
from ..errors import ModelError, ShapeError, UnsupportedError
from ..node import Node, constant
from .array import TracedArray
from .context import Trace

__all__ = ["LARGEST_CONSTANT", "as_array", "find_trace", "lift"]

LARGEST_CONSTANT = 1024  # elements of an array that is written into the code; larger ones are data


def find_trace(values: Any) -> Trace:
    """The trace of the first traced array in (nested) arguments.

    Raises
    ------
    UnsupportedError
        There is none, or there are two: an array that another traced function left behind.
    """
    found: list[Trace] = []
    stack = [values]
    while stack:
        value = stack.pop()
        if isinstance(value, TracedArray):
            if value.trace not in found:
                found.append(value.trace)
        elif isinstance(value, (list, tuple)):
            stack.extend(value)
        elif isinstance(value, dict):
            stack.extend(value.values())
    if len(found) != 1:
        raise UnsupportedError(
            "an array of one traced function is used in another: pass it as an argument"
            if found
            else "no traced array among the arguments"
        )
    return found[0]


def lift(value: Any, trace: Trace) -> TracedArray:
    """A value as a traced array.

    Raises
    ------
    UnsupportedError
        It has no meaning beside a traced array; the message says what to do.
    """
    if isinstance(value, TracedArray):
        if value.trace is not trace:
            raise UnsupportedError("an array of one traced function is used in another: pass it as an argument")
        return value
    if isinstance(value, np.ndarray) and value.ndim:
        return _array(value, trace)
    if isinstance(value, (list, tuple)):
        return _sequence(value, trace)
    return TracedArray(_scalar(value, trace), (), trace)


def as_array(x: Any) -> TracedArray:
    """A traced array as it is; a sequence of them as their stack."""
    return x if isinstance(x, TracedArray) else lift(x, find_trace(x))


def _scalar(value: Any, trace: Trace) -> Node:
    if isinstance(value, np.ndarray):
        value = value[()]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bool, int, float)):
        return constant(value)
    if isinstance(value, Fraction):
        return constant(value)
    if isinstance(value, sp.Basic):
        return _expression(value, trace)
    if isinstance(value, numbers.Complex):
        raise UnsupportedError(f"the complex number {value}: traced values are real")
    raise UnsupportedError(
        f"{value!r} of type {type(value).__name__} beside a traced array: use numbers, arrays or SymPy expressions"
    )


def _expression(value: sp.Basic, trace: Trace) -> Node:
    unknown = [v for v in value.free_symbols if v not in trace.symbols]
    if unknown:
        first = min(unknown, key=str)
        raise ModelError(
            f"the symbol {first} in a traced function is none of its arguments: give the function an argument {first}"
        )
    return capture_inside(value, trace.symbols)


def _array(value: np.ndarray, trace: Trace) -> TracedArray:
    if value.dtype.kind not in "biufO":
        raise UnsupportedError(f"an array of dtype {value.dtype} beside a traced array: use real numbers")
    if value.size > LARGEST_CONSTANT:
        raise UnsupportedError(
            f"an array of shape {value.shape} is part of the function: an array of more than {LARGEST_CONSTANT} "
            "numbers is data, so that it is to be an argument"
        )
    if value.size == 0:
        raise ShapeError(f"an array of shape {value.shape} has no elements")
    first = value.reshape(-1)[0]
    dims = trace.axes([sp.Integer(n) for n in value.shape])
    if value.dtype.kind != "O" and bool((value == first).all()):
        return TracedArray(_scalar(first, trace), dims, trace)
    parts = []
    for place, item in np.ndenumerate(value):
        node = _scalar(item, trace)
        targets = {axis: constant(k) for axis, k in zip(dims, place, strict=True) if axis is not None}
        parts.append(s.scatter_add(node, targets, ()))
    return TracedArray(s.add(*parts), dims, trace)


def _sequence(value: list[Any] | tuple[Any, ...], trace: Trace) -> TracedArray:
    from .arranging import stack  # a list of arrays is a stack of them

    if not any(isinstance(item, (TracedArray, list, tuple, sp.Basic)) for item in value):
        return lift(np.asarray(value), trace)
    return stack([lift(item, trace) for item in value])
