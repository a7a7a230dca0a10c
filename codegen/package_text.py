"""What a package says about its kernels: stubs, calls for the README, metadata."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..graph import Graph, map_structure
from .abi import Argument, Interface
from .targets import Options

__all__ = ["Module", "PackageKernel", "Request", "calls", "json_text", "metadata", "stub"]


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
    accuracy, accuracy_reason:
        Lines of the table of estimated errors, or why there is none.
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
    accuracy: Sequence[Any] = ()
    accuracy_reason: str = ""


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


def stub(module: Module, real: str) -> dict[str, Any]:
    """What the type stub says about a kernel: numbers give numbers, arrays give arrays."""
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


def calls(request: Request, modules: Sequence[Module]) -> list[dict[str, Any]]:
    """For the README: each function with its arguments, and a call at the first point of the self-test."""
    points = request.selftest.get("points") or []
    calls = []
    for module in modules:
        call: dict[str, Any] = {"signature": _signature(module), "entry": module.entry, "lines": [], "value": None}
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
            value = points[0]["value"]
            if module.kernel.kind == "value" and len(value) == 1 and isinstance(value[0], str):
                call["value"] = f"{float(value[0]):.10g}"
        calls.append(call)
    return calls


def metadata(request: Request, modules: Sequence[Module]) -> dict[str, Any]:
    """The package as data: signature, shapes, dtypes, hashes, and the model as text."""
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


def json_text(data: Mapping[str, Any]) -> str:
    """Data as a JSON file."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
