"""Kinds of numbers. A graph knows boolean, integer and floating values; the width is chosen when it is compiled."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["BOOLEAN", "FLOATING", "INTEGER", "Dtype", "promote"]


class Dtype(IntEnum):
    """The kind of number that a node holds, ordered by promotion."""

    BOOLEAN = 0
    INTEGER = 1
    FLOATING = 2

    def numpy_name(self, floating: str = "float64") -> str:
        """The NumPy dtype name when floating values are computed in ``floating``.

        >>> Dtype.INTEGER.numpy_name(), Dtype.FLOATING.numpy_name("float32")
        ('int64', 'float32')
        """
        return ("bool", "int64", floating)[self]


BOOLEAN, INTEGER, FLOATING = Dtype


def promote(*dtypes: Dtype) -> Dtype:
    """The widest of the given kinds; arithmetic on booleans counts as integer arithmetic.

    >>> promote(Dtype.INTEGER, Dtype.FLOATING).name
    'FLOATING'
    """
    return FLOATING if FLOATING in dtypes else INTEGER
