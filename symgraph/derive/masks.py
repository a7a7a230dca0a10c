"""Pending masks: how an adjoint remembers the branches it came through.

An adjoint contribution is a value and a mask, a set of literals (condition, polarity). It means "0 where a literal is
false; the value itself may be garbage there". The mask is applied only where the contribution leaves the branch, so
that what a branch that is not taken computes can never reach a derivative, at any order.

Contributions are joined by three rules: equal masks add their values; complementary masks become one select; otherwise
what is common stays pending, and the disjunction of the rest stays pending too (dropping it would let 0 meet an
infinite partial further down).
"""

from __future__ import annotations

from typing import NamedTuple

from .. import simplify as s
from ..axis import Axis
from ..node import Node
from .cancel import cancelled_sum

__all__ = ["EMPTY", "Adjoint", "Mask", "applied", "extended", "joined", "without_axis"]

Literal = tuple[Node, bool]
Mask = tuple[Literal, ...]  # sorted by creation number, without repetition
EMPTY: Mask = ()


class Adjoint(NamedTuple):
    """A contribution: ``value`` where all literals of ``mask`` hold, else 0.

    ``strong`` marks a path through a root of something that is not negative: there an infinite partial meets a
    differential that is 0, and products are 0 where a factor is.
    """

    value: Node
    mask: Mask = EMPTY
    strong: bool = False

    @property
    def masked(self) -> Node:
        """The value with its mask applied."""
        return applied(self.value, self.mask)


def _key(literal: Literal) -> tuple[int, bool]:
    return literal[0].number, literal[1]


def _sorted(literals: set[Literal]) -> Mask:
    return tuple(sorted(literals, key=_key))


def extended(mask: Mask, condition: Node, polarity: bool) -> Mask:
    """The mask with one more literal."""
    literal = (condition, polarity)
    return mask if literal in mask else _sorted({*mask, literal})


def applied(value: Node, mask: Mask) -> Node:
    """The value with its mask applied."""
    for condition, polarity in mask:
        value = s.select(condition, value, s.ZERO) if polarity else s.select(condition, s.ZERO, value)
    return value


def _condition(mask: Mask) -> Node:
    return s.logical_and(*[c if polarity else s.logical_not(c) for c, polarity in mask])


def without_axis(adjoint: Adjoint, axis: Axis) -> Adjoint:
    """The adjoint with the literals that vary along an axis applied: the axis is about to be summed or renamed."""
    here = tuple(literal for literal in adjoint.mask if axis in literal[0].axes)
    if not here:
        return adjoint
    kept = tuple(literal for literal in adjoint.mask if axis not in literal[0].axes)
    return Adjoint(applied(adjoint.value, here), kept, adjoint.strong)


def joined(contributions: list[Adjoint]) -> Adjoint:
    """The sum of contributions, with as much of their masks pending as is safe."""
    if len(contributions) == 1:
        return contributions[0]
    strong = any([c.strong for c in contributions])
    if not any([c.mask for c in contributions]):
        return Adjoint(cancelled_sum([c.value for c in contributions]), EMPTY, strong)
    collected: dict[Mask, list[Node]] = {}
    for value, mask, _ in contributions:
        collected.setdefault(mask, []).append(value)
    groups = {mask: cancelled_sum(values) for mask, values in collected.items()}
    while len(groups) > 1 and _merge_complementary(groups):
        pass
    if len(groups) == 1:
        ((mask, value),) = groups.items()
        return Adjoint(value, mask, strong)
    common_set = set.intersection(*(set(m) for m in groups))
    common = _sorted(common_set)
    rest = {mask: tuple(literal for literal in mask if literal not in common_set) for mask in groups}
    total = s.add(*[applied(value, rest[mask]) for mask, value in groups.items()])
    if all(rest.values()):
        common = extended(common, s.logical_or(*[_condition(r) for r in rest.values()]), True)
    return Adjoint(total, common, strong)


def _merge_complementary(groups: dict[Mask, Node]) -> bool:
    """Replace one pair of masks that differ in the polarity of one literal by a select; whether one was found."""
    for mask in list(groups):
        for literal in mask:
            other = _sorted({*(x for x in mask if x != literal), (literal[0], not literal[1])})
            if other not in groups:
                continue
            holds, fails = (mask, other) if literal[1] else (other, mask)
            value = s.select(literal[0], groups.pop(holds), groups.pop(fails))
            kept = tuple(x for x in mask if x != literal)
            groups[kept] = s.add(groups[kept], value) if kept in groups else value
            return True
    return False
