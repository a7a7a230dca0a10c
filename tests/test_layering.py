"""Imports point one way. The contracts are in pyproject.toml, under [tool.importlinter]."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {"symgraph": "symgraph", "symgraph.codegen": "codegen", "symgraph.templates": "templates"}


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with the package laid out as an installation has it: codegen and templates inside symgraph."""
    for name, folder in PACKAGES.items():
        shutil.copytree(
            ROOT / folder, tmp_path.joinpath(*name.split(".")), ignore=shutil.ignore_patterns("__pycache__")
        )
    return tmp_path


def test_import_contracts_hold(installed: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    result = subprocess.run(
        [
            sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()",
            str(ROOT / "pyproject.toml"), "--no-cache",
        ],
        cwd=installed, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """(level, module) of each import in a file; level counts the leading dots."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.level, node.module or ""


def python_files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def test_the_code_generator_is_never_imported_by_its_folder_name() -> None:
    folders = ("symgraph", "codegen", "templates", "tests", "examples", "benchmarks")
    bad = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in python_files(*folders)
        for level, module in imports(path)
        if level == 0 and module.split(".")[0] in {"codegen", "templates"}
    ]
    assert not bad, "import symgraph.codegen and symgraph.templates, never the folders"


def test_the_code_generator_imports_symgraph_by_relative_names() -> None:
    bad = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in python_files("codegen", "templates")
        for level, module in imports(path)
        if level == 0 and module.split(".")[0] == "symgraph"
    ]
    assert not bad


@pytest.mark.parametrize("module", ["numba", "Cython", "scipy.optimize", "jinja2", "click", "rich", "lark"])
def test_importing_symgraph_does_not_load(module: str) -> None:
    """What one use needs is imported at that use: `import symgraph` costs little beyond SymPy and NumPy."""
    code = f"import sys, symgraph; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_modules_are_of_one_concept() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in python_files("symgraph", "codegen", "templates")
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert not long, "a module over 400 lines holds two concepts"


def test_an_installation_holds_every_package_and_file() -> None:
    """What pyproject.toml lists is what the folders hold; an editable installation would not notice a gap."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        settings = tomllib.load(file)["tool"]["setuptools"]
    found, left_out = set(), []
    for name, folder in PACKAGES.items():
        patterns = settings["package-data"].get(name, [])
        data = {path for pattern in patterns for path in (ROOT / folder).glob(pattern)}
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_dir() or "__pycache__" in path.parts or path.suffix in {".pyc", ".so"}:
                continue
            if path.suffix == ".py":
                found.add(".".join((name, *path.parent.relative_to(ROOT / folder).parts)))
            elif path not in data:
                left_out.append(str(path.relative_to(ROOT)))
    assert sorted(found) == sorted(settings["packages"])
    assert not left_out, "no pattern of [tool.setuptools.package-data] covers these"
