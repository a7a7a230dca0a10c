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
from sympy.tensor.array import ArrayComprehension, NDimArray
from sympy.tensor.array.expressions.array_expressions import ArraySymbol

from ..axis import Axis, size_names
from ..dtype import INTEGER
from ..errors import UnsupportedError
from ..graph import Graph, Output, map_structure
from ..node import Kind, Node
from ..ops import ARGUMENTS, OPS
from .bounds import is_whole
from .pool import unique_name
from .reductions import IndexedMaximum, IndexedMinimum, held, undefined
from .registry import FUNCTION_OF_ROW

__all__ = ["to_sympy"]

Indices: TypeAlias = Mapping[Axis, sp.Expr]
Request: TypeAlias = tuple[Node, Indices]
Steps: TypeAlias = Generator[Request, sp.Basic, sp.Basic]

_MOST_ELEMENTS = 4096  # an array of constant size up to this is written out when it was assembled element by element


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
        An expression for a scalar. An array is an ArrayComprehension, or a Matrix (two dimensions) or Array of its elements when
        it was put together from these.

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
        self.inputs = {n: _input_symbol(n) if s is None else s for n, s in zip(graph.inputs, given, strict=False)}
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
                request = stack[-1][0].send(answer)  # type: ignore[arg-type]  # None starts a rule
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
        return self.axis_symbol(Axis(unique_name(axis.name, {str(s) for s in outside} | self.taken), axis.size))

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
                elements = [self.expression(output.node, dict(zip(output.axes, map(sp.Integer, p), strict=True))) for p in places]
                return sp.ImmutableMatrix(*shape, elements) if len(shape) == 2 else sp.ImmutableDenseNDimArray(elements, shape)
        indices = {a: self.axis_symbol(a) for a in output.axes}
        return _comprehension(self.expression(output.node, indices), [(indices[a], self.size(a.size)) for a in output.axes])


def _comprehension(element: sp.Basic, ranges: list[tuple[sp.Symbol, sp.Expr]]) -> ArrayComprehension:
    """An ArrayComprehension of any size; its constructor knows no rational factor, as in n*(n - 1)/2."""
    limits = [sp.Tuple(symbol, sp.S.Zero, size - 1) for symbol, size in ranges]
    made = sp.Basic.__new__(ArrayComprehension, element, *limits)
    made._limits, made._shape, made._rank = tuple(limits), tuple(size for _, size in ranges), len(limits)
    made._loop_size = sp.Mul(*made._shape)
    return made  # type: ignore[no-any-return]


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
    return _element(writer.inputs.get(node) or _input_symbol(node), [indices[a] for a in node.axes])
    yield  # a generator, as every rule is


def _element(array: Any, place: list[sp.Expr]) -> sp.Basic:
    if not place:
        return array  # type: ignore[no-any-return]
    if isinstance(array, (sp.MatrixBase, NDimArray)):
        return array[tuple(place)]  # type: ignore[no-any-return]
    if isinstance(array, (sp.MatrixSymbol, ArraySymbol)):
        return array[tuple(place)]  # type: ignore[no-any-return]
    return sp.Indexed(array, *place)


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
    write = _OPERATIONS.get(node.data)
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
    return _limited(_REDUCERS[reducer], body, symbol, writer.size(axis.size))


def _limited(cls: type, body: sp.Basic, symbol: sp.Symbol, size: sp.Expr) -> sp.Basic:
    """A sum (or product ...) as it stands: the constructors of SymPy's classes search and rearrange the summand."""
    limits = [sp.Tuple(symbol, sp.S.Zero, size - 1)]
    if type(body) is cls:  # one sum over several indices, innermost first
        body, limits = body.args[0], [*body.args[1:], *limits]
    made = sp.Expr.__new__(cls, body, *limits)
    made.is_commutative = True
    return made  # type: ignore[no-any-return]


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
        conditions.append(sp.Eq(found, indices[target], evaluate=found.is_Integer and indices[target].is_Integer))
    if any(c is sp.false for c in conditions):
        return sp.S.Zero
    result = yield value, inner
    conditions = [c for c in conditions if c is not sp.true]
    if conditions:
        condition = conditions[0] if len(conditions) == 1 else sp.And(*conditions, evaluate=False)
        result = sp.Piecewise((result, condition), (sp.S.Zero, sp.true), evaluate=False)
    for axis in bound:
        result = _limited(sp.Sum, result, inner[axis], writer.size(axis.size))
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

_REDUCERS: dict[str, type] = {
    "sum": sp.Sum, "product": sp.Product, "max": IndexedMaximum, "min": IndexedMinimum,
}  # fmt: skip


# SymPy's own constructors look through their arguments for simplifications, which is not linear: none of them evaluate
def _plain(cls: type) -> Callable[..., sp.Basic]:
    def write(*arguments: sp.Basic) -> sp.Basic:
        made = cls(*arguments, evaluate=False)
        _ = made.is_commutative  # SymPy remembers the answer; asked for at the end only, it would recurse to the leaves
        return made  # type: ignore[no-any-return]

    return write


def _sum(*terms: sp.Basic) -> sp.Basic:
    terms = tuple(t for t in terms if t != 0) if any(t is sp.S.Zero for t in terms) else terms
    return terms[0] if len(terms) == 1 else sp.Add(*terms, evaluate=False) if terms else sp.S.Zero


def _product(*factors: sp.Basic) -> sp.Basic:
    if any(f is sp.S.Zero for f in factors):
        return sp.S.Zero
    if len(factors) == 2 and factors[0].is_Rational and isinstance(factors[1], sp.Mul) and not factors[1].args[0].is_Number:
        return sp.Mul(factors[0], *factors[1].args, evaluate=False)  # SymPy prints a - b only for a flat product
    return sp.Mul(*factors, evaluate=False)


def _select(condition: sp.Basic, then: sp.Basic, otherwise: sp.Basic) -> sp.Basic:
    if condition in (sp.true, sp.false):
        return then if condition is sp.true else otherwise
    if then in (sp.true, sp.false) or getattr(then, "is_Boolean", False):
        return sp.ITE(condition, then, otherwise, evaluate=False)
    return sp.Piecewise((then, condition), (otherwise, sp.true), evaluate=False)


def _whole_quotient(numerator: sp.Basic, denominator: sp.Basic) -> sp.Basic:
    """numerator/denominator where that is whole anyway, as in packed triangles; else with a floor around it."""
    quotient = sp.Mul(sp.Pow(denominator, -1), numerator, evaluate=False)
    if denominator.is_Integer and isinstance(numerator, sp.Add) and len(numerator.args) < 20:
        polynomial = sp.Poly(numerator)
        if polynomial.domain.is_ZZ and is_whole(polynomial * sp.Rational(1, denominator)):
            return quotient
    return sp.floor(quotient, evaluate=False)


_OPERATIONS: dict[str, Callable[..., sp.Basic]] = {
    "add": _sum,
    "mul": _product,
    "pow": _plain(sp.Pow),
    "select": _select,
    "hold": held,
    "undefined": undefined,
    "float": lambda x: x,
    "lt": _plain(sp.Lt),
    "le": _plain(sp.Le),
    "eq": _plain(sp.Eq),
    "ne": _plain(sp.Ne),
    "and": _plain(sp.And),
    "or": _plain(sp.Or),
    "not": _plain(sp.Not),
    "max": _plain(sp.Max),
    "min": _plain(sp.Min),
    "floordiv": _whole_quotient,
    **{
        name: _plain(cls)
        for name, cls in {
            "exp": sp.exp, "log": sp.log, "sin": sp.sin, "cos": sp.cos, "tan": sp.tan, "asin": sp.asin, "acos": sp.acos,
            "atan": sp.atan, "atan2": sp.atan2, "sinh": sp.sinh, "cosh": sp.cosh, "tanh": sp.tanh, "asinh": sp.asinh,
            "acosh": sp.acosh, "atanh": sp.atanh, "abs": sp.Abs, "sign": sp.sign, "floor": sp.floor,
            "ceil": sp.ceiling, "mod": sp.Mod, "erf": sp.erf, "erfc": sp.erfc, "gamma": sp.gamma,
            "loggamma": sp.loggamma,
        }.items()
    },
}  # fmt: skip
