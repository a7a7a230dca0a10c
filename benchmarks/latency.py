"""Latency of one call: the gradient of the 10-dimensional Rosenbrock function against a C extension made by hand."""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sysconfig
import tempfile
from pathlib import Path
from types import ModuleType

import numpy as np
from scipy.optimize import rosen_der

import symgraph as sg
from benchmarks.measure import Figure, compare, main, require
from tests.models.rosenbrock import rosenbrock, rosenbrock_written_out

AIM = 1.1


def extension(folder: Path) -> ModuleType:
    """Compile ``c/rosenbrock.c`` and import it."""
    source = Path(__file__).parent / "c" / "rosenbrock.c"
    target = folder / f"rosenbrock_extension{sysconfig.get_config_var('EXT_SUFFIX')}"
    includes = [f"-I{sysconfig.get_path('include')}", f"-I{np.get_include()}"]
    compiler = shlex.split(os.environ.get("CC", "cc"))
    flags = ["-O3", "-march=native", "-shared", "-fPIC"]
    subprocess.run([*compiler, *flags, *includes, str(source), "-o", str(target)], check=True)
    specification = importlib.util.spec_from_file_location("rosenbrock_extension", target)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def figures() -> list[Figure]:
    """Nanoseconds per call with and without ``out``, and the ratios of medians."""
    fixed = sg.compile(sg.grad(rosenbrock(10), "x"))
    written = sg.compile(sg.grad(rosenbrock_written_out(10), "x"))
    every = sg.compile(sg.grad(rosenbrock(), "x"))
    x = np.random.default_rng(0).uniform(-1.5, 1.5, 10)
    out = np.empty(10)
    with tempfile.TemporaryDirectory() as folder:
        by_hand = extension(Path(folder)).gradient
        truth = rosen_der(x)
        for name, found in (("C", by_hand(x)), ("n = 10", fixed(x)), ("written out", written(x)), ("any n", every(x))):
            require(np.allclose(found, truth, rtol=1e-13, atol=1e-11), f"gradient by {name}")
        require(fixed(x, out=out) is out and np.allclose(out, truth, rtol=1e-13, atol=1e-11), "gradient into out")
        names = {"c": by_hand, "k": fixed, "e": every, "w": written, "x": x, "out": out}
        seconds = compare({
            "C": ("c(x)", names), "C, out": ("c(x, out)", names),
            "kernel": ("k(x)", names), "kernel, out": ("k(x, out=out)", names),
            "written out": ("w(x)", names), "written out, out": ("w(x, out=out)", names),
            "any n": ("e(x)", names), "any n, out": ("e(x, out=out)", names),
        }, rounds=31)
    found = [Figure(f"Rosenbrock-10 gradient, {name}", 1e9 * value, "ns") for name, value in seconds.items()]
    for kernel in ("kernel", "written out", "any n"):
        for suffix in ("", ", out"):
            ratio = seconds[f"{kernel}{suffix}"] / seconds[f"C{suffix}"]
            aim = AIM if kernel == "kernel" else None
            found.append(Figure(f"Rosenbrock-10 gradient, {kernel}{suffix} / C{suffix}", ratio, "times", aim,
                                "ratio of medians, interleaved"))
    return found


if __name__ == "__main__":
    main(figures, "Call latency")
