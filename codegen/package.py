"""The files of a generated package: pure text, by path. What is on disk is `package_tree`'s business.

A package holds one extension module (or one Python module) per kernel, a stub, metadata with the model's hash, and a
self-test with its numbers. It needs NumPy at run time, and nothing of this project.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..dtype import FLOATING
from ..errors import ModelError, UnsupportedError
from ..graph import Graph, map_structure
from .abi import Argument, Interface, interface
from .names import identifier
from .package_seal import sealed
from .pipeline import run_stages
from .render import render, template_text
from .targets import Options

__all__ = ["FORMS", "PackageKernel", "Request", "distribution_name", "package_files"]

FORMS = ("package", "module")
RESERVED = ("selftest", "metadata", "tests")


@dataclass(frozen=True)
class PackageKernel:
    """One function of a package: its kind ("value", "grad", ...), its graph, and the hash of that."""

    kind: str
    graph: Graph
    digest: str


@dataclass(frozen=True)
class Request:
    """What a package is made from.

    Attributes
    ----------
    name:
        Import name of the package (an identifier).
    kernels:
        The functions, the model itself first where it is among them.
    target, options:
        A key of the layout table, and how to compute.
    form:
        "package" (a folder that pip installs) or "module" (sources alone, for another project's build).
    command:
        How it was made, for the headers; free of paths, dates and host names.
    version:
        Version of symgraph.
    expression:
        The model as text.
    digest:
        Content hash of the model.
    selftest:
        Data of the self-test.
    """

    name: str
    kernels: tuple[PackageKernel, ...]
    target: str = "cython"
    options: Options = field(default_factory=Options)
    form: str = "package"
    command: str = ""
    version: str = ""
    expression: str = ""
    digest: str = ""
    selftest: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Module:
    """One kernel as text, with its calling interface."""

    kernel: PackageKernel
    face: Interface
    entry: str
    files: Mapping[str, str]
    text: str

    @property
    def name(self) -> str:
        """Name of the module in the package."""
        return f"_{self.entry}"


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
        raise UnsupportedError(f"packages for the target {request.target!r} cannot be written: use one of {', '.join(LAYOUTS)}")
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
        files[f"{request.name}/selftest.json"] = _json(dict(request.selftest))
        files[f"{request.name}/metadata.json"] = _json(_metadata(request, modules))
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
    wrapper = _CWrapper(face, entry, text, options.dtype)
    text = text.rstrip("\n") + "\n\n\n" + render("package/c_entry.pyx.jinja", wrapper=wrapper) + "\n"
    pxd = render("package/module.pxd.jinja", wrapper=wrapper, entry=entry) + "\n"
    return Module(kernel, face, entry, {f"_{entry}.pyx": text, f"_{entry}.pxd": pxd}, text)


def _loops(graph: Graph, options: Options) -> Any:
    from .lower import lower
    from .plan import plan_graph

    return lower(plan_graph(graph, exact=options.exact))


def _entry(text: str) -> str:
    found = re.search(r'^__all__ = \["(.+)"\]', text, re.MULTILINE)
    assert found is not None
    return found.group(1)


class _CWrapper:
    """The plain C function of a kernel: scalars by value, arrays and results by pointer, sizes first."""

    def __init__(self, face: Interface, entry: str, text: str, dtype: str) -> None:
        real = "double" if dtype == "float64" else "float"
        types = {0: "unsigned char", 1: "long long", 2: real}
        self.name = f"{entry}_c"
        body = re.search(rf"^cdef (?:inline )?(int|void) {re.escape(entry)}_body\((.*)\) noexcept nogil:", text, re.MULTILINE)
        assert body is not None
        self.returns_status = body.group(1) == "int"
        declared = [p.rsplit(" ", 1) for p in body.group(2).split(", ")] if body.group(2) else []
        self.body = f"{entry}_body"
        count = len(face.arguments) + len(face.results)
        self.lanes = any(kind.startswith("lanes") for kind, _ in declared)
        sizes = [name for _, name in declared[: len(declared) - count]]
        self.parameters = [f"long long {name}" for name in sizes]
        self.call = list(sizes)
        self.locals: list[str] = []
        self.stores: list[str] = []
        for (_, name), argument in zip(declared[len(sizes) :], (*face.arguments, *face.results), strict=True):
            plain = types[int(argument.dtype)]
            is_result = argument in face.results
            if argument.is_array:
                self.parameters.append(f"{plain}* {name}" if is_result else f"const {plain}* {name}")
                self.call.append(f"<{_POINTERS[int(argument.dtype)]}>{name}" if is_result else f"<const_{_POINTERS[int(argument.dtype)]}>{name}")
            elif is_result:
                self.parameters.append(f"{plain}* {name}")
                if self.lanes:
                    self.locals.append(f"cdef lanes {name}_lanes")
                    self.call.append(f"&{name}_lanes")
                    self.stores.append(f"{name}[0] = first({name}_lanes)")
                else:
                    self.call.append(name)
            else:
                self.parameters.append(f"{plain} {name}")
                self.call.append(f"splat({name})" if self.lanes else name)

    @property
    def signature(self) -> str:
        return f"cdef int {self.name}({', '.join(self.parameters)}) noexcept nogil"


_POINTERS = ("truths", "integers", "reals")


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
        "exact": request.options.exact, "large": [m.name for m in modules if len(m.text) > 600_000],
        "calls": _calls(request, modules), "stubs": [_stub(m, request.options.dtype) for m in modules],
        "file_names": sorted(path for m in modules for path in m.files if not path.endswith((".pyx", ".py"))),
    }  # fmt: skip


def _parameters(module: Module) -> list[str]:
    """The parameter names of an entry, as its own text has them."""
    found = re.search(rf"^def {re.escape(module.entry)}\((.*)\):", module.text, re.MULTILINE)
    assert found is not None
    names = [p.split("=")[0].strip() for p in found.group(1).split(",")]
    return [n for n in names if n and n not in ("*", "/")][: len(module.face.arguments)]


def _result_type(module: Module, array: str, number: dict[int, str]) -> str:
    def leaf(position: int) -> str:
        result = module.face.results[position]
        return f"NDArray[{_NUMPY[int(result.dtype)].format(real=array)}]" if result.sizes else number[int(result.dtype)]

    return _type_text(map_structure(module.face.structure, leaf))


_NUMPY = ("np.bool_", "np.int64", "np.{real}")
_NUMBERS = {0: "bool", 1: "int", 2: "float"}


def _type_text(structure: Any) -> str:
    if isinstance(structure, tuple):
        return f"tuple[{', '.join(map(_type_text, structure))}]"
    if isinstance(structure, dict):
        kinds = list(dict.fromkeys(map(_type_text, structure.values())))
        return f"dict[str, {' | '.join(kinds)}]"
    return str(structure)


def _stub(module: Module, real: str) -> dict[str, Any]:
    arrays = {kind: f"NDArray[{text.format(real=real)}]" for kind, text in enumerate(_NUMPY)}
    exact = _result_type(module, real, _NUMBERS)
    broadcast = _result_type(module, real, arrays)
    parameters = _parameters(module)
    numbers = [f"{name}: {_NUMBERS[int(a.dtype)]}" for name, a in zip(parameters, module.face.arguments, strict=True)]
    anything = [f"{name}: ArrayLike" for name in parameters]
    summary = f"{_signature(module)}"
    return {
        "entry": module.entry, "elementwise": module.face.is_elementwise, "exact": exact, "broadcast": broadcast,
        "numbers": numbers, "anything": anything, "summary": summary,
    }  # fmt: skip


def _shape(argument: Argument) -> str:
    return f"[{', '.join(str(s) for s in argument.sizes)}]" if argument.sizes else ""


def _signature(module: Module) -> str:
    names = _parameters(module)
    inside = ", ".join(f"{name}{_shape(a)}" for name, a in zip(names, module.face.arguments, strict=True))
    results = ", ".join(f"{r.name}{_shape(r)}" for r in module.face.results)
    return f"{module.entry}({inside}) -> {results}"


def _calls(request: Request, modules: Sequence[Module]) -> list[dict[str, Any]]:
    """For the README: each function with its arguments, and a call at the first point of the self-test."""
    points = request.selftest.get("points") or []
    calls = []
    for module in modules:
        call = {"signature": _signature(module), "entry": module.entry, "lines": [], "value": None}
        roles = request.selftest.get("arguments", {}).get(module.kernel.kind)
        if points and roles:
            for (role, key), name, argument in zip(roles, _parameters(module), module.face.arguments, strict=True):
                stored = points[0]["cotangent"][int(key)] if role == "cotangent" else points[0][role][key]
                text = json.dumps(stored)
                if argument.sizes:
                    dtype = argument.dtype.numpy_name(request.options.dtype)
                    text = f"np.array({text}, dtype={dtype!r})"
                call["lines"].append(f"{name} = {text}")
            call["arguments"] = ", ".join(_parameters(module))
            if module.kernel.kind == "value" and len(points[0]["value"]) == 1 and isinstance(points[0]["value"][0], str):
                call["value"] = f"{float(points[0]['value'][0]):.10g}"
        calls.append(call)
    return calls


def _metadata(request: Request, modules: Sequence[Module]) -> dict[str, Any]:
    dtype = request.options.dtype

    def described(argument: Argument, name: str) -> dict[str, Any]:
        return {
            "name": argument.name, "identifier": name, "dtype": argument.dtype.numpy_name(dtype),
            "shape": [int(s) if s.is_Integer else str(s) for s in argument.sizes],
        }  # fmt: skip

    return {
        "format": "symgraph package", "name": request.name, "target": request.target, "dtype": dtype,
        "exact": request.options.exact, "threads": request.options.threads, "model": request.digest,
        "expression": request.expression.splitlines(),
        "kernels": [
            {
                "name": m.entry, "kind": m.kernel.kind, "module": m.name, "hash": m.kernel.digest,
                "inputs": [described(a, n) for a, n in zip(m.face.arguments, _parameters(m), strict=True)],
                "outputs": [described(r, r.name) for r in m.face.results],
                "returns": map_structure(m.face.structure, lambda k, m=m: m.face.results[k].name),
            }
            for m in modules
        ],
    }  # fmt: skip


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
