"""What the reported cases demand beside their numbers: errors that name things, order, shapes, dtypes, size of code."""

from __future__ import annotations

import copy
import os
import pickle
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph.errors import SymgraphError, ToolchainError
from tests.cases.building import arguments, function, keys_of, merged, model, split_key
from tests.cases.reading import DATA, agrees, behaving, number
from tests.models.cases import CASES

TARGETS = ("cython", "numba")
CONVENTIONS = (Path(__file__).parents[2] / "docs" / "conventions.md").read_text(encoding="utf-8")


# --------------------------------------------------------------------------------------------------- errors with names
NAMED = {
    "CN07": "zoo",
    "UN05": r"function g\b",
    "IO08": "input x is given twice",
    "IO09": r"\by is not bound",
    "UF03": r"function F\b.*symgraph\.register",
    "UF05": r"T has no derivative by argument 2",
    "GP03": "numba_cuda",
    "EN04": "failed with code",
    "EN12": "no-such-flag",
}


def test_every_demand_of_an_error_is_here() -> None:
    assert set(NAMED) == set(behaving("clear-error"))


@pytest.mark.parametrize("identifier", ["CN07", "UN05", "IO08", "IO09", "UF03"])
def test_what_cannot_be_meant_is_refused_by_name(identifier: str) -> None:
    found = CASES[identifier]()
    with pytest.raises(SymgraphError, match=NAMED[identifier]):
        sg.function(dict(found.outputs), dict(found.inputs))


def test_a_partial_that_is_not_known_is_refused_when_it_is_asked_for() -> None:
    found = CASES["UF05"]()
    function_, slope = found.functions
    sg.register(slope, value=found.functions[slope])
    sg.register(function_, value=lambda a, b: np.float_power(a, 3) + b)  # numbers only: nothing to differentiate
    f = sg.function(found.outputs["f"], dict(found.inputs))
    assert agrees(sg.grad(f, "x")(0.5, 2.0), DATA["UF05"]["expected"][0]["f|x"])
    with pytest.raises(SymgraphError, match=NAMED["UF05"]):
        sg.grad(f, "y")
    # where the function stands for a formula, that has both derivatives
    assert sg.jacobian(function("UF05"), "y")(0.5, 2.0) == {"f": 1.0}


def test_a_target_that_is_not_there_is_named() -> None:
    with pytest.raises(SymgraphError, match=NAMED["GP03"]):
        sg.compile(function("GP03"), target="numba_cuda")


def _broken_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: bytes) -> None:
    compiler = tmp_path / "cc"
    compiler.write_bytes(b"#!/bin/sh\n" + script)
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("SYMGRAPH_CACHE_DIR", str(tmp_path / "cache"))


def test_a_message_that_is_no_utf8_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _broken_compiler(tmp_path, monkeypatch, b"printf 'kernel.c:3: \\270\\224\\377 is wrong\\n' >&2\nexit 4\n")
    with pytest.raises(ToolchainError, match=r"(?s)failed with code 4.*kernel\.c:3: .*is wrong"):
        sg.compile(function("EN04"))
    assert not list((tmp_path / "cache").rglob("*.so"))


def test_the_reason_of_a_failed_compilation_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _broken_compiler(tmp_path, monkeypatch, b'exec gcc -fno-such-flag "$@"\n')
    with pytest.raises(ToolchainError, match=NAMED["EN12"]):
        sg.compile(function("EN12"))


# ---------------------------------------------------------------------------------------------- conventions in the docs
DOCUMENTED = {
    "SP03": "norm",
    "SP16": "one point written apart",
    "SP21": r"sqrt\(x\*\*2\)",
    "PW01": "one point written apart",
    "PW08": r"`Piecewise` \| an edge",
    "MM01": r"`Abs\(x\)` \| 0 \| 0",
    "MM02": "tie of",
    "PO02": "real_root",
}


def test_conventions_are_documented() -> None:
    assert set(DOCUMENTED) == set(behaving("documented-convention"))
    for identifier, text in DOCUMENTED.items():
        assert re.search(text, CONVENTIONS), f"{identifier}: docs/conventions.md says nothing about {text}"


# ---------------------------------------------------------------------------------------------------- order and shapes
@pytest.mark.parametrize("identifier", behaving("order-kept"))
def test_arguments_and_results_keep_their_order(identifier: str) -> None:
    found = model(identifier)
    f = function(identifier)
    assert f.inputs == tuple(found.inputs) and f.outputs == tuple(found.outputs)
    point, expected = DATA[identifier]["points"][0], DATA[identifier]["expected"][0]
    result = sg.compile(f)(*arguments(identifier, point))
    assert list(result) == list(found.outputs)
    assert all(agrees(result[name], expected[name]) for name in found.outputs if name in expected)


def test_arguments_come_in_any_container() -> None:
    found = model("IO04")
    symbols = list(found.inputs.values())
    for inputs in (symbols, tuple(symbols), found.inputs.values(), (s for s in symbols), sp.Tuple(*symbols)):
        f = sg.function(found.outputs["f"], list(inputs))
        assert f(*arguments("IO04", DATA["IO04"]["points"][0])) == float(DATA["IO04"]["expected"][0]["f"])


@pytest.mark.parametrize("target", TARGETS)
def test_scalar_functions_broadcast(target: str) -> None:
    names = [k for k in behaving("broadcast") if k != "DT03"]
    f, labels = merged(names, "broadcasting")
    kernel = sg.compile(f, target=target)
    count = 6
    columns: list[Any] = []
    for identifier in names:
        values = [arguments(identifier, p)[0] for p in DATA[identifier]["points"]]
        columns.append(np.resize(np.array(values), count).reshape(2, 1, 3))
    with np.errstate(all="ignore"):
        results = kernel(*columns)
        at_once = kernel(columns[0], *[c.flat[0] for c in columns[1:]])
    for (identifier, key), result, mixed in zip(labels, results, at_once, strict=True):
        assert result.shape == (2, 1, 3) and result.dtype.kind in "fi", (identifier, key)
        assert mixed.shape == (2, 1, 3), (identifier, key)  # results that depend on no array have its shape, too
        points = DATA[identifier]["points"]
        for place in range(count):
            expected = DATA[identifier]["expected"][place % len(points)].get(key)
            assert expected is None or agrees(result.flat[place], expected), (identifier, key)


@pytest.mark.parametrize("target", TARGETS)
def test_a_matrix_of_arrays(target: str) -> None:
    case = DATA["DT03"]
    a = np.array([number(p["a"]) for p in case["points"]])
    result = sg.compile(function("DT03"), target=target)(a, b=10.0)["M"]
    assert result.shape == (5, 2, 2)  # the dimensions of the arguments come first
    assert all(agrees(r, e["M"]) for r, e in zip(result, case["expected"], strict=True))


@pytest.mark.parametrize("target", TARGETS)
def test_single_precision_stays_single(target: str) -> None:
    f, labels = merged(["DT01"], "single")
    kernel = sg.compile(f, target=target, dtype="float32")
    for position, point in enumerate(DATA["DT01"]["points"]):
        values = np.array(arguments("DT01", point), np.float32)
        for (_, key), result in zip(labels, kernel(*values[:, None]), strict=True):
            assert result.dtype == np.float32
            expected = DATA["DT01"]["expected"][position].get(key)
            assert expected is None or agrees(result[0], expected, 1e-6)


@pytest.mark.parametrize("target", TARGETS)
def test_arguments_are_not_changed(target: str) -> None:
    f = sg.value_and_grad(sg.function(model("DT06").outputs["f"], dict(model("DT06").inputs)), "X")
    x = np.array([[1.0], [2.0]])
    x.flags.writeable = False
    value, slope = sg.compile(f, target=target)(x)
    assert value == 2.0 and slope.tolist() == [[4.0], [1.0]] and x.tolist() == [[1.0], [2.0]]


# -------------------------------------------------------------------------------------------------------- size of code
def _source(identifier: str) -> str:
    kernel = sg.compile(function(identifier))
    return kernel.source


@pytest.mark.parametrize("identifier", ["IX01", "IX12"])
def test_the_size_of_data_is_not_in_the_code(identifier: str) -> None:
    found = model(identifier)
    f = sg.value_and_grad(sg.function(found.outputs["f"], dict(found.inputs)), "X")
    kernel = sg.compile(f)
    assert len(kernel.source) < 30_000
    x = np.cos(np.arange(200_000.0))
    value, slope = kernel(x)
    if identifier == "IX01":
        weights = np.arange(1.0, len(x) + 1)
        assert value == pytest.approx(float((weights * x**2).sum()), rel=1e-11)
        np.testing.assert_allclose(slope, 2 * weights * x, rtol=1e-13)
    else:
        assert value == pytest.approx(float((x[:-1] * x[1:] + np.cos(x[:-1])).sum()), rel=1e-9)
        inner = x[:-2] + x[2:] - np.sin(x[1:-1])
        np.testing.assert_allclose(slope[1:-1], inner, rtol=1e-12, atol=1e-12)


def test_powers_are_multiplications() -> None:
    f, _ = merged(["PO05"], "powers")
    source = sg.compile(f).source
    assert "pow(" not in source
    assert sg.function(model("PO05").outputs["f"]).operation_count() <= DATA["PO05"]["limits"]["multiplications"]


def test_a_ring_of_masses_has_a_sparse_jacobian() -> None:
    jacobian = sg.jacobian(function("LG06"))
    blocks = [o.node for o in jacobian.graph.outputs]
    assert len(blocks) == 60
    at = [number(DATA["LG06"]["points"][0][name]) for name in model("LG06").inputs]
    dense = np.stack([np.asarray(b) for b in jacobian(*at)["a"]], axis=-1).reshape(60, 60)
    assert np.count_nonzero(dense) == DATA["LG06"]["limits"]["nonzeros"]
    # three entries for each row, each from the two of its neighbours: what is 0 costs nothing
    assert jacobian.operation_count() < 60 * 30


def test_levels_of_nesting_cost_the_same() -> None:
    found = model("LG03")
    counts = []
    for depth in (20, 40):
        value, *rest = list(found.inputs.values())[:depth]
        for w in rest:
            value = 1 / (1 + sp.exp(2 * value - w))
        counts.append(sg.value_and_grad(sg.function(value, list(found.inputs.values())[:depth])).operation_count())
    assert counts[1] < 2.2 * counts[0]


def test_high_derivatives_share_their_parts() -> None:
    f = sg.function(model("LG05").outputs["f"], dict(model("LG05").inputs))
    counts = [f.operation_count()]
    for _ in range(4):
        f = sg.grad(f, "x")
        counts.append(f.operation_count())
    assert counts[4] < 60 * counts[0]


def test_a_determinant_of_720_products() -> None:
    f = sg.value_and_grad(sg.function(model("LG08").outputs["f"], dict(model("LG08").inputs)), "A")
    assert f.operation_count() < 8_000  # value and 36 partials; written out they are 130,000
    a = number(DATA["LG08"]["points"][0]["A"])
    value, slope = f(a)
    assert value == pytest.approx(np.linalg.det(a), rel=1e-10, abs=1e-10)
    for (i, j), found in np.ndenumerate(slope):
        minor = np.delete(np.delete(a, i, 0), j, 1)
        assert found == pytest.approx((-1) ** (i + j) * np.linalg.det(minor), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("target", ["cython", "numba"])
def test_three_hundred_arguments(target: str) -> None:
    f = sg.function(model("IO06").outputs["f"], dict(model("IO06").inputs))
    case = DATA["IO06"]
    values = arguments("IO06", case["points"][0])
    slopes = sg.grad(f)(*values)
    names = ["x0", "x7", "x299"]
    found, partials = sg.compile(sg.value_and_grad(f, names), target=target)(*values)
    assert agrees(found, case["expected"][0]["f"])
    for name, partial in zip(names, partials, strict=True):
        assert agrees(slopes[f.inputs.index(name)], case["expected"][0][f"f|{name}"])
        assert agrees(partial, case["expected"][0][f"f|{name}"])


@pytest.mark.parametrize("target", ["cython", "numba"])
def test_an_expanded_polynomial_of_twelve_thousand_terms(target: str) -> None:
    f = sg.value_and_grad(sg.function(model("LG01").outputs["f"], dict(model("LG01").inputs)))
    expected = DATA["LG01"]["expected"][0]
    at = arguments("LG01", DATA["LG01"]["points"][0])
    kernel = sg.compile(f, target=target)
    for value, slopes in (f(*at), kernel(*at)):
        assert agrees(value, expected["f"])
        assert agrees(slopes[0], expected["f|x"]) and agrees(slopes[2], expected["f|z"])
    assert f.operation_count() < 4 * 12_341  # as it is written, the value alone has about 100,000


@pytest.mark.parametrize("target", ["cython", "numba"])
def test_three_hundred_long_outputs_compile_in_bounded_memory(target: str) -> None:
    kernel = sg.compile(function("LG10"), target=target)
    expected = DATA["LG10"]["expected"][0]
    rows = kernel(*arguments("LG10", DATA["LG10"]["points"][0]))["v"]
    assert agrees(rows[0, 0], expected["v[0,0]"]) and agrees(rows[299, 0], expected["v[299,0]"], 1e-11)
    row = sg.function(model("LG10").outputs["v"][17], dict(model("LG10").inputs))
    slope = sg.compile(sg.grad(row, "x"), target=target)(*arguments("LG10", DATA["LG10"]["points"][0]))
    assert agrees(slope, expected["v[17,0]|x"], 1e-11)
    if target == "numba":
        return
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024  # of any compiler so far, in MiB
    assert largest < DATA["LG10"]["limits"]["memory_mb"]
    assert kernel.source.count("_part_") > 10


# ----------------------------------------------------------------------------------------------- files and processes
def _python(code: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code], env={**os.environ, **environment}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


_BUILD = """
import sympy as sp, symgraph as sg
x, y = sp.symbols("x y")
print(sg.compile(sg.function(sp.sin(x * y) + x**2 + {salt}, [x, y]))(0.5, 0.0))
"""


def test_kernels_are_pickled_into_another_process(tmp_path: Path) -> None:
    (tmp_path / "kernel").write_bytes(pickle.dumps(sg.compile(function("EN01"))))
    process = _python(f"import pickle; print(pickle.load(open({str(tmp_path / 'kernel')!r}, 'rb'))(0.5, 0.0))")
    out, problem = process.communicate(timeout=100)
    assert out.strip() == "{'f': 0.25}", problem


def test_eight_processes_build_the_same_and_different_kernels(tmp_path: Path) -> None:  # EN02
    running = [_python(_BUILD.format(salt=k % 2), SYMGRAPH_CACHE_DIR=str(tmp_path)) for k in range(8)]
    for k, process in enumerate(running):
        out, problem = process.communicate(timeout=200)
        assert out.strip() == str(0.25 + k % 2), problem
    assert len(list(tmp_path.rglob("*.so"))) == 2


def test_a_second_process_needs_no_compiler_and_leaves_nothing(tmp_path: Path) -> None:  # EN08, EN10
    cache, temporary = tmp_path / "cache", tmp_path / "temporary"
    temporary.mkdir()
    compiler = tmp_path / "cc"  # it says what it is, and compiles in the first process only
    compiler.write_text('#!/bin/sh\ncase "$*" in *.c*) test -n "$BLOCKED" && exit 9;; esac\nexec gcc "$@"\n')
    compiler.chmod(0o755)
    places = {"SYMGRAPH_CACHE_DIR": str(cache), "TMPDIR": str(temporary), "CC": str(compiler)}
    for blocked in ("", "yes"):
        out, problem = _python(_BUILD.format(salt=7), BLOCKED=blocked, **places).communicate(timeout=100)
        assert out.strip() == "7.25", problem
    assert list(temporary.iterdir()) == []


def test_kernels_are_pickled_and_copied() -> None:
    kernel = sg.compile(function("EN01"))
    for other in (pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel)):
        assert other(0.5, 2.0) == kernel(0.5, 2.0)


def test_a_relative_folder_for_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # EN03
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYMGRAPH_CACHE_DIR", "kernels")
    x, y = sp.symbols("x y")
    kernel = sg.compile(sg.function(sp.sin(x * y) + x**2 + 3, [x, y]))
    assert Path.cwd() == tmp_path and kernel(1.0, 0.0) == 4.0
    assert kernel.path.is_relative_to(tmp_path / "kernels")


def test_packages_are_for_any_machine_unless_asked(tmp_path: Path) -> None:
    folder = sg.generate(function("EN07"), tmp_path / "out", name="portable")
    build = (folder / "meson.build").read_text(encoding="utf-8")
    assert "if get_option('native')" in build and build.count("march=native") == 1
    assert "get_supported_arguments" in build  # a flag that the compiler does not know is left out
    assert "value: false" in (folder / "meson.options").read_text(encoding="utf-8")


def test_derivatives_of_all_scalar_cases_are_listed() -> None:
    assert "f|x|x" in keys_of("SP08") and "f|x|y" in keys_of("SP03")


def test_a_matrix_of_22400_constants_is_data() -> None:
    f, expected = function("LG11"), DATA["LG11"]["expected"][0]
    at = arguments("LG11", DATA["LG11"]["points"][0])
    slope = sg.jacobian(f, "x")
    kernels = [(sg.compile(f, target=t), sg.compile(slope, target=t)) for t in ("cython", "numba")]
    for value, partial in ((f, slope), *kernels):
        for key in ("M[0,0]", "M[3,7]", "M[139,159]"):
            assert agrees(value(*at)["M"][split_key(key)[1]], expected[key])
        assert agrees(np.ravel(partial(*at)["M"])[3 * 160 + 7], expected["M[3,7]|x"])
    for kernel, _ in kernels:  # 22,169 numbers with their places, and a loop
        lines = [line for line in kernel.source.splitlines() if not re.fullmatch(r"[\d., -]+", line)]
        assert len(lines) < 400
