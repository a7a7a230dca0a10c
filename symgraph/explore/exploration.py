"""An exploration: one model, with all the forms in which it can be looked at."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from ..errors import UnsupportedError
from ..function import Function
from .drawing import MODES, draw, draw_boxes
from .folding import LEVELS, boxes_at, default_level
from .inside import insides
from .model import Model, build_model
from .page import page
from .raster import png
from .text import dot_text, mermaid_text, plain_text

if TYPE_CHECKING:
    from .widget import Explorer

__all__ = ["Exploration", "explore"]

MOST_BOXES = 1500  # of a picture; what is beyond is reached by opening blocks
MOST_BESIDE = 160
MOST_INSIDE = 800  # boxes of the pictures that a page opens its boxes with
MOST_LINES = 200  # of the text that goes with a picture


class Exploration:
    """A function at a point, to be looked at. Make one with :func:`explore`.

    In a notebook it shows itself as an interactive view; where there is none (GitHub, a saved notebook, a terminal) as
    a picture or as text.

    Attributes
    ----------
    model:
        The values with their formulas, numbers, adjoints and places in the emitted code.
    level:
        How much is drawn: "outline", "shared" or "all".
    mode:
        "overlaid": adjoints stand in the boxes of their values. "beside": they are a graph of their own.
    opened:
        Keys of folded boxes that are shown as what they hold.
    """

    def __init__(self, model: Model, level: str | None = None, mode: str = "overlaid") -> None:
        if level is not None and level not in LEVELS:
            raise UnsupportedError(
                f"the level of detail {level!r} is not known: use one of {', '.join(LEVELS)}"
            )
        if mode not in MODES:
            raise UnsupportedError(f"the mode {mode!r} is not known: use one of {', '.join(MODES)}")
        self.model = model
        self.level, self.mode = level or default_level(model), mode
        self.opened: tuple[str, ...] = ()
        self._drawn: dict[tuple[str, str, tuple[str, ...]], str] = {}

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """The levels that differ, and are not too large to draw."""
        counts = {level: len(boxes_at(self.model, level)) for level in LEVELS}
        kept = []
        for level, finer in zip(LEVELS, (*LEVELS[1:], None), strict=True):
            if finer is not None and counts[level] == counts[finer] and level != self.level:
                continue
            if counts[level] <= MOST_BOXES or level == self.level:
                kept.append(level)
        return tuple(kept)

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes that there are: functions without adjoints have one."""
        return MODES if self.model.adjoints else MODES[:1]

    # ----------------------------------------------------------------------------------------------------- pictures
    def svg(self, level: str | None = None, mode: str | None = None) -> str:
        """The picture, as an SVG document that refers to nothing outside of it.

        Raises
        ------
        ImportError
            What draws is not installed; the message says how to.
        """
        key = (level or self.level, mode or self.mode, self.opened)
        if key not in self._drawn:
            self._drawn[key] = draw(self.model, key[0], key[2], key[1])
        return self._drawn[key]

    def html(self) -> str:
        """The interactive view as one HTML page that needs nothing else, for a mail, an issue or a report."""
        drawings = {}
        for level in self.levels:
            count = len(boxes_at(self.model, level, self.opened))
            for mode in self.modes:
                if mode == self.mode or count <= MOST_BESIDE:
                    drawings[f"{level} {mode}"] = self.svg(level, mode)
            found = insides(self.model, level, MOST_INSIDE)
            brief = sum(map(len, found.values())) > MOST_BESIDE  # formulas of so many would take seconds to set
            for key, boxes in found.items():
                drawings[f"{level} inside {key}"] = draw_boxes(self.model, boxes, brief=brief)
        return page(self, drawings)

    def png(self, scale: float = 2.0) -> bytes:
        """The picture as PNG, with ``scale`` pixels per unit of the SVG.

        Raises
        ------
        ImportError
            What draws is not installed; the message says how to.
        """
        svg = self.svg()
        _, _, width, height = map(float, ElementTree.fromstring(svg).get("viewBox", "0 0 1 1").split())
        return png(svg, width, height, scale)

    def dot(self) -> str:
        """The picture in Graphviz's language."""
        return dot_text(self.model, boxes_at(self.model, self.level, self.opened))

    def mermaid(self) -> str:
        """The picture in Mermaid's language, for Markdown."""
        return mermaid_text(self.model, boxes_at(self.model, self.level, self.opened))

    def text(self) -> str:
        """One line per value, for a terminal."""
        return plain_text(self.model)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture; the ending chooses the form: .html, .svg, .png, .dot, .mmd (Mermaid) or .txt.

        Raises
        ------
        UnsupportedError
            For another ending.
        """
        forms: dict[str, Callable[[], str | bytes]] = {
            ".html": self.html,
            ".svg": self.svg,
            ".png": self.png,
            ".dot": self.dot,
            ".gv": self.dot,
            ".mmd": self.mermaid,
            ".txt": self.text,
        }
        path = Path(path)
        if path.suffix not in forms:
            raise UnsupportedError(
                f"pictures are not written as {path.suffix or path.name!r}: use one of {', '.join(forms)}"
            )
        written = forms[path.suffix]()
        path.write_bytes(written if isinstance(written, bytes) else written.encode())
        return path

    def save_html(self, path: str | os.PathLike[str]) -> Path:
        """Write :meth:`html` to a file of any name."""
        path = Path(path)
        path.write_text(self.html(), encoding="utf-8")
        return path

    # -------------------------------------------------------------------------------------------------- notebooks
    @cached_property
    def widget(self) -> Explorer:
        """The interactive view; its ``selected`` and ``step`` can be read and set while it is shown."""
        from .widget import Explorer

        return Explorer(self)

    @property
    def selected(self) -> int:
        """The number of the value that is selected in the view; -1 for none."""
        return int(self.widget.selected)

    @property
    def step(self) -> int:
        """How many steps of both passes the view shows."""
        return int(self.widget.step)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {
            "text/plain": self.text() if len(self.model.shown) <= MOST_LINES else repr(self)
        }
        try:
            bundle["image/svg+xml"] = self.svg()
        except ImportError:
            return bundle
        with contextlib.suppress(ImportError):
            bundle |= {k: v for k, v in self.widget.view_bundle().items() if k != "text/plain"}
        return bundle

    def __repr__(self) -> str:
        numbers = "" if self.model.values else ", without numbers"
        return f"<exploration of {self.model.name}: {len(self.model.shown)} values{numbers}>"


def explore(
    f: Function, *arguments: object, level: str | None = None, mode: str = "overlaid", **point: object
) -> Exploration:
    """Look at a function: formulas, values, adjoints, cost, loops and emitted lines as one linked picture.

    Parameters
    ----------
    f:
        A Function. Where it has one floating result without dimensions, adjoints are shown too.
    arguments, point:
        The point, by position and by name; none at all for a picture without numbers.
    level:
        How much is drawn: "outline", "shared" or "all"; by default the finest that can be read.
    mode:
        "overlaid": adjoints stand in the boxes of their values. "beside": they are a graph of their own below.

    Returns
    -------
    Exploration
        Shows itself in notebooks; ``save`` writes HTML, SVG, PNG, DOT, Mermaid or text.

    Raises
    ------
    SymgraphError
        The point does not fit the inputs, or the level or mode is not known.

    Examples
    --------
    >>> import sympy as sp, symgraph as sg
    >>> x, y, z = sp.symbols("x y z")
    >>> print(sg.explore(sg.function((x + y) * z, [x, y, z], name="g"), 1, 3, -3).text())
                          value  adjoint
    x                         1       -3
    y                         3       -3
    z                        -3        4
    v1 = x + y                4       -3
    g = z*v1                -12        1
    """
    return Exploration(build_model(f, arguments, point), level, mode)


def explored(f: Function, arguments: Sequence[object], point: Mapping[str, object]) -> Exploration:
    """The same with the point as a sequence and a mapping, so that no name of an input is taken by an option."""
    return Exploration(build_model(f, arguments, point))
