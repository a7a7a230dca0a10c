"""Where the value of a node matters: a disjunction of conjunctions of the conditions of selects that may take it.

One pass from the outputs down. A value matters where one of its users matters; a branch of a select only where its
condition takes it besides; an operand of ``and`` only where the operands that are evaluated before it hold. What is
found may be too much, never too little: conditions that say nothing about data (the bounds of loops), vary over axes
that the value lacks, or are too many are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..axis import Axis
from ..node import Kind, Node

__all__ = ["ALWAYS", "NEVER", "Activity", "Literal", "activities", "data_conditions", "implies", "literals_of"]

Literal = tuple[Node, bool]
Conjunction = frozenset[Literal]
Activity = tuple[Conjunction, ...]

ALWAYS: Activity = (frozenset(),)
NEVER: Activity = ()
MOST_TERMS = 8
MOST_LITERALS = 8


def data_conditions(order: Iterable[Node]) -> set[Node]:
    """The nodes that depend on an input: what does not is known to the loops already."""
    found: set[Node] = set()
    for node in order:
        if node.kind is Kind.INPUT or not found.isdisjoint(node.args):
            found.add(node)
    return found


def literals_of(condition: Node, holds: bool) -> list[Literal]:
    """The literals that hold where a condition does (or fails); conditions joined by and, or, not are taken apart."""
    found: list[Literal] = []
    stack = [(condition, holds)]
    while stack:
        node, value = stack.pop()
        if node.kind is Kind.ELEMENTWISE and node.data == "not":
            stack.append((node.args[0], not value))
        elif node.kind is Kind.ELEMENTWISE and node.data == ("and" if value else "or"):
            stack.extend((argument, value) for argument in node.args)
        else:
            found.append((node, value))
    return found


def implies(activity: Activity, literals: Sequence[Literal]) -> bool:
    """Whether the literals hold wherever the activity does."""
    return bool(literals) and all(term.issuperset(literals) for term in activity)


class _Algebra:
    """Joins and restrictions of activities; equal questions are answered once."""

    def __init__(self, opposites: Mapping[Node, Node]) -> None:
        self._opposites = opposites  # a comparison -> the one that is its negation, where the graph has both
        self._joined: dict[tuple[Activity, Activity], Activity] = {}
        self._extended: dict[tuple[Activity, tuple[Literal, ...]], Activity] = {}

    def join(self, left: Activity, right: Activity) -> Activity:
        """Where one or the other holds."""
        if left == right or right is NEVER or left is ALWAYS:
            return left
        if left is NEVER or right is ALWAYS:
            return right
        key = (left, right)
        found = self._joined.get(key)
        if found is None:
            terms = list(dict.fromkeys((*left, *right)))
            found = self._joined[key] = ALWAYS if len(terms) > MOST_TERMS else _reduced(terms)
        return found

    def extend(self, activity: Activity, literals: Iterable[Literal]) -> Activity:
        """Where the activity and the literals hold."""
        opposites = self._opposites
        known = tuple([(opposites[c], not value) if c in opposites else (c, value) for c, value in literals])
        if not known or activity is NEVER:
            return activity
        key = (activity, known)
        found = self._extended.get(key)
        if found is None:
            terms = []
            for term in activity:
                longer = term.union(known)
                if len(longer) > MOST_LITERALS:
                    longer = term
                if not any((c, not value) in longer for c, value in known):
                    terms.append(longer)
            found = self._extended[key] = _reduced(list(dict.fromkeys(terms)))
        return found

    def within(self, activity: Activity, axes: Sequence[Axis]) -> Activity:
        """The activity in terms of conditions that vary over some axes at most."""
        if all(a in axes for term in activity for c, _ in term for a in c.axes):
            return activity
        terms = [frozenset(x for x in term if all(a in axes for a in x[0].axes)) for term in activity]
        return _reduced(list(dict.fromkeys(terms)))


def _reduced(terms: list[Conjunction]) -> Activity:
    """Without terms that others contain, and with pairs that differ in one literal's value made one."""
    while True:
        if any(not term for term in terms):
            return ALWAYS
        terms = [t for t in terms if not any(other < t for other in terms)]
        pair = _complementary(terms)
        if pair is None:
            return tuple(terms)
        first, second, common = pair
        terms = [t for t in terms if t is not first and t is not second]
        if common not in terms:
            terms.append(common)


def _complementary(terms: Sequence[Conjunction]) -> tuple[Conjunction, Conjunction, Conjunction] | None:
    for position, first in enumerate(terms):
        for second in terms[position + 1 :]:
            differing = first ^ second
            if len(differing) == 2 and len({c for c, _ in differing}) == 1:
                return first, second, first & second
    return None


def activities(order: Sequence[Node], roots: Iterable[Node], risky: frozenset[Node]) -> dict[Node, Activity]:
    """The activity of every node of a graph.

    Parameters
    ----------
    order:
        Nodes, arguments before users.
    roots:
        The outputs.
    risky:
        Nodes that have work below them which guards may spare: as operands of ``and`` they come last.

    Returns
    -------
    dict
        ``ALWAYS`` for most; conjunctions are sets of (condition, whether it holds).
    """
    data = data_conditions(order)
    algebra = _Algebra(_opposites(order))
    found: dict[Node, Activity] = dict.fromkeys(order, NEVER)
    for root in roots:
        found[root] = ALWAYS

    def give(argument: Node, activity: Activity) -> None:
        if activity is not ALWAYS:
            activity = algebra.within(activity, argument.axes)
        found[argument] = algebra.join(found[argument], activity)

    for node in reversed(order):
        activity = found[node]
        if activity is NEVER:
            continue
        bound: tuple[Axis, ...] = ()
        match node.kind:
            case Kind.ELEMENTWISE if node.data == "select":
                condition, *branches = node.args
                give(condition, activity)
                for branch, value in zip(branches, (True, False), strict=True):
                    literals = [x for x in literals_of(condition, value) if x[0] in data]
                    give(branch, algebra.extend(activity, literals))
                continue
            case Kind.ELEMENTWISE if node.data in ("and", "or"):
                for operand in sorted(node.args, key=risky.__contains__):
                    give(operand, activity)
                    if operand in data:
                        activity = algebra.extend(activity, literals_of(operand, node.data == "and"))
                continue
            case Kind.REDUCE:
                bound = (node.data[1],)
            case Kind.GATHER:
                bound = tuple(node.data)
            case Kind.SCATTER_ADD:
                bound = (*node.data[0], *node.data[1])
        if activity is not ALWAYS and bound:
            activity = algebra.within(activity, [a for a in node.axes if a not in bound])
        for argument in node.args:
            give(argument, activity)
    return found


def _opposites(order: Iterable[Node]) -> dict[Node, Node]:
    """x != y is the negation of x == y, also for a nan."""
    equal = {n.args: n for n in order if n.kind is Kind.ELEMENTWISE and n.data == "eq"}
    return {n: equal[n.args] for n in order if n.kind is Kind.ELEMENTWISE and n.data == "ne" and n.args in equal}
