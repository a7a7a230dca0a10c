"""Sizes from shapes: what fixes a symbol, what is checked, and the sentences."""

import pytest
import sympy as sp

from symgraph.axis import Axis
from symgraph.errors import ShapeError
from symgraph.node import input_node
from symgraph.sizes import Place, size_plan, solve_sizes

n, m, d = sp.symbols("n m d", integer=True, positive=True)


def inputs(**shapes):
    return [
        input_node(name, tuple(Axis(f"{name}.{k}", size) for k, size in enumerate(shape)))
        for name, shape in shapes.items()
    ]


@pytest.mark.parametrize(
    ("shapes", "found", "sizes"),
    [
        ({"X": (n, d)}, [(5, 2)], {"n": 5, "d": 2}),
        ({"x": (n,), "y": (n,)}, [(0,), (0,)], {"n": 0}),
        ({"y": (n + 1,), "x": (n,)}, [(4,), (3,)], {"n": 3}),
        ({"y": (2 * n - 1,)}, [(7,)], {"n": 4}),
        ({"y": (n + m,), "x": (n,)}, [(7,), (3,)], {"n": 3, "m": 4}),
        ({"y": (n * d + m,), "x": (n, d)}, [(7,), (2, 3)], {"n": 2, "d": 3, "m": 1}),
        ({"L": (d * (d + 1) / 2,), "x": (d,)}, [(6,), (3,)], {"d": 3}),
        ({"y": (n / 2,)}, [(3,)], {"n": 6}),
        ({"s": (), "X": (n, 3)}, [(), (2, 3)], {"n": 2}),
    ],
)
def test_sizes_are_solved(shapes, found, sizes):
    assert solve_sizes(inputs(**shapes), found) == sizes


@pytest.mark.parametrize(
    ("shapes", "found", "message"),
    [
        (
            {"X": (n, d), "w": (d,)}, [(5, 3), (4,)],
            "argument w has size 4 along axis 0 (d), but argument X has 3 along axis 1 (d)",
        ),
        ({"A": (n, n)}, [(2, 3)], "argument A has size 3 along axis 1 (n), but argument A has 2 along axis 0 (n)"),
        ({"X": (n, 3)}, [(2, 4)], "argument X has size 4 along axis 1, expected 3"),
        (
            {"x": (n,), "y": (n + 1,)}, [(3,), (3,)],
            "argument y has size 3 along axis 0 (n + 1), expected 4: argument x has 3 along axis 0 (n)",
        ),
        ({"y": (2 * n,)}, [(3,)], "argument y has size 3 along axis 0 (2*n): no integer n from 0 up fits"),
        ({"y": (n + 5,)}, [(3,)], "argument y has size 3 along axis 0 (n + 5): no integer n from 0 up fits"),
        ({"X": (n, d)}, [(3,)], "argument X has 1 dimension, expected 2: its shape is (n, d)"),
        ({"x": (n,)}, [()], "argument x has 0 dimensions, expected 1: its shape is (n,)"),
        ({"s": ()}, [(2, 2)], "argument s has 2 dimensions, expected a scalar"),
        (
            {"y": (n**2,)}, [(4,)],
            "the size n cannot be found from the shapes: argument y has the size n**2 along axis 0, which does not "
            "determine it; give n as a size of its own in the shape of an argument",
        ),
        ({"{x}": (2,)}, [(3,)], "argument {x} has size 3 along axis 0, expected 2"),
    ],
)  # fmt: skip
def test_sizes_that_do_not_fit(shapes, found, message):
    with pytest.raises(ShapeError) as error:
        solve_sizes(inputs(**shapes), found)
    assert str(error.value) == message


def test_the_plan_is_data_that_a_generator_can_print():
    plan = size_plan(tuple(inputs(X=(n, d), w=(d,))))
    assert [(rule.name, rule.place) for rule in plan.definitions] == [("n", Place(0, 0)), ("d", Place(0, 1))]
    (check,) = plan.checks
    assert (check.place, check.witness) == (Place(1, 0), Place(0, 1))
    assert "{found}" in check.message
    assert "{witness}" in check.message
