"""How much arithmetic a graph is, counted as it is emitted.

One count per node, whatever its axes: the size of the text, not of the arrays. Additions and subtractions,
multiplications, divisions, comparisons, selects and functions count 1 each. Free are: constants and what is made of
them alone, integer arithmetic (indices, sizes), a sign inside a sum (it is a subtraction), casts, reads and stores.
Integer powers are shared chains of multiplications; a reciprocal that one product uses is that product's division.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from .dtype import FLOATING
from .graph import Graph, topological_order, user_table
from .node import Kind, Node
from .ops import OPS

__all__ = ["operation_count", "operation_table"]

MAXIMUM_CHAIN = 64  # larger integer exponents are a call of pow


def operation_count(graph: Graph) -> int:
    """The number of arithmetic operations of a graph.

    >>> from symgraph.graph import Output
    >>> from symgraph.node import constant, input_node, make
    >>> from symgraph.ops import apply_op
    >>> x, y = input_node("x"), input_node("y")
    >>> quotient = apply_op("mul", apply_op("pow", x, constant(2)), apply_op("pow", y, constant(-1)))
    >>> operation_count(Graph("f", (x, y), (Output("out", quotient),)))
    2
    """
    return sum(operation_table(o.node for o in graph.outputs).values())


def operation_table(roots: Iterable[Node]) -> dict[str, int]:
    """The operations below ``roots`` by name: "add", "mul", "div", "neg", "sqrt" and rows of the op table."""
    roots = list(roots)
    order = topological_order(roots)
    users = user_table(order)
    outputs = set(roots)
    table: dict[str, int] = {}
    powers: set[tuple[Node, int | str]] = set()
    # where 1/b is there anyway, b**-2 is its square
    inverted = {n.args[0] for n in order if _is_power(n) and n.args[1].data == -1}
    varying: set[Node] = set()

    def count(name: str, number: int = 1) -> None:
        if number:
            table[name] = table.get(name, 0) + number

    def absorbed(node: Node) -> bool:
        """Whether the node is a reciprocal that becomes a division of its one user."""
        if node in outputs or not _is_power(node) or node.args[1].data >= 0 or node not in varying:
            return False
        if node.args[1].data < -1 and node.args[0] in inverted:
            return False
        return len(users[node]) == 1 and users[node][0].kind is Kind.ELEMENTWISE and users[node][0].data == "mul"

    def once(base: Node, what: int | str, name: str) -> None:
        if (base, what) not in powers:
            powers.add((base, what))
            count(name)

    def chain(base: Node, exponent: int, sign: int = 1) -> None:
        while exponent > 1 and (base, sign * exponent) not in powers:
            once(base, sign * exponent, "mul")
            exponent = exponent - 1 if exponent % 2 else exponent // 2

    def power(node: Node) -> None:
        base, exponent = node.args[0], abs(Fraction(node.args[1].data))
        whole = exponent.numerator // exponent.denominator
        if node.args[1].data < 0 and exponent.denominator == 1 and base in inverted:
            if not absorbed(node):
                once(base, "reciprocal", "div")
            chain(base, whole, -1)
            return
        if exponent.denominator == 2:
            once(base, "sqrt", "sqrt")
            count("mul", whole > 0)
        chain(base, whole)
        if node.args[1].data < 0 and not absorbed(node):
            count("div")

    def product(node: Node) -> None:
        divided = sum(absorbed(argument) for argument in node.args)
        multiplied = len(node.args) - divided
        if not divided and node.args[0].kind is Kind.CONST and node.args[0].data == -1:
            only_terms = node not in outputs and all(_is_op(u, "add") for u in users[node])
            count("neg", not only_terms)
            return
        # a*b/(c*d): the denominator is multiplied out, then divided by once
        count("mul", max(multiplied - 1, 0) + max(divided - 1, 0))
        count("div", divided > 0)

    for node in order:
        if node.kind in (Kind.INPUT, Kind.SIZE, Kind.AXIS_INDEX) or any(a in varying for a in node.args):
            varying.add(node)
        if node not in varying or not (node.dtype is FLOATING or any(a.dtype is FLOATING for a in node.args)):
            continue
        if node.kind is Kind.REDUCE:
            count(node.data[0])
        elif node.kind is Kind.SCATTER_ADD:
            count("sum", len(node.data[1]) > 0)
        elif node.kind is not Kind.ELEMENTWISE or node.data in _FREE:
            continue
        elif _is_power(node):
            power(node)
        elif node.data == "mul":
            product(node)
        elif node.data == "add":
            count("add", _additions(node))
        else:
            count(node.data, len(node.args) - 1 if OPS[node.data].arity is None else 1)
    return table


_FREE = ("float", "hold", "undefined")


def _is_op(node: Node, name: str) -> bool:
    return node.kind is Kind.ELEMENTWISE and node.data == name


def _is_power(node: Node) -> bool:
    """Whether the node is a power that becomes multiplications and square roots."""
    if not _is_op(node, "pow") or node.args[1].kind is not Kind.CONST:
        return False
    exponent = node.args[1].data
    if type(exponent) not in (int, Fraction):
        return False
    return abs(exponent) <= MAXIMUM_CHAIN and Fraction(exponent).denominator in (1, 2)


def _additions(node: Node) -> int:
    """Additions of a sum; elements stored at different constant positions of one array are not added."""
    places: set[tuple[object, ...]] = set()
    stores = 0
    for term in node.args:
        if term.kind is Kind.SCATTER_ADD and all(index.kind is Kind.CONST for index in term.args[1:]):
            stores += 1
            places.add((term.data[0], *(index.data for index in term.args[1:])))
    summands = len(node.args) - stores + (stores > 0)
    return summands - 1 + stores - len(places)
