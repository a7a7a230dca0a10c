"""Functions to packages on disk: what they hold, what their headers say, and whether they are up to date."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .accuracy.estimate import estimates
from .compile import compare_package, emit_package, package_name, write_package
from .errors import ModelError
from .function import Function
from .show import graph_text
from .storage import content_hash
from .verify import derived_functions, self_test_data

__all__ = ["Plan", "generate", "plan_package"]


@dataclass(frozen=True)
class Plan:
    """A package before it is written.

    Attributes
    ----------
    name:
        Import name.
    functions:
        The functions by kind ("value", "grad", ...).
    files:
        Text by path.
    """

    name: str
    functions: Mapping[str, Function]
    files: Mapping[str, str]

    def sources(self) -> list[str]:
        """The sources of the kernels."""
        own = {f"_{package_name(f.name)}" for f in self.functions.values()}
        return [t for p, t in self.files.items() if Path(p).suffix in (".pyx", ".py") and Path(p).stem in own]

    def write(self, directory: str | os.PathLike[str], force: bool = False) -> Path:
        """Write all files, or none; files that were edited stay, unless ``force``."""
        return write_package(Path(directory), self.files, force)

    def differences(self, directory: str | os.PathLike[str]) -> dict[str, str]:
        """What on disk is not as it would be written: path to "missing", "stale", "edited" or "left over"."""
        return compare_package(Path(directory), self.files)


def generate(
    f: Function, directory: str | os.PathLike[str], *, name: str | None = None, target: str = "cython",
    form: str = "package", derive: Sequence[str] = ("value",), wrt: Sequence[str] | None = None,
    dtype: str = "float64", exact: bool = False, threads: int = 1, force: bool = False,
) -> Path:  # fmt: skip
    """Write a package that pip installs and that needs neither symgraph nor SymPy.

    Parameters
    ----------
    f:
        The model, or a derivative of one.
    directory:
        The folder to write; made when it does not exist.
    name:
        Import name of the package; by default the name of the function.
    target:
        "cython" (built by meson-python, needs a C compiler) or "numba" (plain Python).
    form:
        "package", or "module" for the sources of the kernels alone.
    derive:
        What the package computes: "value", "grad", "jac", "hess", "jvp", "vjp", "hvp". Value and gradient come also
        together, as one function.
    wrt:
        Names of the inputs to differentiate by; None for all floating ones.
    dtype, exact, threads:
        As for :func:`symgraph.compile`.
    force:
        Replace files that were edited.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    ModelError
        A derivative that the model does not have, no point for the self-test, or edited files in the folder.
    UnsupportedError
        An operation that the target lacks.
    ToolchainError
        The folder cannot be written.

    Examples
    --------
    >>> import sympy as sp, symgraph as sg, tempfile
    >>> x, y = sp.symbols("x y")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = sg.generate(sg.function(x * y, name="area"), f"{folder}/area", derive=("value", "grad"))
    ...     sorted(p.name for p in path.iterdir())
    ['README.md', 'area', 'meson.build', 'meson.options', 'pyproject.toml', 'tests']
    """
    plan = plan_package(
        f, name=name, target=target, form=form, derive=derive, wrt=wrt, dtype=dtype, exact=exact, threads=threads
    )
    return plan.write(directory, force)


def plan_package(
    f: Function, *, name: str | None = None, target: str = "cython", form: str = "package",
    derive: Sequence[str] = ("value",), wrt: Sequence[str] | None = None, dtype: str = "float64",
    exact: bool = False, threads: int = 1, command: str = "symgraph.generate",
) -> Plan:  # fmt: skip
    """The package that :func:`generate` writes; ``command`` stands in the headers."""
    if not isinstance(f, Function):
        raise ModelError(f"a package is generated from a Function, found {type(f).__name__}: see symgraph.function")
    own = package_name(name or f.name)
    functions = derived_functions(f, derive, wrt)
    if not functions:
        raise ModelError("nothing to generate: name at least one of value, grad, jac, hess, jvp, vjp, hvp")
    names = {kind: package_name(made.name) for kind, made in functions.items()}
    needs_test = form == "package"
    lines, reason = estimates(f, functions, dtype, exact) if needs_test else ([], "")
    files = emit_package(
        own, functions, target=target, dtype=dtype, exact=exact, threads=threads, form=form, command=command,
        expression=graph_text(f.graph), digest=content_hash(f.graph),
        selftest=self_test_data(f, functions, names, wrt, dtype) if needs_test else {}, accuracy=lines,
        accuracy_reason=reason,
    )  # fmt: skip
    return Plan(own, functions, files)
