"""The verbatim C part of a Cython module and its declarations: only what the module uses."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...dtype import INTEGER, Dtype
from ..literals import floating_text, integer_text
from ..loop_ir import Table
from ..render import render, template_text
from .c_functions import HELPERS, CFunction, lanes_source, number_source

__all__ = ["border_functions", "c_part", "c_table", "filtered", "helper_functions", "table_lines"]

Used = Sequence[tuple[str, Dtype, CFunction]]

_MEMORY = """\
static inline size_t padded(int64_t count, size_t bytes) { return ((size_t)count * bytes + 63) / 64 * 64; }
static inline char* aligned(char* at) { return at + (64 - (size_t)at % 64) % 64; }"""
_WITHIN = """\
static inline int within(PyObject* array, int64_t low, int64_t high) {
    const int64_t* at = (const int64_t*)PyArray_DATA((PyArrayObject*)array);
    npy_intp count = PyArray_SIZE((PyArrayObject*)array);
    int bad = 0;
    for (npy_intp i = 0; i < count; i++) bad |= (at[i] < low) | (at[i] > high);
    return !bad;
}"""
_FILLS = {
    name: f"static inline void fill_{name}({kind}* at, int64_t count, {kind} value) "
    "{ for (int64_t i = 0; i < count; i++) at[i] = value; }"
    for name, kind in (("real", "real"), ("integer", "int64_t"), ("truth", "npy_bool"))
}

# name -> how Cython declares it
DECLARATIONS = """\
ctypedef {real} real
ctypedef long long int64_t
ctypedef Py_ssize_t npy_intp
ctypedef unsigned char npy_bool
ctypedef {real} lanes
ctypedef int64_t masks
ctypedef int64_t wholes
ctypedef const real* const_reals "const real *__restrict__"
ctypedef const int64_t* const_integers "const int64_t *__restrict__"
ctypedef const npy_bool* const_truths "const npy_bool *__restrict__"
ctypedef real* reals "real *__restrict__"
ctypedef int64_t* integers "int64_t *__restrict__"
ctypedef npy_bool* truths "npy_bool *__restrict__"
ctypedef struct PyThreadState
ctypedef void (*PyUFuncGenericFunction)(char**, const npy_intp*, const npy_intp*, void*) noexcept nogil
const real INFINITY
const real NAN
const int NPY_BOOL, NPY_INT64, NPY_FLOAT, NPY_DOUBLE
const int LANES
int _import_array() except -1
int _import_umath() except -1
bint PyFloat_Check(object)
double PyFloat_AS_DOUBLE(object)
npy_intp size_along(object, int)
void* data_of(object)
object PyArray_SimpleNew(int, npy_intp*, int)
int copy_array(object, object) except -1
object PyUFunc_FromFuncAndData(PyUFuncGenericFunction*, void**, char*, int, int, int, int, char*, char*, int)
bint is_plain(object, int, int)
bint fits(object, int, int, npy_intp*)
bint within(object, int64_t, int64_t)
bint overlap(object, object)
bint is_array(object, int)
bint is_number(object)
real as_float_of(object)
bint is_flat(object, int)
bint is_writeable(object)
bint same_shape(object, object)
object new_like(object, int)
bint is_truth "PyBool_Check"(object)
object callable_type()
PyThreadState* release_threads(double)
void restore_threads(PyThreadState*)
bint independent(char**, npy_intp, const npy_intp*, int, int) noexcept nogil
void forget_flags() noexcept nogil
lanes splat "splat_lanes"(real) noexcept nogil
real first "first_lane"(lanes) noexcept nogil
lanes load "load_lanes"(const char*, npy_intp, npy_intp) noexcept nogil
void store "store_lanes"(char*, npy_intp, npy_intp, lanes) noexcept nogil
bint dense(const npy_intp*, int, int) noexcept nogil
void align(char**, npy_intp, const npy_intp*, int, int, char**, npy_intp*, lanes*) noexcept nogil
lanes load_dense(const char*) noexcept nogil
void store_dense(char*, lanes) noexcept nogil
real lane "LANE"(lanes, int64_t) noexcept nogil
lanes load_whole(const real*) noexcept nogil
lanes load_part(const real*, int64_t, int64_t) noexcept nogil
void load_rows(lanes*, int64_t, const real*, int64_t, int64_t, int64_t) noexcept nogil
void store_whole(real*, lanes) noexcept nogil
void store_part(real*, int64_t, int64_t, lanes) noexcept nogil
void add_part(real*, int64_t, int64_t, lanes) noexcept nogil
void fill_lanes(lanes*, int64_t, real) noexcept nogil
real total(lanes, int64_t) noexcept nogil
wholes count_from(int64_t) noexcept nogil
wholes whole(int64_t) noexcept nogil
wholes whole_part(const int64_t*, int64_t, int64_t) noexcept nogil
lanes floating(wholes) noexcept nogil
lanes gather(const real*, wholes) noexcept nogil
void scatter_add(real*, wholes, int64_t, lanes) noexcept nogil
masks less_whole(wholes, wholes) noexcept nogil
masks less_equal_whole(wholes, wholes) noexcept nogil
masks equal_whole(wholes, wholes) noexcept nogil
masks not_equal_whole(wholes, wholes) noexcept nogil
void* malloc(size_t) noexcept nogil
void free(void*) noexcept nogil
size_t padded(int64_t, size_t) noexcept nogil
char* aligned(char*) noexcept nogil
void fill_real(real*, int64_t, real) noexcept nogil
void fill_integer(int64_t*, int64_t, int64_t) noexcept nogil
void fill_truth(npy_bool*, int64_t, npy_bool) noexcept nogil"""


def c_table(table: Table, name: str, kind: str, floating: str) -> str:
    """The definition of an array of constants."""
    return f"static const {kind} {name}[{len(table.values)}] = {{\n{table_lines(table, floating)}\n}};"


def table_lines(table: Table, floating: str) -> str:
    """The numbers of a table, as many to a line as fit."""
    if table.array.dtype is INTEGER:
        texts = [integer_text(v.value) for v in table.values]
    else:
        texts = [floating_text(v.value, floating) for v in table.values]
    return textwrap.fill(", ".join(texts), 110, initial_indent="    ", subsequent_indent="    ", break_long_words=False)


def filtered(declarations: Iterable[str], text: str) -> list[str]:
    """The declarations whose names appear in a text, and those that they need themselves."""
    lines = list(declarations)
    words = set(re.findall(r"\w+", text))
    chosen: set[int] = set()
    changed = True
    while changed:
        changed = False
        for position, line in enumerate(lines):
            if position not in chosen and words & set(_declared(line)):
                chosen.add(position)
                words.update(re.findall(r"\w+", line))
                changed = True
    return [line for position, line in enumerate(lines) if position in chosen]


def _declared(line: str) -> list[str]:
    if line.startswith("const int "):
        return re.findall(r"\w+", line)[2:]
    if line.startswith("ctypedef void (*"):
        return ["PyUFuncGenericFunction"]
    head = line.split('"')[0].split("(")[0]
    return re.findall(r"\w+", head)[-1:]


def c_part(
    used: Used, on_lanes: Used, lines: Sequence[str], exact: bool, context: Mapping[str, Any]
) -> tuple[str, list[str]]:
    """The C text of a module and all declarations that it may need."""
    lanes, real = context["lanes"], context["real"]
    text = "\n".join(lines)
    parts = [render("cython/number.h.jinja", **context), template_text("cython/arrays.h")]
    declarations = DECLARATIONS.format(real=real).splitlines()
    if context["elementwise"]:
        parts.append(template_text("cython/ufunc.h"))
    if not context["package"]:
        parts.append(template_text("cython/callable.h"))
    if any("within(" in line for line in context["entry_lines"]):
        parts.append(_WITHIN)
    if context["arena"]:
        parts.append(_MEMORY)
    parts += [c for name, c in _FILLS.items() if f"fill_{name}(" in text]
    suffix = "f" if real == "float" else ""
    own: set[str] = set()
    if lanes:
        parts.append(template_text("cython/lanes.h"))
        parts += _lanes_parts(used, text, exact, real, declarations)
        if context["streams"]:
            parts.append(render("cython/streams.h.jinja", **context))
    else:
        for op, dtype, function in used:
            if function.origin == "own":
                parts.append(number_source(op, dtype))
                own.add(parts[-1])
            kind = ("int64_t", "int64_t", "real")[function.argument]
            c_name = function.c_name + (suffix if function.origin == "math" else "")
            spelled = f' "{c_name}"' if c_name != function.name else ""
            if function.origin != "scipy":
                arguments = ", ".join([kind] * function.arity)
                declarations.append(f"{kind} {function.name}{spelled}({arguments}) noexcept nogil")
        if context["lane_loops"]:
            parts.append(template_text("cython/lanes.h"))
            parts.append(template_text("cython/lane_loops.h"))
            for part in _lanes_parts(on_lanes, text, exact, real, declarations, "_lanes"):
                head = next((source for source in own if part.startswith(source)), "")
                parts.append(part[len(head) :])
    return "\n".join(parts), declarations


def _lanes_parts(used: Used, text: str, exact: bool, real: str, declarations: list[str],
                 spelled: str = "") -> list[str]:
    from .c_functions import c_function

    per_double, suffix = (2, "f") if real == "float" else (1, "")
    vector = render("cython/vector_functions.h.jinja", per_double=per_double, suffix=suffix)
    words = set(re.findall(r"\w+", text))
    helpers = [name for name in HELPERS if name in words]
    sources: dict[str, str] = {}
    integer_parts: list[str] = []

    def need(op: str, dtype: Dtype) -> None:
        function = c_function(op, dtype)
        if function is None or function.name in sources:
            return
        requirements, body = lanes_source(function, op, exact)
        for name in requirements:
            if name in HELPERS:
                if name not in helpers:
                    helpers.append(name)
            else:
                need({"maximum": "max", "fabs": "abs"}.get(name, name), dtype)
        sources[function.name] = body

    for op, dtype, function in used:
        if dtype == 2:
            need(op, dtype)
            arguments = ", ".join(["lanes"] * function.arity)
            declarations.append(f'lanes {function.name}{spelled} "{function.name}_lanes"({arguments}) noexcept nogil')
        elif function.origin == "own":
            integer_parts.append(number_source(op, dtype))
            arguments = ", ".join(["int64_t"] * function.arity)
            declarations.append(f"int64_t {function.name}({arguments}) noexcept nogil")
    declarations += [HELPERS[name][0] for name in HELPERS if name in helpers]
    c_helpers = [HELPERS[name][1] for name in HELPERS if name in helpers]
    bodies = list(sources.values())
    return [*([vector] if any("VECTOR" in b for b in bodies) else []), *integer_parts, *c_helpers, *bodies]


_HELPERS = {
    "as_float": """\
cdef inline double as_float(object value, str name) except? -1.0:
    return PyFloat_AS_DOUBLE(value) if PyFloat_Check(value) else as_number(value, "float64", name)""",
    "as_integer": """\
cdef inline int64_t as_integer(object value, str name) except? -1:
    return as_number(value, "int64", name)""",
    "as_truth": """\
cdef inline bint as_truth(object value, str name) except -1:
    return as_number(value, "bool", name)""",
}


def helper_functions(text: str) -> list[str]:
    """The typed helpers that a text calls."""
    words = set(re.findall(r"\w+", text))
    return [helper for name, helper in _HELPERS.items() if name in words]


def border_functions(text: str) -> dict[str, str]:
    """The functions of the Python border that a text calls, and those that they call, in the order of the file."""
    functions = {
        match.group(1): match.group(0).rstrip()
        for match in re.finditer(r"^def (\w+)\(.*?(?=^def |\Z)", template_text("border.py"), re.M | re.S)
    }
    words = set(re.findall(r"\w+", text))
    stack, chosen = [name for name in functions if name in words], set()
    while stack:
        name = stack.pop()
        if name not in chosen:
            chosen.add(name)
            called = set(re.findall(r"\w+", functions[name]))
            stack.extend(other for other in functions if other in called)
    return {name: function for name, function in functions.items() if name in chosen}
