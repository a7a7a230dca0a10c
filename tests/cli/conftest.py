"""Running commands in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from symgraph.cli import main

Run = Callable[..., Result]

MODEL = """
import sympy as sp
import symgraph as sg

x, y, z = sp.symbols("x y z")
i, j = sp.symbols("i j", integer=True)
n, d = sp.symbols("n d", integer=True, positive=True)
X, w, t = sp.IndexedBase("X", shape=(n, d)), sp.IndexedBase("w", shape=(d,)), sp.IndexedBase("t", shape=(n,))
loss = sp.Sum((sp.Sum(X[i, j]*w[j], (j, 0, d - 1)) - t[i])**2, (i, 0, n - 1))/n
pair = {"s": x + y, "p": x*y}
made = sg.function((x + y)*z, inputs=[z, y, x], name="made")
number = 3j


class holder:
    inner = x**2


def plain():
    return 1
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``symgraph ARGUMENTS`` in an empty folder that holds model.py and model.txt."""
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(MODEL, encoding="utf-8")
    Path("model.txt").write_text("# two lines\np = x + y\nE = p*z   # energy\n", encoding="utf-8")

    def invoke(*arguments: str, text: str | None = None) -> Result:
        return CliRunner().invoke(main, list(arguments), input=text, catch_exceptions=False, prog_name="symgraph")

    return invoke
