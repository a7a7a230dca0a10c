"""``symgraph verify``: kernels against 50-digit values, Taylor remainders and dot products, and their errors in ulp."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .codegen import default_kinds
from .derivatives import derivative_options, split_list
from .report import FAILED, UNSUPPORTED, exit_codes, message, print_json, progress
from .source import load_source, source_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..accuracy import Accuracy
    from ..function import Function
    from ..verify import Check

__all__ = ["verify"]


def _ranges(
    context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, tuple[float, float]]:
    """``NAME=LOW:HIGH`` as ranges by name."""
    found: dict[str, tuple[float, float]] = {}
    for text in texts:
        name, _, ends = text.partition("=")
        low, _, high = ends.partition(":")
        try:
            found[name.strip()] = float(low), float(high)
        except ValueError:
            raise click.BadParameter(
                f"{text!r} is no range: write NAME=LOW:HIGH, as in x=1e-3:1e3", context, parameter
            ) from None
    return found


@click.command()
@source_options
@derivative_options
@click.option("-t", "--target", type=click.Choice(["cython", "numba", "auto"]), default="cython", show_default=True)
@click.option("--dtype", type=click.Choice(["float64", "float32"]), default=None, help="Default: float64.")
@click.option("--domain", "domains", multiple=True, metavar="NAME=LOW:HIGH", callback=_ranges,
              help="Where an input lies, as in x=1e-3:1e3; may be given for each input.")
@click.option("--points", type=click.IntRange(min=1), default=None,
              help="Points at which errors are measured. Default: as many as a few seconds allow.")
@click.option("--order", type=click.IntRange(0, 2), default=None,
              help="Errors of the value (0), gradient (1) and Hessian (2). Default: 1; 2 with -d hess.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the points.")
@click.option("--max-ulp", type=click.FloatRange(min=0), default=None, metavar="ULP",
              help="Fail where an error is greater than this many units in the last place.")
@click.option("--json", "as_json", is_flag=True, help="Report to standard output as JSON.")
@exit_codes
def verify(
    source: str | None, formulas: tuple[str, ...], inputs: tuple[str, ...], wrt: str | None, derive: str | None,
    target: str, dtype: str | None, domains: Mapping[str, tuple[float, float]], points: int | None, order: int | None,
    seed: int, max_ulp: float | None, as_json: bool,
) -> None:  # fmt: skip
    """Test compiled kernels of a model, or a package in a folder: exact values, Taylor remainders, dot products.

    For a model, the errors of value and derivatives are measured as well, in units in the last place, with the point
    where each is worst and the operation that loses the digits there.
    """
    if source is not None and Path(source).is_dir():
        given = [name for name, value in (("--domain", domains), ("--points", points), ("--order", order),
                                          ("--max-ulp", max_ulp)) if value]  # fmt: skip
        if given:
            raise click.UsageError(f"{given[0]} is for models; a package in a folder has its own test points")
        _verify_folder(Path(source), as_json)
        return
    loaded = load_source(source, formulas, inputs)
    from ..compile import compile as compile_function
    from ..verify import check_kernels, derived_functions

    by = split_list(wrt) or None
    kind = dtype or loaded.dtype or "float64"
    kinds = split_list(derive) or default_kinds(loaded.function)
    functions = derived_functions(loaded.function, kinds, by)
    with progress("compiling and testing ..."):
        kernels = {k: compile_function(f, target=target, dtype=kind) for k, f in functions.items()}
        checks = check_kernels(loaded.function, functions, kernels, by, kind)
    wanted = order if order is not None else 2 if "hess" in kinds else 1 if set(kinds) != {"value"} else 0
    with progress("measuring errors ..."):
        report, reason = _measured(loaded.function, domains, points, wanted, by, target, kind, seed)
    if report is None and max_ulp is not None:
        message(f"error: {reason}")
        raise SystemExit(UNSUPPORTED)
    missed = [] if report is None or max_ulp is None else [r for r in report if not r.worst <= max_ulp]
    passed = bool(checks) and all(check.passed for check in checks) and not missed
    if as_json:
        rows = [{**check._asdict(), "passed": check.passed} for check in checks]
        found = {"reason": reason} if report is None else report.to_dict()
        print_json({"passed": passed, "checks": rows, "accuracy": found})
    else:
        _show(checks)
        click.echo(f"\n{report if report is not None else f'errors were not measured: {reason}'}")
    for row in missed:
        message(f"{row.output} is off by {row.worst:.3g} ulp, more than {max_ulp:g}")
    if not passed:
        raise SystemExit(FAILED)


def _measured(
    f: Function, domains: Mapping[str, tuple[float, float]], points: int | None, order: int,
    wrt: Sequence[str] | None, target: str, dtype: str, seed: int,
) -> tuple[Accuracy | None, str]:  # fmt: skip
    """The measurement, or why there is none: an operation of the user's own has no exact value."""
    from ..accuracy import accuracy
    from ..errors import UnsupportedError

    try:
        return accuracy(f, domains, points, order, wrt=wrt, target=target, dtype=dtype, seed=seed), ""
    except UnsupportedError as error:
        return None, str(error)


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


def _show(checks: Sequence[Check]) -> None:
    if sys.stdout.isatty():
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
