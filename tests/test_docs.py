"""The documentation tells the truth: it mentions every public name, and the options that it shows exist.

Building it, which runs the tutorial, takes a minute and is a step of .ci/run.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import symgraph as sg
from symgraph.cli import main
from symgraph.ops import BUILT_IN, OPS
from tests.snippets import run_page

DOCS = Path(__file__).parents[1] / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in sg.__all__ if name not in {"__version__", "errors"}])
def test_the_api_page_lists(name: str) -> None:
    assert re.search(rf"auto(function|class):: {name}(\(\))?$", page("api.md"), re.MULTILINE)


def test_every_page_is_in_the_contents() -> None:
    contents = re.findall(r"^(\w+)$", page("index.md"), re.MULTILINE)
    assert sorted(contents) == sorted(path.stem for path in DOCS.glob("*.md") if path.stem != "index")


def test_the_table_of_functions_has_every_operation() -> None:
    cell = re.findall(r"^```{code-cell} ipython3\n:tags: .*?\n\n(.*?)^```", page("functions.md"), re.M | re.S)[0]
    names: dict[str, Any] = {}
    exec(cell, names)
    rows = names["lines"][2:]
    assert [row.split("`")[1] for row in rows] == sorted(BUILT_IN, key=list(OPS).index)
    assert not [row for row in rows if "—" in row], "an operation that no target has would be new"


def test_options_on_the_command_line_page_exist() -> None:
    help_text = CliRunner().invoke(main, ["codegen", "--help"]).output
    options = re.findall(r"`(--?\w[\w-]*)", page("cli.md"))
    assert len(options) > 8
    for option in options:
        assert re.search(rf"(^|[\s,]){re.escape(option)}\b", help_text), option


def test_commands_on_the_command_line_page_exist() -> None:
    help_text = CliRunner().invoke(main, ["--help"]).output
    for command in set(re.findall(r"^symgraph (\w+)", page("cli.md"), re.MULTILINE)):
        assert re.search(rf"^\s+{command}\b", help_text, re.MULTILINE), command


@pytest.mark.parametrize("name", [path.name for path in sorted(DOCS.glob("*.md")) if ">>>" in path.read_text("utf-8")])
def test_snippets_of(name: str) -> None:
    assert run_page(DOCS / name).failed == 0
