"""Sum and Product: every index becomes an axis; bounds that depend on outer indices become guards.

The empty sum is 0 and the empty product is 1, also where the upper bound is far below the lower one. (SymPy's own
convention for that case, after Karr, subtracts what lies between; no program does.)
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass

import sympy as sp

from .. import simplify as s
from ..axis import Axis
from ..errors import UnsupportedError
from ..node import Node, axis_index, constant
from .bounds import affine_range, require_affine
from .engine import Binding, Bindings, Machine, Request, Rule, Steps

__all__ = ["Limit", "bind_limit", "limit_parts", "reduction", "size_expression_node"]


@dataclass(frozen=True)
class Limit:
    """A bound index: its axis, what it stands for, and the condition under which a value of the axis counts."""

    axis: Axis
    binding: Binding
    condition: Node | None


def limit_parts(limit: sp.Tuple) -> tuple[sp.Basic, sp.Expr, sp.Expr]:
    """Index, lower and upper bound of a limit of SymPy; the range of an ``Idx`` counts when no bounds are given."""
    symbol = limit[0]
    if len(limit) == 3:
        return symbol, limit[1], limit[2]
    if isinstance(symbol, sp.Idx) and symbol.lower is not None and symbol.upper is not None:
        return symbol, symbol.lower, symbol.upper
    raise UnsupportedError(f"the index {symbol} has no bounds: give them, as in ({symbol}, 0, n - 1)")


def bind_limit(
    machine: Machine, limit: sp.Tuple, bindings: Bindings, used: list[Axis]
) -> Generator[Request, Node, Limit | None]:
    """Bind one index to an axis that is not in ``used``; None when its range is empty."""
    symbol, lower, upper = limit_parts(limit)
    if symbol.is_integer is False:
        raise UnsupportedError(
            f"the index {symbol} is not an integer by its assumptions: use Symbol({str(symbol)!r}, integer=True)"
        )
    for bound in (lower, upper):
        require_affine(bound, symbol, bindings, machine.survey.size_names)
    low_range, high_range = affine_range(lower, bindings), affine_range(upper, bindings)
    if low_range is None or high_range is None:
        bad = lower if low_range is None else upper
        raise UnsupportedError(
            f"the bound {bad} of the index {symbol} is not affine in the indices outside of it: use sums of "
            "integer multiples of indices, or a Piecewise in the summand"
        )
    start, stop = low_range[0], high_range[1]
    depends_low, depends_high = (any(x in bindings for x in b.free_symbols) for b in (lower, upper))
    if depends_low and start.is_Integer and start > 0:
        start = (
            sp.S.Zero
        )  # a guard is needed anyway, and from 0 on the axis is the same as that of other sums
    if depends_high:  # the same for j < i: the axis of j has the size of that of i
        ends = [bindings[x].high for x in bindings if x in upper.free_symbols]
        stop = next((e for e in ends if (excess := sp.expand(e - stop)).is_Integer and excess > 0), stop)
    size = sp.expand(stop - start + 1)
    if size.is_Integer and size <= 0:
        return None
    name = str(symbol.label) if isinstance(symbol, sp.Idx) else symbol.name
    axis = machine.pool.take(size, name, used)
    index = axis_index(axis)
    if start != 0:
        index = s.add(index, (yield from size_expression_node(start)))
    conditions = []
    if depends_low:
        conditions.append((yield from _ordered(lower, index, bindings, below=True)))
    if depends_high:
        conditions.append((yield from _ordered(upper, index, bindings, below=False)))
    binding = machine.bind(index, start, stop, bool(conditions))
    return Limit(axis, binding, s.logical_and(*conditions) if conditions else None)


def _ordered(bound: sp.Expr, index: Node, bindings: Bindings, below: bool) -> Generator[Request, Node, Node]:
    """bound <= index (``below``) or index <= bound, as a strict comparison where that leaves no offset."""
    strict = sp.expand(bound - 1 if below else bound + 1)
    if isinstance(strict, (sp.Symbol, sp.Idx)):
        other = yield strict, bindings, ()
        return s.call("lt", other, index) if below else s.call("lt", index, other)
    other = yield sp.expand(bound), bindings, ()
    return s.call("le", other, index) if below else s.call("le", index, other)


def size_expression_node(size: sp.Expr) -> Generator[Request, Node, Node]:
    """The integer node of an expression of sizes."""
    node = yield size, {}, ()
    return node


_NEUTRAL = {"sum": constant(0), "product": constant(1), "max": constant(-math.inf), "min": constant(math.inf)}


def reduction(reducer: str) -> Rule:
    """The rule for SymPy's class of this reducer."""
    neutral = _NEUTRAL[reducer]

    def rule(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Steps:
        used = machine.used_axes(expression, bindings, position)
        inner: dict[sp.Basic, Binding] = dict(bindings)
        limits: list[Limit] = []
        for limit in reversed(expression.limits):  # SymPy lists the innermost index first
            bound = yield from bind_limit(machine, limit, inner, used)
            if bound is None:
                return neutral
            inner[limit[0]] = bound.binding
            used.append(bound.axis)
            limits.append(bound)
        value = yield expression.args[0], inner, position
        for bound in reversed(limits):
            if bound.condition is not None:
                value = s.select(bound.condition, value, neutral)
            value = s.reduce(reducer, value, bound.axis)
        return value

    return rule
