"""Random expressions over the op table at one point each, reproducible by seed.

An expression is a straight-line program: inputs, then numbers and operations on earlier slots, up to 12 deep, with
sharing. It is grown along a point, so that every operation is inside its domain there and away from kinks. It knows
nothing of symgraph's graphs: those are built from it, by the smart constructors or through SymPy.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath

from symgraph.exact import exact_operation
from symgraph.ops import OPS

__all__ = ["DEPTH", "ROWS", "Expression", "Step", "draw_expression", "exact_number"]

DEPTH = 12
_ARITHMETIC = ("add", "add", "add", "mul", "mul", "mul", "pow", "divide", "subtract", "piecewise")
# the rows of the table when the seeds were fixed: one more would change what every seed stands for
ROWS = (
    "abs", "acos", "acosh", "airyai", "airyaiprime", "airybi", "airybiprime", "asin", "asinh", "assoc_laguerre",
    "atan", "atan2", "atanh", "besseli", "besselj", "besselk", "bessely", "beta", "cbrt", "ceil", "chebyshevt",
    "chebyshevu", "cos", "cosh", "digamma", "elliptic_e", "elliptic_e_incomplete", "elliptic_f", "elliptic_k",
    "erf", "erfc", "erfcinv", "erfcx", "erfi", "erfinv", "exp", "exp1", "expi", "expint", "expm1", "floor",
    "floordiv", "fresnel_cosine", "fresnel_sine", "gamma", "gammainc", "gammaincc", "gegenbauer", "hermite",
    "hermite_prob", "hyp2f1", "hypot", "hypot_quotient", "jacobi", "laguerre", "lambertw", "lambertw_lower",
    "legendre", "log", "log10", "log1p", "log2", "logaddexp", "loggamma", "logistic", "lowergamma", "max", "min",
    "mod", "polygamma", "riemann_zeta", "shichi_cosine", "shichi_sine", "sici_cosine", "sici_sine", "sign", "sin",
    "sinc", "sinh", "softplus", "sphericali", "sphericalj", "sphericaly", "strong_product", "strong_quotient",
    "tan", "tanh", "uppergamma", "xlogy", "zeta", "zetac",
)  # fmt: skip
_NUMBERS = (2, 3, -1, -2, Fraction(1, 2), Fraction(-1, 3), Fraction(5, 4), 0.1, 1.7, -0.6)
_WHOLE_EXPONENTS = (2, 3, 4, -1, -2)
_EXPONENTS = (*_WHOLE_EXPONENTS, Fraction(1, 2), Fraction(-1, 2), Fraction(3, 2), Fraction(1, 3), 0.7)
_NEAR = 1e-6  # no closer to a kink or to the edge of a domain
_LEAST, _GREATEST = 1e-9, 1e9
_DIGITS = 30


@dataclass(frozen=True)
class Step:
    """One operation on earlier slots, or (``op`` is "number") a constant: an integer, a fraction or a double."""

    op: str
    args: tuple[int, ...] = ()
    number: Any = None


@dataclass(frozen=True)
class Expression:
    """A straight-line program and its point.

    Attributes
    ----------
    seed:
        What reproduces it.
    point:
        One double per input: the slots from 0.
    steps:
        The slots after those; the last one is the result.
    """

    seed: int
    point: tuple[float, ...]
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        texts = [f"x{k}" for k in range(len(self.point))]
        lines = []
        for step in self.steps:
            if step.op == "number":
                texts.append(str(step.number))
                continue
            name = f"t{len(lines)}"
            lines.append(f"{name} = {step.op}({', '.join(texts[a] for a in step.args)})")
            texts.append(name)
        return f"seed {self.seed} at {self.point}: " + "; ".join(lines)


def draw_expression(seed: int) -> Expression:
    """The expression of a seed.

    >>> draw_expression(3) == draw_expression(3)
    True
    """
    with mpmath.workdps(_DIGITS):
        growth = _Growth(seed)
        wanted = growth.chance.randint(2, DEPTH)
        for _ in range(40 * DEPTH):
            if growth.depth >= wanted:
                break
            growth.choose()
        return growth.expression()


def exact_number(value: Any) -> Any:
    """A constant as an mpmath number, at the working precision."""
    if isinstance(value, Fraction):
        return mpmath.mpf(value.numerator) / value.denominator
    return mpmath.mpf(value)


def _away(*values: float) -> Callable[..., bool]:
    return lambda x: all(abs(x - v) > _NEAR for v in values)


def _no_step(x: Any) -> bool:
    return bool(abs(x - mpmath.nint(x)) > _NEAR)


def _apart(a: Any, b: Any) -> bool:
    return bool(abs(a - b) > _NEAR * (abs(a) + abs(b) + 1))


def _within(bound: float) -> Callable[..., bool]:
    return lambda *xs: all(abs(x) < bound for x in xs)


def _positive(x: Any) -> bool:
    return bool(x > 0)


# where an operation may be applied; what is not here stays inside the sample ranges of its row
_DOMAINS: dict[str, Callable[..., bool]] = {
    "abs": _away(0), "sign": _away(0), "floor": _no_step, "ceil": _no_step, "max": _apart, "min": _apart,
    "floordiv": lambda a, b: abs(b) > _NEAR and _no_step(a / b),
    "mod": lambda a, b: b > _NEAR and _no_step(a / b),
    "exp": _within(30), "expm1": _within(30), "log": _positive, "log2": _positive, "log10": _positive,
    "log1p": lambda x: x > -1 + _NEAR, "cbrt": _positive, "hypot": lambda a, b: abs(a) + abs(b) > 0,
    "sin": _within(1e4), "cos": _within(1e4), "tan": _within(1e4), "atan": _within(1e9), "asinh": _within(1e9),
    "asin": _within(1 - _NEAR), "acos": _within(1 - _NEAR), "atanh": _within(1 - _NEAR),
    "atan2": lambda a, b: abs(a) > _NEAR or b > _NEAR, "sinh": _within(30), "cosh": _within(30), "tanh": _within(30),
    "acosh": lambda x: x > 1 + _NEAR, "logistic": _within(30), "softplus": _within(30), "logaddexp": _within(100),
    "xlogy": lambda a, b: b > 0, "erf": _within(5), "erfc": _within(5), "sinc": _within(1e3),
}  # fmt: skip


class _Growth:
    """Slots with their values at the point, and depths."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.chance = chance = random.Random(seed)
        self.point = tuple(
            chance.choice((1, 1, 1, -1)) * round(10 ** chance.uniform(-1.5, 1.0), 4)
            for _ in range(chance.randint(1, 3))
        )
        self.steps: list[Step] = []
        self.values: list[Any] = [mpmath.mpf(x) for x in self.point]
        self.depths = [0] * len(self.point)
        self.open = list(range(len(self.point)))  # slots that an operation may take
        self.depth = 0

    def expression(self) -> Expression:
        """What the last open slot needs, renumbered."""
        needed = {self.open[-1]}
        first = len(self.point)
        for slot in range(len(self.values) - 1, first - 1, -1):
            if slot in needed:
                needed.update(self.steps[slot - first].args)
        kept = [slot for slot in range(len(self.values)) if slot in needed or slot < first]
        number = {slot: k for k, slot in enumerate(kept)}
        steps = [self.steps[slot - first] for slot in kept[first:]]
        return Expression(
            self.seed, self.point, tuple(Step(t.op, tuple(number[a] for a in t.args), t.number) for t in steps)
        )

    def pick(self) -> int:
        """An earlier value, the last one most of the time; or a number."""
        chance = self.chance
        draw = chance.random()
        if draw < 0.45:
            return self.open[-1]
        if draw < 0.9:
            return chance.choice(self.open)
        return self.number(chance.choice(_NUMBERS))

    def number(self, value: Any) -> int:
        """A slot that holds a constant."""
        return self._append(Step("number", (), value), exact_number(value))

    def _append(self, step: Step, value: Any) -> int:
        self.steps.append(step)
        self.values.append(value)
        self.depths.append(1 + max((self.depths[a] for a in step.args), default=-1))
        return len(self.values) - 1

    def apply(self, op: str, *args: int) -> int | None:
        """One more slot, or None where it depends on no input, is too deep, or its value is out of range."""
        if all(self._is_number(a) for a in args) or max(self.depths[a] for a in args) >= DEPTH:
            return None
        value = exact_operation(op, len(args))(*(self.values[a] for a in args))
        if isinstance(value, mpmath.mpc) or not mpmath.isfinite(value) or not _LEAST < abs(value) < _GREATEST:
            return None
        slot = self._append(Step(op, args), value)
        self.open.append(slot)
        self.depth = max(self.depth, self.depths[slot])
        return slot

    def _is_number(self, slot: int) -> bool:
        return slot >= len(self.point) and self.steps[slot - len(self.point)].op == "number"

    def choose(self) -> int | None:
        """One operation of the table, or a usual combination of some."""
        chance = self.chance
        op = chance.choice(_ARITHMETIC) if chance.random() < 0.5 else chance.choice(ROWS)
        match op:
            case "add" | "mul":
                return self.apply(op, *(self.pick() for _ in range(chance.choice((2, 2, 2, 3)))))
            case "pow":
                return self._power(self.pick())
            case "divide":
                inverse = self.apply("pow", self.pick(), self.number(-1))
                return None if inverse is None else self.apply("mul", self.pick(), inverse)
            case "subtract":
                negative = self.apply("mul", self.number(-1), self.pick())
                return None if negative is None else self.apply("add", self.pick(), negative)
            case "piecewise":
                return self._piecewise(self.pick(), self.pick())
            case _:
                return self._row(op)

    def _power(self, base: int) -> int | None:
        if self.values[base] <= 0:
            return self.apply("pow", base, self.number(self.chance.choice(_WHOLE_EXPONENTS)))
        exponent = self.pick() if self.chance.random() < 0.3 else self.number(self.chance.choice(_EXPONENTS))
        return self.apply("pow", base, exponent) if abs(self.values[exponent]) < 20 else None

    def _piecewise(self, left: int, right: int) -> int | None:
        if not _apart(self.values[left], self.values[right]) or (self._is_number(left) and self._is_number(right)):
            return None
        condition = self._append(Step("lt", (left, right)), self.values[left] < self.values[right])
        return self.apply("select", condition, self.pick(), self.pick())

    def _row(self, op: str) -> int | None:
        """A row of the table; what is out of range is brought inside by a sine."""
        row = OPS[op]
        domain = _DOMAINS.get(op)
        if domain is not None:
            args = [self.pick() for _ in range(row.arity or 2)]
            return self.apply(op, *args) if domain(*(self.values[a] for a in args)) else None
        chosen: list[int | None] = []
        for position, (low, high) in enumerate(row.samples):
            if position in row.whole or (row.given_partials and row.given_partials[position] is None):
                order = self.chance.randint(int(low + 0.99), int(high))
                chosen.append(self.number(order))
            else:
                slot = self.pick()
                chosen.append(slot if low <= self.values[slot] <= high else self._inside(slot, low, high))
        return None if None in chosen else self.apply(op, *chosen)  # type: ignore[arg-type]

    def _inside(self, slot: int, low: float, high: float) -> int | None:
        if abs(self.values[slot]) > 1e4:
            return None
        middle, half = (Fraction(v).limit_denominator(100) for v in ((low + high) / 2, (high - low) * 63 / 128))
        sine = self.apply("sin", slot)
        scaled = None if sine is None else self.apply("mul", self.number(half), sine)
        return None if scaled is None else self.apply("add", self.number(middle), scaled)
