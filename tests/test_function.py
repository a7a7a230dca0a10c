"""The Function: calls, repr, files, and the arguments of the transforms."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph.spec import verify

X, Y, Z = sp.symbols("x y z")
COUNT = sp.Symbol("count", integer=True)
ROW = sp.Symbol("i", integer=True)
N = sp.Symbol("n", integer=True, positive=True)
V = sp.IndexedBase("v", shape=(N,))


@pytest.fixture
def f() -> sg.Function:
    return sg.function((X + Y) * Z, inputs=[X, Y, Z], name="g")


def test_repr_evaluates_back_to_the_same_graph(f):
    for function in (f, sg.hessian(f), sg.value_and_grad(sg.function(sp.Sum(sp.sin(V[ROW]), (ROW, 0, N - 1)), [V]))):
        again = eval(repr(function), {"sg": sg})
        assert [o.node for o in again.graph.outputs] == [o.node for o in function.graph.outputs]
        assert again.graph.inputs == function.graph.inputs
        assert again.graph.structure == function.graph.structure


def test_a_file_holds_the_same_graph(f, tmp_path):
    path = tmp_path / "Größe ist egal.json"
    sg.value_and_grad(f).save(path)
    assert [o.node for o in sg.load(path).graph.outputs] == [o.node for o in sg.value_and_grad(f).graph.outputs]


def test_calls_bind_by_position_and_name(f):
    assert f(1, 3, -3) == f(z=-3, x=1, y=3) == f(1, z=-3, y=3) == -12
    np.testing.assert_array_equal(f(np.arange(3.0), 3.0, -3.0), [-9.0, -12.0, -15.0])


@pytest.mark.parametrize(
    ("arguments", "named", "message"),
    [
        ((1, 2), {}, "misses the argument z"),
        ((1, 2, 3, 4), {}, "takes 3 arguments"),
        ((1, 2, 3), {"x": 1}, "argument x of g was given twice"),
        ((1, 2), {"w": 1}, "no argument 'w'"),
    ],
)
def test_calls_that_do_not_fit_are_refused(f, arguments, named, message):
    with pytest.raises(sg.errors.SymgraphError, match=message):
        f(*arguments, **named)


def test_steps_are_the_forward_and_the_backward_pass(f):
    steps = f.steps(1, 3, -3, adjoint=True)
    assert [float(s.value) for s in steps] == [1, 3, -3, 4, -12]
    assert [float(s.adjoint) for s in reversed(steps)] == [1, -3, 4, -3, -3]


def test_one_input_gives_a_bare_result_and_several_a_tuple(f):
    assert sg.grad(f, X)(1, 3, -3) == sg.grad(f, "x")(1, 3, -3) == -3
    assert sg.grad(f, [X])(1, 3, -3) == (-3,)
    assert sg.grad(f, [Z, "x"])(1, 3, -3) == (4, -3)
    assert sg.grad(f)(1, 3, -3) == (-3, -3, 4)


def test_integer_inputs_have_no_derivative():
    f = sg.function(X**2 * COUNT, inputs=[X, COUNT])
    assert sg.grad(f)(3.0, 2) == (12.0,)
    with pytest.raises(sg.errors.ModelError, match="count of f is of kind integer"):
        sg.grad(f, COUNT)


def test_gradients_need_one_scalar_output(f):
    with pytest.raises(sg.errors.ModelError, match="expected one scalar output"):
        sg.grad(sg.function([X, Y], [X, Y]))
    with pytest.raises(sg.errors.ModelError, match="has no input q"):
        sg.grad(f, "q")


def test_structures_are_kept():
    f = sg.function({"sum": X + Y, "parts": [X * Y, X - Y]}, [X, Y])
    assert f(2, 3) == {"sum": 5, "parts": (6, -1)}
    assert sg.jacobian(f)(2, 3) == {"sum": (1, 1), "parts": ((3, 2), (1, -1))}
    value, tangent = sg.jvp(f, X)(2, 3, 1)
    assert value == f(2, 3)
    assert tangent == {"sum": 1, "parts": (3, 1)}


def test_any_order_by_repetition():
    f = sg.function(sp.exp(2 * X) * sp.sin(X), [X])
    derivative = f
    expected = sp.exp(2 * X) * sp.sin(X)
    for _ in range(4):
        derivative, expected = sg.grad(derivative, X), expected.diff(X)
        verify(derivative.graph)
        assert derivative(0.3) == pytest.approx(float(expected.subs(X, sp.Float("0.3", 30))), rel=1e-13)


def test_shapes_of_jacobians_and_hessians():
    f = sg.function(sp.Sum(V[ROW] ** 3, (ROW, 0, N - 1)) * X, [V, X])
    v = np.array([1.0, 2.0, 3.0])
    hessian = sg.hessian(f)(v, 2.0)
    np.testing.assert_allclose(hessian[0][0], np.diag(12 * v))
    np.testing.assert_allclose(hessian[0][1], 3 * v**2)
    np.testing.assert_allclose(hessian[1][0], 3 * v**2)
    assert hessian[1][1] == 0
    np.testing.assert_allclose(sg.jacobian(sg.grad(f, V), V)(v, 2.0), np.diag(12 * v))
    np.testing.assert_allclose(sg.hvp(f, V)(v, 2.0, np.ones(3)), 12 * v)


def test_mapping_over_rows(f):
    rows = sg.vmap(sg.jacobian(f), in_axes={"x": 0, "y": 0})
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    dx, dy, dz = rows(x, y, -3.0)
    np.testing.assert_array_equal([dx, dy, dz], [[-3, -3], [-3, -3], x + y])
    twice = sg.vmap(sg.vmap(f, in_axes=(0, None, None), size="rows"), in_axes=(None, 0, None), size="columns")
    np.testing.assert_array_equal(twice(x, y, 2.0), 2 * (x[None, :] + y[:, None]))
    with pytest.raises(sg.errors.ModelError, match="no input is mapped"):
        sg.vmap(f, in_axes=None)
    with pytest.raises(sg.errors.ModelError, match="no input q"):
        sg.vmap(f, in_axes={"q": 0})


def test_outputs_share_one_graph(f):
    graph = sg.value_and_grad(f).graph
    assert len([n for n in graph.order if n.data == "add"]) == 1  # x + y is the value's factor and the slope by z


def test_long_chains_are_derived_without_recursion():
    node_count = 20_000
    from symgraph import simplify as s
    from symgraph.graph import Graph, Output
    from symgraph.node import input_node

    x = input_node("x")
    node = x
    for _ in range(node_count):
        node = s.call("sin", node)
    gradient = sg.grad(sg.Function(Graph("f", (x,), (Output("f", node),))), "x")
    verify(gradient.graph)
    assert 0 < gradient(0.5) < 1
