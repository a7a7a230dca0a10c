"""The errors of symgraph: one base class, one subclass per thing that a caller may want to tell apart."""

from __future__ import annotations

__all__ = ["ModelError", "ShapeError", "SymgraphError", "ToolchainError", "UnsupportedError"]


class SymgraphError(ValueError):
    """Base of every error that symgraph raises on purpose.

    The message names the symbol or axis, what was expected, what was found, and what to do.
    """


class UnsupportedError(SymgraphError):
    """The model uses something that has no meaning here (or not on this target)."""


class ModelError(SymgraphError):
    """The model contradicts itself: an unbound symbol, two meanings of one name, an unknown input."""


class ShapeError(SymgraphError):
    """Sizes, axes or dtypes that do not fit each other."""


class ToolchainError(SymgraphError):
    """A compiler, or a folder to write to, is missing or failed."""
