"""The machine of capture: rules that ask for the nodes of subexpressions, run on an explicit stack.

A rule is a generator: it yields the subexpressions that it needs, gets their nodes sent back, and returns its own node.
The machine keeps the waiting rules on a stack of its own, so that no depth of nesting is a recursion, remembers every
result, and knows where in the user's expression it is when something has no meaning.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import sympy as sp

from ..axis import Axis
from ..errors import ModelError, SymgraphError
from ..node import Node
from .marking import mark_expression
from .pool import AxisPool
from .survey import Survey

__all__ = ["NO_BINDINGS", "Binding", "Bindings", "Machine", "Request", "Rule", "Steps"]


@dataclass(frozen=True, eq=False)
class Binding:
    """What a summation index stands for: an integer node, with the least and the greatest value that it takes.

    ``low`` and ``high`` are expressions of size symbols; ``guarded`` tells that not every value between them occurs.
    """

    node: Node
    low: sp.Expr
    high: sp.Expr
    guarded: bool = False


Bindings: TypeAlias = Mapping[sp.Basic, Binding]
# expression, what its indices stand for, and for an array the integer nodes of the position that is wanted
Request: TypeAlias = tuple[sp.Basic, Bindings, tuple[Node, ...]]
Steps: TypeAlias = Generator[Request, Node, Node]
Rule: TypeAlias = Callable[["Machine", sp.Basic, Bindings, tuple[Node, ...]], Steps | Node]

NO_BINDINGS: Bindings = {}


@dataclass(frozen=True)
class Array:
    """An array argument: its Input node, whose axes are the dimensions in order."""

    name: str
    node: Node


class Machine:
    """One capture: the survey, the arguments, the axes, and every node made so far.

    Parameters
    ----------
    survey:
        The numbered expressions.
    scalars:
        Node of each scalar argument (and of the elements of a matrix of symbols), by number of the expression.
    arrays:
        Array arguments, by the user's object.
    pool:
        The axes of sums and outputs.
    find:
        Gives the rule for an expression at a position.
    """

    def __init__(
        self,
        survey: Survey,
        scalars: Mapping[int, Node],
        arrays: Mapping[sp.Basic, Array],
        pool: AxisPool,
        find: Callable[[sp.Basic, tuple[Node, ...]], Rule],
    ) -> None:
        self.survey, self.scalars, self.arrays, self.pool = survey, scalars, arrays, pool
        self._find = find
        self._memo: dict[tuple[object, ...], Node] = {}
        self._bindings: dict[tuple[object, ...], Binding] = {}

    def bind(self, node: Node, low: sp.Expr, high: sp.Expr, guarded: bool = False) -> Binding:
        """The one Binding of these values: results are remembered by identity of the bindings they used."""
        return self._bindings.setdefault((node, low, high, guarded), Binding(node, low, high, guarded))

    def array(self, symbol: sp.Basic) -> Array:
        """The array argument of a symbol.

        Raises
        ------
        ModelError
            It is none of the inputs.
        """
        known = self.arrays.get(symbol)
        if known is None:
            names = ", ".join(a.name for a in self.arrays.values()) or "none"
            same = any(str(other) == str(symbol) for other in self.arrays)
            hint = (
                "give it the shape and assumptions of the input of that name" if same else "add it to inputs"
            )
            raise ModelError(f"the array {symbol} is not among the inputs (arrays there: {names}): {hint}")
        return known

    def used_axes(
        self, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...] = ()
    ) -> list[Axis]:
        """The axes that an expression sees from outside: those of its free indices and of its position."""
        nodes = [bindings[s].node for s in self.survey.free(self.survey.number(expression)) if s in bindings]
        return list(dict.fromkeys(a for n in (*nodes, *position) for a in n.axes))

    def node(
        self, expression: sp.Basic, bindings: Bindings = NO_BINDINGS, position: tuple[Node, ...] = ()
    ) -> Node:
        """The node of an expression (of one element of it, at ``position``, when it is an array)."""
        stack: list[tuple[Steps | None, tuple[object, ...], sp.Basic]] = []
        request: Request | None = (expression, bindings, position)
        answer: Node | None = None
        try:
            while True:
                if request is not None:
                    key, answer = self._recall(request)
                    if answer is None:
                        stack.append((None, key, request[0]))  # for the path of an error
                        steps = self._find(request[0], request[2])(self, *request)
                        stack.pop()
                        if isinstance(steps, Node):
                            answer = self._memo[key] = steps
                        else:
                            stack.append((steps, key, request[0]))
                    if not stack:
                        assert answer is not None
                        return answer
                try:
                    running = stack[-1][0]
                    assert running is not None  # a rule that is being looked up asks for nothing
                    request = next(running) if answer is None else running.send(answer)
                except StopIteration as finished:
                    answer = self._memo[stack.pop()[1]] = finished.value
                    request = None
                    if not stack:
                        return finished.value
        except SymgraphError as error:
            expressions = [s[2] for s in stack]
            mark_expression(error, expressions)
            raise error.reworded(f"{error} (at {_path(expressions)})") from None

    def _recall(self, request: Request) -> tuple[tuple[object, ...], Node | None]:
        expression, bindings, position = request
        number = self.survey.number(expression)
        key: tuple[object, ...] = (number, position, *(bindings.get(s) for s in self.survey.free(number)))
        return key, self._memo.get(key)


def _path(expressions: list[sp.Basic]) -> str:
    """Where in the user's expression we are: ``Add.args[1] -> sin.args[0] -> Integral``."""
    steps = [_step(parent, child) for parent, child in itertools.pairwise(expressions)]
    steps.append(_class_name(expressions[-1]))
    if len(steps) > 12:
        steps = [*steps[:4], f"... {len(steps) - 10} more ...", *steps[-6:]]
    return " -> ".join(steps)


def _step(parent: sp.Basic, child: sp.Basic) -> str:
    name = _class_name(parent)
    for position, argument in enumerate(parent.args):
        if argument is child:
            return f"{name}.args[{position}]"
        for inner, part in enumerate(argument.args):
            if part is child:
                return f"{name}.args[{position}].args[{inner}]"
    return name


def _class_name(expression: sp.Basic) -> str:
    return type(expression).__name__
