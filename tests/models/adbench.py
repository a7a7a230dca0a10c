"""Readers of ADBench's data files and of the reference derivatives, and ADBench's measure of agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .corpora import DATA

__all__ = ["BundleAdjustment", "Mixture", "difference", "read_bundle_adjustment", "read_mixture", "reference"]

Array = NDArray[Any]


def difference(found: Any, expected: Any) -> float:
    """The largest ``|x - y| / max(1, |x| + |y|)``: the measure in which ADBench compares tools."""
    x, y = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert x.shape == y.shape, f"the shapes {x.shape} and {y.shape} differ"
    return float(np.max(np.abs(x - y) / np.maximum(1.0, np.abs(x) + np.abs(y)), initial=0.0))


def reference(name: str) -> dict[str, Array]:
    """The arrays of one file of ``tests/data/adbench/reference``."""
    with np.load(DATA / "adbench" / "reference" / f"{name}.npz") as archive:
        return {key: archive[key] for key in archive.files}


@dataclass(frozen=True)
class Mixture:
    """Data of the Gaussian mixture objective: x (N, D), alpha (K), mu (K, D), icf (K, D(D+1)/2), gamma, m."""

    x: Array
    alpha: Array
    mu: Array
    icf: Array
    gamma: float
    m: int

    @property
    def arguments(self) -> tuple[Any, ...]:
        """In the order of the inputs of :func:`tests.models.gmm.objective`."""
        return self.alpha, self.mu, self.icf, self.x, self.gamma, self.m


def read_mixture(name: str) -> Mixture:
    """One file of ``tests/data/adbench/gmm``."""
    numbers = np.array((DATA / "adbench" / "gmm" / f"{name}.txt").read_text().split(), dtype=float)
    d, k, n = (int(v) for v in numbers[:3])
    shapes = [(k,), (k, d), (k, d * (d + 1) // 2), (n, d), (2,)]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    parts = np.split(numbers[3:], ends[:-1])
    alpha, mu, icf, x, prior = (part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
    return Mixture(x, alpha, mu, icf, float(prior[0]), int(prior[1]))


@dataclass(frozen=True)
class BundleAdjustment:
    """Data of bundle adjustment: cameras (n, 11), points (m, 3), weights (p), features (p, 2), and which camera and
    point each observation pairs, (p) each."""

    cameras: Array
    points: Array
    weights: Array
    features: Array
    camera_of: Array
    point_of: Array

    @property
    def gathered(self) -> tuple[Array, Array, Array, Array]:
        """Camera, point, weight and feature of each observation: the arguments of a mapped residual."""
        return self.cameras[self.camera_of], self.points[self.point_of], self.weights, self.features


def read_bundle_adjustment(name: str) -> BundleAdjustment:
    """One file of ``tests/data/adbench/ba``, or the inputs stored with a ``ba_jitter_*`` reference."""
    if name.startswith("jitter"):
        stored = reference(f"ba_{name}")
        pairs = stored["in_obs"].astype(np.int64)
        return BundleAdjustment(stored["in_cams"], stored["in_X"], stored["in_w"], stored["in_feats"],
                                pairs[:, 0].copy(), pairs[:, 1].copy())
    numbers = np.array((DATA / "adbench" / "ba" / f"{name}.txt").read_text().split(), dtype=float)
    n, m, p = (int(v) for v in numbers[:3])
    camera, point, weight, feature = numbers[3:14], numbers[14:17], numbers[17], numbers[18:20]
    observation = np.arange(p)
    return BundleAdjustment(np.tile(camera, (n, 1)), np.tile(point, (m, 1)), np.full(p, weight),
                            np.tile(feature, (p, 1)), observation % n, observation % m)
