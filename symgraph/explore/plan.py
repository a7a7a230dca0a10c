"""What a function's plan looks like: loops as nested boxes around what they repeat, tables as boxes of their own."""

from __future__ import annotations

import textwrap
from html import escape
from xml.sax.saxutils import quoteattr

__all__ = ["plan_svg"]

ROW, INDENT, CHARACTER, WIDEST = 19.0, 16.0, 7.3, 96
_FONT = 'font-family="ui-monospace,Menlo,Consolas,monospace" font-size="12"'
_INK = {
    "store": "#1f6b43",
    "accumulate": "#a3481a",
    "clear": "#5b6b7f",
    "fill": "#5b6b7f",
    "table": "#1d5fa8",
}
_SHADES = ("#eaf3ff", "#f7faff")


def plan_svg(text: str) -> str:
    """The picture of a plan from the text that describes it: a heading, tables, and lines that are indented in loops.

    >>> svg = plan_svg("f: 1 sweep, no tables\\nfor i in 0..n\\n  compute mul\\ncompute add")
    >>> svg.count("<rect"), "once" in svg
    (2, True)
    """
    heading, *lines = text.splitlines() or [""]
    shapes: list[str] = []
    open_loops: list[tuple[int, float, int]] = []  # position of the box in shapes, its top, its depth
    widest = max([len(heading) * CHARACTER, 220.0, *(_width(line) for line in lines)])
    y = 8.0

    def close(depth: int) -> None:
        nonlocal y
        while open_loops and open_loops[-1][2] >= depth:
            position, top, level = open_loops.pop()
            y += 5.0
            shapes[position] = (
                f'<rect x="{8 + level * INDENT:.0f}" y="{top:.0f}" width="{widest - level * (INDENT + 6) + 16:.0f}" '
                f'height="{y - top:.0f}" rx="5" fill="{_SHADES[level % 2]}" stroke="#2f6fb3"/>'
            )
            y += 4.0

    shapes.append(_row(heading, 8, y, weight=True))
    y += ROW + 4
    for line in lines:
        depth = (len(line) - len(line.lstrip())) // 2
        close(depth)
        words = line.strip()
        if words.startswith("for "):
            y += 3.0
            open_loops.append((len(shapes), y, depth))
            shapes.append("")
            shapes.append(_row(words, 16 + depth * INDENT, y, weight=True))
            y += ROW
            continue
        first = words.partition(" ")[0]
        once = depth == 0 and first == "compute"
        for part in textwrap.wrap(f"once: {words}" if once else words, WIDEST, subsequent_indent="  "):
            shapes.append(_row(part, 16 + depth * INDENT, y, _INK.get(first, "#1c2733")))
            y += ROW
    close(0)
    width, height = widest + 40, y + 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label={quoteattr(f"plan of {heading}")}>'
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>{"".join(shapes)}</svg>'
    )


def _width(line: str) -> float:
    depth = (len(line) - len(line.lstrip())) // 2
    return min(len(line.strip()) + 8, WIDEST + 4) * CHARACTER + 2 * depth * INDENT


def _row(text: str, x: float, y: float, colour: str = "#1c2733", weight: bool = False) -> str:
    bold = ' font-weight="600"' if weight else ""
    return f'<text {_FONT}{bold} fill="{colour}" x="{x:.0f}" y="{y + 14:.0f}">{escape(text)}</text>'
