"""ADBench: the Gaussian mixture and bundle adjustment, value and derivatives within 1e-8 of the references."""

from __future__ import annotations

import numpy as np
import pytest

import symgraph as sg
from tests.models import bundle_adjustment, gmm
from tests.models.adbench import BundleAdjustment, difference, read_bundle_adjustment, read_mixture, reference
from tests.models.traced import merge

TOLERANCE = 1e-8

# (data, reference, prior sign, gamma and m where they replace those of the file)
MIXTURES = [
    ("test", "gmm_test", 1, None),
    ("test", "gmm_test_gamma0.7_m3", 1, (0.7, 3)),
    ("test", "gmm_test_gamma0.7_m3_gradbench", -1, (0.7, 3)),
    ("1k_d2_K5", "gmm_1k_d2_K5", 1, None),
    ("1k_d10_K25", "gmm_1k_d10_K25", 1, None),
]


@pytest.fixture(scope="module")
def mixture_kernel():
    """One kernel serves every size."""
    return sg.compile(sg.value_and_grad(gmm.objective(), wrt=gmm.WRT))


def _mixture_arguments(name, prior):
    arguments = read_mixture(name).arguments
    return arguments if prior is None else (*arguments[:4], *prior)


@pytest.mark.parametrize(
    ("data", "expected", "prior"),
    [(data, expected, prior) for data, expected, sign, prior in MIXTURES if sign == 1],
    ids=[expected for _, expected, sign, _ in MIXTURES if sign == 1],
)
def test_mixture_kernel(mixture_kernel, data, expected, prior):
    value, gradient = mixture_kernel(*_mixture_arguments(data, prior))
    truth = reference(expected)
    assert difference(value, truth["value"]) < TOLERANCE
    flat = np.concatenate([part.ravel() for part in gradient])
    assert difference(flat, truth["gradient"]) < TOLERANCE


@pytest.mark.parametrize(("data", "expected", "sign", "prior"), MIXTURES[:4], ids=[m[1] for m in MIXTURES[:4]])
def test_mixture_interpreted(data, expected, sign, prior):
    function = sg.value_and_grad(gmm.objective(sign), wrt=gmm.WRT)
    value, gradient = function(*_mixture_arguments(data, prior))
    truth = reference(expected)
    assert difference(value, truth["value"]) < TOLERANCE
    assert difference(np.concatenate([part.ravel() for part in gradient]), truth["gradient"]) < TOLERANCE


def test_mixture_far_from_the_data_stays_finite(mixture_kernel):
    """Densities of exp(-1e6) underflow to 0: only a shifted log-sum-exp has a logarithm for them."""
    data = read_mixture("test")
    value, gradient = mixture_kernel(data.alpha, data.mu + 1000.0, *data.arguments[2:])
    assert np.isfinite(value)
    assert all(np.isfinite(part).all() for part in gradient)


def _dense_rows(truth, count):
    """The 2 x 15 block of each observation: CSR rows of camera, point and weight, in this order."""
    return truth["data"][: 2 * count * 15].reshape(count, 2, 15)


def _checked(data: BundleAdjustment, truth, errors, blocks):
    assert difference(errors, truth["reproj"]) < TOLERANCE
    cam, point, weight = blocks
    stacked = np.concatenate([cam, point, weight[..., None]], axis=2)
    assert difference(stacked, _dense_rows(truth, len(data.weights))) < TOLERANCE


@pytest.fixture(scope="module")
def block_kernel():
    """Residual and 2 x 15 Jacobian of one observation, mapped over observations: one kernel for all sizes."""
    residual = bundle_adjustment.residual()
    jacobian = sg.jacobian(residual, wrt=bundle_adjustment.WRT)
    return sg.compile(sg.vmap(merge([residual, jacobian], "residual_and_jacobian")))


BUNDLES = ["jitter_n5_m40_p200", "jitter_test", "test"]


@pytest.mark.parametrize("name", BUNDLES)
def test_bundle_adjustment_blocks(block_kernel, name):
    data, truth = read_bundle_adjustment(name), reference(f"ba_{name}")
    errors, blocks = block_kernel(*data.gathered)
    _checked(data, truth, errors, blocks)


@pytest.mark.parametrize("name", BUNDLES)
def test_bundle_adjustment_weights(name):
    data, truth = read_bundle_adjustment(name), reference(f"ba_{name}")
    value, slope = sg.vmap(sg.value_and_grad(bundle_adjustment.weight_error(), wrt="w"))(data.weights)
    assert difference(value, truth["w_err"]) < TOLERANCE
    assert difference(slope, truth["data"][-len(data.weights) :]) < TOLERANCE


@pytest.fixture(scope="module")
def indexed_kernels():
    """Residuals that read cameras and points at index arrays, and the gradient of half their sum of squares."""
    residuals = bundle_adjustment.indexed_residual()
    return sg.compile(residuals), sg.compile(sg.vjp(residuals, wrt=bundle_adjustment.WRT))


@pytest.mark.parametrize("name", BUNDLES[:2])
def test_bundle_adjustment_by_index_arrays(indexed_kernels, name):
    """``cam[ci[o], k]`` gathers; its adjoint adds into the camera of each observation: J^T e by a scatter."""
    data, truth = read_bundle_adjustment(name), reference(f"ba_{name}")
    residuals, transposed = indexed_kernels
    arguments = (data.cameras, data.points, data.weights, data.features, data.camera_of, data.point_of)
    found = residuals(*arguments)
    assert difference(np.stack([found["e0"], found["e1"]], axis=1), truth["reproj"]) < TOLERANCE
    blocks = _dense_rows(truth, len(data.weights))
    weighted = np.einsum("oe,oej->oj", truth["reproj"], blocks)
    cameras, points = np.zeros_like(data.cameras), np.zeros_like(data.points)
    np.add.at(cameras, data.camera_of, weighted[:, :11])
    np.add.at(points, data.point_of, weighted[:, 11:14])
    adjoint = transposed(*arguments, *(np.ascontiguousarray(column) for column in truth["reproj"].T))
    for part, expected in zip(adjoint, (cameras, points, weighted[:, 14]), strict=True):
        assert np.max(np.abs(part - expected)) <= 1e-10 * np.max(np.abs(expected))
