"""From a Function to a compiled Kernel. The only module that knows the code generator."""

from __future__ import annotations

import inspect
import logging
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .calling import Broadcasting, Caller
from .codegen.abi import parameter_names
from .codegen.build import find_compiler
from .codegen.package_tree import EditedError
from .codegen.pipeline import Built, build_kernel, target_named
from .codegen.targets import Options
from .dtype import FLOATING
from .errors import ModelError, UnsupportedError
from .expansions import expand
from .function import Function
from .graph import Graph
from .marks import marked_errors
from .register import inline_formulas
from .simplify.sharing import shared_graph
from .storage import content_hash, dumps, loads
from .transform import vmap
from .version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .codegen.trace import Place as Place
    from .codegen.trace import Trace as Trace

__all__ = [
    "EditedError", "Kernel", "cache_folder", "cache_summary", "check_package", "clear_cache", "compare_package",
    "compile", "compile_fresh", "compiler_description", "computed_graph", "emit_package", "emitted_lines",
    "package_name", "write_package",
]  # fmt: skip

_log = logging.getLogger("symgraph")
_told: set[str] = set()

# what C code calls -> name of the function in the emitted module
_CALLBACKS = {"integrand": "value_at", "filter": "filter_value"}


class Kernel:
    """A compiled function. Make one with :func:`compile`; call it like the Function that it was made from.

    A function of scalars broadcasts over arrays as NumPy does, and returns Python numbers for numbers; where its
    results are arrays, the dimensions of the arguments come first. A function with array inputs takes arrays of exact
    shapes. ``out=`` (one array, or a tuple of arrays) fills the caller's arrays.

    Attributes
    ----------
    graph:
        The graph that was compiled.
    path:
        The file of the emitted source in the cache.
    signature:
        Parameters of a call.
    target, dtype, exact, threads:
        The choices made at compilation.

    Examples
    --------
    >>> import sympy as sp, symgraph as sg
    >>> x = sp.Symbol("x")
    >>> kernel = sg.compile(sg.function(x**2 + 1, inputs=[x], name="f"))
    >>> kernel
    <symgraph.Kernel f(x, *, out=None) target='cython', dtype='float64'>
    >>> kernel(2.0), kernel([1.0, 2.0])
    (5.0, array([2., 5.]))
    """

    __slots__ = ()
    graph: Graph
    path: Path
    signature: inspect.Signature
    target: str
    dtype: str
    exact: bool
    threads: int
    _module: Any

    if TYPE_CHECKING:

        def __call__(self, *arguments: Any, **named: Any) -> Any: ...

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.graph.name

    @property
    def __name__(self) -> str:
        return self.graph.name

    @property
    def __signature__(self) -> inspect.Signature:
        return self.signature

    @property
    def source(self) -> str:
        """The emitted source."""
        return self.path.read_text(encoding="utf-8")

    @property
    def ufunc(self) -> Any:
        """The NumPy ufunc of a function of scalars; None for a function with arrays."""
        return getattr(self._module, "ufunc", None)

    def low_level_callable(self, kind: str = "integrand") -> Any:
        """A :class:`scipy.LowLevelCallable`: SciPy calls the compiled code without Python in between.

        Parameters
        ----------
        kind:
            "integrand" for :func:`scipy.integrate.quad` and ``nquad``; "filter" for
            :func:`scipy.ndimage.generic_filter`, whose footprint has as many elements as the function has arguments.

        Raises
        ------
        UnsupportedError
            When the function does not take floating scalars and return one (in float64, on the cython target).

        Examples
        --------
        >>> import sympy as sp, symgraph as sg
        >>> from scipy.integrate import quad
        >>> x = sp.Symbol("x")
        >>> kernel = sg.compile(sg.function(x**2, inputs=[x]))
        >>> round(quad(kernel.low_level_callable(), 0, 3)[0], 12)
        9.0
        """
        if kind not in _CALLBACKS:
            known = ", ".join(_CALLBACKS)
            raise UnsupportedError(f"there is no kind {kind!r} of low-level callable: use one of {known}")
        functions = getattr(self._module, "__pyx_capi__", {})
        name = "value" if kind == "integrand" and "value" in functions else _CALLBACKS[kind]
        if name not in functions:
            raise UnsupportedError(f"{self.name} cannot be called back from C: {self._no_callback()}")
        from scipy import LowLevelCallable

        return LowLevelCallable.from_cython(self._module, name)

    def _no_callback(self) -> str:
        if self.target != "cython" or self.dtype != "float64":
            return f"that needs target='cython' and dtype='float64', this kernel has {self.target!r} and {self.dtype!r}"
        if len(self.graph.outputs) != 1:
            return f"it has {len(self.graph.outputs)} outputs, expected one; compile the value alone"
        for node in self.graph.inputs:
            if node.axes or node.dtype is not FLOATING:
                found = "an array" if node.axes else "no float"
                return f"the argument {node.data} is {found}, expected floating scalars"
        return "its output must be one floating scalar, and it must have arguments"

    def __repr__(self) -> str:
        options = f"target={self.target!r}, dtype={self.dtype!r}"
        return f"<symgraph.Kernel {self.name}{self.signature} {options}>"

    def __reduce__(self) -> tuple[Callable[..., Kernel], tuple[str, str, str, bool, int]]:
        return _restored, (dumps(self.graph), self.target, self.dtype, self.exact, self.threads)


def _restored(text: str, target: str, dtype: str, exact: bool, threads: int) -> Kernel:
    return compile(Function(loads(text)), target=target, dtype=dtype, exact=exact, threads=threads)


def compile(
    f: Function, target: str = "cython", dtype: str = "float64", exact: bool = False, threads: int = 1
) -> Kernel:
    """Compile a function. A model is compiled once: later calls, also in other processes, load it from the cache.

    Parameters
    ----------
    f:
        A Function; several derivatives of one model share work when they are outputs of one Function.
    target:
        "cython" (needs a C compiler), "numba", or "auto": cython where there is a C compiler, else numba.
    dtype:
        "float64" or "float32": the type of all floating arithmetic and results.
    exact:
        Evaluate in the order written, with no contraction and with the functions of the C library.
    threads:
        Number of threads for loops over independent elements.

    Returns
    -------
    Kernel

    Raises
    ------
    UnsupportedError
        For an unknown target or dtype, or an operation that the target lacks (named).
    ToolchainError
        When there is no C compiler, or it fails, or the disk is full.

    Examples
    --------
    >>> import sympy as sp, symgraph as sg
    >>> x, y, z = sp.symbols("x y z")
    >>> kernel = sg.compile(sg.value_and_grad(sg.function((x + y) * z, inputs=[x, y, z])))
    >>> kernel(1.0, 3.0, -3.0)
    (-12.0, (-3.0, -3.0, 4.0))
    """
    graph = f if isinstance(f, Graph) else getattr(f, "graph", None)
    if not isinstance(graph, Graph):
        raise ModelError(f"compile takes a Function, got {type(f).__name__}: make one with symgraph.function(...)")
    if dtype not in ("float64", "float32"):
        raise UnsupportedError(f"the dtype {dtype!r} is not known: use 'float64' or 'float32'")
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise UnsupportedError(f"threads must be an integer from 1 up, got {threads!r}")
    if target == "auto":
        target = _automatic_target()
    target_named(target)
    _check_threads(target, threads)
    options = Options(dtype, bool(exact), threads)
    graph = inline_formulas(graph)  # the cache and a pickled kernel then depend on no registration
    finish = None if exact else shared_graph
    with marked_errors(graph):
        built = build_kernel(
            graph, target, options, version=__version__, digest_of_graph=content_hash(graph), finish=finish
        )
    return _kernel(graph, target, options, built)


def explained(f: Function) -> str:
    """The plan of a function as text: its loops over the data, what they compute and store, the tables, and which loops
    of a Cython kernel run over lanes."""
    from .codegen.explain_plan import explain_plan
    from .codegen.lanes import lanes_text, over_lanes
    from .codegen.lower import lower
    from .codegen.plan import plan_graph

    plan = plan_graph(shared_graph(inline_formulas(f.graph)))
    supports = target_named("cython").lanes
    assert supports is not None
    return "\n".join([explain_plan(plan), *lanes_text(over_lanes(lower(plan), supports)[1])])


Function.explainers.append(explained)


def computed_graph(graph: Graph, exact: bool = False) -> Graph:
    """The graph that a kernel computes: shared, and in terms of what a mathematics library has."""
    inlined = inline_formulas(graph)
    return expand(inlined if exact else shared_graph(inlined))


def emitted_lines(f: Function) -> Trace:
    """The lines of the emitted program, linked with the nodes of the function that they compute."""
    from .codegen.trace import trace

    return trace(f.graph, shared_graph)


def _check_threads(target: str, threads: int) -> None:
    if target == "numba" and threads > 1:
        raise UnsupportedError("kernels of the numba target run on one thread: use target='cython', or threads=1")


def _automatic_target() -> str:
    if find_compiler() is not None:
        return "cython"
    if "no compiler" not in _told:
        _told.add("no compiler")
        _log.warning(
            "there is no C compiler: kernels are compiled by Numba; install gcc or clang for the cython target"
        )
    return "numba"


def _kernel(graph: Graph, target: str, options: Options, built: Built) -> Kernel:
    module = built.module
    entry = getattr(module, module.__all__[0])
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in parameter_names(graph)]
    parameters.append(inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None))
    body = {
        "__doc__": entry.__doc__, "__module__": "symgraph", "__slots__": (), "graph": graph,
        "path": built.entry.source, "signature": inspect.Signature(parameters), "target": target,
        "dtype": options.dtype, "exact": options.exact, "threads": options.threads, "_module": module,
    }  # fmt: skip
    # a type of the module itself calls the entry without a detour through Python
    bases: tuple[type, ...] = (getattr(module, "Callable", Caller), Kernel)
    if graph.inputs and not any(n.axes for n in graph.inputs) and any(o.axes for o in graph.outputs):
        bases = (Broadcasting, Kernel)
        body["_widened"] = lambda self: compile(vmap(Function(graph)), target, *astuple(options))
    return type("Kernel", bases, body)(entry)


# ------------------------------------------------------------------------------------------------ packages on disk
def emit_package(
    name: str, functions: Mapping[str, Function], *, target: str = "cython", dtype: str = "float64",
    exact: bool = False, threads: int = 1, form: str = "package", **described: Any,
) -> dict[str, str]:  # fmt: skip
    """The files of a package, by path: see :func:`symgraph.generate`.

    Parameters
    ----------
    name:
        Import name, as an identifier.
    functions:
        The functions by kind, the model itself first.
    described:
        ``command``, ``expression``, ``digest``, ``selftest`` and ``accuracy`` (with ``accuracy_reason``): what headers,
        metadata, self-test and README hold.
    """
    from .codegen.package import PackageKernel, Request, package_files

    _check_threads(target, threads)
    options = Options(dtype, bool(exact), threads)
    finish = (lambda graph: graph) if exact else shared_graph
    graphs = {kind: inline_formulas(f.graph) for kind, f in functions.items()}
    kernels = tuple(PackageKernel(kind, finish(graph), content_hash(graph)) for kind, graph in graphs.items())
    return package_files(
        Request(name, kernels, target=target, options=options, form=form, version=__version__, **described)
    )


def write_package(folder: Path, files: Mapping[str, str], force: bool = False) -> Path:
    """Write files whole or not at all; files that were edited stay, unless ``force``."""
    from .codegen.package_tree import write_tree

    return write_tree(folder, files, force)


def compare_package(folder: Path, files: Mapping[str, str]) -> dict[str, str]:
    """What differs on disk: path to "missing", "stale", "edited" or "left over"."""
    from .codegen.package_tree import compare_tree

    return compare_tree(folder, files)


def package_name(name: str) -> str:
    """The import name for a user's name: an identifier that reads like it."""
    from .codegen.names import identifier

    return identifier(name)


def check_package(folder: Path) -> tuple[bool, str]:
    """Build the package in ``folder`` elsewhere and run its self-test: whether it passed, and what it printed."""
    from .codegen.package_check import find_package, run_selftest

    return run_selftest(folder, find_package(folder))


# --------------------------------------------------------------------------------------------- the cache and the tools
def cache_folder() -> Path:
    """Where compiled kernels are kept."""
    from .codegen import cache

    return cache.cache_folder()


def cache_summary() -> tuple[int, int]:
    """How many kernels the cache holds, and their bytes."""
    from .codegen import cache

    return cache.cache_summary()


def clear_cache() -> int:
    """Remove every compiled kernel; how many there were."""
    from .codegen import cache

    return cache.clear_cache()


def compiler_description() -> tuple[str, str] | None:
    """The path of the C compiler and the first line of its version; None where there is none."""
    from .codegen.build import compiler_version

    path = find_compiler()
    return None if path is None else (path, compiler_version(path))


def compile_fresh(f: Function) -> Kernel:
    """Compile in an empty cache that is gone afterwards: a trial of the tools."""
    import os
    import tempfile

    before = os.environ.get("SYMGRAPH_CACHE_DIR")
    with tempfile.TemporaryDirectory(prefix="symgraph-trial-") as folder:
        os.environ["SYMGRAPH_CACHE_DIR"] = folder
        try:
            return compile(f)
        finally:
            if before is None:
                del os.environ["SYMGRAPH_CACHE_DIR"]
            else:
                os.environ["SYMGRAPH_CACHE_DIR"] = before
