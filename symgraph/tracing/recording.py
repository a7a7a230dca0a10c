"""Define by run: values are computed while the graph is recorded, so that Python's own control flow decides.

A recording is a trace whose inputs have values. Every array in it can be printed, compared and branched on. What Python
decided from a value is kept as a guard: the graph holds for all inputs for which the guards have the same outcome.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from .. import simplify as s
from ..axis import Axis
from ..capture.finish import finished
from ..derive.reverse import gradients
from ..dtype import BOOLEAN, FLOATING
from ..errors import ModelError, UnsupportedError
from ..function import Function
from ..graph import Graph, Output
from ..interpret import Evaluator, align
from ..node import Node, axis_index, constant, input_node
from ..simplify.sharing import factored_graph
from . import inline, protocols  # noqa: F401  # they fill the tables of what an array can do
from .array import TracedArray
from .context import Trace
from .location import caller
from .outputs import collect
from .specification import KINDS

__all__ = ["Guard", "Recording", "Variable", "record", "variable"]

_CURRENT: ContextVar[Recording | None] = ContextVar("recording", default=None)


@dataclass(frozen=True)
class Guard:
    """A decision of Python's: the condition, its outcome, and the line where it was made."""

    condition: Node
    outcome: bool
    place: str

    def __str__(self) -> str:
        return f"a condition that was {self.outcome} ({self.place})"


class Variable(TracedArray):
    """An input of a recording, with a value; ``grad`` is filled by ``backward``."""

    __slots__ = ("grad", "name")

    def __init__(self, node: Node, dims: tuple[Axis | None, ...], trace: Recording, name: str) -> None:
        super().__init__(node, dims, trace)
        self.name = name
        self.grad: Any = None


class Recording(Trace):
    """The graph of what was computed so far, and the value of each of its nodes. Made by :func:`record`.

    Attributes
    ----------
    variables:
        The inputs, in the order in which they were made.
    guards:
        What Python decided on the way.
    """

    def __init__(self) -> None:
        super().__init__()
        self.variables: list[Variable] = []
        self.inputs: list[Node] = []
        self.guards: list[Guard] = []
        self._bindings: dict[Node, Any] = {}
        self._evaluator = Evaluator(self._bindings, {})

    def variable(self, value: Any, name: str | None = None) -> Variable:
        """A new input with a value: a number or an array."""
        array = np.asarray(value)
        if array.dtype.kind not in KINDS:
            raise ModelError(f"a variable of dtype {array.dtype}: use real numbers, integers or truth values")
        label = name if name is not None else f"x{len(self.inputs)}"
        if any(label == known.data for known in self.inputs):
            raise ModelError(f"there is a variable {label} already: give it another name")
        axes = tuple(Axis(f"{label}.{k}", int(n)) for k, n in enumerate(array.shape))
        dtype = FLOATING if array.ndim == 0 and array.dtype.kind in "iu" else KINDS[array.dtype.kind]
        node = input_node(label, axes, dtype)
        self._bindings[node] = np.array(array, dtype.numpy_name())
        self.inputs.append(node)
        dims = self.axes([sp.Integer(n) for n in array.shape])
        indices = {a: s.ZERO if d is None else axis_index(d) for a, d in zip(axes, dims, strict=True)}
        made = Variable(s.gather(node, indices) if indices else node, dims, self, label)
        self.variables.append(made)
        return made

    # ------------------------------------------------------------------------------------------------------- values
    def node_value(self, node: Node) -> np.ndarray:
        """The value of a node; what is below it is computed first, each once."""
        known = self._evaluator.values
        missing: set[Node] = set()
        stack = [node]
        while stack:
            item = stack.pop()
            if item not in known and item not in missing:
                missing.add(item)
                stack.extend(item.args)
        with np.errstate(all="ignore"):
            for item in sorted(missing, key=lambda n: n.number):
                self._evaluator.compute(item)
        return known[node]

    def value(self, array: TracedArray) -> Any:
        """The value of an array, with its shape."""
        axes = [d for d in array.dims if d is not None]
        found = align(self.node_value(array.node), array.node.axes, axes)
        full = np.broadcast_to(found, [int(a.size) for a in axes]).reshape([int(n) for n in array.sizes])
        return full[()] if full.ndim == 0 else full

    # ---------------------------------------------------------------------------------------- what leaves the recording
    def decide(self, array: TracedArray) -> bool:
        """The truth of a value; the decision becomes a guard."""
        value = self.value(array)
        outcome = bool(value)
        node = array.node if array.node.dtype is BOOLEAN else s.compare("ne", array.node, s.ZERO)
        self._guard(_first(node, array), outcome)
        return outcome

    def number(self, array: TracedArray, what: str) -> Any:
        """A value as a Python number; the graph then holds for this value only."""
        value = self.value(array)
        number = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
        exact = constant(number) if not isinstance(number, float) or np.isfinite(number) else constant(float(number))
        self._guard(_first(s.compare("eq", array.node, exact), array), True)
        return number

    def describe(self, array: TracedArray) -> str:
        """The value, as NumPy prints it."""
        value = self.value(array)
        return repr(value.item() if isinstance(value, np.generic) else value)

    def _guard(self, condition: Node, outcome: bool) -> None:
        if condition.args and not any(g.condition is condition for g in self.guards):
            self.guards.append(Guard(condition, outcome, caller(sys._getframe())))

    # -------------------------------------------------------------------------------------------------- derivatives
    def backward(self, array: TracedArray) -> None:
        """Fill ``grad`` of every floating variable with the derivative of a scalar."""
        if array.node.axes:
            raise ModelError(f"backward needs a scalar, found the shape {array.shape}: sum it, or take its mean")
        floating = [v for v in self.variables if v.node.dtype is FLOATING]
        inputs = [node for node in self.inputs if node.dtype is FLOATING]
        adjoints = gradients({array.node: s.ONE}, inputs)
        for variable_, node, adjoint in zip(floating, inputs, adjoints, strict=True):
            value = align(self.node_value(adjoint), adjoint.axes, node.axes)
            full = np.array(np.broadcast_to(value, [int(a.size) for a in node.axes]))
            variable_.grad = full.item() if full.ndim == 0 else full

    def function(self, result: Any, *, name: str = "f") -> Function:
        """The Function of what was recorded, from the variables to ``result``: right where the guards hold."""
        outputs: list[Output] = []
        structure = collect(result, name, self, outputs)
        graph = finished(Graph(name, tuple(self.inputs), tuple(outputs), structure))
        return Function(factored_graph(graph))

    def guarded(self, function: Function) -> Function:
        """A Function of the variables that returns (result, k) instead of its result.

        k is the number of the first guard that does not hold, and the number of guards where all of them hold.
        """
        graph = function.graph
        outputs = (*graph.outputs, Output("guard", self._first_failure(), ()))
        return Function(Graph(graph.name, graph.inputs, outputs, (graph.structure, len(graph.outputs))))

    def _first_failure(self) -> Node:
        count = constant(len(self.guards))
        numbers = []
        for k, guard in enumerate(self.guards):
            held = guard.condition if guard.outcome else s.logical_not(guard.condition)
            numbers.append(s.select(held, count, constant(k)))
        return s.call("min", *numbers) if len(numbers) > 1 else numbers[0] if numbers else count


def _first(node: Node, array: TracedArray) -> Node:
    if node.axes:
        raise UnsupportedError(f"the truth of an array of shape {array.shape} is ambiguous: use any() or all()")
    return node


@contextmanager
def record() -> Iterator[Recording]:
    """Record what is computed with the variables that are made inside.

    Examples
    --------
    >>> with record() as tape:
    ...     x, y, z = (tape.variable(v, n) for v, n in ((1.0, "x"), (3.0, "y"), (-3.0, "z")))
    ...     g = (x + y) * z
    >>> g
    -12.0
    >>> g.backward()
    >>> x.grad, y.grad, z.grad
    (-3.0, -3.0, 4.0)
    """
    tape = Recording()
    token = _CURRENT.set(tape)
    try:
        yield tape
    finally:
        _CURRENT.reset(token)


def variable(value: Any, name: str | None = None) -> Variable:
    """A variable of the recording that runs (see :func:`record`).

    Raises
    ------
    ModelError
        No recording runs: variables belong to one, so that they can be combined.

    Examples
    --------
    >>> with record():
    ...     x = variable(3.0)
    ...     (x * x).backward()
    >>> x.grad
    6.0
    """
    tape = _CURRENT.get()
    if tape is None:
        raise ModelError("no recording runs: use variables inside of `with symgraph.record():`")
    return tape.variable(value, name)
