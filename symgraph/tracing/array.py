"""The traced array: a node of the graph with ordered dimensions, which behaves like a NumPy array.

A dimension is an axis of the graph, or None where its size is 1. The axes of the node are among those of the
dimensions; where one is missing, the value is the same along it. Nothing here computes anything.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import sympy as sp
from numpy.lib.mixins import NDArrayOperatorsMixin

from ..axis import Axis
from ..dtype import INTEGER
from ..errors import ShapeError, UnsupportedError
from ..node import Node
from .context import Trace

__all__ = ["TracedArray", "TracedSize", "size_of"]


class TracedArray(NDArrayOperatorsMixin):
    """An array whose elements are not known yet. Made by :func:`symgraph.trace`; use it as a NumPy array.

    Attributes
    ----------
    node:
        The value, over the axes of ``dims``.
    dims:
        One axis per dimension, None for a dimension of size 1.
    trace:
        The run of a user's function that the array belongs to.
    """

    __slots__ = ("dims", "node", "trace")
    __array_priority__ = 1000.0

    # what an array can do is in tables of functions: filled by the modules that define them
    ufunc: Callable[..., Any]
    function: Callable[..., Any]
    getitem: Callable[[TracedArray, Any], TracedArray]
    inline: Callable[..., Any]  # a Function called on traced arrays asks for this
    methods: dict[str, Callable[..., Any]] = {}  # noqa: RUF012
    namespace: Any = None

    def __init__(self, node: Node, dims: tuple[Axis | None, ...], trace: Trace) -> None:
        self.node, self.dims, self.trace = node, dims, trace

    # ------------------------------------------------------------------------------------------------- description
    @property
    def sizes(self) -> tuple[sp.Expr, ...]:
        """The shape as SymPy integer expressions."""
        return tuple(size_of(d) for d in self.dims)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape: integers, and symbolic sizes where a dimension is declared by name."""
        return tuple(int(s) if s.is_Integer else TracedSize(s, self.trace) for s in self.sizes)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.dims)

    @property
    def size(self) -> Any:
        """The number of elements."""
        product = sp.expand(sp.prod(self.sizes))
        return int(product) if product.is_Integer else TracedSize(product, self.trace)

    @property
    def dtype(self) -> Any:
        """The NumPy dtype that the interpreter would use."""
        return np.dtype(self.node.dtype.numpy_name())

    @property
    def T(self) -> TracedArray:  # noqa: N802
        """The dimensions in reverse order."""
        return TracedArray(self.node, self.dims[::-1], self.trace)

    @property
    def mT(self) -> TracedArray:  # noqa: N802
        """The last two dimensions exchanged."""
        if self.ndim < 2:
            raise ShapeError(f"mT needs two dimensions or more, found the shape {self.shape}")
        return TracedArray(self.node, (*self.dims[:-2], self.dims[-1], self.dims[-2]), self.trace)

    @property
    def real(self) -> TracedArray:
        """The array itself: traced values are real."""
        return self

    @property
    def device(self) -> str:
        """Where the array lives, as the Array API asks; a traced array lives nowhere else."""
        return "cpu"

    def __repr__(self) -> str:
        return self.trace.describe(self)

    def __format__(self, specification: str) -> str:
        return format(self.trace.value(self), specification) if specification else repr(self)

    def __len__(self) -> int:
        if not self.dims:
            raise TypeError("a traced scalar has no length")
        return _known(self.sizes[0], "len()")

    def __iter__(self) -> Iterator[TracedArray]:
        if not self.dims:
            raise TypeError("a traced scalar cannot be iterated")
        count = _known(self.sizes[0], "a Python loop over an array")
        return iter([self[k] for k in range(count)])

    # ---------------------------------------------------------------------------------------------------- protocols
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return TracedArray.ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return TracedArray.function(self.trace, function, args, kwargs)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return TracedArray.namespace

    def __getitem__(self, key: Any) -> TracedArray:
        return TracedArray.getitem(self, key)

    def __getattr__(self, name: str) -> Any:
        method = TracedArray.methods.get(name)
        if method is None:
            raise AttributeError(f"a traced array has no attribute {name!r}")
        return lambda *args, **kwargs: method(self, *args, **kwargs)

    def _sympy_(self) -> sp.Expr:
        """A symbol that stands for the scalar in a SymPy expression."""
        if self.dims:  # SymPy then leaves the operation to the array
            raise sp.SympifyError(f"a traced array of shape {self.shape}: only scalars can stand in an expression")
        return self.trace.symbol(self.node)

    # ----------------------------------------------------------------------------------------- what cannot be traced
    def __setitem__(self, key: Any, value: Any) -> None:
        raise UnsupportedError(
            "assignment to elements of a traced array: build the array with np.where, np.concatenate or np.stack"
        )

    def __bool__(self) -> bool:
        return self.trace.decide(self)

    def __float__(self) -> float:
        return float(self.trace.number(self, "float()"))

    def __int__(self) -> int:
        return int(self.trace.number(self, "int()"))

    def item(self) -> Any:
        """The scalar as a Python number (while recording)."""
        return self.trace.number(self, "item()")

    @property
    def value(self) -> Any:
        """The numbers, while recording: for looking at them; what is computed from them is not recorded."""
        return self.trace.value(self)

    def backward(self) -> None:
        """Fill ``grad`` of every variable of the recording with the derivative of this scalar."""
        self.trace.backward(self)

    def __complex__(self) -> complex:
        raise UnsupportedError("traced values are real: complex() has no meaning here")

    def __index__(self) -> int:
        if self.node.dtype is not INTEGER:
            raise TypeError("only an integer can be an index or a count")
        return int(self.trace.number(self, "its use as an index or a count"))

    def __array__(self, dtype: object = None, copy: object = None) -> Any:
        raise UnsupportedError(
            "a traced array cannot become a NumPy array: this function does not follow NumPy's protocols; say the "
            "same with NumPy functions that do"
        )

    __hash__ = None  # type: ignore[assignment]


class TracedSize(TracedArray):
    """A symbolic size: a scalar integer, and also an entry of a shape."""

    __slots__ = ("expression",)

    def __init__(self, expression: sp.Expr, trace: Trace) -> None:
        super().__init__(trace.size(expression), (), trace)
        self.expression = sp.expand(expression)

    def __repr__(self) -> str:
        return str(self.expression)

    def __index__(self) -> int:
        return _known(self.expression, "a Python index or count")

    __int__ = __index__

    def __bool__(self) -> bool:
        return True  # arrays with a declared size are not empty as far as Python code can tell

    def __eq__(self, other: object) -> Any:
        expression = _expression(other)
        return super().__eq__(other) if expression is None else sp.expand(self.expression - expression) == 0

    def __ne__(self, other: object) -> Any:
        expression = _expression(other)
        return super().__ne__(other) if expression is None else sp.expand(self.expression - expression) != 0

    def __add__(self, other: Any) -> Any:
        return self._combined(other, operator.add)

    def __radd__(self, other: Any) -> Any:
        return self._combined(other, lambda size, left: left + size)

    def __sub__(self, other: Any) -> Any:
        return self._combined(other, operator.sub)

    def __rsub__(self, other: Any) -> Any:
        return self._combined(other, lambda size, left: left - size)

    def __mul__(self, other: Any) -> Any:
        return self._combined(other, operator.mul)

    def __rmul__(self, other: Any) -> Any:
        return self._combined(other, lambda size, left: left * size)

    def _combined(self, other: Any, operation: Callable[[Any, Any], Any]) -> Any:
        """Sums and products of sizes are sizes; everything else is arithmetic of traced scalars."""
        expression = _expression(other)
        if expression is None:
            return operation(TracedArray(self.node, (), self.trace), other)
        size = sp.expand(operation(self.expression, expression))
        return int(size) if size.is_Integer else TracedSize(size, self.trace)

    __hash__ = None


def _expression(value: object) -> sp.Expr | None:
    if isinstance(value, TracedSize):
        return value.expression
    return sp.Integer(value) if isinstance(value, int) and not isinstance(value, bool) else None


def size_of(dim: Axis | None) -> sp.Expr:
    """The size of a dimension."""
    return sp.Integer(1) if dim is None else dim.size


def _known(size: sp.Expr, what: str) -> int:
    if not size.is_Integer:
        raise UnsupportedError(
            f"{what} needs a number, but the size {size} is symbolic: declare the size as an integer, or use an array "
            "operation"
        )
    return int(size)
