"""The Rosenbrock function in n dimensions, as one sum."""

from __future__ import annotations

import sympy as sp

import symgraph as sg

__all__ = ["rosenbrock"]


def rosenbrock(size: int | None = None) -> sg.Function:
    """The sum over i of 100 (x[i+1] - x[i]**2)**2 + (1 - x[i])**2, a Function of x (n).

    Parameters
    ----------
    size:
        A fixed n, or None for one kernel that serves every n.

    Examples
    --------
    >>> rosenbrock(10).inputs
    ('x',)
    """
    i = sp.Symbol("i", integer=True)
    n = sp.Symbol("n", integer=True, positive=True) if size is None else sp.Integer(size)
    x = sp.IndexedBase("x", shape=(n,), real=True)
    term = 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return sg.function(sp.Sum(term, (i, 0, n - 2)), inputs=[x], name="rosenbrock")
