"""The view as a page of its own: one file, no server, no network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from .view import view_data

if TYPE_CHECKING:
    from .exploration import Exploration

__all__ = ["page"]

# Stands in for a notebook's model: a choice shows another of the pictures that the page holds.
_MODEL = """
const kept = JSON.parse(document.getElementById("sg-data").textContent);
const state = kept.state, listeners = {};
const fire = (name) => (listeners[name] || []).forEach((listener) => listener());
const model = {
  get: (name) => state[name],
  set(name, value) {
    state[name] = value;
    fire(`change:${name}`);
    if (name === "opened") {
      const inside = value.length && kept.drawings[`${state.level} inside ${value[value.length - 1]}`];
      if (value.length && !inside) { value.pop(); return; }
      state.drawing = inside || kept.drawings[`${state.level} ${state.mode}`];
      fire("change:drawing");
    }
    if (name !== "level" && name !== "mode") return;
    if (!(`${state.level} ${state.mode}` in kept.drawings)) { state.mode = kept.mode; fire("change:mode"); }
    state.drawing = kept.drawings[`${state.level} ${state.mode}`];
    fire("change:drawing");
  },
  save_changes() {},
  on(name, listener) { (listeners[name] = listeners[name] || []).push(listener); },
};
const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => document.documentElement.classList.toggle("sg-dark", dark.matches);
dark.addEventListener("change", theme);
theme();
render({ model, el: document.getElementById("sg-view") });
"""
_STYLE = """
html { color-scheme: light dark; }
body { margin: 0; font: 14px system-ui, sans-serif; background: #fff; color: #1c2733; }
.sg-dark body { background: #0e1116; color: #e4e9ef; }
h1 { font-size: 15px; font-weight: 600; margin: 8px 12px; }
#sg-view .sg-root { height: calc(100vh - 52px); margin: 0 10px; resize: none; }
"""


def page(exploration: Exploration, drawings: Mapping[str, str]) -> str:
    """The HTML of a page with the view and all its pictures.

    Parameters
    ----------
    exploration:
        What is shown.
    drawings:
        SVG by "level mode", and by "level inside key" for what single boxes hold. That of the
        exploration's own level and mode is shown first.
    """
    static = files(__package__ or "symgraph.explore") / "static"
    script = (static / "widget.js").read_text(encoding="utf-8").replace("export default { render };", "")
    style = (static / "widget.css").read_text(encoding="utf-8")
    data = view_data(exploration, live=False)
    data["levels"] = [v for v in data["levels"] if any(k.startswith(f"{v} ") for k in drawings)]
    data["opens"] = data["insides"] = any(" inside " in name for name in drawings)
    state: dict[str, Any] = {
        "payload": data, "drawing": drawings[f"{exploration.level} {exploration.mode}"], "level": exploration.level,
        "mode": exploration.mode, "opened": [], "selected": -1, "step": len(data["forward"]) + len(data["backward"]),
        "wanted": -1, "formulas": {},
    }  # fmt: skip
    kept = json.dumps({"state": state, "drawings": drawings, "mode": exploration.mode}, ensure_ascii=False)
    kept = kept.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    title = escape(f"{exploration.model.name}: {len(exploration.model.shown)} values")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}{_STYLE}</style></head>'
        f'<body><h1>{title}</h1><div id="sg-view"></div>'
        f'<script type="application/json" id="sg-data">{kept}</script>'
        f'<script type="module">{script}{_MODEL}</script></body></html>\n'
    )
