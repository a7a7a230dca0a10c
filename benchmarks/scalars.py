"""Functions of scalars at many points against C: option prices, a robot arm, solid harmonics, a random graph.

The C is made by hand, and what a person would write (`c/scalars.c`). The random graph has no such form: its C is
CasADi's operations, one per line, in functions of a thousand.
"""

from __future__ import annotations

import ctypes
import math
import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr

import symgraph as sg
from benchmarks.measure import Figure, compare, main, require
from symgraph.counting import operation_count
from tests.models import large_scalars, traced
from tests.models.black_scholes import black_scholes

Array = np.ndarray[Any, Any]
OPTIONS, POINTS = 1_000_000, 64
FLAGS = (
    "-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-mprefer-vector-width=512", "-shared", "-fPIC",
)  # fmt: skip


def library(source: Path, folder: Path, *flags: str) -> ctypes.CDLL:
    """Compile a C file and load it."""
    target = folder / f"{source.stem}{'_'.join(flags)}.so"
    compiler = shlex.split(os.environ.get("CC", "cc"))
    subprocess.run([*compiler, *FLAGS, *flags, "-w", str(source), "-o", str(target), "-lmvec", "-lm"], check=True)
    return ctypes.CDLL(str(target))


def figures() -> list[Figure]:
    """Nanoseconds per point, ratios of medians, and what compiling took."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = Path(__file__).parent / "c" / "scalars.c"
        alone, parallel = library(source, folder, "-fopenmp-simd"), library(source, folder, "-fopenmp")
        return [
            *_options(alone, "float64", 1, 1.0), *_options(alone, "float32", 1, None),
            *_options(parallel, "float64", 2, 1.0), *_arm(alone), *_harmonics(alone), *_random_graph(folder),
        ]  # fmt: skip


def _pointers(*arrays: Array) -> list[Any]:
    return [a.ctypes.data_as(ctypes.c_void_p) for a in arrays]


def _ratio(name: str, seconds: dict[str, float], points: int, aim: float | None, note: str = "") -> list[Figure]:
    found = [Figure(f"{name}: {who}", 1e9 * value / points, "ns") for who, value in seconds.items()]
    return [*found, Figure(f"{name}: kernel / C", seconds["kernel"] / seconds["C"], "times", aim, note)]


# -------------------------------------------------------------------------------------------------------- option prices
def _options(c: ctypes.CDLL, dtype: str, threads: int, aim: float | None) -> list[Figure]:
    random = np.random.default_rng(1)
    limits = ((50, 150), (50, 150), (0.1, 2), (0.01, 0.08), (0.1, 0.6))
    inputs = [random.uniform(low, high, OPTIONS).astype(dtype) for low, high in limits]
    function = sg.value_and_grad(black_scholes())
    begin = time.perf_counter()
    kernel = sg.compile(function, dtype=dtype, threads=threads)
    compiled = time.perf_counter() - begin
    own, by_hand = ([np.empty(OPTIONS, dtype) for _ in range(6)] for _ in range(2))
    call = c.black_scholes_double if dtype == "float64" else c.black_scholes_float
    call.restype = None
    arguments = [*_pointers(*inputs, *by_hand), ctypes.c_int64(OPTIONS)]
    call(*arguments)
    out = (own[0], tuple(own[1:]))
    kernel(*inputs, out=out)
    tolerance = 1e-11 if dtype == "float64" else 2e-3
    for position, truth in enumerate(_greeks(*(a.astype("float64") for a in inputs))):
        for who, results in (("kernel", own), ("C", by_hand)):
            error = np.max(np.abs(results[position] - truth)) / np.max(np.abs(truth))
            require(bool(error <= tolerance), f"result {position} of option prices, {dtype}, {who}")
    clock = time.thread_time if threads == 1 else time.perf_counter
    os.environ["OMP_NUM_THREADS"] = str(threads)
    seconds = compare({"kernel": lambda: kernel(*inputs, out=out), "C": lambda: call(*arguments)}, 21, clock=clock)
    name = f"option prices and 5 partials, {dtype}, {threads} thread{'s' * (threads > 1)}, per option"
    note = f"{operation_count(function.emitted_graph)} operations; compiled in {compiled:.2g} s"
    return _ratio(name, seconds, OPTIONS, aim, note)


def _greeks(s: Array, k: Array, t: Array, r: Array, v: Array) -> tuple[Array, ...]:
    """The closed forms: price, and partials by spot, strike, maturity, rate and volatility."""
    d1 = (np.log(s / k) + (r + v * v / 2) * t) / (v * np.sqrt(t))
    d2 = d1 - v * np.sqrt(t)
    discount, density = np.exp(-r * t), np.exp(-d1 * d1 / 2) / math.sqrt(2 * math.pi)
    tail = k * discount * ndtr(d2)
    return (
        s * ndtr(d1) - tail, ndtr(d1), -discount * ndtr(d2), s * density * v / (2 * np.sqrt(t)) + r * tail, t * tail,
        s * density * np.sqrt(t),
    )  # fmt: skip


# --------------------------------------------------------------------------------------------- large scalar expressions
def _large(
    name: str, formula: Callable[..., Any], points: Array, by_hand: Callable[[], Array], aim: float
) -> list[Figure]:
    """Batches and single points; `points` has one column per input, the results of C are value and gradient in rows."""
    function = traced.traced_function(lambda values: formula(values, traced), [f"x{i}" for i in range(points.shape[1])])
    begin = time.perf_counter()
    gradient = sg.value_and_grad(function)
    derived = time.perf_counter() - begin
    begin = time.perf_counter()
    kernel = sg.compile(gradient)
    compiled = time.perf_counter() - begin
    columns = [np.ascontiguousarray(column) for column in points.T]
    one = [float(value) for value in points[0]]
    value, partials = kernel(*columns)
    found, truth = np.column_stack([value, *partials]), by_hand()
    single = kernel(*one)
    scale = np.max(np.abs(truth), axis=0)
    require(bool(np.all(np.abs(found - truth) <= 1e-10 * scale)), f"value and gradient of the {name}")
    require(bool(np.all(np.abs([single[0], *single[1]] - truth[0]) <= 1e-10 * scale)), f"one point of the {name}")
    batch = compare({"kernel": lambda: kernel(*columns), "C": by_hand}, 21, clock=time.thread_time)
    alone = compare({"kernel": lambda: kernel(*one), "C": by_hand}, 21, clock=time.thread_time)
    alone["C"] /= len(points)
    note = (f"{operation_count(gradient.emitted_graph):,} operations; derived in {derived:.2g} s, compiled in "
            f"{compiled:.3g} s, source {len(kernel.source) / 1000:,.0f} kB")  # fmt: skip
    return [
        *_ratio(f"{name}, {len(points)} points at once, per point", batch, len(points), aim, note),
        *_ratio(f"{name}, one call for one point", alone, 1, 1.0, "C: per point, in a loop in C"),
    ]


def _arm(c: ctypes.CDLL) -> list[Figure]:
    points = np.random.default_rng(6).uniform(-2, 2, (POINTS, large_scalars.ARM_INPUTS))
    joints = np.array(large_scalars.ARM_JOINTS)
    table = np.column_stack([np.cos(joints[:, 0]), np.sin(joints[:, 0]), joints[:, 1:]])
    target, results = np.array(large_scalars.ARM_TARGET), np.empty((POINTS, 8))
    arguments = [*_pointers(table, target, points, results), ctypes.c_int64(POINTS)]

    def by_hand() -> Array:
        c.arm(*arguments)
        return results

    return _large("robot arm", large_scalars.arm, points, by_hand, 0.3)


def _harmonics(c: ctypes.CDLL) -> list[Figure]:
    points = np.random.default_rng(6).normal(size=(POINTS, 3))
    points /= 1.02 * np.linalg.norm(points, axis=1, keepdims=True)
    tables, results = large_scalars.harmonic_tables(), np.empty((POINTS, 4))
    arguments = [
        ctypes.c_int64(large_scalars.DEGREE), ctypes.c_int64(tables[0].shape[1]), *_pointers(*tables, points, results),
        ctypes.c_int64(POINTS),
    ]  # fmt: skip

    def by_hand() -> Array:
        c.harmonics(*arguments)
        return results

    return _large("solid harmonics to degree 60", large_scalars.harmonics, points, by_hand, 0.3)


def _random_graph(folder: Path) -> list[Figure]:
    size = large_scalars.RANDOM_INPUTS
    points, results = np.random.default_rng(6).uniform(-0.9, 0.9, (POINTS, size)), np.empty((POINTS, size + 1))
    source = folder / "random_graph.c"
    source.write_text(_straight_line(large_scalars.random_graph, size))
    c = library(source, folder, "-O1")
    arguments = [*_pointers(points, results), ctypes.c_int64(POINTS)]

    def by_hand() -> Array:
        c.every(*arguments)
        return results

    return _large("random graph", large_scalars.random_graph, points, by_hand, 0.3)


def _straight_line(formula: Callable[..., Any], size: int, part: int = 1000) -> str:
    """C with one line per operation of CasADi's gradient, its values in one array, in functions of ``part`` lines."""
    import casadi

    x = casadi.SX.sym("x", size)
    value = formula(casadi.vertsplit(x), casadi)
    function = casadi.Function("f", [x], [casadi.densify(casadi.vertcat(value, casadi.gradient(value, x)))])
    lines = [_line(function, k) for k in range(function.n_instructions())]
    chunks = [lines[k : k + part] for k in range(0, len(lines), part)]
    text = ["#include <math.h>", "#include <stdint.h>"]
    for number, chunk in enumerate(chunks):
        head = f"static __attribute__((noinline)) void part_{number}(const double *x, double *r, double *w)"
        text += [head, "{", *chunk, "}"]
    text += ["void every(const double *x, double *r, int64_t n)", "{", f"    double w[{function.sz_w()}];"]
    text += [f"    for (; n--; x += {size}, r += {size + 1}) {{"]
    text += [f"        part_{number}(x, r, w);" for number in range(len(chunks))]
    return "\n".join([*text, "    }", "}", ""])


def _line(function: Any, k: int) -> str:
    import casadi

    code, out, arguments = function.instruction_id(k), function.instruction_output(k), function.instruction_input(k)
    if code == casadi.OP_INPUT:
        return f"    w[{out[0]}] = x[{arguments[1]}];"
    if code == casadi.OP_OUTPUT:
        return f"    r[{out[1]}] = w[{arguments[0]}];"
    if code == casadi.OP_CONST:
        return f"    w[{out[0]}] = {function.instruction_constant(k)!r};"
    first, second = (f"w[{a}]" for a in (*arguments, *arguments)[:2])
    return f"    w[{out[0]}] = {_FORMS[code].format(first, second)};"


def _forms() -> dict[int, str]:
    try:
        import casadi
    except ImportError:  # only the figures need it
        return {}
    forms: Sequence[tuple[str, str]] = (
        ("ADD", "{} + {}"), ("SUB", "{} - {}"), ("MUL", "{} * {}"), ("DIV", "{} / {}"), ("NEG", "-{}"),
        ("SQ", "{0} * {0}"), ("TWICE", "2 * {}"),
        ("INV", "1 / {}"), ("SIN", "sin({})"), ("COS", "cos({})"), ("EXP", "exp({})"),
    )  # fmt: skip
    return {getattr(casadi, f"OP_{name}"): form for name, form in forms}


_FORMS = _forms()


if __name__ == "__main__":
    main(figures, "Functions of scalars at many points")
