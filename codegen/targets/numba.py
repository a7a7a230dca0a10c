"""The Numba target for the CPU: a plain Python module, for machines without a C compiler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...dtype import BOOLEAN, FLOATING, INTEGER, Dtype
from ...errors import UnsupportedError
from ...graph import Graph
from ..abi import Interface, interface, parameter_names, size_text
from ..literals import floating_text, integer_text
from ..loop_ir import Alloc, Array, Procedure, Table
from ..loop_walks import operations
from ..names import ENTRY_NAMES, bound_names, free_name, safe_names
from ..render import render
from ..scalar_printer import ATOM, UNARY, Dialect, Piece, Printer
from .c_text import border_functions, table_lines
from .cython_dialect import PLAIN
from .cython_entry import documentation, structure_text
from .numba_functions import numba_function, numba_source, own_names
from .special_functions import numba_definitions, special_function, special_names

__all__ = ["source"]

RESERVED = own_names() | special_names() | frozenset(
    "math re np njit types i count abs range ArgumentError cython_special llvmlite get_cython_function_address".split()
)


def dialect(floating: str) -> Dialect:
    """How Numba spells things for one floating type."""

    def number(text: str) -> str:
        text = text.replace("inf", "np.inf").replace("nan", "np.nan")
        return f"np.float32({text})" if floating == "float32" else text

    def literal(value: object, dtype: Dtype) -> Piece:
        if dtype is BOOLEAN:
            return Piece("True" if value else "False")
        text = integer_text(value) if dtype is INTEGER else number(floating_text(value, floating))
        return Piece(text, UNARY if text.startswith("-") else ATOM)

    def loop(index: str, start: str, stop: str, parallel: bool) -> str:
        return f"for {index} in range({stop}):" if start == "0" else f"for {index} in range({start}, {stop}):"

    def allocate(alloc: Alloc, name: str, size: str) -> list[str]:
        dtype = alloc.array.dtype.numpy_name(floating)
        if alloc.fill is None:
            return [f"{name} = np.empty({size}, np.{dtype}{'_' * (dtype == 'bool')})"]
        fill = literal(alloc.fill.value, alloc.fill.dtype).text
        return [f"{name} = np.full({size}, {fill}, np.{dtype}{'_' * (dtype == 'bool')})"]

    def cast(text: str, dtype: Dtype) -> Piece:
        return Piece(f"np.{dtype.numpy_name(floating)}({text})")

    return Dialect(literal, _function, cast, lambda name, dtype, varies: "", loop, allocate)


def _function(op: str, dtype: Dtype) -> str | None:
    """The name to call: Python's own function, or one of SciPy's."""
    own = numba_function(op, dtype)
    if own is not None or dtype is not FLOATING:
        return own
    special = special_function(op)
    return None if special is None else special.name


def source(
    graph: Graph, procedure: Procedure, *, dtype: str = "float64", version: str = "", digest: str = "",
    summary: str = "",
) -> str:  # fmt: skip
    """The text of a Python module with one kernel.

    Raises
    ------
    UnsupportedError
        Naming the operation that Numba has no function for.
    """
    for operation in operations(procedure):
        kind = operation.operands[0].dtype if operation.operands else FLOATING
        if operation.op not in PLAIN and _function(operation.op, kind) is None:
            raise UnsupportedError(
                f"the numba target has no function for the operation {operation.op!r}: use the cython target"
            ).about(operation=operation.op)
    face = interface(graph, procedure)
    names = safe_names(bound_names(procedure), RESERVED)
    printer = Printer(dialect(dtype), names)
    lines = printer.block(procedure.body)
    entry = safe_names([face.identifier], RESERVED | ENTRY_NAMES)[face.identifier]
    shown = _entry_names(graph, face)
    functions = [text for op, kind in printer.functions if (text := numba_source(op, kind)) is not None]
    special = [found for op, kind in printer.functions
               if numba_function(op, kind) is None and (found := special_function(op)) is not None]  # fmt: skip
    context: dict[str, Any] = {
        "special": numba_definitions(special, dtype),
        "tables": [_table(t, names[t.array.name], dtype) for t in procedure.tables],
        "version": version, "digest": digest, "summary": summary or f"{face.name}, compiled by Numba.",
        "entry": entry, "body": f"{entry}_body", "elementwise": face.is_elementwise, "functions": functions,
        "documentation": documentation(face, dtype, entry, shown), "body_lines": lines,
        "parameters": "".join(f"{shown[a.identifier]}, " for a in face.arguments) + "*, out=None",
    }  # fmt: skip
    parameters = [*procedure.sizes] if not face.is_elementwise else []
    ordered = [*parameters, *procedure.inputs, *procedure.outputs]
    types = [_type(p.dtype, dtype, isinstance(p, Array), p in procedure.inputs) for p in ordered]
    context["signature"] = f"[types.void({', '.join(types)})]"
    context["body_parameters"] = ", ".join(names[p.name] for p in ordered)
    make = _elementwise if face.is_elementwise else _arrays
    context.update(make(face, procedure, shown, f"{entry}_body", dtype))
    context["border"] = "\n\n\n".join(border_functions("\n".join(context["entry_lines"])).values())
    return render("numba/module.py.jinja", **context).rstrip("\n") + "\n"


def _table(table: Table, name: str, floating: str) -> str:
    return f"{name} = np.array([\n{table_lines(table, floating)}\n], np.{table.array.dtype.numpy_name(floating)})"


def _type(dtype: Dtype, floating: str, array: bool, constant: bool) -> str:
    scalar = f"types.{('boolean', 'int64', floating)[dtype]}"
    if not array:
        return scalar
    return f'types.Array({scalar}, 1, "C"{", readonly=True" if constant else ""})'


def _entry_names(graph: Graph, face: Interface) -> dict[str, str]:
    parameters = parameter_names(graph)
    taken = {*ENTRY_NAMES, *parameters, *RESERVED}
    names = {a.identifier: p for a, p in zip(face.arguments, parameters, strict=True)}
    sizes = {size: free_name(size, taken) for size in face.sizes.values()}
    forms = ("{}", "{}_out")
    return {**names, **sizes, **{r.identifier: free_name(r.identifier, taken, forms) for r in face.results}}


def _elementwise(
    face: Interface, procedure: Procedure, names: Mapping[str, str], body: str, floating: str
) -> dict[str, Any]:  # fmt: skip
    count, everything = len(face.arguments), (*face.arguments, *face.results)
    dtypes = [o.dtype.numpy_name(floating) for o in everything]
    types, parameters, call, given = ["types.int64"], [], [], []
    for position, operand in enumerate(everything):
        types.append(_type(operand.dtype, floating, True, position < count))
        parameters.append(f"a{position}")
        given.append(f"operands[{position}].reshape(-1)")
        if position < count:
            types.append("types.int64")
            parameters.append(f"step{position}")
            call.append(f"a{position}[i * step{position}]")
            given.append(f"int(operands[{position}].ndim > 0)")
        else:
            call.append(f"a{position}[i : i + 1]")
    arguments = ", ".join(
        f"as_operand({names[a.identifier]}, {a.dtype.numpy_name(floating)!r}, {a.name!r})" for a in face.arguments
    )
    lines = [
        f"operands = broadcast_operands(({arguments},), {dtypes!r}, {face.name!r})",
        f"{body}_loop(operands[{count}].size, {', '.join(given)})",
        f"results = deliver(operands[{count}:], out)",
        f"return {structure_text(face.structure, [f'results[{k}]' for k in range(len(face.results))])}",
    ]
    return {
        "loop_signature": f"[types.void({', '.join(types)})]", "loop_parameters": ", ".join(parameters),
        "loop_call": ", ".join(call), "entry_lines": lines,
    }  # fmt: skip


def _arrays(
    face: Interface, procedure: Procedure, names: Mapping[str, str], body: str, floating: str
) -> dict[str, Any]:  # fmt: skip
    sizes = {symbol: names[name] for symbol, name in face.sizes.items()}
    lines = []
    for argument in face.arguments:
        name, dtype = names[argument.identifier], argument.dtype.numpy_name(floating)
        if argument.is_array:
            rank = len(argument.sizes)
            lines.append(f"{name} = as_array({name}, {dtype!r}, {rank}, {argument.name!r}, {argument.expected!r})")
        else:
            lines.append(f"{name} = as_number({name}, {dtype!r}, {argument.name!r})")
    lines += _size_lines(face, sizes, names)
    entry_printer = Printer(dialect(floating), names)
    shown = {a.identifier: a.name for a in face.arguments}
    for check in procedure.index_checks:
        function = "check_indices" if isinstance(check.input, Array) else "refuse_index"
        low, high = entry_printer.expression(check.low), entry_printer.expression(check.high)
        name = names[check.input.name]
        head = [] if isinstance(check.input, Array) else [f"if not {low} <= {name} <= {high}:"]
        lines += [*head, f"{'    ' * len(head)}{function}({name}, {low}, {high}, {shown[check.input.name]!r})"]
    results = [names[r.identifier] for r in face.results]
    targets = [f"{name}_out" for name in results]
    if targets:
        count = len(targets)
        lines.append(f"{', '.join(targets)}, = (None,) * {count} if out is None else flat_out(out, {count})")
    others = [names[a.identifier] for a in face.arguments if a.is_array]
    for result, name, target in zip(face.results, results, targets, strict=True):
        shape = ", ".join(size_text(s, sizes) for s in result.sizes)
        shape = f"({shape},)" if shape else "()"
        lines.append(
            f"{name} = result_array({target}, {result.name!r}, {result.dtype.numpy_name(floating)!r}, {shape}, "
            f"({''.join(o + ', ' for o in others)}))"
        )
        others.append(name)
    call = [names[v.name] for v in procedure.sizes]
    call += [f"{names[a.identifier]}.reshape(-1)" if a.is_array else names[a.identifier] for a in face.arguments]
    lines.append(f"{body}({', '.join([*call, *(f'{name}.reshape(-1)' for name in results)])})")
    lines += [f"{name} = given_back({name}, {target})" for name, target in zip(results, targets, strict=True)]
    leaves = [name if r.is_array else f"({name}.item() if {target} is None else {name})"
              for r, name, target in zip(face.results, results, targets, strict=True)]  # fmt: skip
    return {"entry_lines": [*lines, f"return {structure_text(face.structure, leaves)}"]}


def _size_lines(face: Interface, sizes: Mapping[str, str], names: Mapping[str, str]) -> list[str]:
    def dimension(place: Any) -> str:
        argument, axis = face.shape_of(place)
        return f"{names[argument.identifier]}.shape[{axis}]"

    lines = []
    for rule in face.plan.definitions:
        name, found = sizes[rule.name], dimension(rule.place)
        top, bottom, rest = rule.coefficient.numerator, rule.coefficient.denominator, size_text(rule.remainder, sizes)
        if (top, bottom, rest) == (1, 1, "0"):
            lines.append(f"{name} = {found}")
            continue
        lines.append(f"{name} = ({found} - {rest})*{bottom}//{top}")
        lines.append(f"if {name} < 0 or {name}*{top} != ({found} - {rest})*{bottom}:")
        lines.append(f"    mismatch({rule.message!r}, {found})")
    for check in face.plan.checks:
        found, expected = dimension(check.place), size_text(check.size, sizes)
        witness = "" if check.witness is None else f", {dimension(check.witness)}"
        lines += [f"if {found} != {expected}:", f"    mismatch({check.message!r}, {found}, {expected}{witness})"]
    return lines
