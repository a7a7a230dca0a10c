"""What an exploration shows, as data: the values of a graph with formulas, numbers, adjoints and places in the code.

Values that only say how others are read or signed (constants, sizes, indices, signs, reciprocals inside products, reads
of an input) have no box of their own: they are written out in the formulas of the values that use them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from ..compile import emitted_lines
from ..derive.reverse import adjoints as reverse_adjoints
from ..dtype import BOOLEAN, FLOATING, INTEGER
from ..errors import UnsupportedError
from ..function import Function
from ..graph import Graph, collection_paused, topological_order
from ..interpret import Value, bind_arguments, node_values
from ..node import Kind, Node, constant
from ..ops import OPS
from ..transform import value_and_grad
from .notation import LATEX, PLAIN, Writer, symbol_latex

if TYPE_CHECKING:
    from ..compile import Place, Trace

__all__ = ["Model", "Shown", "build_model", "number_text"]

_HIDDEN_KINDS = (Kind.CONST, Kind.SIZE, Kind.AXIS_INDEX, Kind.BROADCAST)
_HIDDEN_OPERATIONS = ("hold", "float")
EMITTED = 1500  # values up to which the emitted text is shown beside them
EXPANDED = 200  # values up to which each is also written in terms of the inputs


@dataclass(eq=False)
class Shown:
    """One value that has a box.

    Attributes
    ----------
    node:
        The node of the graph.
    number:
        Position in the order of execution; the identity of the value in pictures.
    kind:
        "input", "operation", "reduction" or "output".
    name, plain:
        How others call it, in LaTeX and as text.
    arguments, users:
        Numbers of the values that it is made of, and that use it.
    """

    node: Node
    number: int
    kind: str
    name: str
    plain: str
    arguments: list[int] = field(default_factory=list)
    users: list[int] = field(default_factory=list)


@dataclass(eq=False)
class Model:
    """A function at a point, ready to be drawn.

    Attributes
    ----------
    graph:
        What is shown.
    shown:
        Values with boxes, in the order of execution.
    values, adjoint_values:
        Numbers by node, where a point was given.
    adjoints:
        The adjoint node of each node, where the function has one floating scalar result.
    emission:
        The emitted text: of value and gradient where there are adjoints, else of the function. None where the
        function cannot be compiled, or has so many values that nobody would read it.
    """

    graph: Graph
    shown: list[Shown]
    by_node: dict[Node, Shown]
    values: Mapping[Node, Value]
    adjoints: Mapping[Node, Node]
    emission: Trace | None

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.graph.name

    @property
    def hidden_count(self) -> int:
        """Nodes that have no box of their own."""
        return len({*self.graph.order, *self.graph.inputs}) - len(self.shown)

    @cached_property
    def latex(self) -> Writer:
        """Formulas in LaTeX, in terms of the values that have boxes."""
        return Writer(LATEX, {s.node: s.name for s in self.shown})

    @cached_property
    def text(self) -> Writer:
        """Formulas as plain text."""
        return Writer(PLAIN, {s.node: s.plain for s in self.shown})

    def formula(self, shown: Shown) -> str:
        """``name = operation`` in LaTeX; an input is its name."""
        if shown.node.kind is Kind.INPUT:
            return _input_latex(shown.node)
        return f"{shown.name} = {self.latex.formula(shown.node)}"

    def plain_formula(self, shown: Shown) -> str:
        """The same as text."""
        if shown.node.kind is Kind.INPUT:
            sizes = ", ".join(str(a.size) for a in shown.node.axes)
            return f"{shown.plain}[{sizes}]" if sizes else shown.plain
        return f"{shown.plain} = {self.text.formula(shown.node)}"

    def expanded(self, shown: Shown) -> str:
        """The value in terms of the inputs, in LaTeX."""
        return Writer(LATEX, {}).formula(shown.node)

    def bar(self, shown: Shown) -> str:
        """The name of the adjoint in LaTeX."""
        return rf"\bar{{{shown.name}}}"

    def chain_rule(self, shown: Shown) -> str:
        """The adjoint as the sum over users of their adjoint times the partial derivative, and what that comes to."""
        if shown.node not in self.adjoints:
            return ""
        users = [self.shown[u] for u in shown.users]
        terms = [rf"{self.bar(u)}\,\frac{{\partial {u.name}}}{{\partial {shown.name}}}" for u in users[:4]]
        terms += [r"\cdots"] if len(users) > 4 else []
        chain = f"{self.bar(shown)} = {' + '.join(terms)}" if terms else self.bar(shown)
        return f"{chain} = {self.adjoint_formula(shown)}"

    def adjoint_formula(self, shown: Shown) -> str:
        """The right-hand side of the adjoint, in terms of other adjoints and values."""
        names = {s.node: s.name for s in self.shown}
        for user in reversed(self.shown):
            if user.number > shown.number and user.node in self.adjoints:
                names.setdefault(self.adjoints[user.node], self.bar(user))
        for (
            number
        ) in shown.users:  # what came from a user is called after it, also where a value of that kind exists
            user = self.shown[number]
            if user.node in self.adjoints and self.adjoints[user.node].kind is not Kind.CONST:
                names[self.adjoints[user.node]] = self.bar(user)
        node = self.adjoints[shown.node]
        return names[node] if node in names else Writer(LATEX, names).formula(node)

    def value(self, node: Node | None) -> Value | None:
        """The value of a node; None where no point was given."""
        return None if node is None else self.values.get(node)

    def place(self, node: Node | None) -> Place | None:
        """Where a node is in the emitted text: its own lines, or those of its users; None for what is not computed."""
        return None if node is None or self.emission is None else self.emission.places.get(node)

    def cost(self, node: Node) -> int:
        """Operations for one element, in units of an addition."""
        if node.kind is Kind.REDUCE or node.kind is Kind.SCATTER_ADD:
            return 1
        if node.kind is not Kind.ELEMENTWISE or node.data not in OPS:
            return 0
        return OPS[node.data].cost * (max(1, len(node.args) - 1) if OPS[node.data].arity is None else 1)


def build_model(
    f: Function, arguments: Sequence[object] = (), named: Mapping[str, object] | None = None
) -> Model:
    """The model of a function, at a point if one is given.

    Parameters
    ----------
    f:
        Any function. Adjoints are shown where it has one floating result without dimensions.
    arguments, named:
        The point, by position and by name; none at all for a picture without numbers.

    Raises
    ------
    SymgraphError
        The point does not fit the inputs.

    Examples
    --------
    >>> import sympy as sp, symgraph as sg
    >>> x, y, z = sp.symbols("x y z")
    >>> model = build_model(sg.function((x + y) * z, [x, y, z], name="g"), (1, 3, -3))
    >>> [model.plain_formula(s) for s in model.shown]
    ['x', 'y', 'z', 'v1 = x + y', 'g = z*v1']
    >>> [float(model.values[model.adjoints[s.node]]) for s in reversed(model.shown)]
    [1.0, -3.0, 4.0, -3.0, -3.0]
    """
    graph = f.graph
    with collection_paused():
        inputs = set(graph.inputs)
        order = topological_order(o.node for o in graph.outputs)
        order = [*graph.inputs, *(n for n in order if n not in inputs)]
        adjoints: dict[Node, Node] = {}
        if _has_adjoints(graph):
            targets = [n for n in order if n.dtype is FLOATING]
            with contextlib.suppress(UnsupportedError):  # what has no derivative can be looked at all the same
                adjoints = reverse_adjoints({graph.outputs[0].node: constant(1)}, targets)
        values: Mapping[Node, Value] = {}
        if arguments or named or not graph.inputs:
            bindings, sizes, _ = bind_arguments(graph.inputs, f._bound(arguments, named or {}))
            values = node_values(topological_order([*order, *adjoints.values()]), bindings, sizes)
        shown = _shown(graph, order)
        emission = None
        if len(shown) <= EMITTED:
            emission = _emission(value_and_grad(f) if adjoints and _differentiable(graph) else f)
    return Model(graph, shown, {s.node: s for s in shown}, values, adjoints, emission)


def _emission(f: Function) -> Trace | None:
    try:
        return emitted_lines(f)
    except UnsupportedError:  # what can be evaluated but not compiled can be looked at all the same
        return None


def _has_adjoints(graph: Graph) -> bool:
    output = graph.outputs[0] if len(graph.outputs) == 1 else None
    return output is not None and not output.axes and output.node.dtype is FLOATING


def _differentiable(graph: Graph) -> bool:
    return any(n.dtype is FLOATING for n in graph.inputs)


def _shown(graph: Graph, order: Sequence[Node]) -> list[Shown]:
    outputs = {o.node: o for o in reversed(graph.outputs)}
    inputs = set(graph.inputs)
    visible = [n for n in order if n in outputs or n in inputs or _has_box(n, graph)]
    shown: list[Shown] = []
    taken = {str(n.data) for n in graph.inputs} | {o.name for o in graph.outputs}
    count = 0
    for number, node in enumerate(visible):
        if node in inputs:
            item = Shown(node, number, "input", symbol_latex(str(node.data)), str(node.data))
        elif node in outputs:
            name = outputs[node].name
            item = Shown(node, number, "output", symbol_latex(name), name)
        else:
            count += 1
            while f"v{count}" in taken:
                count += 1
            kind = "reduction" if node.kind in (Kind.REDUCE, Kind.SCATTER_ADD, Kind.SCAN) else "operation"
            item = Shown(node, number, kind, f"v_{{{count}}}", f"v{count}")
        shown.append(item)
    _connect(shown, order)
    return shown


def _has_box(node: Node, graph: Graph) -> bool:
    if node.kind in _HIDDEN_KINDS or node.dtype is not FLOATING:
        return False
    users = graph.users[node]
    if node.kind is Kind.GATHER and node.args[0].kind is Kind.INPUT:
        return False
    if node.kind is Kind.SCATTER_ADD:
        return not all(i.kind is Kind.CONST for i in node.args[1:])
    if node.kind is not Kind.ELEMENTWISE:
        return True
    if node.data in _HIDDEN_OPERATIONS or all(a.kind is Kind.CONST for a in node.args):
        return False
    if (
        node.data == "mul"
        and len(node.args) == 2
        and node.args[0].kind is Kind.CONST
        and node.args[0].data == -1
    ):
        return not all(u.kind is Kind.ELEMENTWISE and u.data == "add" for u in users)
    if node.data == "pow" and node.args[1].kind is Kind.CONST and node.args[1].data == -1:
        return not all(u.kind is Kind.ELEMENTWISE and u.data == "mul" for u in users)
    return True


def _input_latex(node: Node) -> str:
    """An input with the set that it is from, where that is not the real numbers."""
    name = symbol_latex(str(node.data))
    numbers = {BOOLEAN: r"\mathbb{B}", INTEGER: r"\mathbb{Z}", FLOATING: r"\mathbb{R}"}[node.dtype]
    if not node.axes:
        return name if node.dtype is FLOATING else rf"{name} \in {numbers}"
    sizes = r" \times ".join(sp.latex(a.size) for a in node.axes)
    return rf"{name} \in {numbers}^{{{sizes}}}"


def _connect(shown: Sequence[Shown], order: Sequence[Node]) -> None:
    """Arguments and users among the values with boxes, through those without."""
    boxes = {s.node: s for s in shown}
    below: dict[Node, tuple[int, ...]] = {}  # for a node without a box, the boxes that it is made of
    for node in order:
        reached: dict[int, None] = {}
        for argument in node.args:
            box = boxes.get(argument)
            reached.update(dict.fromkeys((box.number,) if box is not None else below.get(argument, ())))
        below[node] = tuple(reached)
        box = boxes.get(node)
        if box is not None:
            box.arguments = sorted(reached)
            for number in box.arguments:
                shown[number].users.append(box.number)


def number_text(value: Any, digits: int = 4) -> str:
    """A value in a few characters: a number, a short list, or the range of an array.

    >>> number_text(np.float64(-12.0)), number_text(np.arange(3.0)), number_text(np.zeros((5, 4)))
    ('-12', '[0, 1, 2]', '5×4: 0')
    """
    if value is None:
        return ""
    array = np.asarray(value)
    if array.ndim == 0:
        return _scalar(array.item(), digits)
    if array.size <= 3 and array.ndim == 1:
        return f"[{', '.join(_scalar(v, 3) for v in array.tolist())}]"
    shape = "×".join(map(str, array.shape))
    if not array.size:
        return f"{shape}: empty"
    with np.errstate(all="ignore"):
        low, high = _scalar(array.min().item(), 3), _scalar(array.max().item(), 3)
    return f"{shape}: {low}" if low == high else f"{shape}: {low} … {high}"


def _scalar(value: Any, digits: int) -> str:
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)
