"""Axes and sizes."""

import pickle

import pytest
import sympy as sp

from symgraph.axis import Axis, evaluate_size, size_expression, size_names, size_symbol
from symgraph.errors import ShapeError

n = size_symbol("n")


def test_axes_are_equal_by_name_and_size():
    assert Axis("i", "n") == Axis("i", n) == Axis("i", sp.Symbol("n", positive=True))
    assert hash(Axis("i", "n")) == hash(Axis("i", n))
    assert Axis("i", "n") != Axis("i", "m")
    assert Axis("i", "n") != Axis("j", "n")
    assert Axis("i", 3) == Axis("i", sp.Integer(3))
    assert Axis("i", 3) != "i"


def test_axes_cannot_be_changed():
    with pytest.raises(AttributeError, match="cannot be changed"):
        Axis("i", 3).name = "j"


def test_axes_survive_pickling_and_repr():
    for axis in (Axis("i", n + 1), Axis("λ x", 3), Axis("i", "n")):
        assert pickle.loads(pickle.dumps(axis)) == axis
    assert eval(repr(Axis("i", 3))) == Axis("i", 3)
    assert eval(repr(Axis("i", "n"))) == Axis("i", "n")


def test_sizes_are_canonical_whatever_the_assumptions():
    user = sp.Symbol("n", integer=True, positive=True)
    assert size_expression(user * (user + 1)) == n**2 + n
    assert size_expression("n") is n
    assert size_expression(5) == 5


@pytest.mark.parametrize("size", [-1, sp.Float(2.0), sp.Rational(1, 2), sp.Symbol("n") + sp.Float(0.5)])
def test_what_is_no_size(size):
    with pytest.raises(ShapeError):
        size_expression(size)


def test_values_of_sizes():
    assert evaluate_size(size_expression(sp.Symbol("d") * (sp.Symbol("d") + 1) / 2), {"d": 4}) == 10
    with pytest.raises(ShapeError, match="the size m is not known: no argument has it in its shape"):
        evaluate_size(size_expression(sp.Symbol("m") + n), {"n": 1})


def test_names_of_sizes_in_order_of_appearance():
    m = size_symbol("m")
    assert size_names([m, n + m, sp.Integer(2), size_symbol("a") * n]) == ("m", "n", "a")
