"""Value, gradient and Hessian of kernels are those of the branch taken: numbers and arrays, on each target.

Many random programs are one kernel, so that it compiles in seconds. In an array the worst points stand beside harmless
ones, so that every lane has neighbours in other branches.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import symgraph as sg
from symgraph.graph import Graph, Output

from ..derive.taken_branch import INPUTS, as_node, derivatives, mistakes, random_point, random_program

OUTPUTS = 13  # value, gradient, Hessian
PROGRAMS = {"cython": 14, "numba": 5}


def batch(seed: int, count: int) -> tuple[list, sg.Function]:
    """Random programs, and the function that computes all of their derivatives."""
    generator = random.Random(seed)
    programs = [random_program(generator, generator.randint(3, 6)) for _ in range(count)]
    nodes = [n for program in programs for n in derivatives(as_node(program))[:OUTPUTS]]
    outputs = tuple(Output(f"o{k}", n) for k, n in enumerate(nodes))
    return programs, sg.Function(Graph("branches", INPUTS, outputs, tuple(range(len(nodes)))))


@pytest.mark.parametrize("target", PROGRAMS)
def test_kernels_give_the_derivatives_of_the_taken_branch(target):
    programs, function = batch(11, PROGRAMS[target])
    kernel = sg.compile(function, target=target)
    generator = random.Random(5)
    points = [random_point(generator) for _ in range(22)]
    with np.errstate(all="raise", under="ignore"):
        alone = np.array([kernel(*point) for point in points])
        together = np.array(kernel(*np.array(points).T)).T
    np.testing.assert_array_equal(together, alone)
    compared = 0
    for point, values in zip(points, alone, strict=True):
        for k, program in enumerate(programs):
            count, wrong = mistakes(program, point, [*values[OUTPUTS * k : OUTPUTS * (k + 1)], *[np.nan] * 3])
            wrong = [w for w in wrong if int(w.split()[1]) < OUTPUTS]
            assert not wrong, f"program {k}: {wrong}"
            compared += count
    assert compared > 40 * PROGRAMS[target]
