"""Multibody systems M(q) a = F(q, u): accelerations and their gradients without inverting M symbolically.

With r(s, a) = M(s) a - F(s), where s holds the state, forces and parameters, the accelerations solve r = 0, and by
implicit differentiation da/ds = -M**-1 dr/ds at the solution. The derivatives of r are symgraph's, the two solves
are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

import symgraph as sg

from .corpora import Item
from .traced import merge

__all__ = ["accelerations", "balance", "energies", "pendulum", "system"]

Array = NDArray[np.float64]


def _mass_matrix(item: Item, symbols: dict[str, sp.Symbol]) -> sp.Matrix:
    size = item.info["n"]
    return sp.Matrix(size, size, lambda i, j: item.formula(f"M_{min(i, j)}_{max(i, j)}", symbols))


def balance(item: Item) -> tuple[sg.Function, sg.Function]:
    """Two Functions of the item's inputs (and the accelerations ``a`` (n) for the second): (M, F) and r = M a - F."""
    symbols = item.symbols()
    size = item.info["n"]
    inputs = list(symbols.values())
    mass = _mass_matrix(item, symbols)
    force = sp.Array([item.formula(f"F_{i}", symbols) for i in range(size)])
    a = sp.IndexedBase("a", shape=(size,), real=True)
    rest = sp.Array([sp.Add(*(mass[i, j] * a[j] for j in range(size))) - force[i] for i in range(size)])
    return (
        sg.function((mass, force), inputs=inputs, name=item.name),
        sg.function(rest, inputs=[*inputs, a], name=f"{item.name}_balance"),
    )


def system(item: Item) -> tuple[sg.Function, sg.Function]:
    """(M, F) and dr/ds for every input s of the item: all that accelerations and their gradients need."""
    matrices, rest = balance(item)
    return matrices, sg.jacobian(rest, wrt=item.inputs)


def accelerations(
    matrices: Callable[..., Any], partials: Callable[..., Any], state: tuple[float, ...]
) -> tuple[Array, Array]:
    """Accelerations (n) and their Jacobian by every input (n, number of inputs) at one state."""
    mass, force = matrices(*state)
    a = np.linalg.solve(mass, force)
    slopes = np.stack(partials(*state, a), axis=1)
    return a, -np.linalg.solve(mass, slopes)


def energies(item: Item) -> sg.Function:
    """Gradient of the kinetic energy T, and of the total T + V, by every input."""
    symbols = item.symbols()
    inputs = list(symbols.values())
    kinetic, total = item.formula("T", symbols), item.formula("T", symbols) + item.formula("V", symbols)
    return merge(
        [sg.value_and_grad(sg.function(e, inputs=inputs, name=n)) for n, e in (("T", kinetic), ("E", total))]
    )


def pendulum(links: int) -> tuple[sg.Function, list[str]]:
    """r = M a - F of a planar pendulum of ``links`` point masses on rods, unrolled, and the names of its inputs.

    Angles q are measured from the downward vertical.
    """
    q, u, m, length = (sp.symbols(f"{name}0:{links}", real=True) for name in ("q", "u", "m", "l"))
    g = sp.Symbol("g", positive=True)
    a = sp.IndexedBase("a", shape=(links,), real=True)
    below = [sp.Add(*m[i:]) for i in range(links)]
    rest = []
    for i in range(links):
        terms = [g * below[i] * length[i] * sp.sin(q[i])]
        for j in range(links):
            moment = below[max(i, j)] * length[i] * length[j]
            terms.append(moment * (sp.cos(q[i] - q[j]) * a[j] + sp.sin(q[i] - q[j]) * u[j] ** 2))
        rest.append(sp.Add(*terms))
    inputs = [*q, *u, *m, *length, g]
    return sg.function(sp.Array(rest), inputs=[*inputs, a], name=f"pendulum_{links}"), [s.name for s in inputs]
