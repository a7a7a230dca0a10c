"""Plots: the numbers in them are those of the function."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib
import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph.explore.plots import (
    plot_cost,
    plot_error,
    plot_operations,
    plot_plane,
    plot_range,
    plot_sparsity,
)
from tests.explore.models import literature, ridge, ridge_point, small

matplotlib.use("agg")
from matplotlib import pyplot

x, y, z = sp.symbols("x y z")
SMALL_VALUE = sp.sin(x * y) / z**2 + sp.cos(x * y) + sp.sqrt(x**2 + y**2) * sp.tanh(z)


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def test_operations_are_those_that_are_counted() -> None:
    axes = plot_operations(literature())
    total = sum(bar.get_width() for bars in axes.containers[:1] for bar in bars)
    assert total == literature().operation_count() == 2


def test_a_range_shows_value_and_partials() -> None:
    axes = plot_range(small(), "x", -2.0, 2.0, points=5, y=-1.3, z=1.9)
    labels = [line.get_label() for line in axes.lines]
    assert labels == ["h", "∂h/∂x", "∂h/∂y", "∂h/∂z"]
    value, (by_x, *_) = sg.value_and_grad(small())(np.linspace(-2, 2, 5), -1.3, 1.9)
    assert np.allclose(axes.lines[0].get_ydata(), value) and np.allclose(axes.lines[1].get_ydata(), by_x)


def test_a_plane_shows_value_and_gradient() -> None:
    axes = plot_plane(small(), ("x", -1.0, 1.0), ("y", -2.0, 2.0), points=9, arrows=3, z=1.9)
    arrows = next(c for c in axes.collections if hasattr(c, "U"))
    across, up = np.meshgrid([-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0])
    exact = [[float(sp.diff(SMALL_VALUE, by).subs({x: p, y: q, z: 1.9}).evalf()) if (p, q) != (0, 0) else None
              for p, q in zip(across.ravel(), up.ravel(), strict=True)] for by in (x, y)]  # fmt: skip
    for drawn, wanted in zip((arrows.U, arrows.V), exact, strict=True):
        pairs = [(d, w) for d, w in zip(np.ravel(drawn), wanted, strict=True) if w is not None]
        assert len(pairs) == 8 and all(abs(d - w) < 1e-12 for d, w in pairs)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x", "y")


def test_sparsity_of_a_ring() -> None:
    v = sp.symbols("v:5")
    ring = sg.function([v[i] * v[(i + 1) % 5] for i in range(5)], list(v))
    assert plot_sparsity(ring, 1, 2, 3, 4, 5).get_title().endswith("10 of 25")
    assert plot_sparsity(sg.function(x**2, [x]), 3.0, order=2).get_title().endswith("1 of 1")
    assert "of 529" in plot_sparsity(ridge(), order=2, **ridge_point()).get_title()


def test_errors_are_small_where_the_functions_are_good() -> None:
    axes = plot_error(sg.function(sp.exp(x), [x]), "x", -1.0, 1.0, points=25)
    errors = np.asarray(axes.lines[0].get_ydata(), dtype=float)
    assert len(errors) == 25 and errors.max() < 4


def test_cost_has_a_bar_for_each() -> None:
    assert len(plot_cost(ridge(), **ridge_point()).containers[0]) == 2


def test_wrong_requests_are_named() -> None:
    with pytest.raises(sg.errors.ModelError, match="no input q"):
        plot_range(small(), "q", 0, 1, x=1, y=1, z=1)
    with pytest.raises(sg.errors.ModelError, match="w of loss is an array"):
        plot_range(ridge(), "w", 0, 1)
    with pytest.raises(sg.errors.ModelError, match="expected 1"):
        plot_sparsity(small(), 1, 2, 3, order=3)


def test_errors_of_several_results_where_they_exist() -> None:
    a = sp.Symbol("a")
    f = sg.value_and_grad(sg.function(sp.sqrt(x) + a, [x, a]), "x")
    axes = plot_error(f, "x", -1.0, 2.0, points=31, a=0.25)
    value, slope = (line.get_ydata() for line in axes.lines)
    assert np.isnan(value[:10]).all() and np.isnan(slope[:10]).all() and np.isfinite(value[11:]).all()
    assert np.nanmax(value) <= 2 and np.nanmax(slope) <= 2
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list(f.outputs)
    with pytest.raises(sg.errors.ModelError, match="no x from -2 to -1 lies in its domain"):
        plot_error(f, "x", -2.0, -1.0, points=5, a=0.25)
