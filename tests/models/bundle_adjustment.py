"""ADBench's bundle adjustment: the reprojection error of one observation, and of all of them by index arrays.

A camera is 11 numbers: rotation as angle-axis (3), centre (3), focal length, principal point (2), radial
distortion (2).
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

import symgraph as sg

__all__ = ["WRT", "indexed_residual", "residual", "weight_error"]

WRT = ("cam", "X", "w")
Entry = Callable[[int], sp.Expr]


def _cross(u: list[sp.Expr], v: list[sp.Expr]) -> list[sp.Expr]:
    return [u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3] for i in range(3)]


def _dot(u: list[sp.Expr], v: list[sp.Expr]) -> sp.Expr:
    return sp.Add(*(p * q for p, q in zip(u, v, strict=True)))


def _reprojection(cam: Entry, point: Entry, weight: sp.Expr, feature: Entry) -> list[sp.Expr]:
    """The two weighted components of projection minus feature, by Rodrigues' formula."""
    rotation = [cam(i) for i in range(3)]
    angle = sp.sqrt(_dot(rotation, rotation))
    direction = [r / angle for r in rotation]
    shifted = [point(i) - cam(3 + i) for i in range(3)]
    cosine, sine = sp.cos(angle), sp.sin(angle)
    turned, along = _cross(direction, shifted), _dot(direction, shifted) * (1 - cosine)
    seen = [shifted[i] * cosine + turned[i] * sine + direction[i] * along for i in range(3)]
    image = [seen[0] / seen[2], seen[1] / seen[2]]
    squared = _dot(image, image)
    stretch = 1 + cam(9) * squared + cam(10) * squared**2
    return [weight * (cam(6) * (image[i] * stretch) + cam(7 + i) - feature(i)) for i in range(2)]


def residual() -> sg.Function:
    """The reprojection error (2) of one observation: a Function of cam (11), X (3), w and feat (2).

    Examples
    --------
    >>> residual().inputs
    ('cam', 'X', 'w', 'feat')
    """
    cam, point = sp.IndexedBase("cam", shape=(11,), real=True), sp.IndexedBase("X", shape=(3,), real=True)
    weight, feature = sp.Symbol("w", real=True), sp.IndexedBase("feat", shape=(2,), real=True)
    errors = _reprojection(lambda i: cam[i], lambda i: point[i], weight, lambda i: feature[i])
    return sg.function(sp.Array(errors), inputs=[cam, point, weight, feature], name="residual")


def weight_error() -> sg.Function:
    """The second residual of one observation, 1 - w**2."""
    weight = sp.Symbol("w", real=True)
    return sg.function(1 - weight**2, inputs=[weight], name="weight_error")


def indexed_residual() -> sg.Function:
    """The reprojection errors of p observations as two arrays (p), cameras and points read at index arrays.

    A Function of cam (n, 11), X (q, 3), w (p), feat (p, 2), and the integer arrays ci (p), pi (p).
    """
    n, q, p = sp.symbols("n q p", integer=True, positive=True)
    o = sp.Symbol("o", integer=True)
    cam, point = sp.IndexedBase("cam", shape=(n, 11), real=True), sp.IndexedBase("X", shape=(q, 3), real=True)
    weight = sp.IndexedBase("w", shape=(p,), real=True)
    feature = sp.IndexedBase("feat", shape=(p, 2), real=True)
    camera_of = sp.IndexedBase("ci", shape=(p,), integer=True)
    point_of = sp.IndexedBase("pi", shape=(p,), integer=True)
    errors = _reprojection(
        lambda i: cam[camera_of[o], i], lambda i: point[point_of[o], i], weight[o], lambda i: feature[o, i]
    )
    outputs = {f"e{i}": sp.tensor.array.ArrayComprehension(e, (o, 0, p - 1)) for i, e in enumerate(errors)}
    return sg.function(outputs, inputs=[cam, point, weight, feature, camera_of, point_of], name="residuals")
