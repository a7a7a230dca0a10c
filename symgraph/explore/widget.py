"""The interactive view in notebooks: JupyterLab, Notebook, VS Code and whatever else shows an anywidget."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

try:
    import anywidget
    import traitlets
except ImportError:
    raise ImportError("the interactive view needs anywidget: pip install 'symgraph[viz]'") from None

from .glyphs import Formulas
from .payload import formulas_of
from .view import view_data

if TYPE_CHECKING:
    from .exploration import Exploration

__all__ = ["Explorer"]

STATIC = files(__package__ or "symgraph.explore") / "static"


class Explorer(anywidget.AnyWidget):
    """The view of one :class:`~symgraph.explore.exploration.Exploration`. What the browser changes, Python draws anew.

    Attributes
    ----------
    selected, step:
        The number of the selected value (-1: none), and how many steps of both passes are shown.
    level, mode, opened:
        What is drawn; see :class:`~symgraph.explore.exploration.Exploration`.
    """

    _esm = (STATIC / "widget.js").read_text(encoding="utf-8")
    _css = (STATIC / "widget.css").read_text(encoding="utf-8")
    payload = traitlets.Unicode().tag(
        sync=True
    )  # JSON: a text is passed on as it is, a dictionary is searched first
    drawing = traitlets.Unicode().tag(sync=True)
    level = traitlets.Unicode().tag(sync=True)
    mode = traitlets.Unicode().tag(sync=True)
    opened = traitlets.List(traitlets.Unicode()).tag(sync=True)
    selected = traitlets.Int(-1).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    wanted = traitlets.Int(-1).tag(sync=True)
    formulas = traitlets.Dict().tag(sync=True)

    def __init__(self, exploration: Exploration) -> None:
        data = view_data(exploration, live=True)
        self._exploration = exploration
        super().__init__(
            payload=json.dumps(data, ensure_ascii=False),
            drawing=exploration.svg(),
            level=exploration.level,
            mode=exploration.mode,
            opened=list(exploration.opened),
            step=len(data["forward"]) + len(data["backward"]),
        )

    @traitlets.observe("level", "mode", "opened")
    def _redraw(self, change: Any) -> None:
        exploration = self._exploration
        if self.level in exploration.levels:
            exploration.level = self.level
        if self.mode in exploration.modes:
            exploration.mode = self.mode
        exploration.opened = tuple(self.opened)
        self.drawing = exploration.svg()

    @traitlets.observe("wanted")
    def _draw_formulas(self, change: Any) -> None:
        shown = self._exploration.model.shown
        if 0 <= self.wanted < len(shown):
            glyphs = Formulas(f"d{self.wanted}_")
            drawn = formulas_of(self._exploration.model, shown[self.wanted], glyphs)
            self.formulas = {"id": self.wanted, "formulas": drawn, "glyphs": glyphs.definitions()}

    def view_bundle(self) -> dict[str, Any]:
        """What a notebook needs to show the view."""
        found = super()._repr_mimebundle_()
        bundle = found[0] if isinstance(found, tuple) else found
        return dict(bundle or {})
