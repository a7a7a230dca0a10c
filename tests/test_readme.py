"""The README tells the truth: its snippets run, its commands parse, and the files it names exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from symgraph.cli import main
from tests.snippets import run_page

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


def test_snippets() -> None:
    results = run_page(README)
    assert results.attempted > 8
    assert results.failed == 0


def test_two_commands_set_up_and_run_from_a_fresh_machine() -> None:
    """.ci/run takes these two lines from the README and runs them as they stand."""
    commands = re.findall(r"^python3 -m venv .*$", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert [command.split("&&")[-1].strip() for command in commands] == [
        ".venv/bin/python examples/quickstart.py",
        ".venv/bin/python -m pytest -n 2",
    ]


def test_named_files_exist() -> None:
    text = README.read_text(encoding="utf-8")
    for name in re.findall(r"`(\w+\.py)`", text):
        assert (ROOT / "examples" / name).is_file(), name


def test_commands_of_the_command_line_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every `symgraph ...` line runs, in the order in which it stands; writing comes before verifying."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^symgraph .*$", "".join(blocks), re.MULTILINE)
    assert len(lines) >= 6
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for line in lines:
        arguments = shlex.split(line, comments=True)[1:]
        result = CliRunner().invoke(main, arguments)
        expected = 1 if "--check" in arguments else 0  # nothing has been written that could be up to date
        assert result.exit_code == expected, f"{line}\n{result.output}"
