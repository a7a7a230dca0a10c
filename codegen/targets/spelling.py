"""How a target computes each operation, in a few words: for documentation and for those who choose a target."""

from __future__ import annotations

from ...dtype import BOOLEAN, FLOATING
from ...expansions import EXPANSIONS
from .c_functions import c_function
from .cython_dialect import PLAIN
from .numba_functions import numba_function
from .special_functions import special_function

__all__ = ["spelling"]

_LOGIC = frozenset({"and", "or", "not"})
_ORIGINS = {"math": "C library", "own": "own lines", "scipy": "SciPy"}


def spelling(op: str, target: str) -> str | None:
    """Where a target has an operation on floating numbers from; None where it refuses the operation by name.

    Parameters
    ----------
    op:
        A row of the op table.
    target:
        "cython" or "numba".

    Returns
    -------
    str or None
        "operator"; "C library", also with "on lanes" where the vector library has it; "Python" (``math`` and NumPy as
        Numba compiles them); "SciPy"; "own lines"; "formula" for what is made of other operations, "formula or SciPy"
        where that holds for constant orders and SciPy has the others.

    Examples
    --------
    >>> spelling("exp", "cython"), spelling("digamma", "numba"), spelling("lambertw", "numba")
    ('C library, on lanes', 'SciPy', 'formula')
    """
    if op in PLAIN or op in ("pow", "undefined"):
        return "operator"
    special = special_function(op)
    if op in EXPANSIONS:
        return "formula" if special is None else "formula or SciPy"
    if target == "cython":
        found = c_function(op, BOOLEAN if op in _LOGIC else FLOATING)
        if found is None:
            return None
        return _ORIGINS[found.origin] + (", on lanes" if found.vector else "")
    text = numba_function(op, FLOATING)
    if text is not None:
        return "Python" if "." in text or text == "abs" else "own lines"
    return None if special is None else "SciPy"
