"""Known errors are found, at the right place, in the right node."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph.accuracy.blame import analysis
from symgraph.errors import ModelError, UnsupportedError
from symgraph.graph import Graph, Output
from symgraph.node import constant, input_node
from symgraph.ops import apply_op

x, y = sp.symbols("x y", positive=True)


def plain(name, build, *inputs):
    """A function of bare nodes, as a user could never write it: nothing is simplified."""
    nodes = [input_node(n) for n in inputs]
    return sg.Function(Graph(name, tuple(nodes), (Output(name, build(*nodes)),)))


CANCELLING = [  # (function, domain, the kernel's error is above, the guilty node, what helps)
    (plain("e", lambda a: apply_op("add", constant(-1), apply_op("exp", a)), "a"), {"a": (1e-12, 1e-3)}, 1e6,
     "exp(a) - 1", "expm1(u)"),
    (plain("l", lambda a: apply_op("log", apply_op("add", constant(1), a)), "a"), {"a": (1e-12, 1e-3)}, 1e6,
     "log(1 + a)", "log1p(u)"),
    (plain("c", lambda a: apply_op("add", constant(1), apply_op("mul", constant(-1), apply_op("cos", a))), "a"),
     {"a": (1e-6, 1e-2)}, 1e6, "1 - cos(a)", "2*sin(u/2)**2"),
    (plain("s", lambda a, b: apply_op("add", apply_op("pow", a, constant(2)), apply_op("mul", constant(-1),
     apply_op("pow", b, constant(2)))), "a", "b"), {"a": (1, 2), "b": (1, 2)}, 1e6, "a**2 - b**2", "(a - b)*(a + b)"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("f", "domain", "error", "node", "help_"), CANCELLING, ids=lambda p: getattr(p, "name", "")
)
def test_the_cancelling_node_is_blamed_and_the_better_form_named(f, domain, error, node, help_):
    row = sg.accuracy(f, domain, 100, order=0, target="interpreter")[0]
    assert row.worst > error
    assert row.node == node
    assert help_ in row.rewrite
    assert row.gain > error / 10


def test_the_condition_of_a_difference_of_squares():
    f = CANCELLING[-1][0]
    a, b = 1.1, 1.1 + 2.0**-30
    found = analysis(f.graph, f.graph.outputs[0], (), [a, b])
    first, second = Fraction(a) ** 2, Fraction(b) ** 2
    ratio = float((first + second) / abs(first - second))
    assert found.condition == pytest.approx(2 * ratio, rel=1e-12)
    # both squares may be off by a unit; the change of sign is exact, and the true difference happens to be a float
    assert Fraction(float(first - second)) == first - second
    assert found.estimate == pytest.approx(ratio, rel=1e-12)


def test_roundings_before_the_cancellation_are_not_blamed():
    f = plain("f", lambda a, b: apply_op("log", apply_op("add", apply_op("mul", apply_op("exp", a), b), constant(-1))),
              "a", "b")  # fmt: skip
    found = analysis(f.graph, f.graph.outputs[0], (), [1e-9, 1.0])
    assert found.loss.node.data == "add"


def test_a_large_angle_is_blamed_where_its_argument_was_rounded():
    f = sg.function(sp.sin(x * y), [x, y])
    row = sg.accuracy(f, {"x": (1e9, 1e10), "y": (1, 2)}, 50, order=0, target="interpreter")[0]
    assert row.worst > 1e8 and row.node == "sin(x*y)" and "whole turns" in row.rewrite
    exactly = sg.accuracy(sg.function(sp.sin(x)), {"x": (1e9, 1e10)}, 50, order=0, target="interpreter")[0]
    assert exactly.worst < 2 and exactly.node == "" and exactly.condition > 1e8


@pytest.mark.parametrize("units", [0, 1, 7, 1000])
def test_an_injected_error_is_reported_as_it_is(units):
    """A right value that is moved by k units: the report says k, up to the half unit of the right value."""
    f = sg.function(sp.sqrt(x), [x], name="root")

    def moved(value):
        root = np.sqrt(np.asarray(value, float))
        return root + units * np.spacing(root)

    row = sg.accuracy(f, points=100, order=0, kernel=moved)[0]
    assert units - 0.5 <= row.worst <= units + 0.5 and units - 0.5 <= row.median <= units + 0.5


def test_an_operation_without_a_formula_is_refused_by_name():
    bad = sp.Function("accuracy_bad_square")

    def value(a):
        square = np.asarray(a, float) ** 2
        return square + 100 * np.spacing(square)

    sg.register(bad, value=value, partials=[lambda a: 2 * a])
    with pytest.raises(UnsupportedError, match="accuracy_bad_square"):
        sg.accuracy(sg.function(bad(x) + 1), points=5, order=0, target="interpreter")


def test_gradient_and_hessian_of_a_compiled_kernel():
    f = sg.function(sp.exp(-x) * y + sp.sqrt(x * y), [x, y], name="f")
    report = sg.accuracy(f, {"x": (0.5, 2), "y": (0.5, 2)}, 60, order=2)
    assert report.outputs == ("f", "df_dx", "df_dy", "d2f_dx_dx", "d2f_dx_dy", "d2f_dy_dx", "d2f_dy_dy")
    assert [row.order for row in report] == [0, 1, 1, 2, 2, 2, 2]
    assert all(row.points == 60 and row.outside == row.wrong == 0 for row in report)
    for row in report:  # what an error analysis allows, with four units for each function of the library
        assert row.worst <= 4 * row.estimate + 1


def test_float32_is_measured_in_its_own_units():
    f = sg.function(sp.exp(x) / (1 + x), [x], name="f")
    report = sg.accuracy(f, {"x": (0, 10)}, 60, dtype="float32")
    assert report["f"].worst < 4 and report["df_dx"].median < 4
    assert all(float(np.float32(v)) == v for row in report for v in row.point.values())


def test_several_outputs_have_jacobians():
    f = sg.function({"u": x * y, "v": x / y}, [x, y])
    report = sg.accuracy(f, points=30, target="interpreter")
    assert report.outputs == ("u", "v", "du_dx", "du_dy", "dv_dx", "dv_dy")
    assert report.passed(2)


def test_arrays():
    n, i = sp.Symbol("n", integer=True, positive=True), sp.Symbol("i", integer=True)
    data = sp.IndexedBase("v", shape=(n,))
    f = sg.function(sp.Sum(sp.exp(-((data[i] - x) ** 2)), (i, 0, n - 1)), [data, x], name="f")
    report = sg.accuracy(f, {"v": (0, 2), "x": (0, 1)}, 25, sizes={"n": 4})
    assert report["df_dv"].points == 25 and len(report["df_dv"].element) == 1
    assert len(report["f"].point["v"]) == 4
    assert report.worst < 1e12


def test_points_outside_of_the_domain_are_counted():
    z = sp.Symbol("z")
    row = sg.accuracy(sg.function(sp.log(z)), points=100, order=0, target="interpreter")[0]
    assert row.outside > 50 and row.points >= 100 and row.wrong == 0


def test_a_nan_where_there_is_a_number_is_an_infinite_error():
    f = sg.function(x + 1, [x])
    row = sg.accuracy(f, points=20, order=0, kernel=lambda v: np.asarray(v) * math.nan)[0]
    assert row.worst == math.inf and row.wrong == row.points == 20
    assert math.isnan(row.found) and row.exact


def test_overflow_is_no_error():
    row = sg.accuracy(sg.function(sp.exp(x)), {"x": (700, 800)}, 50, order=0, target="interpreter")[0]
    assert row.overflow > 10 and row.worst < 2 and row.wrong == 0


def test_conditions_and_integers_are_right_or_wrong():
    k = sp.Symbol("k", integer=True)
    f = sg.function({"i": k**2, "f": sp.floor(x)}, [k, x])
    report = sg.accuracy(f, points=40, order=0, target="interpreter")
    assert report["i"].worst == 0 and report["f"].worst == 0


def test_the_report_is_a_table_everywhere():
    report = sg.accuracy(sg.function(x * y, name="f"), points=20, target="interpreter")
    assert len(report) == 3 and [row.output for row in report] == list(report.outputs)
    assert report[0] is report["f"]
    with pytest.raises(KeyError, match="its outputs are f, df_dx, df_dy"):
        _ = report["g"]
    records = report.records()
    assert records[1]["output"] == "df_dx" and set(records[0]) == set(records[2])
    data = json.loads(json.dumps(report.to_dict()))
    assert data["name"] == "f" and len(data["rows"]) == 3
    text, html = str(report), report._repr_mimebundle_()["text/html"]
    for name in report.outputs:
        assert name in text and f">{name}</td>" in html
    assert "0.50" in text or report.worst < 0.495
    assert repr(report).startswith("<accuracy of f: 3 outputs, worst 0.")


def test_the_same_seed_measures_the_same():
    f = sg.function(sp.exp(x) * y, name="f")
    one, two = (sg.accuracy(f, points=30, target="interpreter", seed=5) for _ in range(2))
    assert one == two


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"order": 3}, ModelError, "the order of derivatives is 3"),
        ({"dtype": "half"}, UnsupportedError, "the dtype 'half' is not known"),
        ({"kernel": abs}, ModelError, "with order=0"),
        ({"target": "basic"}, UnsupportedError, "there is no target 'basic'"),
        ({"domain": {"q": (0, 1)}}, ModelError, "a domain is given for q"),
    ],
)
def test_wrong_requests_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        sg.accuracy(sg.function(x + 1, [x]), **options)


def test_something_else_than_a_function_is_refused():
    with pytest.raises(ModelError, match="accuracy takes a Function, got Symbol"):
        sg.accuracy(x)
