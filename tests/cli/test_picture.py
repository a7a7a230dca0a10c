"""``symgraph show`` with pictures: files of each form, numbers at a point, and what goes wrong."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from symgraph.cli import main

FORMULA = ("-e", "(x + y)*z")


def show(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["show", *FORMULA, *arguments])


def test_each_form_is_written(tmp_path: Path) -> None:
    files = {form: tmp_path / f"g.{form}" for form in ("html", "svg", "png", "dot", "text")}
    result = show(*(part for form, path in files.items() for part in (f"--{form}", str(path))))
    assert result.exit_code == 0, result.output
    assert result.output.split() == [str(path) for path in files.values()]
    assert files["html"].read_text(encoding="utf-8").startswith("<!doctype html>")
    ElementTree.parse(files["svg"])
    assert files["dot"].read_text(encoding="utf-8").startswith("digraph")
    assert files["text"].read_text(encoding="utf-8").startswith("x\ny\nz\n")


def test_numbers_at_a_point() -> None:
    lines = show("--at", "x=1,y=3,z=-3").output.splitlines()
    assert [line.split()[-2:] for line in lines[1:]] == [
        ["1", "-3"],
        ["3", "-3"],
        ["-3", "4"],
        ["4", "-3"],
        ["-12", "1"],
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--at", "x=1"), "misses the argument y"),
        (("--at", "x"), "name=number"),
        (("--svg", "/no/folder/g.svg"), "/no/folder"),
    ],
    ids=["missing", "syntax", "folder"],
)
def test_what_is_wrong_is_named(arguments: tuple[str, ...], message: str) -> None:
    result = show(*arguments)
    assert (
        result.exit_code != 0
        and message in result.output.replace("\n", " ")
        and "Traceback" not in result.output
    )
