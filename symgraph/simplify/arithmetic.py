"""Sums, products and powers in canonical form.

Canonical form (the printers and the planner rely on it):

- there is no subtraction, division or negation: ``x - y`` is ``add(x, mul(-1, y))``, ``a / b`` is
  ``mul(a, pow(b, -1))``;
- a numeric coefficient stands first in a two-argument product ``mul(coefficient, core)``, and nowhere else: equal
  cores are shared whatever their coefficients, and coefficients and signs float outwards;
- terms with the same core are collected, factors with the same base are one power;
- nested sums and products are not flattened: a product that is shared as a whole stays shared.

These constructors are the hot path of differentiation: they do little, and they never look further than one level down.
"""

from __future__ import annotations

from fractions import Fraction

from ..dtype import FLOATING, promote
from ..node import Kind, Node, constant, make, union_axes
from ..ops import apply_op
from .differences import difference
from .logic import guard, split_guard
from .numbers import Number, is_number, number_power, number_product, number_sum

__all__ = [
    "MINUS_ONE", "ONE", "ZERO", "add", "div", "factor_product", "mul", "neg", "power", "scale", "split_coefficient",
    "sub",
]  # fmt: skip

ZERO, ONE, MINUS_ONE = constant(0), constant(1), constant(-1)
_HALF = Fraction(1, 2)


def split_coefficient(node: Node) -> tuple[Number, Node]:
    """(coefficient, core) of a term; the coefficient is 1 where none is written."""
    if node.kind is Kind.ELEMENTWISE and node.data == "mul":
        first = node.args[0]
        if first.kind is Kind.CONST and is_number(first):
            return first.data, node.args[1]
    return 1, node


def scale(coefficient: Number, core: Node) -> Node:
    """coefficient * core in canonical form."""
    if coefficient == 1 and type(coefficient) is int:
        return core
    if is_number(core):
        return constant(number_product(coefficient, core.data))
    inner, rest = split_coefficient(core)
    if rest is not core:
        return scale(number_product(coefficient, inner), rest)
    if coefficient == 0 and type(coefficient) is int:
        return ZERO
    condition, value = split_guard(core)
    if condition is not None:
        return guard(condition, scale(coefficient, value))
    if core.kind is Kind.SCATTER_ADD:  # the coefficient belongs to the value: no second pass over the target
        scaled = (scale(coefficient, core.args[0]), *core.args[1:])
        return make(Kind.SCATTER_ADD, scaled, core.axes, scaled[0].dtype, core.data)
    first = MINUS_ONE if coefficient == -1 and type(coefficient) is int else constant(coefficient)
    return make(Kind.ELEMENTWISE, (first, core), core.axes, promote(first.dtype, core.dtype), "mul")


def neg(node: Node) -> Node:
    """-node"""
    return scale(-1, node)


def sub(left: Node, right: Node) -> Node:
    """left - right"""
    return add(left, scale(-1, right))


def div(left: Node, right: Node) -> Node:
    """left / right"""
    return mul(left, power(right, MINUS_ONE))


def add(*nodes: Node) -> Node:
    """The sum of any number of nodes.

    >>> from symgraph.node import input_node
    >>> x = input_node("x")
    >>> add(x, neg(x)) is ZERO
    True
    """
    if len(nodes) == 2 and nodes[0] is not nodes[1] and _is_factor(nodes[0]) and _is_factor(nodes[1]):
        return _pair("add", *nodes)
    terms: dict[Node, Number] = {}
    shift: Number = 0
    for node in nodes:
        if node.kind is Kind.CONST and is_number(node):
            shift = number_sum(shift, node.data)
            continue
        coefficient, core = split_coefficient(node)
        terms[core] = number_sum(terms[core], coefficient) if core in terms else coefficient
    items = [(core, c) for core, c in terms.items() if c != 0 or type(c) is float]
    if shift == 0:
        if not items:
            return constant(shift)
        if len(items) == 1:
            return scale(items[0][1], items[0][0])
        first = items[0][1]
        if all(c == first for _, c in items) and first != 1:
            return scale(first, add(*[core for core, _ in items]))
        if all(c < 0 for _, c in items):
            return scale(-1, add(*[scale(-c, core) for core, c in items]))
    elif not items:
        return constant(shift)
    elif len(items) == 1 and (stable := difference(*items[0], shift)) is not None:
        return stable
    merged = _merge_scatters(_merge_guards(_merge_coefficients(items)))
    if merged is items and len(items) == len(nodes):
        return apply_op("add", *nodes)  # nothing was collected: the terms are what was given
    arguments = [scale(c, core) for core, c in merged]
    if shift != 0:
        arguments.append(constant(shift))
    return arguments[0] if len(arguments) == 1 else apply_op("add", *arguments)


def _merge_coefficients(items: list[tuple[Node, Number]]) -> list[tuple[Node, Number]]:
    """c*a + c*b + d = c*(a + b) + d: one multiplication for all terms of equal size of coefficient."""
    groups: dict[Number, list[tuple[Node, Number]]] = {}
    for core, c in items:
        if c != 1 and c != -1:
            groups.setdefault(_size(c), []).append((core, c))
    if len(groups) == sum(map(len, groups.values())):
        return items
    grouped = {size: terms for size, terms in groups.items() if len(terms) > 1}
    kept = [(core, c) for core, c in items if abs(c) not in grouped or abs(c) == 1]
    sums = [(add(*[scale(1 if c == size else -1, core) for core, c in terms]), size) for size, terms in grouped.items()]
    return kept + sums


def _size(value: Number) -> Number:
    return -value if value < 0 else value


def _merge_guards(items: list[tuple[Node, Number]]) -> list[tuple[Node, Number]]:
    """[c]*a + [c]*b = [c]*(a + b): terms under one condition share its loop, or its select."""
    groups: dict[Node, list[Node]] = {}
    for core, coefficient in items:
        condition, value = split_guard(core)
        if condition is not None:
            groups.setdefault(condition, []).append(scale(coefficient, value))
    if not any(len(values) > 1 for values in groups.values()):
        return items
    kept = [(core, c) for core, c in items if len(groups.get(split_guard(core)[0] or core, ())) < 2]
    return kept + [(guard(c, add(*values)), 1) for c, values in groups.items() if len(values) > 1]


def _merge_scatters(items: list[tuple[Node, Number]]) -> list[tuple[Node, Number]]:
    """Two values that are added at the same indices are added first."""
    groups: dict[object, list[Node]] = {}
    for core, _ in items:
        if core.kind is Kind.SCATTER_ADD:
            groups.setdefault((core.args[1:], core.data), []).append(core)
    merged = {core for cores in groups.values() if len(cores) > 1 for core in cores}
    if not merged:
        return items
    kept = [(core, c) for core, c in items if core not in merged]
    for cores in groups.values():
        if len(cores) > 1:
            value = add(*[core.args[0] for core in cores])
            axes = cores[0].axes + tuple(a for core in cores for a in core.axes if a not in cores[0].axes)
            arguments = (value, *cores[0].args[1:])
            kept.append((make(Kind.SCATTER_ADD, arguments, tuple(dict.fromkeys(axes)), value.dtype, cores[0].data), 1))
    return kept


def mul(*nodes: Node) -> Node:
    """The product of any number of nodes.

    >>> from symgraph.node import input_node
    >>> x = input_node("x")
    >>> mul(x, x) is power(x, constant(2))
    True
    """
    if len(nodes) == 2 and (quick := _quick_product(*nodes)) is not None:
        return quick
    coefficient: Number = 1
    powers: dict[Node, Number] = {}
    conditions: list[Node] = []
    for node in nodes:
        if node.kind is Kind.CONST and is_number(node):
            coefficient = number_product(coefficient, node.data)
            continue
        if node.kind is Kind.ELEMENTWISE:
            if node.data == "mul":
                inner, node = split_coefficient(node)
                if inner != 1:
                    coefficient = number_product(coefficient, inner)
            condition, value = split_guard(node)
            if condition is not None and condition.axes:
                conditions.append(condition)
                inner, node = split_coefficient(value)
                coefficient = number_product(coefficient, inner)
                if node.kind is Kind.CONST and is_number(node):
                    coefficient = number_product(coefficient, node.data)
                    continue
        base: Node = node
        exponent: Number = 1
        if node.kind is Kind.ELEMENTWISE and node.data == "pow" and is_number(node.args[1]):
            base, exponent = node.args[0], node.args[1].data
        powers[base] = number_sum(powers[base], exponent) if base in powers else exponent
    if coefficient == 0 and type(coefficient) is int:
        return ZERO
    factors: list[Node] = []
    for base, exponent in powers.items():
        factor = base if exponent == 1 else power(base, constant(exponent))
        if factor.kind is Kind.CONST and is_number(factor):
            coefficient = number_product(coefficient, factor.data)
        else:
            inner, core = split_coefficient(factor)
            if inner != 1:
                coefficient = number_product(coefficient, inner)
            factors.append(core)
    if not factors:
        result = constant(coefficient)
    else:
        result = scale(coefficient, factors[0] if len(factors) == 1 else apply_op("mul", *factors))
    for condition in reversed(conditions):
        result = guard(condition, result)
    return result


def _quick_product(left: Node, right: Node) -> Node | None:
    """The product of two factors where nothing can be collected but coefficients: most products of a derivative."""
    for number, factor in ((left, right), (right, left)):
        if number.kind is Kind.CONST:
            return scale(number.data, factor) if is_number(number) and _is_plain(factor) else None
    own, left = split_coefficient(left)
    other, right = split_coefficient(right)
    if not (_is_factor(left) and _is_factor(right)) or _base(left) is _base(right):
        return None
    product = _pair("mul", left, right)
    return product if own == 1 and other == 1 else scale(number_product(own, other), product)


def _base(node: Node) -> Node:
    """What a factor is a power of."""
    if node.kind is Kind.ELEMENTWISE and node.data == "pow" and is_number(node.args[1]):
        return node.args[0]
    return node


def _is_factor(node: Node) -> bool:
    """Whether a factor stays a factor: no number, coefficient or guard."""
    return _is_plain(node) or (node.kind is Kind.ELEMENTWISE and node.data == "pow")


def factor_product(scaled: Node, other: Node) -> Node:
    """scaled * other with the coefficient of ``scaled`` kept inside: for a scaled value that several products share.

    Floating the coefficient outwards would multiply by it once per product.
    """
    coefficient, core = split_coefficient(scaled)
    if abs(coefficient) == 1 or not (_is_plain(core) and _is_plain(other)) or core is other:
        return mul(scaled, other)
    return _pair("mul", scaled, other)


def _is_plain(node: Node) -> bool:
    """Whether a factor can only be multiplied: no number, coefficient, power or guard."""
    if node.kind is Kind.ELEMENTWISE:
        op = node.data
        return op != "pow" and op != "select" and (op != "mul" or node.args[0].kind is not Kind.CONST)
    return node.kind is not Kind.CONST and node.kind is not Kind.SCATTER_ADD


def _pair(op: str, left: Node, right: Node) -> Node:
    """``apply_op`` for two arguments of a commutative row that promotes: most nodes of a derivative are made here."""
    if left.number > right.number:
        left, right = right, left
    axes = left.axes if left.axes == right.axes else union_axes((left, right))
    dtype = FLOATING if left.dtype is FLOATING or right.dtype is FLOATING else promote(left.dtype, right.dtype)
    return make(Kind.ELEMENTWISE, (left, right), axes, dtype, op)


def _exact_exponent(value: object) -> object:
    """2.0 and 0.5 as exponents are exact: they stand for multiplications and square roots."""
    if type(value) is float and (value * 2).is_integer() and abs(value) < 2**31:
        return Fraction(value) if not value.is_integer() else int(value)
    return value


def power(base: Node, exponent: Node) -> Node:
    """base ** exponent.

    >>> from symgraph.node import input_node
    >>> x = input_node("x")
    >>> power(power(x, constant(2)), constant(Fraction(1, 2))).data
    'abs'
    """
    if exponent.kind is not Kind.CONST or not is_number(exponent):
        return ONE if base is ONE else apply_op("pow", base, exponent)
    e = _exact_exponent(exponent.data)
    if e == 0:
        return ONE
    if e == 1:
        return base
    if is_number(base) and type(e) is int:
        folded = number_power(base.data, e)
        if folded is not None:
            return constant(folded)
    if base is ONE:
        return ONE
    if base.kind is Kind.ELEMENTWISE:
        if base.data == "pow" and is_number(base.args[1]):
            inner = base.args[1].data
            if type(e) is int and type(inner) in (int, Fraction):
                return power(base.args[0], constant(inner * Fraction(e)))
            if inner == 2 and e == _HALF:
                return apply_op("abs", base.args[0])
        elif base.data == "abs" and type(e) is int and e % 2 == 0:
            return power(base.args[0], constant(e))
        elif base.data == "mul" and type(e) is int:
            coefficient, core = split_coefficient(base)
            if core is not base:
                folded = number_power(coefficient, e)
                if folded is not None:
                    return scale(folded, power(core, constant(e)))
        elif base.data == "add" and e == -1 and len(base.args) == 2 and ONE in base.args:
            other = base.args[0] if base.args[1] is ONE else base.args[1]
            if other.kind is Kind.ELEMENTWISE and other.data == "exp":  # 1/(1 + exp(u)), right far out
                return apply_op("logistic", neg(other.args[0]))
    return apply_op("pow", base, constant(e))
