"""Errors show the formula with the part at fault underlined."""

from __future__ import annotations

import pickle
from xml.etree import ElementTree

import pytest
import sympy as sp
from click.testing import CliRunner

import symgraph as sg
from symgraph.cli import main

x, y, i = sp.symbols("p q i")
n = sp.Symbol("n", integer=True)
INTEGRAL = sp.Integral(sp.exp(x * y), (x, 0, 1))


def caught(run: object) -> sg.errors.SymgraphError:
    with pytest.raises(sg.errors.SymgraphError) as found:
        run()  # type: ignore[operator]
    return found.value


def marked(error: BaseException) -> str:
    """What stands above the carets."""
    (note,) = error.__notes__
    line, carets = note.splitlines()
    start = len(carets) - len(carets.lstrip())
    assert set(carets.strip()) == {"^"}
    return line[start : len(carets)]


def test_the_part_without_meaning_is_underlined() -> None:
    error = caught(lambda: sg.function(sp.sin(x) + 3 * INTEGRAL))
    assert error.expression == INTEGRAL and error.within == sp.sin(x) + 3 * INTEGRAL
    assert marked(error) == str(INTEGRAL)
    html = error._repr_mimebundle_()["text/html"]  # type: ignore[attr-defined]
    assert "<math" in html and html.count('mathcolor="#c0392b"') == 1


def test_an_unbound_symbol_is_underlined() -> None:
    assert marked(caught(lambda: sg.function(x * sp.exp(y), [x]))) == "q"


def test_an_index_that_runs_too_far_is_underlined() -> None:
    data = sp.IndexedBase("X", shape=(n,))
    assert marked(caught(lambda: sg.function(sp.Sum(data[i] * y, (i, 0, n)) + sp.sin(y)))) == "X[i]"


@pytest.mark.parametrize(
    "derive", [sg.grad, sg.jacobian, sg.hessian, sg.jvp, sg.vjp, sg.value_and_grad, sg.hvp]
)
def test_a_node_without_derivative_is_underlined(derive: object) -> None:
    f = sg.function(sp.sin(y) * sp.zeta(x, y) + y, [x, y])
    error = caught(lambda: derive(f))  # type: ignore[operator]
    assert marked(error) == "zeta(p, q)" and error.graph is f.graph
    html = error._repr_mimebundle_()["text/html"]  # type: ignore[attr-defined]
    svg = ElementTree.fromstring(html[html.index("<svg") : html.index("</svg>") + 6])
    red = [g.get("aria-label") for g in svg.iter() for r in g if r.get("stroke") == "#c0392b"]
    assert red == ["v2 = zeta(p, q)"]


def test_an_operation_that_a_target_lacks_is_underlined() -> None:
    f = sg.function(sp.zeta(x, y) * y, [x, y])
    assert marked(caught(lambda: sg.compile(f, target="numba"))) == "zeta(p, q)"


def test_a_function_without_derivative_can_be_looked_at() -> None:
    exploration = sg.explore(sg.function(sp.zeta(x, 1 + y) * y, [x, y]), 2.0, 0.5)
    assert not exploration.model.adjoints and "0.4674" in exploration.text()


def test_the_part_of_a_deep_expression_is_shown_with_what_is_around_it() -> None:
    deep: sp.Expr = INTEGRAL
    for k in range(3000):
        deep = sp.sin(deep, evaluate=False) if k % 2 else sp.Add(deep, y, evaluate=False)
    error = caught(lambda: sg.function(deep))
    assert marked(error) == str(INTEGRAL) and len(str(error.__notes__[0]).splitlines()[0]) < 120


def test_errors_keep_their_mark_in_another_process() -> None:
    error = caught(lambda: sg.function(sp.sin(x) + 3 * INTEGRAL))
    restored = pickle.loads(pickle.dumps(error))
    assert str(restored) == str(error) and restored.__notes__ == error.__notes__


def test_the_command_line_underlines_too() -> None:
    result = CliRunner().invoke(main, ["show", "-e", "x + zeta(y, x)", "-d", "grad"])
    assert "^^^^" in result.output and result.exit_code == 3
