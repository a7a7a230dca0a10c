"""The files of a generated package: pure text, by path. What is on disk is `package_tree`'s business.

A package holds one extension module (or one Python module) per kernel, a stub, metadata with the model's hash, and a
self-test with its numbers. It needs NumPy at run time, and nothing of this project.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import ModelError, UnsupportedError
from ..graph import Graph
from .abi import interface
from .build import is_large
from .package_entry import CEntry
from .package_seal import sealed
from .package_text import Module, PackageKernel, Request, calls, json_text, metadata, stub
from .pipeline import STAGES, Work, run_stages, target_named
from .render import render, template_text
from .targets import Options

__all__ = ["FORMS", "LAYOUTS", "Layout", "PackageKernel", "Request", "distribution_name", "package_files"]

FORMS = ("package", "module")
RESERVED = ("selftest", "metadata", "tests")


def package_files(request: Request) -> dict[str, str]:
    """The files of a package, by path relative to its folder, in a fixed order.

    Raises
    ------
    UnsupportedError
        An unknown target or form, or an operation that the target lacks.
    ModelError
        Two kernels of one name.
    """
    if request.form not in FORMS:
        raise UnsupportedError(f"there is no form {request.form!r}: use one of {', '.join(FORMS)}")
    if request.target not in LAYOUTS:
        raise UnsupportedError(f"no packages for the target {request.target!r}: use one of {', '.join(LAYOUTS)}")
    layout = LAYOUTS[request.target]
    modules = [layout.module(request, kernel) for kernel in request.kernels]
    _distinct(modules)
    context = _context(request, modules)
    prefix = f"{request.name}/" if request.form == "package" else ""
    files: dict[str, str] = {}
    for module in modules:
        files.update({f"{prefix}{path}": text for path, text in module.files.items()})
    if request.form == "package":
        for path, template in {**_COMMON, **layout.templates}.items():
            files[path.format(name=request.name)] = render(template, **context)
        files[f"{request.name}/py.typed"] = ""
        files[f"{request.name}/selftest.py"] = template_text("package/selftest.py").replace("PACKAGE", request.name)
        files[f"{request.name}/selftest.json"] = json_text(dict(request.selftest))
        files[f"{request.name}/metadata.json"] = json_text(metadata(request, modules))
    return {path: sealed(path, text, request.version, request.command, request.digest) for path, text in files.items()}


_COMMON = {
    "README.md": "package/README.md.jinja",
    "pyproject.toml": "package/pyproject.toml.jinja",
    "tests/test_{name}.py": "package/test.py.jinja",
    "{name}/__init__.py": "package/init.py.jinja",
    "{name}/__init__.pyi": "package/stub.pyi.jinja",
}


def _distinct(modules: Sequence[Module]) -> None:
    seen: dict[str, str] = {}
    for module in modules:
        if module.entry in seen or module.entry in RESERVED:
            raise ModelError(f"two things in the package are called {module.entry!r}: give the function another name")
        seen[module.entry] = module.entry


def distribution_name(name: str) -> str:
    """The name for pip: what packaging tools allow.

    >>> distribution_name("pendulum"), distribution_name("λ")
    ('pendulum', 'kernel-3bb')
    """
    spelled = "".join(c if c.isascii() else f"-{ord(c):x}-" for c in name)
    spelled = re.sub(r"[-_]+", "-", spelled).strip("-")
    return spelled if name.isascii() else f"kernel-{spelled}"


# -------------------------------------------------------------------------------------------------------- Cython
def _cython_module(request: Request, kernel: PackageKernel) -> Module:
    from .targets.cython import source

    options = request.options
    procedure = _loops(kernel.graph, options)
    face = interface(kernel.graph, procedure)
    text = source(
        kernel.graph, procedure, dtype=options.dtype, exact=options.exact, threads=options.threads, package=True,
        version=request.version, digest=kernel.digest,
    )  # fmt: skip
    entry = _entry(text)
    wrapper = CEntry(face, entry, text, options.dtype)
    text = text.rstrip("\n") + "\n\n\n" + render("package/c_entry.pyx.jinja", wrapper=wrapper) + "\n"
    pxd = render("package/module.pxd.jinja", wrapper=wrapper, entry=entry) + "\n"
    return Module(kernel, face, entry, {f"_{entry}.pyx": text, f"_{entry}.pxd": pxd}, text)


def _loops(graph: Graph, options: Options) -> Any:
    """What the stages before the source give."""
    work = Work(graph, target_named("cython"), options)
    for stage in STAGES:
        if stage.name == "source":
            break
        work.results[stage.name] = stage.run(work)
    return work.results["lanes"]


def _entry(text: str) -> str:
    found = re.search(r'^__all__ = \["(.+)"\]', text, re.MULTILINE)
    assert found is not None
    return found.group(1)


# --------------------------------------------------------------------------------------------------------- Numba
def _numba_module(request: Request, kernel: PackageKernel) -> Module:
    options = request.options
    results = run_stages(kernel.graph, "numba", options, version=request.version, digest=kernel.digest)
    face = interface(kernel.graph, results["loops"])
    text = results["source"]
    entry = _entry(text)
    return Module(kernel, face, entry, {f"_{entry}.py": text}, text)


@dataclass(frozen=True)
class Layout:
    """What a target adds to a package: how a kernel becomes modules, and the files of the build."""

    module: Callable[[Request, PackageKernel], Module]
    templates: Mapping[str, str]


LAYOUTS: dict[str, Layout] = {
    "cython": Layout(
        _cython_module,
        {
            "meson.build": "package/meson.build.jinja",
            "meson.options": "package/meson.options.jinja",
            "{name}/__init__.pxd": "package/init.pxd.jinja",
        },
    ),
    "numba": Layout(_numba_module, {}),
}


# ------------------------------------------------------------------------------------------------------- the rest
def _context(request: Request, modules: Sequence[Module]) -> dict[str, Any]:
    texts = [m.text for m in modules]
    return {
        "name": request.name, "distribution": distribution_name(request.name), "target": request.target,
        "modules": modules, "version": request.version, "command": request.command,
        "expression": request.expression, "dtype": request.options.dtype,
        "scipy": any("scipy" in text for text in texts), "openmp": any("prange(" in text for text in texts),
        "exact": request.options.exact, "large": [m.name for m in modules if is_large(m.text)],
        "calls": calls(request, modules), "accuracy": request.accuracy, "accuracy_reason": request.accuracy_reason,
        "stubs": [stub(m, request.options.dtype) for m in modules],
        }  # fmt: skip
