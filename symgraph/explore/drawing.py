"""The picture: one SVG for notebooks, pages, files and the interactive view.

It has presentation attributes only, no style sheet and no script, so that viewers which clean what they show (GitHub,
nbviewer) show it as it is. Colours carry no meaning alone: inputs are round, outputs have a thick border, blocks a
dashed one; the value stands on the left and the adjoint on the right.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from xml.sax.saxutils import escape, quoteattr

from .folding import Box, boxes_at, default_level
from .glyphs import Formulas
from .labels import MANY, Label, label_of
from .layout import layout
from .model import Model

__all__ = ["MODES", "draw", "draw_boxes"]

MODES = ("overlaid", "beside")
PADDING, NUMBERS, TAG, GAP = 9.0, 15.0, 4.0, 46.0
CHARACTER = 6.05  # width of a character of the numbers
_MONO = 'font-family="ui-monospace,Menlo,Consolas,monospace"'
_SANS = 'font-family="system-ui,sans-serif"'
_PAINT = {
    "input": 'fill="#eaf3ff" stroke="#2f6fb3" stroke-width="1.2"',
    "output": 'fill="#eaf8ee" stroke="#1f6b43" stroke-width="2.4"',
    "reduction": 'fill="#fff" stroke="#5b6b7f" stroke-width="1.2"',
    "operation": 'fill="#fff" stroke="#5b6b7f" stroke-width="1.2"',
    "block": 'fill="#f4f5f7" stroke="#5b6b7f" stroke-width="1.2" stroke-dasharray="5 3"',
    "adjoint": 'fill="#fdf1e8" stroke="#a3481a" stroke-width="1.2"',
}


@dataclass(frozen=True)
class _Placed:
    """A box with its label, its size and its centre."""

    box: Box
    label: Label
    mirror: Label | None
    named: int
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0


Curve = tuple[list[tuple[float, float]], tuple[float, float]]  # control points, and the tip of the arrow


def draw(model: Model, level: str | None = None, opened: Collection[str] = (), mode: str = "overlaid") -> str:
    """The picture of a model.

    Parameters
    ----------
    model:
        What is shown.
    level:
        A row of :data:`~symgraph.explore.folding.LEVELS`; by default the finest that can be read.
    opened:
        Keys of boxes that are shown as what they hold.
    mode:
        "overlaid": values and adjoints in the same boxes. "beside": the backward pass as a graph of its own below the
        forward pass, each adjoint under its value.

    Returns
    -------
    str
        An SVG document.
    """
    return draw_boxes(model, boxes_at(model, level or default_level(model), opened), mode)


def draw_boxes(model: Model, boxes: Sequence[Box], mode: str = "overlaid", brief: bool = False) -> str:
    """The picture of some boxes of a model; see :func:`draw`. ``brief``: operations are signs, as of many."""
    digest = hashlib.sha256("\n".join([model.name, mode, *(f"{b.key} {b.group}" for b in boxes)]).encode())
    formulas = Formulas(f"s{digest.hexdigest()[:7]}_")
    many = brief or len(boxes) > MANY
    beside = mode == "beside" and bool(model.adjoints)
    placed = {}
    named: dict[str, int] = {}
    for box in boxes:
        for key in box.named:
            named[key] = named.get(key, 0) + 1
    for box in boxes:
        label = label_of(box, model, formulas, many)
        has_mirror = beside and any(m.node in model.adjoints for m in box.members)
        mirror = label_of(box, model, formulas, many, adjoint=True) if has_mirror else None
        if beside:
            label = Label(label.formula, label.lines, label.value, "", label.axes, label.users, label.hidden)
        sizes = [_size(label), *([_size(mirror)] if mirror is not None else [])]
        placed[box.key] = _Placed(
            box, label, mirror, named.get(box.key, 0), max(w for w, _ in sizes), max(h for _, h in sizes)
        )
    placed, curves, groups, (left, top, right, bottom) = _arranged(placed)
    body: list[str] = []
    drop = bottom - top + GAP if beside else 0.0
    for key, rectangle in groups.items():
        body.append(_group(key, rectangle, model))
    for (source, target), curve in curves.items():
        body.append(_edge(source, target, curve, 0.0, False))
        if beside and placed[source].mirror is not None and placed[target].mirror is not None:
            body.append(_edge(source, target, curve, drop, True))
    for item in placed.values():
        body.append(_box(item, item.label, model, 0.0, False))
        if item.mirror is not None:
            body.append(_box(item, item.mirror, model, drop, True))
    if beside:
        body.append(_heading(left, top - 12, "forward: values", "#1d5fa8"))
        body.append(_heading(left, top + drop - 12, "backward: adjoints", "#a3481a"))
        top, bottom = top - 22, bottom + drop
    width, height = right - left + 20, bottom - top + 24
    title = f"graph of {model.name}: {len(model.shown)} values in {len(boxes)} boxes"
    view = f"{left - 10:.0f} {top - 14:.0f} {width:.0f} {height:.0f}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" class="sg-svg" '
        f'viewBox="{view}" width="{width:.0f}" height="{height:.0f}" role="img" aria-label={quoteattr(title)}>'
        f"<defs>{formulas.definitions()}</defs>"
        f'<rect class="sg-paper" x="{left - 10:.0f}" y="{top - 14:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" fill="#fff"/>'
        f"{''.join(body)}</svg>"
    )


# ---------------------------------------------------------------------------------------------------------- placing
def _size(label: Label) -> tuple[float, float]:
    numbers = CHARACTER * (len(label.value) + len(label.adjoint)) + (
        30 if label.value and label.adjoint else 18
    )
    numbers_height = NUMBERS if label.value or label.adjoint else 0.0
    if label.formula is None:
        return max(6.4 * max(map(len, label.lines)) + 2 * PADDING, 90.0), 15.0 * len(label.lines) + 2 * PADDING
    width = max(label.formula.width + 2 * PADDING, numbers, 5.6 * len(label.axes) + 24, 34.0)
    return width, max(label.formula.height, 14.0) + 2 * PADDING - 4 + numbers_height + (
        TAG if label.axes else 0.0
    )


def _arranged(
    placed: dict[str, _Placed],
) -> tuple[
    dict[str, _Placed], dict[tuple[str, str], Curve], dict[str, list[float]], tuple[float, float, float, float]
]:
    names = {key: f"n{i}" for i, key in enumerate(placed)}
    keys = {name: key for key, name in names.items()}
    lines = ['digraph{rankdir=LR;nodesep=0.3;ranksep=0.5;node[shape=box,fixedsize=true,label=""];']
    if len(placed) > 400:
        lines.append("nslimit=2;mclimit=0.3;maxiter=400;")
    for key, item in placed.items():
        lines.append(f"{names[key]}[width={item.width / 72:.3f},height={item.height / 72:.3f}];")
    groups: dict[str, list[str]] = {}
    for key, item in placed.items():
        if item.box.group:
            groups.setdefault(item.box.group, []).append(names[key])
    clusters = {f"cluster_{i}": group for i, group in enumerate(groups)}
    for name, group in clusters.items():
        lines.append(f"subgraph {name}{{margin=10;{';'.join(groups[group])}}}")
    for key, item in placed.items():
        lines += [f"{names[a]}->{names[key]};" for a in item.box.arguments]
        if (
            item.box.named and not item.box.arguments
        ):  # it stands right of the inputs, though no edge leads there
            lines.append(f"{names[item.box.named[0]]}->{names[key]}[style=invis];")
    inputs = [
        names[k]
        for k, p in placed.items()
        if p.box.value is not None and p.box.value.kind == "input" and not p.box.group
    ]
    if 0 < len(inputs) <= 12:
        lines.append(f"{{rank=min;{';'.join(inputs)}}}")
    found = layout("".join(lines) + "}")
    height = float(found["bb"].split(",")[3])
    result = dict(placed)
    by_number: dict[int, str] = {}
    rectangles: dict[str, list[float]] = {}
    for item in found.get("objects", ()):
        if "pos" in item:
            key = by_number[item["_gvid"]] = keys[item["name"]]
            x, y = map(float, item["pos"].split(","))
            old = placed[key]
            result[key] = replace(old, x=x, y=height - y)
        elif item["name"] in clusters and "bb" in item:
            x0, y0, x1, y1 = map(float, item["bb"].split(","))
            rectangles[clusters[item["name"]]] = [x0, height - y1, x1 - x0, y1 - y0]
    curves = {}
    for edge in found.get("edges", ()):
        if edge.get("style") == "invis":
            continue
        curves[by_number[edge["tail"]], by_number[edge["head"]]] = _curve(edge["pos"], height)
    x0, y0, x1, y1 = map(float, found["bb"].split(","))
    return result, curves, rectangles, (x0, height - y1, x1, height - y0)


def _curve(text: str, height: float) -> Curve:
    points: list[tuple[float, float]] = []
    tip: tuple[float, float] | None = None
    for part in text.split():
        fields = part.split(",")
        place = float(fields[-2]), height - float(fields[-1])
        if fields[0] == "e":
            tip = place
        elif fields[0] != "s":
            points.append(place)
    return points, tip if tip is not None else points[-1]


# ---------------------------------------------------------------------------------------------------------- drawing
def _edge(source: str, target: str, curve: Curve, drop: float, backward: bool) -> str:
    points, tip = curve
    if backward:  # the same way, from the adjoint of the user to the adjoint of what it uses
        points = [*points[:-1], tip][::-1] if len(points) > 1 else points
        tip = points[-1]
    moved = [(x, y + drop) for x, y in points]
    tip = tip[0], tip[1] + drop
    path = "M{:.1f} {:.1f}C".format(*moved[0]) + " ".join(f"{x:.1f} {y:.1f}" for x, y in moved[1:])
    last = moved[-1]
    if backward:
        last = moved[-2]
        length = math.hypot(tip[0] - last[0], tip[1] - last[1]) or 1.0
        last = tip[0] - (tip[0] - last[0]) / length * 9, tip[1] - (tip[1] - last[1]) / length * 9
    dx, dy = tip[0] - last[0], tip[1] - last[1]
    length = math.hypot(dx, dy) or 1.0
    nx, ny = -dy / length * 3.2, dx / length * 3.2
    head = (
        f"{last[0] + nx:.1f},{last[1] + ny:.1f} {tip[0]:.1f},{tip[1]:.1f} {last[0] - nx:.1f},{last[1] - ny:.1f}"
    )
    colour = "#c98a5f" if backward else "#8794a5"
    kind = "sg-edge sg-back" if backward else "sg-edge"
    return (
        f'<g class="{kind}" data-source={quoteattr(source)} data-target={quoteattr(target)} fill="{colour}">'
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.2"/><polygon points="{head}"/></g>'
    )


def _box(item: _Placed, label: Label, model: Model, drop: float, mirror: bool) -> str:
    box, width, height = item.box, item.width, item.height
    kind = "adjoint" if mirror else box.value.kind if box.value is not None else "block"
    radius = min(height / 2, 14.0) if kind == "input" else 5.0
    members = " ".join(str(m.number) for m in box.members)
    said = model.plain_formula(box.value) if box.value is not None else ": ".join(label.lines)
    parts = [f'<rect width="{width:.1f}" height="{height:.1f}" rx="{radius:.1f}" {_PAINT[kind]}/>']
    if label.formula is not None:
        above = TAG if label.axes and not mirror else 0.0
        room = height - (NUMBERS if label.value or label.adjoint else 0.0) - above
        x = (width - label.formula.width) / 2
        y = above + (room - label.formula.height) / 2 + label.formula.above
        parts.append(f'<g class="sg-formula" transform="translate({x:.1f} {y:.1f})">{label.formula.body}</g>')
    for row, line in enumerate(label.lines):
        weight = ' font-weight="600"' if row == 0 else ""
        parts.append(
            f'<text class="sg-line" {_SANS} font-size="11.5"{weight} fill="#1c2733" text-anchor="middle" '
            f'x="{width / 2:.1f}" y="{PADDING + 11 + 15 * row:.1f}">{escape(line)}</text>'
        )
    for text, css, colour, x, anchor in (
        (label.value, "sg-value", "#1d5fa8", 8.0, "start"),
        (label.adjoint, "sg-bar", "#a3481a", width - 8.0, "end"),
    ):
        if text:
            if kind == "input" and not label.adjoint:
                x, anchor = width / 2, "middle"
            parts.append(
                f'<text class="sg-number {css}" {_MONO} font-size="10" fill="{colour}" x="{x:.1f}" '
                f'y="{height - 5:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
            )
    if label.axes and not mirror:
        wide = 5.6 * len(label.axes) + 10
        parts.append(
            f'<g class="sg-tag"><rect x="6" y="-7" width="{wide:.1f}" height="13" rx="3" fill="#eef1f5" '
            f'stroke="#5b6b7f" stroke-width=".7"/><text {_MONO} font-size="9" fill="#3b4654" x="11" y="2.6">'
            f"{escape(label.axes)}</text></g>"
        )
    if label.users > 1 and not mirror:
        wide = 9.0 + 6.0 * len(str(label.users))
        parts.append(
            f'<g class="sg-fan"><rect x="{width - 1.5 - wide:.1f}" y="-7.5" width="{wide:.1f}" height="15" rx="7.5" '
            f'fill="#5b6b7f"/><text {_SANS} font-size="9.5" font-weight="600" fill="#fff" text-anchor="middle" '
            f'x="{width - 1.5 - wide / 2:.1f}" y="3.3">{label.users}</text></g>'
        )
    note = f"+{label.hidden} inside" if label.hidden and box.value is not None else ""
    note = f"named in {item.named} boxes" if item.named else note
    if note and not mirror:
        parts.append(
            f'<text class="sg-more" {_SANS} font-size="9" fill="#5b6b7f" text-anchor="middle" x="{width / 2:.1f}" '
            f'y="{height + 9.5:.1f}">{note}</text>'
        )
    x, y = item.x - width / 2, item.y - height / 2 + drop
    identity = f"bar{box.key}" if mirror else box.key
    opens = ' data-opens="1"' if box.can_open and not mirror else ""
    grouped = f" data-group={quoteattr(box.group)}" if box.group else ""
    return (
        f'<g class="sg-box sg-{kind}" data-key={quoteattr(identity)} data-members="{members}"{opens}{grouped} '
        f'tabindex="0" role="button" aria-label={quoteattr(said)} transform="translate({x:.1f} {y:.1f})">'
        f"{''.join(parts)}</g>"
    )


def _group(key: str, rectangle: Sequence[float], model: Model) -> str:
    x, y, width, height = rectangle
    title = model.shown[int(key)].plain if key.isdigit() else key
    return (
        f'<g class="sg-group" data-key={quoteattr(key)}><rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" rx="8" fill="none" stroke="#8794a5" stroke-dasharray="3 3"/>'
        f"<title>{escape(title)}</title></g>"
    )


def _heading(x: float, y: float, text: str, colour: str) -> str:
    return (
        f'<text {_SANS} font-size="12" font-weight="600" fill="{colour}" x="{x:.1f}" y="{y:.1f}">{text}</text>'
    )
