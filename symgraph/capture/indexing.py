"""Elements of arrays: ``X[i, j + 1]``, ``cam[ci[o], k]``, packed triangles ``L[i*(i - 1)/2 + j]``.

An index is an integer polynomial of summation indices, sizes, integer arguments and elements of integer arrays. One
with fractions is brought to a common denominator and divided exactly, so that it stays an integer all the way.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

import sympy as sp
from sympy.matrices.expressions.matexpr import MatrixElement
from sympy.polys.polyerrors import PolynomialError
from sympy.tensor.array.expressions.array_expressions import ArrayElement

from .. import simplify as s
from ..dtype import INTEGER
from ..errors import ShapeError, UnsupportedError
from ..node import Node, constant
from .bounds import affine_range, canonical_sizes, is_at_least, is_whole
from .engine import Bindings, Machine, Request, Steps

__all__ = ["element", "integer_node"]


def element(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Steps:
    """One element of an array argument, or of a matrix expression."""
    array = expression.args[0]
    indices = (
        expression.indices if isinstance(expression, (sp.Indexed, ArrayElement)) else expression.args[1:]
    )
    known = machine.arrays.get(array)
    if known is None and not isinstance(expression, sp.Indexed):
        nodes = []
        for dimension, index in enumerate(indices):
            nodes.append(
                (
                    yield from checked_index(
                        machine, index, bindings, str(array), dimension, array.shape[dimension]
                    )
                )
            )
        return (yield array, bindings, tuple(nodes))
    known = machine.array(array)
    axes = known.node.axes
    if len(indices) != len(axes):
        raise ShapeError(
            f"{expression} has {len(indices)} indices, but {known.name} has {len(axes)} dimensions "
            f"{tuple(str(a.size) for a in axes)}"
        )
    reads = {}
    for dimension, (axis, index) in enumerate(zip(axes, indices, strict=True)):
        reads[axis] = yield from checked_index(machine, index, bindings, known.name, dimension, axis.size)
    return s.gather(known.node, reads)


def checked_index(
    machine: Machine, index: sp.Basic, bindings: Bindings, name: str, dimension: int, size: sp.Expr
) -> Generator[Request, Node, Node]:
    """The integer node of an index, refused where it is provably out of range."""

    def where() -> str:
        return f"along axis {dimension} of {name} (size {size})"

    if isinstance(index, sp.Integer):
        if index < 0:
            raise ShapeError(
                f"the index {index} {where()} is negative: indices run from 0, there is no counting from the end"
            )
        if isinstance(size, (int, sp.Integer)) and index >= size:
            raise ShapeError(
                f"the index {index} {where()} is out of range: the last element is {int(size) - 1}"
            )
        return constant(int(index))
    node = yield from integer_node(machine, index, bindings)
    sizes = machine.survey.size_names
    known = all(x in bindings or getattr(x, "name", None) in sizes for x in index.free_symbols)
    if known and not machine.survey.conditional:
        _check_range(index, bindings, where, size)
    return node


def _check_range(index: sp.Basic, bindings: Bindings, where: Callable[[], str], size: sp.Expr) -> None:
    used = [x for x in bindings if x in index.free_symbols]
    if (
        not used
        or any(bindings[x].guarded for x in used)
        or index.atoms(sp.Indexed, MatrixElement, ArrayElement, sp.Function)
    ):
        return
    limits = affine_range(index, bindings)
    if limits is None:
        return
    low, high = limits
    over = sp.expand(high - canonical_sizes(sp.sympify(size)))
    if is_at_least(-low, 1):
        raise ShapeError(
            f"the index {index} {where()} runs down to {low}: start its range later, or guard it by a Piecewise"
        )
    if is_at_least(over, 0):
        raise ShapeError(
            f"the index {index} {where()} runs up to {high}: end its range earlier, or guard it by a Piecewise"
        )
    foreign = over.free_symbols - canonical_sizes(sp.sympify(size)).free_symbols
    if foreign and not is_at_least(-over, 1):
        raise ShapeError(
            f"the index {index} {where()} runs up to {high}: one size must follow from the other; use the same size "
            "symbol in the shape and in the range"
        )


def integer_node(
    machine: Machine, expression: sp.Basic, bindings: Bindings
) -> Generator[Request, Node, Node]:
    """The node of an integer polynomial; every refusal names the part that is not an integer."""
    if isinstance(expression, sp.Integer):
        return constant(int(expression))
    if not isinstance(expression, (sp.Add, sp.Mul, sp.Pow)):
        return (yield from _integer_factor(machine, expression, expression, bindings))
    try:
        polynomial = sp.Poly(expression)
    except PolynomialError:
        polynomial = None
    if polynomial is None or not (polynomial.domain.is_ZZ or polynomial.domain.is_QQ):
        raise _not_an_index(expression, expression)
    terms = polynomial.terms()
    denominator = int(sp.ilcm(1, *(c.q for _, c in terms)))
    factors = []
    for generator in polynomial.gens:
        factors.append((yield from _integer_factor(machine, generator, expression, bindings)))
    summands = []
    for powers, coefficient in terms:
        product = [constant(int(coefficient * denominator))]
        for factor, power in zip(factors, powers, strict=True):
            product.extend([factor] * power)
        summands.append(s.mul(*product))
    if denominator != 1 and not is_whole(polynomial):
        raise _not_an_index(expression, expression)
    total = s.add(*summands)
    return total if denominator == 1 else s.call("floordiv", total, constant(denominator))


def _integer_factor(
    machine: Machine, factor: sp.Basic, whole: sp.Basic, bindings: Bindings
) -> Generator[Request, Node, Node]:
    if isinstance(factor, sp.Float) or factor.is_integer is False:
        raise _not_an_index(factor, whole)
    if isinstance(factor, (sp.floor, sp.ceiling)):
        numerator, denominator = sp.fraction(sp.together(factor.args[0]))
        if isinstance(denominator, sp.Integer):
            upwards = isinstance(factor, sp.ceiling)
            node = yield from integer_node(
                machine, sp.expand(numerator + (denominator - 1 if upwards else 0)), bindings
            )
            return s.call("floordiv", node, constant(int(denominator)))
        raise _not_an_index(factor, whole)
    if isinstance(factor, sp.Mod):
        left = yield from integer_node(machine, factor.args[0], bindings)
        right = yield from integer_node(machine, factor.args[1], bindings)
        return s.call("mod", left, right)
    node = yield factor, bindings, ()
    if node.dtype is not INTEGER:
        raise _not_an_index(factor, whole)
    return node


def _not_an_index(part: sp.Basic, whole: sp.Basic) -> UnsupportedError:
    found = f"{part} in the index {whole}" if part is not whole else f"the index {whole}"
    return UnsupportedError(
        f"{found} is not an integer: an index is made of summation indices, sizes, integer arguments "
        "(Symbol(..., integer=True)) and elements of integer arrays (IndexedBase(..., integer=True))"
    )
