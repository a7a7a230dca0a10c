"""Formulas: what they mean, checked through the interpreter against NumPy and mpmath."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from symgraph.axis import Axis
from symgraph.capture.formula import graph_from_formulas
from symgraph.capture.formula_functions import FUNCTIONS
from symgraph.capture.formula_inputs import declare
from symgraph.dtype import FLOATING, INTEGER
from symgraph.interpret import evaluate
from symgraph.node import constant

RANDOM = np.random.default_rng(20240501)


def value(text, declarations="", /, **arguments):
    texts = [text] if isinstance(text, str) else text
    graph = graph_from_formulas(texts, declare([declarations] if declarations else []))
    results = evaluate(graph, [arguments[node.data] for node in graph.inputs])
    return results[0] if len(results) == 1 else results


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2*3**2", 19), ("-2**2", -4), ("2**-1", 0.5), ("2**3**2", 512), ("(-2)**2", 4), ("7 - 2 - 1", 4),
        ("8/4/2", 1), ("7//2", 3), ("-7//2", -4), ("7 % 4", 3), ("-7 % 4", 1), ("1/3 + 1/3 + 1/3", 1), ("+5", 5),
        ("2*3 % 4", 2), ("1.5e2", 150), (".5", 0.5), ("5.", 5), ("--3", 3), ("1 if 2 > 1 else 0", 1),
        ("(1 < 2) + (2 < 1)", 1), ("1 < 2 < 3", 1), ("1 < 2 > 3", 0), ("not 1 > 2", 1), ("1 > 2 or 2 > 1", 1),
        ("(1 > 2) | (2 > 1) & (3 > 1)", 1), ("~(1 > 2)", 1), ("True and False", 0), ("1 != 2", 1),
    ],
)  # fmt: skip
def test_operators_mean_what_they_mean_in_python(text, expected):
    assert value(text) == expected


def test_integers_and_fractions_are_exact():
    graph = graph_from_formulas(["1234567890123456789012345678901234567890"])
    assert graph.outputs[0].node is constant(1234567890123456789012345678901234567890)
    assert graph_from_formulas(["1/3"]).outputs[0].node is constant(Fraction(1, 3))
    assert graph_from_formulas(["0.1"]).outputs[0].node is constant(Fraction(1, 10))
    assert graph_from_formulas(["2.0"]).outputs[0].node is constant(2.0)


def test_a_decimal_is_rounded_once():
    assert value("0.1 + 0.2") == 0.3
    assert value("6.62607015e-34") == 6.62607015e-34
    assert value("1e-300*x", x=1e300) == 1e-300 * 1e300


def test_free_names_are_scalar_inputs_in_the_order_of_the_alphabet():
    graph = graph_from_formulas(["(z + y)*x"])
    assert [node.data for node in graph.inputs] == ["x", "y", "z"]
    assert all(node.dtype is FLOATING and node.axes == () for node in graph.inputs)


def test_arguments_in_the_order_of_the_head():
    graph = graph_from_formulas(["f(y, x, unused) = x - y"])
    assert graph.name == "f"
    assert [node.data for node in graph.inputs] == ["y", "x", "unused"]


def test_declared_inputs_come_first():
    graph = graph_from_formulas(["a + b + k*c"], declare(["k: i64, c"]))
    assert [node.data for node in graph.inputs] == ["k", "c", "a", "b"]
    assert graph.inputs[0].dtype is INTEGER


def test_later_lines_use_earlier_names():
    graph = graph_from_formulas(["p = x + y", "g = p*z"])
    assert graph.name == "g" and [o.name for o in graph.outputs] == ["g"]
    assert evaluate(graph, [1.0, 3.0, -3.0])[0] == -12.0


def test_lines_that_nothing_uses_are_the_outputs():
    graph = graph_from_formulas(["s = a + b", "d = a - b", "s*d", "s/d"])
    assert [o.name for o in graph.outputs] == ["result", "result_2"]
    assert graph.structure == (0, 1)


def test_comments_and_continued_lines():
    text = "# a model\np = (x +   # first\n     y)\n\np*2\n"
    assert value([text], x=1.0, y=2.0) == 6.0


def test_sums_share_an_axis_and_are_one_node():
    graph = graph_from_formulas(["Sum(x[i]**2, (i, 0, n - 1)) + sum(j, 0, n-1, x[j]**2)"])
    twice = graph_from_formulas(["2*Sum(x[i]**2, (i, 0, n - 1))"])
    assert graph.outputs[0].node is twice.outputs[0].node


def test_squared_differences():
    x, y = RANDOM.normal(size=(2, 7))
    assert value("Sum((x[i] - y[i])**2, (i, 0, n - 1))/n", x=x, y=y) == pytest.approx(np.mean((x - y) ** 2), rel=1e-14)


def test_undeclared_arrays_get_their_shape_from_the_ranges():
    graph = graph_from_formulas(["Sum(A[i, j]*v[j], (i, 0, m - 1), (j, 0, n - 1)) + b[2]"])
    assert {node.data: node.axes for node in graph.inputs} == {
        "A": (Axis("A.0", "m"), Axis("A.1", "n")),
        "v": (Axis("v.0", "n"),),
        "b": (Axis("b.0", 3),),
    }


def test_a_bilinear_form():
    a, x, y = RANDOM.normal(size=(3, 4)), RANDOM.normal(size=3), RANDOM.normal(size=4)
    text = "Sum(Sum(x[i]*A[i, j]*y[j], (j, 0, n - 1)), (i, 0, m - 1))"
    assert value(text, A=a, x=x, y=y) == pytest.approx(x @ a @ y, rel=1e-13)


def test_dependent_bounds():
    x = RANDOM.normal(size=6)
    text = "Sum(a*x[b], (b, 0, a), (a, 0, n - 1))"
    expected = sum(a * x[b] for a in range(6) for b in range(a + 1))
    assert value(text, x=x) == pytest.approx(expected, rel=1e-13)
    text = "Sum(x[a]*x[b], (b, a + 1, n - 1), (a, 0, n - 1))"
    expected = sum(x[a] * x[b] for a in range(6) for b in range(a + 1, 6))
    assert value(text, x=x) == pytest.approx(expected, rel=1e-13)


def test_the_same_index_twice_and_nested():
    x = RANDOM.normal(size=5)
    assert value("Sum(x[i]*Sum(x[i], (i, 0, n - 1)), (i, 0, n - 1))", x=x) == pytest.approx(x.sum() ** 2, rel=1e-13)


def test_products_and_ranges_that_do_not_begin_at_zero():
    assert value("Product(k, (k, 1, 6))") == 720
    assert value("prod(k, 3, 5, k)") == 60
    x = RANDOM.normal(size=6)
    assert value("Sum((x[i] - x[i - 1])**2, (i, 1, n - 1))", "x: f64[n]", x=x) == pytest.approx(np.sum(np.diff(x) ** 2))


def test_an_empty_range_is_the_empty_sum():
    assert value("Sum(k, (k, 5, 2)) + Product(k, (k, 1, 0))") == 1


def test_a_summand_without_the_index_is_counted():
    assert value("Sum(3, (i, 0, 9))") == 30
    assert value("Sum(c*x[i], (i, 0, n - 1), (k, 1, 4))", c=2.0, x=np.ones(3)) == 24


def test_indices_from_data():
    graph = graph_from_formulas(["Sum(cam[ci[o], k], (o, 0, m - 1), (k, 0, 2))"], declare(["cam: f64[c, 3]"]))
    assert graph.inputs[1].dtype is INTEGER
    cam, ci = RANDOM.normal(size=(4, 3)), np.array([3, 0, 3])
    assert evaluate(graph, [cam, ci])[0] == pytest.approx(cam[ci].sum())


def test_packed_triangles():
    packed = RANDOM.normal(size=10)
    text = "Sum(L[i*(i - 1)//2 + j], (j, 0, i - 1), (i, 1, d - 1)) + 0*Sum(v[i], (i, 0, d - 1))"
    found = value(text, "L: f64[d*(d - 1)/2]", L=packed, v=np.zeros(5))
    assert found == pytest.approx(packed.sum())


def test_arrays_defined_by_formulas():
    x, t = RANDOM.normal(size=(5, 2)), RANDOM.normal(size=5)
    lines = ["r[i] = X[i, 0]*w + X[i, 1] - t[i]", "Sum(r[i]**2, (i, 0, n - 1))"]
    expected = np.sum((x[:, 0] * 0.3 + x[:, 1] - t) ** 2)
    assert value(lines, "X: f64[n, 2], t: f64[n]", X=x, t=t, w=0.3) == pytest.approx(expected)
    found = value(lines[0], "X: f64[n, 2], t: f64[n]", X=x, t=t, w=0.3)
    np.testing.assert_allclose(found, x[:, 0] * 0.3 + x[:, 1] - t)
    outer = value("M[i, j] = u[i]*v[j]", "u: f64[m], v: f64[n]", u=np.arange(3.0), v=np.arange(2.0))
    np.testing.assert_array_equal(outer, np.outer(np.arange(3.0), np.arange(2.0)))


def test_an_array_that_is_the_same_everywhere():
    found = value("r[i] = Sum(x[k], (k, 0, n - 1)) + 0*x[i]", "x: f64[n]", x=np.ones(3))
    np.testing.assert_array_equal(found, [3, 3, 3])


def test_piecewise_takes_the_first_branch_that_holds():
    text = "Piecewise((x**2, x < 0), (x, x < 1), (1, True))"
    assert [value(text, x=v) for v in (-2.0, 0.5, 3.0)] == [4, 0.5, 1]
    assert math.isnan(value("Piecewise((x, x > 0))", x=-1.0))


def test_reading_under_a_condition_may_leave_the_array():
    x = np.array([1.0, 4.0, 9.0])
    text = "Sum(where(i > 0, x[i - 1], 0), (i, 0, n - 1))"
    assert value(text, "x: f64[n]", x=x) == 5


def test_log_of_a_sum_of_exponentials_does_not_overflow():
    assert value("log(Sum(exp(a[k]), (k, 0, K - 1)))", a=np.array([1000.0, 1000.0])) == 1000 + math.log(2)


def test_names_in_any_script_and_keywords_of_python():
    assert value("λ*lambda + été + x1", λ=2.0, été=1.0, x1=0.5, **{"lambda": 3.0}) == 7.5


def test_definitions_and_declarations_hide_constants():
    assert value("2*E", "E: f64", E=3.0) == 6
    assert value(["E = m*c**2", "E + 0*pi"], m=1.0, c=2.0) == 4


MPMATH = {
    "expm1": mpmath.expm1, "log1p": mpmath.log1p, "log2": lambda a: mpmath.log(a, 2), "log10": mpmath.log10,
    "abs": abs, "Abs": abs, "fabs": abs, "arcsin": mpmath.asin, "arccos": mpmath.acos, "arctan": mpmath.atan,
    "arcsinh": mpmath.asinh, "arccosh": mpmath.acosh, "arctanh": mpmath.atanh, "ln": mpmath.log,
    "logistic": lambda a: 1 / (1 + mpmath.exp(-a)), "sigmoid": lambda a: 1 / (1 + mpmath.exp(-a)),
    "expit": lambda a: 1 / (1 + mpmath.exp(-a)), "softplus": lambda a: mpmath.log(1 + mpmath.exp(a)),
    "lgamma": mpmath.loggamma, "gammaln": mpmath.loggamma, "psi": mpmath.digamma, "square": lambda a: a * a,
    "exp2": lambda a: mpmath.mpf(2) ** a, "Heaviside": lambda a: mpmath.mpf(1), "frac": mpmath.frac,
    "ceiling": mpmath.ceil, "erfcx": lambda a: mpmath.exp(a * a) * mpmath.erfc(a), "E1": mpmath.e1, "Ei": mpmath.ei,
    "erfcinv": lambda a: mpmath.erfinv(1 - a), "airyaiprime": lambda a: mpmath.airyai(a, derivative=1),
    "airybiprime": lambda a: mpmath.airybi(a, derivative=1), "elliptic_k": mpmath.ellipk, "elliptic_e": mpmath.ellipe,
    "LambertW": mpmath.lambertw, "Si": mpmath.si, "Ci": mpmath.ci, "Shi": mpmath.shi, "Chi": mpmath.chi,
    "trigamma": lambda a: mpmath.polygamma(1, a),
}  # fmt: skip
ABOVE_ONE = ("acosh", "arccosh", "asec", "acsc", "acoth")
SINGLE = [n for n, row in FUNCTIONS.items() if row.fewest == 1 and not row.conditions]


@pytest.mark.parametrize("name", SINGLE)
def test_functions_of_one_argument(name):
    at = 1.7 if name in ABOVE_ONE else 0.3
    expected = MPMATH.get(name) or getattr(mpmath, name)
    assert float(value(f"{name}(x)", x=at)) == pytest.approx(float(expected(mpmath.mpf(at))), rel=1e-14)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("log(x, 3)", mpmath.log(mpmath.mpf("1.5"), 3)), ("root(x, 3)", mpmath.root(mpmath.mpf("1.5"), 3)),
        ("atan2(x, 2)", mpmath.atan2(1.5, 2)), ("arctan2(x, 2)", mpmath.atan2(1.5, 2)), ("hypot(x, 2)", 2.5),
        ("Mod(x, 1)", 0.5), ("Max(x, 1, 2)", 2), ("minimum(x, 1)", 1), ("Eq(x, 1.5)", 1), ("Ne(x, 1.5)", 0),
        ("Lt(x, 2)", 1), ("Le(x, 1)", 0), ("Gt(x, 1)", 1), ("Ge(x, 2)", 0), ("Xor(x > 1, x > 2)", 1),
        ("And(x > 1, x > 2)", 0), ("Or(x > 1, x > 2)", 1), ("Not(x > 1)", 0), ("ITE(x > 1, 4, 5)", 4),
        ("Heaviside(x - 1.5)", 0.5), ("Heaviside(x - 1.5, 1)", 1), ("polygamma(1, x)", mpmath.polygamma(1, 1.5)),
        ("zeta(2, x)", mpmath.zeta(2, 1.5)), ("besselj(1, x)", mpmath.besselj(1, 1.5)),
        ("besseli(1, x)", mpmath.besseli(1, 1.5)), ("besselk(1, x)", mpmath.besselk(1, 1.5)),
        ("bessely(1, x)", mpmath.bessely(1, 1.5)), ("pi*E", mpmath.pi * mpmath.e),
        ("EulerGamma + Catalan + GoldenRatio", mpmath.euler + mpmath.catalan + mpmath.phi),
    ],
)  # fmt: skip
def test_functions_of_several_arguments(text, expected):
    arguments = {"x": 1.5} if "x" in text.replace("Max", "").replace("maximum", "") else {}
    assert float(value(text, **arguments)) == pytest.approx(float(expected), rel=1e-13)


def test_long_sums_and_deep_nesting():
    text = " + ".join(f"x{i}*y**{i % 5}" for i in range(4000))
    assert len(graph_from_formulas([text]).inputs) == 4001
    for deep in ("sin(" * 5000 + "x" + ")" * 5000, "(" * 5000 + "x" + "+y)" * 5000, "-" * 5000 + "x"):
        assert graph_from_formulas([deep]).inputs[0].data == "x"
