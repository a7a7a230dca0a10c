"""Formulas as shapes: LaTeX to SVG paths without TeX, browser or network. Each glyph is defined once in a picture."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

__all__ = ["Formula", "Formulas", "mathml"]

_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_SPACES = {" = ": 0.278, " + ": 0.222, " - ": 0.222, r"\,": 0.167}  # ems around a sign, as TeX has them
_NESTING = {"{": 1, "}": -1, r"\left": 1, r"\right": -1, "(": 1, ")": -1, "[": 1, "]": -1}
_CUTS = re.compile(r"\\left(?![a-z])\W?|\\right(?![a-z])\W?| [=+-] |\\,|\\.|[{}()\[\]]")
TALLEST = 8.0  # heights of a line that a formula may have
_XLINK = "http://www.w3.org/1999/xlink"


@dataclass(frozen=True)
class Formula:
    """A drawn formula: SVG elements whose origin is the left end of the line of text, and its extent."""

    body: str
    width: float
    above: float
    below: float

    @property
    def height(self) -> float:
        """From the top of the highest to the foot of the lowest sign."""
        return self.above + self.below


class Formulas:
    """Draws formulas that share their glyphs.

    Parameters
    ----------
    prefix:
        Goes before the names of the glyphs, so that two pictures on one page do not mix them up.
    """

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self.glyphs: dict[str, str] = {}
        self._drawn: dict[tuple[str, float], Formula] = {}

    def draw(self, latex: str, size: float = 15) -> Formula:
        """The shapes of a formula. What cannot be set as a formula is set as text.

        >>> f = Formulas("p").draw("x + y")
        >>> f.body.count("<use"), f.width > 20
        (3, True)
        """
        key = (latex, size)
        if key not in self._drawn:
            self._drawn[key] = self._draw(latex, size)
        return self._drawn[key]

    def definitions(self) -> str:
        """The glyphs that all drawn formulas use, for a ``<defs>`` element."""
        return "".join(self.glyphs.values())

    def _draw(self, latex: str, size: float) -> Formula:
        bodies, right, above, below = [], 0.0, 0.0, 0.0
        for piece, gap in _pieces(latex):
            drawn = _drawing(piece, size)
            if drawn is None:
                return _as_text(latex, size)
            body, glyphs, (left, top, width, height) = drawn
            for name, shape in glyphs.items():
                self.glyphs.setdefault(
                    name, f'<symbol id="{self.prefix}{name}" overflow="visible"{shape}</symbol>'
                )
            right += gap * size  # between the margins of the pieces, which stand for side bearings
            bodies.append(
                f'<g transform="translate({right - left:.1f} 0)">{body.replace("@PREFIX@", self.prefix)}</g>'
            )
            right, above, below = right + width, max(above, -top), max(below, height + top)
        return Formula("".join(bodies), right, above, below)


def _pieces(latex: str) -> list[tuple[str, float]]:
    r"""A formula cut at its outermost signs, each piece with the space before it in ems.

    Names and signs come back in every formula of a picture: set alone, each is set once.

    >>> _pieces(r"v_{1} = \left(x + y\right)\,z")
    [('v_{1}', 0.0), ('=', 0.278), ('\\left(x + y\\right)', 0.278), ('z', 0.167)]
    """
    pieces: list[tuple[str, float]] = []
    depth, start, gap = 0, 0, 0.0
    for cut in _CUTS.finditer(latex):
        sign = next((k for k in (r"\left", r"\right") if cut[0].startswith(k)), cut[0])
        if sign in _NESTING:
            depth += _NESTING[sign]
        elif depth == 0 and sign in _SPACES and latex[start : cut.start()].strip():
            pieces.append((latex[start : cut.start()], gap))
            gap = _SPACES[sign]
            if sign != r"\,":
                pieces.append((sign.strip(), gap))
            start = cut.end()
    return [*pieces, (latex[start:], gap)]


@lru_cache(maxsize=4096)
def _drawing(latex: str, size: float) -> tuple[str, dict[str, str], tuple[float, ...]] | None:
    """The body, the glyphs and the box of a formula; None where the typesetter gives up."""
    root = _typeset(latex, size)
    if root is not None and _box(root)[3] > TALLEST * size:  # brackets that were stretched without end
        root = _typeset(latex.replace(r"\left", "").replace(r"\right", ""), size)
    if root is None:
        return None
    glyphs: dict[str, str] = {}
    parts: list[str] = []
    for element in root:
        tag = element.tag.rpartition("}")[2]
        if tag == "symbol":
            path = next((e.get("d", "") for e in element if e.tag.endswith("path")), "")
            if path:
                glyphs[element.get("id", "")] = (
                    f' viewBox="{_short(element.get("viewBox", ""))}"><path d="{_short(path)}"/>'
                )
        elif tag == "use":
            name = (element.get("href") or element.get(f"{{{_XLINK}}}href") or "#")[1:]
            if name in glyphs:
                place = " ".join(
                    f'{k}="{_short(element.get(k, "0"))}"' for k in ("x", "y", "width", "height")
                )
                parts.append(f'<use xlink:href="#@PREFIX@{name}" {place}/>')
        else:
            kept = " ".join(
                f'{k}="{_short(v)}"' for k, v in element.attrib.items() if k not in ("fill", "stroke")
            )
            parts.append(f"<{tag} {kept}/>")
    return "".join(parts), glyphs, _box(root)


def mathml(latex: str) -> str:
    """A formula as MathML, which browsers set themselves: for texts of which a page has hundreds.

    >>> mathml("x < 1").partition("<mrow>")[2]
    '<mi>x</mi><mo>&#x0003C;</mo><mn>1</mn></mrow></math>'
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the typesetter, which brings the converter, reads its fonts when imported
        _typesetter()
        from latex2mathml.converter import convert

        return convert(latex)


def _typeset(latex: str, size: float) -> ElementTree.Element | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the typesetter reads its fonts in a way that is deprecated
            return ElementTree.fromstring(_typesetter().Latex(latex, size=size).svg())
    except ImportError:
        raise
    except Exception:  # a typesetter that stumbles over one formula must not take the picture with it
        return None


def _box(root: ElementTree.Element) -> tuple[float, ...]:
    return tuple(float(v) for v in root.get("viewBox", "0 0 0 0").split())


@lru_cache(maxsize=1)
def _typesetter() -> Any:
    try:
        import ziamath
        from ziamath.config import config
    except ImportError:
        raise ImportError("pictures of formulas need ziamath: pip install 'symgraph[viz]'") from None
    config.svg2 = True
    _measure_once()
    return ziamath


def _measure_once() -> None:
    """Spare the typesetter work that doubles with each bracket inside a bracket.

    A row is set twice: first without stretched signs, to know how far they must stretch. Inside that first time nothing
    stretches, so there is nothing to measure for; the shapes stay the same.
    """
    from ziamath.nodes.mrow import Mrow

    measured = getattr(Mrow, "_get_height_nostretch", None)
    if measured is None:
        return

    def height(self: Any, line: Any, **options: Any) -> tuple[float, float]:
        return (0.0, 0.0) if options.get("nostretch") else measured(self, line, **options)

    setattr(Mrow, "_get_height_nostretch", height)  # noqa: B010  # a method of another library, replaced on purpose


def _as_text(latex: str, size: float) -> Formula:
    text = re.sub(r"\\(?:mathrm|left|right|bar|,|;)|[{}]", "", latex)
    text = text if len(text) <= 60 else text[:57] + "..."
    font = 'font-family="ui-monospace,Menlo,Consolas,monospace"'
    body = f'<text {font} font-size="{size * 0.8:.1f}">{escape(text)}</text>'
    return Formula(body, len(text) * size * 0.5, size * 0.8, size * 0.3)


def _short(text: str) -> str:
    """Coordinates with two digits behind the point: finer than any screen."""
    return _NUMBER.sub(lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), text)
