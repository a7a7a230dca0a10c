"""NumPy's functions on traced arrays (``__array_function__``), the methods of an array, and the Array API namespace."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import sympy as sp

from .. import simplify as s
from ..errors import UnsupportedError
from ..node import Node, constant
from . import arranging as arrange
from . import composed, contractions, creation, indexing, reductions
from .array import TracedArray
from .context import Trace
from .elementwise import UFUNCS, apply
from .lifting import as_array

__all__ = ["CREATION", "FUNCTIONS", "METHODS"]


def _sinc(x: Node) -> Node:
    return s.call("sinc", s.mul(constant(sp.pi), x))


# functions of an array and more, which are methods of the same name where NumPy has these
METHODS: dict[str, Callable[..., Any]] = {
    "sum": reductions.reduce_sum, "prod": reductions.prod, "mean": reductions.mean, "var": reductions.var,
    "std": reductions.std, "max": reductions.reduce_max, "min": reductions.reduce_min, "any": reductions.any_,
    "all": reductions.all_, "cumsum": reductions.cumsum, "dot": contractions.dot, "matmul": contractions.matmul,
    "reshape": arrange.reshape, "transpose": arrange.permute, "swapaxes": arrange.swapaxes,
    "ravel": lambda x, order="C": arrange.reshape(x, (-1,)), "flatten": lambda x: arrange.reshape(x, (-1,)),
    "squeeze": arrange.squeeze, "clip": composed.clip, "astype": composed.astype, "copy": lambda x: x,
    "take": indexing.take, "trace": composed.trace_of, "diagonal": composed.diagonal, "repeat": arrange.repeat,
    "conj": lambda x: x, "conjugate": lambda x: x,
}  # fmt: skip
TracedArray.methods.update(METHODS)

# functions whose first argument is the array
_OF_ARRAY: dict[Callable[..., Any], Callable[..., Any]] = {
    np.sum: reductions.reduce_sum, np.prod: reductions.prod, np.mean: reductions.mean, np.var: reductions.var,
    np.std: reductions.std, np.max: reductions.reduce_max, np.amax: reductions.reduce_max,
    np.min: reductions.reduce_min, np.amin: reductions.reduce_min, np.any: reductions.any_, np.all: reductions.all_,
    np.average: reductions.average, np.count_nonzero: reductions.count_nonzero, np.cumsum: reductions.cumsum,
    np.ptp: reductions.ptp, np.linalg.norm: reductions.norm, np.trace: composed.trace_of,
    np.reshape: arrange.reshape, np.ravel: METHODS["ravel"], np.transpose: arrange.permute,
    np.swapaxes: arrange.swapaxes, np.moveaxis: arrange.moveaxis, np.expand_dims: arrange.expand_dims,
    np.squeeze: arrange.squeeze, np.broadcast_to: arrange.broadcast_to, np.flip: arrange.flip, np.roll: arrange.roll,
    np.tile: arrange.tile, np.repeat: arrange.repeat, np.diagonal: composed.diagonal, np.diag: composed.diag,
    np.diff: composed.diff, np.pad: composed.pad, np.take: indexing.take, np.clip: composed.clip,
    np.triu: lambda m, k=0: arrange.triangle(m, k, upper=True), np.copy: lambda x: x, np.real: lambda x: x,
    np.tril: lambda m, k=0: arrange.triangle(m, k, upper=False), np.sinc: lambda x: apply(_sinc, x),
    np.shape: lambda a: a.shape, np.ndim: lambda a: a.ndim, np.size: lambda a: a.size,
    np.zeros_like: lambda a, **options: creation.full_like(a, 0),
    np.ones_like: lambda a, **options: creation.full_like(a, 1),
    np.full_like: lambda a, fill_value, **options: creation.full_like(a, fill_value),
}  # fmt: skip

# functions of several arrays
_OF_ARRAYS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.dot: contractions.dot, np.vdot: contractions.vdot, np.inner: contractions.inner, np.outer: contractions.outer,
    np.tensordot: contractions.tensordot, np.einsum: contractions.einsum, np.kron: contractions.kron,
    np.cross: composed.cross, np.convolve: composed.convolve, np.trapezoid: composed.trapezoid,
    np.concatenate: arrange.concatenate, np.stack: arrange.stack, np.vstack: composed.vstack,
    np.hstack: composed.hstack, np.column_stack: composed.column_stack, np.atleast_1d: composed.at_least_1d,
    np.atleast_2d: composed.at_least_2d, np.where: creation.where, np.polyval: composed.polyval,
}  # fmt: skip


def _converting(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, *args, **kwargs: function(as_array(x), *args, **kwargs)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    **{name: _converting(function) for name, function in _OF_ARRAY.items()},
    **_OF_ARRAYS,
}

# arrays made from sizes: NumPy asks the array that ``like=`` names
CREATION: dict[Callable[..., Any], Callable[..., Any]] = {
    np.zeros: lambda trace, shape, dtype=None: creation.full(shape, 0, trace),
    np.ones: lambda trace, shape, dtype=None: creation.full(shape, 1, trace),
    np.full: lambda trace, shape, fill_value, dtype=None: creation.full(shape, fill_value, trace),
    np.arange: lambda trace, *bounds, dtype=None: creation.arange(trace, *bounds),
    np.eye: lambda trace, N, M=None, k=0, dtype=None: creation.eye(trace, N, M, k),
    np.identity: lambda trace, n, dtype=None: creation.eye(trace, n),
}


def call_function(trace: Trace, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What NumPy calls when a traced array is among the arguments of one of its functions."""
    creator = CREATION.get(function)
    known = FUNCTIONS.get(function) if creator is None else partial(creator, trace)
    name = f"{getattr(function, '__module__', 'numpy')}.{function.__name__}"
    if known is None:
        raise UnsupportedError(f"{name} has no translation in a traced function: say the same with other functions")
    if kwargs.pop("out", None) is not None:
        raise UnsupportedError(f"{name}(..., out=) writes into an array: use the result that it returns")
    options = {k: v for k, v in kwargs.items() if not (k in _LAYOUT and v in _LAYOUT[k])}
    try:
        return known(*args, **options)
    except TypeError as error:
        raise UnsupportedError(f"{name} in a traced function: {error}") from error


# what NumPy passes for options that say nothing about values
_LAYOUT: dict[str, tuple[Any, ...]] = {
    "order": ("C", "K", None), "dtype": (None,), "device": (None,), "copy": (None, True, False), "subok": (True, False),
}  # fmt: skip

TracedArray.function = staticmethod(call_function)

# names of the Array API that differ from NumPy's
_RENAMED: dict[str, Any] = {
    "concat": arrange.concatenate, "permute_dims": arrange.permute, "matrix_transpose": lambda x: x.mT,
    "vecdot": lambda a, b, axis=-1: reductions.reduce_sum(a * b, axis), "astype": composed.astype,
    "matmul": contractions.matmul, "pow": np.power, "asarray": lambda x, **options: x,
    "cumulative_sum": reductions.cumsum, "pi": np.pi, "e": np.e, "inf": np.inf, "nan": np.nan, "newaxis": None,
    "float64": np.float64, "float32": np.float32, "int64": np.int64, "bool": np.bool_,
}  # fmt: skip
TracedArray.namespace = SimpleNamespace(**{f.__name__: f for f in (*UFUNCS, *FUNCTIONS)}, **_RENAMED)
