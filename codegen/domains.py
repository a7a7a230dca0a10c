"""Where each value is needed, and where it is zero: guards become loop bounds by these two passes over the
graph.

`zero` runs forward: the conditions outside which a value is exactly zero, so that a sum may skip it. `needed`
runs backward: the conditions that hold at every use of a value, so that a table or an accumulator has to be
filled only there. `uses` lists, for a few uses, the whole set of conditions: a read whose index is promised
to be in range only under a guard is safe where one of these sets is known to hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..axis import Axis
from ..node import Kind, Node
from .affine import Affine, Conditions, Facts, axis_form

__all__ = ["Domains", "guards"]

Use = frozenset[tuple[Node | None, bool]]

_MOST_USES = 4
_MOST_GUARDED_FACTORS = 32
_MOST_CONDITIONS = 12
_NEVER: Use = frozenset({(None, True)})
_EVERYWHERE: Facts = frozenset()


class Domains:
    """Conditions on the values of a graph.

    Parameters
    ----------
    order:
        Nodes, arguments before users.
    roots:
        The values that go to outputs, needed everywhere, each with the indices that it goes to.
    forms, conditions:
        Affine forms of the integer nodes and meaning of the boolean ones.
    """

    def __init__(
        self,
        order: Sequence[Node],
        roots: Iterable[tuple[Node, Sequence[Node]]],
        forms: dict[Node, Affine],
        conditions: Conditions,
    ) -> None:
        self._forms, self._conditions = forms, conditions
        self._zero: dict[Node, Facts] = {}
        self._needed: dict[Node, Facts] = {}
        self._uses: dict[Node, tuple[Use, ...]] = {}
        self._guarded = any(n.kind is Kind.ELEMENTWISE and n.data == "select" for n in order)
        if self._guarded:
            for node in order:
                zero = self._zero_outside(node)
                if zero:
                    self._zero[node] = zero
            self._backward(order, roots)

    # ------------------------------------------------------------------------------------------------ questions
    def zero(self, node: Node) -> Facts:
        """Conditions outside which the value is zero (where one of them fails, it is)."""
        return self._zero.get(node, _EVERYWHERE)

    def needed(self, node: Node) -> Facts:
        """Conditions that hold wherever the value is used."""
        return self._needed.get(node, _EVERYWHERE)

    def neutral(self, node: Node, reducer: str) -> Facts:
        """Conditions outside which a reduction may skip the value."""
        if reducer == "sum":
            return self.zero(node)
        if node.kind is Kind.ELEMENTWISE and node.data == "select" and _is_neutral(node.args[2], reducer):
            return self._conditions.atoms(node.args[0])
        return _EVERYWHERE

    def unconditional(self, node: Node) -> bool:
        """Whether some use of the value stands under no condition at all."""
        return not self._guarded or frozenset() in self._uses.get(node, ())

    def safe(self, node: Node, facts: Facts) -> bool:
        """Whether, where the facts hold, the value is really used (so that its reads are in range)."""
        if not self._guarded:
            return True
        return any(
            all(c is not None and self._conditions.decide(c, facts) is value for c, value in use)
            for use in self._uses.get(node, ())
        )

    # --------------------------------------------------------------------------------------------------- passes
    def _zero_outside(self, node: Node) -> Facts:
        zero = self._zero
        match node.kind:
            case Kind.ELEMENTWISE if node.data == "select":
                condition, then, otherwise = node.args
                if _is_number(otherwise, 0):
                    return self._conditions.atoms(condition) | zero.get(then, _EVERYWHERE)
                if _is_number(then, 0):
                    return self._conditions.atoms(condition, False) | zero.get(otherwise, _EVERYWHERE)
                return zero.get(then, _EVERYWHERE) & zero.get(otherwise, _EVERYWHERE)
            case Kind.ELEMENTWISE if node.data == "mul":
                found = [zero[a] for a in node.args if a in zero]
                return frozenset().union(*found) if found else _EVERYWHERE
            case Kind.ELEMENTWISE if node.data in ("add", "sub", "neg", "float", "div"):
                arguments = node.args[:1] if node.data == "div" else node.args
                result = zero.get(arguments[0], _EVERYWHERE)
                for argument in arguments[1:]:
                    if not result:
                        break
                    result &= zero.get(argument, _EVERYWHERE)
                return result
            case Kind.REDUCE if node.data[0] == "sum" and node.args[0] in zero:
                return _restricted(zero[node.args[0]], node.axes)
            case Kind.GATHER if node.args[0] in zero:
                return self._through(zero[node.args[0]], node, inwards=False)
        return _EVERYWHERE

    def _backward(self, order: Sequence[Node], roots: Iterable[tuple[Node, Sequence[Node]]]) -> None:
        for value, indices in roots:
            self._use(value, _EVERYWHERE, frozenset())
            self._index_uses(value, indices, _EVERYWHERE, (frozenset(),))
        for node in reversed(order):
            needed, uses = self._needed.get(node, _EVERYWHERE), self._uses.get(node, ())
            if node.kind is Kind.ELEMENTWISE and node.data == "select":
                condition, *branches = node.args
                self._pass(condition, needed, uses)
                for branch, taken in zip(branches, (True, False), strict=True):
                    under = tuple(_with(use, condition, taken) for use in uses)
                    self._pass(branch, needed | self._conditions.atoms(condition, taken), under)
                continue
            if node.kind is Kind.ELEMENTWISE and node.data in ("and", "or"):
                self._junction(node, needed, uses)
                continue
            inner = needed
            if node.kind is Kind.REDUCE:
                inner = needed | self.neutral(node.args[0], node.data[0])
            elif node.kind is Kind.GATHER:
                self._pass(node.args[0], self._through(needed, node, inwards=True), uses)
                for index in node.args[1:]:
                    self._pass(index, needed, uses)
                continue
            elif node.kind is Kind.SCATTER_ADD:
                inner = self._through_scatter(needed, node) | self.zero(node.args[0])
                self._pass(node.args[0], inner, uses)
                self._index_uses(node.args[0], node.args[1:], inner, uses)
                continue
            for argument in node.args:
                self._pass(argument, inner, uses)

    def _index_uses(self, value: Node, indices: Iterable[Node], needed: Facts, uses: Sequence[Use]) -> None:
        """The index of a scattered value is used only where the value is not guarded away."""
        for condition in guards(value):
            uses = tuple(_with(use, condition, True) for use in uses)
        for index in indices:
            self._pass(index, needed | self.zero(value), uses)

    def _junction(self, node: Node, needed: Facts, uses: Sequence[Use]) -> None:
        """One operand of a conjunction matters only where the others, as far as they are about indices, hold."""
        others = [a for a in node.args if self._conditions.atoms(a, node.data == "and")]
        for argument in node.args:
            under: Sequence[Use] = uses
            for other in others:
                if other is not argument:
                    under = tuple(_with(use, other, node.data == "and") for use in under)
            self._pass(argument, needed, under)

    def _pass(self, node: Node, needed: Facts, uses: Sequence[Use]) -> None:
        for use in uses or (_NEVER,):
            self._use(node, needed, use)

    def _use(self, node: Node, needed: Facts, use: Use) -> None:
        needed = _restricted(needed, node.axes) if needed else needed
        self._needed[node] = self._needed[node] & needed if node in self._needed else needed
        known = self._uses.get(node, ())
        if len(known) < _MOST_USES and use not in known and frozenset() not in known:
            self._uses[node] = (*known, use)
        elif not use:
            self._uses[node] = (use,)

    def _through(self, facts: Facts, gather: Node, *, inwards: bool) -> Facts:
        """Conditions on a Gather as conditions on its array (inwards), or the other way round."""
        if not facts:
            return facts
        array = gather.args[0]
        forms = {axis: self._forms.get(i) for axis, i in zip(gather.data, gather.args[1:], strict=True)}
        kept = frozenset(a for a in array.axes if a not in forms)
        if not inwards:
            known = {a: f for a, f in forms.items() if f is not None}
            return frozenset(
                atom.substitute(known) for atom in facts if all(a in kept or a in known for a in atom.axes)
            )
        return _renamed_back(facts, forms, kept)

    def _through_scatter(self, facts: Facts, scatter: Node) -> Facts:
        targets, summed = scatter.data
        if not facts:
            return facts
        forms = {a: self._forms.get(i) for a, i in zip(targets, scatter.args[1:], strict=True)}
        known = {a: f for a, f in forms.items() if f is not None}
        return frozenset(
            atom.substitute(known)
            for atom in facts
            if all(a in known or (a not in forms and a not in summed) for a in atom.axes)
        )


def _renamed_back(facts: Facts, forms: dict[Axis, Affine | None], kept: frozenset[Axis]) -> Facts:
    """Solve index = axis + constant for the axis, and put that into the conditions."""
    back: dict[Axis, Affine] = {}
    for axis, form in forms.items():
        if form is not None and len(form.terms) == 1:
            ((outer, coefficient),) = form.terms
            if coefficient == 1 and outer not in kept and outer not in back:
                back[outer] = axis_form(axis).shifted(-form.constant)
    return frozenset(atom.substitute(back) for atom in facts if all(a in kept or a in back for a in atom.axes))


def _restricted(facts: Facts, axes: Sequence[Axis]) -> Facts:
    return frozenset(atom for atom in facts if all(a in axes for a in atom.axes))


def guards(value: Node) -> list[Node]:
    """The conditions under which a product of guarded values is not zero."""
    conditions: list[Node] = []
    stack, steps = [value], 0
    while stack and steps < _MOST_GUARDED_FACTORS:
        node, steps = stack.pop(), steps + 1
        if node.kind is Kind.ELEMENTWISE and node.data == "select" and _is_number(node.args[2], 0):
            conditions.append(node.args[0])
            stack.append(node.args[1])
        elif node.kind is Kind.ELEMENTWISE and node.data in ("mul", "neg"):
            stack.extend(node.args)
    return conditions


def _with(use: Use, condition: Node, value: bool) -> Use:
    return use | {(condition, value)} if len(use) < _MOST_CONDITIONS else _NEVER


def _is_number(node: Node, number: int) -> bool:
    return node.kind is Kind.CONST and type(node.data) in (int, float) and node.data == number


_NEUTRAL = {"product": 1.0, "max": float("-inf"), "min": float("inf")}


def _is_neutral(node: Node, reducer: str) -> bool:
    return (
        node.kind is Kind.CONST
        and not isinstance(node.data, bool)
        and isinstance(node.data, (int, float))
        and node.data == _NEUTRAL[reducer]
    )
