"""Random graphs, planned, lowered, checked against the grammar of the loop IR and run, agree with the
interpreter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symgraph as sg
from symgraph import simplify as s
from symgraph.codegen.lanes import over_lanes
from symgraph.codegen.loop_spec import verify
from symgraph.codegen.lower import lower
from symgraph.codegen.plan import plan_graph
from symgraph.codegen.targets.cython_dialect import has_lanes
from symgraph.function import Function
from symgraph.graph import Graph, Output
from symgraph.interpret import evaluate
from symgraph.sizes import solve_sizes

from .loop_executor import execute
from .random_graphs import arguments, random_graph


def check(graph: Graph, values: list[object], tolerance: float = 1e-9) -> None:
    procedure = lower(plan_graph(graph))
    sizes = solve_sizes(graph.inputs, [np.shape(v) for v in values])
    expected = evaluate(graph, values)
    for form in (procedure, over_lanes(procedure, has_lanes)[0]):
        verify(form)
        found = execute(form, values, {name: sizes[name] for name in graph.size_names})
        for output, value, truth in zip(graph.outputs, found, expected, strict=True):
            np.testing.assert_allclose(value, truth, rtol=tolerance, atol=tolerance, err_msg=output.name)


def test_many_random_graphs_run_over_lanes() -> None:
    decisions = [d for seed in range(40) for d in over_lanes(lower(plan_graph(random_graph(seed))), has_lanes)[1]]
    assert sum(not d.reason for d in decisions) > len(decisions) // 3


@pytest.mark.parametrize("block", range(8))
def test_random_graphs_agree_with_the_interpreter(block: int) -> None:
    for seed in range(12 * block, 12 * block + 12):
        graph = random_graph(seed)
        for n, m in ((4, 2), (1, 1), (3, 0)):
            check(graph, arguments(seed, n, m))


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.integers(1000, 10**6), st.integers(1, 5), st.integers(0, 3))
def test_more_random_graphs(seed: int, n: int, m: int) -> None:
    check(random_graph(seed), arguments(seed, n, m))


@pytest.mark.parametrize("seed", range(100, 120))
def test_gradients_of_random_graphs(seed: int) -> None:
    graph = random_graph(seed)
    output = graph.outputs[0]
    node = output.node
    for axis in output.axes:
        node = s.reduce("sum", node, axis)
    function = Function(Graph("f", graph.inputs, (Output("value", node),), 0))
    derived = sg.value_and_grad(function, ("X", "y", "w", "q", "v")).graph
    for n, m in ((4, 2), (1, 1)):
        check(derived, arguments(seed, n, m))
