"""From a graph to a loaded module, in named stages whose results can all be looked at."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..errors import UnsupportedError
from ..graph import Graph
from .abi import interface
from .cache import Entry, digest, find_entry, indexed_key, publish
from .targets import TARGETS, Options, Target

__all__ = ["STAGES", "Built", "Stage", "Work", "build_kernel", "emit", "run_stages", "target_named"]


@dataclass
class Work:
    """What the stages read and write: the request, and the result of each stage under its name."""

    graph: Graph
    target: Target
    options: Options
    version: str = ""
    digest: str = ""
    results: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Stage:
    """One step: a name, and a pure function of the results before it."""

    name: str
    run: Callable[[Work], Any]


def _plan(work: Work) -> Any:
    from .plan import plan_graph

    return plan_graph(work.graph, exact=work.options.exact)


def _loops(work: Work) -> Any:
    from .lower import lower
    from .tables import with_tables

    return with_tables(lower(work.results["plan"]))


def _lanes(work: Work) -> Any:
    procedure, supports = work.results["loops"], work.target.lanes
    if supports is None or interface(work.graph, procedure).is_elementwise:  # NumPy runs over the lanes of a ufunc
        return procedure
    from .lanes import over_lanes

    return over_lanes(procedure, supports, exact=work.options.exact, threads=work.options.threads)[0]


def _source(work: Work) -> str:
    return work.target.source(work.graph, work.results["lanes"], work.options, work.version, work.digest)


STAGES = (Stage("plan", _plan), Stage("loops", _loops), Stage("lanes", _lanes), Stage("source", _source))


def target_named(name: str) -> Target:
    """The row of the target table, or an error with the names that exist."""
    if name not in TARGETS:
        raise UnsupportedError(f"there is no target {name!r}: use one of {', '.join(TARGETS)}")
    return TARGETS[name]


def run_stages(
    graph: Graph, target: str = "cython", options: Options | None = None, *, version: str = "", digest: str = "",
    results: dict[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Run all stages and return each one's result under its name; given ``results`` are not computed again."""
    work = Work(graph, target_named(target), options or Options(), version, digest, dict(results or {}))
    for stage in STAGES:
        if stage.name not in work.results:
            work.results[stage.name] = stage.run(work)
    return work.results


def emit(graph: Graph, target: str = "cython", options: Options | None = None, **rest: Any) -> str:
    """The source text of a kernel."""
    return run_stages(graph, target, options, **rest)["source"]


@dataclass(frozen=True)
class Built:
    """A loaded module and where it lies."""

    module: ModuleType
    entry: Entry


_loaded: dict[str, ModuleType] = {}


def build_kernel(
    graph: Graph, target: str, options: Options, *, version: str, digest_of_graph: str,
    results: dict[str, Any] | None = None, finish: Callable[[Graph], Graph] | None = None,
) -> Built:  # fmt: skip
    """The module of a graph, from the cache or built now.

    Parameters
    ----------
    graph, target, options:
        What to compile, for what, and how.
    version:
        Version of symgraph, for the header of the source.
    digest_of_graph:
        Content hash of the graph: with the options and the tool chain it finds the kernel in the cache.
    results:
        Results of stages that are known already.
    finish:
        What is done to the graph before it is planned; not run when the kernel is in the cache.
    """
    row = target_named(target)
    toolchain = (*row.toolchain(options), sys.version, np.__version__)
    index = digest([digest_of_graph, repr(options), *toolchain, version, _generator()]) if not results else None
    key = indexed_key(index) if index is not None else None
    if key is not None and (entry := find_entry(key)) is not None:
        return Built(_load(row, entry), entry)
    finished = graph if finish is None else finish(graph)
    text = emit(finished, target, options, version=version, digest=digest_of_graph, results=results)
    key = digest([text, *toolchain])
    name = _module_name(key)
    entry = publish(key, lambda folder: row.build(text, name, folder, options), index)
    return Built(_load(row, entry), entry)


def _module_name(key: str) -> str:
    return f"symgraph_kernel_{key[:20]}"


def _load(row: Target, entry: Entry) -> ModuleType:
    # an extension module can be initialised once in a process
    module = _loaded.get(entry.key)
    if module is None:
        module = _loaded.setdefault(entry.key, row.load(entry.module, _module_name(entry.key)))
    return module


@lru_cache(maxsize=1)
def _generator() -> str:
    """The state of the code generator itself: what it would emit may change with any of its files."""
    from .. import expansions, templates

    package = Path(str(expansions.__file__)).parents[1]
    files = [p for folder in ("op_rows", "expansions", "simplify") for p in (package / folder).glob("*.py")]
    files += Path(__file__).parent.rglob("*.py")
    files += [p for p in Path(templates.__file__).parent.rglob("*") if p.suffix in (".jinja", ".h", ".py")]
    return digest(f"{p.name} {s.st_size} {s.st_mtime_ns}" for p in sorted(files) for s in (p.stat(),))
