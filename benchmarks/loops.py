"""Loops over data against C made by hand, one thread: mixture, regression and pair sum, with gradients."""

from __future__ import annotations

import ctypes
import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp
from scipy.special import logsumexp

import symgraph as sg
from benchmarks.measure import Figure, compare, main, require
from tests.models import gmm

Array = np.ndarray[Any, Any]


def library(folder: Path) -> ctypes.CDLL:
    """Compile ``c/loops.c`` and load it."""
    source, target = Path(__file__).parent / "c" / "loops.c", folder / "loops.so"
    flags = ["-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-mprefer-vector-width=512"]
    compiler = shlex.split(os.environ.get("CC", "cc"))
    flags += ["-fopenmp-simd", "-w", "-shared", "-fPIC"]
    subprocess.run([*compiler, *flags, str(source), "-o", str(target), "-lmvec", "-lm"], check=True)
    return ctypes.CDLL(str(target))


def logistic() -> sg.Function:
    """The loss of labels -1 and 1."""
    i, j = sp.symbols("i j", integer=True)
    n, d = sp.symbols("n d", integer=True, positive=True)
    rows, labels = sp.IndexedBase("X", shape=(n, d), real=True), sp.IndexedBase("y", shape=(n,), real=True)
    weights = sp.IndexedBase("w", shape=(d,), real=True)
    margin = labels[i] * sp.Sum(rows[i, j] * weights[j], (j, 0, d - 1))
    loss = sp.Sum(sp.log(1 + sp.exp(-margin)), (i, 0, n - 1))
    return sg.function(loss, inputs=[rows, labels, weights], name="logistic")


def pairs() -> sg.Function:
    """The energy of all pairs, each taken once."""
    i, j, n = sp.Symbol("i", integer=True), sp.Symbol("j", integer=True), sp.Symbol("n", integer=True, positive=True)
    p = sp.IndexedBase("p", shape=(3, n), real=True)
    sixth = sum((p[c, i] - p[c, j]) ** 2 for c in range(3)) ** -3
    return sg.function(sp.Sum(4 * (sixth**2 - sixth), (j, i + 1, n - 1), (i, 0, n - 1)), inputs=[p], name="pairs")


def _contest(name: str, elements: int, kernel: Callable[[], Any], by_hand: Callable[[], float], truth: float,
             gradients: tuple[Array, ...], aim: float) -> list[Figure]:
    """Check both results against the truth and each other, then time them in turns."""
    value, found = kernel()
    own = (found,) if isinstance(found, np.ndarray) else found
    require(np.isclose(value, truth, rtol=1e-10), f"value of {name}")
    require(np.isclose(by_hand(), truth, rtol=1e-10), f"value of {name} in C")
    for one, other in zip(own, gradients, strict=True):
        require(bool(np.max(np.abs(one - other)) <= 1e-10 * np.max(np.abs(other))), f"gradients of {name}")
    seconds = compare({"kernel": kernel, "C": by_hand}, rounds=21, clock=time.thread_time)
    return [
        Figure(f"{name}: kernel", 1e9 * seconds["kernel"] / elements, "ns"),
        Figure(f"{name}: C", 1e9 * seconds["C"] / elements, "ns"),
        Figure(f"{name}: kernel / C", seconds["kernel"] / seconds["C"], "times", aim),
    ]


def figures() -> list[Figure]:
    """Nanoseconds per pair or row, and ratios."""
    with tempfile.TemporaryDirectory() as folder:
        c = library(Path(folder))
        return [*_mixture(c), *_regression(c), *_energy(c)]


def _pointers(*arrays: Array) -> list[Any]:
    return [a.ctypes.data_as(ctypes.c_void_p) for a in arrays]


def _mixture(c: ctypes.CDLL) -> list[Figure]:
    random, n, k, d = np.random.default_rng(0), 4000, 25, 10
    alpha, mu, x = random.normal(size=k), random.normal(size=(k, d)), random.normal(size=(n, d))
    icf = 0.3 * random.normal(size=(k, d * (d + 1) // 2))
    roots = np.zeros((k, d, d))
    roots[:, np.arange(d), np.arange(d)] = np.exp(icf[:, :d])
    columns, below = np.triu_indices(d, 1)  # the strict lower triangle, column by column
    roots[:, below, columns] = icf[:, d:]
    apart = np.einsum("kab,nkb->nka", roots, x[:, None] - mu)
    density = alpha + icf[:, :d].sum(1) - 0.5 * (apart**2).sum(2)
    truth = logsumexp(density, axis=1).sum() - n * logsumexp(alpha)
    # what the objective adds to the likelihood where its prior has gamma = 1, m = 0: a function of icf
    prior = 0.5 * ((np.exp(2 * icf[:, :d])).sum() + (icf[:, d:] ** 2).sum())
    of_prior = np.concatenate([np.exp(2 * icf[:, :d]), icf[:, d:]], axis=1)
    kernel = sg.compile(sg.value_and_grad(gmm.objective(), gmm.WRT))
    constant = float(kernel(alpha, mu, icf, x, 1.0, 0)[0]) - truth - prior
    expected = -n * d * np.log(2 * np.pi) / 2 + _normaliser(k, d)
    require(np.isclose(constant, expected, rtol=1e-8), "the constants of the mixture")
    results = np.empty_like(alpha), np.empty_like(mu), np.empty_like(icf)
    c.mixture.restype = ctypes.c_double
    arguments = [*_pointers(alpha, mu, icf, x, *results), ctypes.c_int64(n), ctypes.c_int64(k)]

    def by_hand() -> float:
        return float(c.mixture(*arguments))

    by_hand()
    shifted = results[0], results[1], results[2] + of_prior
    gradients = kernel(alpha, mu, icf, x, 1.0, 0)[1]
    for one, other in zip(gradients, shifted, strict=True):
        require(bool(np.max(np.abs(one - other)) <= 1e-10 * np.max(np.abs(other))), "gradients of the mixture")

    def likelihood() -> tuple[float, tuple[Array, ...]]:
        value, parts = kernel(alpha, mu, icf, x, 1.0, 0)
        return value - prior - expected, (parts[0], parts[1])

    return _contest("mixture d10 K25, per point and component", n * k, likelihood, by_hand, truth, results[:2], 1.0)


def _normaliser(k: int, d: int) -> float:
    from scipy.special import multigammaln

    degrees = d + 1
    return -k * (degrees * d * (0 - np.log(2) / 2) - multigammaln(degrees / 2, d))


def _regression(c: ctypes.CDLL) -> list[Figure]:
    random, n, d = np.random.default_rng(1), 20000, 32
    rows, weights = random.normal(size=(n, d)), random.normal(size=d) / 4
    labels = np.where(random.uniform(size=n) < 0.5, -1.0, 1.0)
    truth = np.logaddexp(0, -labels * (rows @ weights)).sum()
    kernel = sg.compile(sg.value_and_grad(logistic(), "w"))
    gradient = np.empty(d)
    c.logistic.restype = ctypes.c_double
    arguments = [*_pointers(rows, labels, weights, gradient), ctypes.c_int64(n)]

    def by_hand() -> float:
        return float(c.logistic(*arguments))

    by_hand()
    return _contest("logistic regression d32, per row", n, lambda: kernel(rows, labels, weights), by_hand, truth,
                    (gradient,), 0.95)


def _energy(c: ctypes.CDLL) -> list[Figure]:
    side = 10
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3), -1).reshape(-1, 3).T
    points = np.ascontiguousarray(1.2 * grid + np.random.default_rng(2).uniform(-0.1, 0.1, grid.shape))
    n = points.shape[1]
    first, second = np.triu_indices(n, 1)
    sixth = ((points[:, first] - points[:, second]) ** 2).sum(0) ** -3.0
    truth = float((4 * (sixth**2 - sixth)).sum())
    kernel = sg.compile(sg.value_and_grad(pairs(), "p"))
    gradient = np.empty_like(points)
    c.pairs.restype = ctypes.c_double
    arguments = [*_pointers(points, gradient), ctypes.c_int64(n)]

    def by_hand() -> float:
        return float(c.pairs(*arguments))

    by_hand()
    count = n * (n - 1) // 2
    return _contest("Lennard-Jones, per pair", count, lambda: kernel(points), by_hand, truth, (gradient,), 0.95)


if __name__ == "__main__":
    main(figures, "Loops over data")
