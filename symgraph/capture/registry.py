"""The functions that users registered: how each gets its value and its derivative."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

__all__ = ["FUNCTION_OF_ROW", "USER_FUNCTIONS", "UserFunction"]


@dataclass(frozen=True)
class UserFunction:
    """A function of the user's: a formula that replaces it, or a row of the op table (which may keep a formula).

    Attributes
    ----------
    name:
        The name in messages, and of the row.
    formula:
        A SymPy Lambda of the value. Without a row it is captured in place of the function.
    row:
        Name of the row of the op table that has the derivatives, or None.
    """

    name: str
    formula: sp.Lambda | None = None
    row: str | None = None


USER_FUNCTIONS: dict[type, UserFunction] = {}
FUNCTION_OF_ROW: dict[str, type] = {}
