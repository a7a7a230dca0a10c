"""The Rosenbrock function in n dimensions, as one sum."""

from __future__ import annotations

from itertools import pairwise

import sympy as sp

import symgraph as sg

__all__ = ["rosenbrock", "rosenbrock_written_out"]


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


def rosenbrock_written_out(size: int) -> sg.Function:
    """The same with every term written out, over one array of symbols.

    Examples
    --------
    >>> rosenbrock_written_out(10).inputs
    ('x',)
    """
    symbols = sp.symbols(f"x0:{size}", real=True)
    terms = [100 * (b - a**2) ** 2 + (1 - a) ** 2 for a, b in pairwise(symbols)]
    return sg.function(sp.Add(*terms), inputs={"x": sp.Array(symbols)}, name="rosenbrock")
