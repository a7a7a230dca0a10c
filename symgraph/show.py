"""A graph as text: one line per shared value and per output, infix, in the user's names."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable
from fractions import Fraction

from .axis import Axis
from .graph import Graph, Output, topological_order
from .node import Kind, Node

__all__ = ["graph_text", "node_text"]

LONGEST = 90  # characters of an expression before its parts get lines of their own
SUM, PRODUCT, SIGN, POWER, ATOM = 10, 20, 25, 30, 40  # binding strength of what an expression is made of
_INFIX = {"lt": "<", "le": "<=", "eq": "==", "ne": "!=", "and": "and", "or": "or", "floordiv": "//", "mod": "%"}
_STRENGTH = {"or": 1, "and": 2, "not": 3, "lt": 5, "le": 5, "eq": 5, "ne": 5, "floordiv": PRODUCT, "mod": PRODUCT}


def graph_text(graph: Graph, mark: Node | None = None, signs: tuple[str, str] = ("", "")) -> str:
    """The graph as lines ``name[indices] = expression``; one node may stand between two signs.

    Values used more than once have lines of their own (t1, t2, ...), in order of computation; so have parts of
    expressions that would be long.

    >>> from symgraph.graph import Output
    >>> from symgraph.node import input_node
    >>> from symgraph.ops import apply_op
    >>> x, y = input_node("x"), input_node("y")
    >>> s = apply_op("add", x, y)
    >>> print(graph_text(Graph("f", (x, y), (Output("out", apply_op("mul", s, apply_op("exp", s))),))))
    f(x, y):
      t1 = x + y
      out = t1*exp(t1)
    """
    return _Text(graph, mark, signs).text()


def node_text(node: Node, longest: int = LONGEST) -> str:
    """The formula of one node in a line; parts that are shared or long as "..." where it would be longer than asked.

    >>> from symgraph.node import input_node
    >>> from symgraph.ops import apply_op
    >>> x, y = input_node("x"), input_node("y")
    >>> node_text(apply_op("atan2", apply_op("exp", x), apply_op("sin", y)))
    'atan2(exp(x), sin(y))'
    """
    inputs = tuple(n for n in topological_order([node]) if n.kind is Kind.INPUT)
    graph = Graph("", inputs, (Output("_", node, node.axes),))
    lines = [line.strip().split(" = ", 1) for line in graph_text(graph).splitlines()[1:]]
    *definitions, (_, text) = lines
    if definitions and text == definitions[-1][0]:  # long enough for a line of its own
        _, text = definitions.pop()
    for name, formula in reversed(definitions):
        short = name.split("[")[0]
        if (found := re.search(rf"\b{re.escape(short)}\b(\[[^\]]*\])?", text)) is None:
            continue
        whole = rf"\b{re.escape(short)}\b(\[[^\]]*\])?"
        replaced = re.sub(whole, f"({formula})".replace("\\", "\\\\"), text)
        if len(replaced) <= longest and found.group(1) in (None, name[len(short) :]):
            text = replaced
        else:
            text = re.sub(whole, "(...)", text)
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


class _Text:
    """Texts of the nodes so far, each with the strength of its outermost operator."""

    def __init__(self, graph: Graph, mark: Node | None = None, signs: tuple[str, str] = ("", "")) -> None:
        self._graph = graph
        self._mark, self._signs = mark, signs
        self._texts: dict[Node, tuple[str, int]] = {}
        self._lines: list[str] = []
        self._taken = {str(n.data) for n in graph.inputs} | {o.name for o in graph.outputs}
        self._taken.update(axis.name for node in graph.order for axis in node.axes)
        self._count = 0
        self.names = {node: str(node.data) for node in graph.inputs}

    def text(self) -> str:
        graph = self._graph
        inputs = ", ".join(node.data + _brackets(str(a.size) for a in node.axes) for node in graph.inputs)
        is_array = {node.args[0] for node in graph.order if node.kind is Kind.GATHER}
        named: dict[Node, Output] = {}  # outputs that others use bear their own name
        for output in graph.outputs:
            if graph.users[output.node] and output.node.args and output.axes == output.node.axes:
                named.setdefault(output.node, output)
        for node in graph.order:
            rule = _RULES.get(node.kind, _other)
            text, strength = rule(self, node)
            if node is self._mark:
                text = f"{self._signs[0]}{text}{self._signs[1]}"
            self._texts[node] = text, strength
            is_shared = len(graph.users[node]) > 1 or node in is_array
            if node.args and (is_shared or len(text) > LONGEST or node in named):
                self._texts[node] = self._bind(node, text, named.get(node)), ATOM
        for output in graph.outputs:
            if named.get(output.node) is not output:
                places = _brackets(a.name for a in output.axes)
                self._lines.append(f"{output.name}{places} = {self._texts[output.node][0]}")
        return "\n  ".join([f"{graph.name}({inputs}):", *self._lines])

    def _bind(self, node: Node, text: str, output: Output | None) -> str:
        if output is None:
            self._count = next(n for n in itertools.count(self._count + 1) if f"t{n}" not in self._taken)
        self.names[node] = f"t{self._count}" if output is None else output.name
        name = self.names[node] + _brackets(a.name for a in node.axes)
        self._lines.append(f"{name} = {text}")
        return name

    def inner(self, node: Node, strength: int) -> str:
        """The text of an argument, in parentheses where it binds less than ``strength``."""
        text, own = self._texts[node]
        return text if own >= strength else f"({text})"

    def listed(self, nodes: Iterable[Node]) -> str:
        """Arguments of a call."""
        return ", ".join(self._texts[node][0] for node in nodes)


def _brackets(parts: Iterable[str]) -> str:
    inside = ", ".join(parts)
    return f"[{inside}]" if inside else ""


def _leaf(text: _Text, node: Node) -> tuple[str, int]:
    return str(node.data), ATOM


def _input(text: _Text, node: Node) -> tuple[str, int]:
    return node.data + _brackets(a.name for a in node.axes), ATOM


def _constant(text: _Text, node: Node) -> tuple[str, int]:
    value = node.data
    strength = ATOM
    if isinstance(value, Fraction):
        strength = PRODUCT
    if not isinstance(value, bool) and not value >= 0:
        strength = min(strength, SIGN)
    return str(value) if not isinstance(value, int) or abs(value) < 10**30 else hex(value), strength


def _axis_index(text: _Text, node: Node) -> tuple[str, int]:
    return node.data.name, ATOM


def _elementwise(text: _Text, node: Node) -> tuple[str, int]:
    special = _OPERATIONS.get(node.data)
    if special is not None:
        return special(text, node)
    if node.data in _INFIX:
        strength = _STRENGTH[node.data]
        sign = f" {_INFIX[node.data]} "
        return sign.join(text.inner(argument, strength + 1) for argument in node.args), strength
    return f"{node.data}({text.listed(node.args)})", ATOM


def _add(text: _Text, node: Node) -> tuple[str, int]:
    result = ""
    for term in sorted(node.args, key=lambda t: text._texts[t][0].startswith("-")):
        part = text.inner(term, SUM + 1)
        if part.startswith("-") and result:
            result += f" - {part[1:]}"
        else:
            result += f" + {part}" if result else part
    return result, SUM


def _mul(text: _Text, node: Node) -> tuple[str, int]:
    above: list[Node] = []
    below: list[Node] = []
    for factor in node.args:
        is_reciprocal = text._texts[factor][0].startswith("1/") and factor.kind is Kind.ELEMENTWISE
        (below if is_reciprocal else above).append(factor)
    if above and above[0].kind is Kind.CONST and above[0].data == -1:
        sign, above = "-", above[1:]
    else:
        sign = ""
    result = "*".join(text.inner(factor, PRODUCT + (k > 0)) for k, factor in enumerate(above)) or "1"
    for factor in below:
        result += f"/{text._texts[factor][0][2:]}"
    return sign + result, SIGN if sign and len(node.args) == 2 and not below else PRODUCT


def _power(text: _Text, node: Node) -> tuple[str, int]:
    base, exponent = node.args
    value = exponent.data if exponent.kind is Kind.CONST else None
    if value == -1:
        return f"1/{text.inner(base, POWER)}", PRODUCT
    if value == Fraction(1, 2):
        return f"sqrt({text._texts[base][0]})", ATOM
    if value == Fraction(-1, 2):
        return f"1/sqrt({text._texts[base][0]})", PRODUCT
    return f"{text.inner(base, POWER + 1)}**{text.inner(exponent, ATOM)}", POWER


def _not(text: _Text, node: Node) -> tuple[str, int]:
    return f"not {text.inner(node.args[0], _STRENGTH['not'])}", _STRENGTH["not"]


def _select(text: _Text, node: Node) -> tuple[str, int]:
    condition, then, otherwise = node.args
    return f"{text.inner(then, 1)} if {text.inner(condition, 1)} else {text.inner(otherwise, 0)}", 0


def _reduce(text: _Text, node: Node) -> tuple[str, int]:
    name, axis = node.data
    return f"{name}({text._texts[node.args[0]][0]} for {_range(axis)})", ATOM


def _gather(text: _Text, node: Node) -> tuple[str, int]:
    array, *indices = node.args
    replaced = dict(zip(node.data, indices, strict=True))
    places = [text._texts[replaced[a]][0] if a in replaced else a.name for a in array.axes]
    return text.names[array] + _brackets(places), ATOM


def _scatter_add(text: _Text, node: Node) -> tuple[str, int]:
    value, *indices = node.args
    targets, summed = node.data
    places = ", ".join(f"{axis.name}={text._texts[i][0]}" for axis, i in zip(targets, indices, strict=True))
    loops = "".join(f" for {_range(axis)}" for axis in summed)
    return f"scatter({text._texts[value][0]} at {places}{loops})", ATOM


def _range(axis: Axis) -> str:
    return f"{axis.name} < {axis.size}"


def _broadcast(text: _Text, node: Node) -> tuple[str, int]:
    return text._texts[node.args[0]]


def _other(text: _Text, node: Node) -> tuple[str, int]:
    return f"{node.kind.value}({text.listed(node.args)})", ATOM


_OPERATIONS: dict[str, Callable[[_Text, Node], tuple[str, int]]] = {
    "add": _add, "mul": _mul, "pow": _power, "not": _not, "select": _select,
}  # fmt: skip

_RULES: dict[Kind, Callable[[_Text, Node], tuple[str, int]]] = {
    Kind.INPUT: _input,
    Kind.CONST: _constant,
    Kind.SIZE: _leaf,
    Kind.AXIS_INDEX: _axis_index,
    Kind.ELEMENTWISE: _elementwise,
    Kind.REDUCE: _reduce,
    Kind.BROADCAST: _broadcast,
    Kind.GATHER: _gather,
    Kind.SCATTER_ADD: _scatter_add,
}
