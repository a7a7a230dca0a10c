"""Models that are large: many terms, deep nesting, high orders, many outputs."""

from __future__ import annotations

import itertools

import sympy as sp

from .model import Model, case, scalars

R = sp.Rational


@case("LG01")
def expanded_polynomial() -> Model:
    v = scalars("x y z")
    x, y, z = v.values()
    powers = [(i, j, k) for i in range(41) for j in range(41 - i) for k in range(41 - i - j)]
    terms = [((7 * i + 3 * j + 5 * k) % 11 + 1) * x**i * y**j * z**k for i, j, k in powers]
    return Model(v, {"f": sp.Add(*terms)})


@case("LG03")
def nested_logistic() -> Model:
    v = scalars(" ".join(f"w{k}" for k in range(40)))
    first, *rest = v.values()
    value = first
    for w in rest:
        value = 1 / (1 + sp.exp(2 * value - w))
    return Model(v, {"f": value})


@case("LG05")
def fourth_derivatives() -> Model:
    v = scalars("x y", positive=True)
    x, y = v.values()
    u = x ** R(4, 3) * sp.exp(-x * y)
    first = u * sp.log(1 + 1 / (1 + y * x**2)) / (1 + sp.sqrt(x) * sp.atan(u * y))
    return Model(v, {"f": first - u * sp.sqrt(1 + sp.sqrt(u * y))})


@case("LG06")
def ring_of_masses() -> Model:
    count = 60
    v = scalars(" ".join(f"x{k}" for k in range(count)))
    s = list(v.values())

    def force(d: sp.Expr) -> sp.Expr:
        return d + d**2 / 4 + sp.sin(d)

    rows = [force(s[(k + 1) % count] - s[k]) - force(s[k] - s[k - 1]) for k in range(count)]
    return Model(v, {"a": sp.Matrix(rows)})


@case("LG08")
def leibniz_determinant() -> Model:
    a = sp.MatrixSymbol("A", 6, 6)
    products = []
    for p in itertools.permutations(range(6)):
        inversions = sum(p[i] > p[j] for i in range(6) for j in range(i + 1, 6))
        products.append((-1) ** inversions * sp.Mul(*[a[i, p[i]] for i in range(6)]))
    return Model({"A": a}, {"f": sp.Add(*products)})


@case("LG10")
def many_long_outputs() -> Model:
    v = scalars("x y")
    x, y = v.values()

    def row(k: int) -> sp.Expr:
        terms = [sp.sin((k + 1) * x + j * y) * sp.exp(-y * x / (j + 1)) * (x + k) ** (j % 5 + 1) for j in range(12)]
        return sp.Add(*terms)

    return Model(v, {"v": sp.Matrix([row(k) for k in range(300)])})


@case("LG11")
def matrix_of_constants() -> Model:
    v = scalars("x")
    return Model(v, {"M": sp.Matrix(140, 160, lambda i, j: R((i * 161 + j) % 97, 64)) * v["x"]})


@case("LG13")
def mass_action() -> Model:
    count = 30
    v = scalars(" ".join(f"y{k}" for k in range(count)))
    y = list(v.values())
    flux = [
        R(k % 4 + 1, 8) * y[k] * y[(k + 1) % count] - R(1, 16) * y[(k + 2) % count] ** 2 for k in range(count)
    ]
    return Model(v, {"r": sp.Matrix([flux[k - 2] - flux[k] - flux[k - 1] for k in range(count)])})
