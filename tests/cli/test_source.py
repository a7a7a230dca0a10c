"""SOURCE in all its forms, and what is said when it is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import symgraph as sg


def test_formulas(run):
    result = run("show", "-e", "p = exp(first)", "-e", "p**second")
    assert result.exit_code == 0
    assert result.stdout == "f(first, second):\n  result = exp(first)**second\n"


def test_a_text_file(run):
    assert run("show", "model.txt").stdout.startswith("E(x, y, z):")


def test_standard_input(run):
    assert run("show", "-", text="g(y, x) = x - y\n").stdout.startswith("g(y, x):")


@pytest.mark.parametrize(
    ("source", "first"),
    [
        ("model.py:loss", "loss(X[n, d], t[n], w[d]):"),
        ("model.py:pair", "pair(x, y):"),
        ("model.py:made", "made(z, y, x):"),
        ("model.py:holder.inner", "inner(x):"),
    ],
)
def test_names_in_a_python_file(run, source, first):
    result = run("show", source)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == first


def test_a_module_in_the_current_folder(run):
    Path("package_of_models").mkdir()
    Path("package_of_models/energy.py").write_text("import sympy\nspring = sympy.Symbol('k')**2\n", encoding="utf-8")
    assert run("show", "package_of_models.energy:spring").stdout.splitlines()[0] == "spring(k):"


def test_a_saved_graph(run):
    Path("saved.json").write_text(run("show", "-e", "x**y", "-f", "json").stdout, encoding="utf-8")
    assert sg.load("saved.json")(2, 3) == 8
    assert run("show", "saved.json").stdout == "f(x, y):\n  result = x**y\n"


def test_declarations_arrange_the_inputs_of_any_source(run):
    result = run("show", "model.py:loss", "-i", "w: f64[d], t: f64[n]")
    assert result.stdout.splitlines()[0] == "loss(w[d], t[n], X[n, d]):"
    result = run("show", "model.py:loss", "-i", "w: f64[n]")
    assert result.exit_code == 3
    assert "input w is declared as floating[n], the model has floating[d]" in result.stderr
    result = run("show", "model.py:loss", "-i", "q")
    assert "there is no input 'q': the inputs are X, t, w" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "give either SOURCE or formulas"),
        (("model.txt", "-e", "x"), 2, "not both"),
        (("missing.txt",), 2, "there is no file 'missing.txt'"),
        (("(x + y)*z",), 2, "a formula is given with -e"),
        (("model.py",), 2, "name the model in it, as in model.py:model"),
        (("missing.py:f",), 2, "there is no file 'missing.py'"),
        (("model.py:los",), 2, "there is no 'los'; did you mean 'loss'?"),
        (("no_such_module:f",), 2, "importing no_such_module failed: ModuleNotFoundError"),
        (("model.py:plain",), 2, "is a function: expected a SymPy expression"),
        (("model.py:number",), 3, "complex"),
        (("-e", "x +"), 2, "column 4"),
        (("-e", "foo(x)"), 3, "unknown function 'foo'"),
        (("-e", "x", "-i", "x: f16"), 2, "unknown type 'f16'"),
        (("-e", "x", "-d", "gard"), 2, "did you mean 'grad'?"),
        (("-e", "x", "-d", "grad", "-w", "y"), 3, "has no input y"),
        (("-e", "x[0]", "-d", "grad", "-i", "x: i64[3]"), 3, "no floating input"),
    ],
)
def test_wrong_sources(run, arguments, code, words):
    result = run("show", *arguments)
    assert result.exit_code == code
    assert words in result.stderr
    assert result.stdout == ""


def test_a_file_that_fails_is_reported_with_its_line(run):
    Path("broken.py").write_text("a = 1\nb = a/0\n", encoding="utf-8")
    result = run("show", "broken.py:b")
    assert result.exit_code == 2
    assert "running broken.py failed: ZeroDivisionError: division by zero (line 2)" in result.stderr


def test_a_file_that_is_no_text(run):
    Path("model.bin").write_bytes(b"\xff\xfe\x00")
    result = run("show", "model.bin")
    assert result.exit_code == 2
    assert "is no text file" in result.stderr


def test_a_hostile_graph_file(run):
    text = json.dumps({"format": "symgraph graph", "nodes": [["__import__('os')"]]})
    Path("bad.json").write_text(text, encoding="utf-8")
    result = run("show", "bad.json")
    assert result.exit_code == 3
    assert result.stderr.startswith("error: ")


def test_formulas_run_no_code(run):
    result = run("show", "-e", "__import__('os').system('touch here')")
    assert result.exit_code == 2
    assert not Path("here").exists()


def test_help_and_version_answer_without_a_model():
    for option, words in (("--help", "codegen"), ("--version", sg.__version__)):
        result = subprocess.run(
            [sys.executable, "-c", "from symgraph.cli import main; main(prog_name='symgraph')", option],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert words in result.stdout
