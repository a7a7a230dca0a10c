"""Kernels that several tests call, compiled once in a session."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sympy as sp

import symgraph as sg

Kernels = Callable[..., sg.Kernel]
x, y, z = sp.symbols("x y z")
i, j = sp.symbols("i j", integer=True)
n, d = sp.symbols("n d", integer=True, positive=True)
X, w, t = sp.IndexedBase("X", shape=(n, d)), sp.IndexedBase("w", shape=(d,)), sp.IndexedBase("t", shape=(n,))


def regression() -> sg.Function:
    """Value and gradient of a least-squares loss over arrays X[n, d], w[d] and t[n]."""
    residual = sp.Sum(X[i, j] * w[j], (j, 0, d - 1)) - t[i]
    loss = sp.Sum(residual**2, (i, 0, n - 1)) / n
    return sg.value_and_grad(sg.function(loss, inputs=[X, w, t], name="regression"), wrt="w")


def textbook() -> sg.Function:
    """(x + y)*z + exp(x) with its gradient: three scalars, four results in a nested structure."""
    return sg.value_and_grad(sg.function((x + y) * z + sp.exp(x), inputs=[x, y, z], name="textbook"))


MODELS = {
    "textbook": textbook,
    "regression": regression,
    "mixed": lambda: sg.function(
        sp.Piecewise((x * y, x < 0), (sp.sqrt(x) / (1 + y**2) - sp.Max(x, y), True)), inputs=[x, y], name="mixed"
    ),
    "add": lambda: sg.function(x + y, inputs=[x, y], name="add"),
    "gaussian": lambda: sg.function(sp.exp(-(x**2)), inputs=[x], name="gaussian"),
}


@pytest.fixture(scope="session")
def kernels() -> Kernels:
    """Get a kernel of ``MODELS`` by name, with options of ``symgraph.compile``."""
    made: dict[tuple[object, ...], sg.Kernel] = {}

    def kernel(name: str, **options: object) -> sg.Kernel:
        key = (name, *sorted(options.items()))
        if key not in made:
            made[key] = sg.compile(MODELS[name](), **options)  # type: ignore[arg-type]
        return made[key]

    return kernel
