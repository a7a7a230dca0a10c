"""A model with the names of its arguments, and the table of all models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

__all__ = ["CASES", "Model", "case", "real", "scalars"]


@dataclass(frozen=True)
class Model:
    """Argument names with SymPy objects, names with expressions, and the values of user functions."""

    inputs: dict[str, Any]
    outputs: dict[str, Any]
    functions: dict[Any, Any] = field(default_factory=dict)


CASES: dict[str, Callable[[], Model]] = {}


def case(identifier: str) -> Callable[[Callable[[], Model]], Callable[[], Model]]:
    """Enter a builder into the table."""

    def enter(build: Callable[[], Model]) -> Callable[[], Model]:
        assert identifier not in CASES
        CASES[identifier] = build
        return build

    return enter


def scalars(names: str, **assumptions: bool) -> dict[str, sp.Symbol]:
    """Symbols by name, as arguments."""
    return {name: sp.Symbol(name, **assumptions) for name in names.split()}


def real(names: str) -> dict[str, sp.Symbol]:
    """Real symbols by name, as arguments."""
    return scalars(names, real=True)
