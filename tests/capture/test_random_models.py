"""Random models: capture against SymPy's own evaluation at 30 digits, and there and back again."""

from __future__ import annotations

import hypothesis
import numpy as np
import sympy as sp
from hypothesis import strategies as st

from symgraph.capture import capture, to_sympy
from symgraph.interpret import evaluate
from symgraph.spec import verify

x, y, z = SYMBOLS = sp.symbols("x y z", real=True)
i, j = sp.symbols("i j", integer=True)
n = sp.Symbol("n", integer=True, positive=True)
u = sp.IndexedBase("u", shape=(n,))

# total on the real numbers, so that every point is inside the domain
UNARY = (
    sp.sin, sp.atan, sp.tanh, sp.Abs, lambda e: sp.exp(-(e**2)), lambda e: sp.sqrt(1 + e**2), lambda e: 1 / (2 + e**2),
    lambda e: -e, lambda e: e**3, lambda e: sp.log(1 + e**2), lambda e: sp.erf(e / 2),
)  # fmt: skip
BINARY = (
    sp.Add, sp.Mul, sp.Max, sp.Min, lambda a, b: a - b, lambda a, b: a / (1 + b**2),
    lambda a, b: sp.Piecewise((a, a < b), (b**2, True)),
    lambda a, b: sp.Piecewise((a - b, sp.And(a > 0, b > 0)), (1, True)),
)  # fmt: skip
NUMBERS = (sp.Integer(2), sp.Rational(-1, 3), sp.pi, sp.Float("0.75"), sp.Integer(0), sp.Integer(1))


def expressions(leaves: tuple[sp.Expr, ...]) -> st.SearchStrategy[sp.Expr]:
    """Expressions over leaves, and the numbers above."""
    return st.recursive(
        st.sampled_from(leaves + NUMBERS),
        lambda inner: st.one_of(
            st.builds(lambda f, a: f(a), st.sampled_from(UNARY), inner),
            st.builds(lambda f, a, b: f(a, b), st.sampled_from(BINARY), inner, inner),
        ),
        max_leaves=8,
    )


@hypothesis.given(expressions(SYMBOLS))
@hypothesis.settings(max_examples=80)
def test_scalars(expression: sp.Expr) -> None:
    graph, symbols = capture(expression, SYMBOLS)
    verify(graph)
    point = (0.625, -1.375, 2.25)
    expected = complex(expression.evalf(30, subs=dict(zip(SYMBOLS, point, strict=True))))
    hypothesis.assume(abs(expected) < 1e12)
    found = float(evaluate(graph, point)[0])
    assert abs(found - expected) <= 1e-11 * max(1.0, abs(expected))
    again, _ = capture(to_sympy(graph, symbols), symbols)
    assert np.isclose(float(evaluate(again, point)[0]), found, rtol=1e-14, atol=1e-14)


@hypothesis.given(
    expressions((u[i], u[j], x, i, n)),
    st.sampled_from([(0, n - 1), (0, i), (i, n - 1), (0, i - 1), (i + 1, n - 1)]),
)
@hypothesis.settings(max_examples=40)
def test_double_sums(summand: sp.Expr, inner: tuple[sp.Expr, sp.Expr]) -> None:
    total = sp.Sum(summand, (j, *inner), (i, 0, n - 1))
    graph, symbols = capture(total + u[0] * x, [u, x])
    verify(graph)
    values, factor = [0.5, -1.25, 2.0], 0.375
    expected = 0.5 * factor
    for a in range(3):
        low, high = (int(sp.sympify(bound).subs({i: a, n: 3})) for bound in inner)
        for b in range(low, high + 1):
            place = {u[i]: values[a], u[j]: values[b], i: a, n: 3, x: factor}
            expected += float(summand.xreplace({k: sp.Float(v, 30) for k, v in place.items()}).evalf(30))
    found = float(evaluate(graph, [np.array(values), factor])[0])
    assert abs(found - expected) <= 1e-10 * max(1.0, abs(expected))
    again, _ = capture(to_sympy(graph, symbols), symbols)
    assert np.isclose(float(evaluate(again, [np.array(values), factor])[0]), found, rtol=1e-13, atol=1e-13)
