"""How Functions, Graphs, Kernels and plans show themselves in Jupyter, VS Code and on GitHub.

Each gives a bundle of forms, of which a front end takes the richest that it knows: HTML or SVG, LaTeX, plain text.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ..compile import Kernel, emitted_lines, explained
from ..counting import operation_table
from ..errors import SymgraphError, UnsupportedError
from ..function import Explanation, Function
from ..graph import Graph
from ..show import graph_text
from .error_display import error_bundle
from .exploration import Exploration, explored
from .glyphs import Formulas
from .model import build_model
from .notation import LATEX, Writer, symbol_latex
from .plan import plan_svg

__all__ = ["function_bundle", "graph_bundle", "kernel_bundle", "loop_boxes", "plan_bundle", "register_displays"]

LONGEST = 600  # characters of LaTeX that are set as a formula
MOST_DRAWN = 2000  # values of a graph that shows itself as a picture without being asked
_BORDER = "border:1px solid #8794a5;border-radius:4px"
_CODE = "font:12px/1.5 ui-monospace,Menlo,Consolas,monospace;overflow:auto;max-height:30em"


def register_displays() -> None:
    """Give the classes of the layers below their way to show themselves."""
    Function.views.update(explore=explored, bundle=function_bundle, plan=plan_bundle)
    for owner, bundle in ((Graph, graph_bundle), (Kernel, kernel_bundle), (SymgraphError, error_bundle)):
        setattr(owner, "_repr_mimebundle_", _method(bundle))  # noqa: B010  # the type checker refuses a new method


def _method(bundle: Any) -> Any:
    def _repr_mimebundle_(self: Any, include: object = None, exclude: object = None) -> dict[str, str]:
        return bundle(self)

    return _repr_mimebundle_


def function_bundle(f: Function) -> dict[str, str]:
    """A Function: signature, formula and a table of counts.

    >>> x, y = sp.symbols("x y")
    >>> print(function_bundle(sg.function(x / y, [x, y]))["text/latex"])
    $$f = \\frac{x}{y}$$
    """
    formulas = _formulas(f.graph)
    bundle = {"text/plain": f"{f}\n{graph_text(f.graph)}" if len(f.graph.order) <= 400 else str(f)}
    if formulas:
        bundle["text/latex"] = "\n".join(f"$${latex}$$" for latex in formulas)
    shown = _drawn(formulas) if formulas else f'<pre style="{_CODE}">{escape(bundle["text/plain"])}</pre>'
    bundle["text/html"] = f"<div><code>{escape(str(f))}</code>{shown}{_table(_counts(f))}</div>"
    return bundle


def graph_bundle(graph: Graph) -> dict[str, str]:
    """A Graph: its picture, and its lines as text."""
    bundle = {"text/plain": graph_text(graph)}
    if len(graph.order) <= MOST_DRAWN:
        with contextlib.suppress(ImportError):
            bundle["image/svg+xml"] = Exploration(build_model(Function(graph))).svg()
    return bundle


def kernel_bundle(kernel: Kernel) -> dict[str, str]:
    """A Kernel: signature, choices, cache path, its loops as nested boxes and its source."""
    rows = [
        (
            "target",
            f"{kernel.target}, {kernel.dtype}{', exact' if kernel.exact else ''}, {kernel.threads} thread(s)",
        ),
        ("source", str(kernel.path)),
    ]
    source = kernel.source
    boxes = loop_boxes(_body(source.splitlines()))
    parts = [f"<code>{escape(kernel.name + str(kernel.signature))}</code>", _table(rows)]
    if boxes:
        parts.append(f"<details><summary>loops</summary>{boxes}</details>")
    parts.append(
        f"<details><summary>{len(source.splitlines())} lines of source</summary>{_highlighted(source)}</details>"
    )
    return {"text/plain": repr(kernel), "text/html": f"<div>{''.join(parts)}</div>"}


def plan_bundle(explanation: Explanation) -> dict[str, str]:
    """A plan: its loops as nested boxes, beside the emitted lines in theirs.

    >>> x = sp.Symbol("x")
    >>> sorted(plan_bundle(sg.function(x**2, [x]).explain()))
    ['image/svg+xml', 'text/html', 'text/plain']
    """
    f = explanation.function
    svg = plan_svg(explained(f))
    counts = "".join(f"<p>{escape(line)}</p>" for line in explanation.splitlines()[:2])
    code = ""
    if len(f.graph.order) <= MOST_DRAWN:
        with contextlib.suppress(UnsupportedError):  # what cannot be compiled has a plan all the same
            code = f"<div><p>emitted</p>{loop_boxes(emitted_lines(f).lines)}</div>"
    html = f'{counts}<div style="display:flex;flex-wrap:wrap;gap:24px"><div>{svg}</div>{code}</div>'
    return {"text/plain": str(explanation), "image/svg+xml": svg, "text/html": html}


def loop_boxes(lines: Iterable[str]) -> str:
    """The lines of a function body as HTML in which each loop is a box around what it repeats.

    >>> loop_boxes(["for i in range(n):", "    s += x[i]"]).count("<div")
    2
    """
    html: list[str] = []
    open_at: list[int] = []
    for line in lines:
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        while open_at and indent <= open_at[-1]:
            open_at.pop()
            html.append("</div>")
        text = escape(line.strip())
        if line.strip().startswith(("for ", "while ")):
            open_at.append(indent)
            html.append(f'<div style="{_BORDER};margin:3px 0;padding:1px 8px"><b>{text}</b><br>')
        else:
            html.append(f"<span>{text}</span><br>")
    html.extend("</div>" for _ in open_at)
    return f'<div style="{_CODE}">{"".join(html)}</div>' if html else ""


# ----------------------------------------------------------------------------------------------------------- pieces
def _formulas(graph: Graph) -> list[str]:
    """Each output as ``name = formula``; nothing where one is too long to be read."""
    if len(graph.outputs) > 12 or len(graph.order) > 2000:
        return []
    writer = Writer(LATEX, {})
    result = []
    for output in graph.outputs:
        places = rf"_{{{','.join(a.name for a in output.axes)}}}" if output.axes else ""
        result.append(f"{symbol_latex(output.name)}{places} = {writer.formula(output.node)}")
    return [] if any(len(r) > LONGEST or r"\cdots" in r for r in result) else result


def _drawn(formulas: Sequence[str]) -> str:
    """The formulas as shapes where they can be drawn, else for the front end's own typesetter."""
    glyphs = Formulas(f"f{hashlib.sha256(chr(10).join(formulas).encode()).hexdigest()[:6]}_")
    try:
        drawn = [glyphs.draw(latex, 17) for latex in formulas]
    except ImportError:
        return "".join(f"<p>$${escape(latex)}$$</p>" for latex in formulas)
    pictures = [
        f'<div style="margin:8px 0;overflow-x:auto"><svg xmlns="http://www.w3.org/2000/svg" '
        f'xmlns:xlink="http://www.w3.org/1999/xlink" role="img" aria-label="{escape(latex, quote=True)}" '
        f'width="{f.width + 4:.0f}" height="{f.height + 4:.0f}" fill="currentColor" '
        f'viewBox="-2 {-f.above - 2:.1f} {f.width + 4:.1f} {f.height + 4:.1f}">{{defs}}{f.body}</svg></div>'
        for latex, f in zip(formulas, drawn, strict=True)
    ]
    definitions = f"<defs>{glyphs.definitions()}</defs>"
    return "".join(p.replace("{defs}", definitions if k == 0 else "") for k, p in enumerate(pictures))


def _counts(f: Function) -> list[tuple[str, str]]:
    graph = f.graph
    operations = operation_table(o.node for o in f.emitted_graph.outputs)
    ranked = sorted(operations.items(), key=lambda item: (-item[1], item[0]))
    rows = [
        (
            "operations",
            f"{sum(operations.values())}"
            + (f" ({', '.join(f'{n} {k}' for k, n in ranked)})" if ranked else ""),
        ),
        ("nodes", str(len(graph.order))),
        ("used more than once", str(sum(len(users) > 1 for users in graph.users.values()))),
    ]
    return rows + ([("sizes", ", ".join(graph.size_names))] if graph.size_names else [])


def _table(rows: Iterable[tuple[str, str]]) -> str:
    cells = "".join(
        f'<tr><th style="text-align:left;font-weight:normal;opacity:.75">{escape(a)}</th>'
        f'<td style="text-align:left">{escape(b)}</td></tr>'
        for a, b in rows
    )
    return f"<table>{cells}</table>"


def _body(lines: Sequence[str]) -> list[str]:
    """The lines of the function that computes, in emitted source."""
    start = next(
        (i for i, line in enumerate(lines) if "_body(" in line and line.startswith(("cdef", "def"))), None
    )
    if start is None:
        return []
    end = next(
        (i for i in range(start + 1, len(lines)) if lines[i] and not lines[i].startswith(" ")), len(lines)
    )
    return list(lines[start + 1 : end])


def _highlighted(source: str) -> str:
    try:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import CythonLexer
    except ImportError:
        return f'<pre style="{_CODE}">{escape(source)}</pre>'
    return f'<div style="{_CODE}">{highlight(source, CythonLexer(), HtmlFormatter(noclasses=True))}</div>'
