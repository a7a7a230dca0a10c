"""Generated packages: their files, seals and folders, and that they stand alone."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import mpmath
import pytest
import sympy as sp

import symgraph as sg
from symgraph.codegen import package_tree
from symgraph.codegen.build import build_extension, compile_flags
from symgraph.codegen.package import distribution_name
from symgraph.codegen.package_seal import is_sealed, sealed
from symgraph.codegen.package_tree import EditedError, compare_tree, write_tree
from symgraph.errors import ModelError, ToolchainError, UnsupportedError
from symgraph.generate import plan_package

x, y = sp.symbols("x y")
i = sp.Symbol("i", integer=True)
n = sp.Symbol("n", integer=True, positive=True)
v, u = sp.IndexedBase("v", shape=(n,)), sp.IndexedBase("u", shape=(n,))
PRODUCT = sg.function(sp.exp(x) * y, inputs=[x, y], name="product")
WEIGHTED = sg.function(sp.Sum(sp.exp(v[i]) * u[i], (i, 0, n - 1)), inputs=[v, u], name="weighted")


# ---------------------------------------------------------------------------------------------------- seals
@pytest.mark.parametrize("path", ["a.py", "a.pyx", "README.md", "meson.build", "a.json"])
def test_a_seal_breaks_with_any_change(path):
    text = '{"a": [1, 2.5], "ü": "first"}' if path.endswith(".json") else "first\nsecond\n"
    command = "symgraph codegen -e 'x -- y'"
    written = sealed(path, text, "1.0", command, "ab" * 32)
    assert is_sealed(path, written)
    assert written == sealed(path, text, "1.0", command, "ab" * 32)
    for changed in (written + "\n", written.replace("first", "other"), "mine\n" + written, written[:-2], ""):
        assert changed == "" or not is_sealed(path, changed)


def test_texts_of_others_have_no_seal():
    assert not is_sealed("a.py", "print('hello')\n")
    assert not is_sealed("a.json", "{}")
    assert not is_sealed("a.json", "no json")
    assert not is_sealed("a.json", "[1]")
    assert is_sealed("py.typed", "")


# -------------------------------------------------------------------------------------------------------------- folders
FILES = {
    "a.py": sealed("a.py", "a = 1\n", "1.0", "test", "0" * 64),
    "sub/b.py": sealed("sub/b.py", "b = 1\n", "1.0", "test", "0" * 64),
}


def test_a_tree_is_written_and_compared(tmp_path):
    folder = tmp_path / "deep" / "er"
    assert compare_tree(folder, FILES) == {"a.py": "missing", "sub/b.py": "missing"}
    write_tree(folder, FILES)
    assert compare_tree(folder, FILES) == {}
    (folder / "a.py").write_bytes(b"\xff")
    assert compare_tree(folder, FILES) == {"a.py": "edited"}
    with pytest.raises(EditedError, match=r"a\.py in .*edited since generated"):
        write_tree(folder, FILES)
    write_tree(folder, FILES, force=True)
    assert compare_tree(folder, FILES) == {}


@pytest.mark.parametrize("exists", [False, True])
def test_a_full_disk_leaves_everything_as_it_was(tmp_path, monkeypatch, exists):
    folder = tmp_path / "out"
    if exists:
        write_tree(folder, {**FILES, "a.py": sealed("a.py", "a = 0\n", "1.0", "test", "0" * 64)})
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    write_text = Path.write_text

    def failing(self, *arguments, **options):
        if self.name == "b.py":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write_text(self, *arguments, **options)

    monkeypatch.setattr(package_tree.Path, "write_text", failing)
    with pytest.raises(ToolchainError, match="no space left"):
        write_tree(folder, FILES)
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before
    assert folder.exists() == exists


# -------------------------------------------------------------------------------------------------- content
def test_every_file_is_sealed_and_the_bytes_repeat():
    plan = plan_package(WEIGHTED, derive=("value", "grad", "hvp"))
    again = plan_package(WEIGHTED, derive=("value", "grad", "hvp"))
    assert plan.files == again.files
    for path, text in plan.files.items():
        assert is_sealed(path, text), path


def test_metadata_and_self_test_data():
    plan = plan_package(WEIGHTED, derive=("value", "grad"), wrt=["v"])
    metadata = json.loads(plan.files["weighted/metadata.json"])
    assert [k["name"] for k in metadata["kernels"]] == ["weighted", "grad_weighted", "value_and_grad_weighted"]
    assert metadata["kernels"][1]["outputs"][0]["shape"] == ["n"]
    data = json.loads(plan.files["weighted/selftest.json"])
    assert data["wrt"] == ["v"] and len(data["points"]) == 3
    for point in data["points"]:
        with mpmath.workdps(60):
            terms = zip(point["argument"]["v"], point["argument"]["u"], strict=True)
            expected = mpmath.fsum(mpmath.exp(mpmath.mpf(a)) * mpmath.mpf(b) for a, b in terms)
            assert abs(mpmath.mpf(point["value"][0]) / expected - 1) < mpmath.mpf(10) ** -48
            for _, (place,), digits in point["partials"]:
                at = mpmath.mpf(point["argument"]["v"][place])
                exact = mpmath.exp(at) * mpmath.mpf(point["argument"]["u"][place])
                assert abs(mpmath.mpf(digits) / exact - 1) < mpmath.mpf(10) ** -48


def test_names_for_pip():
    assert distribution_name("my_model") == "my-model"
    assert distribution_name("δx").isascii()


def test_what_cannot_be_generated():
    with pytest.raises(UnsupportedError, match="no packages for the target 'fortran'"):
        plan_package(PRODUCT, target="fortran")
    with pytest.raises(UnsupportedError, match="no form 'wheel'"):
        plan_package(PRODUCT, form="wheel")
    with pytest.raises(ModelError, match="unknown derivative 'slope'"):
        plan_package(PRODUCT, derive=("slope",))
    with pytest.raises(ModelError, match="nothing to generate"):
        plan_package(PRODUCT, derive=())
    with pytest.raises(ModelError, match="found int"):
        plan_package(3)
    with pytest.raises(ModelError, match="two things in the package are called 'selftest'"):
        plan_package(sg.function(x, name="selftest"))


# ------------------------------------------------------------------------------------------------- standing
ALONE = """
import sys
sys.modules["symgraph"] = sys.modules["sympy"] = None      # importing them fails
import numpy as np
import {name} as package
from {name} import selftest

{code}
assert all(result.passed for result in selftest.run())
"""


def run_alone(folder, name, code):
    program = ALONE.format(name=name, code=textwrap.dedent(code))
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-W", "error", "-c", program]
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


CALLER = """
from weighted cimport weighted_c

def weigh(double[::1] v, double[::1] u):
    cdef double value
    assert weighted_c(v.shape[0], &v[0], &u[0], &value) == 0
    return value
"""


def test_pip_installs_the_package_and_it_stands_alone(tmp_path):
    sg.generate(WEIGHTED, tmp_path / "source", derive=("value",))
    site = tmp_path / "site"
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    result = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--no-index",
         "--disable-pip-version-check", "--target", str(site), str(tmp_path / "source")],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    # other Cython code calls it without Python in between
    build_extension(CALLER, "caller", site, compile_flags())
    code = """
    import caller
    v, u = np.array([0.5, -1.0]), np.array([2.0, 3.0])
    assert np.isclose(package.weighted(v, u), np.sum(np.exp(v)*u), rtol=1e-14)
    assert caller.weigh(v, u) == package.weighted(v, u)
    try:
        package.weighted(v, u[:1])
    except ValueError as error:
        assert str(error) == "argument u has size 1 along axis 0 (n), but argument v has 2 along axis 0 (n)", error
    else:
        raise AssertionError
    """
    run_alone(site, "weighted", code)


def test_the_numba_package_stands_alone(tmp_path):
    folder = sg.generate(PRODUCT, tmp_path, derive=("value",), target="numba")
    assert 'requires = ["setuptools' in (folder / "pyproject.toml").read_text(encoding="utf-8")
    run_alone(folder, "product", "assert package.product(0.0, 3.0) == 3.0")
