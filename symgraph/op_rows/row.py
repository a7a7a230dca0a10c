"""What a row of the op table is, and short ways to write one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from ..dtype import BOOLEAN, FLOATING, INTEGER, Dtype, promote
from ..errors import UnsupportedError
from ..node import Kind, Node

__all__ = [
    "ARGUMENTS", "POSITIVE", "REAL", "UNIT", "A", "B", "C", "D", "Op", "R", "cython_special", "fold", "math", "row",
    "special",
]  # fmt: skip


class _Special:
    """scipy.special, loaded at the first call of a function: loading it takes longer than all of this package."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)

        def function(*arguments: Any) -> Any:
            import scipy.special

            return getattr(scipy.special, name)(*arguments)

        return function


special = _Special()
A, B, C, D, R = (sp.Dummy(name, real=True) for name in ("a", "b", "c", "d", "r"))
ARGUMENTS = (A, B, C, D)


@dataclass(frozen=True)
class Op:
    """One row of the op table.

    Attributes
    ----------
    name:
        The key; what ``Node.data`` holds.
    formula:
        SymPy expression in ``A`` to ``D`` that defines value and derivative; None for what SymPy cannot say.
    numpy:
        The reference implementation on NumPy arrays.
    samples:
        One (low, high) range per argument, inside the domain, for generated tests.
    result:
        "float", "bool", "int", "promote" (widest argument), "branches" (widest of all but the first) or "power"
        (integer for integers to a constant power from 0 up).
    given_partials:
        Partials that replace the ones derived from the formula; None entries mean "no derivative known".
    arity:
        Number of arguments, or None for any number (from two up).
    cost:
        In units of one addition, for choices between storing and computing again.
    commutative:
        Whether the order of the arguments does not matter: nodes keep them in order of creation.
    whole:
        Positions of arguments that are whole numbers (orders of a family).
    """

    name: str
    formula: sp.Expr | None
    numpy: Callable[..., Any]
    samples: tuple[tuple[float, float], ...]
    result: str = "float"
    given_partials: tuple[object, ...] | None = None
    arity: int | None = 1
    cost: int = 20
    commutative: bool = False
    whole: tuple[int, ...] = ()
    c: str | None = None
    vector: str | None = None
    python: str | None = None

    @cached_property
    def partials(self) -> tuple[sp.Expr | None, ...]:
        """The partial derivative for each argument, as SymPy expressions in A, B, C and R."""
        if self.given_partials is not None:
            return tuple(None if p is None else sp.sympify(p) for p in self.given_partials)
        if self.formula is None or self.arity is None:
            raise UnsupportedError(f"the operation {self.name!r} has no derivative: register one with its row")
        return tuple(self.formula.diff(argument) for argument in ARGUMENTS[: self.arity])

    def dtype(self, arguments: Sequence[Node]) -> Dtype:
        """The kind of number of the result."""
        if self.result == "float":
            return FLOATING
        if self.result == "bool":
            return BOOLEAN
        if self.result == "int":
            return INTEGER
        if self.result == "power":
            whole = arguments[1].kind is Kind.CONST and type(arguments[1].data) is int and arguments[1].data >= 0
            return promote(arguments[0].dtype) if whole else FLOATING
        used = arguments[1:] if self.result == "branches" else arguments
        if self.result == "branches" and all(a.dtype is BOOLEAN for a in used):
            return BOOLEAN
        return promote(*(a.dtype for a in used))


def fold(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """The function of two arguments as one of any number, from left to right."""

    def folded(*arguments: Any) -> Any:
        result = arguments[0]
        for argument in arguments[1:]:
            result = function(result, argument)
        return result

    return folded


REAL = (-2.0, 2.0)
POSITIVE = (0.1, 3.0)
UNIT = (-0.9, 0.9)


def row(name: str, formula: Any, numpy: Any, *samples: tuple[float, float], **rest: Any) -> Op:
    """A row whose arity is the number of its sample ranges."""
    rest.setdefault("arity", len(samples))
    return Op(name, formula, numpy, samples, **rest)


def math(name: str, formula: Any, numpy: Any, *samples: tuple[float, float], **rest: Any) -> Op:
    """A function of math.h that Python's math module has under the same name."""
    rest.setdefault("c", name)
    rest.setdefault("python", f"math.{rest['c']}")
    return row(name, formula, numpy, *samples, **rest)


def cython_special(name: str, formula: Any, numpy: Any, *samples: tuple[float, float], **rest: Any) -> Op:
    """A function that scipy.special.cython_special has (spelling in ``c``)."""
    rest.setdefault("c", f"scipy:{name}")
    rest.setdefault("cost", 60)
    return row(name, formula, numpy, *samples, **rest)
