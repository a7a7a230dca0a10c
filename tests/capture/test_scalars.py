"""Numbers, arithmetic and every function of the table, against mpmath through SymPy's own evaluation."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
import sympy as sp
from sympy.codegen import cfunctions

import symgraph as sg
from symgraph.capture import capture
from symgraph.capture.functions import FORMULAS, ROWS
from symgraph.capture.reductions import held, undefined
from symgraph.errors import UnsupportedError
from symgraph.node import Kind

from .evaluation import value

x, y, z = sp.symbols("x y z")


def constant_of(expression: sp.Expr) -> object:
    """The payload of the constant that an expression becomes."""
    node = capture(expression, [])[0].outputs[0].node
    assert node.kind is Kind.CONST
    return node.data


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (sp.Integer(2) ** 200, 2**200),
        (sp.Integer(-7), -7),
        (sp.Rational(-22, 7), Fraction(-22, 7)),
        (sp.Float("0.1"), 0.1),
        (sp.oo, math.inf),
        (-sp.oo, -math.inf),
    ],
)
def test_numbers_are_exact(number: sp.Expr, expected: object) -> None:
    found = constant_of(number)
    assert type(found) is type(expected)
    assert found == expected


def test_a_float_of_more_than_53_bits_keeps_its_digits() -> None:
    third = sp.Rational(1, 3).evalf(50)
    found = constant_of(third)
    assert isinstance(found, sp.Float)
    assert found._mpf_ == third._mpf_


@pytest.mark.parametrize(
    "number", [sp.pi, sp.E, sp.EulerGamma, sp.Catalan, sp.GoldenRatio, sp.TribonacciConstant]
)
def test_named_numbers_stay_symbols(number: sp.Expr) -> None:
    assert constant_of(number) is number
    assert value(number * x, 1.0) == pytest.approx(float(number), rel=1e-15)


def test_nan_and_truth() -> None:
    assert math.isnan(constant_of(sp.nan))  # type: ignore[arg-type]
    assert constant_of(sp.true) is True
    assert constant_of(sp.Integer(1)) == 1
    assert constant_of(sp.Integer(1)) is not True


def test_one_zero_and_truth_are_different_outputs() -> None:
    graph, _ = capture([sp.Integer(1), sp.true, sp.Float(1.0), 1.0, True], [])
    payloads = [o.node.data for o in graph.outputs]
    assert [type(p) for p in payloads] == [int, bool, float, float, bool]


def test_arithmetic() -> None:
    expression = (x - y) / z + x * y**3 - sp.sqrt(x) / (2 * z) + x ** sp.Rational(-3, 2) + y**z
    at = {x: 1.75, y: 0.5, z: 3.0}
    assert value(expression, 1.75, 0.5, 3.0) == pytest.approx(float(expression.evalf(30, subs=at)), rel=1e-14)


# one point per argument, inside the domain of the function
POINTS: dict[type, list[tuple[float, ...]]] = {
    sp.acosh: [(1.75,)], sp.asec: [(1.5,), (-1.5,)], sp.acsc: [(1.5,)], sp.asech: [(0.4,)],
    sp.acoth: [(1.5,), (-2.5,)], sp.acot: [(0.5,), (-2.0,), (-1e6,), (0.0,)], sp.atan2: [(0.5, -0.25), (-0.5, -0.25)],
    sp.Mod: [(-2.25, 0.75), (2.25, 0.75)], sp.Max: [(0.5, 0.75)], sp.Min: [(0.5, 0.75)], sp.loggamma: [(2.5,)],
    sp.besselj: [(1.0, 2.5)], sp.bessely: [(1.0, 2.5)], sp.besseli: [(1.0, 2.5)], sp.besselk: [(1.0, 2.5)],
    sp.polygamma: [(0.0, 1.5), (2.0, 1.5)], sp.zeta: [(2.5,)], sp.erf2: [(0.25, 0.5)],
    sp.KroneckerDelta: [(2.0, 2.0), (2.0, 3.0)], sp.Heaviside: [(-0.5,), (0.0,), (0.5,)], sp.beta: [(1.5, 2.5)],
    sp.binomial: [(5.5, 2.0)], sp.expint: [(1.0, 0.5)], sp.jn: [(1.0, 0.5)], sp.erfcinv: [(0.5,)], sp.log: [(0.3,)],
    sp.factorial: [(2.5,)], sp.sign: [(-0.5,), (0.0,)], sp.frac: [(-1.25,)], sp.sinc: [(0.0,), (0.5,)],
    cfunctions.fma: [(0.5, 1.5, 2.5)], cfunctions.hypot: [(0.5, 1.5)], cfunctions.isnan: [(0.5,)],
    sp.erfinv: [(0.25,)], sp.coth: [(0.3,), (-0.3,)], sp.gamma: [(0.3,), (-1.5,)], cfunctions.log10: [(100.0,)],
    sp.yn: [(1.0, 0.5)], sp.Chi: [(1.5,)], sp.lowergamma: [(1.5, 0.75)], sp.uppergamma: [(1.5, 0.75), (0.0, 0.75)],
    sp.elliptic_f: [(0.5, 0.25)], sp.elliptic_e: [(0.25,), (0.5, 0.25)], sp.LambertW: [(0.3,), (-0.25, -1.0)],
    sp.legendre: [(3.0, 0.25)], sp.chebyshevt: [(3.0, 0.25)], sp.chebyshevu: [(3.0, 0.25)],
    sp.hermite: [(3.0, 0.25)], sp.hermite_prob: [(3.0, 0.25)], sp.laguerre: [(3.0, 0.25)],
    sp.assoc_laguerre: [(3.0, 1.5, 0.25)], sp.gegenbauer: [(3.0, 1.5, 0.25)], sp.jacobi: [(3.0, 1.5, 0.5, 0.25)],
    sp.assoc_legendre: [(3.0, 2.0, 0.25), (3.0, -1.0, -0.25)], sp.Znm: [(3.0, -2.0, 0.7, 1.3), (3.0, 2.0, 0.7, 1.3)],
    sp.RisingFactorial: [(1.5, 3.0), (1.5, 0.25)], sp.FallingFactorial: [(2.5, 2.0), (2.5, 0.25)],
    sp.harmonic: [(2.5,), (2.5, 3.0)], sp.dirichlet_eta: [(2.5,), (-1.5,)],
}  # fmt: skip
# arguments that must be numbers
NUMBERS = {
    sp.assoc_legendre: (0, 1), sp.Znm: (0, 1), sp.LambertW: (1,), sp.uppergamma: (0,), sp.harmonic: (1,),
    sp.RisingFactorial: (1,),
}  # fmt: skip
TABLE = [f for f in (*ROWS, *FORMULAS) if f not in (held, undefined)]


@pytest.mark.parametrize("function", TABLE, ids=lambda f: f.__name__)
def test_functions_agree_with_mpmath(function: type) -> None:
    for point in POINTS.get(function, [(0.3,), (-0.3,)] if function not in POSITIVE else [(0.3,)]):
        # exact points, so that SymPy evaluates at the number and not next to it
        exact = [sp.Rational(*p.as_integer_ratio()) for p in point]
        symbols = sp.symbols(f"x:{len(point)}", real=True)
        fixed = NUMBERS.get(function, ())
        arguments = [exact[k] if k in fixed else symbol for k, symbol in enumerate(symbols)]
        applied = function(*arguments, evaluate=False) if function in UNEVALUATED else function(*arguments)
        free = [k for k in range(len(point)) if k not in fixed]
        found = value(applied, *(point[k] for k in free), inputs=[symbols[k] for k in free])
        assert float(found) == pytest.approx(reference(function, exact), rel=3e-14, abs=1e-300), point


# of these the negative half is no domain
POSITIVE = {
    sp.Ci,
    sp.LambertW,
    cfunctions.log2,
    cfunctions.log1p,
    cfunctions.Cbrt,
    cfunctions.Sqrt,
    sp.airybi,
}
UNEVALUATED = {sp.re, sp.im, sp.conjugate, sp.assoc_legendre, sp.Znm, sp.RisingFactorial}


# functions that SymPy does not evaluate itself, in terms of one that it does
REWRITTEN = {sp.erfcinv: sp.erfinv, sp.erf2: sp.erf, cfunctions.Cbrt: sp.Pow, cfunctions.Sqrt: sp.Pow}


def reference(function: type, arguments: list[sp.Expr]) -> float:
    """The value to 30 digits, by mpmath."""
    applied = function(*arguments)
    if function in REWRITTEN:
        applied = applied.rewrite(REWRITTEN[function])
    if applied in (sp.true, sp.false):
        return float(bool(applied))
    number = (sp.expand_func(applied) if function in (cfunctions.fma, sp.Znm) else applied).evalf(30)
    return float(number.as_real_imag()[0] if function is sp.Znm else number)  # real, from complex parts


def test_log_to_a_base() -> None:
    assert value(sp.log(x, 3), 5.0) == pytest.approx(math.log(5.0, 3), rel=1e-15)


def test_equal_expressions_become_one_node() -> None:
    left, right = sp.sin(x * y) + 1, sp.sin(y * x) * 2
    graph, _ = capture([left, right])
    assert sum(n.data == "sin" for n in graph.order) == 1


@pytest.mark.parametrize(
    ("expression", "name", "path"),
    [
        (
            sp.sin(x + sp.Integral(sp.exp(-(z**2)), (z, 0, y))),
            "Integral",
            "sin.args[0] -> Add.args[1] -> Integral",
        ),
        (x + sp.I * y, "imaginary unit", "ImaginaryUnit"),
        (sp.Max(x, sp.zoo, evaluate=False), "complex infinity", "Max.args"),
        (sp.Limit(sp.sin(x) / x, x, 0) + y, "Limit", "Add.args"),
        (x * sp.Function("g")(x + y), "the function g", "Mul.args"),
        (sp.exp(sp.CRootOf(z**5 - z - 1, 0)) * x, "ComplexRootOf", "exp"),
        (sp.DiracDelta(x) + 1, "DiracDelta", "Add.args"),
    ],
)
def test_what_has_no_meaning_is_refused_with_its_path(expression: sp.Expr, name: str, path: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        capture(expression)
    assert name in str(caught.value)
    assert path in str(caught.value)


def test_complex_functions_of_real_arguments() -> None:
    assert value([sp.re(x), sp.im(x), sp.conjugate(x)], 2.5) == [2.5, 0, 2.5]


def test_derivatives_that_were_left_unevaluated_are_carried_out() -> None:
    carried = sp.Derivative(sp.sin(x) * y**2, x) + sp.Derivative(x**3 * y, x, y)
    assert value(carried, 0.5, 2.0) == pytest.approx(math.cos(0.5) * 4 + 0.75, rel=1e-15)
    at_point = sp.Subs(sp.Derivative(y**3 * x, y), y, x**2 + 1)
    assert value(at_point, 0.5) == pytest.approx(3 * 1.25**2 * 0.5, rel=1e-15)


def test_text_is_never_evaluated() -> None:
    with pytest.raises(UnsupportedError, match="str"):
        capture("__import__('os').getcwd()")


@pytest.mark.parametrize("order", [sp.Rational(5, 2), sp.Rational(1, 3)])
@pytest.mark.parametrize(("function", "exact"), [(sp.besseli, mpmath.besseli), (sp.besselj, mpmath.besselj)])
def test_bessel_functions_whose_argument_sympy_turns_around(function, exact, order):
    angle = sp.Symbol("angle", real=True)
    formula = function(order, sp.Rational(11, 4) - 2 * sp.sin(angle))
    assert formula.func is sp.Mul, "SymPy writes z**nu * (-z)**(-nu) * I(nu, -z)"
    f = sg.function(formula, inputs=[angle])
    slope = sg.grad(f)

    def truth(x):
        return exact(mpmath.mpf(order.p) / order.q, mpmath.mpf(11) / 4 - 2 * mpmath.sin(x))

    for x in (0.3, -2.0):
        assert f(x) == pytest.approx(float(truth(x)), rel=1e-13)
        assert slope(x)[0] == pytest.approx(float(mpmath.diff(truth, x)), rel=1e-11)


@pytest.mark.parametrize("order", [2, 3, 5])
def test_incomplete_gamma_functions_that_sympy_writes_out(order):
    x = sp.Symbol("x", positive=True)
    for formula, scale in ((sp.lowergamma(order, x**2), 1), (3 - x + 3 * sp.lowergamma(order, x**2), 3)):
        assert formula.is_Add and not formula.has(sp.lowergamma)
        f = sg.function(formula.subs(3 - x, 0) if scale == 1 else formula - (3 - x), inputs=[x])
        slope = sg.grad(f)
        for at in (1e-3, 0.1, 1.5):
            value = scale * mpmath.gammainc(order, 0, mpmath.mpf(at) ** 2)
            assert f(at) == pytest.approx(float(value), rel=1e-13)
            exact = scale * 2 * mpmath.mpf(at) ** (2 * order - 1) * mpmath.exp(-mpmath.mpf(at) ** 2)
            assert slope(at)[0] == pytest.approx(float(exact), rel=1e-12)
