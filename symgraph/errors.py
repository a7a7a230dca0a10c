"""The errors of symgraph: one base class, one subclass per thing that a caller may want to tell apart."""

from __future__ import annotations

from typing import Any, Self

__all__ = ["ModelError", "ShapeError", "SymgraphError", "ToolchainError", "UnsupportedError"]


class SymgraphError(ValueError):
    """Base of every error that symgraph raises on purpose.

    The message names the symbol or axis, what was expected, what was found, and what to do. Where the error is about a
    part of a formula, a note below the message has the formula with that part underlined.

    Attributes
    ----------
    expression, within:
        The part of a SymPy expression that is at fault, and the expression around it; None where it is none.
    node, graph:
        The node that is at fault, and the graph that it is in; None where it is none.
    operation:
        The row of the op table that is at fault; empty where it is none.
    """

    # the lowest layer knows neither SymPy nor nodes: the layers above fill these in
    expression: Any = None
    within: Any = None
    node: Any = None
    graph: Any = None
    operation: str = ""

    def about(self, node: Any = None, operation: str = "") -> Self:
        """The same error, with the node or the operation that it is about."""
        self.node, self.operation = node, operation
        return self

    def reworded(self, message: str) -> Self:
        """An error of the same kind with another message, about the same thing."""
        other = type(self)(message)
        other.__dict__.update(self.__dict__)
        return other


class UnsupportedError(SymgraphError):
    """The model uses something that has no meaning here (or not on this target)."""


class ModelError(SymgraphError):
    """The model contradicts itself: an unbound symbol, two meanings of one name, an unknown input."""


class ShapeError(SymgraphError):
    """Sizes, axes or dtypes that do not fit each other."""


class ToolchainError(SymgraphError):
    """A compiler, or a folder to write to, is missing or failed."""
