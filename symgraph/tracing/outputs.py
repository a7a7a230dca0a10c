"""The outputs of a traced function: arrays alone, or in sequences and dicts of any depth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ..errors import ModelError, UnsupportedError
from ..graph import Output, Structure
from .context import Trace
from .lifting import lift

__all__ = ["collect"]


def collect(result: Any, name: str, run: Trace, outputs: list[Output]) -> Structure:
    """Append the outputs in what a traced function returns to ``outputs``; the result is their structure.

    Raises
    ------
    ModelError, UnsupportedError
        Nothing in it can be computed, or something in it is no array.
    """
    if isinstance(result, Mapping):
        if not result:
            raise ModelError(f"{name} returns an empty dict: there is nothing to compute")
        return {str(key): collect(value, str(key), run, outputs) for key, value in result.items()}
    if isinstance(result, (tuple, list)):
        if not result:
            raise ModelError(f"{name} returns an empty sequence: there is nothing to compute")
        return tuple(collect(value, f"{name}_{k}", run, outputs) for k, value in enumerate(result))
    if result is None:
        raise UnsupportedError(f"{name} returns None: return the arrays that are to be computed")
    array = lift(result, run)
    taken = {output.name for output in outputs}
    label, count = name, 0
    while label in taken:
        count += 1
        label = f"{name}_{count}"
    used = [d for d in array.dims if d is not None]
    axes = []
    for dim in array.dims:
        axis = run.pool.take(sp.Integer(1), "one", used) if dim is None else dim
        used.append(axis)
        axes.append(axis)
    outputs.append(Output(label, array.node, tuple(axes)))
    return len(outputs) - 1
