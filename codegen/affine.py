"""Affine forms of axis indices, and the conditions that they make: what loop bounds are built from.

A condition such as ``b <= a`` between axis indices becomes an :class:`Atom`, "form >= 0" or "form = 0". Atoms
are compared by value, so that a guard met under another name (a renamed axis, a strict form of the same
bound) is still recognised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sympy as sp

from ..axis import Axis, size_symbol
from ..dtype import INTEGER
from ..node import Kind, Node

__all__ = [
    "Affine", "Atom", "Bound", "Conditions", "Facts", "affine_forms", "axis_form", "bounds_from", "holds",
    "impossible",
]


@dataclass(frozen=True, slots=True)
class Affine:
    """Sum of integer multiples of axis indices and of a constant (an integer expression of size symbols)."""

    terms: frozenset[tuple[Axis, int]]
    constant: sp.Expr

    @property
    def axes(self) -> frozenset[Axis]:
        """The axes that appear."""
        return frozenset(axis for axis, _ in self.terms)

    def coefficient(self, axis: Axis) -> int:
        """The multiple of one axis index."""
        return dict(self.terms).get(axis, 0)

    def key(self) -> tuple[object, ...]:
        """A sort key that does not depend on hashes."""
        return (sorted((a.name, str(a.size), c) for a, c in self.terms), str(self.constant))

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        """self + factor*other."""
        terms = dict(self.terms)
        for axis, coefficient in other.terms:
            terms[axis] = terms.get(axis, 0) + factor * coefficient
        return _form(terms, self.constant + factor * other.constant)

    def shifted(self, offset: int | sp.Expr) -> Affine:
        """self + offset."""
        return Affine(self.terms, sp.expand(self.constant + offset))

    def times(self, factor: int) -> Affine:
        """factor * self."""
        return _form({a: factor * c for a, c in self.terms}, factor * self.constant)

    def without(self, axis: Axis) -> Affine:
        """The form with one axis left out."""
        return Affine(frozenset(t for t in self.terms if t[0] != axis), self.constant)

    def substitute(self, forms: Mapping[Axis, Affine]) -> Affine:
        """The form with axes replaced by forms."""
        result = Affine(frozenset(t for t in self.terms if t[0] not in forms), self.constant)
        for axis, coefficient in self.terms:
            if axis in forms:
                result = result.plus(forms[axis], coefficient)
        return result

    def minimum(self) -> sp.Expr:
        """The least value when every axis runs over its whole (non-empty) range."""
        return sp.expand(self.constant + sum(c * (a.size - 1) for a, c in self.terms if c < 0))

    def maximum(self) -> sp.Expr:
        """The greatest value when every axis runs over its whole (non-empty) range."""
        return sp.expand(self.constant + sum(c * (a.size - 1) for a, c in self.terms if c > 0))


def _form(terms: Mapping[Axis, int], constant: sp.Expr) -> Affine:
    return Affine(frozenset((a, c) for a, c in terms.items() if c), sp.expand(constant))


def axis_form(axis: Axis) -> Affine:
    """The running index of an axis."""
    return Affine(frozenset({(axis, 1)}), sp.S.Zero)


@dataclass(frozen=True, slots=True)
class Atom:
    """The condition ``form >= 0``, or ``form = 0`` when ``equality`` is true."""

    form: Affine
    equality: bool = False

    @property
    def axes(self) -> frozenset[Axis]:
        """The axes that the condition is about."""
        return self.form.axes

    def substitute(self, forms: Mapping[Axis, Affine]) -> Atom:
        """The condition with axes replaced by forms."""
        return _atom(self.form.substitute(forms), self.equality)


def _atom(form: Affine, equality: bool = False) -> Atom:
    if equality:
        key, opposite = form.key(), form.times(-1)
        if opposite.key() < key:
            form = opposite
    return Atom(form, equality)


Facts = frozenset[Atom]


def holds(atom: Atom, facts: Facts) -> bool:
    """Whether a condition follows from the facts, or from the ranges of its axes alone."""
    if atom in facts:
        return True
    form = atom.form
    if atom.equality:
        return not form.terms and form.constant == 0
    if form.minimum().is_nonnegative:
        return True
    for fact in facts:
        if fact.equality:
            for sign in (1, -1):
                other = fact.form.times(sign)
                if other.terms == form.terms and sp.expand(form.constant - other.constant).is_nonnegative:
                    return True
        elif fact.form.terms == form.terms and sp.expand(form.constant - fact.form.constant).is_nonnegative:
            return True
    return False


def impossible(atom: Atom, facts: Facts) -> bool:
    """Whether a condition contradicts the facts or the ranges of its axes: a loop that it bounds is empty."""
    above, below = Atom(atom.form.shifted(-1)), Atom(atom.form.times(-1).shifted(-1))
    return holds(below, facts) or (atom.equality and holds(above, facts))


def affine_forms(order: Iterable[Node]) -> dict[Node, Affine]:
    """The affine form of every integer node that has one; ``order`` has arguments before users."""
    forms: dict[Node, Affine] = {}
    for node in order:
        if node.dtype is not INTEGER:
            continue
        form = _affine(node, forms)
        if form is not None:
            forms[node] = form
    return forms


def _affine(node: Node, forms: Mapping[Node, Affine]) -> Affine | None:
    match node.kind:
        case Kind.CONST:
            return Affine(frozenset(), sp.Integer(node.data))
        case Kind.SIZE:
            return Affine(frozenset(), size_symbol(node.data))
        case Kind.AXIS_INDEX:
            return axis_form(node.data)
        case Kind.ELEMENTWISE if node.data in ("add", "sub", "neg", "mul") and len(node.args) <= 16:
            arguments = [forms.get(a) for a in node.args]
            if any(a is None for a in arguments):
                return None
            return _combine(node.data, [a for a in arguments if a is not None])
    return None


def _combine(op: str, arguments: list[Affine]) -> Affine | None:
    first, *rest = arguments
    if op == "neg":
        return first.times(-1)
    if op in ("add", "sub"):
        for other in rest:
            first = first.plus(other, 1 if op == "add" else -1)
        return first
    for other in rest:
        if first.terms and other.terms:
            return None
        if not first.terms:
            first, other = other, first
        if not first.terms:
            first = Affine(frozenset(), sp.expand(first.constant * other.constant))
        elif other.constant.is_Integer:
            first = first.times(int(other.constant))
        else:
            return None
    return first


class Conditions:
    """The boolean nodes of a graph as conditions on axis indices.

    Parameters
    ----------
    order:
        Nodes, arguments before users.
    forms:
        The result of :func:`affine_forms`.
    """

    def __init__(self, order: Iterable[Node], forms: Mapping[Node, Affine]) -> None:
        self._when: dict[tuple[Node, bool], tuple[frozenset[Atom], bool]] = {}
        for node in order:
            if node.kind is Kind.ELEMENTWISE and node.data in _RULES:
                for value in (True, False):
                    self._when[node, value] = _RULES[node.data](node, value, forms, self._when)

    def atoms(self, condition: Node, value: bool = True) -> frozenset[Atom]:
        """Atoms that hold wherever ``condition`` has the given value (possibly not all that this means)."""
        return self._when.get((condition, value), _UNKNOWN)[0]

    def decide(self, condition: Node, facts: Facts) -> bool | None:
        """The value of a condition where the facts hold, None when they do not settle it."""
        for value in (True, False):
            atoms, complete = self._when.get((condition, value), _UNKNOWN)
            if complete and all(holds(atom, facts) for atom in atoms):
                return value
        return None


_Known = tuple[frozenset[Atom], bool]  # atoms, and whether together they are the condition
_UNKNOWN: _Known = (frozenset(), False)
_MOST_ATOMS = 16


def _comparison(node: Node, value: bool, forms: Mapping[Node, Affine], when: object) -> _Known:
    left, right = (forms.get(a) for a in node.args)
    if left is None or right is None:
        return _UNKNOWN
    if node.data in ("eq", "ne"):
        if (node.data == "eq") is value:
            return frozenset({_atom(right.plus(left, -1), equality=True)}), True
        return _UNKNOWN
    # left < right is right - left - 1 >= 0; its opposite is left - right >= 0; likewise for <=
    strict = (node.data == "lt") is value
    difference = right.plus(left, -1) if value else left.plus(right, -1)
    return frozenset({Atom(difference.shifted(-1 if strict else 0))}), True


def _junction(
    node: Node, value: bool, forms: object, when: Mapping[tuple[Node, bool], _Known]
) -> _Known:
    if (node.data == "and") is not value:
        return _UNKNOWN
    parts = [when.get((a, value), _UNKNOWN) for a in node.args]
    atoms = frozenset().union(*(p[0] for p in parts[:_MOST_ATOMS]))
    return atoms, len(parts) <= _MOST_ATOMS and all(p[1] for p in parts)


def _negation(node: Node, value: bool, forms: object, when: Mapping[tuple[Node, bool], _Known]) -> _Known:
    return when.get((node.args[0], not value), _UNKNOWN)


_RULES = {
    "lt": _comparison, "le": _comparison, "eq": _comparison, "ne": _comparison,
    "and": _junction, "or": _junction, "not": _negation,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bound:
    """A loop bound, floor(form / divisor)."""

    form: Affine
    divisor: int = 1


def bounds_from(axis: Axis, atoms: Iterable[Atom]) -> tuple[tuple[Bound, ...], tuple[Bound, ...]]:
    """Lower bounds and (exclusive) upper bounds of an axis; each atom must contain the axis.

    Bounds that the range of the axis implies anyway are left out; the others are sorted, without repetition.
    """
    lower: dict[Bound, None] = {}
    upper: dict[Bound, None] = {}
    for atom in sorted(atoms, key=lambda a: (a.form.key(), a.equality)):
        coefficient = atom.form.coefficient(axis)
        rest = atom.form.without(axis)
        if coefficient < 0:
            coefficient, rest = -coefficient, rest.times(-1)
            sides = (True, atom.equality)
        else:
            sides = (atom.equality, True)
        # coefficient*axis + rest >= 0 (lower side) or <= 0 (upper side)
        if sides[1]:
            lower.setdefault(Bound(rest.times(-1).shifted(coefficient - 1), coefficient))
        if sides[0]:
            upper.setdefault(Bound(rest.times(-1).shifted(coefficient), coefficient))
    return (
        tuple(b for b in lower if not (b.form.times(-1).minimum()).is_nonnegative),
        tuple(b for b in upper if not _covers(b, axis)),
    )


def _covers(bound: Bound, axis: Axis) -> bool:
    return bound.divisor == 1 and sp.expand(bound.form.minimum() - axis.size).is_nonnegative is True
