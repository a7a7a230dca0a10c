"""Piecewise, ITE, comparisons and logic."""

from __future__ import annotations

import itertools
import math

import pytest
import sympy as sp

from symgraph.capture import capture
from symgraph.interpret import evaluate

from .evaluation import value

x, y, z = sp.symbols("x y z", real=True)
POINTS = [-1.5, 0.0, 0.5, 1.0, 2.0]


@pytest.mark.parametrize("relation", [sp.Lt, sp.Le, sp.Gt, sp.Ge, sp.Eq, sp.Ne])
def test_relations(relation: type) -> None:
    graph, _ = capture(relation(x, y), [x, y])
    for left, right in itertools.product(POINTS, POINTS):
        assert bool(evaluate(graph, [left, right])[0]) is bool(relation(sp.Float(left), sp.Float(right)))


@pytest.mark.parametrize(
    "condition",
    [
        sp.And(x > 0, y > 0, z > 0),
        sp.Or(x > 0, y > 0, z > 0),
        sp.Not(sp.Or(x > 0, sp.And(y > 0, z > 0))),
        sp.Xor(x > 0, y > 0, z > 0),
        sp.Implies(x > 0, y > 0),
        sp.Equivalent(x > 0, y > 0, z > 0),
        sp.Nand(x > 0, y > 0),
        sp.Nor(x > 0, y > 0),
        sp.ITE(x > 0, y > 0, z > 0),
        sp.Eq(x > 0, y > 0),
    ],
    ids=str,
)
def test_logic(condition: sp.Basic) -> None:
    graph, _ = capture(condition, [x, y, z])
    for signs in itertools.product([-1.0, 1.0], repeat=3):
        expected = condition.subs(dict(zip((x, y, z), signs, strict=True)))
        assert bool(evaluate(graph, list(signs))[0]) is bool(expected), signs


def test_the_first_condition_that_holds_decides() -> None:
    steps = sp.Piecewise((1, x < 0), (2, x < 1), (3, x < 2), (4, True), evaluate=False)
    assert [value(steps, p) for p in POINTS] == [1, 2, 2, 3, 4]


def test_without_a_default_the_value_is_undefined() -> None:
    partial = sp.Piecewise((x**2, x > 1))
    assert value(partial, 2.0) == 4.0
    assert math.isnan(value(partial, 0.0))
    constant = sp.Piecewise((1, x > 1))
    assert value(constant, 2.0) == 1.0
    assert math.isnan(value(constant, 0.0))


def test_a_branch_that_is_not_taken_does_not_count() -> None:
    safe = sp.Piecewise((1 / x, x > 0), (sp.log(-x), x < 0), (0, True))
    assert [value(safe, p) for p in (2.0, -1.0, 0.0)] == [0.5, 0.0, 0.0]


def test_a_switch_is_true_where_it_is_not_zero() -> None:
    count = sp.Symbol("count", integer=True)
    chosen = sp.Piecewise((x, sp.Ne(count, 0)), (y, True))
    assert value(chosen, 0, 1.0, 2.0, inputs=[count, x, y]) == 2.0


def test_one_and_true_are_not_mixed_up() -> None:
    numbers = sp.Piecewise((1, x > 0), (0, True))
    truths = sp.ITE(x > 0, sp.true, sp.false)
    graph, _ = capture([numbers, truths], [x])
    assert [o.node.dtype.name for o in graph.outputs] == ["INTEGER", "BOOLEAN"]


def test_a_piecewise_in_a_sum_depends_on_its_index() -> None:
    n, i = sp.Symbol("n", integer=True, positive=True), sp.Symbol("i", integer=True)
    u = sp.IndexedBase("u", shape=(n,))
    total = sp.Sum(sp.Piecewise((u[i], sp.Eq(sp.Mod(i, 2), 0)), (-u[i], True)), (i, 0, n - 1))
    assert value(total, [1.0, 2.0, 4.0, 8.0]) == 1 - 2 + 4 - 8
