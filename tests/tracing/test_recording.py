"""Define by run: values while recording, decisions as guards, derivatives, and compiled paths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgraph as sg
from symgraph.errors import ModelError, UnsupportedError


def test_values_and_gradients_while_recording(capsys: pytest.CaptureFixture[str]) -> None:
    with sg.record() as tape:
        x, y, z = (sg.variable(v, n) for v, n in ((1.0, "x"), (3.0, "y"), (-3.0, "z")))
        q = x + y
        g = q * z
        print(q, g, f"{g:.1f}")
        g.backward()
    assert capsys.readouterr().out == "4.0 -12.0 -12.0\n"
    assert (x.grad, y.grad, z.grad) == (-3.0, -3.0, 4.0)
    f = tape.function(g, name="g")
    assert f.inputs == ("x", "y", "z") and f(2.0, 5.0, 7.0) == 49.0
    assert tape.guards == []


def test_arrays() -> None:
    data = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with sg.record() as tape:
        x = tape.variable(data, "x")
        k = tape.variable(np.array([1, 0]), "k")
        rows = [row[k[0]] * 2 for row in x]
        total = sum(rows) + (x[k] ** 2).sum()
        assert total.value == 14 + (data**2).sum()
        total.backward()
    expected = 2 * data
    expected[:, 1] += 2
    np.testing.assert_array_equal(x.grad, expected)
    assert k.grad is None


def test_loops_and_branches_become_guards() -> None:
    def newton(a: Any) -> Any:
        x, count = a, 0
        while abs(x * x - a) > 1e-12:
            x = (x + a / x) / 2
            count += 1
            if count > 20:
                break
        return x

    with sg.record() as tape:
        a = tape.variable(2.0, "a")
        root = newton(a)
        root.backward()
    assert root.value == pytest.approx(np.sqrt(2), rel=1e-12)
    assert a.grad == pytest.approx(1 / (2 * np.sqrt(2)), rel=1e-9)
    assert [g.outcome for g in tape.guards] == [True] * 5 + [False]
    assert "test_recording.py" in tape.guards[0].place and "while abs" in tape.guards[0].place
    result, held = tape.guarded(tape.function(root))(2.0)
    assert held == 6 and result == pytest.approx(np.sqrt(2), rel=1e-12)
    assert tape.guarded(tape.function(root))(100.0)[1] == 5  # not converged after as many steps


def test_numbers_that_leave_hold_for_their_value_only() -> None:
    with sg.record() as tape:
        n = tape.variable(np.array(3), "n")
        x = tape.variable(2.0, "x")
        y = x
        for _ in range(int(n)):
            y = y * x
        scale = float(x)
        z = y * scale
    f = tape.guarded(tape.function(z))
    assert f(3, 2.0) == (32.0, 2)
    assert f(4, 2.0)[1] == 0 and f(3, 2.5)[1] == 1


def test_recursion() -> None:
    def power(x: Any, n: int) -> Any:
        return x if n == 1 else power(x, n - 1) * x if n % 2 else power(x * x, n // 2)

    with sg.record() as tape:
        x = tape.variable(1.5)
        power(x, 10).backward()
    assert x.grad == pytest.approx(10 * 1.5**9, rel=1e-14)


def test_what_is_refused() -> None:
    with pytest.raises(ModelError, match="no recording runs"):
        sg.variable(1.0)
    with sg.record() as tape:
        x = tape.variable(np.ones(3), "x")
        with pytest.raises(ModelError, match="variable x already"):
            tape.variable(1.0, "x")
        with pytest.raises(ModelError, match=r"backward needs a scalar.*\(3,\)"):
            x.backward()
        with pytest.raises((UnsupportedError, ValueError), match="ambiguous"):
            bool(x > 0)
        with pytest.raises(ModelError, match="complex"):
            tape.variable(1j)
        with pytest.raises(UnsupportedError, match="cannot become a NumPy array"):
            np.asarray(x)


def test_jit_compiles_paths_and_records_anew() -> None:
    @sg.jit
    def collatz_like(x: Any) -> Any:
        total = 0 * x
        while x > 1:
            x = x / 2 if x > 4 else x - 1
            total = total + x * x
        return total

    def plain(x: float) -> float:
        total = 0.0
        while x > 1:
            x = x / 2 if x > 4 else x - 1
            total += x * x
        return total

    for value in (5.0, 5.5, 17.0, 5.25, 16.5, 2.0):
        assert collatz_like(value) == pytest.approx(plain(value), rel=1e-14)
    assert len(collatz_like.log) == 3
    assert collatz_like.log[0] == "arguments of new shapes"
    assert collatz_like.log[1].startswith("another outcome of a condition that was False (test_recording.py, line ")
    assert repr(collatz_like) == "<jit of collatz_like: 3 compiled paths>"


def test_jit_with_gradients_and_nested_arguments() -> None:
    @sg.jit(derivative="value_and_grad", wrt=("params_w", "params_b"))
    def loss(params: Any, x: Any) -> Any:
        for row in x:
            h = row @ params["w"] + params["b"]
            if h < 0:
                h = h * 0.1
            params = {**params, "b": params["b"] + h}
        return params["b"] ** 2

    w, b, x = np.array([0.5, -1.0]), 0.25, np.array([[1.0, 2.0], [0.5, -1.5]])
    value, (dw, db) = loss({"w": w, "b": b}, x)
    h0 = 0.1 * (x[0] @ w + b)
    h1 = x[1] @ w + b + h0
    out = b + h0 + h1
    assert value == pytest.approx(out**2, rel=1e-14)
    db_h0 = 0.1
    db_h1 = 1 + db_h0
    assert db == pytest.approx(2 * out * (1 + db_h0 + db_h1), rel=1e-14)
    np.testing.assert_allclose(dw, 2 * out * (0.1 * x[0] * 2 + x[1]), rtol=1e-14)


def test_jit_stops_at_too_many_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symgraph.tracing.paths.MOST_PATHS", 1)

    @sg.jit
    def staircase(x: Any) -> Any:
        return x * int(x // 1)

    assert staircase(3.0) == 9.0
    with pytest.raises(UnsupportedError, match=r"took 1 paths.*another outcome of a condition.*int\(x // 1\)"):
        staircase(4.0)


def test_variable_lengths() -> None:
    @sg.jit
    def last(xs: Any) -> Any:
        h = 0.0 * xs[0]
        for x in xs:
            h = np.tanh(h + x)
        return h

    for n in (3, 5):
        values = np.linspace(0.1, 0.4, n)
        expected = 0.0
        for v in values:
            expected = np.tanh(expected + v)
        assert last(values) == pytest.approx(expected, rel=1e-14)
    assert len(last.paths) == 2
