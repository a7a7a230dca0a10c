"""Arguments of a call as checked NumPy values: dtypes, shapes, sizes and the shape of the batch."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from .dtype import BOOLEAN, FLOATING, INTEGER
from .errors import ModelError, ShapeError
from .node import Node
from .sizes import solve_sizes

__all__ = ["Value", "argument_value", "bind_arguments"]

Value: TypeAlias = "np.ndarray[Any, Any]"


def bind_arguments(
    inputs: Sequence[Node], arguments: Sequence[object]
) -> tuple[dict[Node, Value], dict[str, int], tuple[int, ...]]:
    """Arguments as values by Input node, the sizes that their shapes fix, and the shape of the batch."""
    if len(arguments) != len(inputs):
        names = ", ".join(str(n.data) for n in inputs)
        raise ModelError(f"{len(arguments)} arguments were given, expected {len(inputs)}: ({names})")
    bindings = {node: argument_value(node, value) for node, value in zip(inputs, arguments, strict=True)}
    if any(node.axes for node in inputs):
        return bindings, solve_sizes(inputs, [bindings[node].shape for node in inputs]), ()
    try:
        return bindings, {}, np.broadcast_shapes(*(value.shape for value in bindings.values()))
    except ValueError:
        shapes = ", ".join(f"{node.data} has {value.shape}" for node, value in bindings.items() if value.shape)
        raise ShapeError(f"the shapes of the arguments do not broadcast: {shapes}") from None


def argument_value(node: Node, argument: object) -> Value:
    """An argument as float64, int64 or bool, by the dtype of its input; integers stay exact.

    Raises
    ------
    ShapeError
        The argument holds something that is no real number, integer or boolean.
    """
    expected = {FLOATING: "real numbers", INTEGER: "integers", BOOLEAN: "booleans"}[node.dtype]
    try:
        value = np.asarray(argument)
    except ValueError:
        raise ShapeError(f"argument {node.data} is no rectangular array: expected an array of {expected}") from None
    if value.dtype.kind == "O" and all(isinstance(v, Real) for v in value.flat):  # long integers, exact fractions
        value = np.array([_nearest(v) for v in value.flat]).reshape(value.shape)
    if value.dtype.kind not in "biuf":
        what = "complex numbers" if value.dtype.kind == "c" else f"values of dtype {value.dtype}"
        raise ShapeError(f"argument {node.data} holds {what}, expected {expected}")
    target = node.dtype.numpy_name()
    if value.dtype == target:
        return value
    with np.errstate(all="ignore"):
        converted = value.astype(target)
    if node.dtype is not FLOATING and not np.array_equal(converted, value):
        raise ShapeError(f"argument {node.data} holds values of dtype {value.dtype} that are no {expected}")
    return converted


def _nearest(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
