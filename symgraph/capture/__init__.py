"""Capture: SymPy expressions and formulas become graphs; graphs become SymPy again."""

from __future__ import annotations

from .back import to_sympy
from .reductions import IndexedMaximum, IndexedMinimum
from .sympy import capture

__all__ = ["IndexedMaximum", "IndexedMinimum", "capture", "to_sympy"]
