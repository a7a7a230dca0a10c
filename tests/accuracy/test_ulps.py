"""Units in the last place: against NumPy's own spacing, and at the ends of the formats."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from symgraph.accuracy.ulps import FORMATS, is_beyond, is_representable, ulp_error

F64, F32 = FORMATS["float64"], FORMATS["float32"]


@pytest.mark.parametrize("real", [np.float64, np.float32])
@pytest.mark.parametrize("value", [1.0, 1.5, -3.0, 1e-3, 1e30, 3e-38, 1e-40, 2.0**-126])
def test_the_spacing_is_that_of_numpy(real, value):
    kind = FORMATS[real.__name__]
    rounded = real(value)
    assert kind.spacing(mpmath.mpf(float(rounded))) == mpmath.mpf(float(np.spacing(np.abs(rounded))))
    assert kind.greatest == mpmath.mpf(float(np.finfo(real).max))


@pytest.mark.parametrize("steps", [0, 1, 3, 1000])
def test_floats_in_between_are_counted(steps):
    found = 1.25 + steps * 2.0**-52
    assert ulp_error(found, mpmath.mpf(1.25), F64) == steps
    assert ulp_error(float(np.float32(1.25) + np.float32(2.0**-23) * steps), mpmath.mpf(1.25), F32) == steps


def test_half_a_unit():
    with mpmath.workdps(50):
        assert ulp_error(1.0, 1 + mpmath.mpf(2) ** -53, F64) == 0.5
        assert ulp_error(1 / 3, mpmath.mpf(1) / 3, F64) < 0.5


def test_subnormals_have_one_spacing():
    tiny = mpmath.mpf(2) ** -1074
    assert ulp_error(5e-324, tiny, F64) == 0
    assert ulp_error(0.0, tiny / 2, F64) == 0.5
    assert ulp_error(0.0, tiny * 3, F64) == 3
    assert ulp_error(0.0, mpmath.mpf(0), F64) == 0
    assert ulp_error(5e-324, mpmath.mpf(0), F64) == 1


def test_overflow_is_right_where_the_exact_value_overflows():
    beyond = mpmath.mpf(10) ** 400
    assert ulp_error(math.inf, beyond, F64) == 0
    assert ulp_error(-math.inf, beyond, F64) == math.inf
    assert ulp_error(math.inf, mpmath.mpf(10) ** 40, F32) == 0
    assert is_beyond(beyond, F64) and not is_beyond(mpmath.mpf(10) ** 308, F64)
    assert ulp_error(1.0, beyond, F64) > 1e100


@pytest.mark.parametrize("found", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_where_a_number_is_right_is_infinitely_wrong(found):
    assert ulp_error(found, mpmath.mpf(1), F64) == math.inf


def test_representable_numbers():
    assert is_representable(mpmath.mpf("0.1"), F64)  # the float nearest to 0.1
    with mpmath.workdps(50):
        assert not is_representable(mpmath.mpf(1) / 10, F64)
        assert not is_representable(mpmath.mpf(1) + mpmath.mpf(2) ** -24, F32)
    assert is_representable(mpmath.mpf(2) ** -1074, F64)
    assert not is_representable(mpmath.mpf(2) ** 1024, F64)
