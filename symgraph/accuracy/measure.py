"""Accuracy of compiled kernels: sampled, compared with exact values, and explained."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..compile import Kernel, compile, computed_graph
from ..dtype import FLOATING
from ..errors import ModelError, UnsupportedError
from ..exact import Exact
from ..function import Function
from ..graph import Graph, Output
from ..show import node_text
from ..transform import hessian, jacobian, value_and_grad
from .blame import Analysis, analysis
from .hints import rewrite_for
from .report import Accuracy, OutputAccuracy
from .sampling import domain_of, sample, sizes_for
from .truth import settled_outputs
from .ulps import FORMATS, is_beyond, ulp_error

__all__ = ["accuracy"]

_WORK = 40_000  # operations in exact arithmetic for all points together: a few seconds
_FEWEST, _MOST = 20, 1000
_TRIES = 3  # as many times the points are drawn where most lie outside of the domain
_EXPLAINED = 24  # outputs whose worst point is analysed
_LARGEST = 4000  # nodes of a graph that is analysed
_WORTH = 4.0  # ulp below which nothing was lost
_LONGEST = 60  # characters of the formula of a node


def accuracy(
    f: Function, domain: Mapping[str, tuple[float, float]] | None = None, points: int | None = None, order: int = 1,
    *, wrt: Sequence[str] | None = None, target: str = "cython", dtype: str = "float64", exact: bool = False,
    sizes: Mapping[str, int] | None = None, seed: int = 0, kernel: Callable[..., Any] | None = None,
) -> Accuracy:  # fmt: skip
    """How accurate the compiled kernels of a function and its derivatives are, in units in the last place.

    Values are compared with an exact evaluation of the same formula by mpmath, at the very floats that the kernel was
    given, with as many digits as it takes for two precisions to agree. Points lie inside the domain, near its ends,
    near 0 and 1, over many magnitudes, and where arguments are almost equal.

    Parameters
    ----------
    f:
        The function.
    domain:
        (low, high) for inputs by name. Otherwise what the symbols are assumed to be (positive, nonnegative, integer),
        with magnitudes up to 2**30; where the formula itself has no finite value, a point counts as outside.
    points:
        How many points to try; by default as many as a few seconds allow, at most 1000.
    order:
        0 for the value, 1 for the gradient too (Jacobians, if there are several outputs), 2 for the Hessian too.
    wrt:
        Names of the inputs to differentiate by; None for all floating ones.
    target, dtype, exact:
        As for :func:`symgraph.compile`; the target "interpreter" measures the function without compiling it.
    sizes:
        A number for size symbols, for functions with arrays; by default 2 to 5.
    seed:
        Of the points.
    kernel:
        Another implementation to measure instead, with the arguments and results of ``f``; the order is 0 then.

    Returns
    -------
    Accuracy
        A table with one row per output: worst and median error, the worst point, the condition number there, which
        node loses the digits, and which form of it would not.

    Raises
    ------
    ModelError
        A domain, size or order that the function does not have.
    UnsupportedError
        An operation without a formula, so that there is no exact value; or one that the target lacks.

    Examples
    --------
    >>> x, y = sp.symbols("x y", positive=True)
    >>> f = sg.function(x**2 - y**2, [x, y], name="f")
    >>> report = sg.accuracy(f, {"x": (1, 2), "y": (1, 2)}, points=100)
    >>> report["f"].worst > 1e6, report["f"].node, report["f"].rewrite
    (True, 'x**2 - y**2', 'a**2 - b**2: (a - b)*(a + b)')
    >>> report["df_dx"].worst < 2
    True
    """
    if not isinstance(f, Function):
        raise ModelError(
            f"accuracy takes a Function, got {type(f).__name__}: make one with symgraph.function(...)"
        )
    if order not in (0, 1, 2):
        raise ModelError(f"the order of derivatives is {order!r}: use 0 (value), 1 (gradient) or 2 (Hessian)")
    if kernel is not None and order != 0:
        raise ModelError(
            "a kernel of your own is measured with order=0: give the derivative as f to measure that"
        )
    if dtype not in FORMATS:
        raise UnsupportedError(f"the dtype {dtype!r} is not known: use 'float64' or 'float32'")
    ranges, lengths = domain_of(f, domain), sizes_for(f, sizes)
    functions = _functions(f, order, wrt)
    count = _points(functions) if points is None else points
    kernels = [
        _Measured(made, made_order, kernel or _made(made, target, dtype, exact), dtype)
        for made, made_order in functions
    ]
    drawn = 0
    wanted = count
    while drawn < _TRIES * count and wanted > 0:
        batch = sample(f, ranges, lengths, wanted, seed + drawn, dtype)
        drawn += wanted
        for measured in kernels:
            measured.run(batch)
        wanted = min(wanted, count - min(m.inside for m in kernels))
    explained = sorted((t for m in kernels for t in m.tallies), key=lambda t: -t.worst)[:_EXPLAINED]
    chosen = {id(tally) for tally in explained}
    rows = [t.row(m, id(t) in chosen) for m in kernels for t in m.tallies]
    shown = "own" if kernel is not None else target
    return Accuracy(tuple(rows), f.name, shown, dtype, seed)


def _functions(f: Function, order: int, wrt: Sequence[str] | None) -> list[tuple[Function, int]]:
    """What is compiled: value and gradient together, as one would."""
    single = len(f.graph.outputs) == 1 and not f.graph.outputs[0].axes
    if order == 0 or not any(n.dtype is FLOATING for n in f.graph.inputs):
        return [(f, 0)]
    by = None if wrt is None else tuple(wrt)
    found = [(value_and_grad(f, by), 1)] if single else [(f, 0), (jacobian(f, by), 1)]
    if order == 2:
        found.append((hessian(f, by) if single else jacobian(jacobian(f, by), by), 2))
    return found


def _points(functions: Sequence[tuple[Function, int]]) -> int:
    nodes = sum(len(f.graph.order) * (30 if any(n.axes for n in f.graph.order) else 1) for f, _ in functions)
    return min(_MOST, max(_FEWEST, _WORK // max(nodes, 1)))


def _made(f: Function, target: str, dtype: str, exact: bool) -> Callable[..., Any]:
    if target == "interpreter":
        return f
    kernel: Kernel = compile(f, target=target, dtype=dtype, exact=exact)
    return kernel


@dataclass
class _Tally:
    """The errors of one output so far."""

    position: int
    order: int
    errors: list[float] = field(default_factory=list)
    outside: int = 0
    overflow: int = 0
    wrong: int = 0
    worst: float = -1.0
    call: str = ""
    arguments: list[Any] = field(default_factory=list)
    element: tuple[int, ...] = ()
    found: float = 0.0
    exact: Any = None

    def add(self, found: Mapping[str, Any], exact: Exact, arguments: list[Any], dtype: str) -> None:
        """Compare an output with its exact value, element by element; the point counts once, with its worst element."""
        worst = -1.0
        for place in np.ndindex(*exact.shape):
            true = exact[place]
            if not _is_finite(true):
                continue
            for call, value in found.items():
                error = _error(np.asarray(value)[place].item(), true, dtype)
                worst = max(worst, error)
                if error > self.worst:
                    self.worst, self.call, self.arguments, self.element = error, call, arguments, place
                    self.found, self.exact = float(np.asarray(value)[place]), true
            if isinstance(true, (bool, int)):
                continue
            self.overflow += is_beyond(true, FORMATS[dtype])
        if worst < 0 and exact.size:
            self.outside += 1
        elif exact.size:
            self.errors.append(worst)
            self.wrong += worst == float("inf")

    def row(self, measured: _Measured, explain: bool) -> OutputAccuracy:
        """The finished row."""
        graph = measured.function.graph
        output = graph.outputs[self.position]
        if not self.errors:
            return OutputAccuracy(output.name, self.order, 0.0, 0.0, 0, self.outside)
        found = measured.explained(self) if explain else None
        lost = found.loss if found is not None and self.worst >= _WORTH else None
        order = self.order if self.position or self.order != 1 or not measured.with_value else 0
        return OutputAccuracy(
            output.name, order, self.worst, statistics.median(self.errors), len(self.errors), self.outside,
            self.overflow, self.wrong, self.call,
            {str(n.data): v.tolist() if isinstance(v, np.ndarray) else v
             for n, v in zip(graph.inputs, self.arguments, strict=True)},
            self.element, self.found, _digits(self.exact),
            None if found is None else found.condition, None if found is None else found.estimate,
            "" if lost is None else node_text(lost.node, _LONGEST), None if lost is None else lost.gain,
            "" if lost is None else rewrite_for(lost),
        )  # fmt: skip


class _Measured:
    """A kernel, its exact values, and what was found so far."""

    def __init__(self, function: Function, order: int, kernel: Callable[..., Any], dtype: str) -> None:
        self.function, self.kernel, self.dtype = function, kernel, dtype
        self.tallies = [_Tally(k, order) for k in range(len(function.graph.outputs))]
        self.with_value = order == 1 and function.graph.structure != 0 and _starts_with_value(function.graph)
        self._is_scalar = not any(n.axes for n in function.graph.inputs)
        self._computed: Graph | None = None

    @property
    def inside(self) -> int:
        """Points at which every output has a finite value."""
        return min((len(t.errors) for t in self.tallies), default=0)

    def run(self, points: Sequence[list[Any]]) -> None:
        """Call the kernel at points, one by one and, where it broadcasts, with all of them in arrays."""
        graph = self.function.graph
        kinds = [n.dtype.numpy_name(self.dtype) for n in graph.inputs]
        together: list[Any] | None = None
        with np.errstate(all="ignore"):
            if self._is_scalar and points and graph.inputs:
                columns = [np.array(c, k) for c, k in zip(zip(*points, strict=True), kinds, strict=True)]
                together = _flat(self.kernel(*columns), graph)
            for number, point in enumerate(points):
                alone = _flat(self.kernel(*point), graph)
                exact = settled_outputs(graph, point)
                for tally in self.tallies:
                    found = {"number" if self._is_scalar else "array": alone[tally.position]}
                    if together is not None:
                        shape = (len(points), *exact[tally.position].shape)
                        found["array"] = np.broadcast_to(together[tally.position], shape)[number]
                    tally.add(found, exact[tally.position], point, self.dtype)

    def explained(self, tally: _Tally) -> Analysis | None:
        """The error analysis of the worst point of an output; None where the graph is too large for it."""
        if self._computed is None:
            self._computed = computed_graph(self.function.graph)
        output: Output = self._computed.outputs[tally.position]
        if len(self._computed.order) > _LARGEST:
            return None
        return analysis(self._computed, output, tally.element, tally.arguments, self.dtype)


def _starts_with_value(graph: Graph) -> bool:
    return isinstance(graph.structure, tuple) and len(graph.structure) == 2 and graph.structure[0] == 0


def _flat(result: Any, graph: Graph) -> list[Any]:
    """The results of a call in the order of the outputs."""
    found: dict[int, Any] = {}
    stack = [(graph.structure, result)]
    while stack:
        structure, value = stack.pop()
        if isinstance(structure, int):
            found[structure] = value
        elif isinstance(structure, tuple):
            stack.extend(zip(structure, value, strict=True))
        else:
            stack.extend((structure[name], value[name]) for name in structure)
    return [found[k] for k in range(len(graph.outputs))]


def _is_finite(value: Any) -> bool:
    import mpmath

    return isinstance(value, (bool, int)) or bool(mpmath.isfinite(value))


def _error(found: Any, exact: Any, dtype: str) -> float:
    if isinstance(exact, (bool, int)):  # exact or wrong
        return 0.0 if found == exact else float("inf")
    return ulp_error(float(found), exact, FORMATS[dtype])


def _digits(exact: Any) -> str:
    import mpmath

    return str(exact) if isinstance(exact, (bool, int)) else str(mpmath.nstr(exact, 20))
