"""Random programs of branches around singular functions, and their derivatives by power series of the branch taken.

A program is a list of instructions; it becomes a graph (what is tested), or a power series along a line (what is true):
truncated series in mpmath with 40 digits that visit only the branch that a condition takes, so that nothing else can
have an influence. Maxima and minima that are tied give the mean of the tied series, by the convention of equal shares.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

import mpmath

from symgraph import simplify as s
from symgraph.derive.forward import tangents
from symgraph.derive.reverse import gradients
from symgraph.node import Node, constant, input_node

ORDERS = 4  # of a series: the value and three derivatives
INPUTS = tuple(input_node(name) for name in "xyz")
WORST = (0.0, -1.0, 1e-200, -400.0, 1.0, 0.5, -0.25, 2.0, 3.0, math.nan)
mp = mpmath.mp.clone()
mp.dps = 40
Series = list[mpmath.mpf]


class Instruction(NamedTuple):
    op: str
    operands: tuple[int, ...]  # positions of earlier instructions; 0, 1 and 2 are the inputs
    number: float = 0.0


Program = tuple[Instruction, ...]


class UndefinedError(Exception):
    """The branch taken has no finite value at the point, or double precision cannot decide a condition."""


# ------------------------------------------------------------------------------------------------------------ programs
RISKY = ("sqrt", "log", "reciprocal", "power", "acos", "atan2", "exp", "square root below")
MILD = ("mul", "add", "sin", "max", "min", "abs", "number", "square", "sub")


def random_program(generator: random.Random, length: int) -> Program:
    made = [Instruction("input", (), k) for k in range(len(INPUTS))]
    numbers: list[int] = [0, 1, 2]

    def pick() -> int:
        return generator.choice(numbers[-8:])

    def add(op: str, *operands: int, number: float = 0.0) -> int:
        made.append(Instruction(op, operands, number))
        return len(made) - 1

    def condition(subject: int) -> int:
        other = add("number", number=generator.choice((0.0, 0.0, 1.0, -0.75))) if generator.random() < 0.6 else pick()
        pair = (subject, other) if generator.random() < 0.5 else (other, subject)
        simple = add(generator.choice(("lt", "le", "lt", "le", "eq", "ne")), *pair)
        match generator.randrange(6):
            case 0:
                return add("and", simple, add("lt", pick(), pick()))
            case 1:
                return add("or", simple, add("le", pick(), pick()))
            case 2:
                return add("not", simple)
        return simple

    def risky(operand: int) -> int:
        op = generator.choice(RISKY)
        if op == "power":
            return add("power", operand, number=generator.choice((-2.0, 1.5, -0.5, 3.0, 1 / 3, 2.0)))
        if op == "atan2":
            return add("atan2", operand, pick())
        if op == "square root below":
            return add("sqrt", add("sub", add("number", number=1.0), add("square", operand)))
        return add(op, operand)

    for _ in range(length):
        first, second = (generator.choice(numbers[-8:]) for _ in range(2))
        match generator.randrange(7):
            case 0 | 1 | 2:
                branch = risky(first)
                if generator.random() < 0.5:
                    cancels = made[branch] == Instruction("reciprocal", (second,))
                    branch = add("add" if cancels else generator.choice(("mul", "add")), branch, second)
                numbers.append(branch)  # shared: other branches may use it, too
                other = risky(second) if generator.random() < 0.3 else second
                numbers.append(add("select", condition(generator.choice((first, second))), branch, other))
            case 3:
                numbers.append(risky(first))
            case _:
                op = generator.choice(MILD)
                arity = {"sin": 1, "abs": 1, "square": 1, "number": 0}.get(op, 2)
                number = generator.choice((2.0, -3.0, 0.5))
                # x - x is 0 and x/x is 1, also where x is nan
                inverse = {made[k].operands[0]: k for k in (first, second) if made[k].op == "reciprocal"}
                if not (op == "sub" and first == second) and not (op == "mul" and {first, second} & inverse.keys()):
                    numbers.append(add(op, *(first, second)[:arity], number=number))
    kept = [k for k in numbers if k > 2][-3:]
    add("add", *kept) if len(kept) > 1 else None
    return tuple(made)


def random_point(generator: random.Random, nan: bool = True) -> tuple[float, ...]:
    values = [generator.choice(WORST if nan else WORST[:-1]) for _ in INPUTS]
    return tuple(generator.uniform(-2, 2) if generator.random() < 0.3 else v for v in values)


# ------------------------------------------------------------------------------------------------------------- as nodes
_NODES: dict[str, Callable[..., Node]] = {
    "mul": s.mul, "add": s.add, "sub": s.sub, "select": s.select, "and": s.logical_and, "or": s.logical_or,
    "not": s.logical_not, "square": lambda a: s.mul(a, a), "sqrt": lambda a: s.call("sqrt", a),
    "reciprocal": lambda a: s.power(a, constant(-1)),
}  # fmt: skip


def as_node(program: Program) -> Node:
    """The graph of a program; its last instruction is the result."""
    nodes: list[Node] = []
    for op, operands, number in program:
        arguments = [nodes[k] for k in operands]
        if op == "input":
            nodes.append(INPUTS[int(number)])
        elif op == "number":
            nodes.append(_number(number))
        elif op == "power":
            nodes.append(s.power(*arguments, _number(number)))
        elif op in ("lt", "le", "eq", "ne"):
            nodes.append(s.compare(op, *arguments))
        else:
            nodes.append(_NODES[op](*arguments) if op in _NODES else s.call(op, *arguments))
    return nodes[-1]


def _number(value: float) -> Node:
    return constant(int(value)) if value == int(value) else constant(value)


# ------------------------------------------------------------------------------------------------------------ as series
class Line:
    """The power series of a program along ``point + t * direction``."""

    def __init__(self, program: Program, point: Sequence[float], direction: Sequence[float]) -> None:
        self.program = program
        self.inputs = [
            [mp.mpf(p), mp.mpf(d), *[mp.mpf(0)] * (ORDERS - 2)] for p, d in zip(point, direction, strict=True)
        ]
        self.known: dict[int, Series] = {}
        self.largest = [mp.mpf(0)] * ORDERS  # of each order: what rounding errors are measured by

    def result(self) -> Series:
        """Coefficients up to the highest order that is finite."""
        return self.series(len(self.program) - 1)

    def series(self, position: int) -> Series:
        found = self.known.get(position)
        if found is None:
            found = self.known[position] = self.evaluated(*self.program[position])
            value = found[0]
            if not mp.isnan(value) and value != 0 and not 1e-290 < abs(value) < 1e290:
                raise UndefinedError
            self.note(found)
        return found

    def note(self, series: Series, first: int = 0) -> None:
        for order, coefficient in enumerate(series, first):
            if not mp.isnan(coefficient):
                self.largest[order] = max(self.largest[order], abs(coefficient))

    def evaluated(self, op: str, operands: tuple[int, ...], number: float) -> Series:
        match op:
            case "input":
                return self.inputs[int(number)]
            case "number":
                return _constant(number)
            case "select":
                return self.series(operands[1] if self.holds(operands[0]) else operands[2])
            case "max" | "min":
                return self.extremum(op, [self.series(k) for k in operands])
            case "power":
                return _composed(self.series(operands[0]), _power(number))
            case "add":
                return _added([self.series(k) for k in operands])
            case "sub":
                left, right = (self.series(k) for k in operands)
                return _added([left, [-c for c in right]])
            case "mul":
                return _product(*[self.series(k) for k in operands])
            case "square":
                return _product(*[self.series(operands[0])] * 2)
            case "abs":
                return self.absolute(self.series(operands[0]))
            case "atan2":
                return self.angle(*[self.series(k) for k in operands])
        return _composed(self.series(operands[0]), _DERIVATIVES[op])

    def holds(self, position: int) -> bool:
        """The value of a condition; an operand of `and`, `or` is looked at only where those before it leave it open."""
        op, operands, _ = self.program[position]
        match op:
            case "and":
                return self.holds(operands[0]) and self.holds(operands[1])
            case "or":
                return self.holds(operands[0]) or self.holds(operands[1])
            case "not":
                return not self.holds(operands[0])
        left, right = (self.series(k)[0] for k in operands)
        if not (mp.isnan(left) or mp.isnan(right)):
            self.decidable(left, right)
            if op in ("eq", "ne") and left == right:
                raise UndefinedError  # one point written apart: the general branch where it is defined there
        compare = {"lt": left < right, "le": left <= right, "eq": left == right, "ne": left != right}
        return bool(compare[op])

    def decidable(self, left: mpmath.mpf, right: mpmath.mpf) -> None:
        close = abs(left - right) <= mp.mpf(10) ** -9 * max(abs(left), abs(right))
        if close and not all(mp.mpf(float(v)) == v for v in (left, right)):
            raise UndefinedError

    def extremum(self, op: str, arguments: list[Series]) -> Series:
        if any(mp.isnan(a[0]) for a in arguments):
            return [mp.nan]
        best = (max if op == "max" else min)(a[0] for a in arguments)
        for argument in arguments:
            self.decidable(argument[0], best)
        tied = [a for a in arguments if a[0] == best]
        return [c / len(tied) for c in _added(tied)]

    def absolute(self, argument: Series) -> Series:
        if argument[0] == 0:
            return _constant(0)[: min(2, len(argument))]  # abs(x)**2 is x**2: its second derivative is no convention
        return argument if argument[0] > 0 or mp.isnan(argument[0]) else [-c for c in argument]

    def angle(self, y: Series, x: Series) -> Series:
        if mp.isnan(y[0]) or mp.isnan(x[0]):
            return [mp.nan]
        if y[0] == 0 and x[0] <= 0:
            raise UndefinedError  # on the cut the sign of zero decides
        count = min(len(x), len(y)) - 1
        if count == 0:
            return [mp.atan2(y[0], x[0])]
        inverse = _composed(_added([_product(y, y), _product(x, x)]), _power(-1))
        dy, dx = ([k * c for k, c in enumerate(series)][1:] for series in (y, x))
        parts = [_product(_product(x[:count], dy), inverse), _product(_product(y[:count], dx), inverse)]
        for part in parts:
            self.note(part, 1)
        rate = _added([parts[0], [-c for c in parts[1]]])
        return [mp.atan2(y[0], x[0]), *[c / (k + 1) for k, c in enumerate(rate)]]


def _constant(value: float) -> Series:
    return [mp.mpf(value), *[mp.mpf(0)] * (ORDERS - 1)]


def _added(arguments: Sequence[Series]) -> Series:
    return [mp.fsum(terms) for terms in zip(*arguments, strict=False)]


def _product(left: Series, right: Series) -> Series:
    count = min(len(left), len(right))
    return [mp.fsum(left[j] * right[k - j] for j in range(k + 1)) for k in range(count)]


def _composed(argument: Series, derivatives: Callable[[mpmath.mpf], list[mpmath.mpf]]) -> Series:
    """f(u) from the derivatives of f at u's value, as many as are finite."""
    if mp.isnan(argument[0]):
        return [mp.nan]
    outer = derivatives(argument[0])
    count = min(len(outer), len(argument))
    for order in range(1, count):
        if outer[order] != 0 and not 1e-290 < abs(outer[order]) < 1e290:
            count = order  # out of the range of doubles
            break
    rest = [mp.mpf(0), *argument[1:count]]
    total, power = [outer[0], *[mp.mpf(0)] * (count - 1)], [mp.mpf(1), *[mp.mpf(0)] * (count - 1)]
    for order in range(1, count):
        power = _product(power, rest)
        total = [t + outer[order] / mp.factorial(order) * p for t, p in zip(total, power, strict=True)]
    return total


def _power(exponent: float) -> Callable[[mpmath.mpf], list[mpmath.mpf]]:
    def derivatives(u: mpmath.mpf) -> list[mpmath.mpf]:
        whole = exponent == int(exponent)
        if (u < 0 and not whole) or (u == 0 and exponent < 0):
            raise UndefinedError
        found, factor = [], mp.mpf(1)
        for order in range(ORDERS):
            rest = mp.mpf(exponent) - order
            if u == 0 and rest < 0 and factor != 0:
                break
            found.append(factor * u**rest if factor != 0 else mp.mpf(0))
            factor *= rest
        return found

    return derivatives


def _logarithm(u: mpmath.mpf) -> list[mpmath.mpf]:
    if u <= 0:
        raise UndefinedError
    return [mp.log(u), 1 / u, -1 / u**2, 2 / u**3]


def _arccosine(u: mpmath.mpf) -> list[mpmath.mpf]:
    if abs(u) > 1:
        raise UndefinedError
    if abs(u) == 1:
        return [mp.acos(u)]
    root = 1 / mp.sqrt((1 - u) * (1 + u))
    return [mp.acos(u), -root, -u * root**3, -(1 + 2 * u**2) * root**5]


_DERIVATIVES: dict[str, Callable[[mpmath.mpf], list[mpmath.mpf]]] = {
    "exp": lambda u: [mp.exp(u)] * ORDERS,
    "log": _logarithm,
    "sin": lambda u: [mp.sin(u), mp.cos(u), -mp.sin(u), -mp.cos(u)],
    "acos": _arccosine,
    "sqrt": _power(0.5),
    "reciprocal": _power(-1),
}


# ---------------------------------------------------------------------------------------------------------- comparison
_AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
_PAIRS = ((0, 1), (0, 2), (1, 2))
COUNT = 16  # values of one program: itself, 3 first, 9 second, 3 third derivatives


def reverse(node: Node) -> list[Node]:
    """The gradient by one backward sweep."""
    return gradients({node: s.ONE}, INPUTS)


def forward(node: Node) -> list[Node]:
    """The gradient by a forward sweep for each input."""
    return [tangents([node], {x: s.ONE})[0] for x in INPUTS]


def derivatives(node: Node, modes: Sequence[Callable[[Node], list[Node]]] = (reverse,) * 3) -> list[Node]:
    """The value, the gradient, the Hessian by rows, and the three pure third derivatives."""
    first = modes[0](node)
    second = [modes[1](g) for g in first]
    third = [modes[2](second[i][i])[i] for i in range(3)]
    return [node, *first, *[h for row in second for h in row], *third]


def truth(program: Program, point: Sequence[float]) -> dict[int, tuple[mpmath.mpf, mpmath.mpf]] | None:
    """Position in :func:`derivatives` -> (value, largest error); None where the branch taken is not smooth.

    A program whose branch taken meets a nan has the value nan.
    """
    try:
        lines = [Line(program, point, direction) for direction in _AXES]
        series = [line.result() for line in lines]
        if mp.isnan(series[0][0]):
            return {0: (mp.nan, mp.mpf(0))}
        mixed = [Line(program, point, [a + b for a, b in zip(_AXES[i], _AXES[j], strict=True)]) for i, j in _PAIRS]
        sums = [line.result() for line in mixed]
    except UndefinedError:
        return None
    found: dict[int, tuple[mpmath.mpf, mpmath.mpf]] = {0: (series[0][0], lines[0].largest[0])}
    for i, (line, own) in enumerate(zip(lines, series, strict=True)):
        for order, position in ((1, 1 + i), (2, 4 + 4 * i), (3, 13 + i)):
            if len(own) > order:
                factor = mp.factorial(order)
                found[position] = factor * own[order], factor * line.largest[order] + line.largest[1] ** order
    for (i, j), line, both in zip(_PAIRS, mixed, sums, strict=True):
        if min(len(both), len(series[i]), len(series[j])) > 2:
            value = both[2] - series[i][2] - series[j][2]
            found[4 + 3 * i + j] = found[4 + 3 * j + i] = value, line.largest[2] + line.largest[1] ** 2
    return {k: (value, _error(value, scale)) for k, (value, scale) in found.items() if abs(value) < 1e290}


def _error(value: mpmath.mpf, scale: mpmath.mpf) -> mpmath.mpf:
    return mp.mpf(10) ** -9 * abs(value) + mp.mpf(10) ** -12 * scale + mp.mpf(10) ** -290


def mistakes(program: Program, point: Sequence[float], found: Sequence[float]) -> tuple[int, list[str]]:
    """How many values were compared at a point, and what is wrong."""
    expected = truth(program, point)
    wrong = []
    for position, (value, error) in (expected or {}).items():
        if mp.isnan(value):
            right = math.isnan(found[position])
        else:
            right = math.isfinite(found[position]) and abs(mp.mpf(float(found[position])) - value) <= error
        if not right:
            wrong.append(f"output {position} at {tuple(point)}: found {found[position]!r}, expected {float(value)!r}")
    return len(expected or {}), wrong
