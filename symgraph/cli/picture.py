"""Options of ``symgraph show`` that write pictures to files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import ModelError, ToolchainError

if TYPE_CHECKING:
    from ..function import Function

__all__ = ["picture_options", "write_pictures"]

FORMS = {
    "html": "a page to click through", "svg": "a picture", "png": "a picture of pixels", "dot": "Graphviz",
    "text": "one line per value",
}  # fmt: skip


def picture_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options ``--html``, ``--svg``, ``--png``, ``--dot``, ``--text`` and ``--at``."""
    for name, what in reversed(FORMS.items()):
        kind = click.Path(dir_okay=False, path_type=Path)
        command = click.option(f"--{name}", type=kind, metavar="FILE", help=f"Write {what}.")(command)
    point = "Numbers for the inputs, for values and adjoints: 'x=1,y=3'. Alone: print them."
    return click.option("--at", metavar="POINT", help=point)(command)


def write_pictures(function: Function, at: str | None, files: Mapping[str, Path | None]) -> None:
    """Write the wanted pictures, and say where; print the values when only a point is given."""
    from ..explore.exploration import explored

    exploration = explored(function, (), _point(at))
    wanted = {name: path for name, path in files.items() if path is not None}
    if not wanted:
        click.echo(exploration.text())
    forms: dict[str, Callable[[], str | bytes]] = {
        "html": exploration.html, "svg": exploration.svg, "png": exploration.png, "dot": exploration.dot,
        "text": exploration.text,
    }  # fmt: skip
    for name, path in wanted.items():
        try:
            written = forms[name]()
        except ImportError as missing:
            raise ToolchainError(str(missing)) from None
        try:
            path.write_bytes(written if isinstance(written, bytes) else written.encode())
        except OSError as error:
            raise ToolchainError(f"the picture cannot be written to {path}: {error.strerror}") from None
        click.echo(path)


def _point(text: str | None) -> dict[str, float]:
    point: dict[str, float] = {}
    for part in (text or "").split(","):
        if not part.strip():
            continue
        name, _, number = part.partition("=")
        try:
            point[name.strip()] = float(number)
        except ValueError:
            raise ModelError(
                f"--at takes name=number, found {part.strip()!r}: write for example x=1,y=3"
            ) from None
    return point
