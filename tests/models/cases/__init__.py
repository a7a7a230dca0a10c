"""The models of tests/data/cases: small reproductions of what people reported about derivatives and generated code."""

from __future__ import annotations

from . import conditions, functions, large, names, points, sums, tables
from .model import CASES, Model

__all__ = ["CASES", "Model", "conditions", "functions", "large", "names", "points", "sums", "tables"]
