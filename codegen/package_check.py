"""Build a written package in a temporary folder and run its self-test in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ..errors import ModelError, ToolchainError
from .pipeline import target_named
from .targets import Options

__all__ = ["find_package", "run_selftest"]

_LONGEST = 900  # seconds


def find_package(folder: Path) -> str:
    """The import name of the generated package in a folder.

    Raises
    ------
    ModelError
        There is none, or more than one.
    """
    found = sorted(p.parent.name for p in folder.glob("*/selftest.json"))
    if len(found) != 1:
        what = "no generated package" if not found else f"{len(found)} packages ({', '.join(found)})"
        raise ModelError(f"{folder} holds {what}: give the folder that `symgraph codegen` wrote")
    return found[0]


def run_selftest(folder: Path, name: str) -> tuple[bool, str]:
    """Compile the package in ``folder`` elsewhere, run ``python -m NAME.selftest``, and say whether it passed.

    Returns
    -------
    tuple
        Whether every check passed, and what the self-test printed.

    Raises
    ------
    ToolchainError
        There is no compiler, or it fails.
    """
    metadata = json.loads((folder / name / "metadata.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="symgraph-verify-") as temporary:
        place = Path(temporary, name)
        place.mkdir()
        for path in sorted((folder / name).iterdir()):
            if path.suffix in (".py", ".json", ".pxd"):
                (place / path.name).write_bytes(path.read_bytes())
        options = Options(metadata["dtype"], metadata["exact"], metadata["threads"])
        for path in sorted((folder / name).glob("*.pyx")):
            target_named("cython").build(path.read_text(encoding="utf-8"), path.stem, place, options)
        return _run(Path(temporary), name)


def _run(folder: Path, name: str) -> tuple[bool, str]:
    environment: Mapping[str, str] = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        result = subprocess.run(
            [sys.executable, "-m", f"{name}.selftest"], cwd=folder, env=environment, capture_output=True, text=True,
            encoding="utf-8", timeout=_LONGEST, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ToolchainError(f"the self-test of {name} did not end within {_LONGEST} seconds") from None
    return result.returncode == 0, (result.stdout + result.stderr).rstrip()
