"""What the view is given: the model as data, and which pictures and exports there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .payload import FEW, payload

if TYPE_CHECKING:
    from .exploration import Exploration

__all__ = ["view_data"]


def view_data(exploration: Exploration, live: bool) -> dict[str, Any]:
    """The data of a view. ``live``: Python is there to draw what is opened and chosen."""
    few = len(exploration.model.shown) <= FEW
    data = payload(exploration.model, formulas=few or not live)
    data["levels"], data["modes"] = list(exploration.levels), list(exploration.modes)
    data["opens"] = live
    data["dot"], data["mermaid"] = exploration.dot(), exploration.mermaid()
    return data
