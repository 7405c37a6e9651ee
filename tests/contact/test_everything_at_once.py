"""Links that touch, a loop, a limit and dry friction of joints in one solution."""

import numpy as np

import arthron as ar

G, LENGTH, START, HELD = 9.81, 0.4, 0.3, 1.0
CRANK, PLATFORM, LOAD, RUBS = 0.5, 2.0, 1.5, 0.6
"""Masses of a crank, of the platform and of what lies on it, and friction of each joint [N m]."""
STICKS, SLIPS = 1.5, 0.0
ROD = ar.Capsule(0.02, LENGTH, mass=CRANK, placement=(0, 0, LENGTH / 2))


def swing():
    """A platform on two cranks, tied by a loop, with a box on it, that tips over up to a limit."""
    board = ar.Box((1.2, 0.3, 0.04), mass=PLATFORM, placement=(0.25, 0, 0.02))
    model = ar.Model([
        ar.Body("left", ar.Revolute("y"), shapes=[ROD]),
        ar.Body("right", ar.Revolute("y"), placement=(0.5, 0, 0), shapes=[ROD], upper=HELD),
        ar.Body("platform", ar.Revolute("y"), "left", (0, 0, LENGTH), shapes=[board]),
        ar.Body("load", ar.Free(), shapes=[ar.Box((0.2, 0.2, 0.1), mass=LOAD)]),
    ])  # fmt: skip
    pin = ar.constraints.Loop(
        ("platform", (0.5, 0, 0)), ("right", (0, 0, LENGTH)), ar.Revolute("y")
    )
    scene = ar.Scene(model, [
        pin, ar.contacts.Links([("platform", "load")], name="links"),
        ar.contacts.DryFriction(("left", "right", "platform"), RUBS),
    ])  # fmt: skip
    q = model.neutral()
    for name, angle in (("left", START), ("right", START), ("platform", -START)):
        q[model.slice_q(name)] = angle
    q[model.slice_q("load")][:3] = (
        0.25 + LENGTH * np.sin(START), 0.0, LENGTH * np.cos(START) + 0.09
    )  # fmt: skip
    return scene, q


def turned(sticks, duration, h=1e-3):
    """The angle of the cranks, by Lagrange's equation of this only coordinate.

    A load that sticks goes where the platform goes; one that slips only up and down.
    """
    crank = ar.Model([ar.Body("crank", ar.Revolute("y"), shapes=[ROD])]).mass_matrix([0.0])[0, 0]
    weight = (CRANK + PLATFORM + LOAD) * G * LENGTH
    own, load = 2.0 * crank + PLATFORM * LENGTH**2, LOAD * LENGTH**2

    def rate(x):
        sin, cos = np.sin(x[0]), np.cos(x[0])
        inertia = own + load * (1.0 if sticks else sin * sin)
        bend = 0.0 if sticks else load * sin * cos * x[1] ** 2
        return np.array([x[1], (weight * sin - 3.0 * RUBS - bend) / inertia])

    x = np.array([START, 0.0])
    for _ in range(round(duration / h)):
        a = rate(x)
        b = rate(x + 0.5 * h * a)
        c = rate(x + 0.5 * h * b)
        x = x + h / 6.0 * (a + 2.0 * b + 2.0 * c + rate(x + h * c))
    return x[0]


def test_a_platform_tips_with_what_lies_on_it():
    """It turns as it should, all joints alike; and all rests where the limit is."""
    scene, q = swing()
    model = scene.model
    run = ar.simulate(scene, 0.8, 1e-3, q=q, parameters={"links.friction": [STICKS, SLIPS]})
    left, right, platform = (
        run.q[..., model.slice_q(name)][..., 0] for name in ("left", "right", "platform")
    )
    np.testing.assert_allclose(right, left, atol=1e-6)
    np.testing.assert_allclose(platform, -left, atol=1e-6)
    load = run["load"].position - run["load"].position[:, :1]
    for k in (100, 200, 300):
        angle = turned(True, 1e-3 * k), turned(False, 1e-3 * k)
        np.testing.assert_allclose(
            left[0, k], angle[0], atol=5e-5
        )  # of the first order, as rolling
        np.testing.assert_allclose(left[1, k], angle[1], atol=2e-6)
        along = LENGTH * (np.sin(angle[0]) - np.sin(START))
        np.testing.assert_allclose(load[:, k, 0], [along, 0.0], atol=5e-5)
    np.testing.assert_allclose(right[:, -1], HELD, atol=1e-6)
    assert right.max() < HELD + 1e-6 and np.abs(run.qd[:, -1]).max() < 1e-5
    weight = np.tile([0.0, 0.0, LOAD * G], (2, 1))
    np.testing.assert_allclose(run.contacts.on("load")[:, -1], weight, atol=1e-6)
