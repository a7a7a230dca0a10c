"""Smart constructors give nodes that are worth what the plain nodes are worth, in canonical form."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from symgraph import simplify as s
from symgraph.axis import Axis
from symgraph.graph import Graph, Output
from symgraph.interpret import evaluate
from symgraph.node import Kind, Node, axis_index, constant, input_node
from symgraph.ops import OPS, apply_op
from symgraph.reducers import reduce_over
from symgraph.rewrite import copy, rebuild
from symgraph.simplify.rules import RULES

X, Y, Z = (input_node(name) for name in "xyz")
ROW, COLUMN = Axis("i", "n"), Axis("j", "n")
V, W = input_node("v", (ROW,)), input_node("w", (COLUMN,))
UNARY = ("exp", "sin", "cos", "tanh", "abs", "sign", "atan", "floor", "softplus", "hold")


def random_pairs(generator: random.Random, size: int) -> list[tuple[Node, Node]]:
    """Pairs (plain, smart) of the same random expression, growing; constants are small fractions."""
    pairs = [(n, n) for n in (X, Y, Z)] + [(constant(c), constant(c)) for c in (0, 1, -1, 2, Fraction(1, 3))]
    for _ in range(size):
        picked = [generator.choice(pairs) for _ in range(3)]
        plain, smart = zip(*picked, strict=True)
        match generator.randrange(8):
            case 0 | 1:
                count = generator.randint(2, 3)
                pairs.append((apply_op("add", *plain[:count]), s.add(*smart[:count])))
            case 2 | 3:
                count = generator.randint(2, 3)
                pairs.append((apply_op("mul", *plain[:count]), s.mul(*smart[:count])))
            case 4:
                exponent = constant(generator.choice([2, 3, 1]))
                pairs.append((apply_op("pow", plain[0], exponent), s.power(smart[0], exponent)))
            case 5:
                op = generator.choice(UNARY)
                pairs.append((apply_op(op, plain[0]), s.call(op, smart[0])))
            case 6:
                op = generator.choice(["max", "min"])
                pairs.append((apply_op(op, *plain[:2]), s.call(op, *smart[:2])))
            case 7:
                condition = apply_op("lt", plain[0], plain[1])
                pairs.append(
                    (apply_op("select", condition, plain[1], plain[2]),
                     s.select(s.compare("lt", smart[0], smart[1]), smart[1], smart[2]))
                )  # fmt: skip
    return pairs


@pytest.mark.parametrize("seed", range(40))
def test_random_expressions_keep_their_value(seed):
    pairs = random_pairs(random.Random(seed), 30)
    outputs = tuple(Output(f"o{i}", node) for i, pair in enumerate(pairs) for node in pair)
    values = evaluate(Graph("f", (X, Y, Z), outputs, tuple(range(len(outputs)))), [0.7, -0.4, 1.3])
    for plain, smart in zip(values[::2], values[1::2], strict=True):
        if abs(plain) < 1e12:
            assert smart == pytest.approx(plain, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("law", [rule.law for rule in RULES])
def test_every_rule_keeps_the_value(law):
    """Each rule is applied to arguments that it accepts, and compared with the row's own value."""
    (rule,) = [r for r in RULES if r.law == law]
    candidates = [
        constant(0), constant(1), constant(Fraction(-3, 2)), constant(8), constant(100), X, s.neg(X),
        apply_op("abs", X),
        apply_op("exp", X), apply_op("log", apply_op("exp", X)), apply_op("log", X), apply_op("max", X, Y),
        apply_op("min", X, Y), s.power(X, constant(3)), apply_op("floordiv", constant(7), constant(2)),
        apply_op("hold", X), apply_op("add", constant(1), apply_op("exp", X)),
        *(apply_op(name, X) for name in ("expm1", "log1p", "logistic")), s.power(X, constant(Fraction(1, 2))),
    ]  # fmt: skip
    names = {"sqrt": np.sqrt, "reciprocal": lambda x: 1 / x, "square": np.square}
    arity = 1 if rule.op in names else (OPS[rule.op].arity or 2)
    tried = 0
    for first in candidates:
        for second in candidates if arity == 2 else [None]:
            arguments = [first] if second is None else [first, second]
            result = rule.apply(*arguments)
            if result is None:
                continue
            outputs = tuple(Output(f"o{i}", n) for i, n in enumerate([*arguments, result]))
            *given, found = evaluate(Graph("f", (X, Y), outputs, tuple(range(len(outputs)))), [0.6, 0.8])
            expected = names.get(rule.op) or OPS[rule.op].numpy
            with np.errstate(all="ignore"):
                wanted = float(expected(*map(np.float64, given)))
            assert math.isnan(wanted) or found == pytest.approx(wanted, rel=1e-12), (law, arguments)
            tried += 1
    assert tried, f"no candidate argument fires the rule {law!r}"


def test_terms_and_factors_are_collected():
    assert s.add(X, X, s.neg(X)) is X
    assert s.mul(X, Y, s.power(X, constant(-1))) is Y
    assert s.div(s.mul(constant(6), X), constant(4)) is s.mul(constant(Fraction(3, 2)), X)
    assert s.power(s.power(X, constant(Fraction(1, 2))), constant(2)) is X
    assert s.add(s.mul(constant(2), X), s.mul(constant(2), Y)) is s.mul(constant(2), s.add(X, Y))


def test_a_coefficient_stands_first_and_alone():
    node = s.mul(X, constant(-3), Y, constant(Fraction(1, 2)))
    assert [a.kind for a in node.args] == [Kind.CONST, Kind.ELEMENTWISE]
    assert node.args[0].data == Fraction(-3, 2)


def test_constant_folding_is_exact_beyond_64_bits():
    big = constant(10**30)
    assert s.mul(big, big).data == 10**60
    assert s.add(s.div(constant(1), constant(3)), s.div(constant(1), constant(6))).data == Fraction(1, 2)
    assert s.mul(constant(0.1), constant(3)).data == 0.30000000000000004  # exact product, rounded once


def test_invariant_factors_leave_a_sum():
    total = s.reduce("sum", s.mul(V, Y, constant(2)), ROW)
    assert total is s.mul(constant(2), Y, s.reduce("sum", V, ROW))


def test_a_sum_over_an_index_that_is_fixed_selects_one_term():
    body = s.guard(s.compare("eq", axis_index(ROW), axis_index(COLUMN)), s.mul(V, V))
    assert s.reduce("sum", body, ROW) is s.gather(s.mul(V, V), {ROW: axis_index(COLUMN)})


def test_chained_matrix_products_do_not_exchange_for_ever():
    axes = [Axis(name, "n") for name in "abcd"]
    matrices = [input_node(f"m{k}", (axes[k], axes[k + 1])) for k in range(3)]
    left = s.reduce("sum", s.mul(matrices[0], matrices[1]), axes[1])
    product = s.reduce("sum", s.mul(left, matrices[2]), axes[2])
    values = [np.arange(9.0).reshape(3, 3) + k for k in range(3)]
    graph = Graph("f", tuple(matrices), (Output("o", product, (axes[0], axes[3])),))
    np.testing.assert_allclose(evaluate(graph, values)[0], values[0] @ values[1] @ values[2])


def test_a_sum_changes_places_where_the_inner_product_then_runs_once():
    n, k, i, j = (Axis(name, name.upper()) for name in "nkij")
    weights, scores, factor = input_node("w", (n, k)), input_node("t", (n, k, i)), input_node("L", (k, i, j))
    inside = s.reduce("sum", s.guard(s.compare("lt", axis_index(j), axis_index(i)), s.mul(weights, scores, factor)), i)
    outside = s.reduce("sum", inside, n)
    inner = [node for node in Graph("f", (), (Output("o", outside, (k, j)),)).order if node.data == ("sum", n)]
    assert [set(node.axes) for node in inner] == [{k, i}]


def test_log_sum_exp_is_shifted_and_right_far_out():
    node = s.call("log", s.reduce("sum", s.call("exp", V), ROW))
    graph = Graph("f", (V,), (Output("o", node),))
    assert evaluate(graph, [np.array([1000.0, 1000.0])])[0] == pytest.approx(1000 + math.log(2), rel=1e-15)
    assert evaluate(graph, [np.array([-np.inf, -1000.0])])[0] == -1000
    assert evaluate(graph, [np.array([-np.inf, -np.inf])])[0] == -np.inf


def test_multiplicity_of_a_sum_over_a_missing_axis():
    node = s.reduce("sum", s.reduce("sum", s.add(V, W), ROW), COLUMN)
    graph = Graph("f", (V, W), (Output("o", node),))
    assert evaluate(graph, [np.array([1.0, 2.0, 3.0]), np.array([1.0, 10.0, 100.0])])[0] == 3 * 6 + 3 * 111


def test_rebuilding_with_plain_and_smart_constructors_agrees():
    node = s.reduce("sum", s.mul(s.call("exp", V), s.gather(V, {ROW: s.sub(constant(2), axis_index(ROW))})), ROW)
    replacement = {V: apply_op("mul", constant(2), V)}
    values = [
        evaluate(Graph("f", (V,), (Output("o", rebuild([node], replacement, how)[0]),)), [np.array([0.1, 0.2, 0.3])])[0]
        for how in (copy, s.construct)
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-14)


def test_renaming_avoids_capture():
    inner = reduce_over("sum", apply_op("mul", V, s.gather(W, {COLUMN: axis_index(COLUMN)})), ROW)  # axes (j,), binds i
    (renamed,) = s.rename_axes([inner], {COLUMN: ROW})
    assert renamed.axes == (ROW,)
    graph = Graph("f", (V, W), (Output("o", renamed, (ROW,)),))
    np.testing.assert_allclose(evaluate(graph, [np.array([1.0, 2.0]), np.array([3.0, 5.0])])[0], [9.0, 15.0])
