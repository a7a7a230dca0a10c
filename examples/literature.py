"""Four graphs that textbooks on automatic differentiation work out by hand, with every number they show."""

from __future__ import annotations

import sympy as sp

import symgraph as sg

SIGNS = {"add": " + ", "mul": "*"}
x, y, z, W, b, target = sp.symbols("x y z W b target")


def product() -> None:
    """g = (x + y)*z at (1, 3, -3), node by node: values forward, adjoints backward."""
    f = sg.function((x + y) * z, inputs=[x, y, z], name="g")
    print("g = (x + y)*z at (1, 3, -3)")
    names: dict[object, str] = {}
    for step in f.steps(1.0, 3.0, -3.0, adjoint=True):
        node = step.node
        parts = SIGNS.get(node.data, "").join(names[argument] for argument in node.args)
        names[node] = f"({parts})" if node.args else node.data
        print(f"  {names[node]:<14} value {float(step.value):5g}   adjoint {float(step.adjoint):3g}")


def polynomial() -> None:
    """y = x**2 + 2*x + 1 at 3."""
    f = sg.function(x**2 + 2 * x + 1, inputs=[x], name="y")
    value, slope = sg.compile(sg.value_and_grad(f, wrt=x))(3.0)
    print(f"y = x**2 + 2*x + 1 at 3: y = {value:g}, dy/dx = {slope:g}")


def line() -> sg.Kernel:
    """Squared error of y = W*x + b at W = 2, b = 1, x = 1, target 2; returns the kernel for the next example."""
    loss = sg.function((W * x + b - target) ** 2, inputs=[W, b, x, target], name="loss")
    kernel = sg.compile(sg.value_and_grad(loss, wrt=[W, b]))
    value, (by_slope, by_offset) = kernel(2.0, 1.0, 1.0, 2.0)
    print(f"(W*x + b - target)**2: loss {value:g}, dloss/dW = {by_slope:g}, dloss/db = {by_offset:g}")
    return kernel


def descent(kernel: sg.Kernel, rate: float = 0.01) -> None:
    """Three steps of gradient descent on the same loss."""
    slope, offset = 2.0, 1.0
    for count in range(4):
        value, (by_slope, by_offset) = kernel(slope, offset, 1.0, 2.0)
        print(f"  after {count} steps: W = {slope:.6f}, b = {offset:.6f}, loss = {value:.8f}")
        slope, offset = slope - rate * by_slope, offset - rate * by_offset


if __name__ == "__main__":
    product()
    polynomial()
    descent(line())
