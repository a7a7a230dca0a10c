"""``symgraph verify``: kernels against 50-digit values, Taylor remainders and dot products."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .codegen import default_kinds
from .derivatives import derivative_options, split_list
from .report import FAILED, exit_codes, print_json, progress
from .source import load_source, source_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..verify import Check

__all__ = ["verify"]


@click.command()
@source_options
@derivative_options
@click.option("-t", "--target", type=click.Choice(["cython", "numba", "auto"]), default="cython", show_default=True)
@click.option("--dtype", type=click.Choice(["float64", "float32"]), default=None, help="Default: float64.")
@click.option("--json", "as_json", is_flag=True, help="Report to standard output as JSON.")
@exit_codes
def verify(
    source: str | None, formulas: tuple[str, ...], inputs: tuple[str, ...], wrt: str | None, derive: str | None,
    target: str, dtype: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Test compiled kernels of a model, or a package in a folder: exact values, Taylor remainders, dot products."""
    if source is not None and Path(source).is_dir():
        _verify_folder(Path(source), as_json)
        return
    loaded = load_source(source, formulas, inputs)
    from ..compile import compile as compile_function
    from ..verify import check_kernels, derived_functions

    by = split_list(wrt) or None
    kind = dtype or loaded.dtype or "float64"
    functions = derived_functions(loaded.function, split_list(derive) or default_kinds(loaded.function), by)
    with progress("compiling and testing ..."):
        kernels = {k: compile_function(f, target=target, dtype=kind) for k, f in functions.items()}
        checks = check_kernels(loaded.function, functions, kernels, by, kind)
    _show(checks, as_json)
    if not checks or not all(check.passed for check in checks):
        raise SystemExit(FAILED)


def _verify_folder(folder: Path, as_json: bool) -> None:
    from ..compile import check_package

    with progress("compiling and testing ..."):
        passed, text = check_package(folder)
    if as_json:
        print_json({"passed": passed, "selftest": text.splitlines()})
    else:
        click.echo(text)
    if not passed:
        raise SystemExit(FAILED)


def _show(checks: Sequence[Check], as_json: bool) -> None:
    if as_json:
        rows = [{**check._asdict(), "passed": check.passed} for check in checks]
        print_json({"passed": bool(rows) and all(r["passed"] for r in rows), "checks": rows})
    elif sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table("kernel", "test", "error", "limit", "")
        for check in checks:
            mark = "[green]ok[/]" if check.passed else "[red]FAIL[/]"
            table.add_row(check.kernel, check.test, f"{check.error:.2e}", f"{check.limit:.1e}", mark)
        Console().print(table)
    else:
        from ..templates.package.selftest import report

        click.echo(report(list(checks)))
