"""``symgraph doctor``: what is installed, what is missing, and whether a kernel can be built here."""

from __future__ import annotations

import platform
import time
from pathlib import Path
from typing import Any

import click

from .report import TOOLCHAIN, exit_codes, print_json, progress

__all__ = ["doctor"]

_PACKAGES = ("symgraph", "sympy", "numpy", "scipy", "cython", "numba", "setuptools", "jinja2", "meson-python")
_LANES = (("avx512f", 8), ("avx2", 4))


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@exit_codes
def doctor(as_json: bool) -> None:
    """Print versions, the compiler, the cache and the vector width, and build a small kernel."""
    report = _report()
    if as_json:
        print_json(report)
    else:
        width = max(map(len, report))
        for key, value in report.items():
            click.echo(f"{key:<{width}}  {value}")
    if not str(report["kernel"]).startswith("works"):
        raise SystemExit(TOOLCHAIN)


def _report() -> dict[str, Any]:
    from importlib.metadata import PackageNotFoundError, version

    from ..compile import cache_folder, cache_summary, compiler_description

    report: dict[str, Any] = {"python": f"{platform.python_version()} ({platform.machine()}, {platform.system()})"}
    for name in _PACKAGES:
        try:
            report[name] = version(name)
        except PackageNotFoundError:
            report[name] = "not installed"
    compiler = compiler_description()
    report["compiler"] = "none: install gcc or clang" if compiler is None else f"{compiler[0]} ({compiler[1]})"
    report["lanes"] = _lanes()
    count, size = cache_summary()
    report["cache"] = f"{cache_folder()} ({count} kernels, {size / 1e6:.1f} MB)"
    report["kernel"] = _trial()
    return report


def _lanes() -> str:
    """How many doubles one vector holds, by the processor's flags."""
    try:
        words = set(Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split())
    except OSError:
        words = set()
    found = next((f"{count} doubles ({flag})" for flag, count in _LANES if flag in words), "2 doubles")
    library, number = platform.libc_ver()
    return f"{found}, {library} {number}" if library else found


def _trial() -> str:
    """Build x + 1 in a cache of its own: the first compilation, from nothing."""
    from ..capture.formula import graph_from_formulas
    from ..compile import compile_fresh
    from ..errors import ToolchainError
    from ..function import Function

    begin = time.perf_counter()
    try:
        with progress("building a kernel ..."):
            result = compile_fresh(Function(graph_from_formulas(["x + 1"])))(1.0)
    except ToolchainError as error:
        return f"fails: {error}"
    if result != 2.0:
        return f"is wrong: 1 + 1 gave {result}"
    return f"works (built in {time.perf_counter() - begin:.2f} s)"
