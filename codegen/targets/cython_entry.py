"""The entry of a Cython module, line by line: arguments, sizes, results, the call and what is returned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...dtype import BOOLEAN, FLOATING, INTEGER
from ...graph import Structure
from ..abi import Argument, Interface, size_text
from ..loop_ir import Alloc, Array, For, Literal, Procedure
from ..loop_walks import operations, walk
from ..scalar_printer import Printer
from .cython_dialect import TYPES, dialect

__all__ = ["array_entry", "body_parameters", "documentation", "elementwise_entry", "structure_text", "work_estimate"]

POINTERS = {BOOLEAN: "truths", INTEGER: "integers", FLOATING: "reals"}
MEMORY = {BOOLEAN: "npy_bool", INTEGER: "int64_t", FLOATING: "real"}
DTYPES = {"NPY_BOOL": "bool", "NPY_INT64": "int64", "NPY_FLOAT": "float32", "NPY_DOUBLE": "float64"}
SCALARS = {BOOLEAN: "as_truth", INTEGER: "as_integer", FLOATING: "as_float"}


def numpy_kind(argument: Argument, kind: str) -> str:
    """The NumPy type number; ``kind`` is the one of floating values."""
    return ("NPY_BOOL", "NPY_INT64", kind)[argument.dtype]


def structure_text(structure: Structure, leaves: Sequence[str]) -> str:
    """The expression that builds the result from its flat parts."""
    # structures are as deep as the user's own tuples: a handful of levels
    if isinstance(structure, int):
        return leaves[structure]
    if isinstance(structure, dict):
        return "{" + ", ".join(f"{name!r}: {structure_text(s, leaves)}" for name, s in structure.items()) + "}"
    inner = ", ".join(structure_text(s, leaves) for s in structure)
    return f"({inner},)" if len(structure) == 1 else f"({inner})"


def documentation(face: Interface, dtype: str, entry: str, names: Mapping[str, str]) -> str:
    """The docstring of an entry: arguments and results with dtypes and shapes."""

    def line(argument: Argument, label: str) -> str:
        shape = ", ".join(str(s) for s in argument.sizes)
        form = f" array of shape ({shape}{',' * (len(argument.sizes) == 1)})" if argument.sizes else ""
        return f"        {label}: {argument.dtype.numpy_name(dtype)}{form}"

    scalar = " Arrays broadcast as in NumPy." if face.is_elementwise else ""
    result = structure_text(face.structure, [r.name for r in face.results])
    head = f"{entry}({', '.join(names[a.identifier] for a in face.arguments)}) -> {result}"
    parts = [head, "", f"    `out` takes arrays for the results.{scalar}"]
    parts += ["", "    Arguments:"] if face.arguments else []
    parts += [line(a, names[a.identifier] if names[a.identifier] == a.name else f"{names[a.identifier]} ({a.name})")
              for a in face.arguments]  # fmt: skip
    parts += ["", "    Results:", *(line(r, r.name) for r in face.results), "    "]
    return "\n".join(parts)


# ---------------------------------------------------------------------------------------------------- elementwise
def elementwise_entry(
    face: Interface, procedure: Procedure, names: Mapping[str, str], entry_names: Mapping[str, str],
    context: Mapping[str, Any], kind: str,
) -> dict[str, Any]:  # fmt: skip
    """What the template of a ufunc module needs."""
    lanes, body = context["lanes"], context["body"]
    value = "lanes" if lanes else "real"
    types = {FLOATING: value, INTEGER: "int64_t", BOOLEAN: "npy_bool"}
    values = [f"result{k}" for k in range(len(face.results))]
    loads, stores = [], []
    stream_loads, stream_stores = [], []
    for position, operand in enumerate((*face.arguments, *face.results)):
        at = f"operands[{position}] + i * steps[{position}]"
        output = position >= len(face.arguments)
        name = values[position - len(face.arguments)] if output else ""
        if lanes and output:
            stores.append(f"store({at}, steps[{position}], active, {name})")
            stream_stores.append(f"store_dense(at[{position}] + v * apart[{position}], {name})")
        elif lanes:
            loads.append(f"load({at}, steps[{position}], active)")
            stream_loads.append(f"load_dense(at[{position}] + v * apart[{position}])")
        elif output:
            stores.append(f"(<{types[operand.dtype]}*>({at}))[0] = {name}")
        else:
            loads.append(f"(<{types[operand.dtype]}*>({at}))[0]")
    declarations = [f"cdef {types[r.dtype]} {name}" for r, name in zip(face.results, values, strict=True)]
    addresses = [f"&{name}" for name in values]
    entry_results = context["entry_results"]
    scalars = []
    tests = ["out is None"]
    for argument in face.arguments:
        name = entry_names[argument.identifier]
        tests.append(f"is_truth({name})" if argument.dtype is BOOLEAN else f"is_number({name})")
        text = f"{SCALARS[argument.dtype]}({name}, {argument.name!r})"
        scalars.append(f"splat({text})" if lanes else text)
    leaves = [f"first({r})" if lanes else f"{r} != 0" if k.dtype is BOOLEAN else r
              for r, k in zip(entry_results, face.results, strict=True)]  # fmt: skip
    convert = []
    for argument in face.arguments:
        name, dtype = entry_names[argument.identifier], argument.dtype.numpy_name(context["dtype"])
        convert += [f"if not is_array({name}, {numpy_kind(argument, kind)}):",
                    f"    {name} = as_operand({name}, {dtype!r}, {argument.name!r})"]  # fmt: skip
    operands = ", ".join(entry_names[a.identifier] for a in face.arguments)
    if context["operands"] <= 64:
        call = f"results = call_ufunc(ufunc, ({operands},), out, {len(values)}, {face.name!r})"
    else:
        dtypes = [o.dtype.numpy_name(context["dtype"]) for o in (*face.arguments, *face.results)]
        call = f"results = call_loop(broadcast_operands(({operands},), {dtypes!r}, {face.name!r}), out)"
    general = [*convert, call]
    if lanes:
        flat = f"results = call_flat(({operands},), out)"
        general = [flat, "if results is None:", *("    " + line for line in general)]
    lines = [
        *(f"cdef {types[r.dtype]} {name}" for r, name in zip(face.results, entry_results, strict=True)),
        f"if {' and '.join(tests)}:",
        f"    {body}({', '.join([*scalars, *(f'&{r}' for r in entry_results)])})",
        f"    return {structure_text(face.structure, leaves)}",
        *general,
        f"return {structure_text(face.structure, [f'results[{i}]' for i in range(len(values))])}",
    ]
    return {
        "body_parameters": ", ".join(body_parameters(face, procedure, names, lanes).values()),
        "loop_declarations": declarations,
        "loop_call": ", ".join([*loads, *addresses]), "loop_stores": stores, "entry_lines": lines,
        "stream_call": ", ".join([*stream_loads, *addresses]), "stream_stores": stream_stores,
        "floating_kind": kind, "types": [numpy_kind(o, kind) for o in (*face.arguments, *face.results)],
    }  # fmt: skip


def body_parameters(face: Interface, procedure: Procedure, names: Mapping[str, str], lanes: bool) -> dict[str, str]:
    """Printed name of each parameter of a body to its declaration."""
    declared: dict[str, str] = {}
    if face.is_elementwise:
        types = {FLOATING: "lanes" if lanes else "real", INTEGER: "int64_t", BOOLEAN: "npy_bool"}
        for argument in face.arguments:
            declared[names[argument.identifier]] = f"{types[argument.dtype]} {names[argument.identifier]}"
        for result in face.results:
            declared[names[result.identifier]] = f"{types[result.dtype]}* {names[result.identifier]}"
        return declared
    for size in procedure.sizes:
        declared[names[size.name]] = f"int64_t {names[size.name]}"
    for parameter in procedure.inputs:
        form = f"const_{POINTERS[parameter.dtype]}" if isinstance(parameter, Array) else TYPES[parameter.dtype]
        declared[names[parameter.name]] = f"{form} {names[parameter.name]}"
    for array in procedure.outputs:
        declared[names[array.name]] = f"{POINTERS[array.dtype]} {names[array.name]}"
    return declared


# --------------------------------------------------------------------------------------------------------- arrays
def array_entry(
    face: Interface, procedure: Procedure, names: Mapping[str, str], entry_names: Mapping[str, str],
    context: Mapping[str, Any], kind: str,
) -> dict[str, Any]:  # fmt: skip
    """What the template of a module with arrays needs."""
    sizes = {symbol: entry_names[name] for symbol, name in face.sizes.items()}
    results = context["entry_results"]
    lines: list[str] = []
    for argument in face.arguments:
        lines += _take(argument, entry_names, kind)
    lines += _size_lines(face, sizes, entry_names, results)
    printer = Printer(dialect(context["dtype"]), entry_names)
    lines += _index_checks(face, procedure, printer, entry_names)
    lines += _result_lines(face, sizes, results, entry_names, kind)
    call = [sizes[s] for s in face.sizes if face.sizes[s] in {v.name for v in procedure.sizes}]
    for argument in face.arguments:
        name = entry_names[argument.identifier]
        call.append(f"<const_{POINTERS[argument.dtype]}>data_of({name})" if argument.is_array
                    else entry_names[f"{argument.identifier} number"])  # fmt: skip
    for result, name in zip(face.results, results, strict=True):
        call.append(f"<{POINTERS[result.dtype]}>data_of({name})" if result.is_array else f"&{name}_number")
    lines += _launch(f"{context['body']}({', '.join(call)})", procedure, sizes, bool(context["arena"]))
    lines += _finish(face, results, kind)
    parameters = body_parameters(face, procedure, names, False).values()
    return {"body_parameters": ", ".join(parameters), "entry_lines": lines}


def _take(argument: Argument, names: Mapping[str, str], kind: str) -> list[str]:
    name = names[argument.identifier]
    if not argument.is_array:
        number = names[f"{argument.identifier} number"]
        return [f"cdef {TYPES[argument.dtype]} {number} = {SCALARS[argument.dtype]}({name}, {argument.name!r})"]
    number, rank = numpy_kind(argument, kind), len(argument.sizes)
    return [
        f"if not is_plain({name}, {number}, {rank}):",
        f"    {name} = as_array({name}, {DTYPES[number]!r}, {rank}, {argument.name!r}, {argument.expected!r})",
    ]


def _index_checks(
    face: Interface, procedure: Procedure, printer: Printer, names: Mapping[str, str]
) -> list[str]:
    lines = []
    shown = {a.identifier: a.name for a in face.arguments}
    for check in procedure.index_checks:
        low, high = printer.expression(check.low), printer.expression(check.high)
        name = names[check.input.name]
        if isinstance(check.input, Array):
            lines += [f"if not within({name}, {low}, {high}):",
                      f"    check_indices({name}, {low}, {high}, {shown[check.input.name]!r})"]  # fmt: skip
        else:
            number = names[f"{check.input.name} number"]
            lines += [f"if not {low} <= {number} <= {high}:",
                      f"    refuse_index({number}, {low}, {high}, {shown[check.input.name]!r})"]  # fmt: skip
    return lines


def _size_lines(
    face: Interface, sizes: Mapping[str, str], names: Mapping[str, str], results: Sequence[str]
) -> list[str]:
    def dimension(place: Any) -> str:
        argument, axis = face.shape_of(place)
        return f"size_along({names[argument.identifier]}, {axis})"

    lines = []
    for rule in face.plan.definitions:
        name, found = sizes[rule.name], dimension(rule.place)
        if rule.coefficient == 1 and rule.remainder == 0:
            lines.append(f"cdef int64_t {name} = {found}")
            continue
        top, bottom = rule.coefficient.numerator, rule.coefficient.denominator
        rest = size_text(rule.remainder, sizes)
        lines.append(f"cdef int64_t {name} = ({found} - {rest})*{bottom}//{top}")
        lines.append(f"if {name} < 0 or {name}*{top} != ({found} - {rest})*{bottom}:")
        lines.append(f"    mismatch({rule.message!r}, {found})")
    for check in face.plan.checks:
        found, expected = dimension(check.place), size_text(check.size, sizes)
        witness = "" if check.witness is None else f", {dimension(check.witness)}"
        lines.append(f"if {found} != {expected}:")
        lines.append(f"    mismatch({check.message!r}, {found}, {expected}{witness})")
    return lines


def _result_lines(
    face: Interface, sizes: Mapping[str, str], results: Sequence[str], names: Mapping[str, str], kind: str
) -> list[str]:
    given = [f"{name}_out" for name in results]
    lines = []
    if len(results) == 1:
        lines += [f"{given[0]} = out", "if isinstance(out, (tuple, list, dict)):",
                  f"    {given[0]} = flat_out(out, 1)[0]"]  # fmt: skip
    else:
        lines += ["if out is None:", f"    {' = '.join(given)} = None", "else:",
                  f"    {', '.join(given)} = flat_out(out, {len(given)})"]  # fmt: skip
    arrays = [names[a.identifier] for a in face.arguments if a.is_array]
    for result, name, target in zip(face.results, results, given, strict=True):
        if not result.is_array:
            lines.append(f"cdef {MEMORY[result.dtype]} {name}_number")
            continue
        number, rank = numpy_kind(result, kind), len(result.sizes)
        shape = [size_text(s, sizes) for s in result.sizes]
        lines.append(f"cdef npy_intp[{rank}] {name}_shape")
        lines += [f"{name}_shape[{i}] = {text}" for i, text in enumerate(shape)]
        lines += [f"{name} = {target}", f"if {name} is None:",
                  f"    {name} = PyArray_SimpleNew({rank}, {name}_shape, {number})",
                  f"elif not fits({name}, {number}, {rank}, {name}_shape):",
                  f"    refuse_out({name}, {result.name!r}, {DTYPES[number]!r}, ({', '.join(shape)},))"]  # fmt: skip
        if arrays:
            lines += [f"elif {' or '.join(f'overlap({name}, {a})' for a in arrays)}:",
                      f"    {name} = PyArray_SimpleNew({rank}, {name}_shape, {number})"]  # fmt: skip
        arrays.append(name)
    return lines


def _launch(call: str, procedure: Procedure, sizes: Mapping[str, str], checked: bool) -> list[str]:
    work = work_estimate(procedure, sizes)
    lines = [f"status = {call}" if checked else call]
    if checked:
        lines = ["cdef int status", *lines]
    if work:
        lines = [f"cdef PyThreadState* state = release_threads({work})", *lines, "restore_threads(state)"]
    if checked:
        lines += ["if status:", '    raise MemoryError("no memory for intermediate arrays")']
    return lines


def work_estimate(procedure: Procedure, sizes: Mapping[str, str]) -> str:
    """An upper bound of the operations of a call, as an expression; "" for what is too little to release the lock."""
    constant = 1 + len(operations(procedure))
    loops = [s for s in walk([procedure.body]) if isinstance(s, For)]
    for loop in loops:
        if isinstance(loop.stop, Literal) and isinstance(loop.start, Literal):
            constant *= max(1, int(str(loop.stop.value)) - int(str(loop.start.value)))
    constant = min(constant, 10**9)
    if not sizes or not loops:
        return f"{constant}" if constant > 20000 else ""
    return " * ".join([f"{float(constant)}", *dict.fromkeys(sizes.values())])


def _finish(face: Interface, results: Sequence[str], kind: str) -> list[str]:
    lines, leaves = [], []
    for result, name in zip(face.results, results, strict=True):
        target, number = f"{name}_out", numpy_kind(result, kind)
        if result.is_array:
            lines += [f"if {target} is not None and {name} is not {target}:",
                      f"    copy_array({target}, {name})", f"    {name} = {target}"]  # fmt: skip
        else:
            value = f"{name}_number != 0" if result.dtype is BOOLEAN else f"{name}_number"
            lines += [f"{name} = {value}", f"if {target} is not None:",
                      f"    if not fits({target}, {number}, 0, NULL):",
                      f"        refuse_out({target}, {result.name!r}, {DTYPES[number]!r}, ())",
                      f"    {target}[()] = {name}", f"    {name} = {target}"]  # fmt: skip
        leaves.append(name)
    return [*lines, f"return {structure_text(face.structure, leaves)}"]


def scratch(procedure: Procedure) -> list[Alloc]:
    """The Allocs of a procedure."""
    return [s for s in walk([procedure.body]) if isinstance(s, Alloc)]
