"""True values with as many digits as it takes, and what counts as a point outside of the domain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath

from ..exact import Exact, exact_outputs
from ..graph import Graph

__all__ = ["DIGITS", "LADDER", "settled_outputs"]

DIGITS = 22  # that two precisions must agree on: five more than a double has
LADDER = (30, 60, 120, 240, 480, 960)
_SURE = 480  # more digits than lie between 1 and the least float
_NOTHING = mpmath.mpf(10) ** -400  # below every float


def settled_outputs(graph: Graph, arguments: Sequence[object]) -> list[Exact]:
    """The flat outputs, evaluated with more and more digits until two precisions agree.

    Parameters
    ----------
    graph:
        What to evaluate.
    arguments:
        Numbers or arrays of the exact shapes of the inputs; their floats are taken exactly.

    Returns
    -------
    list
        Object arrays of mpmath numbers; nan for what does not settle with 960 digits, or is not real.

    Examples
    --------
    >>> from symgraph.capture.formula import graph_from_formulas
    >>> value = settled_outputs(graph_from_formulas(["(1 + x) - 1"]), [1e-60])[0].item()
    >>> mpmath.nstr(value, 12)
    '1.0e-60'
    """
    before = exact_outputs(graph, arguments, LADDER[0])
    for digits in LADDER[1:]:
        if digits < _SURE and _is_doubtful(before):
            continue
        after = exact_outputs(graph, arguments, digits)
        with mpmath.workdps(digits):
            if all(
                _agree(a, b)
                for x, y in zip(before, after, strict=True)
                for a, b in zip(x.flat, y.flat, strict=True)
            ):
                return after
        before = after
    return [_unsettled(value) for value in before]


def _is_doubtful(values: Sequence[Exact]) -> bool:
    """Whether a zero, an infinity or a nan is among the values.

    A term that is lost beside a greater one, as in log(1 + exp(-400)), gives 0 with any small number of digits, and
    two precisions agree on it. Only with more digits than the range of floats has can such a value be believed.
    """
    return any(
        not isinstance(v, (bool, int)) and (v == 0 or not mpmath.isfinite(v)) for value in values for v in value.flat
    )


def _agree(before: Any, after: Any) -> bool:
    if isinstance(after, (bool, int)):
        return bool(before == after)
    if not (mpmath.isfinite(before) and mpmath.isfinite(after)):
        # nan is never the same; an infinity that appears with more digits is no agreement
        return bool(mpmath.isnan(before) and mpmath.isnan(after)) or bool(before == after)
    return bool(abs(after - before) <= abs(after) * mpmath.mpf(10) ** -DIGITS) or (
        abs(before) < _NOTHING and abs(after) < _NOTHING
    )


def _unsettled(value: Exact) -> Exact:
    result = value.copy()
    for place, number in enumerate(value.flat):
        if not isinstance(number, (bool, int)):
            result.flat[place] = number if mpmath.isfinite(number) and abs(number) < _NOTHING else mpmath.nan
    return result
