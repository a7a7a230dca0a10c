"""Gradient descent on y = W*x + b with mean squared error: three lines of update rule, the gradient from symgraph."""

from __future__ import annotations

import numpy as np
import sympy as sp

import symgraph as sg


def main() -> None:
    """Fit a line to points that lie on y = 3*x - 1 up to noise, and compare with the solution in closed form."""
    i = sp.Symbol("i", integer=True)
    n = sp.Symbol("n", integer=True, positive=True)
    W, b = sp.symbols("W b")
    x, y = sp.IndexedBase("x", shape=(n,)), sp.IndexedBase("y", shape=(n,))
    loss = sg.function(sp.Sum((W * x[i] + b - y[i]) ** 2, (i, 0, n - 1)) / n, inputs=[W, b, x, y], name="line")
    step = sg.compile(sg.value_and_grad(loss, wrt=["W", "b"]))

    random = np.random.default_rng(1)
    points = random.uniform(-1, 1, 200)
    targets = 3 * points - 1 + 0.1 * random.normal(size=200)
    slope, offset, rate = 0.0, 0.0, 0.1
    for epoch in range(501):
        value, (by_slope, by_offset) = step(slope, offset, points, targets)
        if epoch % 100 == 0:
            print(f"step {epoch:3d}: loss {value:.8f}, W {slope:.6f}, b {offset:.6f}")
        slope, offset = slope - rate * by_slope, offset - rate * by_offset

    exact = np.polyfit(points, targets, 1)
    print(f"closed form: W {exact[0]:.6f}, b {exact[1]:.6f}")
    assert np.allclose([slope, offset], exact, rtol=1e-8)


if __name__ == "__main__":
    main()
