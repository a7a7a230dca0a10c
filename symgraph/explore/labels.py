"""What stands in a box: its formula, or what a block holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..node import Kind
from .folding import Box
from .glyphs import Formula, Formulas
from .model import Model, Shown, number_text
from .notation import LATEX, Writer, symbol_latex

__all__ = ["Label", "block_summary", "label_of"]

WIDEST = 300.0  # of a formula; what is wider is said more briefly
LONGEST = 140  # characters of LaTeX that are tried
MANY = 150  # boxes beyond which formulas are only signs
_SIGNS = {"add": "+", "mul": r"\times", "pow": r"(\cdot)^{n}", "select": r"\mathrm{if}"}


@dataclass(frozen=True)
class Label:
    """The contents of a box.

    Attributes
    ----------
    formula:
        The drawn formula; None for a block.
    lines:
        Lines of text of a block.
    value, adjoint:
        Numbers in the lower corners.
    axes:
        The indices that the value varies over.
    users:
        How many others use it.
    hidden:
        How many values it holds beside the one that it shows.
    """

    formula: Formula | None
    lines: tuple[str, ...]
    value: str
    adjoint: str
    axes: str
    users: int
    hidden: int


def label_of(box: Box, model: Model, formulas: Formulas, many: bool, adjoint: bool = False) -> Label:
    """The label of a box; with ``adjoint`` that of its mirror image in the backward pass."""
    shown = box.value
    if shown is None:
        return Label(None, block_summary(box), "", "", "", 0, len(box.members))
    value = number_text(model.value(shown.node))
    bar = number_text(model.value(model.adjoints.get(shown.node)))
    axes = ", ".join(a.name for a in shown.node.axes) if shown.node.kind is not Kind.INPUT else ""
    formula = _adjoint(shown, model, formulas, many) if adjoint else _forward(box, shown, model, formulas, many)
    values = ("", bar) if adjoint else (value, bar)
    return Label(formula, (), *values, axes, len(shown.users), len(box.members) - 1)


def _forward(box: Box, shown: Shown, model: Model, formulas: Formulas, many: bool) -> Formula:
    if many and shown.kind == "operation":
        return formulas.draw(_sign(shown))
    tries = []
    if box.can_open and shown.node.kind is not Kind.INPUT:
        inside = {m.number for m in box.members}
        names = {s.node: s.name for s in model.shown if s.number not in inside}
        tries.append(f"{shown.name} = {Writer(LATEX, names).formula(shown.node)}")
    return _first_fit([*tries, model.formula(shown)], rf"{shown.name} = {_sign(shown)}", formulas)


def _adjoint(shown: Shown, model: Model, formulas: Formulas, many: bool) -> Formula:
    bar = model.bar(shown)
    if many:
        return formulas.draw(bar)
    return _first_fit([f"{bar} = {model.adjoint_formula(shown)}"], rf"{bar} = \cdots", formulas)


def _first_fit(tries: Sequence[str], brief: str, formulas: Formulas) -> Formula:
    for latex in tries:
        if len(latex) <= LONGEST:
            drawn = formulas.draw(latex)
            if drawn.width <= WIDEST:
                return drawn
    return formulas.draw(brief)


def _sign(shown: Shown) -> str:
    node = shown.node
    if node.kind is Kind.ELEMENTWISE:
        return _SIGNS.get(node.data) or rf"\mathrm{{{node.data.replace('_', ' ')}}}"
    if node.kind is Kind.REDUCE:
        return rf"\mathrm{{{node.data[0]}}}_{{{node.data[1].name}}}"
    if node.kind is Kind.INPUT:
        return symbol_latex(str(node.data))
    return rf"\mathrm{{{node.kind.value.replace('_', ' ')}}}"


def block_summary(box: Box) -> tuple[str, ...]:
    """What a block holds, in two lines: how many values, and of which kinds."""
    kinds: dict[str, int] = {}
    for member in box.members:
        if member.node.kind is not Kind.INPUT:
            name = member.node.data if member.node.kind is Kind.ELEMENTWISE else member.node.kind.value
            kinds[name] = kinds.get(name, 0) + 1
    count = len(box.members)
    if not kinds:
        first, last = box.members[0].plain, box.members[-1].plain
        return f"{count} inputs", f"{first} … {last}"
    ranked = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    ending = " …" if len(ranked) > 3 else ""
    what = "outputs" if box.key.startswith("output") else "values"
    return f"{count} {what}", ", ".join(f"{n} {k}" for k, n in ranked[:3]) + ending
