"""How Numba spells operations without SciPy: Python's math module, NumPy, and a few functions of our own."""

from __future__ import annotations

from ...dtype import BOOLEAN, FLOATING, INTEGER, Dtype
from ...ops import OPS

__all__ = ["numba_function", "numba_source", "own_names"]

# (op, dtype of the operands) -> text of a function on scalars
_OWN: dict[tuple[str, Dtype], str] = {
    ("sign", FLOATING): "def sign(x):\n    return x * 0 + (x > 0) - (x < 0) if x == x else x",
    ("max", FLOATING): "def maximum(a, b):\n    return a if a > b or a != a else b",
    ("min", FLOATING): "def minimum(a, b):\n    return a if a < b or a != a else b",
    ("logistic", FLOATING): """\
def logistic(x):
    e = math.exp(-abs(x))
    return (e if x < 0 else e * 0 + 1) / (1 + e)""",
    ("softplus", FLOATING): """\
def softplus(x):
    e = math.exp(-abs(x))
    return (x if x > 0 or x != x else e * 0) + math.log1p(e)""",
    ("undefined", FLOATING): "def undefined(x):\n    return x * np.nan",
    ("strong_product", FLOATING): """\
def strong_product(a, b):
    return abs(a) if a == 0 else abs(b) if b == 0 else a * b""",
    ("floordiv", FLOATING): "def floor_divide(a, b):\n    return np.floor_divide(a, b)",
    ("mod", FLOATING): "def modulo(a, b):\n    return np.mod(a, b)",
    ("sign", INTEGER): "def sign_integer(x):\n    return (x > 0) - (x < 0)",
    ("max", INTEGER): "def maximum_integer(a, b):\n    return a if a > b else b",
    ("min", INTEGER): "def minimum_integer(a, b):\n    return a if a < b else b",
    ("abs", INTEGER): "def absolute_integer(x):\n    return -x if x < 0 else x",
    ("floordiv", INTEGER): "def floor_divide_integer(a, b):\n    return 0 if b == 0 else -a if b == -1 else a // b",
    ("mod", INTEGER): "def modulo_integer(a, b):\n    return 0 if b == 0 or b == -1 else a % b",
}
# rows whose spelling in Python is wrong or missing for Numba
_NUMPY = {"floor": "np.floor", "ceil": "np.ceil", "sqrt": "math.sqrt", "cbrt": "np.cbrt", "log2": "np.log2"}


def numba_function(op: str, dtype: Dtype) -> str | None:
    """The name to call; None where Numba has none.

    >>> numba_function("exp", FLOATING), numba_function("digamma", FLOATING)
    ('math.exp', None)
    """
    dtype = INTEGER if dtype is BOOLEAN else dtype
    if (op, dtype) in _OWN:
        return _OWN[op, dtype].split("(")[0][4:]
    if op in _NUMPY:
        return _NUMPY[op]
    row = OPS.get(op)
    return row.python if row is not None and dtype is FLOATING else None


def numba_source(op: str, dtype: Dtype) -> str | None:
    """The text of an own function."""
    return _OWN.get((op, INTEGER if dtype is BOOLEAN else dtype))


def own_names() -> frozenset[str]:
    """Names of all own functions."""
    return frozenset(text.split("(")[0][4:] for text in _OWN.values())
