"""Self-tests: points, directions and 50-digit values for a model, and the checks that kernels are put to.

The checks themselves are in `symgraph.templates.package.selftest`, a file that stands alone: it is emitted with every
package as it is, and used here for kernels in memory.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import mpmath
import numpy as np

from .axis import evaluate_size
from .dtype import FLOATING, INTEGER
from .errors import ModelError, UnsupportedError
from .exact import DIGITS, exact_curvature, exact_outputs, exact_slope
from .function import Function
from .graph import Graph
from .node import Kind, Node
from .storage import content_hash
from .templates.package.selftest import Check, check
from .transform import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp

__all__ = ["KINDS", "Check", "candidates", "check_kernels", "derived_functions", "index_bound", "self_test_data"]

POINTS = 3
_PARTIALS = 6
_GRID = 1024  # coordinates are multiples of 1/1024: exact in float32, short in text
_RANGES = ((0.3, 1.3), (-1.2, 1.2), (1.1, 2.6), (0.02, 0.4), (-3.0, 3.0), (2.0, 8.0))
_TRIALS = 6

KINDS: dict[str, Callable[[Function, Any], Function]] = {
    "value": lambda f, wrt: f,
    "grad": grad,
    "value_and_grad": value_and_grad,
    "jac": jacobian,
    "hess": hessian,
    "jvp": jvp,
    "vjp": vjp,
    "hvp": hvp,
}
_COMPANIONS = {"jvp": "direction", "hvp": "direction", "vjp": "cotangent"}
_CURVED = ("hess", "hvp")


def derived_functions(f: Function, kinds: Sequence[str], wrt: Sequence[str] | None) -> dict[str, Function]:
    """The model and its derivatives by kind; value and gradient together where both are asked for.

    Parameters
    ----------
    f:
        The model.
    kinds:
        Keys of :data:`KINDS`.
    wrt:
        Names of the inputs to differentiate by; None for all floating ones.

    Raises
    ------
    ModelError
        An unknown kind, or a derivative that the model does not have.

    Examples
    --------
    >>> from symgraph.capture.formula import graph_from_formulas
    >>> f = Function(graph_from_formulas(["x*y"]))
    >>> list(derived_functions(f, ["value", "grad"], None))
    ['value', 'grad', 'value_and_grad']
    """
    wanted = list(dict.fromkeys(kinds))
    for kind in wanted:
        if kind not in KINDS:
            raise ModelError(f"unknown derivative {kind!r}: choose from {', '.join(KINDS)}")
    if "value" in wanted and "grad" in wanted and "value_and_grad" not in wanted:
        wanted.insert(wanted.index("grad") + 1, "value_and_grad")
    by = None if wrt is None else (wrt[0] if len(wrt) == 1 else tuple(wrt))
    return {kind: KINDS[kind](f, by) for kind in wanted}


def check_kernels(
    f: Function, functions: Mapping[str, Function], kernels: Mapping[str, Callable[..., Any]],
    wrt: Sequence[str] | None = None, dtype: str = "float64",
) -> list[Check]:  # fmt: skip
    """Put kernels (by kind) to the self-test of a model.

    Parameters
    ----------
    f:
        The model.
    functions:
        What :func:`derived_functions` gave.
    kernels:
        A callable for each of the kinds.
    wrt, dtype:
        As the kernels were made with.
    """
    data = self_test_data(f, functions, {kind: kind for kind in functions}, wrt, dtype)
    return check(kernels, data)


def self_test_data(
    f: Function, functions: Mapping[str, Function], names: Mapping[str, str], wrt: Sequence[str] | None = None,
    dtype: str = "float64", points: int = POINTS,
) -> dict[str, Any]:  # fmt: skip
    """What the self-test of a package reads: points with exact values and slopes, as JSON data.

    Parameters
    ----------
    f, functions:
        The model, and what :func:`derived_functions` gave.
    names:
        For each kind the name of the kernel in the package.
    wrt, dtype:
        As the kernels are made with.
    points:
        How many points to find.

    Raises
    ------
    ModelError
        No point was found at which the model and its derivatives are finite and differentiable.
    """
    graph = f.graph
    by = list(wrt) if wrt is not None else [n.data for n in graph.inputs if n.dtype is FLOATING]
    data: dict[str, Any] = {
        "dtype": dtype,
        "dtypes": {node.data: node.dtype.numpy_name(dtype) for node in graph.inputs},
        "wrt": by,
        "kernels": {kind: names[kind] for kind in functions},
        "arguments": {kind: _roles(graph, function.graph, kind, by) for kind, function in functions.items()},
        "points": [],
    }
    is_differentiated = any(kind != "value" for kind in functions)
    needs_curvature = any(kind in _CURVED for kind in functions)
    reason = ""
    for candidate in candidates(graph):
        try:
            point = _point(graph, candidate, by if is_differentiated else [], needs_curvature)
        except UnsupportedError:
            return data  # an operation of the user's own, without a formula: there is no exact value to test against
        if point is None:
            reason = "a value or a derivative is not finite"
            continue
        failed = _calibrate(functions, data, point, dtype)
        if failed:
            reason = f"{failed[0].kernel}: {failed[0].test}, error {failed[0].error:.1e}"
            continue
        data["points"].append(point)
        if len(data["points"]) == points:
            return data
    if not data["points"]:
        raise ModelError(f"no point was found at which {f.name} can be tested ({reason})")
    return data


def _roles(graph: Graph, derived: Graph, kind: str, wrt: Sequence[str]) -> list[list[str]]:
    """For each argument of a kernel, where its value comes from: [role, name]."""
    roles = [["argument", node.data] for node in graph.inputs]
    extra = len(derived.inputs) - len(graph.inputs)
    if extra:
        role = _COMPANIONS[kind]
        roles += [[role, str(k) if role == "cotangent" else wrt[k]] for k in range(extra)]
    return roles


# ------------------------------------------------------------------------------------------------------------- points
def candidates(graph: Graph) -> Iterator[dict[str, Any]]:
    """Arguments, directions and cotangents: the same for the same model, on every machine."""
    chance = random.Random(content_hash(graph))
    sizes = {name: (3, 4, 5, 2)[k % 4] for k, name in enumerate(graph.size_names)}
    bound = index_bound(graph, sizes)
    for trial in range(_TRIALS):
        for low, high in _RANGES:
            candidate: dict[str, Any] = {"argument": {}, "direction": {}, "second": {}}
            for node in graph.inputs:
                shape = tuple(evaluate_size(a.size, sizes) for a in node.axes)
                if node.dtype is FLOATING:
                    own = chance.choice(_RANGES) if trial >= _TRIALS // 2 else (low, high)
                    candidate["argument"][node.data] = _filled(shape, partial(_grid, chance, *own))
                    candidate["direction"][node.data] = _filled(shape, partial(_grid, chance, -1, 1))
                    candidate["second"][node.data] = _filled(shape, partial(_grid, chance, -1, 1))
                elif node.dtype is INTEGER:
                    first = 0 if trial % 2 == 0 else 1
                    last = bound - 1 if bound is not None else 4
                    candidate["argument"][node.data] = _filled(shape, partial(chance.randint, min(first, last), last))
                else:
                    candidate["argument"][node.data] = _filled(shape, lambda: chance.random() < 0.5)
            candidate["cotangent"] = [
                _filled(tuple(evaluate_size(a.size, sizes) for a in output.axes), partial(_grid, chance, 0.25, 1))
                for output in graph.outputs
            ]
            yield candidate


def _grid(chance: random.Random, low: float, high: float) -> float:
    return round(chance.uniform(low, high) * _GRID) / _GRID


def _filled(shape: tuple[int, ...], draw: Callable[[], Any]) -> Any:
    if not shape:
        return draw()
    return [_filled(shape[1:], draw) for _ in range(shape[0])]


def index_bound(graph: Graph, sizes: Mapping[str, int]) -> int | None:
    """The least size of an axis that integer data is an index of."""
    lengths = []
    for node in graph.order:
        if node.kind in (Kind.GATHER, Kind.SCATTER_ADD):
            axes = node.data if node.kind is Kind.GATHER else node.data[0]
            for axis, index in zip(axes, node.args[1:], strict=True):
                if _reads_input(index):
                    lengths.append(evaluate_size(axis.size, sizes))
    return max(1, min(lengths)) if lengths else None


def _reads_input(index: Node) -> bool:
    stack = [index]
    while stack:
        node = stack.pop()
        if node.kind is Kind.INPUT:
            return True
        stack.extend(node.args)
    return False


def _point(graph: Graph, candidate: dict[str, Any], wrt: Sequence[str], needs_curvature: bool) -> dict[str, Any] | None:
    """The candidate with exact values; None where something is not finite."""
    arguments = [candidate["argument"][node.data] for node in graph.inputs]
    direction = {name: candidate["direction"][name] for name in wrt}
    second = {name: candidate["second"][name] for name in wrt}
    cotangent = candidate["cotangent"]
    try:
        outputs = exact_outputs(graph, arguments)
        if not all(mpmath.isfinite(v) for o in outputs for v in o.ravel()):
            return None
        point = {**candidate, "value": [_digits(o) for o in outputs], "tolerance": 0.0, "partials": []}
        if wrt:
            slope = exact_slope(graph, arguments, direction, cotangent)
            if not mpmath.isfinite(slope):
                return None
            point["slope"] = _text(slope)
            if len(outputs) == 1 and outputs[0].ndim == 0:
                point["partials"] = _exact_partials(graph, arguments, wrt, candidate)
        if needs_curvature:
            curvature = exact_curvature(graph, arguments, direction, second, cotangent)
            if not mpmath.isfinite(curvature):
                return None
            point["curvature"] = _text(curvature)
    except (ZeroDivisionError, OverflowError):
        return None
    return point


def _exact_partials(
    graph: Graph, arguments: Sequence[Any], wrt: Sequence[str], candidate: Mapping[str, Any]
) -> list[Any]:
    """Some partial derivatives, spread over the inputs: [input, place, digits]."""
    places = [(name, place) for name in wrt for place in np.ndindex(*np.shape(candidate["argument"][name]))]
    stride = max(1, len(places) // _PARTIALS)
    found = []
    for name, place in places[::stride][:_PARTIALS]:
        unit = np.zeros(np.shape(candidate["argument"][name]))
        unit[place] = 1.0
        found.append([name, list(place), _text(exact_slope(graph, arguments, {name: unit}, [1.0]))])
    return found


def _digits(values: Any) -> Any:
    if np.ndim(values):
        return [_digits(v) for v in values]
    return _text(values.item() if hasattr(values, "item") else values)


def _text(value: Any) -> str:
    with mpmath.workdps(DIGITS + 40):
        return str(mpmath.nstr(mpmath.mpf(value), DIGITS))


def _calibrate(
    functions: Mapping[str, Function], data: Mapping[str, Any], point: dict[str, Any], dtype: str
) -> list[Check]:
    """Set the tolerance of a point from what double precision reaches there; what fails with it is returned."""
    loosest = 1e-6
    point["tolerance"] = math.inf
    trial = {**data, "dtype": "float64", "points": [point]}
    trial["dtypes"] = {k: "float64" if v == "float32" else v for k, v in data["dtypes"].items()}
    with np.errstate(all="ignore"):
        found = check(functions, trial)
        reached = max((c.error for c in found if math.isinf(c.limit)), default=0.0)
        if not reached <= loosest:
            return [c for c in found if not c.error <= loosest]
        tightest = 1e-12
        point["tolerance"] = _power_of_ten(max(tightest, 50 * reached))
        failed = [c for c in check(functions, trial) if not c.passed]
    if dtype == "float32":
        point["tolerance"] = min(0.05, _power_of_ten(max(2e-5, 50 * reached * 2.0**29)))
    return failed


def _power_of_ten(value: float) -> float:
    """The value rounded up to a power of ten, so that the last digits of some machine never show."""
    return float(f"1e{math.ceil(math.log10(value))}")
