"""``symgraph codegen``: a model to a package on disk."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .derivatives import derivative_options, split_list
from .report import FAILED, exit_codes, message, print_json, progress
from .source import load_source, source_options

if TYPE_CHECKING:
    from ..generate import Plan

__all__ = ["codegen"]

_DTYPES = {"f64": "float64", "f32": "float32", "float64": "float64", "float32": "float32"}


@click.command()
@source_options
@derivative_options
@click.option("-t", "--target", type=click.Choice(["cython", "numba"]), default="cython", show_default=True)
@click.option("-m", "--name", metavar="NAME", help="Import name of the package; default: the name of the function.")
@click.option("-o", "--output", metavar="DIR", help="Folder to write; default: the name. '-' prints the sources.")
@click.option("--form", type=click.Choice(["package", "module"]), default="package", show_default=True,
              help="A folder that pip installs, or the sources of the kernels alone.")  # fmt: skip
@click.option("--dtype", type=click.Choice(list(_DTYPES)), help="Type of floating values; default: float64.")
@click.option("--exact", is_flag=True, help="Compute in the order written, with no contraction.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if what is on disk is stale or was edited.")
@click.option("--verify", is_flag=True, help="Build what was written and run its self-test.")
@click.option("--force", is_flag=True, help="Replace files that were edited.")
@click.option("--json", "as_json", is_flag=True, help="Report to standard output as JSON.")
@exit_codes
def codegen(
    source: str | None, formulas: tuple[str, ...], inputs: tuple[str, ...], wrt: str | None, derive: str | None,
    target: str, name: str | None, output: str | None, form: str, dtype: str | None, exact: bool, check: bool,
    verify: bool, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Write a package that computes a model and its derivatives; it needs NumPy only.

    \b
    symgraph codegen -e "(x + y)*z" -m g
    symgraph codegen model.py:loss -w w,b -d value,grad,hvp -o build/loss
    """
    loaded = load_source(source, formulas, inputs, name)
    kind = _DTYPES[dtype] if dtype else loaded.dtype or "float64"
    kinds = split_list(derive) or default_kinds(loaded.function)
    by = split_list(wrt) or None
    if verify and form == "module":
        raise click.UsageError("--verify needs the self-test of a package: leave out --form module")
    command = _command(loaded.label, wrt, derive, target, name, form, kind, exact)
    from ..generate import plan_package

    with progress("deriving and emitting ..."):
        plan = plan_package(
            loaded.function, name=name, target=target, form=form, derive=kinds, wrt=by, dtype=kind, exact=exact,
            command=command,
        )  # fmt: skip
    if output == "-":
        for text in plan.sources():
            click.echo(text)
        return
    folder = Path(output or plan.name)
    report = _report(plan, folder, kind, target)
    if check:
        _check(plan, folder, report, as_json)
        return
    plan.write(folder, force)
    report["written"] = True
    passed = not verify or _verify(folder, report, as_json)
    if as_json:
        print_json(report)
    else:
        functions = ", ".join(report["functions"])
        click.echo(f"{folder}: {functions} ({len(plan.files)} files)")
    if not passed:
        raise SystemExit(FAILED)


def default_kinds(function: Any) -> list[str]:
    """Value and gradient of one scalar, value and Jacobian of anything else."""
    outputs = function.graph.outputs
    if not any(node.dtype.name == "FLOATING" for node in function.graph.inputs):
        return ["value"]
    return ["value", "grad"] if len(outputs) == 1 and not outputs[0].axes else ["value", "jac"]


def _command(
    label: tuple[str, ...], wrt: str | None, derive: str | None, target: str, name: str | None, form: str, dtype: str,
    exact: bool,
) -> str:  # fmt: skip
    """The command as headers show it: what shapes the text, and no folder."""
    words = ["symgraph", "codegen", *label]
    for option, value, default in (
        ("-w", wrt, None), ("-d", derive, None), ("-t", target, "cython"), ("-m", name, None),
        ("--form", form, "package"), ("--dtype", dtype, "float64"),
    ):  # fmt: skip
        if value is not None and value != default:
            words += [option, value]
    return shlex.join([*words, *(["--exact"] if exact else [])])


def _report(plan: Plan, folder: Path, dtype: str, target: str) -> dict[str, Any]:
    return {
        "package": plan.name, "folder": str(folder), "target": target, "dtype": dtype,
        "functions": [f.name for f in plan.functions.values()],
        "operations": {f.name: f.operation_count() for f in plan.functions.values()},
        "files": list(plan.files),
    }  # fmt: skip


def _check(plan: Plan, folder: Path, report: dict[str, Any], as_json: bool) -> None:
    differences = plan.differences(folder)
    if as_json:
        print_json({**report, "differences": differences})
    for path, state in differences.items():
        message(f"{state}: {folder / path}")
    if differences:
        raise SystemExit(FAILED)
    if not as_json:
        click.echo(f"{folder}: up to date")


def _verify(folder: Path, report: dict[str, Any], as_json: bool) -> bool:
    from ..compile import check_package

    with progress("compiling and testing ..."):
        passed, text = check_package(folder)
    report["verified"], report["selftest"] = passed, text.splitlines()
    click.echo(text, err=as_json)
    return passed
