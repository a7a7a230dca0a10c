"""How Functions, Graphs and Kernels show themselves where there is more than text."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import symgraph as sg
from symgraph.explore.displays import loop_boxes
from tests.explore.models import LITERATURE, layered, literature, ridge

LOOPS = re.compile(r"<b>while n - i &gt;= [^<]*</b>.*<div[^>]*><b>for j in range\(d\):</b>", re.DOTALL)  # over lanes


def test_a_function_shows_formula_and_counts() -> None:
    bundle = literature()._repr_mimebundle_()
    assert bundle["text/latex"] == r"$$g = z\,\left(x + y\right)$$"
    assert "2 (1 add, 1 mul)" in bundle["text/html"] and "<svg" in bundle["text/html"]
    assert bundle["text/plain"].startswith("g(x, y, z) -> g")


def test_a_long_function_shows_what_can_be_read() -> None:
    bundle = layered(10, 250)[0]._repr_mimebundle_()
    assert "text/latex" not in bundle and max(map(len, bundle.values())) < 3000


def test_a_graph_is_a_picture() -> None:
    bundle = ridge().graph._repr_mimebundle_()  # type: ignore[attr-defined]  # given by symgraph.explore
    ElementTree.fromstring(bundle["image/svg+xml"])
    assert "loss" in bundle["text/plain"]


def test_a_kernel_shows_loops_and_source() -> None:
    kernel = sg.compile(sg.value_and_grad(ridge(), "w"))
    html = kernel._repr_mimebundle_()["text/html"]  # type: ignore[attr-defined]
    assert str(kernel.path) in html and LOOPS.search(html) and "cdivision" in html


def test_loops_are_nested_boxes() -> None:
    html = loop_boxes(["for i in range(n):", "    for j in range(d):", "        s += x", "    t = s", "u = t"])
    assert [m[0] for m in re.finditer(r"<div|</div", html)] == [
        "<div",
        "<div",
        "<div",
        "</div",
        "</div",
        "</div",
    ]
    assert html.index("</div") < html.index("t = s") < html.index("u = t")


def test_an_exploration_is_a_widget_a_picture_and_text() -> None:
    bundle = sg.explore(literature(), **LITERATURE)._repr_mimebundle_()
    assert set(bundle) == {"application/vnd.jupyter.widget-view+json", "image/svg+xml", "text/plain"}


def test_the_widget_draws_what_is_chosen() -> None:
    exploration = sg.explore(literature(), **LITERATURE)
    widget = exploration.widget
    assert widget.step == exploration.step == 7 and exploration.selected == -1
    before = widget.drawing
    widget.mode = "beside"
    assert widget.drawing != before and "backward: adjoints" in widget.drawing
    widget.level = "shared"
    widget.opened = ["4"]
    assert 'data-group="4"' in widget.drawing
    widget.wanted = 3
    assert widget.formulas["id"] == 3 and "<svg" in widget.formulas["formulas"][0]["svg"]


def test_a_plan_is_nested_boxes() -> None:
    explanation = sg.value_and_grad(ridge(), "w").explain()
    bundle = explanation._repr_mimebundle_()
    assert explanation.splitlines()[0].endswith("3 inputs, 2 outputs") and bundle["text/plain"] == str(explanation)
    root = ElementTree.fromstring(bundle["image/svg+xml"])
    rows = {t.text: float(t.get("y", 0)) for t in root if t.tag.endswith("text")}
    rectangles = [r for r in root if r.tag.endswith("rect")][1:]
    shapes = [{k: float(r.get(k, 0)) for k in ("x", "y", "width", "height")} for r in rectangles]
    inner, outer = shapes[1], shapes[0]
    assert len(shapes) == explanation.count("for ")
    assert outer["x"] < inner["x"] and inner["x"] + inner["width"] < outer["x"] + outer["width"]
    assert outer["y"] < inner["y"] and inner["y"] + inner["height"] <= outer["y"] + outer["height"]
    head = next(y for text, y in rows.items() if text == "for i in 0..n")
    assert outer["y"] < head < inner["y"] and LOOPS.search(bundle["text/html"])
