"""SOURCE: from what a user names to a Function. Only ``file.py:name`` and ``package.module:name`` run code."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..capture.formula_inputs import Declaration
    from ..function import Function
    from ..node import Node

__all__ = ["Loaded", "load_source", "source_options"]

_LONGEST_LABEL = 300


@dataclass(frozen=True)
class Loaded:
    """A model from the command line.

    Attributes
    ----------
    function:
        The model.
    label:
        How the source is written in headers: no folder, no absolute path.
    dtype:
        The floating type that the declarations ask for, if they agree on one.
    """

    function: Function
    label: tuple[str, ...]
    dtype: str | None


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The argument and the options that name a model."""
    for decorate in (
        click.option("-i", "--input", "inputs", multiple=True, metavar="DECLARATION",
                     help="Inputs in order, with type and shape: 'x: f64[n,3], k: i64'. Repeatable."),
        click.option("-e", "--expression", "formulas", multiple=True, metavar="FORMULA",
                     help="A formula; repeatable, later ones may use names of earlier ones."),
        click.argument("source", required=False),
    ):  # fmt: skip
        command = decorate(command)
    return command


def load_source(
    source: str | None, formulas: Sequence[str], inputs: Sequence[str], name: str | None = None
) -> Loaded:
    """The model that SOURCE, or the formulas, stand for.

    Raises
    ------
    click.UsageError
        Neither or both are given, or the source does not exist.
    SymgraphError
        The model cannot be read.
    """
    from ..capture.formula_inputs import declare

    declarations = declare(inputs)
    if (source is None) == (not formulas):
        raise click.UsageError("give either SOURCE or formulas with -e" + (", not both" if formulas else ""))
    if source is None:
        function = _from_formulas(formulas, declarations, name, "formula")
        label = tuple(part for formula in formulas for part in ("-e", _shortened(formula)))
    elif source == "-":
        function = _from_formulas([sys.stdin.read()], declarations, name, "standard input")
        label = ("-",)
    else:
        function, label = _from_named(source, declarations, name)
    declared = tuple(part for text in inputs for part in ("-i", text))
    return Loaded(function, (*label, *declared), _common_width(declarations))


def _shortened(formula: str) -> str:
    text = " ".join(formula.split())
    return text if len(text) <= _LONGEST_LABEL else f"{text[:_LONGEST_LABEL]}..."


def _common_width(declarations: Sequence[Declaration]) -> str | None:
    widths = {d.width for d in declarations if d.width is not None}
    if len(widths) > 1:
        raise click.UsageError("inputs are declared as f32 and as f64: a package computes in one type, see --dtype")
    return widths.pop() if widths else None


def _from_formulas(
    texts: Sequence[str], declarations: Sequence[Declaration], name: str | None, origin: str
) -> Function:
    from ..capture.formula import graph_from_formulas
    from ..function import Function

    graph = graph_from_formulas(texts, declarations, origin=origin)
    if name is not None and graph.outputs[-1].name.startswith("result"):
        graph = graph_from_formulas(texts, declarations, name=name, origin=origin)  # no formula has a name of its own
    return Function(graph)


def _from_named(
    source: str, declarations: Sequence[Declaration], name: str | None
) -> tuple[Function, tuple[str, ...]]:
    place, separator, attribute = source.rpartition(":")
    if separator and place and attribute.replace(".", "").isidentifier():
        is_file = place.endswith(".py")
        module = _run_file(Path(place)) if is_file else _import(place)
        function = _as_function(_attribute(module, source, attribute), source, attribute.rpartition(".")[2], name)
        return _arranged(function, declarations), (f"{Path(place).name if is_file else place}:{attribute}",)
    path = Path(source)
    if source.endswith(".py"):
        raise click.UsageError(f"{source} is a Python file: name the model in it, as in {source}:model")
    if not path.is_file():
        hint = "a formula is given with -e" if any(c in source for c in "+*/()= ") else "expected a file or module:name"
        raise click.UsageError(f"there is no file {source!r}; {hint}")
    if path.suffix == ".json":
        from ..function import load_function

        return _arranged(load_function(path), declarations), (path.name,)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise click.UsageError(f"{source} is no text file") from None
    return _from_formulas([text], declarations, name, path.name), (path.name,)


def _run_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise click.UsageError(f"there is no file {str(path)!r}")
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module  # what dataclasses and pickles in the file look for
    sys.path.insert(0, str(path.parent))
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    except Exception as error:  # the file is the user's own program, which may raise anything
        raise click.UsageError(f"running {path} failed: {_said(error, str(path))}") from error
    finally:
        sys.path.remove(str(path.parent))
    return module


def _import(name: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except Exception as error:  # the module is the user's own program, which may raise anything
        raise click.UsageError(f"importing {name} failed: {_said(error, '')}") from error
    finally:
        sys.path.remove(str(Path.cwd()))


def _said(error: Exception, file: str) -> str:
    line, trace = "", error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = f" (line {trace.tb_lineno})"
        trace = trace.tb_next
    return f"{type(error).__name__}: {error}{line}"


def _attribute(module: ModuleType, source: str, attribute: str) -> Any:
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            from ..capture.formula_syntax import suggest

            known = [n for n in dir(found) if not n.startswith("_")]
            raise click.UsageError(f"{source}: there is no {part!r}{suggest(part, known)}")
        found = getattr(found, part)
    return found


def _as_function(found: Any, source: str, attribute: str, name: str | None) -> Function:
    from ..function import Function, function

    if isinstance(found, Function):
        return found
    if callable(found) and not hasattr(found, "free_symbols"):
        raise click.UsageError(f"{source} is a {type(found).__name__}: expected a SymPy expression, Matrix, dict or "
                               "tuple of outputs, or a symgraph Function")  # fmt: skip
    return function(found, name=name or attribute)


def _arranged(function: Function, declarations: Sequence[Declaration]) -> Function:
    """The inputs in the declared order; declared types and shapes must be those of the model."""
    from dataclasses import replace

    from ..errors import ModelError, ShapeError
    from ..function import Function

    if not declarations:
        return function
    graph = function.graph
    by_name = {node.data: k for k, node in enumerate(graph.inputs)}
    order: list[int] = []
    for declaration in declarations:
        if declaration.name not in by_name:
            raise ModelError(f"there is no input {declaration.name!r}: the inputs are {', '.join(by_name)}")
        node = graph.inputs[by_name[declaration.name]]
        found, expected = _described(declaration.node), _described(node)
        if found != expected:
            raise ShapeError(f"input {declaration.name} is declared as {found}, the model has {expected}")
        order.append(by_name[declaration.name])
    order += [k for k in range(len(graph.inputs)) if k not in order]
    arranged = replace(graph, inputs=tuple(graph.inputs[k] for k in order))
    return Function(arranged, [function.symbols[k] for k in order])


def _described(node: Node) -> str:
    return f"{node.dtype.name.lower()}[{', '.join(str(axis.size) for axis in node.axes)}]"
