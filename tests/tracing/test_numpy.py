"""Traced functions against NumPy itself: the same Python function, run on arrays and traced, gives the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import symgraph as sg

_RANDOM = np.random.default_rng(7)
SIZES = {"n": 4, "d": 3, "m": 5, "b": 2}


def _values(shape: str) -> Any:
    dims = tuple(SIZES.get(s.strip(), 0) or int(s) for s in shape.split("[")[-1].rstrip("]").split(",") if s.strip())
    if shape.startswith("int"):
        return _RANDOM.integers(0, 3, dims)
    if shape.startswith("bool"):
        return _RANDOM.integers(0, 2, dims).astype(bool)
    return _RANDOM.uniform(0.2, 1.7, dims)


CASES: list[tuple[str, Callable[..., Any], dict[str, str]]] = [
    ("matrix vector", lambda x, w: x @ w, dict(x="n, d", w="d")),
    ("vector matrix", lambda w, x: w @ x, dict(w="n", x="n, d")),
    ("matrix matrix", lambda x, y: x @ y, dict(x="n, d", y="d, m")),
    ("square chain", lambda x: x @ x @ x.T, dict(x="n, n")),
    ("gram", lambda x: np.exp(x) @ np.exp(x).T, dict(x="n, d")),
    ("batched", lambda x, y: x @ y, dict(x="b, n, d", y="b, d, m")),
    ("batched by one", lambda x, y: x @ y, dict(x="b, n, d", y="d, m")),
    ("vector vector", lambda x, y: x @ y, dict(x="n", y="n")),
    ("residual layers", lambda x, v, w: np.tanh((r := x + np.tanh(x @ v)) @ w) + r, dict(x="n, d", v="d, d", w="d, d")),
    ("softmax", lambda x: np.exp(x) / np.exp(x).sum(axis=1, keepdims=True), dict(x="n, d")),
    ("softmax of None", lambda x: np.exp(x) / np.sum(np.exp(x), axis=1)[:, None], dict(x="n, d")),
    ("columns", lambda x: (x - x.mean(axis=0)) / x.std(axis=0), dict(x="n, d")),
    ("variance", lambda x: np.var(x, axis=1, ddof=1), dict(x="n, d")),
    ("square normalised", lambda x: x / x.sum(axis=0), dict(x="n, n")),
    ("square both ways", lambda x: x.sum(axis=0) + x.sum(axis=1), dict(x="n, n")),
    ("outer difference", lambda x: x[:, None] - x[None, :], dict(x="n")),
    ("pair distances", lambda x: np.sqrt(((x[:, None, :] - x[None, :, :]) ** 2).sum(-1) + 1), dict(x="n, d")),
    ("where", lambda x, y: np.where(x > y, x, 2 * y), dict(x="n, d", y="d")),
    ("where scalar", lambda x: np.where(x > 1.0, 0.0, x), dict(x="n")),
    ("clip", lambda x: np.clip(x, 0.5, 1.0), dict(x="n")),
    ("maximum", lambda x: np.maximum(x, 1.0).min(axis=0), dict(x="n, d")),
    ("ptp", lambda x: np.ptp(x, axis=0), dict(x="n, d")),
    ("slices", lambda x: x[1:] - x[:-1], dict(x="n")),
    ("slice in the middle", lambda x: x[1:-1, 1:], dict(x="n, d")),
    ("steps", lambda x: x[::2] + x[::-2][::-1], dict(x="6")),
    ("reversed", lambda x: x[::-1], dict(x="n")),
    ("ellipsis", lambda x: x[..., 0] + x[0, ..., -1], dict(x="n, n")),
    ("integer index", lambda x: x[1] * x[-1], dict(x="n, d")),
    ("index array", lambda x, k: x[k], dict(x="3, d", k="int[m]")),
    ("index arrays", lambda x, k: x[k, k], dict(x="3, 3", k="int[m]")),
    ("index array and slice", lambda x, k: x[:, k], dict(x="n, 3", k="int[m]")),
    ("index arrays apart", lambda x, k: x[k, :, k], dict(x="3, n, 3", k="int[m]")),
    ("index matrix", lambda x, k: x[k].sum(axis=1), dict(x="3, d", k="int[n, m]")),
    ("index list", lambda x: x[[2, 0, 0]], dict(x="n, d")),
    ("index of a derived array", lambda x, k: np.exp(x)[k] * x[k], dict(x="3", k="int[m]")),
    ("take", lambda x, k: np.take(x, k, axis=1), dict(x="n, 3", k="int[m]")),
    ("reshape merge", lambda x: x.reshape(-1) ** 2, dict(x="n, d")),
    ("reshape split", lambda x: x.reshape(2, 3, 2).sum(axis=1), dict(x="12")),
    ("reshape symbolic split", lambda x: x.reshape(2, -1), dict(x="2*n")),
    ("reshape mixed", lambda x: np.reshape(x, (3, 8)), dict(x="4, 6")),
    ("reshape keeps", lambda x: x.reshape(x.shape[0], -1).sum(axis=1), dict(x="n, d, 2")),
    ("ravel", lambda x: np.ravel(np.exp(x))[1:], dict(x="n, d")),
    ("transpose", lambda x: np.transpose(x, (2, 0, 1)), dict(x="n, d, m")),
    ("moveaxis", lambda x: np.moveaxis(x, 0, -1), dict(x="n, d, m")),
    ("swapaxes", lambda x: x.swapaxes(0, 1) @ x, dict(x="n, d")),
    ("concatenate", lambda x, y: np.concatenate([x, 2 * y, x]), dict(x="n, d", y="m, d")),
    ("concatenate columns", lambda x, y: np.concatenate([x, y], axis=1), dict(x="n, d", y="n, m")),
    ("stack", lambda x, y: np.stack([x, y, x * y], axis=1), dict(x="n", y="n")),
    ("stack scalars", lambda x, y: np.array([1.0, 2.0, 3.0]) * np.stack([x, y, x * y]), dict(x="", y="")),
    ("vstack", lambda x, y: np.vstack([x, y]), dict(x="n", y="n")),
    ("hstack", lambda x, y: np.hstack([x, y]), dict(x="n", y="m")),
    ("column_stack", lambda x, y: np.column_stack([x, y]), dict(x="n", y="n")),
    ("expand and squeeze", lambda x: np.squeeze(np.expand_dims(x, (0, 2))), dict(x="n")),
    ("broadcast_to", lambda x, y: np.broadcast_to(x, y.shape) + y, dict(x="d", y="n, d")),
    ("flip and roll", lambda x: np.flip(x, 1) + np.roll(x, 1, axis=0), dict(x="n, d")),
    ("roll flat", lambda x: np.roll(x, -2), dict(x="n, d")),
    ("tile", lambda x: np.tile(x, (2, 3)), dict(x="n, d")),
    ("repeat", lambda x: np.repeat(x, 2, axis=1), dict(x="n, d")),
    ("pad", lambda x: np.pad(x, ((1, 2), (0, 1))), dict(x="n, d")),
    ("triangles", lambda x: np.triu(x, 1) - np.tril(x), dict(x="n, n")),
    ("diagonal", lambda x: np.diagonal(x) + np.diag(x) + np.trace(x), dict(x="n, n")),
    ("diagonal matrix", lambda x: np.diag(x) @ x, dict(x="n")),
    ("diff", lambda x: np.diff(x, 2), dict(x="m")),
    ("cumsum", lambda x: np.cumsum(x) + x.cumsum(), dict(x="n")),
    ("cumsum of rows", lambda x: np.cumsum(np.exp(x), axis=1), dict(x="n, d")),
    ("norms", lambda x: np.linalg.norm(x) + np.linalg.norm(x, axis=1).sum() + np.linalg.norm(x[0], 1), dict(x="n, d")),
    ("norm p", lambda x: np.linalg.norm(x, 3) + np.linalg.norm(x, np.inf), dict(x="n")),
    ("dot", lambda x, y: np.dot(x, y) + np.inner(x, y.T), dict(x="n, d", y="d, m")),
    ("outer", lambda x, y: np.outer(x, y), dict(x="n", y="m")),
    ("tensordot", lambda x, y: np.tensordot(x, y, axes=([0, 2], [1, 0])), dict(x="n, d, m", y="m, n")),
    ("vdot", lambda x, y: np.vdot(x, y), dict(x="n, d", y="n, d")),
    ("kron", lambda x, y: np.kron(x, y), dict(x="2, 3", y="3, 2")),
    ("cross", lambda x, y: np.cross(x, y), dict(x="n, 3", y="n, 3")),
    ("einsum", lambda x, y: np.einsum("ij,jk->ki", x, y), dict(x="n, d", y="d, m")),
    ("einsum implicit", lambda x, y: np.einsum("ij,j", x, y), dict(x="n, d", y="d")),
    ("einsum of three", lambda x, y, z: np.einsum("i,ij,j->", x, y, z), dict(x="n", y="n, d", z="d")),
    ("einsum ellipsis", lambda x, y: np.einsum("...ij,...jk->...ik", x, y), dict(x="b, n, d", y="b, d, m")),
    ("einsum diagonal", lambda x: np.einsum("ii->i", x), dict(x="n, n")),
    ("convolve", lambda x, w: np.convolve(x, w) , dict(x="6", w="3")),
    ("convolve valid", lambda x, w: np.convolve(x, w, "valid"), dict(x="6", w="3")),
    ("trapezoid", lambda y, x: np.trapezoid(y, np.cumsum(x)), dict(y="n", x="n")),
    ("polyval", lambda p, x: np.polyval(p, x), dict(p="4", x="n")),
    ("average", lambda x, w: np.average(x, weights=w), dict(x="n", w="n")),
    ("logic", lambda x, y: np.where((x > y) & ~(x > 1) | (y > 1.2), x, y), dict(x="n", y="n")),
    ("any and all", lambda x: np.where(np.any(x > 1, axis=1) ^ np.all(x > 0.5, axis=1), 1.0, 2.0), dict(x="n, d")),
    ("booleans count", lambda x: (x > 1).sum() + np.count_nonzero(x > 1) + (x > 1) * x, dict(x="n")),
    ("sizes as numbers", lambda x: x.sum() / x.shape[0] + x.size + len(x.shape), dict(x="n, d")),
    ("powers", lambda x: x**2 + x**0.5 + 2**x + np.power(x, 3) - np.square(x), dict(x="n")),
    ("integer division", lambda k: k // 2 + k % 2 + k / 2, dict(k="int[n]")),
    ("rounding", lambda x: np.floor(3 * x) + np.ceil(3 * x) + np.trunc(-3 * x) + np.sign(x - 1), dict(x="n")),
    ("angles", lambda x: np.deg2rad(x) + np.degrees(x) + np.arctan2(x, 1) + np.hypot(x, 2), dict(x="n")),
    ("hyperbolic", lambda x: np.sinh(x) + np.arcsinh(x) + np.log1p(x) + np.expm1(x) + np.logaddexp(x, 1), dict(x="n")),
    ("sinc", lambda x: np.sinc(x), dict(x="n")),
    ("finite", lambda x: np.where(np.isfinite(x) & ~np.isnan(x) & ~np.isinf(x), x, 0), dict(x="n")),
    ("abs and copysign", lambda x: abs(-x) + np.copysign(x, x - 1) + np.heaviside(x - 1, 0.5), dict(x="n")),
    ("expit", lambda x: scipy.special.expit(x) + scipy.special.gammaln(x) + scipy.special.erf(x), dict(x="n")),
    ("entropy", lambda x: scipy.special.xlogy(x, x) + scipy.special.entr(x) + scipy.special.ndtr(x), dict(x="n")),
    ("bessel", lambda x: scipy.special.j0(x) + scipy.special.kv(1, x), dict(x="n")),
    ("reduce", lambda x: np.add.reduce(x) + np.maximum.reduce(x, axis=0), dict(x="n, d")),
    ("ufunc outer", lambda x, y: np.multiply.outer(x, y), dict(x="n", y="m")),
    ("casts", lambda x, k: (x > 1).astype(float) * k.astype(float), dict(x="n", k="int[n]")),
    ("like", lambda x: np.zeros_like(x) + np.ones_like(x) + np.full_like(x, 2.5) * x, dict(x="n, d")),
    ("creation like", lambda x: x + np.arange(x.shape[0], like=x) + np.eye(4, like=x)[0], dict(x="4")),
    ("structure", lambda x: {"a": x + 1, "b": (x.sum(), [x[0]])}, dict(x="n")),
    ("a constant", lambda x: 3.0, dict(x="")),
    ("in place", lambda x: _in_place(x), dict(x="n")),
    ("iteration", lambda x: sum(row * k for k, row in enumerate(x)), dict(x="3, d")),
    ("size one", lambda x: x * np.ones((1, 1)) + x[:1], dict(x="n, d")),
    ("constant array", lambda x: x * np.array([[1.0, 2.0, 3.0]]) + np.arange(3), dict(x="n, 3")),
]  # fmt: skip


def _in_place(x: Any) -> Any:
    y = x + 0
    y += 1
    y *= x
    return y


def _flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for v in value.values() for leaf in _flat(v)]
    if isinstance(value, (tuple, list)):
        return [leaf for v in value for leaf in _flat(v)]
    return [np.asarray(value)]


@pytest.mark.parametrize(("function", "shapes"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_as_numpy(function: Callable[..., Any], shapes: dict[str, str]) -> None:
    values = [_values(_concrete(shape)) for shape in shapes.values()]
    traced = sg.trace(function, name="f", **shapes)
    expected, found = _flat(function(*values)), _flat(traced(*values))
    assert len(expected) == len(found)
    for one, other in zip(expected, found, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(other, one, rtol=1e-13, atol=1e-13)


def _concrete(shape: str) -> str:
    return shape.replace("2*n", "8")
