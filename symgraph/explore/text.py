"""Pictures as text: DOT for Graphviz, Mermaid for README files, lines for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from .folding import Box
from .labels import block_summary
from .model import Model, number_text

__all__ = ["dot_text", "mermaid_text", "plain_text"]

_SHAPES = {"input": "box,style=rounded", "output": "box,peripheries=2", "block": "folder"}


def dot_text(model: Model, boxes: Sequence[Box]) -> str:
    """The picture in Graphviz's language, with formulas as text.

    >>> import sympy as sp, symgraph as sg
    >>> from symgraph.explore.folding import boxes_at
    >>> from symgraph.explore.model import build_model
    >>> x = sp.Symbol("x")
    >>> model = build_model(sg.function(sp.exp(x), [x]))
    >>> print(dot_text(model, boxes_at(model, "all")))
    digraph "f" {
      rankdir=LR;
      node [shape=box];
      n0 [label="x",shape=box,style=rounded];
      n1 [label="f = exp(x)",shape=box,peripheries=2];
      n0 -> n1;
    }
    """
    names = {box.key: f"n{i}" for i, box in enumerate(boxes)}
    lines = [f"digraph {_quoted(model.name)} {{", "  rankdir=LR;", "  node [shape=box];"]
    for box in boxes:
        shape = _SHAPES.get(box.value.kind if box.value is not None else "block")
        look = f",shape={shape}" if shape else ""
        lines.append(f"  {names[box.key]} [label={_quoted(chr(10).join(_said(box, model)))}{look}];")
    lines += [f"  {names[a]} -> {names[box.key]};" for box in boxes for a in box.arguments]
    return "\n".join([*lines, "}"])


def mermaid_text(model: Model, boxes: Sequence[Box]) -> str:
    """The picture in Mermaid's language, which GitHub and GitLab draw inside Markdown.

    >>> import sympy as sp, symgraph as sg
    >>> from symgraph.explore.folding import boxes_at
    >>> from symgraph.explore.model import build_model
    >>> x = sp.Symbol("x")
    >>> model = build_model(sg.function(sp.exp(x), [x]))
    >>> print(mermaid_text(model, boxes_at(model, "all")))
    flowchart LR
      n0(["x"])
      n1[["f = exp(x)"]]
      n0 --> n1
    """
    names = {box.key: f"n{i}" for i, box in enumerate(boxes)}
    marks = {"input": ("([", "])"), "output": ("[[", "]]"), "block": ("{{", "}}")}
    lines = ["flowchart LR"]
    for box in boxes:
        start, end = marks.get(box.value.kind if box.value is not None else "block", ("[", "]"))
        said = "<br>".join(_said(box, model)).replace("&", "#amp;").replace('"', "#quot;").replace("<br>", "\0")
        said = said.replace("<", "#lt;").replace(">", "#gt;").replace("\0", "<br>")
        lines.append(f'  {names[box.key]}{start}"{said}"{end}')
    lines += [f"  {names[a]} --> {names[box.key]}" for box in boxes for a in box.arguments]
    return "\n".join(lines)


def plain_text(model: Model) -> str:
    """One line per value in the order of execution, with its value and adjoint where there are numbers.

    >>> import sympy as sp, symgraph as sg
    >>> from symgraph.explore.model import build_model
    >>> x, y = sp.symbols("x y")
    >>> print(plain_text(build_model(sg.function(x * y + x, [x, y]), (3, 4))))
                          value  adjoint
    x                         3        5
    y                         4        3
    v1 = x*y                 12        1
    f = x + v1               15        1
    """
    rows = [
        (
            model.plain_formula(s),
            number_text(model.value(s.node)),
            number_text(model.value(model.adjoints.get(s.node))),
        )
        for s in model.shown
    ]
    if not model.values:
        return "\n".join(row[0] for row in rows)
    rows.insert(0, ("", "value", "adjoint" if model.adjoints else ""))
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    first = max(widths[0], 18)
    return "\n".join(f"{a:<{first}}  {b:>{max(widths[1], 7)}}  {c:>{widths[2]}}".rstrip() for a, b, c in rows)


def _said(box: Box, model: Model) -> tuple[str, ...]:
    if box.value is None:
        return block_summary(box)
    said = [model.plain_formula(box.value)]
    value, bar = model.value(box.value.node), model.value(model.adjoints.get(box.value.node))
    if value is not None:
        said.append(
            f"value {number_text(value)}" + (f", adjoint {number_text(bar)}" if bar is not None else "")
        )
    return tuple(said)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
