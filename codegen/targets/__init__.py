"""The targets: one row each, what it prints and how it becomes callable. Adding a target is adding a row."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from ...dtype import Dtype
from ...graph import Graph
from ..loop_ir import Procedure

__all__ = ["TARGETS", "Options", "Target"]


@dataclass(frozen=True)
class Options:
    """What a caller chooses: floating type, bit-exact arithmetic, threads."""

    dtype: str = "float64"
    exact: bool = False
    threads: int = 1


@dataclass(frozen=True)
class Target:
    """One row of the target table.

    Attributes
    ----------
    name:
        The key.
    source:
        (graph, procedure, options, version, digest) to the text of a module; refuses unknown operations by name.
    build:
        (text, module name, folder, options) to (module file, source file).
    load:
        (module file, module name) to the imported module.
    toolchain:
        Options to the texts that tell one tool chain from another, cheap enough for every compilation.
    lanes:
        Whether an operation exists on lanes; None where loops stay as they are.
    """

    name: str
    source: Callable[[Graph, Procedure, Options, str, str], str]
    build: Callable[[str, str, Path, Options], tuple[Path, Path]]
    load: Callable[[Path, str], ModuleType]
    toolchain: Callable[[Options], tuple[str, ...]]
    lanes: Callable[[str, Dtype], bool] | None = None


def _has_lanes(op: str, dtype: Dtype) -> bool:
    from .cython_dialect import has_lanes

    return has_lanes(op, dtype)


def _cython_source(graph: Graph, procedure: Procedure, options: Options, version: str, digest: str) -> str:
    from .cython import source

    return source(
        graph, procedure, dtype=options.dtype, exact=options.exact, threads=options.threads, version=version,
        digest=digest,
    )  # fmt: skip


def _cython_build(text: str, name: str, folder: Path, options: Options) -> tuple[Path, Path]:
    from ..build import build_extension, compile_flags, is_large

    flags = compile_flags(options.exact, options.threads, is_large(text))
    return build_extension(text, name, folder, flags), folder / f"{name}.pyx"


def _load_extension(path: Path, name: str) -> ModuleType:
    from importlib.machinery import ExtensionFileLoader
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location(name, path, loader=ExtensionFileLoader(name, str(path)))
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    from ...errors import SymgraphError
    from ...templates import border

    border.ArgumentError = SymgraphError
    for function in border.__dict__:
        if hasattr(module, function) and not function.startswith("_"):
            setattr(module, function, getattr(border, function))
    return module


def _cython_toolchain(options: Options) -> tuple[str, ...]:
    from importlib.metadata import version

    from ..build import compile_flags, compiler_identity

    return ("cython", version("cython"), compiler_identity(), *compile_flags(options.exact, options.threads))


def _numba_source(graph: Graph, procedure: Procedure, options: Options, version: str, digest: str) -> str:
    from .numba import source

    return source(graph, procedure, dtype=options.dtype, version=version, digest=digest)


def _numba_build(text: str, name: str, folder: Path, options: Options) -> tuple[Path, Path]:
    path = folder / f"{name}.py"  # a file, because Numba keeps its own compiled code beside it
    path.write_text(text, encoding="utf-8")
    return path, path


def _load_python(path: Path, name: str) -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location

    from ...errors import SymgraphError

    spec = spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # what Numba has compiled refers to its module by name
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    module.__dict__["ArgumentError"] = SymgraphError
    return module


def _numba_toolchain(options: Options) -> tuple[str, ...]:
    from importlib.metadata import version

    return ("numba", version("numba"))


TARGETS: dict[str, Target] = {
    row.name: row
    for row in (
        Target("cython", _cython_source, _cython_build, _load_extension, _cython_toolchain, _has_lanes),
        Target("numba", _numba_source, _numba_build, _load_python, _numba_toolchain),
    )
}
