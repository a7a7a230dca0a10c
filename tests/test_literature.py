"""Worked examples from the literature on computation graphs: the numbers are those that it prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sympy as sp

import symgraph as sg

x, y, z, W, b, target = sp.symbols("x y z W b target")

# How a Function is run: by the interpreter, or compiled.
Runner = Callable[[sg.Function], Callable[..., Any]]
RUNNERS: dict[str, Runner] = {"interpreted": lambda f: f, "compiled": sg.compile}
both = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS.keys())


def test_product_node_by_node() -> None:
    """g = p*z with p = x + y at (1, 3, -3): values forward, adjoints backward, in topological order."""
    f = sg.function((x + y) * z, inputs=[x, y, z], name="g")
    steps = list(f.steps(1.0, 3.0, -3.0, adjoint=True))
    assert [(float(step.value), float(step.adjoint)) for step in steps] == [
        (1.0, -3.0),  # x
        (3.0, -3.0),  # y
        (-3.0, 4.0),  # z
        (4.0, -3.0),  # p = x + y
        (-12.0, 1.0),  # g = p*z
    ]
    position = {step.node: index for index, step in enumerate(steps)}
    for step in steps:
        assert all(position[argument] < position[step.node] for argument in step.node.args)


@both
def test_product(run: Runner) -> None:
    f = sg.function((x + y) * z, inputs=[x, y, z])
    assert run(sg.value_and_grad(f))(1.0, 3.0, -3.0) == (-12.0, (-3.0, -3.0, 4.0))


@both
def test_polynomial(run: Runner) -> None:
    f = sg.function(x**2 + 2 * x + 1, inputs=[x])
    assert run(sg.value_and_grad(f, wrt=x))(3.0) == (16.0, 8.0)


def line_loss() -> sg.Function:
    return sg.function((W * x + b - target) ** 2, inputs=[W, b, x, target], name="loss")


@both
def test_line_with_squared_error(run: Runner) -> None:
    assert run(sg.value_and_grad(line_loss(), wrt=["W", "b"]))(2.0, 1.0, 1.0, 2.0) == (1.0, (2.0, 2.0))


@both
def test_mean_squared_error_over_data(run: Runner) -> None:
    """The same as a mean over rows: with one row, and with the row repeated, the numbers stay."""
    i, n = sp.Symbol("i", integer=True), sp.Symbol("n", integer=True, positive=True)
    inputs, targets = sp.IndexedBase("x", shape=(n,)), sp.IndexedBase("t", shape=(n,))
    mean = sp.Sum((W * inputs[i] + b - targets[i]) ** 2, (i, 0, n - 1)) / n
    kernel = run(sg.value_and_grad(sg.function(mean, inputs=[W, b, inputs, targets]), wrt=["W", "b"]))
    for count in (1, 4):
        assert kernel(2.0, 1.0, [1.0] * count, [2.0] * count) == (1.0, (2.0, 2.0))


@both
def test_three_steps_of_gradient_descent(run: Runner) -> None:
    """Each step of rate 0.01 scales the residual by 1 - 0.01*2*(x**2 + 1) = 0.96."""
    kernel = run(sg.value_and_grad(line_loss(), wrt=["W", "b"]))
    slope, offset, losses = 2.0, 1.0, []
    for _ in range(3):
        value, (by_slope, by_offset) = kernel(slope, offset, 1.0, 2.0)
        losses.append(value)
        slope, offset = slope - 0.01 * by_slope, offset - 0.01 * by_offset
    assert losses == pytest.approx([1.0, 0.9216, 0.84934656], rel=1e-14)
    assert (slope, offset) == pytest.approx((1.942368, 0.942368), rel=1e-14)
    assert kernel(slope, offset, 1.0, 2.0)[0] == pytest.approx(0.782757789696, rel=1e-13)
