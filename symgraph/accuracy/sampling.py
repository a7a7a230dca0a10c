"""Points at which accuracy is measured: inside, near the edges, over magnitudes, and where arguments nearly agree.

Errors hide where uniform samples never come: next to a root, a kink or the end of the domain, far out, and where two
arguments are almost equal. Every strategy here is one row of :data:`STRATEGIES`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..axis import evaluate_size
from ..dtype import BOOLEAN, FLOATING, INTEGER
from ..errors import ModelError
from ..function import Function
from ..node import Node
from ..verify import index_bound

__all__ = ["STRATEGIES", "Range", "domain_of", "sample", "sizes_for"]

_MODERATE = 3.0
_MAGNITUDES = 30.0  # without a given range: from 2**-30 to 2**30
_NEAR = 46.0  # as near to a point as 2**-46 of its distance to the others
_WHOLE = 10


@dataclass(frozen=True)
class Range:
    """Where the values of one input lie; ``open_low`` leaves out the lower end itself.

    An infinite end stands for "as far as is sensible": magnitudes up to 2**30.
    """

    low: float
    high: float
    open_low: bool = False

    def holds(self, value: float) -> bool:
        """Whether a value lies inside."""
        return self.low <= value <= self.high and not (self.open_low and value == self.low)


def domain_of(f: Function, given: Mapping[str, tuple[float, float]] | None = None) -> dict[str, Range]:
    """The range of each input that is a number: the given one, else what its SymPy symbol is assumed to be.

    Raises
    ------
    ModelError
        A range for something that is no input, or one that is empty.

    Examples
    --------
    >>> x = sp.Symbol("x", positive=True)
    >>> domain_of(sg.function(sp.log(x)))
    {'x': Range(low=0.0, high=inf, open_low=True)}
    """
    given = dict(given or {})
    found: dict[str, Range] = {}
    for node, symbol in zip(f.graph.inputs, f.symbols, strict=True):
        name = str(node.data)
        if name in given:
            low, high = (float(end) for end in given.pop(name))
            if not low <= high:
                raise ModelError(
                    f"the domain of {name} is empty: ({low}, {high}); give (low, high) with low <= high"
                )
            found[name] = Range(low, high)
        elif node.dtype is not BOOLEAN:
            found[name] = _assumed(symbol)
    if given:
        raise ModelError(f"a domain is given for {next(iter(given))}: the inputs are {', '.join(f.inputs)}")
    return found


def _assumed(symbol: object) -> Range:
    def is_(what: str) -> bool:
        return getattr(symbol, f"is_{what}", None) is True

    if is_("positive"):
        return Range(0.0, math.inf, open_low=True)
    if is_("nonnegative"):
        return Range(0.0, math.inf)
    if is_("nonpositive"):  # a negative symbol is one too
        return Range(-math.inf, 0.0)
    return Range(-math.inf, math.inf)


def sizes_for(f: Function, given: Mapping[str, int] | None = None) -> dict[str, int]:
    """A number for each size symbol: given, or small and different from each other."""
    known = {name: (3, 4, 5, 2)[k % 4] for k, name in enumerate(f.graph.size_names)}
    for name, size in (given or {}).items():
        if name not in known:
            own = ", ".join(known) or "none"
            raise ModelError(f"{f.name} has no size {name}: its sizes are {own}")
        known[name] = int(size)
    return known


def sample(
    f: Function, domain: Mapping[str, Range], sizes: Mapping[str, int], count: int, seed: int = 0,
    dtype: str = "float64",
) -> list[list[Any]]:  # fmt: skip
    """Arguments for ``count`` calls: the same for the same seed, on every machine.

    Parameters
    ----------
    f:
        The function.
    domain:
        A range for each input that is a number.
    sizes:
        A number for each size symbol.
    count:
        How many points.
    seed:
        Of the random numbers.
    dtype:
        Floats are rounded to it, so that the exact value is that at the very argument of the kernel.

    Returns
    -------
    list
        For each point one value per input: a Python number, or an array of the input's shape.
    """
    chance = random.Random(f"accuracy {seed}")
    bound = index_bound(f.graph, sizes)
    names = tuple(STRATEGIES)
    points = []
    for position in range(count):
        strategy = STRATEGIES[names[position % len(names)]]
        cells = {node: _count(node, sizes) for node in f.graph.inputs if node.dtype is FLOATING}
        ranges = [domain[node.data] for node, n in cells.items() for _ in range(n)]
        numbers = iter([_rounded(x, r, dtype) for x, r in zip(strategy(chance, ranges), ranges, strict=True)])
        point: list[Any] = []
        for node in f.graph.inputs:
            shape = tuple(evaluate_size(a.size, sizes) for a in node.axes)
            if node.dtype is FLOATING:
                values: list[Any] = [next(numbers) for _ in range(_count(node, sizes))]
            elif node.dtype is INTEGER:
                values = [_whole(chance, domain[node.data], bound) for _ in range(_count(node, sizes))]
            else:
                values = [chance.random() < 0.5 for _ in range(_count(node, sizes))]
            point.append(
                np.array(values, node.dtype.numpy_name(dtype)).reshape(shape) if shape else values[0]
            )
        points.append(point)
    return points


def _count(node: Node, sizes: Mapping[str, int]) -> int:
    return math.prod(evaluate_size(a.size, sizes) for a in node.axes)


def _rounded(value: float, within: Range, dtype: str) -> float:
    """The value as a float of the dtype; back inside where rounding left the range."""
    if dtype == "float64":
        return value
    rounded = np.float32(value)
    if not within.holds(float(rounded)):
        towards = np.float32(max(within.low, min(within.high, 0.0)))
        rounded = np.nextafter(rounded, towards if towards != rounded else np.float32(within.high))
    return float(rounded)


def _whole(chance: random.Random, within: Range, bound: int | None) -> int:
    if bound is not None and math.isinf(within.high):  # an index into an array
        return chance.randint(0, bound - 1)
    low = max(within.low, -_WHOLE if math.isinf(within.low) else within.low)
    high = low + 2 * _WHOLE if math.isinf(within.high) else within.high
    return chance.randint(
        math.ceil(low) + (1 if within.open_low and math.ceil(low) == within.low else 0), int(high)
    )


# --------------------------------------------------------------------------------------------------------- strategies
def _ends(within: Range) -> tuple[float, float]:
    far = 2.0**_MAGNITUDES
    return max(within.low, -far), min(within.high, far)


def _inside(value: float, within: Range) -> float:
    low, high = _ends(within)
    value = min(max(value, low), high)
    return math.nextafter(value, high) if within.open_low and value == within.low else value


def _uniform(chance: random.Random, within: Range) -> float:
    low, high = _ends(within)
    if math.isinf(within.low) or math.isinf(within.high):
        low, high = max(low, -_MODERATE), min(high, _MODERATE)
    return _inside(chance.uniform(low, high) if low < high else low, within)


def _magnitude(chance: random.Random, within: Range) -> float:
    """Every power of two is as likely as the others; both signs where both are allowed."""
    low, high = _ends(within)
    reach = max(abs(low), abs(high))
    if reach == 0:
        return 0.0
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    top = math.log2(reach)
    bottom = math.log2(nearest) if nearest else min(top, 0.0) - _MAGNITUDES
    size = 2.0 ** chance.uniform(bottom, top)
    signs = [sign for sign in (1.0, -1.0) if low <= sign * size <= high]
    return _inside(size * chance.choice(signs) if signs else chance.uniform(low, high), within)


def _near_special(chance: random.Random, within: Range) -> float:
    """Next to an end of the range, to 0 or to 1; now and then the point itself."""
    low, high = _ends(within)
    places = [p for p in (within.low, within.high, 0.0, 1.0, -1.0) if math.isfinite(p) and low <= p <= high]
    if not places:
        return _uniform(chance, within)
    place = chance.choice(places)
    if chance.random() < 0.02:
        return _inside(place, within)
    reach = (
        (high - low if math.isfinite(within.low) and math.isfinite(within.high) else 1.0) or abs(place) or 1.0
    )
    step = reach * 2.0 ** -chance.uniform(2, _NEAR)
    signs = [sign for sign in (1.0, -1.0) if low <= place + sign * step <= high]
    return _inside(place + step * chance.choice(signs), within) if signs else _inside(place, within)


def _each(
    draw: Callable[[random.Random, Range], float],
) -> Callable[[random.Random, Sequence[Range]], list[float]]:
    return lambda chance, ranges: [draw(chance, r) for r in ranges]


def _alike(chance: random.Random, ranges: Sequence[Range]) -> list[float]:
    """Numbers that are almost equal up to sign, where their ranges allow it: sums and differences of them cancel."""
    draw = chance.choice((_uniform, _magnitude))
    values = [draw(chance, r) for r in ranges]
    first = values[0] if values else 0.0
    for k in range(1, len(values)):
        other = (
            first
            * (1 + chance.choice((1, -1)) * 2.0 ** -chance.uniform(2, _NEAR))
            * chance.choice((1, 1, -1))
        )
        for candidate in (other, -other):
            if ranges[k].holds(candidate):
                values[k] = candidate
                break
    return values


def _mixed(chance: random.Random, ranges: Sequence[Range]) -> list[float]:
    return [chance.choice((_uniform, _magnitude, _near_special))(chance, r) for r in ranges]


STRATEGIES: dict[str, Callable[[random.Random, Sequence[Range]], list[float]]] = {
    "inside": _each(_uniform),
    "magnitudes": _each(_magnitude),
    "near special points": _each(_near_special),
    "mixed": _mixed,
    "almost equal": _alike,
}
