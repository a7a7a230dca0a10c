"""The error of every row of the op table on every target: ``python -m benchmarks.accuracy`` writes it into the docs.

Each row's value and first derivatives are measured, in ulp, over the range in which the operation is mostly used and
over a wide range (that of :mod:`symgraph.accuracy.sampling` without a domain), in both precisions, against exact
values. With names, or with ``--missing``, only those rows are measured and the others stay as they are on the page.

One function without a vector form makes a whole kernel scalar. Rows are therefore put into kernels by the code that
each of them has alone, and a kernel of rows with lanes that came out scalar stops the measurement.
"""

from __future__ import annotations

import argparse
import math
import re
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import symgraph as sg
from symgraph.accuracy.report import figure
from symgraph.accuracy.sampling import Range, sample
from symgraph.accuracy.truth import settled_outputs
from symgraph.accuracy.ulps import FORMATS, ulp_error
from symgraph.derive.reverse import gradients
from symgraph.dtype import BOOLEAN
from symgraph.errors import UnsupportedError
from symgraph.graph import Graph, Output
from symgraph.node import Kind, constant, input_node
from symgraph.ops import BUILT_IN, OPS, Op, apply_op

__all__ = ["COLUMNS", "DTYPES", "PAGE", "Line", "lines_of_page", "main", "row_function"]

PAGE = Path(__file__).parents[1] / "docs" / "accuracy.md"
BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->"
DTYPES = ("float64", "float32")
COLUMNS = ("numpy", "number", "array", "numba")
RANGES = ("usual", "wide")
CONDITIONS = {"and": 2, "or": 2, "not": 1, "select": 1}  # leading arguments that are conditions
GROUP = 16  # rows in a kernel: a ufunc has at most 64 arguments and results
PATIENCE = 0.2  # seconds of computing for one exact value: some series converge too slowly far out
MOST_LATE = 8  # points of a row and range that may take longer before the rest is given up
Key = tuple[str, str, str]  # dtype, row, what


@dataclass
class Line:
    """One line of a table: the worst error by column and range, and where the worst of all is."""

    worst: dict[tuple[str, str], float] = field(default_factory=dict)
    at: str = ""

    def cells(self) -> list[str]:
        """The texts of the columns, "usual / wide" each."""
        texts = []
        for column in COLUMNS:
            found = [self.worst.get((column, kind)) for kind in RANGES]
            texts.append(
                "-" if found == [None, None] else " / ".join("-" if v is None else figure(v) for v in found)
            )
        return [*texts, self.at]


def row_function(row: Op, orders: float = 0.0) -> sg.Function:
    """The value of a row and its first derivatives, as one function; outputs are named ``value``, ``d1``, ``d2`` ...

    ``orders`` from 0 to 1 chooses the constants that stand at arguments without a derivative.
    """
    inputs, arguments = [], []
    for k, (low, high) in enumerate(row.samples):
        fixed = k in row.whole or (
            row.arity is not None and row.given_partials is not None and row.partials[k] is None
        )
        if fixed:
            number = low + orders * (high - low)
            arguments.append(constant(round(number) if k in row.whole else float(number)))
        elif k < CONDITIONS.get(row.name, 0):
            arguments.append(input_node(f"{row.name}_{k}", (), BOOLEAN))
        else:
            arguments.append(input_node(f"{row.name}_{k}"))
        if arguments[-1].kind is Kind.INPUT:
            inputs.append(arguments[-1])
    node = apply_op(row.name, *arguments)
    outputs = [Output("value", node)]
    numbers = [n for n in inputs if n.dtype is not BOOLEAN]
    if node.dtype is not BOOLEAN and (row.formula is not None or row.name == "select"):
        for k, adjoint in enumerate(gradients({node: constant(1)}, numbers)):
            if adjoint.kind is not Kind.CONST:
                outputs.append(Output(f"d{k + 1}", adjoint))
    return sg.Function(Graph(row.name, tuple(inputs), tuple(outputs), tuple(range(len(outputs)))))


# -------------------------------------------------------------------------------------------------------------- truth
class _LateError(Exception):
    pass


def _late(*_: object) -> None:
    raise _LateError


def _ranges(row: Op, f: sg.Function, kind: str) -> dict[str, Range]:
    if kind == "wide":
        return {name: Range(-math.inf, math.inf) for name in f.inputs}
    return {f"{row.name}_{k}": Range(*map(float, bounds)) for k, bounds in enumerate(row.samples)}


def exact_points(name: str, dtype: str, kind: str, orders: float, count: int) -> tuple[list[Any], list[Any]]:
    """Points of a row, and for each the exact outputs; None for what takes too long."""
    row = OPS[name]
    f = row_function(row, orders)
    domain = {n: r for n, r in _ranges(row, f, kind).items() if n in f.inputs}
    points = sample(f, domain, {}, count, 0, dtype)
    before = signal.signal(signal.SIGVTALRM, _late)
    values: list[Any] = []
    try:
        late = 0
        for point in points:
            if late == MOST_LATE:
                values.append(None)
                continue
            signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
            try:
                values.append([v.item() for v in settled_outputs(f.graph, point)])
            except _LateError:
                late += 1
                values.append(None)
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        signal.signal(signal.SIGVTALRM, before)
    return points, values


# ----------------------------------------------------------------------------------------------------------- measuring
Found = Mapping[str, Sequence[Any]]  # by column: for each output an array over the points


def _together(functions: Sequence[sg.Function]) -> sg.Function:
    """Functions of different inputs as one."""
    inputs = tuple(n for f in functions for n in f.graph.inputs)
    outputs = tuple(Output(f"{f.name}_{o.name}", o.node) for f in functions for o in f.graph.outputs)
    return sg.Function(Graph("rows", inputs, outputs, tuple(range(len(outputs)))))


def kernel_results(
    functions: Sequence[sg.Function],
    points: Sequence[Sequence[list[Any]]],
    dtype: str,
    columns: Sequence[str],
    orders: float = 0.0,
) -> list[dict[str, list[Any]]]:
    """What each column gives for each function at its points (as many for every function).

    ``orders`` is what the functions were made with.
    """
    whole = _together(functions)
    arguments = [
        np.array(column, n.dtype.numpy_name(dtype))
        for f, own in zip(functions, points, strict=True)
        for n, column in zip(f.graph.inputs, zip(*own, strict=True), strict=True)
    ]
    count = len(points[0])
    found: dict[str, list[Any]] = {}
    with np.errstate(all="ignore"):
        if "numpy" in columns and dtype == "float64":
            found["numpy"] = list(whole(*arguments))
        if "number" in columns or "array" in columns:
            kernel = sg.compile(whole, target="cython", dtype=dtype)
            if all(_code(f.name, orders) == "lanes" for f in functions) and _LANES not in kernel.source:
                raise SystemExit(
                    f"a kernel of {whole.outputs} has no lanes, though each of its rows has them alone"
                )
            found["array"] = list(kernel(*arguments))
            calls = [kernel(*(a[k].item() for a in arguments)) for k in range(count)]
            found["number"] = [np.array(column) for column in zip(*calls, strict=True)]
        if "numba" in columns:
            found["numba"] = list(sg.compile(whole, target="numba", dtype=dtype)(*arguments))
    results = []
    start = 0
    for f in functions:
        stop = start + len(f.graph.outputs)
        results.append(
            {c: [np.broadcast_to(v, (count,)) for v in values[start:stop]] for c, values in found.items()}
        )
        start = stop
    return results


def add_errors(
    lines: dict[Key, Line], row: str, f: sg.Function, dtype: str, kind: str, points: Sequence[Any],
    exact: Sequence[Any], found: Found,
) -> None:  # fmt: skip
    """Compare and keep the worst of each line."""
    for position, output in enumerate(f.graph.outputs):
        line = lines.setdefault((dtype, row, output.name), Line())
        best = max(line.worst.values(), default=-1.0)
        for column, values in found.items():
            for k, truths in enumerate(exact):
                if truths is None or (true := truths[position]) is None:
                    continue
                value = values[position][k].item()
                if isinstance(true, (bool, int)) and not isinstance(true, float):
                    error = 0.0 if value == true else math.inf
                elif not _finite(true):
                    continue
                else:
                    error = ulp_error(float(value), true, FORMATS[dtype])
                if error > line.worst.get((column, kind), -1.0):
                    line.worst[column, kind] = error
                if error > best:
                    best = error
                    line.at = ", ".join(_text(v) for v in points[k]) + _constants(f)


def _finite(value: Any) -> bool:
    return math.isfinite(value) if isinstance(value, float) else bool(value - value == 0)


def _text(value: Any) -> str:
    return str(value) if isinstance(value, bool) else f"{value:.6g}"


def _constants(f: sg.Function) -> str:
    """The constants at arguments without a derivative."""
    node = f.graph.outputs[0].node
    fixed = [str(a.data) for a in node.args if a.kind is Kind.CONST]
    return f" ({', '.join(fixed)})" if fixed else ""


def measure(names: Sequence[str], count: int, log: Callable[[str], None]) -> dict[Key, Line]:
    """The lines of some rows."""
    lines: dict[Key, Line] = {}
    jobs = [(n, d, kind, o) for n in names for d in DTYPES for kind in RANGES for o in _orders(OPS[n])]
    log(f"exact values of {len(names)} rows")
    with ProcessPoolExecutor() as pool:
        truths = dict(
            zip(jobs, pool.map(exact_points, *zip(*jobs, strict=True), [count] * len(jobs)), strict=True)
        )
    for dtype in DTYPES:
        for orders in (0.0, 1.0):
            own = [n for n in names if orders in _orders(OPS[n])]
            for kind_of_code in dict.fromkeys(_code(n, orders) for n in own):
                alike = [n for n in own if _code(n, orders) == kind_of_code]
                for start in range(0, len(alike), GROUP):
                    group = alike[start : start + GROUP]
                    log(f"{dtype}, {kind_of_code}: {', '.join(group)}")
                    _measure_group(lines, group, dtype, orders, truths)
    return lines


@cache
def _code(name: str, orders: float) -> str:
    """What a Cython kernel of this row alone is made of: "lanes" or "numbers"; "" where the target refuses it."""
    source = _source(row_function(OPS[name], orders), "cython", "float64")
    return "" if source is None else "lanes" if _LANES in source else "numbers"


_LANES = "_body(lanes"  # the inner function of a kernel whose values are vectors


def _source(f: sg.Function, target: str, dtype: str) -> str | None:
    from symgraph.codegen.pipeline import emit
    from symgraph.codegen.targets import Options

    try:
        return emit(f.emitted_graph, target, Options(dtype))
    except UnsupportedError:
        return None


def _measure_group(
    lines: dict[Key, Line], group: Sequence[str], dtype: str, orders: float, truths: Mapping[Any, Any]
) -> None:
    functions = [row_function(OPS[n], orders) for n in group]
    for kind in RANGES:
        points = [truths[n, dtype, kind, orders][0] for n in group]
        for columns in (("numpy",), ("number", "array"), ("numba",)):
            for part in _accepted(functions, columns, dtype):
                chosen = [functions.index(f) for f in part]
                results = kernel_results(part, [points[k] for k in chosen], dtype, columns, orders)
                for k, found in zip(chosen, results, strict=True):
                    exact = truths[group[k], dtype, kind, orders][1]
                    add_errors(lines, group[k], functions[k], dtype, kind, points[k], exact, found)


def _accepted(
    functions: Sequence[sg.Function], columns: Sequence[str], dtype: str
) -> Iterable[list[sg.Function]]:
    """The functions that a target takes, in one list; those that it refuses are left out, and show as a dash."""
    if columns == ("numpy",):
        return [list(functions)]
    target = "numba" if columns == ("numba",) else "cython"
    taken = [f for f in functions if _source(f, target, dtype) is not None]
    return [taken] if taken else []


def _orders(row: Op) -> tuple[float, ...]:
    f = row_function(row)
    return (0.0, 1.0) if any(a.kind is Kind.CONST for a in f.graph.outputs[0].node.args) else (0.0,)


# ---------------------------------------------------------------------------------------------------------------- page
HEADER = ("operation", "of", *COLUMNS, "worst at")


def tables(lines: Mapping[Key, Sequence[str]]) -> str:
    """The tables as Markdown, rows in the order of the op table."""
    order = {name: k for k, name in enumerate(OPS)}
    parts = []
    for dtype in DTYPES:
        parts += ["", f"### {dtype}", "", f"| {' | '.join(HEADER)} |", f"|{'---|' * len(HEADER)}"]
        keys = sorted(
            (k for k in lines if k[0] == dtype and k[1] in order),
            key=lambda k: (order[k[1]], k[2] != "value", k[2]),
        )
        parts += [f"| `{row}` | {what} | {' | '.join(lines[_, row, what])} |" for _, row, what in keys]
    return "\n".join([*parts, ""])


def lines_of_page(text: str) -> dict[Key, list[str]]:
    """The cells of the page: columns and "worst at", by dtype, row and what it is of."""
    found: dict[Key, list[str]] = {}
    dtype = ""
    for line in text.partition(BEGIN)[2].partition(END)[0].splitlines():
        if line.startswith("### "):
            dtype = line[4:].strip()
        elif match := re.match(r"\| `(\w+)` \| (\w+) \| (.*) \|$", line):
            found[dtype, match[1], match[2]] = match[3].split(" | ")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy", description=__doc__.splitlines()[0]
    )
    parser.add_argument("names", nargs="*", metavar="ROW", help="rows of the op table; default: all")
    parser.add_argument("--missing", action="store_true", help="only rows that the page has not yet")
    parser.add_argument("--points", type=int, default=100, help="per range; default: 100")
    options = parser.parse_args(arguments)
    text = PAGE.read_text(encoding="utf-8")
    kept = lines_of_page(text)
    names = [n for n in OPS if n in BUILT_IN]
    for name in options.names:
        if name not in names:
            parser.error(f"there is no row {name!r} in the op table")
    if options.missing:
        names = [n for n in names if not any(key[1] == n for key in kept)]
    elif options.names:
        names = [n for n in names if n in options.names]
    if names:
        console = Console(stderr=True)
        measured = measure(names, options.points, lambda line: console.print(line, highlight=False))
        kept = {k: v for k, v in kept.items() if k[1] not in names} | {
            k: v.cells() for k, v in measured.items()
        }
    before, _, rest = text.partition(BEGIN)
    PAGE.write_text(before + BEGIN + tables(kept) + "\n" + END + rest.partition(END)[2], encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
