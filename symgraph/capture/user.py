"""Functions that the user defined: registered ones, and subclasses of ``Function`` that carry their own derivative."""

from __future__ import annotations

from .. import simplify as s
from ..errors import UnsupportedError
from ..node import Node
from .engine import Bindings, Machine, Steps

import sympy as sp

__all__ = ["user_function"]


def user_function(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Steps:
    """The node of a user's function."""
    raise UnsupportedError(f"the function {type(expression).__name__} is not known: give it a value and a derivative with "
                           "symgraph.register, or make the applied function an input")
    yield s, bindings, ()
