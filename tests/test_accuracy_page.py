"""The page of errors is whole, and measuring again finds no more than it says."""

from __future__ import annotations

import math

import pytest

from benchmarks.accuracy import (
    BEGIN,
    COLUMNS,
    DTYPES,
    END,
    PAGE,
    Line,
    add_errors,
    exact_points,
    kernel_results,
    lines_of_page,
    row_function,
    tables,
)
from symgraph.ops import BUILT_IN, OPS

TEXT = PAGE.read_text(encoding="utf-8")
LINES = lines_of_page(TEXT)
NAMES = list(dict.fromkeys(key[1] for key in LINES))
COMPILED = ["pow", "exp", "log", "hypot", "sin", "logistic"]
POINTS = 15
FACTOR, UNITS = 2, 2  # another mathematics library, and another processor's vector functions, round otherwise


def test_every_row_is_there_whole():
    assert set(NAMES) == set(BUILT_IN), "python -m benchmarks.accuracy --missing"
    for name in NAMES:
        for dtype in DTYPES:
            assert {key[2] for key in LINES if key[:2] == (dtype, name)} == set(row_function(OPS[name]).outputs)
    assert all(len(cells) == len(COLUMNS) + 1 for cells in LINES.values())


def test_the_page_is_as_it_is_written():
    assert TEXT.partition(BEGIN)[2].partition(END)[0] == tables(LINES) + "\n"


def test_lines_keep_the_worst_of_each_range():
    line = Line({("numpy", "usual"): 0.5, ("numpy", "wide"): math.inf, ("array", "usual"): 1.25}, "1.5")
    assert line.cells() == ["0.50 / inf", "-", "1.25 / -", "-", "1.5"]


def check(names, columns):
    functions = [row_function(OPS[name]) for name in names]
    exact = [exact_points(name, "float64", "usual", 0.0, POINTS) for name in names]
    results = kernel_results(functions, [points for points, _ in exact], "float64", columns)
    found = {}
    for name, f, (points, values), result in zip(names, functions, exact, results, strict=True):
        add_errors(found, name, f, "float64", "usual", points, values, result)
    for key, line in found.items():
        for column in columns:
            cell = LINES[key][COLUMNS.index(column)]
            if (column, "usual") not in line.worst:  # no exact value that is finite
                assert cell == "-", key
                continue
            documented = float(cell.split(" / ")[0])
            assert line.worst[column, "usual"] <= FACTOR * documented + UNITS, (key, column)


def test_the_interpreter_is_as_accurate_as_the_page_says():
    check(NAMES, ("numpy",))


@pytest.mark.parametrize("columns", [("number", "array"), ("numba",)], ids=["cython", "numba"])
def test_kernels_are_as_accurate_as_the_page_says(columns):
    check(COMPILED, columns)
