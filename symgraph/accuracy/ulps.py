"""Errors in units in the last place: how many floats lie between what was found and what is right."""

from __future__ import annotations

import math
from typing import Any

import mpmath

__all__ = ["FORMATS", "FloatFormat", "is_beyond", "is_representable", "ulp_error"]


class FloatFormat:
    """A binary format of IEEE 754.

    Attributes
    ----------
    precision:
        Bits of the significand, the hidden one included.
    lowest, highest:
        Exponents e of the least normal number 2**e and of the binade of the greatest one.
    """

    __slots__ = ("highest", "lowest", "precision")

    def __init__(self, precision: int, lowest: int, highest: int) -> None:
        self.precision, self.lowest, self.highest = precision, lowest, highest

    def spacing(self, exact: Any) -> Any:
        """The distance of neighbouring floats at ``exact``: below the least normal number that of subnormals."""
        exponent = (
            self.lowest if exact == 0 else min(max(int(mpmath.mag(exact)) - 1, self.lowest), self.highest)
        )
        return mpmath.ldexp(mpmath.mpf(1), exponent - self.precision + 1)

    @property
    def greatest(self) -> Any:
        """The greatest finite number."""
        return mpmath.ldexp(mpmath.mpf(2), self.highest) - mpmath.ldexp(
            mpmath.mpf(1), self.highest - self.precision + 1
        )


FORMATS = {"float64": FloatFormat(53, -1022, 1023), "float32": FloatFormat(24, -126, 127)}


def is_beyond(exact: Any, kind: FloatFormat) -> bool:
    """Whether rounding the exact value to nearest gives an infinity."""
    return bool(abs(exact) >= kind.greatest + kind.spacing(kind.greatest) / 2)


def is_representable(exact: Any, kind: FloatFormat) -> bool:
    """Whether the exact value is a float of this format.

    >>> is_representable(mpmath.mpf("0.75"), FORMATS["float32"])
    True
    """
    if not mpmath.isfinite(exact):
        return True
    quotient = exact / kind.spacing(exact)
    return bool(quotient == mpmath.floor(quotient)) and not is_beyond(exact, kind)


def ulp_error(found: float, exact: Any, kind: FloatFormat) -> float:
    """The distance of ``found`` from the exact value in units in the last place of the latter.

    Parameters
    ----------
    found:
        What was computed; infinite where overflow is the right answer.
    exact:
        A finite mpmath number.
    kind:
        The format that ``found`` was computed in.

    Returns
    -------
    float
        Infinite for nan, and for an infinity (or its absence) where the exact value says otherwise.

    Notes
    -----
    The unit is that of Goldberg, "What every computer scientist should know about floating-point arithmetic", ACM
    Computing Surveys 23 (1991): the spacing of floats in the binade of the exact value.

    Examples
    --------
    >>> ulp_error(1.0 + 2.0**-52, mpmath.mpf(1), FORMATS["float64"])
    1.0
    >>> ulp_error(math.inf, mpmath.mpf(10) ** 400, FORMATS["float64"])
    0.0
    """
    if math.isnan(found):
        return math.inf
    if math.isinf(found):
        # a last bit short of overflow may round there
        edge = kind.greatest - 4 * kind.spacing(kind.greatest)
        return 0.0 if (found > 0) == (exact > 0) and abs(exact) >= edge else math.inf
    with mpmath.workprec(1200):  # both numbers exactly, down to subnormals beside 1
        error = abs(mpmath.mpf(found) - exact) / kind.spacing(exact)
    return float(error) if error < 1e300 else math.inf
