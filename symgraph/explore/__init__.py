"""Looking at functions: pictures, an interactive view, exports and plots. Only what is used is loaded."""

from .displays import register_displays
from .exploration import Exploration, explore

__all__ = ["Exploration", "explore"]

register_displays()
