"""Jinja at the border: skeletons of emitted files are `symgraph.templates`, text of statements is the printer's."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2

__all__ = ["render", "template_text"]


def _double_backslashes(text: str) -> str:
    """C text as it must stand in a string literal."""
    return text.replace("\\", "\\\\")


def _indent_all(text: str, width: int = 4) -> str:
    """Indent every line that is not empty."""
    return "\n".join(" " * width + line if line else line for line in text.splitlines())


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_folder()), undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=False, autoescape=False,
    )  # fmt: skip
    environment.filters.update(
        in_literal=_double_backslashes, indented=_indent_all, quoted=repr, docstring=_docstring_text
    )
    return environment


def _docstring_text(text: str) -> str:
    return _double_backslashes(text).replace('"""', "'''")


def _folder() -> str:
    from .. import templates

    return str(Path(templates.__file__).parent)


def render(template: str, **context: Any) -> str:
    """The text of a template of `symgraph.templates`.

    >>> context = dict(lanes=False, lane_loops=False, elementwise=False)
    >>> render("cython/number.h.jinja", real="float", **context).splitlines()[-1]
    '#define M(name) name##f'
    """
    return _environment().get_template(template).render(**context)


def template_text(name: str) -> str:
    """A file of `symgraph.templates` as it is."""
    return Path(_folder(), name).read_text(encoding="utf-8").rstrip("\n")
