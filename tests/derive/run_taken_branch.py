"""The property of ``test_taken_branch`` on many more programs: ``python -m tests.derive.run_taken_branch 0 2400``.

Prints every mistake, and at last how many programs, points and values were compared.
"""

from __future__ import annotations

import random
import sys

from symgraph.graph import Graph, Output
from symgraph.interpret import evaluate

from .taken_branch import COUNT, INPUTS, as_node, derivatives, mistakes, random_point, random_program

POINTS = 4


def run(first: int, last: int) -> int:
    """Compare the programs of the seeds from ``first`` to ``last``; the number of points with a mistake."""
    points = values = bad = 0
    for seed in range(first, last):
        generator = random.Random(seed)
        program = random_program(generator, generator.randint(3, 7))
        outputs = tuple(Output(f"o{k}", n) for k, n in enumerate(derivatives(as_node(program))))
        graph = Graph("f", INPUTS, outputs, tuple(range(COUNT)))
        for _ in range(POINTS):
            point = random_point(generator)
            count, wrong = mistakes(program, point, evaluate(graph, point))
            points, values, bad = points + (count > 0), values + count, bad + bool(wrong)
            for line in wrong:
                print(f"seed {seed}: {line}", flush=True)
    print(f"{last - first} programs, {points} points, {values} values, {bad} points with a mistake")
    return bad


if __name__ == "__main__":
    sys.exit(bool(run(int(sys.argv[1]), int(sys.argv[2]))))
