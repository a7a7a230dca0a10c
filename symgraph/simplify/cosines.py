"""1 - cos(u) and even functions of a root, where the stable form costs no call beside those that a model makes anyway.

A cosine that is used elsewhere too is left alone: 2*sin(u/2)**2 would be one more library call, as in the rotations of
bundle adjustment, which need sin(u), cos(u) and 1 - cos(u) together. That is why these rules look at a whole graph.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ..graph import Graph, Output
from ..node import Kind, Node, constant
from .arithmetic import mul, power, split_coefficient
from .numbers import Number, is_number, simplest

__all__ = ["of_root", "smooth_even_functions", "without_cancelling_cosines"]

_HALF, _TWO = constant(Fraction(1, 2)), constant(2)
_FAMILY = {"cos": "spherical_ratio", "cosh": "modified_spherical_ratio"}


def _call(op: str, *arguments: Node) -> Node:
    from . import call  # the package's table of constructors

    return call(op, *arguments)


def _is_cosine(node: Node) -> bool:
    return node.kind is Kind.ELEMENTWISE and node.data in _FAMILY


def of_root(op: str, order: int, argument: Node) -> Node | None:
    """An even function of c*sqrt(s), c a number: a row of the family in c**2*s, whose derivatives by s are finite."""
    coefficient, root = split_coefficient(argument)
    if type(coefficient) is float or root.kind is not Kind.ELEMENTWISE:
        return None
    if root.data != "pow" or root.args[1] is not _HALF:
        return None
    return _call(op, constant(order), mul(constant(simplest(Fraction(coefficient) ** 2)), root.args[0]))


def without_cancelling_cosines(graph: Graph) -> Graph:
    """c*cos(u) - c = -2*c*sin(u/2)**2 and c*cosh(u) - c = 2*c*sinh(u/2)**2, for cosines with no other use.

    >>> import sympy as sp, symgraph as sg
    >>> x = sp.Symbol("x")
    >>> f"{float(sg.function(1 - sp.cos(x))(1e-10)):.3g}"
    '5e-21'
    """
    users = _users(graph)

    def alone(node: Node) -> bool:
        return users[node] == 1

    def rule(node: Node, arguments: tuple[Node, ...]) -> Node | None:
        if node.data != "add" or len(node.args) != 2:
            return None
        for term, number in (node.args, node.args[::-1]):
            coefficient, cosine = split_coefficient(term)
            cancels = is_number(number) and number.data == -coefficient
            if cancels and _is_cosine(cosine) and alone(term) and alone(cosine):
                return _less_one(coefficient, split_coefficient(arguments[node.args.index(term)])[1])
        return None

    return _rewritten(graph, rule)


def _less_one(coefficient: Number, cosine: Node) -> Node | None:
    """coefficient * (cosine - 1)"""
    if not _is_cosine(cosine):
        return None
    sign, sine = (-2, "sin") if cosine.data == "cos" else (2, "sinh")
    half = mul(_HALF, cosine.args[0])
    ratio = of_root(_FAMILY[cosine.data], 0, half)
    if ratio is not None:  # in s = u**2: s/4 times the square of the ratio
        return mul(constant(coefficient), constant(sign), power(half, _TWO), power(ratio, _TWO))
    return mul(constant(coefficient), constant(sign), power(_call(sine, half), _TWO))


def smooth_even_functions(graph: Graph) -> Graph:
    """cos and cosh of c*sqrt(s) as functions of s, where nothing but even functions reads the root."""
    if not any(_is_cosine(node) for node in graph.order):
        return graph
    other: set[Node] = {output.node for output in graph.outputs}  # what something else than such a function reads
    for node in graph.order:
        inside_product = split_coefficient(node)[1] is not node
        if not _is_cosine(node) and not inside_product:
            other.update(node.args)
    for node in reversed(graph.order):
        if node in other and split_coefficient(node)[1] is not node:
            other.update(node.args)

    def rule(node: Node, arguments: tuple[Node, ...]) -> Node | None:
        if not _is_cosine(node) or split_coefficient(node.args[0])[1] in other:
            return None
        return of_root(_FAMILY[node.data], -1, arguments[0])

    return _rewritten(graph, rule)


def _users(graph: Graph) -> dict[Node, int]:
    """How many nodes and outputs read each node."""
    users = dict.fromkeys(graph.order, 0)
    for node in graph.order:
        for argument in dict.fromkeys(node.args):
            users[argument] += 1
    for output in graph.outputs:
        users[output.node] += 1
    return users


def _rewritten(graph: Graph, rule: Callable[[Node, tuple[Node, ...]], Node | None]) -> Graph:
    """The graph with each elementwise node replaced by what the rule makes of it and its new arguments."""
    from . import construct  # the package's table of constructors

    done: dict[Node, Node] = {}
    for node in graph.order:
        arguments = tuple(done[a] for a in node.args)
        new = rule(node, arguments) if node.kind is Kind.ELEMENTWISE else None
        if new is None:
            new = node if arguments == node.args else construct(node, arguments)
        done[node] = new
    if all(done[output.node] is output.node for output in graph.outputs):
        return graph
    outputs = tuple(Output(o.name, done[o.node], o.axes) for o in graph.outputs)
    return Graph(graph.name, graph.inputs, outputs, graph.structure)
