"""Density functionals to the fourth order: derivation, emission and compilation of each, checked against 50 digits.

``python -m benchmarks.libxc [NAME ...]``, for instance ``gga_x_pbe.unpol``; ``--order 3`` for what Libxc itself has.
Seconds are processor time of this process and of the compiler. Every partial is compared with the 50-digit numbers at
the functional's six points, and the fourth derivative along random directions with differences of 120-digit values at
20 of Libxc's grid points.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any

import mpmath
import numpy as np
from rich.console import Console
from rich.table import Table

import symgraph as sg
from benchmarks.measure import require, stopwatch
from symgraph.exact import exact_outputs
from tests.models import libxc
from tests.models.corpora import Item

GRID = 20
RELATIVE = 1e-8  # along a direction, of the sum of what is added up


def _processor() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def along(item: Item, partials: Sequence[Any], direction: Sequence[float], order: int) -> tuple[float, float]:
    """The derivative of an order along a direction from its partials, and the sum of the sizes of its terms."""
    terms = []
    for places, value in zip(combinations_with_replacement(range(len(item.inputs)), order), partials, strict=True):
        ways = factorial(order) // prod(factorial(places.count(k)) for k in set(places))
        terms.append(ways * float(value) * prod(direction[k] for k in places))
    return sum(terms), sum(map(abs, terms))


def exact_along(item: Item, at: Sequence[float], direction: Sequence[float], order: int) -> Any:
    """The same by central differences of the value alone, at 120 digits."""
    graph = item.function().graph
    with mpmath.workdps(130):
        step = mpmath.mpf(10) ** -15
        total = mpmath.mpf(0)
        for k in range(order + 1):
            shift = (mpmath.mpf(order) / 2 - k) * step
            moved = [np.array(x + shift * d, dtype=object) for x, d in zip(map(mpmath.mpf, at), direction, strict=True)]
            total += (-1) ** k * mpmath.binomial(order, k) * exact_outputs(graph, moved, 120)[0].item()
        return total / step**order


def row(name: str, item: Item, order: int) -> list[str]:
    """One line of the table."""
    with stopwatch(_processor) as derivation:
        function = libxc.partials(item, order)
    with stopwatch(_processor) as emission:
        operations = function.operation_count()
    with stopwatch(_processor) as compilation:
        kernel = sg.compile(function, target="cython")
    results = [kernel(*point.at) for point in item.points]
    for k in range(order + 1):
        excess = libxc.point_excess(item, k, [result[k] for result in results])
        require(excess <= 1.0, f"{name}: order {k} is {excess:.3g} times what double arithmetic allows")
    grid = kernel(*libxc.arguments(item))
    errors = [libxc.grid_error(item, k, grid[k]) for k in range(min(order, 3) + 1)]
    require(max(errors) <= libxc.RELATIVE, f"{name}: {max(errors):.3g} off Libxc")
    chance = random.Random(1)
    worst = 0.0
    for number in np.linspace(0, 49, GRID).astype(int):
        at = item.info["libxc"]["at"][number]
        direction = [x * chance.uniform(-1, 1) for x in at]
        found, size = along(item, kernel(*at)[order], direction, order)
        worst = max(worst, float(abs(found - exact_along(item, at, direction, order))) / size)
    require(worst <= RELATIVE, f"{name}: order {order} along a direction is off by {worst:.3g}")
    seconds = [f"{part[0]:.2f}" for part in (derivation, emission, compilation)]
    count = str(sum(len(part) for part in results[0]))
    return [name, count, *seconds, f"{operations:,}", f"{len(kernel.source):,}", f"{max(errors):.1e}", f"{worst:.1e}"]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.libxc", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="some functionals; default: all")
    parser.add_argument("--order", type=int, default=4, choices=(1, 2, 3, 4), help="default: %(default)s")
    options = parser.parse_args()
    functionals = libxc.functionals()
    unknown = [name for name in options.names if name not in functionals]
    if unknown:
        parser.error(f"there is no functional {unknown[0]!r}; there are {', '.join(functionals)}")
    console = Console()
    headings = ("functional", "partials", "derive [s]", "share [s]", "compile [s]", "operations", "source [bytes]",
                "off Libxc", "off mpmath")  # fmt: skip
    table = Table(title=f"Partials up to order {options.order}", title_justify="left")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "functional" else "right")
    for name in options.names or functionals:
        cells = row(name, functionals[name], options.order)
        console.print(" ".join(cells), highlight=False)
        table.add_row(*cells)
    Console(width=130).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
