"""Operand guards: a call whose value does not matter somewhere gets a harmless operand there; nothing else changes."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph import simplify as s
from symgraph.axis import Axis
from symgraph.codegen.activity import ALWAYS, activities, literals_of
from symgraph.codegen.guards import GUARDS, guard_of, guarded
from symgraph.codegen.pipeline import emit
from symgraph.codegen.plan import plan_graph
from symgraph.codegen.prepare import prepare
from symgraph.codegen.ranges import ranges
from symgraph.derive.reverse import gradients
from symgraph.graph import Graph, Output, topological_order
from symgraph.node import Kind, Node, axis_index, constant, input_node
from symgraph.ops import OPS, apply_op

x, y, z = (input_node(name) for name in "xyz")
ZERO, ONE = constant(0), constant(1)
POSITIVE = s.compare("lt", ZERO, x)


def graph(*nodes: Node, inputs: Sequence[Node] = (x, y, z)) -> Graph:
    return Graph("f", tuple(inputs), tuple(Output(f"o{k}", n, n.axes) for k, n in enumerate(nodes)),
                 tuple(range(len(nodes))))  # fmt: skip


def calls(result: Graph, op: str) -> list[Node]:
    return [n for n in result.order if n.kind is Kind.ELEMENTWISE and n.data == op]


def is_guarded(node: Node) -> bool:
    guard = guard_of(node)
    assert guard is not None
    operands = [node.args[k] for k in guard.positions]
    return all(
        a.kind is Kind.CONST or (a.data == "select" and constant(guard.safe) in a.args[1:]) for a in operands
    )


@pytest.mark.parametrize("op", sorted(name for name in GUARDS if name in OPS))
def test_a_call_in_a_branch_is_guarded(op):
    call = apply_op(op, *[x, y, z][: OPS[op].arity])
    result = prepare(graph(s.select(POSITIVE, call, y)))
    (made,) = calls(result, op)
    assert is_guarded(made)
    select = made.args[guard_of(made).positions[0]]
    assert select.args[0] is POSITIVE and select.args[1] is x


def test_a_harmless_operand_is_in_the_domain_of_its_function():
    for name, guard in GUARDS.items():
        arguments = [0.5] * OPS[name].arity
        for position in guard.positions:
            arguments[position] = guard.safe
        assert np.isfinite(OPS[name].numpy(*[np.float64(a) for a in arguments])), name


def test_without_selects_nothing_is_looked_at():
    plain = graph(apply_op("log", apply_op("exp", x)))
    assert guarded(plain)[0] is plain


def test_what_matters_everywhere_is_not_guarded():
    shared = apply_op("log", x)
    both = prepare(graph(s.add(s.select(POSITIVE, shared, y), s.select(POSITIVE, z, s.mul(shared, y)))))
    outside = prepare(graph(s.select(POSITIVE, shared, y), shared))
    condition = prepare(graph(s.select(s.compare("lt", shared, y), x, y)))
    assert [n.args[0] for result in (both, outside, condition) for n in calls(result, "log")] == [x, x, x]


def test_one_guard_for_all_users():
    shared = apply_op("log", x)
    other = s.compare("lt", ONE, y)
    result = prepare(graph(s.add(s.select(POSITIVE, shared, y), s.select(other, s.mul(shared, shared), z))))
    (made,) = calls(result, "log")
    assert made.args[0].args[0].data == "or"


def test_no_guard_where_the_operand_is_sure_to_be_fast():
    inside = apply_op("log", s.add(constant(1), s.power(y, constant(2))))
    angle = apply_op("sin", apply_op("tanh", z))
    result = prepare(graph(s.select(POSITIVE, s.mul(inside, angle), y)))
    assert not is_guarded(calls(result, "log")[0]) and not is_guarded(calls(result, "sin")[0])


def test_a_condition_that_reads_the_call_does_not_guard_it():
    logarithm = apply_op("log", x)
    node = s.select(s.compare("lt", logarithm, y), apply_op("exp", logarithm), z)
    result = prepare(graph(node))
    assert not is_guarded(calls(result, "log")[0]) and is_guarded(calls(result, "exp")[0])


def test_guards_that_wait_for_each_other():
    """The condition of each branch reads a call in a branch under the other condition: one of the two is given up."""
    one, two = apply_op("log", x), apply_op("exp", y)
    first = s.compare("lt", s.select(s.compare("lt", two, z), one, y), z)
    second = s.compare("lt", s.select(s.compare("lt", one, z), two, x), z)
    result = prepare(graph(s.select(first, apply_op("sin", x), s.select(second, apply_op("cos", y), z))))
    assert is_guarded(calls(result, "sin")[0]) and is_guarded(calls(result, "cos")[0])


def test_inner_conditions_count_only_where_the_outer_ones_hold():
    inner = s.compare("lt", apply_op("log", x), y)
    node = s.select(s.logical_and(POSITIVE, inner), z, ZERO)
    assert is_guarded(calls(prepare(graph(node)), "log")[0])


def test_a_branch_that_cannot_be_taken_is_gone():
    deep = s.add(apply_op("exp", y), apply_op("select", POSITIVE, apply_op("log", x), apply_op("sin", z)))
    result = prepare(graph(apply_op("select", POSITIVE, deep, y)))
    assert not calls(result, "sin") and len(calls(result, "log")) == 1
    inside = apply_op("select", s.logical_and(POSITIVE, s.compare("lt", x, y)), deep, y)
    assert not calls(prepare(graph(inside)), "sin")


def test_constants_without_a_real_value_are_folded():
    node = s.select(POSITIVE, s.mul(apply_op("log", constant(-1)), y), s.add(y, apply_op("pow", ZERO, constant(-1))))
    result = prepare(graph(node))
    assert not calls(result, "log") and not calls(result, "rcp") and not calls(result, "pow")
    kernel = sg.compile(sg.Function(graph(node)), target="numba")
    assert np.isnan(kernel(1.0, 2.0, 0.0)[0]) and kernel(-1.0, 2.0, 0.0) == (np.inf,)


def test_the_bounds_of_a_loop_are_not_repeated():
    n = Axis("i", "n")
    m = Axis("j", "n")
    a, b = axis_index(n), axis_index(m)
    array = input_node("w", (Axis("w_0", "n"),))
    read = [s.gather(array, {array.axes[0]: index}) for index in (a, b)]
    body = s.guard(s.compare("lt", b, a), apply_op("exp", s.mul(*read)))
    triangle = graph(s.reduce("sum", s.reduce("sum", body, m), n), inputs=(array,))
    assert prepare(triangle).order == prepare(graph(*[o.node for o in triangle.outputs], inputs=(array,))).order
    assert calls(prepare(triangle), "exp")[0].args[0].data == "mul"
    data = s.guard(s.logical_and(s.compare("lt", b, a), s.compare("lt", ZERO, read[0])), apply_op("log", read[0]))
    (made,) = calls(prepare(graph(s.reduce("sum", s.reduce("sum", data, m), n), inputs=(array,))), "log")
    assert made.args[0].axes == (n,) and made.args[0].args[0].data == "lt"


def test_a_guard_does_not_wait_for_a_sum():
    n = Axis("i", "n")
    array = input_node("w", (Axis("w_0", "n"),))
    read = s.gather(array, {array.axes[0]: axis_index(n)})
    total = s.reduce("sum", read, n)
    node = s.select(s.compare("lt", ZERO, total), s.reduce("sum", apply_op("exp", read), n), ONE)
    made = graph(node, inputs=(array,))
    assert calls(prepare(made), "exp")[0].args[0].kind is Kind.GATHER
    assert emit(made).count(" - i >= ") == 1


def test_small_whole_numbers_that_conditions_choose_exist_in_lanes():
    a, b = sp.symbols("a b")
    source = sg.compile(sg.grad(sg.function(sp.Max(a, b, 1) + sp.Piecewise((a, a > 1), (b, True)), name="f"))).source
    assert "cdef masks" in source


def test_ranges_hold():
    generator = random.Random(3)
    names = ["sin", "exp", "abs", "tanh", "add", "mul", "max", "min", "neg", "sub", "div", "rcp", "logistic", "atan"]
    pool = [x, y, z, constant(2), constant(-3), constant(0.5)]
    from symgraph.codegen.emitted import elementwise

    for _ in range(300):
        name = generator.choice(names)
        arity = 1 if name in ("neg", "rcp") else 2 if name in ("sub", "div") else OPS[name].arity or 2
        pool.append(elementwise(name, *[generator.choice(pool) for _ in range(arity)]))
    order = topological_order(pool)
    found = ranges(order)
    functions = {"neg": np.negative, "sub": np.subtract, "div": np.divide, "rcp": np.reciprocal}
    with np.errstate(all="ignore"):
        values: dict[Node, np.ndarray] = {}
        for node in order:
            if node.kind is Kind.INPUT:
                values[node] = np.random.default_rng(node.number).normal(0, 3, 200)
            elif node.kind is Kind.CONST:
                values[node] = np.full(200, float(node.data))
            else:
                function = functions.get(node.data) or OPS[node.data].numpy
                values[node] = function(*[values[a] for a in node.args])
            low, high = found.get(node, (-np.inf, np.inf))
            known = values[node][~np.isnan(values[node])]
            slack = 1e-12 * (1 + np.abs(known))
            assert np.all((known >= low - slack) & (known <= high + slack)), node
    assert sum(node in found for node in order) > 100


def random_model(generator: random.Random) -> Node:
    pool: list[Node] = [x, y, z, s.add(x, constant(1)), s.mul(y, z)]
    for _ in range(generator.randint(8, 25)):
        first, second = generator.choice(pool), generator.choice(pool)
        condition = s.compare(generator.choice(["lt", "le", "eq", "ne"]), *generator.sample([first, second, ZERO], 2))
        match generator.randrange(5):
            case 0:
                pool.append(apply_op(generator.choice(["log", "exp", "sin", "asin"]), first))
            case 1 | 2:
                call = apply_op(generator.choice(["log", "exp", "sin", "asin"]), first)
                pool.append(s.select(condition, s.mul(call, second), second))
            case 3:
                pool.append(s.mul(first, second))
            case _:
                pool.append(s.add(first, second))
    return pool[-1]


def test_every_call_that_does_not_always_matter_is_guarded():
    """Conditions that read the call itself are the only excuse."""
    seen = 0
    for seed in range(80):
        result = prepare(graph(random_model(random.Random(seed))))
        order = result.order
        above = frozenset(n for n in order if any(guard_of(m) for m in topological_order([n])))
        active = activities(order, [o.node for o in result.outputs], above)
        known = ranges(order)
        for node in order:
            guard = guard_of(node)
            if guard is None or active[node] is ALWAYS or is_guarded(node):
                continue
            low, high = known.get(node.args[0], (-np.inf, np.inf))
            if guard.fast[0] <= low and high <= guard.fast[1]:
                continue
            reads = [{c for c, _ in term if node not in topological_order([c])} for term in active[node]]
            assert not all(reads), node
            seen += 1
    assert seen < 40


FUNCTIONS = {"neg": np.negative, "sub": np.subtract, "div": np.divide, "rcp": np.reciprocal, "sqrt": np.sqrt}
POINTS = np.array(np.meshgrid(*[[0.0, -1.0, 1e-200, -400.0, 0.5, 3.0, np.nan, np.inf]] * 3)).reshape(3, -1)


def values_of(result: Graph) -> list[np.ndarray]:
    """The outputs of a graph in emitted operations, by NumPy, at the worst points."""
    values: dict[Node, np.ndarray] = {}
    for node in result.order:
        if node.kind is Kind.INPUT:
            values[node] = POINTS["xyz".index(node.data)]
        elif node.kind is Kind.CONST:
            values[node] = np.full(POINTS.shape[1], node.data if isinstance(node.data, bool) else float(node.data))
        else:
            function = FUNCTIONS.get(node.data) or OPS[node.data].numpy
            values[node] = function(*[values[a] for a in node.args])
    return [values[o.node] for o in result.outputs]


def test_guards_change_no_value(monkeypatch):
    changed = 0
    with np.errstate(all="ignore"):
        for seed in range(60):
            model = graph(random_model(random.Random(seed)))
            model = graph(*[o.node for o in model.outputs], *gradients({model.outputs[0].node: ONE}, [x, y, z]))
            result = prepare(model)
            with monkeypatch.context() as patch:
                patch.setattr("symgraph.codegen.prepare.guarded", lambda given: (given, {}))
                plain = prepare(model)
            changed += result.order != plain.order
            for found, wanted in zip(values_of(result), values_of(plain), strict=True):
                np.testing.assert_array_equal(found, wanted)
    assert changed > 30


def test_conditions_are_taken_apart():
    other = s.compare("lt", x, y)
    joined = s.logical_and(POSITIVE, s.logical_not(other))
    assert set(literals_of(joined, True)) == {(POSITIVE, True), (other, False)}
    assert literals_of(joined, False) == [(joined, False)]


def test_planning_twice_gives_one_text():
    model = graph(random_model(random.Random(7)))
    assert emit(model) == emit(model)
    assert plan_graph(model).order == plan_graph(model).order
