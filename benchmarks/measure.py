"""What every figure needs: timers, interleaved comparison, the machine's name, and a table."""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import time
import timeit
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

__all__ = ["Figure", "compare", "machine", "main", "require", "show", "stopwatch"]


@dataclass(frozen=True)
class Figure:
    """One measured number.

    Attributes
    ----------
    name, value, unit:
        What was measured.
    aim:
        The greatest value that is good enough, or None where the number is only reported.
    note:
        How to read it.
    """

    name: str
    value: float
    unit: str
    aim: float | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the aim was reached; None without one."""
        return None if self.aim is None else self.value <= self.aim


def require(condition: bool, message: str) -> None:
    """Refuse to time a wrong result."""
    if not condition:
        raise SystemExit(f"the result is wrong, nothing was timed: {message}")


@contextmanager
def stopwatch(clock: Callable[[], float] = time.perf_counter) -> Iterator[list[float]]:
    """Append the seconds that the block took to the list that it gives.

    Pass ``time.process_time`` where one thread does all the work: other load on the machine does not count then.

    >>> with stopwatch() as seconds:
    ...     pass
    >>> 0 <= seconds[0] < 1
    True
    """
    seconds: list[float] = []
    start = clock()
    yield seconds
    seconds.append(clock() - start)


def compare(calls: Mapping[str, Callable[[], Any] | tuple[str, Mapping[str, Any]]], rounds: int = 15,
            slice_seconds: float = 0.02, clock: Callable[[], float] = time.perf_counter) -> dict[str, float]:
    """Median seconds per call of each contender, in interleaved rounds (A B C, C B A, ...).

    A contender is a callable, or a statement with its names so that nothing but the call itself is timed. Pass
    ``time.thread_time`` where one thread does all the work: what else runs on the machine then counts less.
    """
    timers: dict[str, timeit.Timer] = {}
    for name, call in calls.items():
        timers[name] = (timeit.Timer(call[0], globals=dict(call[1]), timer=clock) if isinstance(call, tuple)
                        else timeit.Timer(call, timer=clock))
    counts = {}
    for name, timer in timers.items():
        number, seconds = timer.autorange()
        counts[name] = max(1, math.ceil(number * slice_seconds / max(seconds, 1e-9)))
    samples: dict[str, list[float]] = {name: [] for name in timers}
    order = list(timers)
    for _ in range(rounds):
        for name in order:
            samples[name].append(timers[name].timeit(counts[name]) / counts[name])
        order.reverse()
    return {name: statistics.median(values) for name, values in samples.items()}


def machine() -> dict[str, str]:
    """The processor, compiler and versions that the numbers belong to."""
    processor = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        lines = information.read_text().splitlines()
        processor = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), processor)
    compiler = os.environ.get("CC", "cc")
    try:
        first = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
        compiler = first.splitlines()[0]
    except (OSError, subprocess.CalledProcessError):
        compiler = "none"
    packages = {name: version(name) for name in ("symgraph", "numpy", "sympy", "cython")}
    return {
        "processor": processor, "cores": str(os.cpu_count()), "system": platform.platform(),
        "compiler": compiler, "python": platform.python_version(), **packages,
    }


def show(figures: Sequence[Figure], title: str) -> None:
    """Print one table."""
    table = Table(title=title, title_justify="left")
    for heading in ("figure", "value", "aim", "met", "note"):
        table.add_column(heading, justify="right" if heading in ("value", "aim") else "left")
    for figure in figures:
        aim = "" if figure.aim is None else f"{_number(figure.aim)} {figure.unit}"
        met = {None: "", True: "yes", False: "no"}[figure.met]
        table.add_row(figure.name, f"{_number(figure.value)} {figure.unit}", aim, met, figure.note)
    Console().print(table)


def _number(value: float) -> str:
    if float(value).is_integer() and abs(value) >= 1:
        return f"{int(value):,}"
    return f"{value:.3g}"


def main(figures: Callable[[], list[Figure]], title: str) -> None:
    """The command of one figure: print the table, and write JSON where ``--json FILE`` asks for it."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures and the machine there as well")
    options = parser.parse_args()
    found = figures()
    show(found, title)
    if options.json:
        write(options.json, found)


def write(path: Path, figures: Sequence[Figure]) -> None:
    """Figures and machine as JSON."""
    rows = [{**asdict(figure), "met": figure.met} for figure in figures]
    path.write_text(json.dumps({"machine": machine(), "figures": rows}, indent=2) + "\n", encoding="utf-8")
