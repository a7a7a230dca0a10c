"""Names in emitted text: the user's, unless a keyword or a helper of the emitted module has the same one."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Collection, Iterable

from .loop_ir import Alloc, Array, Block, For, If, Let, Procedure, Statement

__all__ = ["ENTRY_NAMES", "bound_names", "free_name", "identifier", "safe_names"]

# words that Cython reserves beyond Python's, and names of C types that its text may mention
CYTHON_WORDS = frozenset(
    """api bint bool char cdef cimport cpdef ctypedef cppclass double enum extern float fused gil include inline int
    integer lanes len list long masks namespace nogil noexcept npy_intp NULL object packed print property public range
    readonly real short signed sizeof size_t str struct tuple type union unsigned void volatile DEF IF ELIF ELSE
    self out""".split()
)

# what an entry mentions beside its parameters and results: a parameter of that name would hide it
ENTRY_NAMES = frozenset(
    """INFINITY NAN NULL PyArray_SimpleNew as_array as_float as_integer as_number as_operand as_truth broadcast_operands
    call_flat call_loop call_ufunc check_indices copy_array data_of dict first fits flat_out is_array is_number is_plain
    is_truth isinstance mismatch np out overlap refuse_index refuse_out release_threads restore_threads results
    size_along splat state status tuple ufunc within""".split()
)


def identifier(text: str) -> str:
    """An identifier that reads like ``text``: other characters become underscores, keywords get one behind them.

    >>> identifier("lambda"), identifier("x.1"), identifier("2b"), identifier("q(t)")
    ('lambda_', 'x_1', '_2b', 'q_t')
    """
    text = unicodedata.normalize("NFKC", text)
    name = "".join(c if c == "_" or f"a{c}".isidentifier() else "_" for c in text).rstrip("_") or "_"
    if not name.isidentifier():
        name = f"_{name}"
    return f"{name}_" if keyword.iskeyword(name) or name in CYTHON_WORDS or name.startswith("__") else name


def safe_names(names: Iterable[str], reserved: Collection[str]) -> dict[str, str]:
    """For each name the name to print: itself, or with underscores behind it where it is a reserved word.

    >>> safe_names(["x", "exp"], {"exp"})
    {'x': 'x', 'exp': 'exp_'}
    """
    wanted = list(dict.fromkeys(names))
    taken = set(wanted)
    printed: dict[str, str] = {}
    for name in wanted:
        text = name
        while (text in reserved or keyword.iskeyword(text) or text in CYTHON_WORDS) or (text != name and text in taken):
            text += "_"
        taken.add(text)
        printed[name] = text
    return printed


def free_name(text: str, taken: set[str], forms: Iterable[str] = ("{}",)) -> str:
    """A name like ``text`` that is free in all its forms, which are taken from then on.

    >>> taken = {"x_out"}
    >>> free_name("x", taken, ("{}", "{}_out")), sorted(taken)
    ('x_', ['x_', 'x__out', 'x_out'])
    """
    forms = tuple(forms)
    while any(form.format(text) in taken for form in forms) or keyword.iskeyword(text):
        text += "_"
    taken.update(form.format(text) for form in forms)
    return text


def bound_names(procedure: Procedure) -> list[str]:
    """Every name that a procedure binds, parameters first, in the order of the text."""
    names = [p.name for p in (*procedure.inputs, *procedure.outputs, *procedure.sizes)]
    names += [table.array.name for table in procedure.tables]
    stack: list[Statement] = [procedure.body]
    while stack:
        match stack.pop():
            case Block(statements):
                stack.extend(reversed(statements))
            case Let(variable):
                names.append(variable.name)
            case Alloc(array):
                names.append(array.name)
            case For(index, _, _, body, lanes=lanes):
                names.append(index.name)
                names.extend(c.by.name for c in (lanes.collected if lanes else ()) if not isinstance(c.by, Array))
                stack.append(body)
            case If(_, then, otherwise):
                stack.extend((otherwise, then))
    return names
