"""The Cython target: the text of one extension module from a graph and its procedure.

A function of scalars becomes a NumPy ufunc around a loop over lanes, and beside it an entry for Python numbers. A
function with arrays gets an entry that checks shapes by name and calls the body on plain pointers.
"""

from __future__ import annotations

from typing import Any

from ...dtype import BOOLEAN, FLOATING, INTEGER
from ...errors import UnsupportedError
from ...graph import Graph
from ..abi import Interface, interface, parameter_names
from ..lane_printer import LanePrinter
from ..loop_ir import For, Literal, Procedure
from ..loop_walks import operations, walk
from ..names import ENTRY_NAMES, bound_names, free_name, safe_names
from ..render import render
from ..scalar_printer import Printer
from .c_functions import HELPERS, c_function, every_name
from .c_text import border_functions, c_part, c_table, filtered, helper_functions
from .cython_dialect import (
    PLAIN,
    TYPES,
    declaration_lines,
    dialect,
    fits_lanes,
    memory_kind,
    scaled,
)  # fmt: skip
from .cython_entry import array_entry, body_parameters, documentation, elementwise_entry, scratch
from .cython_parts import cut_body, print_parts
from .special_functions import cython_helpers

__all__ = ["missing_operations", "source"]

REAL = {"float64": "double", "float32": "float"}
KINDS = {"float64": "NPY_DOUBLE", "float32": "NPY_FLOAT"}
STACK_BYTES = 32768  # scratch of a known size up to this lives on the stack
SMALLEST_PARALLEL = 4096  # elements: below, starting threads costs more than they save
LARGE = 500  # statements: a body beyond is not inlined
LARGE_STREAM = 200  # statements: beyond, what a call costs is little beside the body

# names in the body of a kernel, and names in the entry and the loop around it, that a user's variable may not hide
IN_BODY = frozenset(
    """INFINITY NAN LANES add_part aligned arena count_from cython_special fill_integer fill_lanes fill_real
    fill_truth first floating free gather int64_t lane load_part load_rows load_whole malloc masks min npy_bool
    padded place prange range real scatter_add sizeof splat store_part store_whole total whole whole_part
    wholes""".split()
) | frozenset(HELPERS) | every_name() | frozenset(f"{name}_lanes" for name in every_name())
# names of the module: the function itself may not have them
AROUND = ENTRY_NAMES | frozenset(
    """ArgumentError Callable LANES active align apart as_float_of at border const_integers const_reals const_truths
    count data deliver dense filter_value forget_flags i independent int64_t integers is_flat is_writeable lanes list
    load load_dense loops masks new_like npy_bool numbers operands part point pointers position real reals result
    same_shape share steps stop store store_dense truths types v value value_at width window x""".split()
)
_OWN_LOOP = ("deliver",)
_FLAT = ("flat_out",)


def missing_operations(procedure: Procedure) -> list[str]:
    """Names of the operations that this target cannot print, in the order of appearance."""
    missing: dict[str, None] = {}
    for operation in operations(procedure):
        if operation.op not in PLAIN:
            dtype = operation.operands[0].dtype if operation.operands else FLOATING
            if c_function(operation.op, dtype) is None:
                missing.setdefault(operation.op)
    return list(missing)


def source(
    graph: Graph, procedure: Procedure, *, dtype: str = "float64", exact: bool = False, threads: int = 1,
    package: bool = False, version: str = "", digest: str = "", summary: str = "",
) -> str:  # fmt: skip
    """The Cython text of a module with one kernel.

    Parameters
    ----------
    graph, procedure:
        What is computed, and how.
    dtype:
        "float64" or "float32".
    exact:
        No vector function of another accuracy than libm's.
    threads:
        Number of threads of parallel loops.
    package:
        For a package on disk (introspection, no kernel type) instead of the cache.
    version, digest, summary:
        For the header and the docstring.

    Raises
    ------
    UnsupportedError
        Naming the operation that C has no spelling for.
    """
    for op in missing_operations(procedure):
        message = f"the cython target has no spelling for the operation {op!r}: choose another target"
        raise UnsupportedError(message).about(operation=op)
    face = interface(graph, procedure)
    lanes = face.is_elementwise and fits_lanes(procedure)
    names = safe_names(bound_names(procedure), IN_BODY)
    entry_names = _entry_names(graph, face)
    arena = [] if lanes else _arena(procedure, names, dtype)
    spelled = dialect(dtype, lanes, threads, [name for name, _ in arena])
    lane_loops = any(isinstance(s, For) and s.lanes is not None for s in walk([procedure.body]))
    printer = LanePrinter(spelled, names, IN_BODY) if lane_loops else Printer(
        spelled, names, [p.name for p in procedure.inputs] if lanes else ()
    )
    parts = [] if lane_loops else cut_body(procedure)
    lines = [] if parts else printer.block(procedure.body)
    lines = declaration_lines(printer.declarations) + lines
    functions_of_parts: list[str] = []
    entry = safe_names([face.identifier], AROUND | IN_BODY)[face.identifier]
    if parts:
        parameters = body_parameters(face, procedure, names, lanes)
        kinds = {FLOATING: "lanes", BOOLEAN: "masks", INTEGER: "int64_t"} if lanes else TYPES
        functions_of_parts, lines = print_parts(parts, printer, parameters, kinds, entry)
    functions = [(op, kind, found) for op, kind in printer.functions if (found := c_function(op, kind)) is not None]
    text = [*functions_of_parts, *lines]
    context: dict[str, Any] = {
        "parts": functions_of_parts,
        "version": version, "digest": digest, "summary": summary or f"{face.name}, compiled by symgraph.",
        "package": package, "entry": entry, "elementwise": face.is_elementwise, "lanes": lanes,
        "lane_loops": lane_loops,
        "scipy": any(f.origin == "scipy" for _, _, f in functions), "dtype": dtype, "real": REAL[dtype],
        "parallel": any("prange(" in line for line in text) or (face.is_elementwise and threads > 1),
        "threads": threads, "smallest_parallel": SMALLEST_PARALLEL, "arena": bool(arena),
        "body": f"{entry}_body", "arguments": face.arguments, "results": face.results,
        "operands": len(face.arguments) + len(face.results), "large": bool(parts) or len(lines) > LARGE,
        "streams": lanes and not parts and len(lines) <= LARGE_STREAM,
        "documentation": documentation(face, dtype, entry, entry_names),
        "entry_results": [entry_names[r.identifier] for r in face.results],
        "parameters": "".join(f"{entry_names[a.identifier]}, " for a in face.arguments) + "*, ",
        "ufunc_name": entry.encode("ascii", "replace").decode(),
        "callbacks": face.is_float_function and dtype == "float64",
    }  # fmt: skip
    make = elementwise_entry if face.is_elementwise else array_entry
    context.update(make(face, procedure, names, entry_names, context, KINDS[dtype]))
    context["body_lines"] = _with_arena(lines, arena)
    context["helpers"] = helper_functions("\n".join(context["entry_lines"]))
    context["special"] = cython_helpers(f.special for _, _, f in functions if f.special is not None)
    own_loop = _OWN_LOOP[: context["operands"] > 64] + _FLAT[:lanes]
    border = border_functions("\n".join([*context["entry_lines"], *context["helpers"], *own_loop]))
    context["border_names"], context["border"] = list(border), "\n\n\n".join(border.values())
    on_lanes = [
        (op, kind, found) for op, kind in (printer.lane_functions if isinstance(printer, LanePrinter) else ())
        if (found := c_function(op, kind)) is not None
    ]  # fmt: skip
    context["c_text"], declarations = c_part(functions, on_lanes, text, exact, context)
    for table in procedure.tables:
        name, kind = names[table.array.name], TYPES[table.array.dtype]
        context["c_text"] += f"\n{c_table(table, name, kind, dtype)}"
        declarations.append(f"const {kind}* {name}")
    template = "cython/elementwise.pyx.jinja" if face.is_elementwise else "cython/array.pyx.jinja"
    bare = render(template, **context, declarations=[])
    return render(template, **context, declarations=filtered(declarations, bare)).rstrip("\n") + "\n"


def _entry_names(graph: Graph, face: Interface) -> dict[str, str]:
    """Identifier of the procedure -> name in the entry: parameters keep theirs, the others keep clear of them."""
    parameters = parameter_names(graph)
    taken = {*ENTRY_NAMES, *parameters, f"{face.identifier}_body"}
    names = {a.identifier: p for a, p in zip(face.arguments, parameters, strict=True)}
    numbers = {f"{a.identifier} number": free_name(f"{names[a.identifier]}_number", taken) for a in face.arguments}
    sizes = {size: free_name(size, taken) for size in face.sizes.values()}
    forms = ("{}", "{}_out", "{}_number", "{}_shape")
    return {**names, **numbers, **sizes, **{r.identifier: free_name(r.identifier, taken, forms) for r in face.results}}


def _arena(procedure: Procedure, names: dict[str, str], dtype: str) -> list[tuple[str, str]]:
    """(name, bytes) of the scratch arrays that do not live on the stack."""
    arrays, total = [], 0
    printer = Printer(dialect(dtype), names)
    for alloc in scratch(procedure):
        size = alloc.size
        bytes_of_one = 64 * alloc.array.lanes if alloc.array.lanes else 8
        total += int(str(size.value)) * bytes_of_one if isinstance(size, Literal) else STACK_BYTES + 1
        count = scaled(printer.expression(size), alloc.array.lanes)
        arrays.append((names[alloc.array.name], f"padded({count}, sizeof({memory_kind(alloc.array)}))"))
    return arrays if total > STACK_BYTES else []


def _with_arena(lines: list[str], arena: list[tuple[str, str]]) -> list[str]:
    if not arena:
        return lines
    return [
        f"    cdef char* arena = <char*>malloc({' + '.join(size for _, size in arena)} + 64)",
        "    if arena == NULL:", "        return -1", "    cdef char* place = aligned(arena)",
        *lines, "    free(arena)", "    return 0",
    ]  # fmt: skip
