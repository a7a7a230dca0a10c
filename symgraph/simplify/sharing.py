"""Sharing inside products, sums and powers: what a whole graph must be seen for, so that no constructor can do it.

The smart constructors keep products and sums as wide as they were written, and let coefficients float outwards: that
finds equal values. Here, on a finished graph, what several of them have in common becomes one node:

1. a product of equal powers is one power, ``a**2 * b**-2 = (a/b)**2``;
2. factors (terms) that stand together in several products (sums) are multiplied (added) once, the most frequent pair
   first;
3. a coefficient goes back to a factor whose multiple exists anyway: ``0.6*(u*v) = (0.6*u)*v``;
4. negative powers of one number are products of one reciprocal: of one that exists anyway, or else of the power that
   all of them are powers of, ``x**-4, x**-6 = (x**-2)**2, (x**-2)**3``.

Every rule is exact algebra, and none makes a graph larger. Factors and terms are paired only where their axes are
equal: which factors leave which sum stays the planner's choice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, product

from ..dtype import FLOATING
from ..graph import Graph, Output, topological_order, user_table
from ..node import Kind, Node, constant, make
from ..ops import apply_op
from ..rewrite import copy
from .arithmetic import MINUS_ONE, split_coefficient
from .nonnegative import nonnegative
from .numbers import Number, number_product
from .pairing import Pairing

__all__ = ["factored_graph", "shared", "shared_graph"]

WIDEST = 24  # pairs are quadratic in the width; a sum of thousands of terms is left as it is
MULTIPLES = 8  # two coefficients are looked for among so many; a node with hundreds of multiples is left as it is
_ROOT = Fraction(-1, 2)
_UNITS = (Fraction(-1), _ROOT)
_FEW = range(1, MULTIPLES + 1)
# How to make a node anew, given what its arguments (at any depth) have become.
Renewal = Callable[[Callable[[Node], Node]], Node]
Plan = dict[Node, Renewal]
Step = Callable[[Sequence[Node], Sequence[Node]], Plan]


def shared(roots: Iterable[Node]) -> list[Node]:
    """The roots with common factors, terms, coefficients and reciprocals shared.

    >>> from symgraph.node import input_node
    >>> x, y, z, w = (input_node(name) for name in "xyzw")
    >>> first, second = shared([apply_op("mul", x, y, z), apply_op("mul", x, y, w)])
    >>> len(set(first.args) & set(second.args))
    1
    """
    return _after(_STEPS, list(roots))


def shared_graph(graph: Graph) -> Graph:
    """The graph as it is emitted: all four rules."""
    return _with_steps(_STEPS, graph)


def factored_graph(graph: Graph) -> Graph:
    """The graph as it is differentiated: the first two rules, whose results the smart constructors leave as they are.

    Adjoints of a product of many factors cost as many products as it has; where factors are shared, so are those.
    """
    return _with_steps(_STEPS[:2], graph)


def _with_steps(steps: Sequence[Step], graph: Graph) -> Graph:
    nodes = _after(steps, [output.node for output in graph.outputs])
    outputs = tuple(Output(o.name, node, o.axes) for o, node in zip(graph.outputs, nodes, strict=True))
    return Graph(graph.name, graph.inputs, outputs, graph.structure)


def _after(steps: Sequence[Step], nodes: list[Node]) -> list[Node]:
    order = topological_order(nodes)
    for step in steps:
        plan = step(order, nodes)
        if plan:
            nodes = _rewritten(nodes, order, plan)
            order = topological_order(nodes)
    return nodes


def _rewritten(roots: Sequence[Node], order: Sequence[Node], plan: Plan) -> list[Node]:
    """One pass from the leaves: the nodes of the plan are made anew, and what stands on them is copied."""
    changed: dict[Node, Node] = {}
    for node in order:
        replace = plan.get(node)
        if replace is not None:
            made = replace(lambda a: changed.get(a, a))
            if made is not node:
                changed[node] = made
        elif not changed.keys().isdisjoint(node.args):
            changed[node] = copy(node, tuple([changed.get(a, a) for a in node.args]))
    return [changed.get(root, root) for root in roots]


def _exponent(node: Node) -> int | Fraction | None:
    """The exact exponent of a power with one, else None."""
    if node.kind is Kind.ELEMENTWISE and node.data == "pow" and node.args[1].kind is Kind.CONST:
        value = node.args[1].data
        if type(value) is int or type(value) is Fraction:
            return value
    return None


# ------------------------------------------------------------------------------------------------------ equal powers
def _equal_powers(order: Sequence[Node], roots: Sequence[Node]) -> Plan:
    return {node: partial(_power_of_product, node, k) for node in order if (k := _common_exponent(node)) is not None}


def _common_exponent(node: Node) -> int | None:
    """k where a node is a product of k-th powers and their reciprocals, for a whole k from 2 up."""
    if node.kind is not Kind.ELEMENTWISE or node.data != "mul" or node.dtype is not FLOATING:
        return None
    common = None
    for argument in node.args:
        exponent = _exponent(argument)
        if type(exponent) is not int or abs(exponent) < 2 or abs(exponent) != abs(common or exponent):
            return None
        common = abs(exponent)
    return common


def _power_of_product(node: Node, exponent: int, new: Callable[[Node], Node]) -> Node:
    bases = [new(a.args[0]) if a.args[1].data > 0 else apply_op("pow", new(a.args[0]), MINUS_ONE) for a in node.args]
    return apply_op("pow", apply_op("mul", *bases), constant(exponent))


# ------------------------------------------------------------------------------------------------------------- pairs
def _pairs(order: Sequence[Node], roots: Sequence[Node]) -> Plan:
    plan: Plan = {}
    for op in ("mul", "add"):
        nodes = [node for node in order if node.kind is Kind.ELEMENTWISE and node.data == op and _pairable(node)]
        if any(len(node.args) > 2 for node in nodes):
            plan.update(Pairing(op, nodes).plan())
    return plan


def _pairable(node: Node) -> bool:
    return (
        node.dtype is FLOATING
        and len(node.args) <= WIDEST
        and node.args[0].kind is not Kind.CONST
        and all(a.kind is not Kind.SCATTER_ADD for a in node.args)
    )


# ------------------------------------------------------------------------------------- coefficients and reciprocals
def _coefficients_and_reciprocals(order: Sequence[Node], roots: Sequence[Node]) -> Plan:
    multiples: dict[Node, dict[Number, None]] = {}
    units: dict[Node, dict[Fraction, None]] = {}
    scaled: list[tuple[Node, Number]] = []
    powers: list[tuple[Node, Fraction]] = []
    for node in order:
        if node.kind is not Kind.ELEMENTWISE or node.dtype is not FLOATING:
            continue
        if node.data == "mul":
            coefficient, core = split_coefficient(node)
            if core is not node and coefficient != -1:
                multiples.setdefault(core, {})[coefficient] = None
                scaled.append((node, coefficient))
        elif node.data == "pow":
            exponent = _exponent(node)
            if exponent is not None and exponent < 0:
                powers.append((node, Fraction(exponent)))
                if exponent in _UNITS:
                    units.setdefault(node.args[0], {})[Fraction(exponent)] = None
    plan: Plan = {}
    known = nonnegative(order) if any(_ROOT in found for found in units.values()) else ()
    common = _common_powers(powers)
    for node, exponent in powers:
        base = node.args[0]
        found = units.get(base, ())
        # x**-2 = (x**(-1/2))**4 holds from 0 up only
        use_root = _ROOT in found and (exponent.denominator == 2 or base in known)
        unit = _ROOT if use_root else _UNITS[0] if _UNITS[0] in found else common.get((base, exponent.denominator))
        if unit is not None and exponent != unit and (exponent / unit).denominator == 1:
            plan[node] = partial(_power_of_power, node, constant(unit), constant(exponent / unit))
    if scaled:
        users = user_table(order)
        outputs = set(roots)
        for node, coefficient in scaled:
            core = node.args[1]
            if len(users[core]) > 1 or core in outputs:
                continue  # the product without its coefficient is needed anyway
            factors = _split(coefficient, core, multiples)
            if factors is not None:
                plan[node] = partial(_scaled_factors, core, factors)
    return plan


def _common_powers(powers: Sequence[tuple[Node, Fraction]]) -> dict[tuple[Node, int], Fraction]:
    """(base, denominator) to the negative power of which all others with that denominator, 1 or 2, are powers.

    There is none where only one power is taken: nothing would be saved.
    """
    taken: dict[tuple[Node, int], dict[int, None]] = {}
    for node, exponent in powers:
        if exponent.denominator in (1, 2):
            taken.setdefault((node.args[0], exponent.denominator), {})[-exponent.numerator] = None
    return {
        (base, denominator): Fraction(-math.gcd(*numerators), denominator)
        for (base, denominator), numerators in taken.items()
        if len(numerators) > 1
    }


def _power_of_power(node: Node, unit: Node, exponent: Node, new: Callable[[Node], Node]) -> Node:
    return apply_op("pow", apply_op("pow", new(node.args[0]), unit), exponent)


def _scaled_factors(core: Node, coefficients: Sequence[Number], new: Callable[[Node], Node]) -> Node:
    factors = [new(a) if c == 1 else _scaled(c, new(a)) for a, c in zip(core.args, coefficients, strict=False)]
    return apply_op("pow", factors[0], core.args[1]) if core.data == "pow" else apply_op("mul", *factors)


def _scaled(coefficient: Number, core: Node) -> Node:
    first = constant(coefficient)
    return make(Kind.ELEMENTWISE, (first, core), core.axes, FLOATING, "mul")


def _split(coefficient: Number, core: Node, multiples: dict[Node, dict[Number, None]]) -> list[Number] | None:
    """The coefficient of each factor of ``core``, such that they multiply to ``coefficient`` and exist already."""
    if core.kind is not Kind.ELEMENTWISE:
        return None
    if core.data == "pow" and _exponent(core) == 2:
        own_multiples = multiples.get(core.args[0], ())
        for own in own_multiples if len(own_multiples) in _FEW else ():
            if number_product(own, own) == coefficient:
                return [own]
        return None
    if core.data != "mul" or core.args[0].kind is Kind.CONST:
        return None
    factors: list[Number] = [1] * len(core.args)
    for position, factor in enumerate(core.args):
        if coefficient in multiples.get(factor, ()):
            factors[position] = coefficient
            return factors
    few = [(position, multiples[f]) for position, f in enumerate(core.args) if len(multiples.get(f, ())) in _FEW]
    for (left, first), (right, second) in combinations(few, 2):
        for own, other in product(first, second):
            if number_product(own, other) == coefficient:
                factors[left], factors[right] = own, other
                return factors
    return None


_STEPS: tuple[Step, ...] = (_equal_powers, _pairs, _coefficients_and_reciprocals)
