"""Functions that the tests of pictures look at: of 5, 15, 60, 600 and 10,000 values, and one with sums over data."""

from __future__ import annotations

import numpy as np
import sympy as sp

import symgraph as sg
from symgraph.graph import Graph, Output
from symgraph.node import Node, constant, input_node
from symgraph.ops import apply_op

__all__ = ["LITERATURE", "SMALL", "layered", "literature", "ridge", "ridge_point", "small"]

x, y, z = sp.symbols("x y z")
LITERATURE = {"x": 1.0, "y": 3.0, "z": -3.0}
SMALL = {"x": 0.7, "y": -1.3, "z": 1.9}


def literature() -> sg.Function:
    """g = (x + y)*z, with whose graph the literature begins."""
    return sg.function((x + y) * z, [x, y, z], name="g")


def small() -> sg.Function:
    """Fifteen values, two of them shared."""
    value = sp.sin(x * y) / z**2 + sp.cos(x * y) + sp.sqrt(x**2 + y**2) * sp.tanh(z)
    return sg.function(value, [x, y, z], name="h")


def ridge() -> sg.Function:
    """A linear model with squared error and penalty, over data of any size."""
    i, j = sp.symbols("i j", integer=True)
    n, d = sp.symbols("n d", integer=True, positive=True)
    X, w, t = (
        sp.IndexedBase("X", shape=(n, d)),
        sp.IndexedBase("w", shape=(d,)),
        sp.IndexedBase("t", shape=(n,)),
    )
    residual = sp.Sum(X[i, j] * w[j], (j, 0, d - 1)) - t[i]
    loss = sp.Sum(residual**2, (i, 0, n - 1)) / n + sp.Sum(w[j] ** 2, (j, 0, d - 1)) / 2
    return sg.function(loss, [w, X, t], name="loss")


def ridge_point() -> dict[str, np.ndarray]:
    """Arguments of :func:`ridge`."""
    generator = np.random.default_rng(1)
    return {"w": generator.normal(size=3), "X": generator.normal(size=(5, 3)), "t": generator.normal(size=5)}


def layered(width: int, depth: int) -> tuple[sg.Function, dict[str, float]]:
    """About width*depth*4 values: layers of tanh(a*u + b*v) of neighbours in the layer before."""
    inputs = [input_node(f"u{k}") for k in range(width)]
    weights = [input_node("a"), input_node("b")]
    layer: list[Node] = inputs
    for _ in range(depth):
        a, b = weights
        sums = [
            apply_op("add", apply_op("mul", a, layer[k]), apply_op("mul", b, layer[k - 1]))
            for k in range(width)
        ]
        layer = [apply_op("tanh", s) for s in sums]
    total = apply_op("mul", constant(2), apply_op("add", *layer))
    function = sg.Function(Graph("net", (*inputs, *weights), (Output("total", total),)))
    return function, {**{f"u{k}": 0.1 * (k + 1) for k in range(width)}, "a": 0.8, "b": -0.4}
