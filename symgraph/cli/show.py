"""``symgraph show``: a model or one of its derivatives as text, LaTeX, JSON or a diagram."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .derivatives import derivative_options, split_list
from .picture import picture_options, write_pictures
from .report import exit_codes
from .source import load_source, source_options

if TYPE_CHECKING:
    from ..function import Function

__all__ = ["show"]


def _text(function: Function) -> str:
    from ..show import graph_text

    return graph_text(function.graph)


def _latex(function: Function) -> str:
    import sympy as sp

    flat = _flat(function.to_sympy())
    names = [output.name for output in function.graph.outputs]
    return "\n".join(
        rf"{sp.latex(sp.Symbol(name))} = {sp.latex(expression)}" for name, expression in zip(names, flat, strict=True)
    )


def _flat(structure: object) -> list[object]:
    if isinstance(structure, dict):
        return [leaf for part in structure.values() for leaf in _flat(part)]
    if isinstance(structure, tuple):
        return [leaf for part in structure for leaf in _flat(part)]
    return [structure]


def _json(function: Function) -> str:
    from ..storage import dumps

    return dumps(function.graph)


def _dot(function: Function) -> str:
    from .diagram import dot

    return dot(function.graph)


def _mermaid(function: Function) -> str:
    from .diagram import mermaid

    return mermaid(function.graph)


FORMATS: dict[str, Callable[[Function], str]] = {
    "text": _text, "latex": _latex, "json": _json, "dot": _dot, "mermaid": _mermaid,
}  # fmt: skip


@click.command()
@source_options
@derivative_options
@click.option("-f", "--format", "form", type=click.Choice(list(FORMATS)), default="text", show_default=True)
@picture_options
@exit_codes
def show(
    source: str | None, formulas: tuple[str, ...], inputs: tuple[str, ...], wrt: str | None, derive: str | None,
    form: str, at: str | None, **pictures: Path | None,
) -> None:  # fmt: skip
    """Print a model, or with -d a derivative of it; or write its picture to a file."""
    from ..verify import KINDS

    loaded = load_source(source, formulas, inputs)
    names = split_list(wrt)
    by = None if not names else names[0] if len(names) == 1 else tuple(names)
    kinds = split_list(derive) or ["value"]
    if at is not None or any(pictures.values()):
        write_pictures(KINDS[kinds[0]](loaded.function, by), at, pictures)
        return
    for kind in kinds:
        click.echo(FORMATS[form](KINDS[kind](loaded.function, by)))
