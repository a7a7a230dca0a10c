"""The scope rule: which loops a set of values needs, and in what order. Sweeps, hoisting, phases and
epilogues follow from it.

A *scope* is a place in the loop nest with some axes open. *Roots* are wanted there: values with a sink. The
*outer axis* of a value is the first of its axes, in the axis order, that is not open. Its *time* is the
number of loops of this scope that must be complete before it can run. All roots of equal time, outer axis and
bounds share one loop, whose body is a scope again.

From each root a walk finds what else is needed: a reduction that a loop of this scope finishes gets a root of
its own, one time earlier; a value of another outer axis is computed in its own loop and kept in a table (that
is hoisting); a value that an earlier loop over the same axis computes anyway is stored there or computed
again, by cost.

Everything is found by explicit stacks in creation order: only the nesting of axes recurses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..axis import Axis
from ..node import Kind, Node, axis_index
from .affine import Bound, Conditions, Facts, bounds_from, impossible
from .domains import Domains
from .sweeps import Accumulator, Buffer, Compute, Fill, Root, Scope, Sink, Sweep, Target, Write
from .values import REDUCTION_COST, Values, resolve

__all__ = ["Fusion", "GroupKey"]

GroupKey = tuple[int, Axis, tuple[Bound, ...], tuple[Bound, ...]]
MOST_RECOMPUTED_COST = 3


@dataclass
class Fusion:
    """What is known about a graph while it is planned.

    Attributes
    ----------
    rank:
        Position of each node in topological order.
    axis_rank:
        Position of each axis, outermost first.
    available:
        Values that can be read now, with the buffer or accumulator that holds them (None: a variable).
    buffers:
        Every table, by node and axes.
    """

    rank: Mapping[Node, int]
    axis_rank: Mapping[Axis, int]
    values: Values
    conditions: Conditions
    domains: Domains
    available: dict[Node, Target | None] = field(default_factory=dict)
    buffers: dict[tuple[Node, tuple[Axis, ...]], Buffer] = field(default_factory=dict)

    def scope(self, roots: list[Root], open_axes: tuple[Axis, ...], facts: Facts) -> Scope:
        """Plan everything that ``roots`` need while ``open_axes`` are open and ``facts`` hold."""
        draft = _Draft(self, roots, open_axes, facts)
        added: list[Node] = []
        result = draft.emit(added)
        for node in added:
            del self.available[node]
        return result

    def remaining(self, axes: Iterable[Axis], open_axes: frozenset[Axis]) -> tuple[Axis, ...]:
        """The axes that are not open, outermost first."""
        return tuple(sorted((a for a in axes if a not in open_axes), key=self.axis_rank.__getitem__))

    def buffer(self, node: Node, axes: tuple[Axis, ...], reason: str) -> Buffer:
        """The table of a node over some axes; the same one at every request."""
        key = (node, axes)
        if key not in self.buffers:
            self.buffers[key] = Buffer(node, axes, reason)
        return self.buffers[key]


class _Draft:
    """The planning of one scope."""

    def __init__(self, fusion: Fusion, roots: list[Root], open_axes: tuple[Axis, ...], facts: Facts) -> None:
        self.fusion, self.roots, self.facts = fusion, roots, facts
        self.open_axes, self.open = open_axes, frozenset(open_axes)
        self._outer: dict[Node, Axis | None] = {}
        self._resolved: dict[Node, Node] = {}
        self._finished: dict[Node, Root | None] = {}
        self.time: dict[Node, int] = {}
        self.find_times()
        self.schedule = _Schedule(self, {})
        if self.schedule.several_phases():
            self.schedule = _Schedule(self, self.schedule.members)

    # -------------------------------------------------------------------------------------------- single values
    def resolved(self, node: Node) -> Node:
        """The node, or the branch of a select that the facts of this scope decide."""
        if node.kind is not Kind.ELEMENTWISE or node.data != "select" or node in self.fusion.available:
            return node
        found = self._resolved.get(node)
        if found is None:
            found = self._resolved[node] = resolve(node, self.facts, self.fusion.conditions)
        return found

    def outer(self, node: Node) -> Axis | None:
        """The outermost axis of a value that is not open."""
        if not node.axes:
            return None
        if node not in self._outer:
            self._outer[node] = self.first(node.axes)
        return self._outer[node]

    def first(self, axes: Iterable[Axis]) -> Axis | None:
        """The outermost of some axes that is not open."""
        left = [a for a in axes if a not in self.open]
        return min(left, key=self.fusion.axis_rank.__getitem__) if left else None

    def trivial(self, node: Node) -> bool:
        """Whether a value can be read in place, without planning anything."""
        if self.there(node):
            return True
        if node.kind is Kind.GATHER:
            return node.args[0] in self.fusion.available and all(map(self.there, node.args[1:]))
        return False

    def there(self, node: Node) -> bool:
        """Whether a value is available, or computed in place from what is."""
        available, values = self.fusion.available, self.fusion.values
        return node in available or (values.inline(node) and all(s in available for s in values.scalars(node)))

    def finished(self, node: Node) -> Root | None:
        """The root that a reduction becomes when a loop of this scope finishes it; None when an inner scope does."""
        if node.kind is not Kind.REDUCE and node.kind is not Kind.SCATTER_ADD:
            return None
        if node not in self._finished:
            self._finished[node] = self._finish(node)
        return self._finished[node]

    def _finish(self, node: Node) -> Root | None:
        fusion = self.fusion
        value, *indices = node.args
        if node.kind is Kind.REDUCE:
            reducer, axis = node.data
            body = fusion.remaining({*value.axes, axis}, self.open)
            if not body or body[0] != axis:
                return None
        else:
            reducer, (_, summed) = "sum", node.data
            body = fusion.remaining({a for n in node.args for a in n.axes}.union(summed), self.open)
            if body and body[0] == self.outer(node) and body[0] not in summed:
                return None
        axes = fusion.remaining(node.axes, self.open)
        conditions = fusion.domains.neutral(value, reducer) | fusion.domains.needed(value)
        if node.kind is Kind.REDUCE and not axes:
            return Root(value, Sink(Accumulator(node), reducer), body, conditions)
        buffer = fusion.buffer(node, axes, "accumulated")
        place = dict(zip(node.data[0], indices, strict=True)) if indices else {}
        where = tuple(place.get(a) or axis_index(a) for a in axes)
        return Root(value, Sink(buffer, reducer, where), body, conditions)

    def reads_table(self, node: Node) -> bool:
        """Whether a Gather reads an array that a loop of this scope must have filled before."""
        if node.kind is not Kind.GATHER:
            return False
        array = node.args[0]
        if array.kind is Kind.INPUT or array in self.fusion.available:
            return False
        outer = self.outer(array)
        return outer in node.data or outer != self.outer(node)

    def in_place(self, node: Node) -> bool:
        """Whether a Gather can be read anywhere once its array is there."""
        return all(i in self.fusion.available or self.fusion.values.inline(i) for i in node.args[1:])

    def arguments(self, node: Node) -> list[Node]:
        """What a value is computed from."""
        root = self.finished(node)
        if root is not None:
            return self.parts(root)
        if node.kind is Kind.GATHER:  # the facts are about this place of the array, not about the one that is read
            return [node.args[0], *(self.resolved(i) for i in node.args[1:])]
        return [self.resolved(a) for a in node.args]

    def parts(self, root: Root) -> list[Node]:
        """The values that a root is made of: its own and the indices of its sink."""
        return [self.resolved(root.value), *(i for i in root.sink.indices if i.kind is not Kind.AXIS_INDEX)]

    # ---------------------------------------------------------------------------------------------------- times
    def find_times(self) -> None:
        """The time of every value below the roots, in topological order."""
        found: set[Node] = set()
        stack = [part for root in self.roots for part in self.parts(root)]
        while stack:
            node = stack.pop()
            if node not in found and not self.trivial(node):
                found.add(node)
                stack.extend(self.arguments(node))
        for node in sorted(found, key=self.fusion.rank.__getitem__):
            self.time[node] = self._time(node)

    def _time(self, node: Node) -> int:
        root = self.finished(node)
        if root is not None:
            return self.root_time(root) + 1
        if self.reads_table(node):
            array, *indices = self.arguments(node)
            outer = self.outer(node)
            filled = self.time.get(array, 0) + (self.finished(array) is None)
            return max([filled, *(self.ready(i, outer) for i in indices)])
        outer = self.outer(node)
        return max((self.ready(a, outer) for a in self.arguments(node)), default=0)

    def ready(self, node: Node, axis: Axis | None) -> int:
        """The earliest time at which a loop over ``axis`` can use a value."""
        time = self.time.get(node)
        if time is None:
            return 0
        same = (
            self.outer(node) in (None, axis) or self.fusion.values.inline(node) or self.finished(node) is not None
        )
        return time if same or (self.reads_table(node) and self.in_place(node)) else time + 1

    def root_time(self, root: Root) -> int:
        """The time of the loop, or statement, that a root becomes."""
        axis = self.first(root.axes)
        return max((self.ready(part, axis) for part in self.parts(root)), default=0)

    # ------------------------------------------------------------------------------------------------- emission
    def emit(self, added: list[Node]) -> Scope:
        """The items of the scope in order; ``added`` collects what becomes available."""
        fusion, schedule = self.fusion, self.schedule
        scope = Scope(self.open_axes, self.facts)
        lets: dict[int, list[Node]] = {}
        for node in schedule.lets:
            lets.setdefault(self.time[node], []).append(node)
        statements: dict[int, list[Root]] = {}
        for time, root in schedule.statements:
            statements.setdefault(time, []).append(root)
        groups: dict[int, list[GroupKey]] = {}
        for key in schedule.groups:
            groups.setdefault(key[0], []).append(key)
        for time in sorted({*lets, *statements, *groups}):
            for node in sorted(lets.get(time, ()), key=fusion.rank.__getitem__):
                scope.items.append(Compute(node))
                fusion.available[node] = None
                added.append(node)
            published: list[tuple[Node, Target]] = []
            for root in statements.get(time, ()):
                self._start(scope, root)
                scope.items.append(Write(root, tuple(self._result(root))))
                published.extend(self._result(root))
            for key in sorted(groups.get(time, ()), key=self._group_order):
                roots = schedule.groups[key]
                for root in roots:
                    self._start(scope, root)
                _, axis, lower, upper = key
                body = fusion.scope(roots, (*self.open_axes, axis), self.facts | schedule.facts[key])
                finished = tuple(result for root in roots for result in self._result(root))
                scope.items.append(Sweep(axis, lower, upper, time, body, finished))
                published.extend(finished)
            for node, target in published:
                if node not in fusion.available:
                    added.append(node)
                fusion.available[node] = target
        return scope

    def _group_order(self, key: GroupKey) -> tuple[object, ...]:
        _, axis, lower, upper = key
        return (self.fusion.axis_rank[axis], [b.form.key() for b in lower], [b.form.key() for b in upper])

    def _start(self, scope: Scope, root: Root) -> None:
        if root in self.schedule.requested and root.sink.reducer is not None:
            scope.items.append(Fill(root.sink.target, root.sink.reducer))

    def _result(self, root: Root) -> list[tuple[Node, Target]]:
        target = root.sink.target
        if root in self.schedule.requested and isinstance(target, (Accumulator, Buffer)):
            return [(target.node, target)]
        return []


class _Schedule:
    """The loops and statements of one scope.

    ``earlier`` says, per axis, which values loops over it compute, and from which time on: a value that is asked for
    by a later loop over the same axis may then be stored instead of computed again.
    """

    def __init__(self, draft: _Draft, earlier: Mapping[Axis, Mapping[Node, int]]) -> None:
        self.draft, self.earlier = draft, earlier
        self.groups: dict[GroupKey, list[Root]] = {}
        self.facts: dict[GroupKey, Facts] = {}
        self.lets: dict[Node, None] = {}
        self.statements: list[tuple[int, Root]] = []
        self.requested: dict[Root, None] = {}
        self.members: dict[Axis, dict[Node, int]] = {}
        self._stored: set[Node] = set()
        self._seen: set[tuple[Node, int, Axis | None]] = set()
        self._stack: list[tuple[Node, int, Axis | None]] = []
        for root in draft.roots:
            self._place(root)
        while self._stack:
            self._walk(*self._stack.pop())

    def several_phases(self) -> bool:
        """Whether two loops over one axis follow each other."""
        times: dict[Axis, int] = {}
        return any(times.setdefault(axis, time) != time for time, axis, _, _ in self.groups)

    def _place(self, root: Root) -> None:
        draft = self.draft
        time = draft.root_time(root)
        axis = draft.first(root.axes)
        if axis is None:
            self.statements.append((time, root))
        else:
            inside = draft.open | {axis}
            atoms = frozenset(c for c in root.conditions if axis in c.axes and c.axes <= inside)
            lower, upper = bounds_from(axis, atoms - draft.facts)
            key = (time, axis, lower, upper)
            self.groups.setdefault(key, []).append(root)
            # a bound that leaves nothing must not be taken for a fact: inside, selects are decided as they were outside
            known = frozenset(c for c in atoms if not impossible(c, draft.facts))
            self.facts[key] = self.facts.get(key, frozenset()) | known
        for part in draft.parts(root):
            self._stack.append((part, time, axis))

    def _request(self, root: Root) -> None:
        if root not in self.requested:
            self.requested[root] = None
            self._place(root)

    def _store(self, node: Node, reason: str) -> None:
        if node in self._stored:
            return
        self._stored.add(node)
        draft = self.draft
        axes = draft.fusion.remaining(node.axes, draft.open)
        buffer = draft.fusion.buffer(node, axes, reason)
        sink = Sink(buffer, None, tuple(axis_index(a) for a in axes))
        self._request(Root(node, sink, axes, draft.fusion.domains.needed(node)))

    def _walk(self, node: Node, time: int, axis: Axis | None) -> None:
        """Find what else ``node`` needs when it is used at ``time`` in a loop over ``axis`` (None: outside loops)."""
        draft = self.draft
        if draft.trivial(node) or (node, time, axis) in self._seen:
            return
        self._seen.add((node, time, axis))
        root = draft.finished(node)
        if root is not None:
            self._request(root)
            return
        outer = draft.outer(node)
        if draft.reads_table(node):
            array = node.args[0]
            whole = draft.finished(array)
            if whole is not None:
                self._request(whole)
            else:
                self._store(array, "read at other indices")
            if outer is None:
                self.lets[node] = None
            if outer is None or outer == axis or draft.in_place(node):
                for index in node.args[1:]:
                    self._stack.append((draft.resolved(index), time, axis))
                return
        if outer is None:
            self.lets[node] = None
            for argument in draft.arguments(node):
                self._stack.append((argument, draft.time[node], None))
            return
        if outer != axis and not draft.fusion.values.inline(node):
            self._store(node, "does not vary in the loop that uses it")
            return
        own = draft.time[node]
        if axis is not None and own < time and axis in self.earlier and self._worth(node, axis, time):
            self._store(node, "used by a later loop")
            return
        if outer == axis:
            members = self.members.setdefault(axis, {})
            members[node] = min(time, members.get(node, time))
        for argument in draft.arguments(node):
            self._stack.append((argument, time, axis))

    def _worth(self, node: Node, axis: Axis, time: int) -> bool:
        """Whether to store a value in an earlier loop over the axis rather than to compute it (again) in this one."""
        values = self.draft.fusion.values
        if values.inline(node):
            return False
        axes = self.draft.fusion.remaining(node.axes, self.draft.open)
        members = self.earlier[axis]
        if len(axes) == 1 and node.kind in (Kind.REDUCE, Kind.SCATTER_ADD):
            return min(members.values()) < time  # no inner loop is run twice where one number per turn can be kept
        if members.get(node, time) >= time:
            return False
        if values.heavy(node):
            # what has several axes is large at the outermost scope: kept only when another loop is behind it
            return len(axes) == 1 or bool(self.draft.open_axes) or values.argument_cost(node) >= REDUCTION_COST
        return len(axes) == 1 and values.cost(node) > MOST_RECOMPUTED_COST
