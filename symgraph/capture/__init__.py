"""Capture: SymPy expressions and formulas become graphs; graphs become SymPy again."""

from __future__ import annotations

from .sympy import capture

__all__ = ["capture"]
