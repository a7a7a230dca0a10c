"""Self-test: values and derivatives against numbers of 50 digits, Taylor remainders and dot products.

Run it with ``python -m PACKAGE.selftest``. The numbers are in ``selftest.json``; they were computed with mpmath from
the model itself, derivatives from differences at 87 digits.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Check", "check", "main", "report", "run"]


class Check(NamedTuple):
    """One result: what was tested on which kernel, the error that was found, and the error that is allowed."""

    kernel: str
    test: str
    error: float
    limit: float

    @property
    def passed(self) -> bool:
        """Whether the error is within its limit (nan is not)."""
        return self.error <= self.limit


def check(kernels: Mapping[str, Callable[..., Any]], data: Mapping[str, Any]) -> list[Check]:
    """Test kernels, given by kind ("value", "grad", "value_and_grad", "jac", "hess", "jvp", "vjp", "hvp")."""
    checks: list[Check] = []
    for kind, kernel in kernels.items():
        for name, measure in _TESTS.get(kind, ()):
            if measure is _taylor and not {"value", "value_and_grad"} & set(kernels):
                continue  # needs values of the model
            errors, limits = [], []
            for point in data["points"]:
                trial = _Trial(kind, kernel, kernels, data, point)
                error, limit = measure(trial)
                errors.append(error)
                limits.append(limit)
            if errors:
                worst = max(range(len(errors)), key=lambda k: _excess(errors[k], limits[k]))
                checks.append(Check(data["kernels"][kind], name, errors[worst], limits[worst]))
    return checks


def _excess(error: float, limit: float) -> float:
    return math.inf if math.isnan(error) else error - limit


class _Trial:
    """One kernel at one point."""

    def __init__(
        self, kind: str, kernel: Callable[..., Any], kernels: Mapping[str, Callable[..., Any]], data: Mapping[str, Any],
        point: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self.kind, self.kernel, self.kernels, self.data, self.point = kind, kernel, kernels, data, point
        self.tolerance: float = point["tolerance"]
        self.wrt: list[str] = data["wrt"]

    def call(self, kind: str | None = None, arguments: Mapping[str, Any] | None = None) -> list[Any]:
        """The flat results of a kernel at the point, or at other values of the model's arguments."""
        values = []
        for role, name in self.data["arguments"][kind or self.kind]:
            if role == "argument" and arguments is not None and name in arguments:
                values.append(arguments[name])
            else:
                stored = self.point["cotangent"][int(name)] if role == "cotangent" else self.point[role][name]
                values.append(_array(stored, self.data["dtypes"].get(name, self.data["dtype"])))
        kernel = self.kernel if kind is None else self.kernels[kind]
        return [np.asarray(leaf) for leaf in _leaves(kernel(*values))]

    def argument(self, name: str) -> Any:
        return _array(self.point["argument"][name], self.data["dtypes"].get(name, self.data["dtype"]))

    def direction(self, name: str, role: str = "direction") -> Any:
        return np.asarray(self.point[role][name], dtype="float64")

    def cotangents(self) -> list[Any]:
        return [np.asarray(w, dtype="float64") for w in self.point["cotangent"]]

    @property
    def outputs(self) -> int:
        """Number of outputs of the model."""
        return len(self.point["value"])

    def relative(self, found: float, text: str, size: float) -> float:
        """The error of a number against its digits, relative to what was summed to get it."""
        exact = float(text)
        return abs(found - exact) / max(abs(exact), size, 1e-30)


def _array(value: Any, dtype: str) -> Any:
    array = np.asarray(value, dtype=dtype)
    return array if array.ndim else array.item()


def _leaves(result: Any) -> Iterator[Any]:
    if isinstance(result, Mapping):
        result = tuple(result.values())
    if isinstance(result, tuple):
        for item in result:
            yield from _leaves(item)
    else:
        yield result


def _dot(left: Any, right: Any) -> tuple[float, float]:
    """The dot product in double precision, and the sum of the magnitudes of its terms."""
    terms = np.asarray(left, dtype="float64") * np.asarray(right, dtype="float64")
    return math.fsum(terms.ravel()), math.fsum(np.abs(terms).ravel())


# ------------------------------------------------------------------------------------------------------------- measures
def _value(trial: _Trial) -> tuple[float, float]:
    error = 0.0
    for found, digits in zip(trial.call()[: trial.outputs], trial.point["value"], strict=True):
        exact = np.asarray(digits, dtype="float64")
        if found.shape != exact.shape:
            return math.inf, trial.tolerance
        difference = np.abs(found - exact)
        largest = np.max(np.abs(exact), initial=1e-30)
        error = max(error, float(np.max(difference, initial=0.0)) / float(largest))
        if not np.all(np.isfinite(found)):
            return math.nan, trial.tolerance
    return error, trial.tolerance


def _gradient(trial: _Trial) -> list[Any]:
    leaves = trial.call()
    return leaves[1:] if trial.kind == "value_and_grad" else leaves


def _partials(trial: _Trial) -> tuple[float, float]:
    gradient = dict(zip(trial.wrt, _gradient(trial), strict=True))
    error = 0.0
    for name, place, digits in trial.point["partials"]:
        largest = float(np.max(np.abs(gradient[name]), initial=0.0))
        error = max(error, trial.relative(float(gradient[name][tuple(place)]), digits, largest))
    return error, trial.tolerance


def _slope(trial: _Trial) -> tuple[float, float]:
    """<w, J v> in the way that the kernel offers, against its digits."""
    total, size = _slope_of(trial)
    return trial.relative(total, trial.point["slope"], size), trial.tolerance


def _slope_of(trial: _Trial) -> tuple[float, float]:
    if trial.kind in ("grad", "value_and_grad"):
        weight = float(trial.cotangents()[0])
        parts = [_dot(g, trial.direction(n)) for g, n in zip(_gradient(trial), trial.wrt, strict=True)]
        return weight * math.fsum(p[0] for p in parts), abs(weight) * math.fsum(p[1] for p in parts)
    if trial.kind == "vjp":
        parts = [_dot(g, trial.direction(n)) for g, n in zip(trial.call(), trial.wrt, strict=True)]
    elif trial.kind == "jvp":
        parts = [_dot(t, w) for t, w in zip(trial.call()[trial.outputs :], trial.cotangents(), strict=True)]
    else:
        blocks = iter(trial.call())
        parts = []
        for weight in trial.cotangents():
            for name in trial.wrt:
                direction = trial.direction(name)
                parts.append(_dot(next(blocks), np.multiply.outer(weight, direction)))
    return math.fsum(p[0] for p in parts), math.fsum(p[1] for p in parts)


def _taylor(trial: _Trial) -> tuple[float, float]:
    """How far the order of the Taylor remainder stays below 2; only from the model's own values."""
    step, target = 2.0 ** -4, 1.75
    slope = _slope_of(trial)[0]

    def along(distance: float) -> float:
        moved = {n: trial.argument(n) + distance * trial.direction(n) for n in trial.wrt}
        kind = "value" if "value" in trial.kernels else "value_and_grad"
        values = trial.call(kind, moved)[: trial.outputs]
        return math.fsum(_dot(v, w)[0] for v, w in zip(values, trial.cotangents(), strict=True))

    start = along(0.0)
    floor = 1e4 * float(np.finfo("float64").eps) * max(abs(start), abs(slope), 1.0) + 10 * trial.tolerance * abs(start)
    order, previous = math.inf, math.nan
    for _ in range(12):
        remainder = abs(along(step) - start - step * slope)
        if math.isnan(remainder):
            return math.nan, 2.0 - target
        if remainder < floor:
            break
        if not math.isnan(previous):
            order = math.log2(previous / remainder)
        previous = remainder
        step /= 2
    return max(0.0, 2.0 - order), 2.0 - target


def _curvature(trial: _Trial) -> tuple[float, float]:
    """u H v against its digits."""
    weight = float(trial.cotangents()[0])
    leaves = iter(trial.call())
    if trial.kind == "hvp":
        parts = [_dot(next(leaves), trial.direction(n, "second")) for n in trial.wrt]
    else:
        parts = [
            _dot(next(leaves), np.multiply.outer(trial.direction(a, "second"), trial.direction(b)))
            for a in trial.wrt
            for b in trial.wrt
        ]
    total, size = weight * math.fsum(p[0] for p in parts), abs(weight) * math.fsum(p[1] for p in parts)
    return trial.relative(total, trial.point["curvature"], size), trial.tolerance


def _transposed(trial: _Trial) -> tuple[float, float]:
    """<J v, w> = <v, J' w>, where both kernels are there."""
    if "jvp" not in trial.kernels:
        return 0.0, trial.tolerance
    forward = [_dot(t, w) for t, w in zip(trial.call("jvp")[trial.outputs :], trial.cotangents(), strict=True)]
    backward = [_dot(g, trial.direction(n)) for g, n in zip(trial.call("vjp"), trial.wrt, strict=True)]
    difference = abs(math.fsum(p[0] for p in forward) - math.fsum(p[0] for p in backward))
    return difference / max(math.fsum(p[1] for p in (*forward, *backward)), 1e-30), trial.tolerance


_VALUE = ("value, 50 digits", _value)
_SLOPE = ("dot product with a direction, 50 digits", _slope)
_TAYLOR = ("Taylor remainder, order missing to 2", _taylor)
_TESTS: dict[str, tuple[tuple[str, Callable[[_Trial], tuple[float, float]]], ...]] = {
    "value": (_VALUE,),
    "grad": (("partials, 50 digits", _partials), _SLOPE, _TAYLOR),
    "value_and_grad": (_VALUE, ("partials, 50 digits", _partials), _SLOPE, _TAYLOR),
    "jac": (_SLOPE, _TAYLOR),
    "jvp": (_VALUE, _SLOPE, _TAYLOR),
    "vjp": (_SLOPE, ("<Jv, w> = <v, J'w>", _transposed), _TAYLOR),
    "hess": (("dot products with two directions, 50 digits", _curvature),),
    "hvp": (("dot product with a direction, 50 digits", _curvature),),
}


# --------------------------------------------------------------------------------------------------------- running
def run() -> list[Check]:
    """Test the kernels of this package."""
    import importlib

    data = json.loads(Path(__file__).with_name("selftest.json").read_text(encoding="utf-8"))
    package = importlib.import_module(__package__ or Path(__file__).parent.name)
    return check({kind: getattr(package, name) for kind, name in data["kernels"].items()}, data)


def report(checks: list[Check]) -> str:
    """One line per check."""
    width = max((len(c.kernel) for c in checks), default=0)
    return "\n".join(
        f"{'ok  ' if c.passed else 'FAIL'}  {c.kernel:<{width}}  {c.error:9.2e} <= {c.limit:7.1e}  {c.test}"
        for c in checks
    )


def main() -> int:
    """Print the results; 0 where everything passed, else 1."""
    checks = run()
    print(report(checks))
    return 0 if checks and all(c.passed for c in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
