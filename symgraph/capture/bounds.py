"""Ranges of indices: between which values an affine expression of summation indices lies."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping

import sympy as sp

from ..axis import size_symbol
from ..errors import ModelError, UnsupportedError
from .engine import Bindings

__all__ = ["affine_range", "canonical_sizes", "is_at_least", "is_whole", "require_affine"]

_MOST_RESIDUES = 20_000


def canonical_sizes(expression: sp.Expr, keep: Iterable[sp.Basic] = ()) -> sp.Expr:
    """The expression with every symbol but those in ``keep`` replaced by the size symbol of its name."""
    kept = tuple(keep)
    symbols = sorted(expression.free_symbols, key=str)
    return sp.expand(expression.xreplace({s: size_symbol(s.name) for s in symbols if s not in kept}))


def affine_range(expression: sp.Expr, bindings: Bindings) -> tuple[sp.Expr, sp.Expr] | None:
    """The least and greatest value over all indices, as expressions of sizes; None when that is not simple.

    Every index is taken to run over its own whole range, so that the result may be wider than what occurs.
    """
    if expression in bindings:
        return bindings[expression].low, bindings[expression].high
    indices = [s for s in bindings if s in expression.free_symbols]
    expression = canonical_sizes(expression, indices)
    low = high = expression.xreplace(dict.fromkeys(indices, sp.S.Zero))
    rest = expression - low
    for index in indices:
        slope = sp.diff(expression, index)
        if any(s in slope.free_symbols for s in indices):
            return None
        rest -= slope * index
        ends = (bindings[index].low, bindings[index].high)
        if is_at_least(slope, 0):
            low, high = low + slope * ends[0], high + slope * ends[1]
        elif is_at_least(-slope, 0):
            low, high = low + slope * ends[1], high + slope * ends[0]
        else:
            return None
    if sp.expand(rest) != 0:
        return None
    return sp.expand(low), sp.expand(high)


def is_at_least(expression: sp.Expr, bound: int) -> bool:
    """Whether the expression is provably ``bound`` or more, sizes being integers from 0 up."""
    return bool(sp.expand(expression - bound).is_nonnegative)


def require_affine(
    expression: sp.Basic, index: sp.Basic, bindings: Bindings, known: Mapping[str, object]
) -> None:
    """Refuse a bound that is not an affine integer expression of sizes and of the indices outside."""
    if expression in (sp.oo, -sp.oo):
        raise UnsupportedError(
            f"the index {index} runs to infinity: a sum needs finite bounds; cut it off where the terms "
            "no longer count"
        )
    for symbol in sorted(expression.free_symbols, key=str):
        if symbol not in bindings and getattr(symbol, "name", None) not in known:
            raise ModelError(
                f"the bound {expression} of the index {index} depends on {symbol}, which is neither a size nor an "
                "index outside of it: bounds are integer expressions of sizes and outer indices"
            )
    if expression.is_integer is False or expression.atoms(sp.Float):
        raise UnsupportedError(
            f"the bound {expression} of the index {index} is not an integer: use integers, sizes and outer "
            "indices"
        )


def is_whole(polynomial: sp.Poly) -> bool:
    """Whether a polynomial with rational coefficients is a whole number wherever its variables are.

    All residues by the common denominator are tried; where these are too many it is taken to be one.

    >>> i = sp.Symbol("i")
    >>> is_whole(sp.Poly(i * (i - 1) / 2)), is_whole(sp.Poly(i / 2))
    (True, False)
    """
    terms = polynomial.terms()
    denominator = int(sp.ilcm(1, *(c.q for _, c in terms)))
    count = len(polynomial.gens)
    if denominator**count > _MOST_RESIDUES:
        return True
    numerators = [(powers, int(coefficient * denominator)) for powers, coefficient in terms]
    for residues in itertools.product(range(denominator), repeat=count):
        total = sum(
            c * math.prod(r**k for r, k in zip(residues, powers, strict=True)) for powers, c in numerators
        )
        if total % denominator:
            return False
    return True
