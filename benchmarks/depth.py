"""Wide, deep and long expressions: capture, derivation, verification and emission, all without recursion."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

import symgraph as sg
from benchmarks.measure import Figure, main, require, stopwatch
from symgraph.codegen.pipeline import emit
from symgraph.spec import verify
from tests.models import traced

TERMS, NESTING, CHAIN = 12_000, 3_000, 100_000


def figures() -> list[Figure]:
    """Each model is captured, differentiated, verified and emitted under Python's default recursion limit."""
    require(sys.getrecursionlimit() <= 1000, "the recursion limit was raised")
    return [*_measured(f"sum of {TERMS:,} terms", _wide), *_measured(f"nested {NESTING:,} deep", _deep),
            *_measured(f"chain of {CHAIN:,} nodes", _long)]


def _wide() -> tuple[sg.Function, Callable[[], float], float]:
    """sum over k of sin(k x)/k: the slope at x is the sum of cos(k x)."""
    x = sp.Symbol("x", real=True)
    expression = sp.Add(*(sp.sin(k * x) / k for k in range(1, TERMS + 1)))
    point = 0.3
    return _captured(expression, x), lambda: math.fsum(math.cos(k * point) for k in range(1, TERMS + 1)), point


def _deep() -> tuple[sg.Function, Callable[[], float], float]:
    """x -> sin(x) + x/2, over and over."""
    x = sp.Symbol("x", real=True)
    expression = x
    for _ in range(NESTING):
        expression = sp.sin(expression) + x / 2
    point = 0.3

    def slope() -> float:
        value, derivative = point, 1.0
        for _ in range(NESTING):
            value, derivative = math.sin(value) + point / 2, math.cos(value) * derivative + 0.5
        return derivative

    return _captured(expression, x), slope, point


_seconds: dict[str, float] = {}


def _captured(expression: sp.Expr, x: sp.Symbol) -> sg.Function:
    with stopwatch() as seconds:
        function = sg.function(expression, inputs=[x])
    _seconds["capture"] = seconds[0]
    return function


def _long() -> tuple[sg.Function, Callable[[], float], float]:
    """x -> sin(x) + x0, on nodes: every step makes two."""
    point = 0.3

    def formula(values: Any) -> traced.Traced:
        (x,) = values
        result = x
        for _ in range(CHAIN // 2):
            result = traced.sin(result) + x
        return result

    def slope() -> float:
        value, derivative = point, 1.0
        for _ in range(CHAIN // 2):
            value, derivative = math.sin(value) + point, math.cos(value) * derivative + 1
        return derivative

    with stopwatch() as seconds:
        function = traced.traced_function(formula, ["x"])
    _seconds["capture"] = seconds[0]
    return function, slope, point


def _measured(name: str, model: Callable[[], tuple[sg.Function, Callable[[], float], float]]) -> list[Figure]:
    function, slope, point = model()
    found = [Figure(f"{name}: capture", _seconds["capture"], "s")]
    with stopwatch() as seconds:
        gradient = sg.grad(function, "x")
    require(bool(np.isclose(gradient(point), slope(), rtol=1e-9)), f"derivative of the {name}")
    found.append(Figure(f"{name}: derivation", seconds[0], "s"))
    with stopwatch() as seconds:
        verify(gradient.graph)
    found.append(Figure(f"{name}: verification", seconds[0], "s"))
    with stopwatch() as seconds:
        source = emit(gradient.emitted_graph)
    found.append(Figure(f"{name}: emission", seconds[0], "s", note=f"{len(source):,} bytes"))
    return found


if __name__ == "__main__":
    main(figures, "Wide, deep and long expressions")
