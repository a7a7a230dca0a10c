"""Special functions, unevaluated objects, functions of time, functions of the user's, functions on a GPU."""

from __future__ import annotations

from typing import Any

import sympy as sp

from .model import Model, case, real, scalars

R = sp.Rational


@case("SF01")
def bessel() -> Model:
    v = scalars("x")
    x = v["x"]
    total = sp.besselj(R(5, 2), x) + sp.bessely(1, x) - sp.besseli(0, x) / 4 + sp.besselk(1, x)
    return Model(v, {"f": total})


@case("SF05")
def lambert_below() -> Model:
    v = scalars("x")
    return Model(v, {"f": sp.LambertW(v["x"], -1)})


@case("SF06")
def gamma_family() -> Model:
    v = scalars("x y")
    x, y = v.values()
    return Model(v, {"f": sp.loggamma(x) + sp.polygamma(0, x) - sp.polygamma(2, x) / 8, "g": sp.gamma(y)})


@case("SF08")
def zeta() -> Model:
    v = scalars("x")
    return Model(v, {"f": sp.zeta(v["x"])})


@case("SF09")
def error_functions() -> Model:
    v = scalars("x")
    x = v["x"]
    return Model(v, {"f": sp.erf(x) / x + 2 * sp.erfc(x / 2) + sp.erfinv(x / 4)})


@case("SF10")
def tail() -> Model:
    v = scalars("x")
    return Model(v, {"f": sp.erfc(v["x"])})


@case("SF11")
def integrals() -> Model:
    v = scalars("x")
    x = v["x"]
    return Model(v, {"f": sp.Ei(x) + sp.expint(2, x) + sp.Si(x) - sp.Ci(x) + sp.Shi(x)})


@case("SF12")
def orthogonal_polynomials() -> Model:
    v = scalars("n x")
    n, x = v.values()
    return Model(v, {"f": sp.legendre(4, x) + sp.hermite(3, x) + sp.chebyshevt(5, x), "g": sp.laguerre(n, x)})


@case("SF13")
def combinatorial() -> Model:
    v = scalars("n k", positive=True)
    n, k = v.values()
    return Model(v, {"f": sp.binomial(n, k) + sp.factorial(n) / 64 + sp.beta(n, k)})


@case("SF15")
def reciprocal_functions() -> Model:
    v = real("x y")
    x, y = v.values()
    f = sp.sec(x) + 2 * sp.csc(x) + 3 * sp.cot(x) + 4 * sp.sech(x) + 5 * sp.csch(x) + 6 * sp.coth(x)
    g = sp.acot(x) + 2 * sp.asec(y) + 3 * sp.acsc(y) + 4 * sp.acoth(y) + 5 * sp.asech(x) + 6 * sp.acsch(x)
    return Model(v, {"f": f, "g": g})


@case("SF16")
def inverse_cotangent() -> Model:
    v = real("x")
    return Model(v, {"f": sp.acot(v["x"])})


@case("UN01")
def integral() -> Model:
    x, t = sp.symbols("x t", real=True)
    return Model({"x": x}, {"f": sp.Integral(sp.exp(-x * t**2), (t, 0, 1))})


@case("UN03")
def unevaluated_derivatives() -> Model:
    v = scalars("x y")
    x, y = v.values()
    return Model(v, {"f": sp.Derivative(sp.sin(x) * y**2, x) + sp.Derivative(x**3 * y, x, y) + x})


@case("UN04")
def derivative_at_a_point() -> Model:
    x, y = sp.symbols("x y")
    return Model({"x": x}, {"f": sp.Subs(sp.Derivative(y**3 * x, y), y, x**2 + 1)})


@case("UN05")
def undefined_function() -> Model:
    v = scalars("x y")
    x, y = v.values()
    return Model(v, {"f": x * sp.Function("g")(x + y).diff(x)})


@case("UN06")
def infinite_sum() -> Model:
    y, k = sp.Symbol("y", positive=True), sp.Symbol("k", integer=True)
    return Model({"y": y}, {"f": sp.Sum((-1) ** (k + 1) / k**y, (k, 1, sp.oo))})


# ---------------------------------------------------------------------------------------------------- functions of time
_T = sp.Symbol("t")


@case("ME01")
def second_derivative_as_argument() -> Model:
    q = sp.Function("q")(_T)
    inputs = {"q": q, "qd": q.diff(_T), "qdd": q.diff(_T, 2)}
    return Model(inputs, {"f": q.diff(_T, 2) + 2 * q.diff(_T) * sp.sin(q) + q**2})


@case("ME03")
def lagrangian() -> Model:
    q, (m, length, g) = sp.Function("q")(_T), sp.symbols("m l g")
    kinetic = m * length**2 * q.diff(_T) ** 2 / 2 * (1 + sp.sin(q) ** 2)
    inputs = {"q": q, "qd": q.diff(_T), "m": m, "l": length, "g": g}
    return Model(inputs, {"L": kinetic - m * g * length * (1 - sp.cos(q))})


@case("ME06")
def typeset_functions_of_time() -> Model:
    x, v, force = (sp.Function(name)(_T) for name in ("x_{1}", "v'", "f_{in}"))
    m = sp.Symbol("m_{c}")
    inputs = {"x": x, "v": v.diff(_T), "f": force, "m": m}
    return Model(inputs, {"r": m * v.diff(_T) * x + force * sp.cos(x)})


# ---------------------------------------------------------------------------------------- functions of the user's
def _two_arguments() -> tuple[Any, dict[Any, Any]]:
    """F(a, b) = a**2 * sin(b), whose partials are functions of the user's again."""
    first, second = sp.Function("G"), sp.Function("H")

    class F(sp.Function):
        nargs = 2

        def fdiff(self, argindex: int = 1) -> sp.Expr:
            return {1: first, 2: second}[argindex](*self.args)

    a, b = sp.symbols("a b")
    values = {F: a**2 * sp.sin(b), first: 2 * a * sp.sin(b), second: a**2 * sp.cos(b)}
    return F, {function: sp.Lambda((a, b), value) for function, value in values.items()}


@case("UF01")
def user_function() -> Model:
    f, values = _two_arguments()
    v = scalars("x y")
    x, y = v.values()
    return Model(v, {"f": f(x**2, x + y) + y * f(y, x)}, values)


@case("UF03")
def user_function_without_value() -> Model:
    f, _ = _two_arguments()
    v = scalars("x y")
    return Model(v, {"f": f(v["x"] ** 2, v["y"])})


@case("UF05")
def user_function_with_one_partial() -> Model:
    slope = sp.Function("D1T")

    class T(sp.Function):
        nargs = 2

        def fdiff(self, argindex: int = 1) -> sp.Expr:
            if argindex != 1:
                raise sp.core.function.ArgumentIndexError(self, argindex)
            return slope(*self.args)

    a, b = sp.symbols("a b")
    v = scalars("x y")
    values = {T: sp.Lambda((a, b), a**3 + b), slope: sp.Lambda((a, b), 3 * a**2)}
    return Model(v, {"f": T(v["x"] ** 2, v["y"])}, values)


@case("GP02")
def error_and_gamma_functions() -> Model:
    v = scalars("x", positive=True)
    x = v["x"]
    return Model(v, {"f": sp.erf(x) + sp.erfc(x) ** 2 + sp.loggamma(x) + sp.gamma(x + 1)})


@case("GP03")
def bessel_of_real_order() -> Model:
    v = scalars("x")
    return Model(v, {"f": sp.besselj(R(5, 3), v["x"])})
