"""Names that are hard to print, constants, arguments and results, names of shared parts."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from .model import Model, case, scalars

R = sp.Rational


def _weighted(names: Sequence[str]) -> Model:
    symbols = [sp.Symbol(name) for name in names]
    total = sum((k + 1) * s for k, s in enumerate(symbols)) + symbols[0] * symbols[-1]
    return Model({f"a{k}": s for k, s in enumerate(symbols)}, {"f": total})


@case("NM01")
def names_of_mathematics() -> Model:
    return _weighted("I E S N Q O C J pi oo beta gamma zeta".split())


@case("NM02")
def reserved_words() -> Model:
    return _weighted("lambda in for double int def None True class cdef register signed volatile from".split())


@case("NM03")
def typeset_names() -> Model:
    return _weighted(
        ["\\alpha", "I_{xx}", "m_{c}", "x'", "x y", "{v}", "2x", "a-b", "\\dot{q}_1", "k^*", "%", "#c"]
    )


@case("NM06")
def two_dummies_of_one_name() -> Model:
    a, b = sp.Dummy("q"), sp.Dummy("q")
    return Model({"a": a, "b": b}, {"f": a**2 - 2 * b * a + sp.exp(b)})


@case("NM10")
def typeset_names_of_arrays() -> Model:
    v, w = sp.MatrixSymbol("{v}", 2, 1), sp.IndexedBase("w'", shape=(2,))
    g = sp.Function("g_{0}")(sp.Symbol("t"))
    return Model({"v": v, "w": w, "g": g}, {"f": v[0, 0] * w[0] + v[1, 0] ** 2 * g + w[1] * g**2})


@case("CN01")
def rational_coefficients() -> Model:
    v = scalars("x")
    x = v["x"]
    return Model(v, {"f": x / 3 - R(7, 2) / x + R(1, 2) + R(-2, 3) * x**2})


@case("CN02")
def large_integers() -> Model:
    v = scalars("x")
    x = v["x"]
    quotient = 10**25 * x / (3 * 10**24 + 7 * x)
    return Model(v, {"f": quotient + 2**80 * x**2 - R(2**71, 10**21 + 9) * x + (2**64 + 1)})


@case("CN05")
def named_constants() -> Model:
    v = scalars("x")
    x = v["x"]
    total = sp.pi * x + sp.E**2 + sp.EulerGamma * x**2 + sp.Catalan * sp.GoldenRatio + sp.TribonacciConstant * x
    return Model(v, {"f": total})


@case("CN06")
def infinities() -> Model:
    v = scalars("x", real=True)
    x = v["x"]
    branch = sp.Piecewise((1 / (1 - x), x < 1), (sp.oo, True))
    return Model(v, {"a": sp.oo, "b": -sp.oo, "c": sp.nan, "f": branch})


@case("CN07")
def complex_infinity() -> Model:
    v = scalars("x")
    return Model(v, {"f": sp.Add(v["x"], sp.zoo, evaluate=False)})


@case("IO01")
def constant_results() -> Model:
    v = scalars("x")
    x = v["x"]
    return Model(v, {"c": sp.Integer(7), "d": sp.diff(x**2 / 3, x, 2), "f": x + 1})


@case("IO03")
def unused_arguments() -> Model:
    v = scalars("a x b y c")
    return Model(v, {"f": v["x"] * v["y"] ** 2})


@case("IO04")
def order_of_arguments() -> Model:
    v = scalars("z a m B _q")
    z, a, m, b, q = v.values()
    return Model(v, {"f": b - 2 * a + 3 * q - 4 * z + 5 * m * z})


@case("IO05")
def results_of_several_shapes() -> Model:
    v = scalars("x y", positive=True)
    x, y = v.values()
    vector = sp.Matrix([x + y, x * y])
    return Model(v, {"f": x**y, "v": vector, "J": vector.jacobian([x, y])})


@case("IO06")
def three_hundred_arguments() -> Model:
    v = scalars(" ".join(f"x{k}" for k in range(300)))
    s = list(v.values())
    return Model(v, {"f": sum((k + 1) * t for k, t in enumerate(s)) + s[0] * s[299] + sp.sin(s[7])})


@case("IO07")
def no_arguments() -> Model:
    i, j = sp.symbols("i j", integer=True)
    return Model({}, {"f": sp.pi**2 / 3, "g": sp.Sum(sp.Sum(i + j, (j, 0, i)), (i, 0, 4))})


@case("IO08")
def argument_given_twice() -> Model:
    x, y = sp.symbols("x y")
    return Model({"x": x, "y": y, "x_again": x}, {"f": x + 2 * y})


@case("IO09")
def symbol_without_argument() -> Model:
    x, y = sp.symbols("x y")
    return Model({"x": x}, {"f": x + 2 * y})


@case("AL01")
def arguments_named_like_temporaries() -> Model:
    c, x0, x1 = sp.Symbol("c"), sp.Symbol("x0", real=True), sp.Symbol("x1", positive=True)
    u = (x0 + 1) ** 2
    return Model({"c": c, "x0": x0, "x1": x1}, {"f": c * u + sp.sin(u) * x1 + x1 * c + (u - c) ** 3})


@case("AL03")
def many_products() -> Model:
    v = scalars("t")
    t = v["t"]
    rows = [sp.cos(t) ** i * sp.sin(t) ** j + i - j for i in range(5) for j in range(5)]
    return Model(v, {"v": sp.Matrix(rows)})


def small() -> Model:
    """The model of everything about compilers, files and processes."""
    v = scalars("x y")
    x, y = v.values()
    return Model(v, {"f": sp.sin(x * y) + x**2})


for _identifier in ("EN01", "EN02", "EN03", "EN04", "EN07", "EN08", "EN10", "EN12"):
    case(_identifier)(small)
