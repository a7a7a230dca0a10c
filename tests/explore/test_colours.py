"""Colours that carry meaning stay apart without colour vision, and texts can be read on what they stand on."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import symgraph as sg

CSS = (Path(sg.__file__).parent / "explore" / "static" / "widget.css").read_text(encoding="utf-8")
# G. Machado, M. Oliveira, L. Fernandes, A physiologically-based model for simulation of color vision deficiency,
# IEEE Trans. Vis. Comput. Graph. 15 (2009) 1291: matrices of full severity, on linear RGB
VISION = {
    "full": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
THEMES = ("light", "dark")
APART = 12  # CIE 1976 colour difference; 2.3 is just noticeable
CONTRAST = 4.5  # Web Content Accessibility Guidelines 2.2, 1.4.3, level AA


def colours(theme: str) -> dict[str, str]:
    """The variables of the style sheet as ``#rrggbb``."""
    blocks = re.findall(r"\{(\s*--sg-paper.*?)\}", CSS, re.S)
    found = re.findall(r"--sg-([a-z-]+):\s*(?:var\([^,]+,\s*)?(#[0-9a-f]{3,6})", blocks[THEMES.index(theme)])
    return {name: value if len(value) == 7 else "#" + "".join(2 * c for c in value[1:]) for name, value in found}


def linear(colour: str) -> np.ndarray:
    """Linear RGB of a colour of the sRGB standard (IEC 61966-2-1)."""
    channels = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIELAB for the white point D65 (ISO/CIE 11664-4)."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    t = to_xyz @ rgb / to_xyz.sum(axis=1)
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def difference(one: str, other: str, vision: str) -> float:
    seen = [lab(np.clip(np.asarray(VISION[vision]) @ linear(c), 0, 1)) for c in (one, other)]
    return float(np.linalg.norm(seen[0] - seen[1]))


def contrast(one: str, other: str) -> float:
    high, low = sorted((float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_known_differences() -> None:
    assert lab(linear("#ffffff")) == pytest.approx([100, 0, 0], abs=0.02)
    assert lab(linear("#ff0000")) == pytest.approx([53.24, 80.09, 67.20], abs=0.03)
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", THEMES)
def test_what_carries_meaning_stays_apart(theme: str, vision: str) -> None:
    found = colours(theme)
    groups = [("value", "bar"), ("in-line", "res-line"), ("now", "box"), ("now", "adj"), ("edge", "box")]
    for group in groups:
        for one, other in combinations(group, 2):
            assert difference(found[one], found[other], vision) >= APART, (one, other)


@pytest.mark.parametrize("theme", THEMES)
def test_texts_can_be_read(theme: str) -> None:
    found = colours(theme)
    for background in ("box", "in", "res", "block", "adj", "now"):
        for text in ("text", "value", "bar"):
            assert contrast(found[text], found[background]) >= CONTRAST, (text, background)
