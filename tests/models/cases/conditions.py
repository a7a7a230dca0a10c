"""Piecewise, conditions, minimum and maximum, steps."""

from __future__ import annotations

import sympy as sp

from .model import Model, case, real

R = sp.Rational


@case("PW01")
def integral_with_a_special_case() -> Model:
    v = real("a x")
    a, x = v.values()
    return Model(v, {"f": sp.Piecewise(((1 - sp.cos(a * x)) / a, sp.Ne(a, 0)), (0, True))})


@case("PW02")
def three_branches() -> Model:
    v = real("x y")
    x, y = v.values()
    return Model(v, {"f": sp.Piecewise((1 / x, y > 2), (x**2, y > 0), (sp.log(x), True))})


@case("PW03")
def minimum_in_a_branch() -> Model:
    v = real("z")
    z = v["z"]
    rising = R(3, 2) * z + 2 * sp.Min(6, z) ** 2 - sp.Min(4, z)
    return Model(v, {"f": sp.Piecewise((0, z < 0), (rising, True))})


@case("PW04")
def box() -> Model:
    v = real("x y z")
    x, y, z = v.values()
    inside = sp.And(*[sp.Abs(s) <= 2 for s in (x, y, z)])
    bump = sp.exp(-sp.Abs(x) - sp.Abs(y) - sp.Abs(z)) * sp.cos(x)
    return Model(v, {"f": sp.Piecewise((bump, inside), (0, True))})


@case("PW07")
def no_default() -> Model:
    v = real("x")
    return Model(v, {"f": sp.Piecewise((v["x"] ** 2, v["x"] > 1))})


@case("PW08")
def jump() -> Model:
    v = real("x")
    return Model(v, {"f": sp.Piecewise((sp.sin(v["x"]), v["x"] < 0), (R(1, 2), True))})


@case("PW09")
def conditions_as_results() -> Model:
    v = real("x y")
    x, y = v.values()
    third = sp.Piecewise((1, sp.Eq(x, y)), (2, sp.And(sp.Ne(x, 0), sp.Not(y > 3))), (3, True))
    return Model(v, {"p": x < y, "q": sp.And(x > 0, sp.Or(y > 2, sp.Not(x > y))), "r": third})


@case("PW10")
def conditional_factor() -> Model:
    d = real("v z x y")
    v, z, x, y = d.values()
    return Model(d, {"f": z * sp.Piecewise((x**2, v > R(1, 2)), (sp.exp(y), True))})


@case("PW11")
def ramp() -> Model:
    v = real("t tl k")
    t, start, k = v.values()
    return Model(v, {"f": sp.Piecewise((k * (t - start), t > start), (0, True))})


@case("PW12")
def guarded_pole() -> Model:
    v = real("T C Tl")
    t, c, limit = v.values()
    return Model(v, {"f": sp.Piecewise((10 ** (R(7, 4) - 1000 / (t + c)), t > limit), (0, True))})


@case("MM01")
def magnitudes() -> Model:
    v = real("x")
    x = v["x"]
    return Model(v, {"f": x * sp.Abs(x), "g": sp.Abs(x)})


@case("MM02")
def tie() -> Model:
    v = real("x y t")
    x, y, t = v.values()
    return Model(v, {"f": sp.Max(x * t, y * t)})


@case("MM05")
def step_of_a_difference() -> Model:
    v = real("A x n")
    a, x, n = v.values()
    return Model(v, {"f": a * x * sp.Heaviside(2 * x - n, R(1, 2))})


@case("MM08")
def rounding() -> Model:
    v = real("x")
    x = v["x"]
    return Model(v, {"f": x * sp.floor(x) + sp.ceiling(x) ** 2 + sp.frac(x)})


@case("MM09")
def signed_square() -> Model:
    v = real("x")
    return Model(v, {"f": sp.sign(v["x"]) * v["x"] ** 2})


@case("MM10")
def steps() -> Model:
    v = real("x")
    x = v["x"]
    return Model(v, {"h": sp.Heaviside(x), "h0": sp.Heaviside(x, 0), "h1": sp.Heaviside(x, 1)})


@case("MM12")
def rounding_and_angles() -> Model:
    v = real("x y")
    x, y = v.values()
    return Model(v, {"f": sp.floor(x) * y + sp.ceiling(y) * x + sp.sign(x) * sp.atan2(y, x)})
