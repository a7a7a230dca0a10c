"""The model as the JSON that the view reads: plain data, versioned, nothing in it is run."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from .glyphs import Formulas, mathml
from .labels import MANY
from .model import EXPANDED, Model, Shown, number_text

__all__ = ["VERSION", "formulas_of", "payload"]

VERSION = 1
FEW = 20  # values whose formulas are all drawn as shapes
LONGEST = 140  # characters of LaTeX that are drawn; more is shown as text
LONGEST_EXPANDED = 110  # characters of a formula in terms of the inputs; a longer one tells nobody anything


def payload(model: Model, formulas: bool = False) -> dict[str, Any]:
    """What the view needs besides the pictures.

    Parameters
    ----------
    model:
        What is shown.
    formulas:
        Whether to draw the formulas of the side panel now, where they are not too many; else they are drawn on demand.

    Returns
    -------
    dict
        ``nodes`` (one record per value, by number), ``forward`` and ``backward`` (numbers in the order of the two
        passes), ``code`` (lines), ``glyphs`` (shapes that the formulas share) and the name.
    """
    drawn = len(model.shown) <= MANY and formulas
    shapes = len(model.shown) <= FEW
    glyphs = Formulas(f"p{hashlib.sha256(model.name.encode()).hexdigest()[:6]}_")
    records = [_record(model, s) for s in model.shown]
    if drawn:
        for shown, record in zip(model.shown, records, strict=True):
            record["formulas"] = formulas_of(model, shown, glyphs if shapes else None)
    has_values = bool(model.values)
    return {
        "version": VERSION,
        "name": model.name,
        "nodes": records,
        "hidden": model.hidden_count,
        "forward": [s.number for s in model.shown if s.kind != "input"],
        "backward": [s.number for s in reversed(model.shown) if s.node in model.adjoints],
        "values": has_values,
        "code": list(model.emission.lines) if model.emission is not None else [],
        "glyphs": glyphs.definitions(),
    }


def formulas_of(model: Model, shown: Shown, glyphs: Formulas | None) -> list[dict[str, str]]:
    """The formulas of a value for the side panel: title, LaTeX, and where it is not too long how it looks.

    With ``glyphs`` as shapes that look the same everywhere; without as MathML, which is much faster made.
    """
    wanted = [("operation", model.formula(shown))]
    if len(model.shown) <= EXPANDED and any(model.shown[a].kind != "input" for a in shown.arguments):
        expanded = model.expanded(shown)
        if len(expanded) <= LONGEST_EXPANDED:
            wanted.append(("in terms of the inputs", expanded))
    if shown.node in model.adjoints:
        wanted.append(("adjoint", model.chain_rule(shown)))
    result = []
    for title, latex in wanted:
        entry = {"title": title, "latex": latex}
        if len(latex) <= LONGEST and glyphs is None:
            entry["svg"] = mathml(latex)
        elif len(latex) <= LONGEST and glyphs is not None:
            drawn = glyphs.draw(latex, 16)
            height = drawn.height + 4
            entry["svg"] = (
                f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" class="sg-math" '
                f'width="{drawn.width + 4:.1f}" height="{height:.1f}" viewBox="-2 {-drawn.above - 2:.1f} '
                f'{drawn.width + 4:.1f} {height:.1f}">{drawn.body}</svg>'
            )
        result.append(entry)
    return result


def _record(model: Model, shown: Shown) -> dict[str, Any]:
    node = shown.node
    adjoint = model.adjoints.get(node)
    value, bar = model.value(node), model.value(adjoint)
    place, back = model.place(node) if shown.kind != "input" else None, model.place(adjoint)
    record: dict[str, Any] = {
        "id": shown.number,
        "kind": shown.kind,
        "name": shown.plain,
        "text": model.plain_formula(shown),
        "arguments": shown.arguments,
        "users": shown.users,
        "dtype": node.dtype.name.lower(),
        "axes": [f"{a.name} < {a.size}" for a in node.axes],
        "cost": model.cost(node),
        "loops": list(place.loops) if place is not None else [],
        "variable": place.variable if place is not None else "",
        "lines": list(place.own) if place is not None else [],
        "within": list(place.inside) if place is not None and not place.own else [],
        "backLines": list(back.own) if back is not None else [],
        "backWithin": list(back.inside) if back is not None and not back.own else [],
    }
    if value is not None:
        record["value"] = number_text(value, 8)
        record["detail"] = _detail(value)
    if bar is not None:
        record["adjoint"] = number_text(bar, 8)
        record["adjointDetail"] = _detail(bar)
    return record


def _detail(value: Any) -> str:
    """Some elements of an array; nothing for a number."""
    array = np.asarray(value)
    if array.ndim == 0 or not array.size:
        return ""
    with np.printoptions(precision=5, threshold=24, edgeitems=2, linewidth=48):
        return str(array)
