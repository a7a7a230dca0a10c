"""Derivatives up to the third order are those of the branch taken, whatever the others hold: the interpreter."""

from __future__ import annotations

import random

import pytest

from symgraph.graph import Graph, Output
from symgraph.interpret import evaluate

from .taken_branch import (
    COUNT,
    INPUTS,
    as_node,
    derivatives,
    forward,
    mistakes,
    random_point,
    random_program,
    reverse,
)

MODES = ((reverse, reverse, reverse), (forward, forward, forward), (reverse, forward, reverse))


@pytest.mark.parametrize("block", range(6))
def test_derivatives_are_those_of_the_taken_branch(block):
    compared = 0
    for seed in range(15 * block, 15 * block + 15):
        generator = random.Random(seed)
        program = random_program(generator, generator.randint(3, 7))
        outputs = tuple(Output(f"o{k}", n) for k, n in enumerate(derivatives(as_node(program), MODES[block % 3])))
        graph = Graph("f", INPUTS, outputs, tuple(range(COUNT)))
        for _ in range(4):
            point = random_point(generator)
            count, wrong = mistakes(program, point, evaluate(graph, point))
            assert not wrong, f"seed {seed}: {wrong}"
            compared += count
    assert compared > 200
