"""Multibody systems: seconds to derive all gradients of the balance of forces."""

from __future__ import annotations

import numpy as np

import symgraph as sg
from benchmarks.measure import Figure, main, require, stopwatch
from tests.models import mechanics
from tests.models.corpora import load

LINKS = (2, 5, 10, 20)


def figures() -> list[Figure]:
    """The stored five-link system, then pendulums of growing length."""
    found = []
    item = load("mechanics")["cart_pendulum_5"]
    with stopwatch() as capture:
        matrices, rest = mechanics.balance(item)
    with stopwatch() as derivation:
        partials = sg.jacobian(rest, wrt=item.inputs)
    for point, truth in zip(item.points, item.info["accelerations"], strict=True):
        a, jacobian = mechanics.accelerations(matrices, partials, point.at)
        scale = np.max(np.abs(truth["jac"]))
        require(np.allclose(a, truth["qdd"], rtol=1e-10), "accelerations")
        require(np.max(np.abs(jacobian - truth["jac"])) <= 1e-10 * scale, "gradients of accelerations")
    found += [
        Figure("cart with 5 links: parsing and capture", capture[0], "s"),
        Figure("cart with 5 links: derivation of 6 x 25 partials", derivation[0], "s", 10.0,
               f"{rest.operation_count():,} operations to {partials.operation_count():,}"),
    ]
    for links in LINKS:
        with stopwatch() as capture:
            rest, names = mechanics.pendulum(links)
        with stopwatch() as derivation:
            partials = sg.jacobian(rest, wrt=names)
        _check(rest, partials, links, len(names))
        found.append(Figure(f"pendulum of {links} links: derivation of {links} x {len(names)} partials", derivation[0],
                            "s", 10.0, f"capture {capture[0]:.2g} s; {rest.operation_count():,} operations to "
                            f"{partials.operation_count():,}"))
    return found


def _check(rest: sg.Function, partials: sg.Function, links: int, count: int) -> None:
    """Central differences in one random direction."""
    generator = np.random.default_rng(links)
    state, direction = generator.uniform(0.5, 1.5, count), generator.normal(size=count)
    a = generator.normal(size=links)
    step = 1e-5
    slope = (rest(*(state + step * direction), a) - rest(*(state - step * direction), a)) / (2 * step)
    exact = np.stack(partials(*state, a), axis=1) @ direction
    require(np.max(np.abs(slope - exact)) <= 1e-6 * np.max(np.abs(exact)), f"partials of {links} links")


if __name__ == "__main__":
    main(figures, "Mechanics")
