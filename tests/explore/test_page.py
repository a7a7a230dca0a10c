"""The page of its own in Chromium: it renders, steps, selects, searches, folds and stays off the network."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser

import symgraph as sg
from tests.explore.browser import browser, watched
from tests.explore.models import LITERATURE, layered, literature, ridge, ridge_point


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


def opened(chromium: Browser, path: Path, **options: object):  # type: ignore[no-untyped-def]
    page, wrong = watched(chromium, **options)
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.goto(path.as_uri())
    page.wait_for_selector(".sg-box")
    return page, wrong


def test_stepping_with_the_keyboard_reaches_the_gradient(chromium: Browser, tmp_path: Path) -> None:
    page, wrong = opened(chromium, sg.explore(literature(), **LITERATURE).save(tmp_path / "g.html"))
    page.locator(".sg-root").focus()
    page.keyboard.press("Home")
    assert page.locator(".sg-message").text_content() == "inputs only"
    assert page.locator(".sg-box[data-key='3'] .sg-value").is_hidden()
    said = []
    for _ in range(7):
        page.keyboard.press("ArrowRight")
        said.append((page.locator(".sg-message").text_content() or "").rpartition(" ")[2])
    assert said == ["4", "-12", "1", "-3", "4", "-3", "-3"]
    bars = [page.locator(f".sg-box[data-key='{k}'] .sg-bar").text_content() for k in range(3)]
    assert bars == ["-3", "-3", "4"] and not wrong
    page.close()


def test_a_value_its_panel_and_its_line_are_linked(chromium: Browser, tmp_path: Path) -> None:
    page, wrong = opened(chromium, sg.explore(literature(), **LITERATURE).save(tmp_path / "g.html"))
    page.locator(".sg-box[data-key='3']").click()
    panel = page.locator(".sg-info").inner_text()
    assert "value\t4" in panel and "adjoint\t-3" in panel and page.locator(".sg-info svg").count() >= 2
    assert "x + y" in (page.locator(".sg-code .sg-lf").first.text_content() or "")
    page.locator(".sg-code div", has_text="g[0]").click()
    assert page.locator(".sg-selected").get_attribute("data-key") == "4" and not wrong
    page.fill("input[type=search]", "v1 = ")
    assert page.locator(".sg-miss").count() == 4 and page.locator(".sg-found").text_content() == "1 found"
    page.close()


def test_adjoints_beside_and_levels(chromium: Browser, tmp_path: Path) -> None:
    page, wrong = opened(chromium, sg.explore(ridge(), **ridge_point()).save(tmp_path / "loss.html"))
    assert not page.locator(".sg-back").count()
    page.select_option("[data-choice=mode]", "beside")
    assert page.locator(".sg-back").count() > 8
    count = page.locator(".sg-box").count()
    page.locator("[data-choice=level]").fill("0")
    assert 4 < page.locator(".sg-box").count() < count and not wrong
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_theme_and_can_be_read(chromium: Browser, tmp_path: Path, scheme: str) -> None:
    path = sg.explore(literature(), **LITERATURE).save(tmp_path / "g.html")
    page, wrong = opened(chromium, path, color_scheme=scheme)
    box = page.locator(".sg-box[data-key='3']")
    fill = box.locator("rect").first.evaluate("e => getComputedStyle(e).fill")
    ink = box.locator(".sg-formula").evaluate("e => getComputedStyle(e).fill")
    assert contrast(fill, ink) > 7
    for css in (".sg-value", ".sg-bar"):
        assert contrast(fill, box.locator(css).evaluate("e => getComputedStyle(e).fill")) > 4.5
    picture = Image.open(io.BytesIO(page.locator(".sg-canvas").screenshot())).convert("L")
    dark = sum(picture.histogram()[:128]) / (picture.width * picture.height)
    assert (dark > 0.9) if scheme == "dark" else (0.001 < dark < 0.1)
    assert not wrong
    page.close()


def contrast(one: str, two: str) -> float:
    """The contrast of two CSS colours, as the Web Content Accessibility Guidelines define it."""

    def light(colour: str) -> float:
        parts = [int(p) / 255 for p in colour.strip("rgb()").split(",")[:3]]
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(one), light(two)))
    return (high + 0.05) / (low + 0.05)


def test_ten_thousand_values_open_folded(chromium: Browser, tmp_path: Path) -> None:
    function, point = layered(10, 250)
    page, wrong = opened(chromium, sg.explore(function, **point).save(tmp_path / "net.html"))
    assert page.locator(".sg-box").count() < 60
    page.locator("[data-act=previous]").click()
    page.fill("input[type=search]", "v5000 =")
    assert page.locator(".sg-found").text_content() == "1 found" and page.locator(".sg-selected").count() == 1
    assert not wrong
    page.close()


def test_the_data_of_a_page_is_json(tmp_path: Path) -> None:
    text = sg.explore(literature(), **LITERATURE).html()
    data = text.partition('id="sg-data">')[2].partition("</script>")[0]
    assert json.loads(data)["state"]["payload"]["version"] == 1


def test_single_boxes_open_without_python(chromium: Browser, tmp_path: Path) -> None:
    function, point = layered(3, 8)
    exploration = sg.explore(function, level="shared", **point)
    page, wrong = opened(chromium, exploration.save(tmp_path / "net.html"))
    before = page.locator(".sg-box").count()
    closed = page.locator(".sg-box[data-opens]").first
    key, members = closed.get_attribute("data-key"), (closed.get_attribute("data-members") or "").split()
    closed.dblclick()
    page.wait_for_selector("[data-act=close]:not([hidden])")
    shown = {m for b in page.locator(".sg-box").all() for m in (b.get_attribute("data-members") or "").split()}
    assert set(members) <= shown and 1 < page.locator(".sg-box").count() < before
    page.keyboard.press("Escape")
    assert page.locator(".sg-box").count() == before and not wrong
    page.locator(f".sg-box[data-key='{key}']").focus()
    page.keyboard.press("o")
    assert page.locator(".sg-box").count() < before
    page.locator("[data-act=close]").click()
    assert page.locator(".sg-box").count() == before and not wrong
    page.close()
