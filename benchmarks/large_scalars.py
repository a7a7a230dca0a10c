"""Derivation of large scalar expressions beside CasADi in the same run: seconds and operations of a gradient."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import symgraph as sg
from benchmarks.measure import Figure, main, require, stopwatch
from symgraph.counting import operation_count
from tests.models import large_scalars, traced

# (name, formula, number of inputs, aim for the operations; None: at most CasADi's)
MODELS: tuple[tuple[str, Callable[..., Any], int, int | None], ...] = (
    ("robot arm", large_scalars.arm, large_scalars.ARM_INPUTS, 1101),
    ("spherical harmonics", large_scalars.harmonics, large_scalars.HARMONICS_INPUTS, None),
    ("random graph", large_scalars.random_graph, large_scalars.RANDOM_INPUTS, None),
)
ROUNDS = 5


def figures() -> list[Figure]:
    """Best of a few interleaved derivations, from arithmetic to value and gradient, in seconds of processor time.

    Seconds and operations belong together: there is a pair as derived, and a pair after the pass over the finished
    graph that shares common factors and terms, which is what is emitted. CasADi counts constants, inputs and outputs as
    instructions: the note has its arithmetic alone as well.
    """
    found: list[Figure] = []
    for name, formula, size, aim in MODELS:
        casadi_seconds, own_seconds, shared_seconds = [], [], []
        for _ in range(ROUNDS):
            gc.collect()
            with stopwatch(time.process_time) as seconds:
                peer = _casadi(formula, size)
            casadi_seconds += seconds
            gc.collect()
            with stopwatch(time.process_time) as seconds:
                own = derive(formula, size)
            own_seconds += seconds
            with stopwatch(time.process_time) as seconds:
                emitted = own.emitted_graph
            shared_seconds.append(own_seconds[-1] + seconds[0])
        _check(name, own, peer, size)
        peer_operations = int(peer.n_instructions())
        arithmetic = _arithmetic(peer)
        peer_note = f"CasADi: {peer_operations:,}; {arithmetic:,} of them arithmetic"
        seconds_aim = min(casadi_seconds) if aim is None else None
        seconds_note = f"CasADi: {min(casadi_seconds):.3g} s"
        for stage, graph, seconds in (("as derived", own.graph, own_seconds), ("as emitted", emitted, shared_seconds)):
            count = operation_count(graph)
            found += [
                Figure(f"{name}, {stage}: operations", count, "", aim or peer_operations, peer_note),
                Figure(f"{name}, {stage}: derivation", min(seconds), "s", seconds_aim, seconds_note),
            ]
        del own, peer, emitted
    return found


def derive(formula: Callable[..., Any], size: int) -> sg.Function:
    """Value and gradient of one model."""
    function = traced.traced_function(lambda values: formula(values, traced), [f"x{i}" for i in range(size)])
    return sg.value_and_grad(function)


def _casadi(formula: Callable[..., Any], size: int) -> Any:
    import casadi

    x = casadi.SX.sym("x", size)
    value = formula(casadi.vertsplit(x), casadi)
    result = casadi.densify(casadi.vertcat(value, casadi.gradient(value, x)))
    return casadi.Function("f", [x], [result])


def _arithmetic(function: Any) -> int:
    import casadi

    free = (casadi.OP_CONST, casadi.OP_INPUT, casadi.OP_OUTPUT)
    return sum(function.instruction_id(k) not in free for k in range(function.n_instructions()))


def _check(name: str, own: sg.Function, peer: Any, size: int) -> None:
    x = np.random.default_rng(1).uniform(-0.9, 0.9, size)
    expected = np.array(peer(x)).ravel()
    value, gradient = own(*x)
    scale = np.max(np.abs(expected[1:]))
    require(abs(value - expected[0]) <= 1e-10 * max(1.0, abs(expected[0])), f"value of the {name}")
    require(np.max(np.abs(np.array(gradient) - expected[1:])) <= 1e-10 * scale, f"gradient of the {name}")


if __name__ == "__main__":
    main(figures, "Derivation of large scalar expressions")
