"""Moré-Garbow-Hillstrom: objectives with loops where the collection has them, and minimisation with their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from scipy.optimize import minimize

import symgraph as sg

from .corpora import Item
from .traced import merge

__all__ = ["Run", "by_hand", "data", "descend", "objective", "packed", "reached"]

Array = NDArray[np.float64]
# its inner sum runs from Max(0, i - 5): bounds of sums are affine
_FLAT = frozenset({"broyden_banded_10"})
Objective = Callable[[Array], tuple[float, Array]]  # x to value and gradient


@dataclass(frozen=True)
class Run:
    """Where a minimisation ended: value, norm of the gradient, evaluations."""

    value: float
    slope: float
    evaluations: int


def objective(item: Item, suffix: str = "") -> sg.Function:
    """The sum of squares as a Function of ``x`` (n) and of the item's data arrays, their names with a suffix.

    In index notation where the collection states one: loops then stay loops, and one Function serves every n.
    """
    indexed = item.info.get("indexed")
    if indexed is None or item.name in _FLAT:
        x = sp.IndexedBase(f"x{suffix}", shape=(len(item.inputs),), real=True)
        formula = item.formula("f", {name: x[k] for k, name in enumerate(item.inputs)})
        return sg.function(formula, inputs=[x], name=item.name)
    # a size that no array has is a number
    measured = {text for shape in indexed["arrays"].values() for text in shape}
    names: dict[str, Any] = {
        size: sp.Symbol(f"{size}{suffix}", integer=True, positive=True) if size in measured else sp.Integer(number)
        for size, number in indexed["sizes"].items()
    }
    names |= {index: sp.Symbol(index, integer=True) for index in indexed["indices"]}
    arrays = {
        array: sp.IndexedBase(f"{array}{suffix}", shape=tuple(names[text] for text in shape), real=True)
        for array, shape in indexed["arrays"].items()
    }
    names |= arrays
    for name, text in indexed.get("defs", ()):
        names[name] = sp.parse_expr(text, local_dict=names)
    formula = sp.parse_expr(indexed["expr"], local_dict=names)
    return sg.function(formula, inputs=list(arrays.values()), name=item.name)


def data(item: Item) -> list[Array]:
    """The data arrays after x, in the order of the inputs of :func:`objective`."""
    arrays = item.info.get("indexed", {}).get("arrays", {"x": []})
    return [np.array(item.info["data"][name], dtype=float) for name in arrays if name != "x"]


def packed(items: Sequence[Item]) -> sg.Function:
    """(value, gradient by x) of every item in one Function of all their arrays, one after another."""
    functions = []
    for number, item in enumerate(items):
        function = objective(item, f"_{number}")
        functions.append(sg.value_and_grad(function, wrt=f"x_{number}"))
    return merge(functions, "mgh")


def by_hand(item: Item) -> Objective:
    """The same without symgraph: SymPy's derivatives of the residuals through ``lambdify``, g = 2 J^T r."""
    symbols = item.symbols()
    residuals = [item.formula(name, symbols) for name in item.outputs if name != "f"]
    inputs = list(symbols.values())
    # a step has derivative 0 beside its edge
    slopes = [[r.diff(x).replace(sp.DiracDelta, lambda *_: sp.Integer(0)) for x in inputs] for r in residuals]
    call = sp.lambdify(inputs, [residuals, slopes], "numpy", cse=True)

    def value_and_gradient(x: Array) -> tuple[float, Array]:
        values, rows = (np.array(part, dtype=float) for part in call(*x))
        return float(values @ values), 2 * rows.T @ values

    return value_and_gradient


def descend(item: Item, function: Objective, method: str = "BFGS") -> Run:
    """Minimise from the published start with ``scipy.optimize.minimize``, as long as steps make progress."""
    with np.errstate(all="ignore"):  # a trial step may overflow; the line search then takes a shorter one
        x = np.array(item.info["start"], dtype=float)
        evaluations = 0
        best = np.inf
        for _ in range(20):  # a line search that fails for want of digits starts again without its memory
            if "valid for 0 < x < 1" in item.info.get("note", ""):  # steps outside would end in nan
                inside = [(1e-6, 1 - 1e-6)] * len(x)
                options = {"gtol": 1e-10, "ftol": 1e-16, "maxiter": 5000}
                result = minimize(function, x, jac=True, method="L-BFGS-B", bounds=inside, options=options)
            else:
                result = minimize(function, x, jac=True, method=method, options={"gtol": 1e-10, "maxiter": 5000})
            evaluations += result.nfev
            if not result.fun < best * (1 - 1e-9):
                break
            best, x = float(result.fun), result.x
    value, gradient = function(x)
    return Run(float(value), float(np.abs(gradient).max()), evaluations)


def reached(item: Item, run: Run) -> bool:
    """Whether the value is that of one of the published minima.

    To 6 digits; a minimum of 0 counts as reached below 1e-10 of the value at the start (or 1e-12).
    """
    start = next(point for point in item.points if point.label == "start").out["f"]["d0"]
    zero = max(1e-12, 1e-10 * abs(start)) if start < 1e10 else 1e-6
    return any(
        abs(run.value - m["f"]) <= (1e-6 * abs(m["f"]) if m["f"] else zero) for m in item.info["minima"]
    )
