"""Random expressions from the op table: value and gradient within 64 ulp times the condition number."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from benchmarks.random_expressions import batch_failures
from tests.models.conditioning import allowance, truth
from tests.models.expression_kernels import argument, check, packed
from tests.models.random_expressions import DEPTH, ROWS, Expression, Step, draw_expression

SLICE = 100  # of the 10,000 that `python -m benchmarks.random_expressions` runs
# x**2 - y and its partials at a point where it cancels
CANCELS = Expression(1, (1.0 + 2.0**-20, 1.0), (Step("number", (), 2), Step("pow", (0, 2)), Step("number", (), -1),
                                                Step("mul", (4, 1)), Step("add", (3, 5))))  # fmt: skip


def test_kernels():
    """Compiled, as every user calls them."""
    assert batch_failures(range(SLICE)) == []


def test_interpreter():
    """The reference semantics, for others than those."""
    assert batch_failures(range(SLICE, 2 * SLICE), interpreted=True) == []


@pytest.mark.parametrize("point", [2.5, -6.7862, 12.4604, 25.0])
def test_partial_of_tanh_far_out(point):
    """It was 1 - tanh**2 once, which has no digit left from 20 on, and had lost 12 of them at 15."""
    expression = Expression(1, (point,), (Step("tanh", (0,)),))
    values, slope = packed([expression])(argument([expression]))
    assert check([expression], values, slope) == []


def test_depth_and_rows():
    """Expressions are up to 12 deep; every row of the table comes up in a thousand."""
    depths, seen = [], set()
    for seed in range(1000):
        expression = draw_expression(seed)
        depth = [0] * len(expression.point)
        for step in expression.steps:
            depth.append(1 + max((depth[a] for a in step.args), default=-1))
            seen.add(step.op)
        depths.append(depth[-1])
    assert max(depths) == DEPTH
    assert np.mean(depths) > 5
    assert set(ROWS) - seen == set()


def test_truth_and_condition():
    """By hand: for f = x**2 - y the sums are 2x**2 + x**2 + 2y + f, 4x + 2x + 2x + 2*2x, and 1 + 1 + 1 + 2."""
    exact = truth(CANCELS)
    x = mpmath.mpf(CANCELS.point[0])
    assert exact.value == pytest.approx(float(x**2 - 1), rel=1e-15)
    assert [float(g) for g in exact.gradient] == [2 * float(x), -1.0]
    value, (by_x, by_y) = allowance(CANCELS)
    unit = 64 * 2.0**-52
    assert value == pytest.approx(unit * float(2 * x**2 + x**2 + 1 + 1 + (x**2 - 1)), rel=1e-12)
    assert by_x == pytest.approx(unit * 12 * float(x), rel=1e-12)
    assert by_y == pytest.approx(unit * 5, rel=1e-12)


def test_a_wrong_result_is_found():
    """Errors just inside and just outside of what is allowed."""
    (value, slope) = packed([CANCELS])(argument([CANCELS]))
    allowed, (by_x, _) = allowance(CANCELS)
    assert check([CANCELS], value, slope) == []
    assert check([CANCELS], [value[0] + 0.9 * allowed], slope) == []
    (failure,) = check([CANCELS], [value[0] + 1.1 * allowed], slope)
    assert failure.what == "value" and failure.excess == pytest.approx(1.1, rel=1e-3)
    (failure,) = check([CANCELS], value, slope + np.array([2 * by_x, 0.0]))
    assert failure.what == "partial by x0"
    assert len(check([CANCELS], value, slope * np.nan)) == 2
