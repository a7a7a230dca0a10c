"""show, explain, verify, cache and doctor."""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path

import pytest

doctor_module = importlib.import_module("symgraph.cli.doctor")


def test_show_a_derivative(run):
    result = run("show", "-e", "x**2*y", "-d", "grad", "-w", "x")
    assert result.stdout.splitlines()[0] == "grad_f(x, y):"
    assert "2*" in result.stdout


def test_show_in_other_formats(run):
    assert run("show", "-e", "x**y", "-f", "latex").stdout == "result = x^{y}\n"
    assert "digraph" in run("show", "-e", "x*y", "-f", "dot").stdout
    assert run("show", "-e", "x < y", "-f", "mermaid").stdout.startswith("flowchart TD\n")
    assert json.loads(run("show", "-e", "x*y", "-f", "json").stdout)["format"] == "symgraph graph"


def test_show_a_jacobian_of_two_outputs_as_latex(run):
    result = run("show", "model.py:pair", "-f", "latex")
    assert result.stdout == "s = x + y\np = x y\n"


def test_explain_counts(run):
    result = run("explain", "-e", "(x + y)*z")
    assert result.exit_code == 0
    assert "f: 3 inputs, 1 outputs" in result.stdout
    assert "2 operations" in result.stdout


def test_verify_a_formula(run):
    result = run("verify", "-e", "exp(-x**2)*y", "--json")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert report["passed"]
    kernels = {row["kernel"] for row in report["checks"]}
    assert kernels == {"value", "grad", "value_and_grad"}
    assert all(row["error"] <= row["limit"] for row in report["checks"])


def test_verify_in_single_precision(run):
    result = run("verify", "-e", "sin(x)*y", "--dtype", "float32", "-d", "value,grad")
    assert result.exit_code == 0
    assert result.stdout.startswith("ok ")


def test_verify_fails_where_a_derivative_is_wrong(run, monkeypatch):
    from symgraph import simplify as s
    from symgraph.derive import transforms

    honest = transforms.gradients
    monkeypatch.setattr(transforms, "gradients", lambda seeds, wrt: [s.mul(g, g) for g in honest(seeds, wrt)])
    result = run("verify", "-e", "x**3", "-d", "value,grad")
    assert result.exit_code == 3  # no point at which the interpreter itself passes
    assert "no point was found" in result.stderr


def test_verify_measures_errors_and_says_where_digits_are_lost(run):
    options = ("--domain", "x=1:2", "--domain", "y=1:2", "--points", "40", "--json", "-d", "value,grad")
    result = run("verify", "-e", "x**3 - y**3*exp(x)", *options)
    report = json.loads(result.stdout)["accuracy"]
    assert [row["output"] for row in report["rows"]] == ["result", "dresult_dx", "dresult_dy"]
    assert all(row["points"] == 40 and 1 <= row["point"]["x"] <= 2 for row in report["rows"])
    shown = run("verify", "-e", "x**3 - y**3*exp(x)", *options[:-3], "-d", "value,grad")
    assert "errors in ulp" in shown.stdout and "worst at" in shown.stdout


def test_verify_fails_above_a_limit(run):
    result = run("verify", "-e", "x*y", "--points", "20", "--max-ulp", "0.5", "-d", "value")
    assert result.exit_code == 0
    result = run("verify", "-e", "x*y", "--points", "20", "--max-ulp", "0.01", "-d", "value")
    assert result.exit_code == 1
    assert "result is off by 0." in result.stderr and "more than 0.01" in result.stderr


@pytest.mark.parametrize("text", ["x", "x=1", "x=a:b", "x=1:"])
def test_a_domain_has_two_ends(run, text):
    result = run("verify", "-e", "x*y", "--domain", text)
    assert result.exit_code == 2 and "write NAME=LOW:HIGH" in result.stderr


def test_a_domain_is_for_an_input_of_a_model(run):
    assert "a domain is given for q" in run("verify", "-e", "x*y", "--domain", "q=0:1").stderr
    Path("package").mkdir()
    result = run("verify", "package", "--points", "3")
    assert result.exit_code == 2 and "--points is for models" in result.stderr


def test_verify_a_folder_without_a_package(run):
    Path("empty").mkdir()
    result = run("verify", "empty")
    assert result.exit_code == 3
    assert "no generated package" in result.stderr


def test_the_cache(run, monkeypatch, tmp_path):
    monkeypatch.setenv("SYMGRAPH_CACHE_DIR", str(tmp_path / "kernels of mine"))
    assert run("cache", "dir").stdout.strip() == str(tmp_path / "kernels of mine")
    assert json.loads(run("cache", "info", "--json").stdout) == {
        "folder": str(tmp_path / "kernels of mine"), "kernels": 0, "bytes": 0,
    }  # fmt: skip
    run("verify", "-e", "x + 7", "-d", "value")
    assert ": 1 kernel, " in run("cache", "info").stdout
    assert run("cache", "clear").stdout == "1 kernel removed\n"
    assert ": 0 kernels, " in run("cache", "info").stdout


def test_doctor_builds_a_kernel(run):
    result = run("doctor", "--json")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert report["kernel"].startswith("works")
    assert report["symgraph"] and report["compiler"] and "doubles" in report["lanes"]
    assert "SYMGRAPH_CACHE_DIR" in os.environ


def test_doctor_without_a_compiler(run, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CC", "no-such-compiler")
    result = run("doctor")
    assert result.exit_code == 4
    assert "none: install gcc or clang" in result.stdout


@pytest.mark.parametrize("flags", ["avx512f avx2", "avx2", ""])
def test_vector_width_by_flags(monkeypatch, tmp_path, flags):
    file = tmp_path / "cpuinfo"
    file.write_text(f"flags : {flags}\n", encoding="utf-8")
    monkeypatch.setattr(doctor_module, "Path", lambda _: file)
    expected = {"avx512f avx2": "8 doubles", "avx2": "4 doubles", "": "2 doubles"}[flags]
    assert doctor_module._lanes().startswith(expected)
