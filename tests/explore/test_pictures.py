"""The picture itself: well-formed, complete, readable, self-contained, and the same every time."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
import sympy as sp
from PIL import Image

import symgraph as sg
from symgraph.explore import explore
from symgraph.explore.layout import layout
from tests.explore.models import LITERATURE, SMALL, layered, literature, ridge, ridge_point, small
from tests.snippets import run_page

SVG = "{http://www.w3.org/2000/svg}"
CASES = {
    "literature": (literature(), LITERATURE),
    "small": (small(), SMALL),
    "ridge": (ridge(), ridge_point()),
}
each = pytest.mark.parametrize(("f", "point"), CASES.values(), ids=CASES)


def boxes(svg: str) -> dict[str, tuple[float, float, float, float]]:
    """Left, top, right and bottom of each box, by key."""
    found = {}
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        if "sg-box" in group.get("class", "").split():
            x, y = map(float, re.findall(r"-?[\d.]+", group.get("transform", "")))
            rectangle = group.find(f"{SVG}rect")
            assert rectangle is not None
            found[group.get("data-key", "")] = (
                x,
                y,
                x + float(rectangle.get("width", 0)),
                y + float(rectangle.get("height", 0)),
            )
    return found


@each
@pytest.mark.parametrize("mode", ["overlaid", "beside"])
def test_it_holds_every_value_and_no_boxes_overlap(
    f: sg.Function, point: dict[str, object], mode: str
) -> None:
    exploration = explore(f, mode=mode, **point)
    found = boxes(exploration.svg())
    values = {str(s.number) for s in exploration.model.shown}
    adjoints = {f"bar{s.number}" for s in exploration.model.shown if s.node in exploration.model.adjoints}
    assert set(found) == (values | adjoints if mode == "beside" else values)
    for (_, one), (_, two) in combinations(found.items(), 2):
        assert one[2] <= two[0] or two[2] <= one[0] or one[3] <= two[1] or two[3] <= one[1]


@each
def test_numbers_and_formulas_fit_in_their_boxes(f: sg.Function, point: dict[str, object]) -> None:
    for group in ElementTree.fromstring(explore(f, **point).svg()).iter(f"{SVG}g"):
        if "sg-box" in group.get("class", "").split():
            width = float(group.find(f"{SVG}rect").get("width"))  # type: ignore[union-attr, arg-type]
            numbers = [t for t in group.iter(f"{SVG}text") if "sg-number" in t.get("class", "")]
            assert sum(6.05 * len(t.text or "") for t in numbers) + 12 * len(numbers) <= width


def test_edges_go_from_left_to_right() -> None:
    exploration = explore(small())
    found = boxes(exploration.svg())
    for shown in exploration.model.shown:
        for argument in shown.arguments:
            assert found[str(argument)][2] < found[str(shown.number)][0]


@each
def test_it_refers_to_nothing_outside(f: sg.Function, point: dict[str, object]) -> None:
    svg = explore(f, **point).svg()
    defined = set(re.findall(r'id="([^"]+)"', svg))
    assert set(re.findall(r'href="#([^"]+)"', svg)) <= defined
    assert not re.search(r'(href|src)="(?!#)|url\(|@import|<script|<style|<foreignObject|style=', svg)


def test_two_pictures_on_one_page_do_not_share_names() -> None:
    first, second = explore(literature()).svg(), explore(small()).svg()
    assert not set(re.findall(r'id="([^"]+)"', first)) & set(re.findall(r'id="([^"]+)"', second))


def test_the_same_under_any_hash_seed() -> None:
    code = (
        "from tests.explore.models import *; from symgraph.explore import explore;"
        "e = explore(ridge(), **ridge_point()); import hashlib;"
        "print(hashlib.sha256((e.svg() + e.dot() + e.text()).encode()).hexdigest())"
    )
    root = Path(__file__).parents[2]
    digests = set()
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", code],
            cwd=root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert run.returncode == 0, run.stderr
        digests.add(run.stdout)
    assert len(digests) == 1


def test_markup_in_names_is_text() -> None:
    symbol = sp.Symbol('<b>"&')
    exploration = explore(sg.function(sp.exp(symbol), [symbol], name="<i>"), 1.0)
    ElementTree.fromstring(exploration.svg())
    assert "<b>" not in exploration.svg()
    page = exploration.html()
    assert "<i>" not in page and page.count("<script") == page.count("</script>") == 2


def test_text_forms() -> None:
    exploration = explore(literature(), **LITERATURE)
    assert exploration.text().splitlines()[-1].split() == ["g", "=", "z*v1", "-12", "1"]
    drawn = layout(exploration.dot())
    assert len(drawn["objects"]) == 5 and len(drawn["edges"]) == 4
    assert exploration.mermaid().splitlines()[0] == "flowchart LR" and exploration.mermaid().count("-->") == 4


def test_the_page_of_the_documentation() -> None:
    results = run_page(Path(__file__).parents[2] / "docs" / "explore.md")
    assert results.attempted > 4 and results.failed == 0


def test_formulas_are_drawn_as_shapes() -> None:
    """Not as text, which is what happens to a formula that the typesetter refuses."""
    for f, point in CASES.values():
        svg = explore(f, mode="beside", **point).svg()
        assert svg.count("<use") > 20 and not re.search(r'class="sg-formula"[^>]*><text', svg)


def test_files_by_their_ending(tmp_path: Path) -> None:
    exploration = explore(literature(), **LITERATURE)
    for name in ("g.html", "g.svg", "g.dot", "g.mmd", "g.txt"):
        assert exploration.save(tmp_path / name).read_text(encoding="utf-8").strip()
    exploration.save(tmp_path / "g.png")
    literature().save_html(tmp_path / "page", 1, 3, -3)
    assert (tmp_path / "page").read_text(encoding="utf-8").startswith("<!doctype html>")
    with pytest.raises(sg.errors.UnsupportedError, match=r"\.html, \.svg, \.png"):
        exploration.save(tmp_path / "g.gif")
    assert not (tmp_path / "g.gif").exists()


@pytest.mark.parametrize(
    ("size", "level"), [((5, 30), "shared"), ((10, 250), "outline")], ids=["600", "10000"]
)
def test_large_graphs_open_folded(size: tuple[int, int], level: str) -> None:
    function, point = layered(*size)
    exploration = explore(function, **point)
    assert exploration.level == level
    assert len(boxes(exploration.svg())) <= 160


def test_pixels_show_what_the_svg_shows() -> None:
    """Blue input boxes left, the green output box right, numbers in ink: by colour, in a picture of known size."""
    picture = Image.open(io.BytesIO(explore(literature(), **LITERATURE).png(scale=1))).convert("RGB")
    found = boxes(explore(literature(), **LITERATURE).svg())
    root = ElementTree.fromstring(explore(literature(), **LITERATURE).svg())
    left, top, width, height = map(float, root.get("viewBox", "").split())
    assert abs(picture.width - width) <= 1 and abs(picture.height - height) <= 1
    for key, paint in {"0": (234, 243, 255), "3": (255, 255, 255), "4": (234, 248, 238)}.items():
        x0, y0, x1, y1 = found[key]
        place = (int((x0 + x1) / 2 - left), int(y0 - top) + 4)
        assert picture.getpixel(place) == paint, key
        part = picture.crop((int(x0 - left) + 4, int(y1 - top) - 16, int(x1 - left) - 4, int(y1 - top) - 3))
        assert min(part.convert("L").tobytes()) < 150, f"numbers of {key}"
