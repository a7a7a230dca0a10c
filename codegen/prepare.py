"""The graph in the operations that are emitted: powers as products, reciprocals as divisions, negative terms
as differences.

The result has the same values. Beside the rows of the op table its elementwise nodes may be ``sub``, ``div``,
``neg``, ``rcp`` and ``sqrt`` (see :mod:`~symgraph.codegen.loop_ir`). Nodes that only mark (``hold``,
``float`` of a floating value, BROADCAST) are gone. Constant subgraphs are one constant, evaluated with 50
digits and rounded once, where it is printed. Library calls in branches are guarded (:mod:`.guards`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import numpy as np
import sympy as sp

from ..dtype import FLOATING, INTEGER, Dtype
from ..expansions import expand
from ..graph import Graph, Output
from ..node import Kind, Node, constant, make, union_axes
from ..ops import ARGUMENTS, OPS
from .emitted import elementwise, with_arguments
from .guards import guarded

__all__ = ["prepare", "prepared_nodes"]

DIGITS = 50
LARGEST_POWER = 64
_UNFOLDED = frozenset(
    {"add", "mul", "undefined", "select", "and", "or", "not", "lt", "le", "eq", "ne", "floor", "ceil", "sign"}
)


def prepare(graph: Graph, *, exact: bool = False) -> Graph:
    """The graph in emitted operations.

    Parameters
    ----------
    graph:
        Any graph.
    exact:
        Every division stays a division; otherwise a reciprocal that several products share is computed once.
    """
    return guarded(_Preparation(expand(graph), exact).result())[0]


def prepared_nodes(graph: Graph) -> dict[Node, Node]:
    """For each node of a graph the node that it becomes; what is expanded first is not among them.

    >>> from symgraph.node import input_node
    >>> from symgraph.ops import apply_op
    >>> x = input_node("x")
    >>> root = apply_op("pow", x, constant(Fraction(1, 2)))
    >>> prepared_nodes(Graph("f", (x,), (Output("out", root),)))[root].data
    'sqrt'
    """
    preparation = _Preparation(expand(graph), False)
    _, replaced = guarded(preparation.result())
    return {node: replaced.get(new, new) for node, new in preparation.new.items()}


def _integer(op: str, *arguments: Node) -> Node:
    return make(Kind.ELEMENTWISE, arguments, union_axes(arguments), INTEGER, op)


class _Preparation:
    def __init__(self, graph: Graph, exact: bool) -> None:
        self.graph, self.exact = graph, exact
        self.new: dict[Node, Node] = {}
        self.uses: dict[Node, int] = {}
        for node in graph.order:
            for argument in node.args:
                self.uses[argument] = self.uses.get(argument, 0) + 1
        for output in graph.outputs:
            self.uses[output.node] = self.uses.get(output.node, 0) + 1
        self.floating = _as_floating(graph)
        self.reciprocals = {
            n.args[0] for n in graph.order if n.kind is Kind.ELEMENTWISE and n.data == "pow" and n.args[1] is _MINUS_ONE
        }

    def result(self) -> Graph:
        for node in self.graph.order:
            self.new[node] = self.node(node)
        outputs = tuple(Output(o.name, self.new[o.node], o.axes) for o in self.graph.outputs)
        return Graph(self.graph.name, self.graph.inputs, outputs, self.graph.structure)

    def node(self, node: Node) -> Node:
        if node.kind is Kind.BROADCAST:
            return self.new[node.args[0]]
        if node.kind is not Kind.ELEMENTWISE:
            arguments = tuple(self.new[a] for a in node.args)
            return node if arguments == node.args else with_arguments(node, arguments)
        floating = node.dtype is FLOATING or node in self.floating
        if floating and node.args and all(self.new[a].kind is Kind.CONST for a in node.args):
            folded = _folded(node.data, [self.new[a] for a in node.args])
            if folded is not None:
                return folded
        if node.dtype is INTEGER and node.data == "pow" and type(node.args[1].data) is int and node.args[1].data > 0:
            return _chain(self.new[node.args[0]], node.args[1].data, INTEGER)
        rules = _RULES if floating else _INTEGER_RULES
        rule = rules.get(node.data)
        return self.plain(node) if rule is None else rule(self, node)

    def plain(self, node: Node) -> Node:
        arguments = tuple(self.new[a] for a in node.args)
        dtype = FLOATING if node in self.floating else node.dtype
        return make(Kind.ELEMENTWISE, arguments, union_axes(arguments), dtype, node.data)

    # ------------------------------------------------------------------------------------------------ the rules
    def marker(self, node: Node) -> Node:
        argument = self.new[node.args[0]]
        return argument if argument.dtype is node.dtype else self.plain(node)

    def power(self, node: Node) -> Node:
        base, exponent = self.new[node.args[0]], _number(node.args[1])
        if exponent is None:
            return self.plain(node)
        if exponent.denominator == 1 and 0 < abs(exponent.numerator) <= LARGEST_POWER:
            return self.whole_power(node.args[0], base, exponent.numerator)
        if exponent.denominator == 2 and 0 < abs(exponent.numerator) <= LARGEST_POWER:
            root = elementwise("sqrt", base)
            whole = (abs(exponent.numerator) - 1) // 2
            value = root if not whole else elementwise("mul", _chain(base, whole), root)
            return value if exponent > 0 else elementwise("rcp", value)
        return self.plain(node)

    def whole_power(self, original: Node, base: Node, exponent: int) -> Node:
        if exponent > 0:
            return _chain(base, exponent)
        if original in self.reciprocals:
            return _chain(elementwise("rcp", base), -exponent)
        return elementwise("rcp", _chain(base, -exponent))

    def product(self, node: Node) -> Node:
        numerators: list[Node] = []
        divisors: list[Node] = []
        number: Node | None = None
        for argument in node.args:
            new = self.new[argument]
            if self.absorbs(node, argument):
                number = new.args[0] if number is None else _times(number, new.args[0])
                numerators.extend(new.args[1:])
            elif new.kind is Kind.CONST and new.data is not True and new.data is not False:
                number = new if number is None else _times(number, new)
            elif _is(new, "rcp") and (self.exact or self.uses[argument] == 1):
                divisors.append(new.args[0])
            else:
                numerators.append(new)
        negative = number is not None and number.kind is Kind.CONST and _negative_one(number)
        if number is not None and not negative:
            numerators.insert(0, number)
        if not numerators:
            value, divisors = elementwise("rcp", divisors[0]), divisors[1:]
        else:
            value = numerators[0] if len(numerators) == 1 else elementwise("mul", *numerators)
        for divisor in divisors:
            value = elementwise("div", value, divisor)
        if negative:
            return value.args[0] if _is(value, "neg") else elementwise("neg", value)
        return value

    def absorbs(self, product: Node, factor: Node) -> bool:
        """Whether a coefficient inside of a factor becomes one of the whole product.

        A factor with fewer axes keeps its own: it is computed once, outside of a loop.
        """
        new = self.new[factor]
        return (
            not self.exact and self.uses[factor] == 1 and factor.axes == product.axes
            and _is(new, "mul") and new.args[0].kind is Kind.CONST
        )  # fmt: skip

    def sum(self, node: Node) -> Node:
        """Left to right, each term added or subtracted: the order, and so the rounding, is what was written."""
        first, negative = self.signed(node.args[0])
        terms = [first]  # what is to be added up, so far; its sign is `negative`
        for argument in node.args[1:]:
            term, minus = self.signed(argument)
            if minus is negative:
                terms.append(term)
                continue
            total = terms[0] if len(terms) == 1 else elementwise("add", *terms)
            terms = [elementwise("sub", term, total) if negative else elementwise("sub", total, term)]
            negative = False
        total = terms[0] if len(terms) == 1 else elementwise("add", *terms)
        return elementwise("neg", total) if negative else total

    def integer_power(self, node: Node) -> Node:
        exponent = node.args[1].data
        if node.args[1].kind is Kind.CONST and type(exponent) is int and 0 < exponent <= LARGEST_POWER:
            return _chain(self.new[node.args[0]], exponent)
        return self.plain(node)

    def quotient(self, node: Node) -> Node:
        """floor((c*p + q) / c) is p + floor(q / c): what is even leaves a packed index."""
        total, divisor = (self.new[a] for a in node.args)
        if divisor.kind is not Kind.CONST or divisor.data < 2 or (total.kind, total.data) != (Kind.ELEMENTWISE, "add"):
            return self.plain(node)
        whole: list[Node] = []
        rest: list[Node] = []
        for term in total.args:
            factor = term if term.kind is Kind.CONST else term.args[0] if term.data == "mul" else None
            if factor is None or factor.kind is not Kind.CONST or factor.data % divisor.data:
                rest.append(term)
            elif term is factor:
                whole.append(constant(factor.data // divisor.data))
            else:
                core = term.args[1] if len(term.args) == 2 else _integer("mul", *term.args[1:])
                quotient = factor.data // divisor.data
                whole.append(core if quotient == 1 else _integer("mul", constant(quotient), core))
        if not whole:
            return self.plain(node)
        if rest:
            whole.append(_integer("floordiv", rest[0] if len(rest) == 1 else _integer("add", *rest), divisor))
        return whole[0] if len(whole) == 1 else _integer("add", *whole)

    def signed(self, argument: Node) -> tuple[Node, bool]:
        """A term and whether it is subtracted."""
        new = self.new[argument]
        if _is(new, "neg"):
            return new.args[0], True
        if _is(new, "mul") and self.uses[argument] == 1 and new.args[0].kind is Kind.CONST:
            opposite = _opposite(new.args[0])
            if opposite is not None:
                return elementwise("mul", opposite, *new.args[1:]), True
        if new.kind is Kind.CONST:
            opposite = _opposite(new)
            if opposite is not None:
                return opposite, True
        return new, False


_RULES: Mapping[str, Callable[[_Preparation, Node], Node]] = {
    "pow": _Preparation.power,
    "mul": _Preparation.product,
    "add": _Preparation.sum,
    "hold": _Preparation.marker,
    "float": _Preparation.marker,
    "undefined": lambda self, node: constant(float("nan")),
}
_INTEGER_RULES: Mapping[str, Callable[[_Preparation, Node], Node]] = {
    "pow": _Preparation.integer_power,
    "floordiv": _Preparation.quotient,
    "hold": _Preparation.marker,
}
_MINUS_ONE = constant(-1)


def _is(node: Node, op: str) -> bool:
    return node.kind is Kind.ELEMENTWISE and node.data == op and node.dtype is FLOATING


def _as_floating(graph: Graph) -> set[Node]:
    """Small whole numbers that conditions choose and floating operations use, such as shares of a tie.

    They are computed as floating values, which is exact for them: integers do not exist in lanes.
    """
    found: set[Node] = set()
    for node in graph.order:
        if node.kind is Kind.ELEMENTWISE and node.dtype is INTEGER and node.data in ("select", "add", "mul"):
            numbers = node.args[1:] if node.data == "select" else node.args
            if all(a in found or _is_small(a) for a in numbers):
                found.add(node)
    found.difference_update(o.node for o in graph.outputs)
    for node in reversed(graph.order) if found else ():
        if node.kind is not Kind.ELEMENTWISE or (node.dtype is not FLOATING and node not in found):
            found.difference_update(node.args)
    return found


def _is_small(node: Node) -> bool:
    return node.kind is Kind.CONST and type(node.data) is int and abs(node.data) < 2**20


def _chain(base: Node, exponent: int, dtype: Dtype = FLOATING) -> Node:
    """base**exponent by squaring; equal factors are shared through interning."""
    square, value = base, None
    while True:
        if exponent & 1:
            value = square if value is None else elementwise("mul", value, square, dtype=dtype)
        exponent >>= 1
        if not exponent:
            assert value is not None
            return value
        square = elementwise("mul", square, square, dtype=dtype)


def _product(left: Node, right: Node) -> Node:
    return make(Kind.ELEMENTWISE, (left, right), union_axes((left, right)), left.dtype, "mul")


def _times(left: Node, right: Node) -> Node:
    """The product of two constants, rounded once where it is finite."""
    return _folded("mul", [left, right]) or elementwise("mul", left, right)


def _number(node: Node) -> Fraction | None:
    """The exact value of a number that is a fraction of small terms."""
    if node.kind is not Kind.CONST or isinstance(node.data, bool):
        return None
    if isinstance(node.data, (int, Fraction)):
        return Fraction(node.data)
    if isinstance(node.data, float) and node.data == node.data and abs(node.data) <= LARGEST_POWER:
        return Fraction(node.data)
    return None


def _negative_one(node: Node) -> bool:
    return type(node.data) in (int, float) and node.data == -1


def _opposite(node: Node) -> Node | None:
    """The constant with its sign changed, when it is negative."""
    value = node.data
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float, Fraction)):
        return constant(-value) if value < 0 else None
    return constant(-value) if isinstance(value, sp.Float) and value < 0 else None


def _exact(node: Node) -> sp.Expr:
    value = node.data
    if isinstance(value, Fraction):
        return sp.Rational(value.numerator, value.denominator)
    if isinstance(value, float):
        return sp.Float(value, DIGITS)
    return sp.sympify(value)


def _folded(op: str, arguments: Sequence[Node]) -> Node | None:
    """One constant for an operation on constants, or None where that is not a finite real number."""
    if any(isinstance(a.data, bool) or (isinstance(a.data, float) and a.data - a.data != 0) for a in arguments):
        return _floating_value(op, arguments)
    values = [_exact(a) for a in arguments]
    if op in ("add", "mul", "max", "min"):
        formula: sp.Expr = {"add": sp.Add, "mul": sp.Mul, "max": sp.Max, "min": sp.Min}[op](*values)
    elif op in ("float", "hold"):
        formula = values[0]
    elif op in _UNFOLDED or op not in OPS or OPS[op].formula is None:
        return None
    else:
        row = OPS[op]
        assert row.formula is not None
        formula = row.formula.xreplace(dict(zip(ARGUMENTS, values, strict=False)))
    number = sp.N(formula, DIGITS)
    if number.is_Integer:
        return constant(int(number)) if abs(number) < 2**53 else None
    if not isinstance(number, sp.Float) or not number.is_finite:
        return _floating_value(op, arguments)
    return constant(number)


def _floating_value(op: str, arguments: Sequence[Node]) -> Node | None:
    """What IEEE arithmetic makes of log(-1), 1/0 and the like, once and not in every call; None for what is finite."""
    if op in _UNFOLDED or op not in OPS or not all(isinstance(a.data, int | float | Fraction) for a in arguments):
        return None
    with np.errstate(all="ignore"):
        value = float(OPS[op].numpy(*[np.float64(float(a.data)) for a in arguments]))
    return constant(value) if math.isnan(value) or math.isinf(value) else None
