"""sg.trace: run a NumPy-style function once with traced arrays, and make a Function of what it did."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from .. import simplify as s
from ..axis import Axis
from ..capture.finish import finished
from ..errors import ModelError, SymgraphError
from ..function import Function
from ..graph import Graph, Output, collection_paused
from ..node import Node, axis_index, input_node
from ..simplify.sharing import factored_graph
from . import inline, protocols  # noqa: F401  # they fill the tables of what an array can do
from .array import TracedArray
from .context import Trace
from .location import user_location
from .outputs import collect
from .specification import Specification, specification

__all__ = ["trace"]


def trace(function: Callable[..., Any] | None = None, /, *, name: str | None = None, **inputs: Any) -> Any:
    """A Function from a NumPy-style Python function, which is run once with traced arrays.

    Parameters
    ----------
    function:
        Any callable that computes with NumPy functions, operators and indexing. Without it, a decorator.
    name:
        The name of the Function; default: that of the callable.
    **inputs:
        The shape of each argument: text such as ``"n, d"``, with an optional dtype ``"int[n]"`` or ``"bool[n]"``; a
        tuple of integers and names; an array, whose shape and kind of numbers are taken; ``""`` or a float for a
        scalar; or a dict, list or tuple of these, which the function gets as such. An argument without one is taken
        from its annotation where that is such text; else it keeps its default as a fixed value, or is a scalar.

    Returns
    -------
    Function
        With one input per array, in the order of the arguments; nested ones are called ``params_W``. The structure of
        outputs is that of what the callable returns.

    Raises
    ------
    UnsupportedError, ShapeError, ModelError
        What cannot be traced, with the line of the user's file: assignment to elements, truth of a traced value,
        shapes that depend on data.

    Examples
    --------
    >>> import numpy as np
    >>> @trace
    ... def loss(X: "n, d", w: "d", t: "n"):
    ...     return np.mean((X @ w - t) ** 2)
    >>> loss(np.eye(2), np.array([1.0, 2.0]), np.zeros(2))
    2.5
    """
    if function is None:
        return lambda given: trace(given, name=name, **inputs)
    if not callable(function):
        raise ModelError(f"trace takes a callable, found {type(function).__name__}")
    with collection_paused():
        return _traced(function, name or str(getattr(function, "__name__", "f")), inputs)


def _traced(function: Callable[..., Any], name: str, inputs: Mapping[str, Any]) -> Function:
    run = Trace()
    nodes: list[Node] = []
    arguments: dict[str, Any] = {}
    signature = inspect.signature(function)
    unknown = [key for key in inputs if key not in signature.parameters]
    if unknown and not any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
        raise ModelError(
            f"{name} has no argument {unknown[0]!r}: its arguments are {', '.join(signature.parameters) or 'none'}"
        )
    positional: list[Any] = []
    for key, parameter in signature.parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        found = specification(key, parameter, inputs)
        value = _argument(key, found, run, nodes) if isinstance(found, Specification) else found.value
        if parameter.kind is parameter.KEYWORD_ONLY:
            arguments[key] = value
        else:
            positional.append(value)
    try:
        result = function(*positional, **arguments)
        outputs: list[Output] = []
        structure = collect(result, name, run, outputs)
        graph = finished(Graph(name, tuple(nodes), tuple(outputs), structure))
    except SymgraphError as error:
        place = user_location(error.__traceback__)
        raise (error.reworded(f"{error} ({place})") if place else error) from None
    return Function(factored_graph(graph))


def _argument(name: str, found: Specification, run: Trace, nodes: list[Node]) -> Any:
    """The traced argument; the input nodes that it is made of are appended to ``nodes``."""
    if found.children is not None:
        parts = {key: _argument(f"{name}_{key}", child, run, nodes) for key, child in found.children.items()}
        return found.rebuild(parts)
    axes = tuple(Axis(f"{name}.{k}", size) for k, size in enumerate(found.shape))
    node = input_node(name, axes, found.dtype)
    nodes.append(node)
    dims = run.axes([axis.size for axis in axes])
    indices = {
        axis: s.ZERO if dim is None else axis_index(dim) for axis, dim in zip(axes, dims, strict=True)
    }
    return TracedArray(s.gather(node, indices) if indices else node, dims, run)
