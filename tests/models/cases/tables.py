"""Matrices, arrays, dtypes and layouts."""

from __future__ import annotations

import sympy as sp

from .model import Model, case, scalars


@case("MX01")
def matrix_of_scalars() -> Model:
    v = scalars("x y")
    x, y = v.values()
    return Model(v, {"M": sp.Matrix([[x * y, sp.sin(x) / x], [sp.exp(y), x / y]])})


@case("MX02")
def linear_in_a_matrix() -> Model:
    a = sp.MatrixSymbol("A", 2, 2)
    return Model({"A": a}, {"B": 2 * a + a.T})


@case("MX03")
def quadratic_form() -> Model:
    x, a = sp.MatrixSymbol("x", 3, 1), sp.MatrixSymbol("A", 3, 3)
    return Model({"x": x, "A": a}, {"f": (x.T * a * x)[0, 0]})


@case("MX05")
def log_determinant() -> Model:
    a = sp.MatrixSymbol("A", 3, 3)
    return Model({"A": a}, {"f": sp.log(sp.Determinant(a))})


@case("MX07")
def two_matrices() -> Model:
    v = scalars("x")
    x = v["x"]
    return Model(v, {"M": sp.Matrix([0, 1, x**2]), "N": sp.Matrix([[0, x], [1, 0]])})


@case("MX08")
def unused_matrix() -> Model:
    x, y, z = sp.MatrixSymbol("X", 2, 1), sp.MatrixSymbol("Y", 3, 1), sp.Symbol("z")
    return Model({"X": x, "z": z, "Y": y}, {"f": sp.Rational(3, 2) + z**2})


@case("MX09")
def matrix_plus_numbers() -> Model:
    a = sp.MatrixSymbol("A", 2, 2)
    return Model({"A": a}, {"B": a * a + sp.ImmutableMatrix([[1, 0], [0, 3]])})


@case("MX11")
def array_of_rank_three() -> Model:
    v = scalars("x y")
    x, y = v.values()
    return Model(v, {"T": sp.Array([[[x, y], [x * y, 1]], [[x**2, 0], [sp.sin(y), x / y]]])})


@case("DT01")
def single_precision() -> Model:
    v = scalars("x")
    x = v["x"]
    return Model(v, {"f": x**2 / 2 + x / 3 + sp.sqrt(x) * sp.Float(0.1) + sp.sin(x) ** 3})


@case("DT03")
def matrix_of_arrays() -> Model:
    v = scalars("a b")
    a, b = v.values()
    return Model(v, {"M": sp.Matrix([[a, b], [a + b, 3]])})


@case("DT06")
def read_only_argument() -> Model:
    x = sp.MatrixSymbol("X", 2, 1)
    return Model({"X": x}, {"f": x[0, 0] ** 2 * x[1, 0]})
