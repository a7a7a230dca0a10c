"""How C spells every operation, on numbers and on lanes.

``math.h`` has most of them under the name in the op table. What it lacks is written here, once on numbers (``real`` is
double or float, ``M(exp)`` is exp or expf) and, where that pays, once on lanes. Everything follows IEEE 754: maxima and
minima hand on a nan, and an integer division by zero gives 0 as in NumPy instead of a trap.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...dtype import BOOLEAN, FLOATING, INTEGER, Dtype
from ...ops import OPS
from .special_functions import Special, special_function, special_names

__all__ = ["HELPERS", "LOGICAL", "CFunction", "c_function", "every_name", "lanes_source", "number_source"]


@dataclass(frozen=True)
class CFunction:
    """One function: its name in Cython, where its C text comes from, and the dtypes of arguments and result."""

    name: str
    origin: str  # "math", "own" or "scipy"
    c_name: str
    argument: Dtype = FLOATING
    result: Dtype = FLOATING
    arity: int = 1
    vector: str | None = None
    special: Special | None = None


# (op, dtype of the operands) -> (name in Cython, arity, C text on numbers)
_NUMBER: dict[tuple[str, Dtype], tuple[str, int, str]] = {
    ("sign", FLOATING): ("sign", 1, "static inline real sign_number(real x) { return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x; }"),
    ("max", FLOATING): (
        "maximum", 2, "static inline real maximum_number(real a, real b) { return a > b || a != a ? a : b; }"),
    ("min", FLOATING): (
        "minimum", 2, "static inline real minimum_number(real a, real b) { return a < b || a != a ? a : b; }"),
    ("floordiv", FLOATING): ("floor_divide", 2, """\
static inline real floor_divide_number(real a, real b) {
    real rest = M(fmod)(a, b), quotient = (a - rest) / b, whole;
    if (b == 0) return a / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    whole = M(floor)(quotient);
    return quotient == 0 ? M(copysign)(0, a / b) : quotient - whole > (real)0.5 ? whole + 1 : whole;
}"""),
    ("mod", FLOATING): ("modulo", 2, """\
static inline real modulo_number(real a, real b) {
    real rest = M(fmod)(a, b);
    if (rest == 0) return M(copysign)(0, b);
    return (b < 0) != (rest < 0) ? rest + b : rest;
}"""),
    ("logistic", FLOATING): ("logistic", 1, """\
static inline real logistic_number(real x) {
    real e = M(exp)(-M(fabs)(x));
    return (x < 0 ? e : 1) / (1 + e);
}"""),
    ("softplus", FLOATING): (
        "softplus", 1,
        "static inline real softplus_number(real x) { return (x > 0 ? x : x != x ? x : 0) + M(log1p)(M(exp)(-M(fabs)(x))); }"),
    ("strong_product", FLOATING): (
        "strong_product", 2,
        "static inline real strong_product_number(real a, real b) { return a == 0 || b == 0 ? 0 : a * b; }"),
    ("undefined", FLOATING): ("undefined", 1, "static inline real undefined_number(real x) { return x * (real)NAN; }"),
    ("sign", INTEGER): ("sign_integer", 1, "static inline int64_t sign_integer(int64_t x) { return (x > 0) - (x < 0); }"),
    ("abs", INTEGER): ("absolute_integer", 1, "static inline int64_t absolute_integer(int64_t x) { return x < 0 ? -x : x; }"),
    ("max", INTEGER): (
        "maximum_integer", 2, "static inline int64_t maximum_integer(int64_t a, int64_t b) { return a > b ? a : b; }"),
    ("min", INTEGER): (
        "minimum_integer", 2, "static inline int64_t minimum_integer(int64_t a, int64_t b) { return a < b ? a : b; }"),
    ("floordiv", INTEGER): ("floor_divide_integer", 2, """\
static inline int64_t floor_divide_integer(int64_t a, int64_t b) {
    if (b == 0) return 0;
    if (b == -1) return (int64_t)(0 - (uint64_t)a);
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}"""),
    ("mod", INTEGER): ("modulo_integer", 2, """\
static inline int64_t modulo_integer(int64_t a, int64_t b) {
    if (b == 0 || b == -1) return 0;
    int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}"""),
}  # fmt: skip

# what lanes have beyond a loop over math.h
_LANES: dict[str, tuple[tuple[str, ...], str]] = {
    "maximum": (("select",), """\
static inline lanes maximum_lanes(lanes a, lanes b) { return select_lanes((masks)(a > b) | (masks)(a != a), a, b); }"""),
    "minimum": (("select",), """\
static inline lanes minimum_lanes(lanes a, lanes b) { return select_lanes((masks)(a < b) | (masks)(a != a), a, b); }"""),
    "logistic": (("select", "exp", "fabs"), """\
static inline lanes logistic_lanes(lanes x) {
    lanes e = exp_lanes(-fabs_lanes(x));
    return select_lanes((masks)(x < 0), e, splat_lanes(1)) / (1 + e);
}"""),
    "softplus": (("maximum", "exp", "log1p", "fabs"), """\
static inline lanes softplus_lanes(lanes x) {
    return maximum_lanes(x, splat_lanes(0)) + log1p_lanes(exp_lanes(-fabs_lanes(x)));
}"""),
    "strong_product": (("select",), """\
static inline lanes strong_product_lanes(lanes a, lanes b) {
    return select_lanes((masks)(a == 0) | (masks)(b == 0), splat_lanes(0), a * b);
}"""),
}  # fmt: skip

# helpers on masks: name in Cython -> (declaration, C text)
HELPERS: dict[str, tuple[str, str]] = {
    name: (
        f"masks {name} \"{name}_lanes\"({kind}, {kind}) noexcept nogil",
        f"static inline masks {name}_lanes({kind} a, {kind} b) {{ return (masks)(a {operator} b); }}",
    )
    for name, kind, operator in (
        ("less", "lanes", "<"), ("less_equal", "lanes", "<="), ("equal", "lanes", "=="), ("not_equal", "lanes", "!="),
        ("both", "masks", "&"), ("either", "masks", "|"),
    )
} | {
    "negation": (
        'masks negation "negation_lanes"(masks) noexcept nogil',
        "static inline masks negation_lanes(masks a) { return ~a; }",
    ),
    "mask": (
        'masks mask "mask_lanes"(bint) noexcept nogil',
        "static inline masks mask_lanes(int c) { return (masks){0} - (c != 0); }",
    ),
    "select": (
        'lanes select "select_lanes"(masks, lanes, lanes) noexcept nogil',
        "static inline lanes select_lanes(masks c, lanes a, lanes b) "
        "{ return (lanes)((c & (masks)a) | (~c & (masks)b)); }",
    ),
    "select_masks": (
        'masks select_masks "select_masks_lanes"(masks, masks, masks) noexcept nogil',
        "static inline masks select_masks_lanes(masks c, masks a, masks b) { return (c & a) | (~c & b); }",
    ),
}

LOGICAL = {
    "lt": "less", "le": "less_equal", "eq": "equal", "ne": "not_equal", "and": "both", "or": "either", "not": "negation",
    "select": "select", "select masks": "select_masks", "splat": "mask",
}  # fmt: skip


def c_function(op: str, dtype: Dtype) -> CFunction | None:
    """How C calls an operation on operands of one dtype; None when it cannot.

    >>> c_function("exp", FLOATING).c_name, c_function("max", INTEGER).name
    ('exp', 'maximum_integer')
    """
    dtype = INTEGER if dtype is BOOLEAN else dtype
    if (own := _NUMBER.get((op, dtype))) is not None:
        name, arity, _ = own
        return CFunction(name, "own", name if dtype is INTEGER else f"{name}_number", dtype, dtype, arity)
    if op == "sqrt":
        return CFunction("sqrt", "math", "sqrt")
    row = OPS.get(op)
    if row is None or row.c is None or dtype is not FLOATING:
        return None
    if (special := special_function(op)) is not None:
        name = special.name if special.cython else f"cython_special.{special.library}"
        return CFunction(name, "scipy", special.library, arity=row.arity or 2, special=special)
    return CFunction(row.c, "math", row.c, arity=row.arity or 2, vector=row.vector)


def number_source(op: str, dtype: Dtype) -> str:
    """The C text of an own function on numbers."""
    return _NUMBER[op, INTEGER if dtype is BOOLEAN else dtype][2]


def lanes_source(function: CFunction, op: str, exact: bool) -> tuple[tuple[str, ...], str]:
    """What a function on lanes needs before it (names of helpers and of functions), and its C text."""
    if function.name in _LANES:
        return _LANES[function.name]
    if function.origin == "own":
        return (), f"{number_source(op, FLOATING)}\nLANEWISE{function.arity}({function.name}, {function.c_name})"
    if function.vector is not None and not exact:
        return (), f"VECTOR{function.arity}({function.name})"
    return (), f"LANEWISE{function.arity}({function.name}, M({function.c_name}))"


def every_name() -> frozenset[str]:
    """All names that emitted text may call: a user's variable of the same name is printed with an underscore."""
    own = {name for name, _, _ in _NUMBER.values()}
    return frozenset(own | {row.c for row in OPS.values() if row.c and ":" not in row.c} | {"sqrt"} | special_names())
