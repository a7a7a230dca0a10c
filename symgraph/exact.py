"""A graph evaluated to any number of digits with mpmath: the truth that kernels and derivatives are compared with.

Slow and simple on purpose. Derivatives come from differences of values at a precision where these are exact to more
digits than are kept, so that they share nothing with the derivative rules of this package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache, reduce
from typing import Any

import mpmath
import numpy as np
import sympy as sp

from .axis import Axis, evaluate_size
from .dtype import BOOLEAN, INTEGER, Dtype
from .errors import UnsupportedError
from .exact_functions import FUNCTIONS
from .graph import Graph, Output
from .interpret import align
from .node import Kind, Node
from .ops import ARGUMENTS, OPS
from .sizes import solve_sizes

__all__ = [
    "DIGITS", "FUNCTIONS", "Exact", "exact_curvature", "exact_node_values", "exact_operation", "exact_outputs",
    "exact_slope",
]  # fmt: skip

DIGITS = 50
_STEP_DIGITS = 27  # differences with steps of 1e-27: truncation leaves 53 digits
Exact = Any  # an object array of mpmath numbers, integers or booleans


def exact_outputs(graph: Graph, arguments: Sequence[object], digits: int = DIGITS) -> list[Exact]:
    """The flat outputs of a graph, as object arrays of mpmath numbers.

    Parameters
    ----------
    graph:
        What to evaluate.
    arguments:
        Numbers or arrays, of the exact shapes of the inputs; their floats are taken exactly.
    digits:
        Decimal digits of the arithmetic.

    Raises
    ------
    UnsupportedError
        An operation has no formula.

    Examples
    --------
    >>> from symgraph.capture.formula import graph_from_formulas
    >>> mpmath.nstr(exact_outputs(graph_from_formulas(["exp(x)"]), [1])[0].item(), 20)
    '2.7182818284590452354'
    """
    with mpmath.workdps(digits + 10):
        values = [_argument(node, value) for node, value in zip(graph.inputs, arguments, strict=True)]
        if not any(node.axes for node in graph.order) and all(n.kind in _OF_SCALARS for n in graph.order):
            return _scalar_outputs(graph, [value.item() for value in values])
        sizes = solve_sizes(graph.inputs, [v.shape for v in values]) if any(n.axes for n in graph.inputs) else {}
        run = _Run(dict(zip(graph.inputs, values, strict=True)), sizes)
        last_use = {argument: position for position, node in enumerate(graph.order) for argument in node.args}
        kept = {output.node for output in graph.outputs}
        for position, node in enumerate(graph.order):
            run.compute(node)
            for argument in dict.fromkeys(node.args):
                if last_use[argument] == position and argument not in kept:
                    del run.values[argument]
        return [run.output(output) for output in graph.outputs]


def _scalar_outputs(graph: Graph, arguments: Sequence[Any]) -> list[Exact]:
    """The same for scalars alone, without arrays in between: a third of the time."""
    values: dict[Node, Any] = dict(zip(graph.inputs, arguments, strict=True))
    for node in graph.order:
        if node.kind is Kind.CONST:
            values[node] = _constant(node.data, node.dtype)
        elif node.kind is Kind.ELEMENTWISE:
            value = exact_operation(node.data, len(node.args))(*(values[a] for a in node.args))
            values[node] = _number(value, node.dtype)
    return [np.asarray(_number(values[o.node], o.node.dtype), dtype=object) for o in graph.outputs]


def exact_node_values(
    order: Sequence[Node], inputs: Sequence[Node], arguments: Sequence[object], digits: int = DIGITS
) -> dict[Node, Exact]:
    """The value of every node of ``order`` (arguments before users), with one dimension per axis of the node."""
    with mpmath.workdps(digits + 10):
        values = [_argument(node, value) for node, value in zip(inputs, arguments, strict=True)]
        sizes = solve_sizes(inputs, [v.shape for v in values]) if any(n.axes for n in inputs) else {}
        run = _Run(dict(zip(inputs, values, strict=True)), sizes)
        for node in order:
            run.compute(node)
        return run.values


def exact_slope(
    graph: Graph, arguments: Sequence[object], direction: Mapping[str, object], cotangent: Sequence[object]
) -> Any:
    """The derivative of <cotangent, outputs> along a direction (by input name), to :data:`DIGITS` digits."""
    digits = DIGITS + _STEP_DIGITS + 10
    with mpmath.workdps(digits + 10):
        step = mpmath.mpf(10) ** -_STEP_DIGITS
        ends = [_moved(graph, arguments, [(direction, sign * step)]) for sign in (1, -1)]
        above, below = (_product(exact_outputs(graph, end, digits), cotangent) for end in ends)
        return (above - below) / (2 * step)


def exact_curvature(
    graph: Graph,
    arguments: Sequence[object],
    first: Mapping[str, object],
    second: Mapping[str, object],
    cotangent: Sequence[object],
) -> Any:
    """The second derivative of <cotangent, outputs> along two directions, to about :data:`DIGITS` digits."""
    digits = DIGITS + 2 * _STEP_DIGITS + 10
    with mpmath.workdps(digits + 10):
        step = mpmath.mpf(10) ** -_STEP_DIGITS
        total = mpmath.mpf(0)
        for a in (1, -1):
            for b in (1, -1):
                moved = _moved(graph, arguments, [(first, a * step), (second, b * step)])
                total += a * b * _product(exact_outputs(graph, moved, digits), cotangent)
        return total / (4 * step**2)


def _moved(
    graph: Graph, arguments: Sequence[object], steps: Sequence[tuple[Mapping[str, object], Any]]
) -> list[object]:
    moved: list[object] = []
    for node, value in zip(graph.inputs, arguments, strict=True):
        total = _argument(node, value)
        for direction, step in steps:
            if node.data in direction:
                total = total + _exact(np.asarray(direction[node.data])) * step
        moved.append(total)
    return moved


def _product(values: Sequence[Exact], cotangent: Sequence[object]) -> Any:
    pairs = (
        (v, w)
        for value, weight in zip(values, cotangent, strict=True)
        for v, w in zip(value.ravel(), _exact(np.asarray(weight)).ravel(), strict=True)
    )
    return mpmath.fsum(v * w for v, w in pairs)


def _argument(node: Node, value: object) -> Exact:
    array = np.asarray(value)
    if array.dtype == object:
        return array
    return array.astype(object) if node.dtype in (INTEGER, BOOLEAN) else _exact(array)


def _objects(function: Callable[..., Any], count: int) -> Callable[..., Exact]:
    universal = np.frompyfunc(function, count, 1)
    return lambda *arrays: np.asarray(universal(*arrays), dtype=object)


_exact = _objects(lambda v: mpmath.mpf(v.item() if isinstance(v, np.generic) else v), 1)


def _real(value: Any) -> Any:
    if isinstance(value, mpmath.mpc):
        return value.real if value.imag == 0 else mpmath.nan
    return value


def _in_range(value: Any) -> Any:
    """The value, infinite or 0 where its exponent has more than sixteen bits.

    No float comes near; but a tower of exponentials would soon want an exponent that fills the memory.
    """
    if isinstance(value, mpmath.mpf) and abs(value._mpf_[2]) > _EXPONENTS and mpmath.isnormal(value):
        if mpmath.mag(value) > _EXPONENTS:
            return mpmath.sign(value) * mpmath.inf
        if mpmath.mag(value) < -_EXPONENTS:
            return mpmath.mpf(0)
    return value


@cache
def exact_operation(name: str, arity: int) -> Callable[..., Any]:
    """The operation on mpmath numbers: from the formula of its row, or by name.

    >>> exact_operation("expm1", 1)(mpmath.mpf(0))
    mpf('0.0')
    """
    if name in _BY_NAME:
        return _BY_NAME[name]
    row = OPS[name]
    if row.formula is None:
        raise UnsupportedError(f"the operation {name!r} has no formula, so that it cannot be evaluated exactly")
    formula = _WITH_LIMITS.get(name) or sp.lambdify(ARGUMENTS[: row.arity or 2], row.formula, [FUNCTIONS, "mpmath"])

    def apply(*arguments: Any) -> Any:
        try:
            return _in_range(_real(formula(*(a if isinstance(a, bool) else mpmath.mpf(a) for a in arguments))))
        except _NO_VALUE:
            return mpmath.nan  # outside of the domain, as in a branch that is not taken

    return apply


def _total(*arguments: Any) -> Any:
    return sum(arguments[1:], arguments[0])


def _factors(*arguments: Any) -> Any:
    result = arguments[0]
    for argument in arguments[1:]:
        result = result * argument
    return result


# rows with a value where their formula has none
_WITH_LIMITS: dict[str, Callable[..., Any]] = {
    **{name: FUNCTIONS[name] for name in ("sinc", "spherical_ratio", "modified_spherical_ratio", "exprel")},
    "strong_product": lambda a, b: mpmath.mpf(0) if a == 0 or b == 0 else a * b,
    "strong_quotient": lambda a, b, c: mpmath.mpf(0) if a == 0 else a / b**c,
    "xlogy": lambda a, b: mpmath.mpf(0) if a == 0 else a * mpmath.log(b),
}
_EXPONENTS = 2**16
# outside of the domain; or beyond what mpmath can do, which recurses without end at some arguments of gammainc
_NO_VALUE = (
    ZeroDivisionError, ValueError, OverflowError, NotImplementedError, RecursionError, mpmath.libmp.NoConvergence,
)  # fmt: skip
_BY_NAME: dict[str, Callable[..., Any]] = {
    "add": _total,
    "mul": _factors,
    "max": lambda *a: max(a),
    "min": lambda *a: min(a),
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "and": lambda *a: all(a),
    "or": lambda *a: any(a),
    "not": lambda a: not a,
    "select": lambda c, a, b: a if c else b,
    "float": mpmath.mpf,
    "hold": lambda a: a,
    "abs": abs,
    "undefined": lambda *a: mpmath.nan,
}


class _Run:
    """Values by node, one rule per kind; dimensions follow ``node.axes``."""

    def __init__(self, inputs: Mapping[Node, Exact], sizes: Mapping[str, int]) -> None:
        self.values: dict[Node, Exact] = {}
        self._inputs, self._sizes = inputs, sizes

    def length(self, axis: Axis) -> int:
        return evaluate_size(axis.size, self._sizes)

    def aligned(self, node: Node, axes: Sequence[Axis]) -> Exact:
        return align(self.values[node], node.axes, axes)

    def compute(self, node: Node) -> None:
        rule = _RULES.get(node.kind)
        if rule is None:
            raise UnsupportedError(f"nodes of kind {node.kind.value!r} cannot be evaluated exactly")
        value = np.asarray(rule(self, node), dtype=object)
        self.values[node] = np.broadcast_to(value, tuple(self.length(a) for a in node.axes))

    def output(self, output: Output) -> Exact:
        value = align(self.values[output.node], output.node.axes, output.axes)
        return np.array(np.broadcast_to(value, tuple(self.length(a) for a in output.axes)), dtype=object)

    def index(self, node: Node, axes: Sequence[Axis], axis: Axis) -> np.ndarray[Any, Any]:
        # what is out of range stands behind a guard: any element will do
        found = np.broadcast_to(self.aligned(node, axes), tuple(self.length(a) for a in axes)).astype(np.int64)
        return found.clip(0, max(self.length(axis) - 1, 0))

    def along(self, axis: Axis, axes: Sequence[Axis]) -> np.ndarray[Any, Any]:
        return align(np.arange(self.length(axis)), (axis,), axes)

    # -------------------------------------------------------------------------------------------- one rule per kind
    def _elementwise(self, node: Node) -> Exact:
        arguments = [self.aligned(a, node.axes) for a in node.args]
        if OPS[node.data].arity is None and len(arguments) > 2:  # two at a time: NumPy limits the number of operands
            combine = _objects(exact_operation(node.data, 2), 2)
            return _cast(reduce(combine, arguments), node.dtype)
        value = _objects(exact_operation(node.data, len(arguments)), len(arguments))(*arguments)
        return _cast(value, node.dtype)

    def _reduce(self, node: Node) -> Exact:
        (argument,), (reducer, axis) = node.args, node.data
        value = np.moveaxis(self.values[argument], argument.axes.index(axis), 0)
        result: Exact = np.full(value.shape[1:], _IDENTITY[reducer], dtype=object)
        combine = _objects(_BY_NAME[_COMBINE[reducer]], 2)
        for part in value:
            result = combine(result, part)
        return align(_cast(result, node.dtype), tuple(a for a in argument.axes if a != axis), node.axes)

    def _gather(self, node: Node) -> Exact:
        array, *indices = node.args
        names = dict(zip(node.data, indices, strict=True))
        if any(self.length(a) == 0 for a in array.axes):
            return np.asarray(mpmath.mpf(0))
        selectors = [self.index(names[a], node.axes, a) if a in names else self.along(a, node.axes) for a in array.axes]
        return self.values[array][tuple(selectors)]

    def _scatter_add(self, node: Node) -> Exact:
        value, *indices = node.args
        targets, summed = node.data
        loops = (*(a for a in node.axes if a not in targets), *summed)
        shape = tuple(self.length(a) for a in loops)
        source = np.broadcast_to(self.aligned(value, loops), shape)
        zero = _cast(np.asarray(0, object), node.dtype).item()
        result = np.full(tuple(self.length(a) for a in node.axes), zero, object)
        raw = {a: np.broadcast_to(self.aligned(i, loops), shape) for a, i in zip(targets, indices, strict=True)}
        for place in np.ndindex(*shape):
            at = tuple(int(raw[a][place]) if a in raw else place[loops.index(a)] for a in node.axes)
            if all(0 <= k < n for k, n in zip(at, result.shape, strict=True)):
                result[at] = result[at] + source[place]
        return result

    def _constant(self, node: Node) -> Exact:
        return np.asarray(_constant(node.data, node.dtype), dtype=object)


def _constant(value: Any, dtype: Dtype) -> Any:
    if isinstance(value, bool) or dtype is INTEGER:
        return value
    if isinstance(value, Fraction):
        return mpmath.mpf(value.numerator) / value.denominator
    if isinstance(value, sp.Expr):
        return mpmath.mpf(str(sp.N(value, mpmath.mp.dps + 5))) if not isinstance(value, sp.Float) else mpmath.mpf(value)
    return mpmath.mpf(value)


def _cast(value: Exact, dtype: Dtype) -> Exact:
    return value if dtype is BOOLEAN else _objects(lambda v: _number(v, dtype), 1)(value)


def _number(value: Any, dtype: Dtype) -> Any:
    if dtype is BOOLEAN or (dtype is INTEGER and not mpmath.isfinite(value)):
        return value
    return int(value) if dtype is INTEGER else mpmath.mpf(value)


_COMBINE = {"sum": "add", "product": "mul", "max": "max", "min": "min"}
_OF_SCALARS = (Kind.INPUT, Kind.CONST, Kind.ELEMENTWISE)
_IDENTITY = {"sum": 0, "product": 1, "max": -mpmath.inf, "min": mpmath.inf}
_RULES: dict[Kind, Callable[[_Run, Node], Any]] = {
    Kind.INPUT: lambda run, node: run._inputs[node],
    Kind.CONST: _Run._constant,
    Kind.SIZE: lambda run, node: run._sizes[node.data],
    Kind.AXIS_INDEX: lambda run, node: np.arange(run.length(node.axes[0])).astype(object),
    Kind.ELEMENTWISE: _Run._elementwise,
    Kind.REDUCE: _Run._reduce,
    Kind.BROADCAST: lambda run, node: run.aligned(node.args[0], node.axes),
    Kind.GATHER: _Run._gather,
    Kind.SCATTER_ADD: _Run._scatter_add,
}
