"""Multibody systems: accelerations and their gradients by implicit differentiation, energies and their balance."""

from __future__ import annotations

import time

import numpy as np
import pytest
import sympy as sp
from sympy.physics import mechanics as sympy_mechanics

import symgraph as sg
from tests.models import mechanics
from tests.models.corpora import load

ITEMS = load("mechanics")
TOLERANCE = 1e-10


def _near(found, expected, tolerance=TOLERANCE):
    found, expected = np.asarray(found), np.asarray(expected)
    return np.max(np.abs(found - expected)) <= tolerance * max(1.0, np.max(np.abs(expected)))


@pytest.mark.parametrize("name", ITEMS)
def test_accelerations_and_their_gradients(name):
    item = ITEMS[name]
    matrices, partials = mechanics.system(item)
    for point, truth in zip(item.points, item.info["accelerations"], strict=True):
        a, jacobian = mechanics.accelerations(matrices, partials, point.at)
        assert _near(a, truth["qdd"])
        assert _near(jacobian, truth["jac"])


@pytest.mark.parametrize("name", ["cart_pendulum_2"])
def test_compiled(name):
    item = ITEMS[name]
    matrices, partials = (sg.compile(f) for f in mechanics.system(item))
    for point, truth in zip(item.points, item.info["accelerations"], strict=True):
        a, jacobian = mechanics.accelerations(matrices, partials, point.at)
        assert _near(a, truth["qdd"])
        assert _near(jacobian, truth["jac"])


@pytest.mark.parametrize("name", ITEMS)
def test_energy_balance(name):
    """d(T + V)/dt is the power of the applied forces, with the accelerations of the equations of motion."""
    item = ITEMS[name]
    size = item.info["n"]
    gradients = mechanics.energies(item)
    for point, truth in zip(item.points, item.info["accelerations"], strict=True):
        (kinetic, slopes), (_, total_slopes) = gradients(*point.at)
        assert kinetic == pytest.approx(point.out["T"]["d0"], rel=1e-12)
        assert _near(slopes, point.out["T"]["d1"], 1e-12)
        rates = [*point.at[size : 2 * size], *truth["qdd"]]
        power = sum(s * rate for s, rate in zip(total_slopes[: 2 * size], rates, strict=True))
        scale = sum(abs(s * rate) for s, rate in zip(total_slopes[: 2 * size], rates, strict=True))
        assert abs(power - point.out["P"]["d0"]) <= 1e-12 * max(scale, 1.0)


def test_derivation_takes_seconds():
    """The five-link cart pendulum: 995 operations, 25 inputs, all gradients of six accelerations."""
    item = ITEMS["cart_pendulum_5"]
    _, rest = mechanics.balance(item)
    start = time.perf_counter()
    sg.jacobian(rest, wrt=item.inputs)
    assert time.perf_counter() - start < 10.0


def test_equations_of_motion_straight_from_sympy():
    """Lagrange's method gives formulas in q(t) and its derivatives; they are inputs as they stand."""
    q1, q2 = sympy_mechanics.dynamicsymbols("q1 q2")
    u1, u2 = sympy_mechanics.dynamicsymbols("q1 q2", 1)
    m, length, g = sp.symbols("m l g", positive=True)
    frame = sympy_mechanics.ReferenceFrame("N")
    origin = sympy_mechanics.Point("O")
    origin.set_vel(frame, 0)
    first = frame.orientnew("A", "Axis", [q1, frame.z])
    second = frame.orientnew("B", "Axis", [q2, frame.z])
    joint = origin.locatenew("P", length * first.x)
    end = joint.locatenew("R", length * second.x)
    joint.v2pt_theory(origin, frame, first)
    end.v2pt_theory(joint, frame, second)
    masses = [sympy_mechanics.Particle("p", joint, m), sympy_mechanics.Particle("r", end, m)]
    forces = [(point, m * g * frame.x) for point in (joint, end)]
    lagrangian = sympy_mechanics.Lagrangian(frame, *masses)
    equations = sympy_mechanics.LagrangesMethod(lagrangian, [q1, q2], forcelist=forces, frame=frame)
    equations.form_lagranges_equations()
    function = sg.function(
        (equations.mass_matrix, equations.forcing), inputs=[q1, q2, u1, u2, m, length, g], name="double_pendulum"
    )
    state = (0.3, -0.8, 1.1, -0.4, 1.7, 0.6, 9.81)
    mass, force = function(*state)
    a = np.linalg.solve(mass, np.asarray(force).ravel())
    angles, speeds, (weight, rod, gravity) = state[:2], state[2:4], state[4:]
    cosine, sine = np.cos(angles[0] - angles[1]), np.sin(angles[0] - angles[1])
    # the textbook equations of two equal masses on equal rods
    left = np.array([[2.0, cosine], [cosine, 1.0]]) * weight * rod**2
    right = -weight * rod**2 * np.array([sine * speeds[1] ** 2, -sine * speeds[0] ** 2])
    right -= weight * gravity * rod * np.array([2 * np.sin(angles[0]), np.sin(angles[1])])
    assert _near(a, np.linalg.solve(left, right), 1e-12)
