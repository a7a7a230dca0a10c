"""Large scalar expressions, generic in the arithmetic: pass ``math``, ``casadi`` or ``tests.models.traced``.

``arm`` is the pose cost of a 7-joint robot arm, ``harmonics`` a spherical-harmonic expansion of degree 60 (about 20,000
operations), ``random_graph`` an unstructured graph of about 20,000 operations that shares almost everything.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = [
    "ARM_INPUTS", "ARM_JOINTS", "ARM_TARGET", "DEGREE", "HARMONICS_INPUTS", "RANDOM_INPUTS", "arm", "harmonic_tables",
    "harmonics", "random_graph",
]  # fmt: skip

ARM_INPUTS, HARMONICS_INPUTS, RANDOM_INPUTS = 7, 3, 20
DEGREE = 60
OPERATIONS = 20_000

_generator = np.random.default_rng(6)
ARM_TARGET = (_generator.normal(size=(3, 4)) * 0.5).tolist()
# twist (radians), reach and offset of each joint
ARM_JOINTS = [(1.5 * (-1) ** k + 0.01 * k, 0.1 + 0.05 * k, 0.3 - 0.02 * k) for k in range(ARM_INPUTS)]
_COEFFICIENTS = [
    (_generator.normal(size=degree + 1) / (degree + 1), _generator.normal(size=degree) / (degree + 1))
    for degree in range(DEGREE + 1)
]


def arm(angles: Sequence[Any], functions: Any) -> Any:
    """Squared distance of the hand's pose to a target: a product of seven Denavit-Hartenberg transforms.

    Entries that are 0 or 1 by structure take no part, so that the count of operations is that of the formula.
    """
    pose: list[list[Any]] = [[int(row == column) for column in range(4)] for row in range(4)]
    for (twist, reach, offset), angle in zip(ARM_JOINTS, angles, strict=True):
        c, s, ct, st = functions.cos(angle), functions.sin(angle), math.cos(twist), math.sin(twist)
        step = [[c, s * -ct, s * st, c * reach], [s, c * ct, c * -st, s * reach], [0, st, ct, offset], [0, 0, 0, 1]]
        pose = [[_inner(pose[row], [line[column] for line in step]) for column in range(4)] for row in range(4)]
    cost: Any = 0
    for row in range(3):
        for column in range(4):
            miss = pose[row][column] - ARM_TARGET[row][column]
            cost = cost + miss * miss
    return cost


def _inner(left: Sequence[Any], right: Sequence[Any]) -> Any:
    """The inner product; integers are structural zeros and ones."""
    total: Any = 0
    for a, b in zip(left, right, strict=True):
        if (isinstance(a, int) and a == 0) or (isinstance(b, int) and b == 0):
            continue
        term = b if isinstance(a, int) else a if isinstance(b, int) else a * b
        total = term if isinstance(total, int) and total == 0 else total + term
    return total


def harmonic_tables() -> tuple[np.ndarray, ...]:
    """The numbers of :func:`harmonics`: factors of both recurrences, weights, each (degree + 1) x (degree + 1), and the
    diagonal."""
    first, second, even, odd = np.zeros((4, DEGREE + 1, DEGREE + 1))
    diagonal = np.full(DEGREE + 1, math.sqrt(1 / (4 * math.pi)))
    for degree, (weights, other) in enumerate(_COEFFICIENTS):
        even[degree, : degree + 1], odd[degree, 1 : degree + 1] = weights, other
        if degree:
            factor = math.sqrt((2 * degree + 1) / (2 * degree) * (2 if degree == 1 else 1))
            diagonal[degree] = -diagonal[degree - 1] * factor
        for order in range(degree):
            first[degree, order] = math.sqrt((4 * degree**2 - 1) / (degree**2 - order**2))
            if order < degree - 1:
                ratio = ((degree - 1) ** 2 - order**2) / (4 * (degree - 1) ** 2 - 1)
                second[degree, order] = first[degree, order] * math.sqrt(ratio)
    return first, second, even, odd, diagonal


def harmonics(position: Sequence[Any], functions: Any) -> Any:
    """A sum over all real solid harmonics up to degree 60, by the recurrences in degree and order."""
    x, y, z = position
    squared = x * x + y * y + z * z
    cosines, sines = [1.0], [0.0]
    for order in range(DEGREE):
        cosines, sines = (
            [*cosines, x * cosines[order] - y * sines[order]],
            [*sines, x * sines[order] + y * cosines[order]],
        )
    total: Any = 0.0
    diagonal = math.sqrt(1 / (4 * math.pi))
    previous: list[Any] = []
    before: list[Any] = []
    for degree, (even, odd) in enumerate(_COEFFICIENTS):
        if degree:
            diagonal *= -math.sqrt((2 * degree + 1) / (2 * degree) * (2 if degree == 1 else 1))
        current: list[Any] = []
        for order in range(degree + 1):
            value: Any = diagonal
            if order < degree:
                first = math.sqrt((4 * degree**2 - 1) / (degree**2 - order**2))
                value = first * z * previous[order]
                if order < degree - 1:
                    second = first * math.sqrt(((degree - 1) ** 2 - order**2) / (4 * (degree - 1) ** 2 - 1))
                    value = value - second * squared * before[order]
            current.append(value)
            weight = float(even[order]) * cosines[order]
            if order:
                weight = weight + float(odd[order - 1]) * sines[order]
            total = total + weight * value
        previous, before = current, previous
    return total


def random_graph(inputs: Sequence[Any], functions: Any) -> Any:
    """The sum of the last 60 of a chain of random operations, one operand near and one from anywhere before."""
    choice = random.Random(7)
    values = list(inputs)
    count = 0
    while count < OPERATIONS:
        a = values[choice.randrange(max(0, len(values) - 60), len(values))]
        b = values[choice.randrange(len(values))]
        cost, value = _RANDOM_STEPS[choice.randrange(7)](a, b, functions)
        values.append(value)
        count += cost
    total: Any = 0
    for value in values[-60:]:
        total = total + value
    return total


_RANDOM_STEPS = (
    lambda a, b, f: (2, f.sin(a + b)),
    lambda a, b, f: (2, f.cos(a * b)),
    lambda a, b, f: (1, a * b),
    lambda a, b, f: (2, (a + b) * 0.6),
    lambda a, b, f: (3, a / (b * b + 1.0)),
    lambda a, b, f: (3, f.exp(-(a * a))),
    lambda a, b, f: (2, (a - b) * 0.7),
)
