"""The Gaussian mixture of ADBench: size of the emitted source, seconds to derive, emit and compile, time of a call."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

import symgraph as sg
from benchmarks.measure import Figure, compare, main, require, stopwatch
from tests.models import gmm
from tests.models.adbench import difference, read_mixture, reference

MANY = 10_000_000


def figures() -> list[Figure]:
    """One kernel, first at N = 1,000 against the reference, then the same kernel at N = 10,000,000."""
    with stopwatch() as capture:
        objective = gmm.objective()
    with stopwatch() as derivation:
        gradient = sg.value_and_grad(objective, wrt=gmm.WRT)
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get("SYMGRAPH_CACHE_DIR")
        os.environ["SYMGRAPH_CACHE_DIR"] = folder  # nothing may come from an earlier run
        try:
            with stopwatch() as emission:
                sg.generate(gradient, f"{folder}/package", name="gmm_gradient")
            with stopwatch() as compilation:
                kernel = sg.compile(gradient)
            value_kernel = sg.compile(objective)
            source = kernel.source
        finally:
            if before is None:
                del os.environ["SYMGRAPH_CACHE_DIR"]
            else:
                os.environ["SYMGRAPH_CACHE_DIR"] = before
    for name in ("1k_d2_K5", "1k_d10_K25"):
        value, parts = kernel(*read_mixture(name).arguments)
        truth = reference(f"gmm_{name}")
        require(difference(value, truth["value"]) < 1e-8, f"value of {name}")
        require(difference(np.concatenate([p.ravel() for p in parts]), truth["gradient"]) < 1e-8, f"gradient of {name}")
    size = len(source.encode())
    with stopwatch() as call:
        _check_many(kernel)
    found = [
        Figure("GMM forward and gradient: source at N = 1,000", size, "bytes"),
        Figure("GMM forward and gradient: source at N = 10,000,000", size, "bytes", size, "the same kernel, called"),
        Figure("GMM: operations of value and gradient", gradient.operation_count(), ""),
        Figure("GMM: capture from SymPy", capture[0], "s"),
        Figure("GMM: derivation", derivation[0], "s"),
        Figure("GMM: emission of a package", emission[0], "s"),
        Figure("GMM: emission and compilation of a kernel", compilation[0], "s"),
        Figure("GMM d2 K5 at N = 10,000,000: value and gradient", call[0], "s", note="and two small calls"),
    ]
    for name in ("1k_d2_K5", "1k_d10_K25"):
        arguments = read_mixture(name).arguments
        names: dict[str, Any] = {"g": kernel, "f": value_kernel, "a": arguments}
        seconds = compare({"gradient": ("g(*a)", names), "value": ("f(*a)", names)}, rounds=9)
        found += [
            Figure(f"GMM {name}: value and gradient", 1e3 * seconds["gradient"], "ms"),
            Figure(f"GMM {name}: value", 1e3 * seconds["value"], "ms"),
            Figure(f"GMM {name}: gradient / value", seconds["gradient"] / seconds["value"], "times",
                   4.0 if name == "1k_d10_K25" else None),
        ]
    return found


def _check_many(kernel: Any) -> None:
    """At N = 10,000 copies of 1,000 points the likelihood and its gradient are 10,000 times those of one copy.

    The prior does not depend on N: with F(N) = N L + P, F(2N) - F(N) isolates L.
    """
    data = read_mixture("1k_d2_K5")
    copies = MANY // len(data.x)

    def run(count: int) -> np.ndarray[Any, Any]:
        value, parts = kernel(data.alpha, data.mu, data.icf, np.tile(data.x, (count, 1)), data.gamma, data.m)
        return np.concatenate([[value], *(p.ravel() for p in parts)])

    one, two, many = run(1), run(2), run(copies)
    expected = one + (copies - 1) * (two - one)
    require(bool(np.allclose(many, expected, rtol=1e-8, atol=1e-6 * copies)), "value and gradient at N = 10,000,000")


if __name__ == "__main__":
    main(figures, "ADBench Gaussian mixture")
