"""Matrix and array expressions, one element at a time: the position that is wanted is given as integer nodes.

A position is made of axes (the whole matrix is then a node over them), of constants, or of any integer node. A product
of matrices sums over an axis between each two of them; a transpose exchanges the position; nothing is ever expanded.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

import sympy as sp
from sympy.tensor.array import ArrayComprehension

from .. import simplify as s
from ..axis import Axis, size_expression
from ..errors import ShapeError, UnsupportedError
from ..node import Kind, Node, axis_index, constant
from .bounds import affine_range, require_affine
from .engine import Bindings, Machine, Request, Rule, Steps
from .sums import limit_parts, size_expression_node
from .user import apply_formula

__all__ = [
    "applied_function", "array_symbol", "assemble", "axis_position", "comprehension", "diagonal_matrix",
    "dot_product", "explicit", "filled", "hadamard_power", "hadamard_product", "identity", "matrix_power_chain",
    "matrix_product", "matrix_slice", "matrix_sum", "shape_of", "trace", "transpose",
]  # fmt: skip


def shape_of(expression: sp.Basic) -> tuple[sp.Expr, ...]:
    """The sizes of the dimensions of an expression, () for a scalar; sizes are in canonical form."""
    if isinstance(expression, ArrayComprehension):
        own = []
        for limit in expression.limits:
            _, lower, upper = limit_parts(limit)
            own.append(size_expression(upper - lower + 1))
        return (*own, *shape_of(expression.args[0]))
    if isinstance(expression, (sp.Sum, sp.Product)):
        return shape_of(expression.args[0])
    if isinstance(
        expression, (sp.Indexed, sp.IndexedBase)
    ):  # SymPy's Indexed has a shape, that of its ranges
        return ()
    shape = getattr(expression, "shape", None)
    if shape is None:
        return ()
    return tuple(size_expression(sp.sympify(size)) for size in shape)


def axis_position(machine: Machine, size: sp.Expr, name: str, used: Sequence[Axis]) -> tuple[Axis, Node]:
    """An axis of this size, and the index that runs over it (0 where there is only one element)."""
    axis = machine.pool.take(size, name, used)
    return axis, constant(0) if size == 1 else axis_index(axis)


# ------------------------------------------------------------------------------------------------- symbols, elements
def array_symbol(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Node:
    """An element of an array argument."""
    known = machine.array(expression)
    if len(position) != len(known.node.axes):
        raise UnsupportedError(
            f"the array {known.name} has no meaning as a number: index it, as in {known.name}[i]"
        )
    return s.gather(known.node, dict(zip(known.node.axes, position, strict=True)))


def explicit(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Steps:
    """An element of a Matrix or Array of given elements: chosen at a constant position, assembled over axes."""
    shape = tuple(int(n) for n in expression.shape)
    items = expression.flat() if isinstance(expression, sp.MatrixBase) else list(expression._array)
    elements: list[Node | None] = []
    for count, item in enumerate(items):
        wanted = all(
            p.kind is not Kind.CONST or p.data == k
            for p, k in zip(position, _unravel(count, shape), strict=True)
        )
        elements.append((yield item, bindings, ()) if wanted else None)
    return assemble(machine, expression, bindings, position, shape, elements)


def assemble(
    machine: Machine,
    expression: sp.Basic,
    bindings: Bindings,
    position: tuple[Node, ...],
    shape: tuple[int, ...],
    elements: Sequence[Node | None],
) -> Node:
    """The element at a position of an array whose elements are given in row-major order.

    Elements that no constant of the position chooses may be None.
    """
    targets: list[Axis] = []
    reads: dict[Axis, Node] = {}
    for dimension, index in enumerate(position):
        if index.kind is Kind.CONST:
            continue
        if (
            index.kind is Kind.AXIS_INDEX
            and index.data.size == shape[dimension]
            and index.data not in targets
        ):
            targets.append(index.data)
        else:  # assemble over an axis of its own, then read that at the index
            used = [
                *targets,
                *(a for p in position for a in p.axes),
                *machine.used_axes(expression, bindings),
            ]
            axis = machine.pool.take(sp.Integer(shape[dimension]), "k", used)
            targets.append(axis)
            reads[axis] = index
    parts = []
    for count, element in enumerate(elements):
        place = _unravel(count, shape)
        if element is None or any(
            p.kind is Kind.CONST and p.data != k for p, k in zip(position, place, strict=True)
        ):
            continue
        running = [k for p, k in zip(position, place, strict=True) if p.kind is not Kind.CONST]
        indices = {axis: constant(k) for axis, k in zip(targets, running, strict=True)}
        parts.append(s.scatter_add(element, indices, ()) if indices else element)
    total = s.add(*parts) if parts else constant(0)
    return s.gather(total, reads) if reads else total


def _unravel(count: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    place = []
    for size in reversed(shape):
        count, index = divmod(count, size)
        place.append(index)
    return tuple(reversed(place))


def comprehension(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    """An element of an ArrayComprehension: each index stands for a position plus its lower bound."""
    inner = dict(bindings)
    limits = expression.limits
    for limit, index in zip(limits, position, strict=False):
        symbol, lower, upper = limit_parts(limit)
        for bound in (lower, upper):
            require_affine(bound, symbol, bindings, machine.survey.size_names)
        low, high = affine_range(lower, {}), affine_range(upper, {})
        if low is None or high is None:
            raise UnsupportedError(
                f"the bounds of the index {symbol} depend on other indices: an array is rectangular"
            )
        node = index if low[0] == 0 else s.add(index, (yield from size_expression_node(low[0])))
        inner[symbol] = machine.bind(node, low[0], high[1])
    return (yield expression.args[0], inner, tuple(position[len(limits) :]))


# --------------------------------------------------------------------------------------------------------- products
def matrix_product(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    """An element of a product: scalar factors in front, a sum between each two matrices."""
    scalars = [a for a in expression.args if not shape_of(a)]
    matrices = [a for a in expression.args if shape_of(a)]
    factors = []
    for scalar in scalars:
        factors.append((yield scalar, bindings, ()))
    chain = yield from _chain(machine, matrices, bindings, position)
    return s.mul(*factors, chain) if factors else chain


def _chain(
    machine: Machine, matrices: list[sp.Basic], bindings: Bindings, position: tuple[Node, ...]
) -> Generator[Request, Node, Node]:
    shapes = [shape_of(m) for m in matrices]
    for left, right, first, second in zip(shapes, shapes[1:], matrices, matrices[1:], strict=False):
        if sp.expand(left[-1] - right[0]) != 0:
            raise ShapeError(
                f"{first} has {left[-1]} columns, but {second} has {right[0]} rows: a product needs equal sizes"
            )
    used = list(
        dict.fromkeys(
            [
                *(a for p in position for a in p.axes),
                *(a for m in matrices for a in machine.used_axes(m, bindings)),
            ]
        )
    )
    # a column at the right end makes it cheaper to multiply from there
    from_right = shapes[-1][-1] == 1 and shapes[0][0] != 1
    order = list(range(len(matrices)))
    if from_right:
        order.reverse()
    outer, last = (position[1], position[0]) if from_right else position
    value: Node | None = None
    open_axis: Axis | None = None
    open_index = outer
    for step, k in enumerate(order):
        closing = step == len(order) - 1
        next_axis: Axis | None = None
        next_index = last
        if not closing:
            size = shapes[k][0] if from_right else shapes[k][1]
            taken = [*used, *([open_axis] if open_axis is not None else [])]
            next_axis, next_index = axis_position(machine, size, "k", taken)
        place = (next_index, open_index) if from_right else (open_index, next_index)
        factor = yield matrices[k], bindings, place
        value = factor if value is None else s.mul(value, factor)
        if open_axis is not None:
            value = s.reduce("sum", value, open_axis)
        open_axis, open_index = next_axis, next_index
    assert value is not None
    return value


def matrix_power_chain(
    machine: Machine, base: sp.Basic, exponent: int, bindings: Bindings, position: tuple[Node, ...]
) -> Generator[Request, Node, Node]:
    """An element of a product of ``exponent`` equal matrices."""
    return (yield from _chain(machine, [base] * exponent, bindings, position))


def trace(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Steps:
    """The sum over the diagonal."""
    matrix = expression.args[0]
    rows, columns = shape_of(matrix)
    if sp.expand(rows - columns) != 0:
        raise ShapeError(
            f"the trace of {matrix} needs a square matrix, found {rows} rows and {columns} columns"
        )
    axis, index = axis_position(machine, rows, "i", machine.used_axes(matrix, bindings))
    value = yield matrix, bindings, (index, index)
    return s.reduce("sum", value, axis)


def dot_product(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    """The inner product of two vectors, each a row or a column."""
    shapes = [shape_of(a) for a in expression.args]
    sizes = [rows if columns == 1 else columns for rows, columns in shapes]
    axis, index = axis_position(machine, sizes[0], "k", machine.used_axes(expression, bindings))
    factors = []
    for vector, (_, columns) in zip(expression.args, shapes, strict=True):
        place = (index, constant(0)) if columns == 1 else (constant(0), index)
        factors.append((yield vector, bindings, place))
    return s.reduce("sum", s.mul(*factors), axis)


# -------------------------------------------------------------------------------------------------- element by element
def matrix_sum(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    """An element of a sum of matrices."""
    return s.add(*(yield from _elements(expression, bindings, position)))


def hadamard_product(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    """An element of a product taken element by element."""
    return s.mul(*(yield from _elements(expression, bindings, position)))


def hadamard_power(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    """An element of a power taken element by element."""
    base = yield expression.args[0], bindings, position
    exponent = yield expression.args[1], bindings, position if shape_of(expression.args[1]) else ()
    return s.power(base, exponent)


def _elements(
    expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Generator[Request, Node, list[Node]]:
    values = []
    first = shape_of(expression.args[0])
    for argument in expression.args:
        shape = shape_of(argument)
        if len(shape) != len(first) or any(sp.expand(a - b) != 0 for a, b in zip(shape, first, strict=True)):
            raise ShapeError(
                f"{expression.args[0]} has shape {first}, but {argument} has shape {shape}: they must be equal"
            )
        values.append((yield argument, bindings, position))
    return values


def transpose(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    """An element of the transpose."""
    return (yield expression.args[0], bindings, (position[1], position[0]))


def matrix_slice(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    """An element of a slice: the position is scaled by the step and shifted."""
    parent, *slices = expression.args
    place = []
    for index, (start, _, step) in zip(position, slices, strict=True):
        shift = yield from size_expression_node(sp.sympify(start))
        place.append(s.add(s.mul(constant(int(step)), index), shift))
    return (yield parent, bindings, tuple(place))


def identity(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Node:
    """1 on the diagonal, 0 elsewhere."""
    return s.select(s.call("eq", *position), constant(1), constant(0))


def diagonal_matrix(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    """A vector on the diagonal, 0 elsewhere."""
    vector = expression.args[0]
    column = shape_of(vector)[1] == 1
    value = yield vector, bindings, (position[0], constant(0)) if column else (constant(0), position[0])
    return s.select(s.call("eq", *position), value, constant(0))


def applied_function(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    """A function of one variable, applied to every element."""
    formula, matrix = expression.args
    value = yield matrix, bindings, position
    return (yield from apply_formula(machine, formula, [value]))


def filled(value: int) -> Rule:
    """The rule of a matrix whose elements are all the same."""
    return lambda machine, expression, bindings, position: constant(value)
