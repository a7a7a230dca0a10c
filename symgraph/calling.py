"""How a kernel is called where its module has no callable type of its own, or arrays stand where numbers are meant."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .graph import Graph

__all__ = ["Broadcasting", "Caller"]


class Caller:
    """Calls a Python function."""

    __slots__ = ("_entry",)

    def __init__(self, entry: Callable[..., Any]) -> None:
        self._entry = entry

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._entry(*arguments, **named)


class Broadcasting(Caller):
    """Calls of a function of scalars that returns arrays: with array arguments, these come first in every result.

    The kernel over a further axis is compiled when the first such call comes.
    """

    __slots__ = ()
    graph: Graph
    signature: inspect.Signature
    _wide: Callable[..., Any] | None = None
    _widened: Callable[[], Callable[..., Any]]

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        try:
            return super().__call__(*arguments, **named)
        except ValueError:
            rest = [named[k] for k in list(self.signature.parameters)[len(arguments) :] if k in named]
            values = [*arguments, *rest]
            if "out" in named or len(values) != len(self.graph.inputs) or not any(map(np.ndim, values)):
                raise
            wide = self._wide
            if wide is None:
                wide = self._widened()
                type(self)._wide = wide
            shape = np.broadcast_shapes(*map(np.shape, values))
            results = wide(*[np.broadcast_to(v, shape).reshape(-1) for v in values])
            return _reshaped(results, shape)


def _reshaped(results: Any, shape: tuple[int, ...]) -> Any:
    """The first dimension of every array in a result, as the dimensions of the arguments."""
    if isinstance(results, dict):
        return {key: _reshaped(value, shape) for key, value in results.items()}
    if isinstance(results, tuple):
        return tuple(_reshaped(value, shape) for value in results)
    return results.reshape(shape + results.shape[1:])
