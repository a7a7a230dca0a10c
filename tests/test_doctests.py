"""The examples in docstrings run. They may take `np`, `sp` and `sg` for granted."""

from __future__ import annotations

import doctest
import importlib
import inspect
from pathlib import Path

import pytest

import symgraph as sg
from tests.snippets import NAMES, OPTIONS

ROOT = Path(__file__).parents[1]
PACKAGES = {"symgraph": "symgraph", "symgraph.codegen": "codegen", "symgraph.templates": "templates"}


def module_names() -> list[str]:
    names = []
    for package, folder in PACKAGES.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            if parts[-1] != "__main__":
                names.append(".".join([package, *(part for part in parts if part != "__init__")]))
    return names


@pytest.mark.parametrize("name", module_names())
def test_examples_of(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs=NAMES, optionflags=OPTIONS).failed == 0


@pytest.mark.parametrize("name", [name for name in sg.__all__ if not name.startswith("_")])
def test_public_names_are_explained_with_an_example(name: str) -> None:
    value = getattr(sg, name)
    assert inspect.getdoc(value)
    if callable(value):
        assert ">>>" in (value.__doc__ or ""), f"{name} has no example"
