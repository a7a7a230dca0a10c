"""10,000 random expressions from the op table: value and gradient of the compiled kernel against mpmath.

``python -m benchmarks.random_expressions``; a slice with ``--first 4000 --count 500``, the reference semantics instead
of compiled code with ``--interpreted``. A failure is an error of more than 64 ulp times the condition number of the
expression (``tests/models/conditioning.py`` defines it), anything that is not finite, and any exception.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from rich.console import Console

import symgraph as sg
from benchmarks.measure import Figure, show, write
from tests.models.expression_kernels import argument, check, packed
from tests.models.random_expressions import draw_expression

BATCH = 125
TOTAL = 10_000


def batch_failures(seeds: Sequence[int], interpreted: bool = False) -> list[str]:
    """What is wrong among the expressions of some seeds, computed by one kernel."""
    expressions = [draw_expression(seed) for seed in seeds]
    function = packed(expressions, f"expressions_{seeds[0]}")
    run = function if interpreted else sg.compile(function, target="cython")
    with np.errstate(all="ignore"):  # the interpreter computes branches that are not taken
        values, slope = run(argument(expressions))
    return [str(failure) for failure in check(expressions, values, np.asarray(slope))]


def main() -> int:
    """The command; 1 where an expression failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.random_expressions", description=__doc__)
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first seed; default: %(default)s")
    parser.add_argument("--count", type=int, default=TOTAL, help="how many expressions; default: %(default)s")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="default: one per processor")
    parser.add_argument("--interpreted", action="store_true", help="run the interpreter in place of compiled kernels")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.count)
    batches = [seeds[k : k + BATCH] for k in range(0, len(seeds), BATCH)]
    console = Console()
    start = time.perf_counter()
    failures: list[str] = []
    with ProcessPoolExecutor(options.processes) as pool:
        futures = [pool.submit(batch_failures, batch, options.interpreted) for batch in batches]
        for batch, future in zip(batches, futures, strict=True):
            error = future.exception()
            found = [f"seeds {batch[0]} to {batch[-1]}: {error!r}"] if error else future.result()
            for line in found:
                console.print(line, highlight=False, soft_wrap=True)
            failures += found
    figures = [
        Figure("random expressions: value and gradient", len(seeds), "expressions"),
        Figure("random expressions: results beyond 64 ulp times the condition number", len(failures), "results", 0),
        Figure("random expressions: time", time.perf_counter() - start, "s"),
    ]
    show(figures, "Random expressions")
    if options.json:
        write(options.json, figures)
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
