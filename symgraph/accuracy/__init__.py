"""Accuracy that can be seen: kernels against exact values, in units in the last place, with reasons."""

from __future__ import annotations

from .measure import accuracy
from .report import Accuracy, OutputAccuracy

__all__ = ["Accuracy", "OutputAccuracy", "accuracy"]
