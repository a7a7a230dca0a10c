"""Sums over indexed arrays."""

from __future__ import annotations

import sympy as sp

from .model import Model, case


def _bases(names: str) -> list[sp.IndexedBase]:
    return [sp.IndexedBase(name) for name in names.split()]


def _integers(names: str) -> tuple[sp.Symbol, ...]:
    return tuple(sp.Symbol(name, integer=True) for name in names.split())


@case("IX01")
def weighted_squares() -> Model:
    (x,), (i, n) = _bases("X"), _integers("i n")
    return Model({"X": x, "n": n}, {"f": sp.Sum((i + 1) * x[i] ** 2, (i, 0, n - 1))})


@case("IX02")
def share() -> Model:
    (s,), (i, k, n) = _bases("S"), _integers("i k n")
    return Model({"S": s, "k": k, "n": n}, {"f": sp.log(s[k] / sp.Sum(s[i], (i, 0, n - 1)))})


@case("IX05")
def neighbours() -> Model:
    (y, t), (i, n) = _bases("Y T"), _integers("i n")
    terms = (y[i + 1] - y[i]) ** 2 / (t[i + 1] - t[i])
    return Model({"Y": y, "T": t, "n": n}, {"f": sp.Sum(terms, (i, 0, n - 2))})


@case("IX09")
def exponential_of_a_sum() -> Model:
    (b, x), (k, n) = _bases("B X"), _integers("k n")
    return Model({"B": b, "X": x, "n": n}, {"f": sp.exp(sp.Sum(b[k] * x[k], (k, 0, n - 1)))})


@case("IX10")
def run_time_index() -> Model:
    (u, a), (i, j, m, n) = _bases("u A"), _integers("i j m n")
    k = sp.Idx("k")
    double = sp.Sum(a[i, j] ** 2 * (i + 2 * j), (i, 0, m - 1), (j, 0, n - 1))
    return Model({"u": u, "k": k, "A": a, "m": m, "n": n}, {"f": sp.sin(u[k]) * u[k], "g": double})


@case("IX11")
def picked_element() -> Model:
    (x,), (i, k, n) = _bases("X"), _integers("i k n")
    picked = sp.Sum(sp.KroneckerDelta(i, k) * x[i] ** 2, (i, 0, n - 1))
    return Model({"X": x, "k": k, "n": n}, {"f": picked})


@case("IX12")
def chain() -> Model:
    (x,), (i, n) = _bases("X"), _integers("i n")
    return Model({"X": x, "n": n}, {"f": sp.Sum(x[i] * x[i + 1] + sp.cos(x[i]), (i, 0, n - 2))})
