"""The rows of the op table, by subject. Adding an operation is adding a row to one of these tuples."""

from __future__ import annotations

from . import arithmetic, bessel, conditions, elementary, families, integrals, polynomials, special, stable
from .row import Op

__all__ = ["ROWS"]

ROWS: tuple[Op, ...] = (
    *arithmetic.ROWS,
    *elementary.ROWS,
    *stable.ROWS,
    *families.ROWS,
    *special.ROWS,
    *bessel.ROWS,
    *integrals.ROWS,
    *polynomials.ROWS,
    *conditions.ROWS,
)
