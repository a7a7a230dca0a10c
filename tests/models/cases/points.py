"""Special points, numerical stability, powers, complex intermediates."""

from __future__ import annotations

import sympy as sp

from .model import Model, case, real, scalars

R = sp.Rational


@case("SP01")
def squared_norm() -> Model:
    v = scalars("x y z")
    return Model(v, {"f": sp.Pow(sp.sqrt(sum(s**2 for s in v.values())), 2, evaluate=False)})


@case("SP03")
def norm() -> Model:
    v = scalars("x y")
    return Model(v, {"f": sp.sqrt(v["x"] ** 2 + v["y"] ** 2)})


@case("SP04")
def scaled_norm() -> Model:
    v = scalars("a x y")
    a, x, y = v.values()
    return Model(v, {"f": sp.sqrt((a * x) ** 2 + (a * y) ** 2)})


@case("SP05")
def polynomial_with_power_zero() -> Model:
    v = scalars("x")
    x = v["x"]
    return Model(v, {"f": sp.Add(2 * sp.Pow(x, 0, evaluate=False), 3 * x, 5 * x**2, evaluate=False)})


@case("SP07")
def symbolic_power() -> Model:
    v = scalars("x p")
    return Model(v, {"f": v["x"] ** v["p"]})


@case("SP08")
def guarded_root() -> Model:
    v = real("x")
    x = v["x"]
    return Model(v, {"f": sp.Piecewise((sp.sqrt(x) + 2 * x, x > 0), (0, True))})


@case("SP10")
def guarded_versine() -> Model:
    v = real("x y z")
    t = sum(s**2 for s in v.values())
    return Model(v, {"f": sp.Piecewise((R(1, 2), t < R(1, 2**40)), ((1 - sp.cos(t)) / t**2, True))})


@case("SP11")
def guarded_angle() -> Model:
    v = real("y x")
    y, x = v.values()
    return Model(v, {"f": sp.Piecewise((x * sp.atan2(y, x), x > R(1, 4)), (0, True))})


@case("SP16")
def point_apart() -> Model:
    v = real("x")
    x = v["x"]
    return Model(v, {"f": sp.Piecewise((3, sp.Eq(x, 2)), (2 * x - 1, True))})


@case("SP17")
def sinc() -> Model:
    v = scalars("x")
    return Model(v, {"f": sp.sinc(v["x"])})


@case("SP18")
def angle() -> Model:
    v = real("y x")
    return Model(v, {"f": sp.atan2(v["y"], v["x"])})


@case("SP19")
def guarded_quotient() -> Model:
    v = scalars("x y")
    x, y = v.values()
    return Model(v, {"f": sp.Piecewise((x / y, sp.Ne(y, 0)), (0, True))})


@case("SP21")
def root_of_a_square() -> Model:
    v = scalars("x")
    return Model(v, {"f": sp.sqrt(v["x"] ** 2)})


@case("ST02")
def logistic() -> Model:
    v = real("x")
    return Model(v, {"f": 1 / (1 + sp.exp(-v["x"]))})


@case("ST03")
def huge_coefficients() -> Model:
    v = real("a b")
    a, b = v.values()
    w = 8 * a + 4 * b + 1
    first = 2**70 * sp.acosh(w) * sp.sqrt(w - 1) * sp.sqrt(w + 1) * a**8 * b
    return Model(v, {"f": (first - 3**41 * a**9 * b**2) / (7 * 10**22)})


@case("ST04")
def difference_of_squares() -> Model:
    v = scalars("z")
    z = v["z"]
    return Model(v, {"f": (1 - z) * (1 + z) * sp.cos(z)})


@case("PO01")
def integer_powers() -> Model:
    v = scalars("a")
    a = v["a"]
    return Model(v, {"f": a**6 - 3 * a**3 + a**-4 + sp.Pow(-a, 3, evaluate=False) - 1 / a**2})


@case("PO02")
def cube_roots() -> Model:
    v = scalars("x")
    return Model(v, {"r": sp.real_root(v["x"], 3), "c": sp.cbrt(v["x"])})


@case("PO05")
def many_powers() -> Model:
    v = scalars("x")
    x = v["x"]
    return Model(v, {"f": sum(x**k / k for k in range(1, 13)) + sum(x**-k for k in range(1, 5))})


@case("CX02")
def real_part() -> Model:
    v = real("x")
    x = v["x"]
    return Model(v, {"f": sp.re((2 + sp.I * x) * sp.exp(sp.I * x**2))})


@case("CX03")
def complex_result() -> Model:
    v = real("x")
    return Model(v, {"f": sp.exp(sp.I * v["x"])})


@case("CX04")
def complex_magnitude() -> Model:
    v = real("x")
    x = v["x"]
    return Model(v, {"f": sp.Abs(sp.sqrt(x + sp.I) * (3 + x * sp.I))})


@case("CX06")
def root_of_a_negative_number() -> Model:
    v = scalars("x")
    return Model(v, {"f": sp.sqrt(v["x"]) + v["x"]})
