"""Quotients with a removable singularity: f(u)/u**m where f vanishes at u = 0, in a form that has its limits there.

f(u)**e beside a power of a factor of u of the opposite sign becomes u**(m*e) * R(u)**e, with R(u) = f(u)/u**m; the
powers then cancel. R is a named row where there is one. Else it is ``select(abs(u) < radius, Taylor polynomial,
f(u)/u**m)``: that f vanishes to the order m is proved by its exact series, and radius and number of terms follow from
the coefficients so that value and derivatives up to the fourth order keep their digits. Near 0 a derivative is that of
the polynomial, so that every order has its limit.

This happens once, after capture; derivatives are taken of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache

import sympy as sp

from ..graph import Graph, Output
from ..node import Kind, Node, constant
from .arithmetic import MINUS_ONE, ONE, add, mul, power, split_coefficient
from .cosines import smooth_even_functions, without_cancelling_cosines
from .logic import compare, select
from .numbers import Number, is_number
from .series import SERIES, Series, error_function, series_of

__all__ = ["remove_singularities"]

_HALF = Fraction(1, 2)
_TERMS = 64  # of a series, before it is cut
_PROBE = 12  # of the series that decides whether there is anything to do
_LONGEST = 40  # terms of a polynomial
_DERIVATIVES = 5  # value and four derivatives keep their digits
_FACTORS = 16  # of a product that is looked at
_LOOKED_AT = 200  # nodes of another factor
_TINY = Fraction(1, 2**56)
_ATANH_TERMS = 25  # of atanh(z)/z up to abs(z) = 1/3, and of four derivatives


def remove_singularities(graph: Graph) -> Graph:
    """The graph with the quotients of this module in their stable form; the very graph where there is none.

    >>> import sympy as sp, symgraph as sg
    >>> x = sp.Symbol("x")
    >>> f = sg.function(sp.atan(x) / x)
    >>> float(f(0.0)), round(float(sg.hessian(f)(0.0)[0][0]), 12)
    (1.0, -0.666666666667)
    """
    from . import construct  # the package's table of constructors

    graph = without_cancelling_cosines(graph)
    done: dict[Node, Node] = {}
    for node in graph.order:
        arguments = tuple(done[a] for a in node.args)
        new = node if arguments == node.args else construct(node, arguments)
        if _is(new, "mul"):
            new = _cancelled(new) or new
        done[node] = new
    if all(done[output.node] is output.node for output in graph.outputs):
        return smooth_even_functions(graph)
    outputs = tuple(Output(o.name, done[o.node], o.axes) for o in graph.outputs)
    return smooth_even_functions(Graph(graph.name, graph.inputs, outputs, graph.structure))


def _is(node: Node, op: str) -> bool:
    return node.kind is Kind.ELEMENTWISE and node.data == op


def _call(op: str, *arguments: Node) -> Node:
    from . import call  # the package's table of constructors

    return call(op, *arguments)


def _base(node: Node) -> tuple[Node, Number]:
    if _is(node, "pow") and is_number(node.args[1]) and type(node.args[1].data) is not float:
        return node.args[0], node.args[1].data
    return node, 1


def _factors(node: Node) -> tuple[Number, dict[Node, Number], bool] | None:
    """(coefficient, exponent by base, whether powers cancel) of a product, nested ones included."""
    cancels = False
    coefficient, node = split_coefficient(node)
    powers: dict[Node, Number] = {}
    stack = [node]
    while stack:
        factor = stack.pop()
        if _is(factor, "mul") and split_coefficient(factor)[1] is factor:
            stack.extend(reversed(factor.args))
        elif _is(factor, "mul"):
            inner, rest = split_coefficient(factor)
            coefficient = _multiplied(coefficient, inner)
            stack.append(rest)
        else:
            base, exponent = _base(factor)
            before = powers.get(base, 0)
            cancels = cancels or before * exponent < 0
            powers[base] = before + exponent
        if len(powers) + len(stack) > _FACTORS:
            return None
    return coefficient, powers, cancels


def _multiplied(left: Number, right: Number) -> Number:
    return mul(constant(left), constant(right)).data


def _cancelled(node: Node) -> Node | None:
    """The product with every removable singularity of its factors removed, or None."""
    if not any(_base(a)[1] < 0 or _is_odd_root(_base(a)[1]) or _is(a, "mul") for a in node.args):
        return None
    found = _factors(node)
    if found is None:
        return None
    coefficient, powers, cancels = found
    smooth: list[Node] = []
    for factor, exponent in list(powers.items()):
        if type(exponent) is not int or exponent == 0 or factor.kind is not Kind.ELEMENTWISE:
            continue
        others = [b for b, e in powers.items() if b is not factor and (e * exponent < 0 or _is_norm(b, e, factor))]
        vanishing = _vanishing(factor, others) if others else None
        if vanishing is None:
            continue
        variable, order, ratio = vanishing
        touched = [b for b in _bases(variable) if b in others]
        if any(_divides(b, part) for b in touched for part in powers if part is not b and part is not factor):
            continue  # the product is singular there all the same
        gained = {base: order * exponent * own for base, own in _bases(variable).items()}
        if not any(powers[b] * exponent < 0 or (powers[b] + gained[b]) % 1 == 0 for b in touched):
            continue  # neither is anything cancelled, nor does a root become a whole power
        del powers[factor]
        for base, more in gained.items():
            powers[base] = powers.get(base, 0) + more
        smooth.append(power(ratio, constant(exponent)))
    if not (smooth or cancels):
        return None
    rest = [power(base, constant(exponent)) for base, exponent in powers.items()]
    return mul(constant(coefficient), *rest, *smooth)


def _is_odd_root(exponent: Number) -> bool:
    """Whether a power is an odd power of a square root: beside an odd function of the root it is a whole power."""
    return type(exponent) is Fraction and exponent.denominator == 2


def _is_norm(base: Node, exponent: Number, factor: Node) -> bool:
    """Whether a function of a root is worth a form that is smooth where the root vanishes, in the middle of its domain.

    Where there is no row of its own for that form, only roots of sums are, as in a norm.
    """
    return _is_odd_root(exponent) and (factor.data in _NAMED or _is(base, "add"))


def _divides(base: Node, factor: Node) -> bool:
    """Whether a factor contains a negative power of the base itself, outside of branches."""
    seen: dict[Node, None] = {}
    stack = [factor]
    while stack and len(seen) < _LOOKED_AT:
        node = stack.pop()
        if node in seen or _is(node, "select"):
            continue
        seen[node] = None
        if _is(node, "pow") and node.args[0] is base and _base(node)[1] < 0:
            return True
        stack.extend(node.args)
    return False


def _bases(variable: Node) -> dict[Node, Number]:
    """The factors of a variable, which is no number times another node."""
    parts = variable.args if _is(variable, "mul") else (variable,)
    bases: dict[Node, Number] = {}
    for part in parts:
        base, exponent = _base(part)
        bases[base] = bases.get(base, 0) + exponent
    return bases


def _vanishing(factor: Node, others: list[Node]) -> tuple[Node, int, Node] | None:
    """(u, m, R) when factor = u**m * R(u) with m > 0 and a factor of u stands among the others."""
    if factor.data == "log" and (shifted := add(factor.args[0], MINUS_ONE)) in others:
        factor = _call("log1p", shifted)  # exact near 1
    for variable in _variables(factor):
        bases = _bases(variable)
        if not any(bases.get(base, 0) > 0 for base in others):  # a divisor of u is no place where u vanishes
            continue
        probe = _normalised(factor, variable, _PROBE)
        order = 0 if probe is None else next((k for k, c in enumerate(probe) if c), 0)
        if order > 0:
            ratio = _ratio(factor, variable, order)
            if ratio is not None:
                return variable, order, ratio
    return None


def _variables(factor: Node) -> Iterable[Node]:
    """Nodes that a factor may be a function of: arguments of the functions in it, without their coefficients."""
    if factor.data in SERIES or factor.data == "erf":
        yield split_coefficient(factor.args[0])[1]
    if factor.data != "add":
        return
    seen: dict[Node, None] = {}
    stack = list(factor.args)
    while stack and len(seen) < _FACTORS:
        part = stack.pop()
        if part.kind is Kind.ELEMENTWISE and part.data in SERIES:
            seen[split_coefficient(part.args[0])[1]] = None
        elif _is(part, "pow") and is_number(part.args[1]) and part.args[1].data == _HALF:
            seen[part] = None
            stack.append(part.args[0])
        elif part.kind is Kind.ELEMENTWISE and part.data in ("add", "mul", "pow"):
            stack.extend(part.args)
        elif not is_number(part):
            seen[part] = None
    yield from seen


def _normalised(factor: Node, variable: Node, terms: int) -> Series | None:
    """The series; that of erf without its factor."""
    if factor.data != "erf":
        return series_of(factor, variable, terms)
    inner = series_of(factor.args[0], variable, terms)
    return None if inner is None else error_function(inner)


# --------------------------------------------------------------------------------------------------- what R becomes
def _sine_ratio(coefficient: Node, variable: Node) -> Node:
    return mul(coefficient, _call("sinc", mul(coefficient, variable)))


def _tangent_ratio(coefficient: Node, variable: Node) -> Node:
    angle = mul(coefficient, variable)
    return mul(coefficient, _call("sinc", angle), power(_call("cos", angle), MINUS_ONE))


def _hyperbolic_sine_ratio(coefficient: Node, variable: Node) -> Node:
    square = power(mul(coefficient, variable), constant(2))
    return mul(coefficient, _call("modified_spherical_ratio", constant(0), square))


def _exponential_ratio(coefficient: Node, variable: Node) -> Node:
    return mul(coefficient, _call("exprel", constant(0), mul(coefficient, variable)))


def _logarithm_ratio(coefficient: Node, variable: Node) -> Node:
    """log1p(v)/v = 2/(2 + v) * atanh(z)/z with z = v/(2 + v), whose series needs few terms up to abs(z) = 1/3.

    M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 4.1.27.
    """
    v = mul(coefficient, variable)
    inverse = power(add(constant(2), v), MINUS_ONE)
    z = mul(v, inverse)
    near = compare("lt", _call("abs", z), constant(Fraction(1, 3)))
    terms = [c for k in range(_ATANH_TERMS) for c in (Fraction(1, 2 * k + 1), Fraction(0))]
    series = mul(constant(2), inverse, _polynomial(terms[:-1], near, z))
    far = mul(_call("log1p", v), power(select(near, ONE, v), MINUS_ONE))
    return mul(coefficient, select(near, series, far))


_NAMED: dict[str, Callable[[Node, Node], Node]] = {
    "sin": _sine_ratio,
    "tan": _tangent_ratio,
    "sinh": _hyperbolic_sine_ratio,
    "expm1": _exponential_ratio,
    "log1p": _logarithm_ratio,
}


def _ratio(factor: Node, variable: Node, order: int) -> Node | None:
    """factor/variable**order with its limit at 0."""
    named = _NAMED.get(factor.data)
    if named is not None:
        coefficient, core = split_coefficient(factor.args[0])
        if core is variable:
            return named(constant(coefficient), variable)
    series = _normalised(factor, variable, _TERMS + order)
    cut = None if series is None else _cut(tuple(series[order:]))
    if cut is None:
        return None
    radius, coefficients = cut
    near = compare("lt", _call("abs", variable), constant(radius))
    far = mul(factor, power(select(near, ONE, variable), constant(-order)))
    polynomial = _polynomial(coefficients, near, variable)
    if factor.data == "erf":
        polynomial = mul(constant(2), power(constant(sp.pi), constant(-_HALF)), polynomial)
    return select(near, polynomial, far)


def _polynomial(coefficients: Series, near: Node, variable: Node) -> Node:
    """Horner's rule; where the polynomial does not count its variable is 1, so that nothing overflows."""
    step = 1 if any(coefficients[1::2]) else 2
    argument = select(near, power(variable, constant(step)), ONE)
    kept = coefficients[::step]
    result = constant(kept[-1])
    for coefficient in reversed(kept[:-1]):
        result = add(mul(argument, result), constant(coefficient))
    return result


@lru_cache(maxsize=256)
def _cut(series: tuple[Fraction, ...]) -> tuple[Fraction, Series] | None:
    """The largest radius, a power of two, within which few terms are enough; and these terms.

    Enough: what is left out is below 2**-56 of the value and of each of four derivatives. The sum must not cancel
    either: the sum of the sizes of its terms is at most four times its value.
    """
    for exponent in range(3, -40, -1):
        radius = Fraction(2) ** exponent
        scaled = [c * radius**k for k, c in enumerate(series)]
        sizes = [float(abs(c)) for c in scaled]
        ends = [abs(float(sum(scaled))), abs(float(sum(scaled[::2]) - sum(scaled[1::2])))]
        if sum(sizes) > 4 * min(ends) or sizes[-1] + sizes[-2] > 1e-24 * sizes[0]:
            continue
        count = max(_needed(sizes, order) for order in range(_DERIVATIVES))
        step = 1 if any(series[1::2]) else 2
        if count <= _LONGEST * step:
            return radius, list(series[:count])
    return None


def _needed(sizes: list[float], order: int) -> int:
    """How many terms the derivative of that order needs, for terms of these sizes at the edge."""
    weighted = []
    for k, size in enumerate(sizes):
        weight = 1.0
        for j in range(order):
            weight *= k - j
        weighted.append(size * weight)
    reference = next((w for w in weighted if w), 0.0)
    rest, count = 0.0, len(sizes)
    while count > 1 and rest + weighted[count - 1] <= float(_TINY) * reference:
        count -= 1
        rest += weighted[count]
    return count
