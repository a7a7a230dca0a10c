"""Sum and Product: bounds of every kind, sharing of axes, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from symgraph.capture import IndexedMaximum, IndexedMinimum, capture
from symgraph.errors import ModelError, UnsupportedError
from symgraph.graph import Graph
from symgraph.node import Kind

from .evaluation import value

i, j, k = sp.symbols("i j k", integer=True)
n, m = sp.symbols("n m", integer=True, positive=True)
x = sp.Symbol("x")
u = sp.IndexedBase("u", shape=(n,))
v = sp.IndexedBase("v", shape=(m,))
X = sp.IndexedBase("X", shape=(n, m))
U = np.array([0.5, -1.25, 2.0, 3.5])
V = np.array([1.5, 0.25, -0.75])
XV = np.arange(12.0).reshape(4, 3) / 7 - 0.5


def axes_of(graph: Graph) -> list[str]:
    """The names of the axes that are reduced, in order of creation, each once."""
    return list(dict.fromkeys(node.data[1].name for node in graph.order if node.kind is Kind.REDUCE))


def test_a_sum_with_symbolic_bounds() -> None:
    assert value(sp.Sum(u[i] ** 2, (i, 0, n - 1)), U) == pytest.approx((U**2).sum(), rel=1e-15)


def test_a_product_with_symbolic_bounds() -> None:
    assert value(sp.Product(u[i], (i, 0, n - 1)), U) == pytest.approx(U.prod(), rel=1e-15)


def test_a_summand_without_the_index_counts_as_often_as_the_range_is_long() -> None:
    assert value([sp.Sum(x, (i, 0, n - 1)), u[0]], U, 0.5, inputs=[u, x])[0] == 2.0
    assert value([sp.Product(x, (i, 0, n - 1)), u[0]], U, 0.5, inputs=[u, x])[0] == 0.5**4


def test_several_limits_are_innermost_first() -> None:
    triangle = sp.Sum(u[i] * sp.sin(u[j]), (j, 0, i), (i, 0, n - 1))
    expected = sum(U[a] * np.sin(U[b]) for a in range(4) for b in range(a + 1))
    assert value(triangle, U) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        (0, i),
        (0, i - 1),
        (i, n - 1),
        (i + 1, n - 1),
        (i - 1, i + 1),
        (0, 2 * i),
        (n - i, n - 1),
        (n - 1 - i, n - 1),
    ],
)
def test_bounds_that_depend_on_an_outer_index(lower: sp.Expr, upper: sp.Expr) -> None:
    total = sp.Sum(sp.Sum((j + 1) * u[i] + j**2, (j, lower, upper)), (i, 0, n - 1))
    bounds = [
        (int(sp.sympify(lower).subs({i: a, n: 4})), int(sp.sympify(upper).subs({i: a, n: 4})))
        for a in range(4)
    ]
    expected = sum(
        (b + 1) * U[a] + b**2 for a, (low, high) in enumerate(bounds) for b in range(low, high + 1)
    )
    assert value(total, U) == pytest.approx(expected, rel=1e-14)


def test_a_product_with_a_dependent_bound_is_one_where_it_is_empty() -> None:
    total = sp.Sum(sp.Product(u[j], (j, 0, i - 1)), (i, 0, n - 1))
    assert value(total, U) == pytest.approx(sum(np.prod(U[:a]) for a in range(4)), rel=1e-14)


def test_three_nested_dependent_bounds() -> None:
    total = sp.Sum(u[i] * u[j] * u[k], (k, 0, j - 1), (j, 0, i - 1), (i, 0, n - 1))
    expected = sum(U[a] * U[b] * U[c] for a in range(4) for b in range(a) for c in range(b))
    assert value(total, U) == pytest.approx(expected, rel=1e-14)


def test_a_range_that_does_not_start_at_zero() -> None:
    assert value(sp.Sum(u[i] * i, (i, 1, n - 2)), U) == pytest.approx(U[1] + 2 * U[2], rel=1e-15)
    assert value(sp.Sum(i**2, (i, 3, 5)), inputs=[]) == 50


@pytest.mark.parametrize("upper", [4, -7])
def test_an_empty_or_reversed_range_gives_the_empty_sum(upper: int) -> None:
    assert value(sp.Sum(i**2, (i, 5, upper)), inputs=[]) == 0
    assert value(sp.Product(i**2 + 1, (i, 5, upper)), inputs=[]) == 1


def test_a_sum_over_an_array_of_no_elements_is_zero() -> None:
    assert value(sp.Sum(u[i], (i, 0, n - 1)), np.zeros(0)) == 0
    assert value(sp.Sum((u[i + 1] - u[i]) ** 2, (i, 0, n - 2)), np.zeros(0)) == 0


def test_the_same_index_in_nested_sums_is_two_indices() -> None:
    nested = sp.Sum(u[i] * sp.Sum(u[i], (i, 0, n - 1)), (i, 0, n - 1))
    assert value(nested, U) == pytest.approx(U.sum() ** 2, rel=1e-14)


def test_the_same_index_in_sums_of_different_ranges() -> None:
    both = sp.Sum(u[i], (i, 0, n - 1)) * sp.Sum(v[i], (i, 0, m - 1)) + sp.Sum(u[i], (i, 1, n - 1))
    assert value(both, U, V) == pytest.approx(U.sum() * V.sum() + U[1:].sum(), rel=1e-14)


def test_equal_ranges_share_an_axis_where_nesting_allows_it() -> None:
    graph, _ = capture(sp.Sum(u[i] ** 2, (i, 0, n - 1)) + sp.Sum(sp.sin(u[j]), (j, 0, n - 1)))
    assert axes_of(graph) == ["i"]
    product, _ = capture(sp.Sum(sp.sin(u[i] * u[j]), (i, 0, n - 1), (j, 0, n - 1)))
    assert len(axes_of(product)) == 2
    triangle, _ = capture(sp.Sum(sp.sin(u[i] * u[j]), (j, 0, i - 1), (i, 0, n - 1)))
    assert sorted(axes_of(triangle)) == ["i", "j"]


def test_equal_sums_are_one_node_whatever_their_index_is_called() -> None:
    graph, _ = capture([sp.Sum(sp.exp(u[i]), (i, 0, n - 1)), sp.Sum(sp.exp(u[j]), (j, 0, n - 1))])
    assert graph.outputs[0].node is graph.outputs[1].node


def test_a_shared_sum_under_an_outer_index_is_captured_once() -> None:
    inner = sp.Sum(X[i, j] * v[j], (j, 0, m - 1))
    graph, _ = capture(sp.Sum(inner**2 + sp.sin(inner), (i, 0, n - 1)))
    assert sum(node.kind is Kind.REDUCE and node.data[1].name == "j" for node in graph.order) == 1


def test_log_of_a_sum_of_exponentials_does_not_overflow() -> None:
    big = np.array([1000.0, 1000.5, -4000.0])
    expected = 1000.5 + np.log1p(np.exp(-0.5))
    assert value(sp.log(sp.Sum(sp.exp(v[j]), (j, 0, m - 1))), big) == pytest.approx(expected, rel=1e-15)
    weighted = sp.log(sp.Sum((j + 1) * sp.exp(v[j]), (j, 0, m - 1)) / m)
    assert value(weighted, big) == pytest.approx(1000.5 + np.log(2 + np.exp(-0.5)) - np.log(3), rel=1e-15)
    none = np.array([-np.inf, -np.inf, -np.inf])
    assert value(sp.log(sp.Sum(sp.exp(v[j]), (j, 0, m - 1))), none) == -np.inf


def test_largest_and_smallest_over_an_index() -> None:
    assert value(IndexedMaximum(u[i] ** 2, (i, 0, n - 1)), U) == 12.25
    assert value(IndexedMinimum(u[i] * v[j], (i, 0, n - 1), (j, 0, m - 1)), U, V) == np.outer(U, V).min()


def test_the_range_of_an_idx_counts() -> None:
    index = sp.Idx("i", n)
    assert value(sp.Sum(u[index], (index, 0, n - 1)), U) == U.sum()


@pytest.mark.parametrize(
    ("expression", "error", "words"),
    [
        (sp.Sum(u[i], (i, 0, sp.oo)), UnsupportedError, ["index i", "infinity"]),
        (sp.Sum(u[j], (j, 0, i**2), (i, 0, n - 1)), UnsupportedError, ["bound i**2", "index j", "affine"]),
        (sp.Sum(x**i, (i, 0, sp.Rational(5, 2))), UnsupportedError, ["5/2", "index i", "not an integer"]),
        (sp.Sum(u[i], (i, 0, n - 1)) + i, ModelError, ["index i", "outside of the sum"]),
        (sp.Sum(u[i], (i, 0, n - 1)) + sp.Symbol("i"), ModelError, ["i", "index"]),
        (sp.Sum(x, (i, 0, k)), ModelError, ["size k", "shape of no argument"]),
        (
            sp.Sum(u[0], (i, 0, n - 1)) + sp.Sum(sp.sin(x * j), (j, 0, u[0])),
            ModelError,
            ["bound", "index j", "u"],
        ),
    ],
)
def test_refused(expression: sp.Expr, error: type[Exception], words: list[str]) -> None:
    with pytest.raises(error) as caught:
        capture(expression)
    for word in words:
        assert word in str(caught.value)


def test_a_summation_index_is_no_input() -> None:
    with pytest.raises(ModelError, match="i is an input and also a summation index"):
        capture(sp.Sum(u[i], (i, 0, n - 1)), inputs=[u, i])
