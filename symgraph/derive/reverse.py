"""Reverse mode: one rule per kind of node. The result is again a graph, so that every higher order needs no more rules.

================  =====================================================================================
kind              what the adjoint of a node adds to its arguments
================  =====================================================================================
Elementwise       adjoint x partial, summed over the axes that the argument lacks
Reduce(sum)       the adjoint, for every element
Reduce(product)   the adjoint x the product of the other elements (right at zeros)
Reduce(max, min)  equal shares among the elements that attain it
Broadcast         the adjoint, summed over the axis
Gather            ScatterAdd of the adjoint at the same indices
ScatterAdd        Gather of the adjoint at the same indices
================  =====================================================================================

*Batch axes* are free axes of the outputs that stay axes of every adjoint: with them, one reverse sweep gives a whole
block of a Jacobian. A node that varies over a batch axis itself meets only its own element: contributions are never
summed over a batch axis, and an index that varies over one becomes a condition.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache

from .. import simplify as s
from ..axis import Axis
from ..errors import UnsupportedError
from ..graph import topological_order
from ..node import Kind, Node, axis_index, constant, union_axes
from ..ops import OPS
from ..rewrite import fresh_axis, is_large
from ..simplify.nonnegative import is_singular_power, nonnegative
from .cancel import root_product
from .masks import EMPTY, Adjoint, Mask, extended, joined, without_axis
from .partials import partial

__all__ = ["adjoints", "depends_on", "gradients", "other_factors", "products_of_others", "strong_product", "tie_share"]

def depends_on(order: Iterable[Node], targets: Iterable[Node]) -> set[Node]:
    """The nodes of ``order`` (arguments first) through which a derivative by ``targets`` flows."""
    active = set(targets)
    for node in order:
        if node in active:
            continue
        if node.kind is Kind.ELEMENTWISE and _is_step(node.data):
            continue
        if not active.isdisjoint(node.args):
            active.add(node)
    return active


@cache
def _is_step(name: str) -> bool:
    """Whether an operation passes no derivative to any argument."""
    given = OPS[name].given_partials
    return given is not None and all(p == 0 for p in given)


def gradients(seeds: Mapping[Node, Node], wrt: Sequence[Node], batch: tuple[Axis, ...] = ()) -> list[Node]:
    """The adjoint of each node of ``wrt``, given the adjoint of each output.

    Parameters
    ----------
    seeds:
        Output node -> adjoint node (axes: those of the output, or batch axes).
    wrt:
        Nodes, most often inputs.
    batch:
        Free axes of the outputs to keep; no reduction of the graph may bind an axis of the same name.

    Returns
    -------
    For each node of ``wrt`` its adjoint, with the node's axes and the batch axes (or fewer, where it does not vary).
    """
    table = _sweep(seeds, wrt, batch)
    return [table[node].masked if node in table else s.ZERO for node in wrt]


def adjoints(seeds: Mapping[Node, Node], wrt: Sequence[Node], batch: tuple[Axis, ...] = ()) -> dict[Node, Node]:
    """The adjoint of every node between the outputs and ``wrt``, in execution order of the backward sweep."""
    return {node: adjoint.masked for node, adjoint in _sweep(seeds, wrt, batch).items()}


def _sweep(seeds: Mapping[Node, Node], wrt: Sequence[Node], batch: tuple[Axis, ...]) -> dict[Node, Adjoint]:
    order = topological_order(seeds)
    sweep = _Sweep(order, wrt, batch)
    for node, seed in seeds.items():
        sweep.pending.setdefault(node, []).append(Adjoint(seed))
    table: dict[Node, Adjoint] = {}
    for node in reversed(order):
        contributions = sweep.pending.pop(node, None)
        if contributions is None or node not in sweep.active:
            continue
        adjoint = joined(contributions)
        if adjoint.value is not s.ZERO:
            table[node] = adjoint
            if node.args:
                sweep.push(node, adjoint)
    return table


class _Sweep:
    """What one backward sweep knows: which nodes matter, the batch axes, and the contributions that wait for a node."""

    def __init__(self, order: Sequence[Node], wrt: Sequence[Node], batch: tuple[Axis, ...]) -> None:
        self.active = depends_on(order, wrt)
        self.targets = frozenset(wrt)
        self.batch = batch
        self.pending: dict[Node, list[Adjoint]] = {}
        roots = any(is_singular_power(n) for n in order)
        self.nonnegative = nonnegative(order) if roots else frozenset()

    def give(self, argument: Node, value: Node, mask: Mask, over: tuple[Axis, ...], strong: bool = False) -> None:
        """Add a contribution, summed over the axes of ``over`` (and its own) that the argument lacks."""
        if argument not in self.active or value is s.ZERO:
            return
        contribution = Adjoint(value, mask, strong)
        if over or value.axes or mask:
            axes = union_axes((value, *(c for c, _ in mask)))
            for axis in axes + tuple(a for a in over if a not in axes):
                if axis not in argument.axes and axis not in self.batch:
                    contribution = without_axis(contribution, axis)
                    summed = s.reduce("sum", contribution.value, axis)
                    contribution = Adjoint(summed, contribution.mask, strong)
        if contribution.value is not s.ZERO:
            self.pending.setdefault(argument, []).append(contribution)

    def push(self, node: Node, adjoint: Adjoint) -> None:
        """The rules: one per kind."""
        value, mask, strong = adjoint
        match node.kind:
            case Kind.ELEMENTWISE:
                self._elementwise(node, value, mask, strong)
            case Kind.REDUCE:
                self._reduce(node, value, mask, strong)
            case Kind.BROADCAST:
                self.give(node.args[0], value, mask, node.axes, strong)
            case Kind.GATHER:
                if node.args[0] in self.active:
                    scattered = _scattered(node, adjoint.masked, self.batch)
                    self.give(node.args[0], scattered, EMPTY, (), strong)
            case Kind.SCATTER_ADD:
                indices = dict(zip(node.data[0], node.args[1:], strict=True))
                flat = adjoint.masked
                for target in [t for t in indices if t in self.batch]:
                    flat = s.guard(s.compare("eq", axis_index(target), indices.pop(target)), flat)
                self.give(node.args[0], s.gather(flat, indices), EMPTY, node.data[1], strong)
            case _:
                raise UnsupportedError(f"no reverse rule for {node!r}").about(node)

    def _elementwise(self, node: Node, value: Node, mask: Mask, strong: bool) -> None:
        times = strong_product if strong else s.mul
        match node.data:
            case "add":
                for argument in node.args:
                    self.give(argument, value, mask, node.axes, strong)
            case "mul":
                self._product(node, value, mask, strong)
            case "max" | "min":
                share = s.mul(value, tie_share(node))  # a share is never 0
                for argument in node.args:
                    hit = extended(mask, s.compare("eq", argument, node), True)
                    self.give(argument, share, hit, node.axes, strong)
            case "select":
                condition, then, otherwise = node.args
                self.give(then, value, extended(mask, condition, True), node.axes, strong)
                self.give(otherwise, value, extended(mask, condition, False), node.axes, strong)
            case "undefined":
                for argument in node.args:
                    self.give(argument, s.mul(value, node), mask, node.axes)
            case "strong_product":
                for argument, other in (node.args, node.args[::-1]):
                    self.give(argument, strong_product(value, other), mask, node.axes, True)
            case "pow" if is_reciprocal(node) and not strong:
                self.give(node.args[0], reciprocal_slope(value, node), mask, node.axes)
            case "log" | "xlogy" if not strong and node.args[-1] not in self.targets and is_product(node.args[-1]):
                for factor, given in logarithm_slopes(node, self.active):
                    self.give(factor, s.mul(value, given), mask, node.axes)
                if node.data == "xlogy" and node.args[0] in self.active:
                    self.give(node.args[0], s.mul(value, partial(node, 0)), mask, node.axes)
            case _:
                root = is_singular_power(node) and node.args[0] in self.nonnegative
                for position, argument in enumerate(node.args):
                    if argument in self.active:
                        divided = root_product(value, node) if root and not position else None
                        given = times(value, partial(node, position)) if divided is None else divided
                        vanishes = not position and is_power_times_logarithm(node)
                        self.give(argument, given, mask, node.axes, strong or root or vanishes)

    def _product(self, node: Node, value: Node, mask: Mask, strong: bool) -> None:
        wanted = {a for a in node.args if a in self.active}
        if strong:
            for argument, others in zip(node.args, products_of_others(node.args, wanted), strict=True):
                if others is not None:
                    self.give(argument, strong_product(value, others), mask, node.axes, True)
            return
        for divisor in [a for a in node.args if a in wanted and is_reciprocal(a) and a not in self.targets]:
            # n = a / q: the adjoint of q is -(v/q) * n, and v/q is the adjoint of a
            self.give(divisor.args[0], s.neg(s.mul(s.mul(value, divisor), node)), mask, node.axes)
            wanted.discard(divisor)
        product = s.mul if len(wanted) == 1 else s.factor_product
        for argument, others in zip(node.args, products_of_others(node.args, wanted), strict=True):
            if others is not None:
                self.give(argument, product(value, others), mask, node.axes)

    def _reduce(self, node: Node, value: Node, mask: Mask, strong: bool) -> None:
        name, axis = node.data
        argument = node.args[0]
        times = strong_product if strong else s.mul
        match name:
            case "sum":
                self.give(argument, value, mask, (), strong)
            case "product":
                self.give(argument, times(value, other_factors(node)), mask, (), strong)
            case _:
                hit = s.compare("eq", argument, node)
                count = s.reduce("sum", s.select(hit, s.ONE, s.ZERO), axis)
                self.give(argument, s.div(value, count), extended(mask, hit, True), (), strong)


def strong_product(left: Node, right: Node) -> Node:
    """left * right, 0 where a factor is 0 whatever the other; signs and constants multiply plainly."""
    first, a = s.split_coefficient(left)
    second, b = s.split_coefficient(right)
    product = s.mul(a, b) if Kind.CONST in (a.kind, b.kind) else s.call("strong_product", a, b)
    return s.mul(constant(first), constant(second), product)


def is_power_times_logarithm(node: Node) -> bool:
    """``x**p * log(x)``, the derivative of the power by p: at x = 0 its own derivatives by p are 0 times infinity."""
    if node.data != "xlogy" or node.args[0].kind is not Kind.ELEMENTWISE:
        return False
    power = node.args[0]
    return power.data == "pow" and power.args[0] is node.args[1] and power.args[1].kind is not Kind.CONST


def is_reciprocal(node: Node) -> bool:
    return node.kind is Kind.ELEMENTWISE and node.data == "pow" and node.args[1] is s.MINUS_ONE


def reciprocal_slope(value: Node, node: Node) -> Node:
    """value * d(1/x)/dx, multiplied by 1/x twice: its square leaves the range first."""
    return s.neg(s.mul(s.mul(value, node), node))


def logarithm_slopes(node: Node, active: Collection[Node]) -> list[tuple[Node, Node]]:
    """(factor, partial) of u*log(a*b) for the active factors: u/a, never (u/(a*b))*b, which may be 0*inf."""
    found = []
    for factor in node.args[-1].args:
        if factor in active:
            power = factor.kind is Kind.ELEMENTWISE and factor.data == "pow" and factor.args[1].kind is Kind.CONST
            base, exponent = factor.args if power and factor.args[0] in active else (factor, s.ONE)
            plain = node.data == "log"
            ratio = s.power(base, s.MINUS_ONE) if plain else s.call("strong_quotient", node.args[0], base, s.ONE)
            found.append((base, s.mul(exponent, ratio)))
    return found


def is_product(node: Node) -> bool:
    return node.kind is Kind.ELEMENTWISE and node.data == "mul"


def tie_share(node: Node) -> Node:
    """1 / the number of arguments that attain a maximum or minimum: shares add up to 1."""
    if len(node.args) == 2:
        return s.select(s.compare("eq", *node.args), s.power(constant(2), s.MINUS_ONE), s.ONE)
    hits = [s.select(s.compare("eq", a, node), s.ONE, s.ZERO) for a in node.args]
    return s.power(s.add(*hits), s.MINUS_ONE)


def products_of_others(arguments: tuple[Node, ...], active: set[Node]) -> list[Node | None]:
    """For each active argument the product of all others, by prefix and suffix products: right at zeros."""
    count = len(arguments)
    if count == 2:
        return [arguments[1] if arguments[0] in active else None, arguments[0] if arguments[1] in active else None]
    suffix = [s.ONE] * count
    for i in range(count - 2, -1, -1):
        suffix[i] = s.mul(arguments[i + 1], suffix[i + 1])
    result: list[Node | None] = []
    prefix = s.ONE
    for i, argument in enumerate(arguments):
        result.append(s.mul(prefix, suffix[i]) if argument in active else None)
        prefix = s.mul(prefix, argument)
    return result


def other_factors(node: Node) -> Node:
    """For each element of a product over an axis, the product of all other elements (no division: right at zeros)."""
    argument, axis = node.args[0], node.data[1]
    other = fresh_axis(axis.name, axis.size, (*argument.axes, axis))
    (renamed,) = s.rename_axes([argument], {axis: other})
    different = s.compare("ne", axis_index(other), axis_index(axis))
    return s.reduce("product", s.select(different, renamed, s.ONE), other)


def _at(value: Node, names: Mapping[Axis, Axis]) -> Node:
    return s.gather(value, {axis: axis_index(other) for axis, other in names.items()})


def _scattered(node: Node, value: Node, batch: tuple[Axis, ...]) -> Node:
    """The adjoint of the array that a Gather reads."""
    array, targets = node.args[0], tuple(node.data)
    indices = dict(zip(targets, node.args[1:], strict=True))
    kept = tuple(a for a in array.axes if a not in targets)
    clash = [a for a in targets if a in union_axes((value, *node.args[1:])) and a not in kept]
    if clash:
        # a shift x[i + 1] reads along the axis that it replaces: the adjoint's own index needs another name
        used = [*union_axes((value, *node.args)), *batch]
        names: dict[Axis, Axis] = {}
        for axis in clash:
            names[axis] = fresh_axis(axis.name, axis.size, used)
            used.append(names[axis])
        # a small value is computed again under the other name; a large one is read at the other index
        (value,) = [_at(value, names)] if is_large(value, clash) else s.rename_axes([value], names)
        moved = s.rename_axes(node.args[1:], names)
        indices = dict(zip(targets, moved, strict=True))
    spread = union_axes((*indices.values(),))
    summed = [a for a in spread if a not in kept and a not in batch]
    for axis in value.axes:
        if axis not in summed and axis not in kept and axis not in batch:
            summed.append(axis)
    return s.scatter_add(value, indices, summed)
