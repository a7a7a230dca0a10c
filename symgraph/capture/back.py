"""Back to SymPy: the same model as expressions, with sums as Sum and elements as Indexed.

The conversion mirrors capture: it asks for the expression of a node with its axes standing for given indices, on an
explicit stack, and remembers every result, so that what is shared in the graph is one object in SymPy. Nothing is
evaluated or expanded on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import sympy as sp

from ..axis import Axis, size_names
from ..dtype import INTEGER
from ..errors import UnsupportedError
from ..graph import Graph, Output, map_structure
from ..node import Kind, Node
from ..ops import ARGUMENTS, OPS
from .notation import OPERATIONS, REDUCERS, comprehension, element, limited
from .pool import unique_name
from .registry import FUNCTION_OF_ROW

__all__ = ["to_sympy"]

Indices: TypeAlias = Mapping[Axis, sp.Expr]
Request: TypeAlias = tuple[Node, Indices]
Steps: TypeAlias = Generator[Request, sp.Basic, sp.Basic]

_MOST_ELEMENTS = (
    4096  # an array of constant size up to this is written out when it was assembled element by element
)


def to_sympy(graph: Graph, symbols: Sequence[object] = ()) -> Any:
    """The outputs of a graph as SymPy objects, in the structure that a call returns.

    Parameters
    ----------
    graph:
        Any graph.
    symbols:
        For each input the SymPy object that stands for it, or None; by default a symbol or IndexedBase of its name.

    Returns
    -------
    object
        An expression for a scalar. An array is an ArrayComprehension, or a Matrix (two dimensions) or Array of its
        elements when it was put together from these.

    Raises
    ------
    UnsupportedError
        For an operation that SymPy has no notation for.

    Examples
    --------
    >>> from symgraph.capture import capture
    >>> x, y = sp.symbols("x y")
    >>> to_sympy(*capture(sp.sin(x) * y - x / y))
    -x/y + y*sin(x)
    """
    writer = _Writer(graph, symbols)
    return map_structure(graph.structure, lambda k: writer.output(graph.outputs[k]))


class _Writer:
    """One conversion: the symbols of inputs, sizes and axes, and what is written so far."""

    def __init__(self, graph: Graph, symbols: Sequence[object]) -> None:
        given = [*symbols, *[None] * (len(graph.inputs) - len(symbols))]
        self.inputs = {
            n: _input_symbol(n) if s is None else s for n, s in zip(graph.inputs, given, strict=False)
        }
        self.sizes = _size_symbols(self.inputs.values())
        self.taken = {str(s) for s in self.inputs.values()} | {str(s) for s in self.sizes.values()}
        self.axes: dict[Axis, sp.Symbol] = {}
        self.memo: dict[tuple[object, ...], sp.Basic] = {}

    # ------------------------------------------------------------------------------------------------- the machine
    def expression(self, node: Node, indices: Indices) -> Any:
        """The expression of a node whose axes stand for the given indices."""
        stack: list[tuple[Steps, tuple[object, ...]]] = []
        request: Request | None = (node, indices)
        answer: sp.Basic | None = None
        while True:
            if request is not None:
                wanted, names = request
                key = (wanted, *(names[a] for a in wanted.axes))
                answer = self.memo.get(key)
                if answer is None:
                    stack.append((_RULES[wanted.kind](self, wanted, names), key))
            if not stack:
                return answer
            try:
                request = stack[-1][0].send(answer)
            except StopIteration as finished:
                answer = self.memo[stack.pop()[1]] = finished.value
                request = None

    def axis_symbol(self, axis: Axis) -> sp.Symbol:
        """The symbol of an axis, of its name, different from every other symbol."""
        if axis not in self.axes:
            name = unique_name(axis.name, self.taken)
            self.taken.add(name)
            self.axes[axis] = sp.Symbol(name, integer=True)
        return self.axes[axis]

    def bound(self, axis: Axis, indices: Indices) -> sp.Symbol:
        """A symbol for an axis that a sum binds, different from those that the indices outside are made of."""
        symbol = self.axis_symbol(axis)
        outside = {s for a, e in indices.items() if a != axis for s in e.free_symbols}
        if symbol not in outside:
            return symbol
        return self.axis_symbol(
            Axis(unique_name(axis.name, {str(s) for s in outside} | self.taken), axis.size)
        )

    def size(self, size: sp.Expr) -> sp.Expr:
        """A size in the user's symbols."""
        for name in size_names([size]):
            if name not in self.sizes:
                self.sizes[name] = sp.Symbol(name, integer=True, positive=True)
        return size.xreplace({s: self.sizes[s.name] for s in size.free_symbols})

    # ------------------------------------------------------------------------------------------------------ outputs
    def output(self, output: Output) -> Any:
        """An output in the form that it was given in."""
        if not output.axes:
            return self.expression(output.node, {})
        sizes = [a.size for a in output.axes]
        if all(n.is_Integer for n in sizes) and _assembled(output.node):
            shape = tuple(int(n) for n in sizes)
            count = int(sp.prod(sizes))
            if count <= _MOST_ELEMENTS:
                places = [_unravel(k, shape) for k in range(count)]
                elements = [
                    self.expression(output.node, dict(zip(output.axes, map(sp.Integer, p), strict=True)))
                    for p in places
                ]
                return (
                    sp.ImmutableMatrix(*shape, elements)
                    if len(shape) == 2
                    else sp.ImmutableDenseNDimArray(elements, shape)
                )
        indices = {a: self.axis_symbol(a) for a in output.axes}
        return comprehension(
            self.expression(output.node, indices), [(indices[a], self.size(a.size)) for a in output.axes]
        )


def _unravel(count: int, shape: tuple[int, ...]) -> list[int]:
    place = []
    for size in reversed(shape):
        count, index = divmod(count, size)
        place.append(index)
    return place[::-1]


def _assembled(node: Node) -> bool:
    """Whether a node is a constant, a scalar along its output, or a sum of elements put at constant places."""
    terms = node.args if node.kind is Kind.ELEMENTWISE and node.data == "add" else (node,)
    for term in terms:
        core = term.args[1] if term.kind is Kind.ELEMENTWISE and term.data == "mul" else term
        if core.kind is not Kind.SCATTER_ADD or any(x.kind is not Kind.CONST for x in core.args[1:]):
            return not node.axes
    return True


def _input_symbol(node: Node) -> sp.Basic:
    if node.axes:
        return sp.IndexedBase(node.data, shape=tuple(a.size for a in node.axes))
    return sp.Symbol(node.data, integer=True) if node.dtype is INTEGER else sp.Symbol(node.data)


def _size_symbols(inputs: Any) -> dict[str, sp.Symbol]:
    sizes: dict[str, sp.Symbol] = {}
    for item in inputs:
        for size in getattr(item, "shape", None) or ():
            for symbol in sorted(sp.sympify(size).free_symbols, key=str):
                sizes.setdefault(symbol.name, symbol)
    return sizes


# ------------------------------------------------------------------------------------------------------------- rules
def _write_input(writer: _Writer, node: Node, indices: Indices) -> Steps:
    return element(writer.inputs.get(node) or _input_symbol(node), [indices[a] for a in node.axes])
    yield  # a generator, as every rule is


def _write_constant(writer: _Writer, node: Node, indices: Indices) -> Steps:
    value = node.data
    if isinstance(value, bool):
        return sp.true if value else sp.false
    if isinstance(value, Fraction):
        return sp.Rational(value.numerator, value.denominator)
    if isinstance(value, float) and value != value:
        return sp.nan
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return sp.oo if value > 0 else -sp.oo
    return sp.Float(value) if isinstance(value, float) else sp.sympify(value)
    yield


def _write_size(writer: _Writer, node: Node, indices: Indices) -> Steps:
    return writer.size(sp.Symbol(node.data, integer=True, nonnegative=True))
    yield


def _write_index(writer: _Writer, node: Node, indices: Indices) -> Steps:
    return indices[node.data]
    yield


def _write_broadcast(writer: _Writer, node: Node, indices: Indices) -> Steps:
    return (yield node.args[0], indices)


def _write_elementwise(writer: _Writer, node: Node, indices: Indices) -> Steps:
    arguments = []
    for argument in node.args:
        arguments.append((yield argument, indices))
    write = OPERATIONS.get(node.data)
    if write is not None:
        return write(*arguments)
    function = FUNCTION_OF_ROW.get(node.data)
    if function is not None:
        return function(*arguments)
    row = OPS[node.data]
    if row.formula is None:
        raise UnsupportedError(f"the operation {node.data} has no notation in SymPy")
    return row.formula.xreplace(dict(zip(ARGUMENTS, arguments, strict=False)))


def _write_reduce(writer: _Writer, node: Node, indices: Indices) -> Steps:
    reducer, axis = node.data
    symbol = writer.bound(axis, indices)
    body = yield node.args[0], {**indices, axis: symbol}
    return limited(REDUCERS[reducer], body, symbol, writer.size(axis.size))


def _write_gather(writer: _Writer, node: Node, indices: Indices) -> Steps:
    array, *positions = node.args
    place = dict(indices)
    for axis, position in zip(node.data, positions, strict=True):
        place[axis] = yield position, indices
    return (yield array, place)


def _write_scatter(writer: _Writer, node: Node, indices: Indices) -> Steps:
    """sum of the value over everything that lands on the target; one element put at a constant place is chosen."""
    value, *positions = node.args
    targets, summed = node.data
    inner = {a: i for a, i in indices.items() if a not in targets}
    bound = []
    for axis in summed:
        inner[axis] = writer.bound(axis, indices)
        bound.append(axis)
    conditions = []
    for target, position in zip(targets, positions, strict=True):
        found = yield position, inner
        conditions.append(
            sp.Eq(found, indices[target], evaluate=found.is_Integer and indices[target].is_Integer)
        )
    if any(c is sp.false for c in conditions):
        return sp.S.Zero
    result = yield value, inner
    conditions = [c for c in conditions if c is not sp.true]
    if conditions:
        condition = conditions[0] if len(conditions) == 1 else sp.And(*conditions, evaluate=False)
        result = sp.Piecewise((result, condition), (sp.S.Zero, sp.true), evaluate=False)
    for axis in bound:
        result = limited(sp.Sum, result, inner[axis], writer.size(axis.size))
    return result


def _write_scan(writer: _Writer, node: Node, indices: Indices) -> Steps:
    raise UnsupportedError("a recurrence has no notation in SymPy")
    yield


_RULES: dict[Kind, Callable[[_Writer, Node, Indices], Steps]] = {
    Kind.INPUT: _write_input,
    Kind.CONST: _write_constant,
    Kind.SIZE: _write_size,
    Kind.AXIS_INDEX: _write_index,
    Kind.ELEMENTWISE: _write_elementwise,
    Kind.REDUCE: _write_reduce,
    Kind.BROADCAST: _write_broadcast,
    Kind.GATHER: _write_gather,
    Kind.SCATTER_ADD: _write_scatter,
    Kind.SCAN: _write_scan,
}
