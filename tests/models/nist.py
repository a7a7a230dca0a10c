"""NIST StRD nonlinear regression: models, fits by ``scipy.optimize.least_squares``, certified digits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from scipy.optimize import least_squares

import symgraph as sg

from .corpora import Item
from .traced import merge

__all__ = ["Fit", "by_hand", "fit", "model", "objective", "packed", "parameters", "with_gradient"]

Array = NDArray[np.float64]
# (parameters, predictor) to the values and the Jacobian (rows of data, parameters)
Curve = Callable[[Sequence[float], Array], tuple[Array, Array]]


def parameters(item: Item) -> tuple[str, ...]:
    """The names of the parameters that are fitted: b1, b2, ..."""
    return item.inputs[:-1]


def model(item: Item) -> sg.Function:
    """The curve as a Function of the parameters and the predictor x."""
    symbols = item.symbols()
    return sg.function(item.formula("model", symbols), inputs=list(symbols.values()), name=item.name)


def with_gradient(item: Item) -> sg.Function:
    """Value and partials by every parameter: what a fit needs of each row of data."""
    return sg.value_and_grad(model(item), wrt=parameters(item))


def packed(items: Sequence[Item]) -> sg.Function:
    """All curves as one Function of one parameter array and one predictor: (values, partials by every parameter).

    No two curves have a parameter in common, so that the gradient of the sum of all is that of each.
    """
    b = sp.IndexedBase("b", shape=(sum(len(parameters(item)) for item in items),), real=True)
    x = sp.Symbol("x", real=True)
    values = []
    start = 0
    for item in items:
        entries: dict[str, Any] = {name: b[start + k] for k, name in enumerate(parameters(item))}
        values.append(item.formula("model", {**entries, item.inputs[-1]: x}))
        start += len(entries)
    each = sg.function(sp.Array(values), inputs=[b, x], name="curves")
    total = sg.function(sp.Add(*values, evaluate=False), inputs=[b, x], name="total")
    return merge([each, sg.grad(total, "b")], "curves")


def objective(item: Item) -> sg.Function:
    """The sum of squared residuals over data arrays y, x (n), a Function of the parameters, y and x."""
    symbols = item.symbols()
    i, n = sp.Symbol("i", integer=True), sp.Symbol("n", integer=True, positive=True)
    y, x = (sp.IndexedBase(name, shape=(n,), real=True) for name in ("y", "x"))
    curve = item.formula("model", {**symbols, item.inputs[-1]: x[i]})
    inputs = [symbols[name] for name in parameters(item)]
    return sg.function(sp.Sum((y[i] - curve) ** 2, (i, 0, n - 1)), inputs=[*inputs, y, x], name=item.name)


def by_hand(item: Item) -> Curve:
    """The same curve and partials without symgraph: SymPy's derivatives through ``lambdify``."""
    symbols = item.symbols()
    formula = item.formula("model", symbols)
    inputs = list(symbols.values())
    call = sp.lambdify(inputs, [formula, *(formula.diff(symbols[p]) for p in parameters(item))], "numpy")

    def curve(values: Sequence[float], x: Array) -> tuple[Array, Array]:
        value, *partials = call(*values, x)
        return np.broadcast_to(value, x.shape), np.stack([np.broadcast_to(p, x.shape) for p in partials], axis=1)

    return curve


@dataclass(frozen=True)
class Fit:
    """One run of the solver: certified digits of the worst parameter (up to 11), and the evaluations it took."""

    digits: float
    evaluations: int


def fit(item: Item, curve: Curve, start: int) -> Fit:
    """Fit by MINPACK's Levenberg-Marquardt from NIST's start 1 or 2, with the Jacobian that ``curve`` gives."""
    columns = item.info["data"]
    x, y = (np.array(columns[name], dtype=float) for name in (item.inputs[-1], "y"))

    def residuals(values: Array) -> Array:
        return curve(values, x)[0] - y

    def jacobian(values: Array) -> Array:
        return curve(values, x)[1]

    with np.errstate(all="ignore"):  # a trial step may overflow; the solver then takes a shorter one
        result = least_squares(
            residuals, item.info[f"start{start}"], jac=jacobian, method="lm",
            x_scale="jac", xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=5000,
        )
    return Fit(certified_digits(result.x, item.info["refined"]), int(result.nfev))


def certified_digits(found: Any, certified: Any) -> float:
    """NIST's log relative error, the least over the parameters, from 0 to 11.

    >>> round(certified_digits([1.001, 2.0], [1.0, 2.0]), 3)
    3.0
    """
    errors = [abs(f - c) / abs(c) for f, c in zip(found, certified, strict=True)]
    worst = max(errors)
    if not math.isfinite(worst):
        return 0.0
    return 11.0 if worst == 0 else min(11.0, max(0.0, -math.log10(worst)))
