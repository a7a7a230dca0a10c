"""Value and gradient of a random expression with 40 digits, and what they are worth in double arithmetic.

The condition number is that of the straight-line program, which is what any program that computes it operation by
operation has to suffer. For the value y it is

    sum over slots v of |dy/d(log v)| / |y|,

the error of y if every slot, inputs and rounded constants included, is off by one unit. For a partial g = dy/dx it is

    (sum over slots v of |dg/d(log v)| + sum over arguments a of steps v of |dy/dv * dv/da * da/dx|) / |g|:

every slot is off by one unit (its value, and with it its derivative), and so is every product of the chain rule, which
is how paths that cancel show. Partials of single operations count as exactly computable: an operation that loses
digits in its own partial has no excuse.
N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., SIAM 2002, sections 1.6 and 3.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath

from symgraph.exact import exact_operation

from .random_expressions import Expression, exact_number

__all__ = ["ALLOWED", "Truth", "allowance", "run", "truth"]

ALLOWED = 64  # ulp per unit of condition
_DIGITS = 80
_STEP = mpmath.mpf(10) ** -20  # relative, of central differences: truncation leaves 40 digits
_OFF = mpmath.mpf(10) ** -15  # relative, of a slot
_EPSILON, _LEAST = 2.0**-52, 2.0**-1074


@dataclass(frozen=True)
class Truth:
    """Value and partials by every input."""

    value: Any
    gradient: tuple[Any, ...]


def run(
    expression: Expression, point: Sequence[Any], slot: int = -1, argument: tuple[int, int] = (-1, -1)
) -> list[Any]:
    """The value of every slot at a point, at the working precision.

    ``slot`` is off by one part in 1e15; so is the argument ``(slot, position)``, for that one step.
    """
    values = list(point)
    if 0 <= slot < len(values):
        values[slot] *= 1 + _OFF
    for step in expression.steps:
        here = len(values)
        if step.op == "number":
            value = exact_number(step.number)
        elif step.op == "select":
            chosen = 1 if values[step.args[0]] else 2
            value = values[step.args[chosen]]
            if argument == (here, chosen):
                value = value * (1 + _OFF)
        else:
            arguments = [values[a] for a in step.args]
            if argument[0] == here:
                arguments[argument[1]] *= 1 + _OFF
            value = exact_operation(step.op, len(arguments))(*arguments)
        values.append(value * (1 + _OFF) if here == slot else value)
    return values


def _ends(expression: Expression, position: int, slot: int = -1) -> tuple[list[Any], list[Any], Any]:
    point = [mpmath.mpf(x) for x in expression.point]
    step = abs(point[position]) * _STEP
    above, below = ([*point[:position], point[position] + d, *point[position + 1 :]] for d in (step, -step))
    return run(expression, above, slot), run(expression, below, slot), 2 * step


def _partial(expression: Expression, position: int, slot: int = -1) -> Any:
    above, below, width = _ends(expression, position, slot)
    return (above[-1] - below[-1]) / width


def truth(expression: Expression) -> Truth:
    """Value and gradient at the expression's point, from values alone."""
    with mpmath.workdps(_DIGITS):
        value = run(expression, [mpmath.mpf(x) for x in expression.point])[-1]
        return Truth(value, tuple(_partial(expression, k) for k in range(len(expression.point))))


def allowance(expression: Expression) -> tuple[float, tuple[float, ...]]:
    """The absolute errors that are allowed: 64 ulp times the condition number, for the value and for each partial."""
    with mpmath.workdps(_DIGITS):
        point = [mpmath.mpf(x) for x in expression.point]
        plain = run(expression, point)
        rounded = [True] * len(point) + [_is_rounded(step.number) for step in expression.steps]
        slots = [k for k, v in enumerate(plain) if rounded[k] and not isinstance(v, bool)]
        inputs = range(len(point))
        off = [abs(run(expression, point, slot)[-1] - plain[-1]) / _OFF for slot in slots]
        partials = [_partial(expression, k) for k in inputs]
        sums = [
            mpmath.fsum(abs(_partial(expression, k, slot) - partials[k]) / _OFF for slot in slots) for k in inputs
        ]
        tangents = []
        for k in inputs:
            above, below, width = _ends(expression, k)
            tangents.append([0 if isinstance(a, bool) else (a - b) / width for a, b in zip(above, below, strict=True)])
        for number, step in enumerate(expression.steps):
            for place, a in enumerate(step.args):
                if isinstance(plain[a], bool) or not any(tangents[k][a] for k in inputs):
                    continue
                here = number + len(point)
                flow = (run(expression, point, argument=(here, place))[-1] - plain[-1]) / _OFF / plain[a]
                for k in inputs:
                    sums[k] += abs(flow * tangents[k][a])
        return _allowed(mpmath.fsum(off)), tuple(_allowed(total) for total in sums)


def _is_rounded(number: Any) -> bool:
    """Whether a slot is off in double arithmetic: all are but constants that are doubles."""
    return number is None or (isinstance(number, Fraction) and Fraction(float(number)) != number)


def _allowed(total: Any) -> float:
    return ALLOWED * (_EPSILON * float(total) + _LEAST)
