"""Branches that are not taken: derivatives equal those of the taken branch alone, at the worst points, to second order.

Random expressions of selects, maxima and minima around sqrt, log, division, powers and acos, with shared nodes. The
truth is the same expression with every select replaced by the branch that its condition takes at the point: it has no
branches, so that nothing can leak.
"""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from symgraph import simplify as s
from symgraph.derive.reverse import gradients
from symgraph.graph import Graph, Output, topological_order
from symgraph.interpret import evaluate
from symgraph.node import Kind, Node, constant, input_node
from symgraph.rewrite import copy, rebuild
from symgraph.simplify.nonnegative import is_singular_power

INPUTS = tuple(input_node(name) for name in "xyz")
POINTS = [(0.0, -1.0, 2.0), (-1.0, 0.0, 0.5), (0.7, 0.3, -2.0), (0.0, 0.0, 0.0), (-0.5, 1.5, 1.0), (2.0, -3.0, 0.0)]
HALF = constant(Fraction(1, 2))


def risky(generator: random.Random, node: Node) -> Node:
    match generator.randrange(7):
        case 0:
            return s.power(node, HALF)
        case 1:
            return s.call("log", node)
        case 2:
            return s.power(node, constant(-1))
        case 3:
            return s.power(node, constant(Fraction(3, 2)))
        case 4:
            return s.call("acos", node)
        case 5:
            return s.call("atan2", node, generator.choice(INPUTS))
        case _:
            return s.power(node, constant(Fraction(-1, 2)))


def random_expression(generator: random.Random) -> Node:
    pool: list[Node] = list(INPUTS)
    for _ in range(generator.randint(6, 14)):
        first, second = generator.choice(pool), generator.choice(pool)
        condition = s.compare(generator.choice(["lt", "le"]), *generator.sample([first, second, constant(0)], 2))
        match generator.randrange(8):
            case 0 | 1:
                pool.append(s.select(condition, risky(generator, first), second))
            case 2:
                pool.append(s.select(condition, risky(generator, first), risky(generator, second)))
            case 3:
                pool.append(s.mul(first, second))
            case 4:
                pool.append(s.add(first, s.call("sin", second)))
            case 5:
                pool.append(s.select(condition, s.mul(risky(generator, first), second), constant(1)))
            case 6:
                pool.append(s.call("exp", s.neg(s.call("abs", first))))
            case _:
                pool.append(s.call(generator.choice(["max", "min"]), first, second))
    return pool[-1]


def value(node: Node, point: tuple[float, ...]) -> float:
    return float(evaluate(Graph("f", INPUTS, (Output("o", node),)), point)[0])


def taken(node: Node, point: tuple[float, ...]) -> Node:
    """The expression without branches that agrees with ``node`` around the point (ties are left to the caller)."""
    order = topological_order([node])
    outputs = tuple(Output(f"o{i}", n) for i, n in enumerate(order))
    values = dict(zip(order, evaluate(Graph("f", INPUTS, outputs, tuple(range(len(order)))), point), strict=True))
    done: dict[Node, Node] = {}
    for n in order:
        arguments = tuple(done[a] for a in n.args)
        if n.kind is Kind.ELEMENTWISE and n.data == "select":
            done[n] = arguments[1] if values[n.args[0]] else arguments[2]
        elif n.kind is Kind.ELEMENTWISE and n.data in ("max", "min"):
            hits = [a for a in n.args if values[a] == values[n]]
            done[n] = done[hits[0]] if len(hits) == 1 else n
        else:
            done[n] = copy(n, arguments) if n.args else n
    return done[node]


def compare_with_taken_branch(seed: int) -> int:
    """Compare at every point where the taken branch is smooth; how many points that were."""
    node = random_expression(random.Random(seed))
    compared = 0
    first = gradients({node: s.ONE}, INPUTS)
    second = [gradients({g: s.ONE}, INPUTS) for g in first]
    for point in POINTS:
        if not np.isfinite(value(node, point)):
            continue
        plain = taken(node, point)
        if any(n.kind is Kind.ELEMENTWISE and n.data in ("max", "min", "select") for n in topological_order([plain])):
            continue  # a tie: the subgradient is a convention, tested elsewhere
        if any(is_singular_power(n) and value(n.args[0], point) == 0 for n in topological_order([plain])):
            continue  # the taken branch itself is singular: a convention, tested below
        expected_first = gradients({plain: s.ONE}, INPUTS)
        expected = [value(g, point) for g in expected_first]
        found = [value(g, point) for g in first]
        if np.all(np.isfinite(expected)):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-300)
            compared += 1
            curvature = [[value(h, point) for h in gradients({g: s.ONE}, INPUTS)] for g in expected_first]
            if np.all(np.isfinite(curvature)):
                np.testing.assert_allclose([[value(h, point) for h in row] for row in second], curvature, rtol=1e-8,
                                           atol=1e-12)  # fmt: skip
    return compared


@pytest.mark.parametrize("block", range(10))
def test_derivatives_are_those_of_the_taken_branch(block):
    compared = [compare_with_taken_branch(seed) for seed in range(15 * block, 15 * block + 15)]
    assert sum(compared) > 20  # most random expressions are smooth at some of the points


def test_a_shared_node_under_two_branches_keeps_the_disjunction_pending():
    """log(y) is shared by two branches; where neither is taken the sum of their adjoints must not meet 1/y."""
    x, y, _ = INPUTS
    shared = s.call("log", y)
    first = s.select(s.compare("lt", y, constant(Fraction(-3, 4))), s.div(constant(4), s.call("cos", shared)), s.ZERO)
    second = s.select(s.compare("lt", constant(1), x), s.mul(x, shared), s.ZERO)
    node = s.add(first, second, s.mul(x, y))
    found = [value(g, (0.5, 0.0, 0.0)) for g in gradients({node: s.ONE}, INPUTS)]
    assert found == [0.0, 0.5, 0.0]


@pytest.mark.parametrize("power", [Fraction(1, 2), Fraction(3, 2), Fraction(5, 2)])
def test_a_norm_at_the_origin(power):
    squares = s.add(*[s.power(v, constant(2)) for v in INPUTS])
    node = s.power(squares, constant(power))
    gradient = gradients({node: s.ONE}, INPUTS)
    assert [value(g, (0.0, 0.0, 0.0)) for g in gradient] == [0.0, 0.0, 0.0]
    if power > 1:
        rows = [[value(h, (0.0, 0.0, 0.0)) for h in gradients({g: s.ONE}, INPUTS)] for g in gradient]
        assert rows == [[0.0] * 3] * 3


def test_the_root_of_something_that_may_be_negative_keeps_its_slope():
    x = INPUTS[0]
    (slope,) = gradients({s.power(x, HALF): s.ONE}, [x])
    assert value(slope, (0.0, 0.0, 0.0)) == np.inf


def test_rebuilding_a_branch_keeps_its_meaning():
    x, y, _ = INPUTS
    node = s.select(s.compare("lt", x, y), s.call("log", x), y)
    (again,) = rebuild([node], {y: s.mul(constant(2), y)}, s.construct)
    assert value(again, (3.0, 1.0, 0.0)) == 2.0
