"""From a formula to its compiled gradient: two variables first, then a model with a sum over data."""

from __future__ import annotations

import numpy as np
import sympy as sp

import symgraph as sg
from models import X, b, logistic, rate, t, w


def formula() -> None:
    """(x + y)*z: one call gives the value and the three partial derivatives."""
    x, y, z = sp.symbols("x y z")
    f = sg.function((x + y) * z, inputs=[x, y, z], name="product")
    kernel = sg.compile(sg.value_and_grad(f))
    value, gradient = kernel(1.0, 3.0, -3.0)
    print(f"(x + y)*z at (1, 3, -3): value {value:g}, gradient {', '.join(f'{g:g}' for g in gradient)}")
    values, _ = kernel(np.linspace(0, 1, 5), 3.0, -3.0)
    print(f"the same for five x at once: {values}")


def model() -> None:
    """Logistic regression: the loop over the rows stays a loop, and the kernel takes any number of rows."""
    loss = sg.function(logistic, inputs=[w, b, X, t, rate], name="logistic")
    kernel = sg.compile(sg.value_and_grad(loss, wrt=["w", "b"]))

    random = np.random.default_rng(0)
    data = random.normal(size=(1000, 4))
    labels = np.where(data @ [1.0, -2.0, 0.5, 0.0] + random.normal(size=1000) > 0, 1.0, -1.0)
    weights, offset = random.normal(size=4), 0.3
    value, (by_w, by_b) = kernel(weights, offset, data, labels, 1.0)
    print(f"logistic loss of 1000 rows: {value:.10f}")
    print(f"gradient by w: {by_w}, by b: {by_b:.8f}")

    step = 1e-5
    shifts = step * np.eye(4)
    up = [kernel(weights + shift, offset, data, labels, 1.0)[0] for shift in shifts]
    down = [kernel(weights - shift, offset, data, labels, 1.0)[0] for shift in shifts]
    differences = (np.array(up) - np.array(down)) / (2 * step)
    error = np.max(np.abs(differences - by_w)) / np.max(np.abs(by_w))
    print(f"largest difference to central differences, relative to the gradient: {error:.1e}")
    assert error < 1e-8


if __name__ == "__main__":
    formula()
    model()
