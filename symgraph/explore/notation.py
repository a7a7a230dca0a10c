"""Nodes as formulas: LaTeX for pictures, plain text for search, tooltips and text exports.

A :class:`Writer` writes the operation of one node in terms of the nodes that have names, and writes out what has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from ..axis import Axis
from ..node import Kind, Node

__all__ = ["LATEX", "PLAIN", "Notation", "Writer", "symbol_latex"]

CONDITION, COMPARISON, SUM, PRODUCT, POWER, ATOM = 0, 5, 10, 20, 30, 40
MANY = 8  # operands of a sum or product beyond which only the first and the last are written
LONG = 400  # characters beyond which the parts of a formula are left out

Text = tuple[str, int]


@dataclass(frozen=True)
class Notation:
    """How one output language spells what formulas are made of."""

    times: str
    ellipsis: str
    brackets: Callable[[str], str]
    fraction: Callable[[str, str], str]
    root: Callable[[str], str]
    raised: Callable[[str, str], str]
    indexed: Callable[[str, Sequence[str]], str]
    function: Callable[[str, Sequence[str]], str]
    reduction: Callable[[str, str, str, str], str]
    choice: Callable[[str, str, str], str]
    signs: Mapping[str, str]
    symbol: Callable[[str], str]
    fractions_bind: int


def symbol_latex(name: str) -> str:
    r"""A user's name in LaTeX.

    >>> symbol_latex("alpha_1"), symbol_latex("loss")
    ('\\alpha_{1}', '\\mathrm{loss}')
    """
    text = sp.latex(sp.Symbol(name))
    return rf"\mathrm{{{text}}}" if text.isalpha() and len(text) > 1 else text


_BIG = {"sum": r"\sum", "product": r"\prod", "max": r"\max", "min": r"\min"}
_KNOWN = {"exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "max", "min"}


def _latex_function(name: str, arguments: Sequence[str]) -> str:
    if name == "exp":
        return f"e^{{{arguments[0]}}}"
    if name == "abs":
        return rf"\left|{arguments[0]}\right|"
    head = rf"\{name}" if name in _KNOWN else rf"\mathrm{{{name.replace('_', ' ')}}}"
    return rf"{head}\left({', '.join(arguments)}\right)"


def _latex_indexed(name: str, places: Sequence[str]) -> str:
    return f"{name}[{', '.join(places)}]" if "_" in name else f"{name}_{{{','.join(places)}}}"


LATEX = Notation(
    times=r"\,", ellipsis=r"\cdots",
    brackets=lambda text: rf"\left({text}\right)",
    fraction=lambda top, bottom: rf"\frac{{{top}}}{{{bottom}}}",
    root=lambda text: rf"\sqrt{{{text}}}",
    raised=lambda base, exponent: f"{base}^{{{exponent}}}",
    indexed=_latex_indexed,
    function=_latex_function,
    reduction=lambda name, axis, size, body: f"{_BIG[name]}_{{{axis}<{size}}}{body}",
    choice=lambda then, condition, other: (
        rf"\left({then}\;\mathrm{{if}}\;{condition}\;\mathrm{{else}}\;{other}\right)"
    ),
    signs={"lt": "<", "le": r"\le", "eq": "=", "ne": r"\ne", "and": r"\wedge", "or": r"\vee", "not": r"\neg "},
    symbol=symbol_latex,
    fractions_bind=ATOM,
)  # fmt: skip

PLAIN = Notation(
    times="*", ellipsis="...",
    brackets=lambda text: f"({text})",
    fraction=lambda top, bottom: f"{top}/{bottom}",
    root=lambda text: f"sqrt({text})",
    raised=lambda base, exponent: f"{base}**{exponent}",
    indexed=lambda name, places: f"{name}[{', '.join(places)}]",
    function=lambda name, arguments: f"{name}({', '.join(arguments)})",
    reduction=lambda name, axis, size, body: f"{name}({body} for {axis} < {size})",
    choice=lambda then, condition, other: f"({then} if {condition} else {other})",
    signs={"lt": "<", "le": "<=", "eq": "==", "ne": "!=", "and": "and", "or": "or", "not": "not "},
    symbol=str,
    fractions_bind=PRODUCT,
)  # fmt: skip


class Writer:
    """Formulas in one notation.

    Parameters
    ----------
    notation:
        :data:`LATEX` or :data:`PLAIN`.
    names:
        What stands for a node instead of its formula. May be changed between calls of :meth:`formula`.

    Examples
    --------
    >>> from symgraph import function
    >>> x, y = sp.symbols("x y")
    >>> node = function((x - y) / x).graph.outputs[0].node
    >>> Writer(PLAIN, {}).formula(node), Writer(LATEX, {}).formula(node)
    ('(x - y)/x', '\\\\frac{x - y}{x}')
    """

    def __init__(self, notation: Notation, names: Mapping[Node, str]) -> None:
        self.notation, self.names = notation, names
        self._divisors: dict[Node, Text] = {}

    def formula(self, node: Node) -> str:
        """The node's own operation; arguments are named where they have a name, and written out where not."""
        done: dict[Node, Text] = {}
        stack = [node]
        while stack:
            current = stack[-1]
            if current in done:
                stack.pop()
                continue
            open_arguments = [a for a in self._written(current) if a not in done and not self._named(a, node)]
            if open_arguments:
                stack.extend(open_arguments)
                continue
            stack.pop()
            text = self._rule(current, {a: self._argument(a, node, done) for a in current.args})
            done[current] = text if len(text[0]) <= LONG or current is node else (self.notation.ellipsis, ATOM)
        return done[node][0]

    def _named(self, argument: Node, top: Node) -> bool:
        return argument is not top and argument in self.names

    def _argument(self, argument: Node, top: Node, done: Mapping[Node, Text]) -> Text:
        if self._named(argument, top):
            return self.names[argument], ATOM
        return done.get(argument, (self.notation.ellipsis, ATOM))

    def _written(self, node: Node) -> Sequence[Node]:
        """The arguments that appear in the formula of a node: of many operands the first and the last ones."""
        return (
            node.args
            if len(node.args) <= MANY or node.data not in ("add", "mul")
            else (*node.args[:3], node.args[-1])
        )

    # ------------------------------------------------------------------------------------------------------- rules
    def _rule(self, node: Node, texts: Mapping[Node, Text]) -> Text:
        match node.kind:
            case Kind.INPUT:
                name = self.notation.symbol(str(node.data))
                return (self.notation.indexed(name, [a.name for a in node.axes]) if node.axes else name), ATOM
            case Kind.CONST:
                return self._number(node.data)
            case Kind.SIZE:
                return str(node.data), ATOM
            case Kind.AXIS_INDEX:
                return node.data.name, ATOM
            case Kind.ELEMENTWISE:
                return self._operation(node, texts)
            case Kind.REDUCE:
                name, axis = node.data
                body = self._inside(texts[node.args[0]], PRODUCT)
                return self.notation.reduction(name, axis.name, str(axis.size), body), PRODUCT - 1
            case Kind.BROADCAST:
                return texts[node.args[0]]
            case Kind.GATHER:
                return self._gather(node, texts)
            case Kind.SCATTER_ADD:
                return self._scatter(node, texts), ATOM
        return f"{node.kind.value}", ATOM

    def _operation(self, node: Node, texts: Mapping[Node, Text]) -> Text:
        say = self.notation
        match node.data:
            case "add":
                return self._sum(node, texts), SUM
            case "mul" | "strong_product":
                return self._product(node, texts)
            case "pow":
                return self._power(node, texts)
            case "select":
                condition, then, other = (texts[a][0] for a in node.args)
                return say.choice(then, condition, other), ATOM
            case "lt" | "le" | "eq" | "ne":
                left, right = (self._inside(texts[a], SUM) for a in node.args)
                return f"{left} {say.signs[node.data]} {right}", COMPARISON
            case "and" | "or":
                sign = f" {say.signs[node.data]} "
                return sign.join(self._inside(texts[a], COMPARISON) for a in node.args), CONDITION
            case "not":
                return say.signs["not"] + self._inside(texts[node.args[0]], ATOM), COMPARISON
            case "hold" | "float":
                return texts[node.args[0]]
        return say.function(node.data, [texts[a][0] for a in node.args]), POWER

    def _sum(self, node: Node, texts: Mapping[Node, Text]) -> str:
        shown = list(self._written(node))
        terms = sorted((self._inside(texts[a], SUM + 1) for a in shown), key=lambda t: t.startswith("-"))
        if len(shown) < len(node.args):
            terms.insert(-1, self.notation.ellipsis)
        result = terms[0]
        for term in terms[1:]:
            result += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
        return result

    def _product(self, node: Node, texts: Mapping[Node, Text]) -> Text:
        say = self.notation
        shown = list(self._written(node))
        sign = ""
        if shown[0].kind is Kind.CONST and shown[0].data == -1:
            sign, shown = "-", shown[1:]
        elif texts[shown[0]][0].startswith("-") and shown[0].kind is Kind.CONST:
            sign, texts = "-", {**texts, shown[0]: (texts[shown[0]][0][1:], ATOM)}
        above = [a for a in shown if not self._is_divisor(a)]
        below = [a for a in shown if self._is_divisor(a)]
        tops = [self._inside(texts[a], PRODUCT + (k > 0)) for k, a in enumerate(above)]
        if len(node.args) > MANY:
            tops.insert(-1, say.ellipsis)
        if not below:
            return sign + say.times.join(tops), SUM + 1 if sign else PRODUCT
        bottoms = [self._divisors[a] for a in below]  # what 1/q was written from
        if say.fractions_bind < ATOM:
            bottom = say.times.join(self._inside(b, POWER) for b in bottoms)
            bottom = say.brackets(bottom) if len(bottoms) > 1 else bottom
            return sign + say.fraction(say.times.join(tops) or "1", bottom), SUM + 1 if sign else PRODUCT
        top = tops[0] if len(tops) != 1 else texts[above[0]][0]
        top = say.times.join(tops) if len(tops) > 1 else top if tops else "1"
        bottom = (
            bottoms[0][0] if len(bottoms) == 1 else say.times.join(self._inside(b, PRODUCT) for b in bottoms)
        )
        return sign + say.fraction(top, bottom), SUM + 1 if sign else PRODUCT

    def _is_divisor(self, node: Node) -> bool:
        return node not in self.names and _is_reciprocal(node)

    def _power(self, node: Node, texts: Mapping[Node, Text]) -> Text:
        say = self.notation
        base, exponent = node.args
        value = exponent.data if exponent.kind is Kind.CONST else None
        if value == -1:
            self._divisors[node] = texts[base]
            bottom = texts[base][0] if say.fractions_bind == ATOM else self._inside(texts[base], POWER)
            return say.fraction("1", bottom), PRODUCT
        if value == Fraction(1, 2):
            return say.root(texts[base][0]), ATOM
        if value == Fraction(-1, 2):
            return say.fraction("1", say.root(texts[base][0])), PRODUCT
        power = texts[exponent]
        return say.raised(
            self._inside(texts[base], ATOM), power[0] if say is LATEX else self._inside(power, ATOM)
        ), POWER

    def _gather(self, node: Node, texts: Mapping[Node, Text]) -> Text:
        array, *indices = node.args
        if (
            array.kind is not Kind.INPUT
            and array not in self.names
            and all(i.kind is Kind.AXIS_INDEX for i in indices)
        ):
            return texts[array]  # only the indices have other names
        place = dict(zip(node.data, indices, strict=True))
        name = (
            self.notation.symbol(str(array.data))
            if array.kind is Kind.INPUT
            else self._inside(texts[array], ATOM)
        )
        return self.notation.indexed(
            name, [texts[place[a]][0] if a in place else a.name for a in array.axes]
        ), ATOM

    def _scatter(self, node: Node, texts: Mapping[Node, Text]) -> str:
        value, *indices = node.args
        targets, summed = node.data
        places = [f"{axis.name}={texts[i][0]}" for axis, i in zip(targets, indices, strict=True)]
        loops = [_range(axis) for axis in summed]
        return self.notation.function("scatter", [texts[value][0], *places, *loops])

    def _number(self, value: object) -> Text:
        say = self.notation
        if isinstance(value, Fraction):
            sign = "-" if value < 0 else ""
            return sign + say.fraction(
                str(abs(value.numerator)), str(value.denominator)
            ), SUM + 1 if sign else PRODUCT
        if isinstance(value, float):
            text = f"{value:.6g}"
        elif isinstance(value, sp.Basic):
            text = sp.latex(value) if say is LATEX else str(value)
        else:
            text = str(value)
        text = text if len(text) < 24 else f"{text[:10]}{say.ellipsis}"
        return text, SUM + 1 if text.startswith("-") else ATOM

    def _inside(self, text: Text, strength: int) -> str:
        return text[0] if text[1] >= strength else self.notation.brackets(text[0])


def _is_reciprocal(node: Node) -> bool:
    return (
        node.kind is Kind.ELEMENTWISE
        and node.data == "pow"
        and node.args[1].kind is Kind.CONST
        and node.args[1].data == -1
    )


def _range(axis: Axis) -> str:
    return f"{axis.name}<{axis.size}"
