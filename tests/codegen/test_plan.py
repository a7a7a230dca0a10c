"""What is fused with what: sweeps, hoisting, phases, bounds, and which tables a plan needs."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
import sympy as sp

import symgraph as sg
from symgraph import simplify as s
from symgraph.axis import Axis, size_expression
from symgraph.codegen.explain_plan import explain_plan
from symgraph.codegen.lower import lower
from symgraph.codegen.plan import Plan, plan_graph
from symgraph.codegen.sweeps import Scope, Sweep
from symgraph.errors import SymgraphError
from symgraph.graph import Graph, Output
from symgraph.node import Kind, axis_index, constant, input_node, make
from tests.models import bundle_adjustment, gmm

i, j, h = sp.symbols("i j h", integer=True)
n, d, width = sp.symbols("n d width", integer=True, positive=True)
X = sp.IndexedBase("X", shape=(n, d))
w = sp.IndexedBase("w", shape=(d,))
y = sp.IndexedBase("y", shape=(n,))


def sweeps(plan: Plan, size: str) -> int:
    """How many loops over axes of a size there are, at any depth."""
    wanted = size_expression(size)
    count = 0
    stack: list[Scope] = [plan.scope]
    while stack:
        for item in stack.pop().items:
            if isinstance(item, Sweep):
                count += item.axis.size == wanted
                stack.append(item.body)
    return count


def longest_tables(plan: Plan, size: str) -> int:
    """How many tables have an axis of a size."""
    wanted = size_expression(size)
    return sum(any(a.size == wanted for a in buffer.axes) for buffer in plan.buffers)


def logistic() -> sg.Function:
    margin = y[i] * sp.Sum(X[i, j] * w[j], (j, 0, d - 1))
    return sg.function(sp.Sum(sp.log(1 + sp.exp(-margin)), (i, 0, n - 1)), inputs=[X, w, y], name="logistic")


def network() -> sg.Function:
    W1, b1, W2 = (sp.IndexedBase(k, shape=s) for k, s in (("W1", (d, width)), ("b1", (width,)), ("W2", (width,))))
    b2 = sp.Symbol("b2")
    hidden = sp.tanh(sp.Sum(X[i, j] * W1[j, h], (j, 0, d - 1)) + b1[h])
    error = sp.Sum(W2[h] * hidden, (h, 0, width - 1)) + b2 - y[i]
    return sg.function(sp.Sum(error**2, (i, 0, n - 1)) / n, inputs=[X, y, W1, b1, W2, b2], name="network")


def lennard_jones() -> sg.Function:
    arrays = [sp.IndexedBase(c, shape=(n,)) for c in "xyz"]
    inverse = sum((c[i] - c[j]) ** 2 for c in arrays) ** -3
    return sg.function(4 * sp.Sum(inverse**2 - inverse, (j, 0, i - 1), (i, 0, n - 1)), inputs=arrays, name="lj")


# ------------------------------------------------------------------------------------------------ models of the field
@pytest.mark.parametrize(
    ("model", "wrt"),
    [(logistic(), ("w",)), (network(), ("W1", "b1", "W2", "b2"))],
    ids=["logistic", "network"],
)
def test_value_and_gradient_are_one_sweep_over_the_data(model: sg.Function, wrt: tuple[str, ...]) -> None:
    plan = plan_graph(sg.value_and_grad(model, wrt).graph)
    assert sweeps(plan, "n") == 1
    assert longest_tables(plan, "n") == 0


@pytest.mark.parametrize("wrt", [("alpha", "mu", "icf"), None], ids=["parameters", "everything"])
def test_the_gaussian_mixture_is_one_sweep_over_the_points(wrt: tuple[str, ...] | None) -> None:
    plan = plan_graph(sg.value_and_grad(gmm.objective(), wrt).graph)
    assert sweeps(plan, "N") == 1
    assert longest_tables(plan, "N") == 0


def test_a_hessian_is_one_sweep_over_the_data() -> None:
    plan = plan_graph(sg.hessian(logistic(), "w").graph)
    assert sweeps(plan, "n") == 1
    assert plan.buffers == ()


def test_pairs_are_visited_once() -> None:
    plan = plan_graph(sg.value_and_grad(lennard_jones()).graph)
    # over pairs: one loop in another; then one loop that puts the two halves of the forces together
    assert sweeps(plan, "n") == 3
    assert all(len(buffer.axes) == 1 for buffer in plan.buffers)


def test_jacobians_of_observations_are_one_sweep_without_tables() -> None:
    plan = plan_graph(sg.vmap(sg.jacobian(bundle_adjustment.residual())).graph)
    assert sweeps(plan, "batch") == 1
    assert plan.buffers == ()


# ------------------------------------------------------------------------------------------------------ single rules
I_, J_ = Axis("i", "n"), Axis("j", "n")
A = input_node("a", (Axis("a.0", "n"),))
a_i, a_j = (s.gather(A, {A.axes[0]: axis_index(axis)}) for axis in (I_, J_))


def test_softmax_has_three_phases_and_keeps_the_exponentials() -> None:
    shifted = s.call("exp", s.sub(a_i, s.reduce("max", a_i, I_)))
    plan = plan_graph(Graph("f", (A,), (Output("out", s.div(shifted, s.reduce("sum", shifted, I_)), (I_,)),)))
    assert sweeps(plan, "n") == 3
    assert [buffer.node.data for buffer in plan.buffers] == ["exp"]


def test_what_does_not_vary_in_a_loop_is_computed_before_it() -> None:
    total = s.reduce("sum", s.reduce("sum", s.mul(s.call("exp", a_i), s.call("sin", s.mul(a_i, a_j))), I_), J_)
    text = explain_plan(plan_graph(Graph("f", (A,), (Output("out", total),))))
    assert "does not vary in the loop that uses it" in text
    assert text.count("compute exp") == 1
    assert text.index("compute exp") < text.index("for j")


def test_cheap_values_are_computed_where_they_are_used() -> None:
    total = s.reduce("sum", s.reduce("sum", s.call("sin", s.add(s.mul(constant(2), a_i), a_j)), I_), J_)
    assert plan_graph(Graph("f", (A,), (Output("out", total),))).buffers == ()


@pytest.mark.parametrize(
    ("op", "offset", "bounds"),
    [("lt", 0, "0..i"), ("le", 0, "0..i + 1"), ("lt", 2, "0..i + 2"), ("le", -1, "0..i"), ("eq", 0, "i..i + 1")],
)
def test_guards_become_upper_bounds(op: str, offset: int, bounds: str) -> None:
    guard = s.call(op, axis_index(J_), s.add(axis_index(I_), constant(offset)))
    below = make(Kind.REDUCE, (s.select(guard, s.mul(a_i, a_j), constant(0)),), (I_,), data=("sum", J_))
    text = explain_plan(plan_graph(Graph("f", (A,), (Output("out", s.call("sin", below), (I_,)),))))
    assert f"for j in {bounds}\n" in text


def test_guards_become_lower_bounds_and_meet() -> None:
    first, second = (axis_index(axis) for axis in (I_, J_))
    guard = s.logical_and(s.call("lt", first, second), s.call("lt", second, constant(7)))
    above = s.reduce("max", s.select(guard, s.mul(a_i, a_j), constant(float("-inf"))), J_)
    text = explain_plan(plan_graph(Graph("f", (A,), (Output("out", above, (I_,)),))))
    assert "for j in i + 1..7" in text


def test_a_recurrence_is_refused_by_name() -> None:
    scan = make(Kind.SCAN, (), (), data="recurrence")
    with pytest.raises(SymgraphError, match="recurrence"):
        plan_graph(Graph("f", (), (Output("out", scan),)))


# ----------------------------------------------------------------------------------------------------- golden plans
def test_the_plan_of_logistic_regression() -> None:
    plan = plan_graph(sg.value_and_grad(logistic(), "w").graph)
    assert explain_plan(plan) == """\
value_and_grad_logistic: 2 sweeps, 1 table
table 1: the sum over i, [j: d], 8*d bytes, accumulated
clear table 1
for i in 0..n
  for j in 0..d
    compute mul
    accumulate mul into the sum over j
  compute 2 mul, neg, softplus, logistic
  accumulate softplus into the sum over i
  for j in 0..d
    compute mul
    accumulate mul into table 1
store the sum over i in logistic
for j in 0..d
  compute neg
  store neg in dlogistic_dw"""


# ------------------------------------------------------------------------------------------------ scale, determinism
def test_deep_chains_are_planned_in_seconds() -> None:
    x = input_node("x")
    node = x
    for number in range(12_000):
        node = s.add(s.call("sin", node), s.mul(constant(number + 2), x))
    start = time.process_time()
    procedure = lower(plan_graph(Graph("f", (x,), (Output("out", node),))))
    assert time.process_time() - start < 20
    assert len(procedure.body.statements) > 2_000


def test_arrays_of_many_elements_are_stored_without_arrays_in_between() -> None:
    x = input_node("x")
    axis = Axis("o", 3000)
    elements = [s.scatter_add(s.call("sin", s.mul(x, constant(k + 1))), {axis: constant(k)}, ()) for k in range(3000)]
    plan = plan_graph(Graph("f", (x,), (Output("out", s.add(*elements), (axis,)),)))
    assert plan.buffers == () and plan.fills == ()


SCRIPT = """
import symgraph as sg
from symgraph.codegen.explain_plan import explain_plan
from symgraph.codegen.lower import lower
from symgraph.codegen.plan import plan_graph
from tests.models import gmm
plan = plan_graph(sg.value_and_grad(gmm.objective()).graph)
print(explain_plan(plan))
print(lower(plan))
"""


def test_plans_are_the_same_under_any_hash_seed() -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT], env=os.environ | {"PYTHONHASHSEED": seed}, check=True, capture_output=True
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(texts) == 1
