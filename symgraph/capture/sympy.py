"""Capture: from SymPy expressions to a graph, once."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from ..graph import Graph
from ..node import Node
from .engine import Machine
from .finish import finished
from .inputs import declare
from .outputs import capture_output, flatten
from .pool import AxisPool
from .rules import find_rule
from .survey import Survey

__all__ = ["capture", "capture_inside"]


def capture(outputs: object, inputs: object = None, *, name: str = "f") -> tuple[Graph, tuple[object, ...]]:
    """The graph of SymPy expressions, and the user's object of every input.

    Parameters
    ----------
    outputs:
        An expression, a Matrix, an Array, an ArrayComprehension or a matrix expression; or a sequence or dict of
        them, nested to any depth. A call returns the same structure.
    inputs:
        The arguments in order: Symbol, Dummy, IndexedBase, MatrixSymbol, ArraySymbol, a Matrix or Array of symbols
        (one array argument), ``q(t)`` and its derivatives; or a dict from names to these. By default everything that
        is free, sorted by name. Sizes come from the shapes of arrays and are no arguments.
    name:
        The name of the function.

    Raises
    ------
    UnsupportedError
        For what has no meaning here, with its path in the expression.
    ModelError
        For an unbound symbol, an index that is also an argument, a size that no array has.
    ShapeError
        For shapes that do not fit.

    Examples
    --------
    >>> x, y = sp.symbols("x y")
    >>> graph, symbols = capture(x * y + x)
    >>> [node.data for node in graph.inputs], symbols
    (['x', 'y'], (x, y))
    """
    flat, structure = flatten(outputs, name)
    survey = Survey()
    for _, expression in flat:
        survey.number(expression)
    survey.finish()
    arguments = declare(survey, inputs)
    taken = [axis.name for node in arguments.nodes for axis in node.axes]
    machine = Machine(survey, arguments.scalars, arguments.arrays, AxisPool(taken), find_rule)
    results = tuple(capture_output(machine, label, expression) for label, expression in flat)
    return finished(Graph(name, tuple(arguments.nodes), results, structure)), tuple(arguments.objects)


def capture_inside(expression: sp.Basic, known: Mapping[sp.Symbol, Node]) -> Node:
    """The node of a scalar expression in a graph that is being built: each free symbol is a node already.

    Examples
    --------
    >>> from symgraph.node import input_node
    >>> x, node = sp.Symbol("x"), input_node("x")
    >>> capture_inside(x + 0 * x, {x: node}) is node
    True
    """
    survey = Survey()
    survey.number(expression)
    survey.finish()
    scalars = {survey.number(symbol): node for symbol, node in known.items() if symbol in survey.variables}
    return Machine(survey, scalars, {}, AxisPool(), find_rule).node(expression)
