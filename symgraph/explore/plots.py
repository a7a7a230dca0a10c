"""Plots of a function: its operations by kind, its values and partials along an input, sparsity, error and cost.

Each draws into the given matplotlib axes (or new ones) and returns them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compile import compile
from ..counting import operation_table
from ..errors import ModelError
from ..function import Function
from ..transform import grad, hessian, jacobian, value_and_grad

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_cost", "plot_error", "plot_operations", "plot_plane", "plot_range", "plot_sparsity"]

BLUE, ORANGE, GREY = "#1d5fa8", "#a3481a", "#5b6b7f"  # told apart also without colour vision, and by line style
STYLES = ("-", "--", ":", "-.")


def plot_operations(f: Function, axes: Axes | None = None) -> Axes:
    """Bars of the operations by kind, as they are emitted; beside them those of value and gradient together.

    Parameters
    ----------
    f:
        A Function. The gradient is shown where it has one floating result without dimensions.
    axes:
        Where to draw; new axes by default.
    """
    axes = _axes(axes)
    tables = {"value": operation_table(o.node for o in f.emitted_graph.outputs)}
    if len(f.graph.outputs) == 1 and not f.graph.outputs[0].axes:
        g = value_and_grad(f).emitted_graph
        tables["value and gradient"] = operation_table(o.node for o in g.outputs)
    last = list(tables.values())[-1]
    names = sorted({k for t in tables.values() for k in t}, key=lambda k: (-last.get(k, 0), k))
    height = 0.8 / len(tables)
    for row, ((title, table), colour, hatch) in enumerate(
        zip(tables.items(), (BLUE, ORANGE), ("", "//"), strict=False)
    ):
        places = np.arange(len(names)) + row * height
        counts = [table.get(name, 0) for name in names]
        label = f"{title}: {sum(counts)}"
        axes.barh(
            places, counts, height=height * 0.95, color=colour, hatch=hatch, edgecolor="white", label=label
        )
    axes.set_yticks(np.arange(len(names)) + height * (len(tables) - 1) / 2, names)
    axes.invert_yaxis()
    axes.set_xlabel("operations")
    axes.set_title(f"operations of {f.name}")
    axes.legend()
    return axes


def plot_range(
    f: Function,
    over: str,
    low: float,
    high: float,
    *,
    points: int = 201,
    axes: Axes | None = None,
    **fixed: object,
) -> Axes:
    """The value and its partial derivatives while one input runs through a range.

    Parameters
    ----------
    f:
        A Function of numbers with one result.
    over, low, high, points:
        The input that runs, its range, and how finely.
    axes:
        Where to draw; new axes by default.
    fixed:
        The values of all other inputs.

    Raises
    ------
    SymgraphError
        An input is an array, missing or unknown.
    """
    if over not in f.inputs:
        raise ModelError(f"{f.name} has no input {over}: its inputs are {', '.join(f.inputs)}")
    _needs_numbers(f)
    axes = _axes(axes)
    x = np.linspace(low, high, points)
    value, partials = value_and_grad(f)(**{**fixed, over: x})
    axes.plot(x, np.broadcast_to(value, x.shape), color="black", linewidth=2, label=f.name)
    for k, (name, partial) in enumerate(zip(f.inputs, partials, strict=True)):
        colour = (ORANGE, BLUE, GREY)[k % 3]
        label = f"∂{f.name}/∂{name}"
        axes.plot(
            x, np.broadcast_to(partial, x.shape), color=colour, linestyle=STYLES[(k + 1) % 4], label=label
        )
    axes.set_xlabel(over)
    axes.set_title(", ".join(f"{k} = {v}" for k, v in fixed.items()))
    axes.legend()
    axes.grid(alpha=0.3)
    return axes


def plot_plane(
    f: Function,
    across: tuple[str, float, float],
    up: tuple[str, float, float],
    *,
    points: int = 101,
    arrows: int = 13,
    axes: Axes | None = None,
    **fixed: object,
) -> Axes:
    """The value over a range of two inputs as lines of equal value, and its partial derivatives by them as arrows.

    Parameters
    ----------
    f:
        A Function of numbers with one result.
    across, up:
        The inputs that run, each with its range: ``("x", -2, 2)``.
    points, arrows:
        How finely, along each of them: the value, and the arrows.
    axes:
        Where to draw; new axes by default.
    fixed:
        The values of all other inputs.

    Raises
    ------
    SymgraphError
        An input is an array, missing or unknown.
    """
    for name, _, _ in (across, up):
        if name not in f.inputs:
            raise ModelError(f"{f.name} has no input {name}: its inputs are {', '.join(f.inputs)}")
    _needs_numbers(f)
    axes = _axes(axes)
    fine = np.meshgrid(*(np.linspace(low, high, points) for _, low, high in (across, up)))
    values = np.broadcast_to(f(**{**fixed, across[0]: fine[0], up[0]: fine[1]}), fine[0].shape)
    drawn = axes.contourf(*fine, values, levels=14, cmap="cividis")  # a map that is the same to the colour-blind
    axes.figure.colorbar(drawn, ax=axes, label=f.name)
    coarse = np.meshgrid(*(np.linspace(low, high, arrows) for _, low, high in (across, up)))
    partials = grad(f, (across[0], up[0]))(**{**fixed, across[0]: coarse[0], up[0]: coarse[1]})
    sides = [np.broadcast_to(p, coarse[0].shape) for p in partials]
    axes.quiver(*coarse, *sides, color="white", edgecolor="black", linewidth=0.4, angles="xy", width=0.005)
    axes.set_xlabel(across[0])
    axes.set_ylabel(up[0])
    axes.set_title(", ".join([f"{f.name} and its gradient", *(f"{k} = {v}" for k, v in fixed.items())]))
    return axes


def plot_sparsity(
    f: Function, *arguments: object, order: int = 1, axes: Axes | None = None, **point: object
) -> Axes:
    """The entries of the Jacobian (``order`` 1) or Hessian (2) that are not 0 at a point, as a picture of the matrix.

    The inputs stand one after the other as columns, each flattened; so do the outputs as rows.

    Raises
    ------
    SymgraphError
        The order is neither 1 nor 2, or the point does not fit the inputs.
    """
    if order not in (1, 2):
        raise ModelError(f"the order of the derivative is {order!r}, expected 1 (Jacobian) or 2 (Hessian)")
    axes = _axes(axes)
    matrix = _jacobian(f, arguments, point) if order == 1 else _hessian(f, arguments, point)
    axes.spy(matrix != 0, markersize=max(1.0, min(8.0, 300 / max(matrix.shape))), color=BLUE)
    filled = np.count_nonzero(matrix)
    axes.set_title(f"{('Jacobian', 'Hessian')[order - 1]} of {f.name}: {filled} of {matrix.size}")
    return axes


def plot_error(
    f: Function,
    over: str,
    low: float,
    high: float,
    *,
    points: int = 400,
    axes: Axes | None = None,
    **fixed: object,
) -> Axes:
    """The error of the compiled kernel over a range of one input, in units in the last place of the exact result.

    Exact values and units are those of :func:`symgraph.accuracy`: evaluated by mpmath with more and more digits until
    two precisions agree. Several results have a colour each. Points outside of the domain are left out.

    Raises
    ------
    SymgraphError
        The function has array inputs, or no point of the range lies in its domain.
    """
    from ..accuracy.truth import settled_outputs
    from ..accuracy.ulps import FORMATS, ulp_error

    _needs_numbers(f)
    axes = _axes(axes)
    x = np.linspace(low, high, points)
    arguments = [x if name == over else fixed[name] for name in f.inputs]
    with np.errstate(all="ignore"):
        found = [np.broadcast_to(r, x.shape) for r in _flat(compile(f)(*arguments))]
    errors = np.full((len(found), points), np.nan)
    for place, value in enumerate(x.tolist()):
        exact = settled_outputs(f.graph, [value if name == over else fixed[name] for name in f.inputs])
        for number, true in enumerate(v.item() for v in exact):
            if true - true == 0:
                errors[number, place] = ulp_error(float(found[number][place]), true, FORMATS["float64"])
    if np.isnan(errors).all():
        where = f"no {over} from {low:g} to {high:g} lies in its domain"
        raise ModelError(f"errors of {f.name}: {where}, choose another range")
    names = [o.name for o in f.graph.outputs]
    for k, (name, row) in enumerate(zip(names, errors, strict=True)):
        axes.plot(x, row, ".", markersize=4, color=(BLUE, ORANGE, GREY)[k % 3], label=name)
    if len(names) > 1:
        axes.legend()
    axes.set_xlabel(over)
    axes.set_ylabel("error in ulp")
    axes.set_title(f"{f.name}: at most {np.nanmax(errors):.2f} ulp")
    axes.grid(alpha=0.3)
    return axes


def plot_cost(f: Function, *arguments: object, axes: Axes | None = None, **point: object) -> Axes:
    """The time of one call of the compiled value, of the gradient with it, and what the operation counts would predict.

    Raises
    ------
    SymgraphError
        The function has no gradient, or the point does not fit.
    """
    axes = _axes(axes)
    both = value_and_grad(f)
    bound = f._bound(arguments, point)
    times = [_best_time(compile(g), bound) for g in (f, both)]
    counts = [f.operation_count(), both.operation_count()]
    labels = ["value", "value and gradient"]
    bars = axes.bar(labels, np.array(times) * 1e6, color=[BLUE, ORANGE], width=0.5)
    notes = [f"{t * 1e6:.3g} µs\n{c} operations" for t, c in zip(times, counts, strict=True)]
    axes.bar_label(bars, notes)
    axes.margins(y=0.25)
    axes.set_ylabel("µs a call")
    axes.set_title(f"{f.name}: the gradient costs {times[1] / times[0]:.2g} times the value")
    return axes


def _best_time(kernel: Any, arguments: Sequence[object]) -> float:
    kernel(*arguments)
    best = float("inf")
    for _ in range(5):
        start, count = time.perf_counter(), 0
        while time.perf_counter() - start < 0.01:
            kernel(*arguments)
            count += 1
        best = min(best, (time.perf_counter() - start) / count)
    return best


def _jacobian(f: Function, arguments: Sequence[object], point: dict[str, object]) -> np.ndarray[Any, Any]:
    bound = f._bound(arguments, point)
    blocks = jacobian(f)(*bound)
    rows = blocks if len(f.graph.outputs) > 1 else (blocks,)
    if isinstance(rows, dict):
        rows = tuple(rows.values())
    shapes = [np.shape(v) for v in _flat(f(*bound))]
    lines = []
    for row, shape in zip(rows, shapes, strict=True):
        parts = row if isinstance(row, tuple) else (row,)
        count = int(np.prod(shape, dtype=int))
        lines.append(np.hstack([np.asarray(p).reshape(count, -1) for p in parts]))
    return np.vstack(lines)


def _hessian(f: Function, arguments: Sequence[object], point: dict[str, object]) -> np.ndarray[Any, Any]:
    bound = f._bound(arguments, point)
    blocks = hessian(f)(*bound)
    first = grad(f)(*bound)
    rows = []
    for row, part in zip(blocks, first, strict=True):
        rows.append(np.hstack([np.asarray(b).reshape(np.size(part), -1) for b in row]))
    return np.vstack(rows)


def _flat(result: Any) -> list[Any]:
    if isinstance(result, dict):
        return [leaf for part in result.values() for leaf in _flat(part)]
    return [leaf for part in result for leaf in _flat(part)] if isinstance(result, tuple) else [result]


def _needs_numbers(f: Function) -> None:
    for node in f.graph.inputs:
        if node.axes:
            raise ModelError(
                f"input {node.data} of {f.name} is an array, expected numbers: a range is of one number"
            )


def _axes(axes: Axes | None) -> Axes:
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'symgraph[viz]'") from None
    return pyplot.subplots(layout="constrained")[1]
