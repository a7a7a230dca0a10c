"""How Cython and Numba reach SciPy's special functions.

``scipy.special.cython_special`` has them as C functions that are called without Python. Most are called as they are;
those with several results at once, or that want a whole number as their degree, have a few lines around them, which
the emitted module holds. They compute on doubles: in a float32 kernel arguments are widened and the result is rounded
once, except where SciPy has the function on floats as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...ops import OPS

__all__ = ["SPECIAL", "Special", "cython_helpers", "numba_definitions", "special_function", "special_names"]

D, P = "double", "double *"


@dataclass(frozen=True)
class Special:
    """One function on doubles.

    Attributes
    ----------
    name:
        What emitted text calls.
    library:
        The function of ``cython_special``.
    parameters:
        C types of its parameters.
    result:
        C type of its result; "void" where results go to pointers.
    cython:
        Text of a function ``name`` around it; "" where it is called as it is.
    numba:
        The same for Numba, where the library's function is called ``{name}_library``.
    """

    name: str
    library: str
    parameters: tuple[str, ...]
    result: str = D
    cython: str = ""
    numba: str = ""


def _several(names: tuple[str, ...], library: str) -> dict[str, Special]:
    """Functions that one call of the library computes together: the last argument and its results are remembered."""
    count = len(names)
    places = ", ".join(f"&{library}_values[{k}]" for k in range(count))
    common = f"""\
cdef extern from *:
    \"\"\"
    static _Thread_local double {library}_at = NAN, {library}_values[{count}];
    \"\"\"
    double {library}_at
    double[{count}] {library}_values


cdef inline void {library}_once(double x) noexcept nogil:
    global {library}_at
    if x != {library}_at:
        cython_special.{library}(x, {places})
        {library}_at = x"""
    found = {}
    for k, name in enumerate(names):
        cython = f"""\
cdef inline double {name}(double x) noexcept nogil:
    {library}_once(x)
    return {library}_values[{k}]"""
        pointers = ", ".join("values.ctypes" if not p else f"values[{p}:].ctypes" for p in range(count))
        numba = f"""\
def {name}(x):
    values = np.empty({count})
    {name}_library(x, {pointers})
    return values[{k}]"""
        found[name] = Special(name, library, (D, *(P,) * count), "void", f"{common}\n\n\n{cython}", numba)
    return found


def _polynomial(name: str, library: str, arguments: str, whole: bool = False) -> Special:
    """A family of polynomials: by recurrence where the degree is whole, as that is more accurate; 0 below degree 0."""
    otherwise = "NAN" if whole else f"cython_special.{library}(n, {arguments})"
    doubles = ", ".join(f"double {a}" for a in arguments.split(", "))
    cython = f"""\
cdef inline double {name}(double n, {doubles}) noexcept nogil:
    if n < 0:
        return 0
    if n == <Py_ssize_t>n:
        return cython_special.{library}(<Py_ssize_t>n, {arguments})
    return {otherwise}"""
    numba = f"""\
def {name}(n, {arguments}):
    return {name}_library(int(n), {arguments}) if n == np.floor(n) and n >= 0 else (0.0 if n < 0 else np.nan)"""
    parameters = ("Py_ssize_t", *(D,) * (arguments.count(",") + 1))
    return Special(name, library, parameters, D, cython, numba)


# an order that is not whole has no function of SciPy's, whose own answer would be that of another order
_EXPINT = Special(
    "expint", "expn", ("Py_ssize_t", D), D,
    """\
cdef inline double expint(double n, double x) noexcept nogil:
    return cython_special.expn(<Py_ssize_t>n, x) if n == <Py_ssize_t>n and n >= 0 else NAN""",
    """\
def expint(n, x):
    return expint_library(int(n), x) if n == np.floor(n) and n >= 0 else np.nan""",
)  # fmt: skip


def _spherical(name: str, library: str, odd: int) -> Special:
    """A spherical Bessel function, which SciPy has from 0 up; orders of the parity ``odd`` are odd functions.

    The library's function takes options as well, and none are given.
    """
    cython = f"""\
cdef inline double {name}(double n, double x) noexcept nogil:
    cdef double value = cython_special.{library}(<Py_ssize_t>n, x if x >= 0 else -x)
    return -value if x < 0 and <Py_ssize_t>n % 2 == {odd} else value"""
    numba = f"""\
def {name}(n, x):
    value = {name}_library(int(n), abs(x), 0, 0)
    return -value if x < 0 and int(n) % 2 == {odd} else value"""
    return Special(name, library, ("Py_ssize_t", D), D, cython, numba)


# name -> the function, for rows whose ``c`` is "special:name"
SPECIAL: dict[str, Special] = {
    **_several(("airyai", "airyaiprime", "airybi", "airybiprime"), "airy"),
    **_several(("sine_integral", "cosine_integral"), "sici"),
    **_several(("sinh_integral", "cosh_integral"), "shichi"),
    **_several(("fresnel_sine", "fresnel_cosine"), "fresnel"),
    **{
        f.name: f
        for f in (
            _EXPINT,
            _polynomial("legendre", "eval_legendre", "x"),
            _polynomial("chebyshevt", "eval_chebyt", "x"),
            _polynomial("chebyshevu", "eval_chebyu", "x"),
            _polynomial("hermite", "eval_hermite", "x", whole=True),
            _polynomial("hermite_prob", "eval_hermitenorm", "x", whole=True),
            _polynomial("laguerre", "eval_laguerre", "x"),
            _polynomial("assoc_laguerre", "eval_genlaguerre", "a, x"),
            _polynomial("gegenbauer", "eval_gegenbauer", "a, x"),
            _polynomial("jacobi", "eval_jacobi", "a, b, x"),
            _spherical("sphericalj", "spherical_jn", 1),
            _spherical("sphericaly", "spherical_yn", 0),
            _spherical("sphericali", "spherical_in", 1),
        )
    },
}  # fmt: skip


def special_function(op: str) -> Special | None:
    """The function of SciPy's that a row of the op table stands for; None where it has another spelling.

    >>> special_function("digamma").library, special_function("airybi").library, special_function("exp")
    ('psi', 'airy', None)
    """
    row = OPS.get(op)
    if row is None or row.c is None:
        return None
    kind, _, name = row.c.rpartition(":")
    if kind == "special":
        return SPECIAL[name]
    # a user's variable may well have the name of the function itself
    return Special(f"scipy_{name}", name, (D,) * (row.arity or 2)) if kind == "scipy" else None


def special_names() -> frozenset[str]:
    """All names that emitted text may define or call for these functions."""
    own = {name for f in SPECIAL.values() for name in (f.name, f"{f.name}_library")}
    several = {f"{f.library}_{end}" for f in SPECIAL.values() for end in ("at", "once", "values")}
    plain = {f"scipy_{row.c[6:]}" for row in OPS.values() if row.c and row.c.startswith("scipy:")}
    return frozenset(own | several | plain | {f"{name}_library" for name in plain} | {"library_function"})


def cython_helpers(functions: Iterable[Special]) -> list[str]:
    """The texts that a Cython module needs before its body, each once."""
    parts = [part for f in functions if f.cython for part in f.cython.split("\n\n\n")]
    return list(dict.fromkeys(parts))


def numba_definitions(functions: Iterable[Special], floating: str) -> list[tuple[str, str]]:
    """For each function: the line that finds it in the library, and the text of the function that the kernel calls."""
    found = []
    for f in functions:
        arguments = ", ".join(f'"{text}"' for text in (f.library, f.result, *f.parameters))
        line = f"{f.name}_library = library_function({arguments})"
        text = f.numba
        if not text:
            names = ", ".join("abcd"[: len(f.parameters)])
            text = f"def {f.name}({names}):\n    return {f.name}_library({names})"
        if floating == "float32":
            head, _, value = text.rpartition("return ")
            text = f"{head}return np.float32({value})"
        found.append((line, text))
    return found
