"""The numbers of the reported cases: value, first and second derivatives, in the interpreter and in compiled kernels.

Scalar cases are compiled together, each with arguments of its own, as one ufunc for several cases; the cases that are
not looked at have ordinary arguments meanwhile, so that a floating-point flag belongs to the case that is.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import symgraph as sg
from symgraph.errors import SymgraphError
from tests.cases.building import (
    arguments,
    batches,
    by_sympy,
    derivative,
    function,
    is_scalar,
    keys_of,
    merged,
    ordinary_point,
    quiet,
    split_key,
)  # fmt: skip
from tests.cases.reading import DATA, agrees, is_finite
from tests.models.cases import CASES

REFUSED = ("CX03", "CX04", "UN01", "UN06")  # complex values, integrals, infinite sums: a clear error, tested apart
LARGE = ("LG01", "LG10", "LG11", "IO06")  # tested by their behaviour, numbers included
NUMERIC = [k for k, case in DATA.items() if case["expected"] and k not in REFUSED and k not in LARGE]
TARGETS = ("cython", "numba")


def test_every_case_has_a_model() -> None:
    assert len(DATA) == 118 and set(DATA) == set(CASES)


def _expected(identifier: str, key: str, position: int) -> Any:
    listed = DATA[identifier]["expected"][position].get(key)
    return listed if listed is not None else _as_text(by_sympy(identifier, key, position))


def _as_text(value: float | None) -> str | None:
    return None if value is None else repr(value)


def _picked(value: Any, key: str) -> Any:
    """The element that a key names, of a value with the dimensions of the output and then of the inputs."""
    _, element, wrt = split_key(key)
    place = (*element, *(k for _, inner in wrt for k in inner))
    return np.asarray(value)[place] if place else value


def _tolerance(identifier: str, key: str) -> float:
    # SymPy's and the data's numbers are exact; the kernel's condition at the point is what remains
    return 1e-6 if identifier == "DT01" else 3e-12 if key.count("|") > 1 else 4e-13


# --------------------------------------------------------------------------------------------------------- interpreter
@pytest.mark.parametrize("identifier", NUMERIC)
def test_interpreter(identifier: str) -> None:
    case = DATA[identifier]
    f = function(identifier)
    for position, point in enumerate(case["points"]):
        values = arguments(identifier, point)
        for key in keys_of(identifier):
            expected = _expected(identifier, key, position)
            if expected is None:
                continue
            output, _, wrt = split_key(key)
            found = derivative(identifier, output, tuple(w for w, _ in wrt))(*values) if wrt else f(*values)[output]
            assert agrees(_picked(found, key), expected, _tolerance(identifier, key)), (key, point, found, expected)


# ---------------------------------------------------------------------------------------------------- scalar cases
SCALAR = [k for k in NUMERIC if not k.startswith(("MX", "IX", "LG", "NM10", "DT"))]


@cache
def _scalar_batches() -> list[list[str]]:
    return list(batches([k for k in SCALAR if is_scalar(k)]))


BATCH_COUNT = 10  # a test checks that it is right: parameters are needed before anything is captured


def test_number_of_batches() -> None:
    assert len(_scalar_batches()) == BATCH_COUNT


@pytest.fixture(scope="module")
def kernels() -> dict[tuple[int, str], Any]:
    return {}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("number", range(BATCH_COUNT))
def test_scalar_cases(number: int, target: str) -> None:
    batch = _scalar_batches()[number]
    f, labels = merged(batch, f"batch_{number}")
    kernel = sg.compile(f, target=target)
    rest = {k: arguments(k, ordinary_point(k)) for k in batch}
    for identifier in batch:
        case = DATA[identifier]
        points = [arguments(identifier, point) for point in case["points"]]
        columns = [np.array(column, dtype=np.asarray(column[0]).dtype) for column in zip(*points, strict=True)]
        wide = {**rest, identifier: columns}
        ordinary = [all(is_finite(v) for v in expected.values()) for expected in case["expected"]]
        with quiet() if all(ordinary) else np.errstate(all="ignore"):
            arrays = kernel(*[v for k in batch for v in wide[k]])
        for position, values in enumerate(points):
            numbers = {**rest, identifier: values}
            with quiet() if ordinary[position] else np.errstate(all="ignore"):
                found = kernel(*[v for k in batch for v in numbers[k]])
            for (owner, key), value, array in zip(labels, found, arrays, strict=True):
                expected = _expected(owner, key, position) if owner == identifier else None
                if expected is not None:
                    tolerance = _tolerance(identifier, key)
                    element = np.broadcast_to(array, (len(points),))[position]
                    assert agrees(value, expected, tolerance), (identifier, key, case["points"][position], value)
                    assert agrees(element, expected, tolerance), (identifier, key, case["points"][position], element)


# ------------------------------------------------------------------------------------------------------ array cases
ARRAYS = [k for k in NUMERIC if k.startswith(("MX", "IX", "NM10", "DT", "LG")) or k in ("IO05", "AL03")]
FIXED = [k for k in ARRAYS if k.startswith(("MX", "NM10", "IO05", "AL03", "DT03", "DT06"))]  # no sizes but numbers
GROUPS = [FIXED, *([k] for k in ARRAYS if k not in FIXED)]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group[0] if len(group) == 1 else "fixed sizes")
def test_array_cases(group: list[str], target: str) -> None:
    f, labels = merged(group, "arrays" if len(group) > 1 else group[0].lower())
    dtype = "float32" if group == ["DT01"] else "float64"
    kernel = sg.compile(f, target=target, dtype=dtype)
    rest = {k: arguments(k, DATA[k]["points"][0]) for k in group}
    for identifier in group:
        for position, point in enumerate(DATA[identifier]["points"]):
            values = [v.astype(dtype) if np.ndim(v) else v for v in arguments(identifier, point)]
            found = kernel(*[v for k in group for v in {**rest, identifier: values}[k]])
            for (owner, key), value in zip(labels, found, strict=True):
                expected = _expected(identifier, key, position) if owner == identifier else None
                if expected is not None:
                    element = _picked(value, key)
                    assert agrees(element, expected, _tolerance(identifier, key)), (identifier, key, point, element)


# ------------------------------------------------------------------------------------------------------------ refusals
@pytest.mark.parametrize("identifier", REFUSED)
def test_refused_by_name(identifier: str) -> None:
    words = {"CX03": "imaginary unit I", "CX04": "imaginary unit I", "UN01": "Integral", "UN06": "k runs to infinity"}
    assert set(DATA[identifier]["behaviour"]) & {"numeric-or-clear-error", "complex-or-clear-error"}
    with pytest.raises(SymgraphError, match=words[identifier]):
        function(identifier)
