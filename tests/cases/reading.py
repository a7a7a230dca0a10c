"""The data of the cases, and how what was found compares with it."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

DATA: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "data" / "cases" / "cases.json").read_text(encoding="utf-8")
)

# sizes of arrays are no arguments: they come from the shapes
SIZES = {"IX01": "n", "IX02": "n", "IX05": "n", "IX09": "n", "IX10": "m n", "IX11": "n", "IX12": "n"}


def behaving(*words: str) -> list[str]:
    """The identifiers of the cases that demand one of these behaviours."""
    return [name for name, case in DATA.items() if set(words) & set(case.get("behaviour", ()))]


def number(value: Any) -> Any:
    """A value of a point: integers stay integers, text is a fraction, lists are arrays."""
    if isinstance(value, list):
        return np.array([number(item) for item in value], dtype=float)
    if isinstance(value, int) or value in ("inf", "-inf", "nan"):
        return value if isinstance(value, int) else float(value)
    return float(Fraction(value))


def agrees(found: Any, expected: Any, rtol: float = 4e-13) -> bool:
    """Whether a number, an array or a choice of numbers is what the data says."""
    if isinstance(expected, list):
        array = np.asarray(found)
        return array.shape[:1] == (len(expected),) and all(
            agrees(a, e, rtol) for a, e in zip(array, expected, strict=True)
        )
    if isinstance(expected, dict):
        (word, choices), *_ = expected.items()
        if word == "between":
            return float(choices[0]) <= float(found) <= float(choices[1])
        if word == "oneof":
            return any(agrees(found, choice, rtol) for choice in choices)
        return False
    if expected == "any":
        return True
    value = float(np.asarray(found))
    if expected == "nan-or-complex":
        return math.isnan(value)
    wanted = float(expected)
    if not math.isfinite(wanted):
        return math.isnan(value) if math.isnan(wanted) else value == wanted
    return abs(value - wanted) <= rtol * abs(wanted) + 1e-15


def is_finite(expected: Any) -> bool:
    """Whether everything that is expected is an ordinary number."""
    if isinstance(expected, list):
        return all(is_finite(item) for item in expected)
    return isinstance(expected, str) and expected not in ("any", "nan-or-complex") and math.isfinite(float(expected))
