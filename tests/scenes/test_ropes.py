"""Ropes: a fall while they are slack, a rod while they are taut, and they pull only then."""

import functools

import numpy as np
import pytest

import arthron as ar
from arthron.constraints import Distance, Rope

LENGTH, MASS, G = 0.8, 2.0, 9.81
ENDS = ("bob", (0.0, 0.0, 0.0)), (None, (0.1, 0.2, 1.5))
BOB = ar.Model(
    [ar.Body("bob", ar.Translational(), shapes=[ar.Sphere(0.1, mass=MASS)])], name="pendulum"
)


@functools.cache
def scene(kind, length=LENGTH):
    return ar.Scene(BOB, [kind(*ENDS, length, name="line")])


def at(angle, far=LENGTH):
    """Places of the bob, so far from where the rope is tied."""
    return np.array(ENDS[1][1]) + far * np.array([0.6 * np.sin(angle), 0.8 * np.sin(angle),
                                                   -np.cos(angle)])  # fmt: skip


def far(run):
    return np.linalg.norm(run.q - ENDS[1][1], axis=-1)


NEAR = {"leapfrog": 1e-5, "semi-implicit Euler": 1e-12, "Runge-Kutta": 1e-8, "maximal": 1e-12}


@pytest.mark.parametrize("integrator", NEAR)
def test_a_taut_rope_is_a_rod(integrator):
    """A pendulum below its hook: as with a distance, and with the tension of the book."""
    more = {"integrator": integrator, "q": at(1.2), "progress": False}
    rope, rod = (ar.simulate(scene(kind), 1.0, 1e-3, **more) for kind in (Rope, Distance))
    np.testing.assert_allclose(rope.q, rod.q, atol=NEAR[integrator])
    np.testing.assert_allclose(far(rope), LENGTH, atol=1e-5)
    tension, down = rope.multipliers["line"][1:, 0], (ENDS[1][1][2] - rope.q[1:, 2]) / LENGTH
    expected = MASS * (G * down + (rope.qd[1:] ** 2).sum(-1) / LENGTH)
    np.testing.assert_allclose(tension, expected, atol=0.1)
    assert tension.min() > 5.0 and np.ptp(tension) > 20.0


def test_a_slack_rope_is_not_there():
    """A throw, to the last digit, until the rope is taut; then it is, and stays so."""
    start, speed = at(0.5, 0.3), np.array([0.5, -0.4, 1.0])
    run = ar.simulate(scene(Rope), 1.0, 1e-3, q=start, qd=speed, progress=False)
    t = run.t[:, None]
    fall = start + speed * t - [0, 0, 0.5 * G] * t**2
    taut = int(np.argmax(np.linalg.norm(fall - ENDS[1][1], axis=-1) > LENGTH))
    assert 100 < taut < 900
    np.testing.assert_allclose(run.q[: taut - 1], fall[: taut - 1], atol=1e-12)
    pull = run.multipliers["line"][:, 0]
    assert (pull[: taut - 1] == 0.0).all() and (pull[taut + 5 :] > 0.0).all()
    assert far(run).max() < LENGTH + 1e-5 and far(run)[-1] > LENGTH - 1e-5


def test_a_rope_without_a_length_is_taut_at_the_start():
    run = ar.simulate(scene(Rope, None), 0.2, 1e-3, q=at(0.8, 0.7), progress=False)
    np.testing.assert_allclose(run.parameters["line.length"], 0.7, atol=1e-12)
    np.testing.assert_allclose(far(run), 0.7, atol=1e-5)


def test_mistakes_with_ropes_are_told_by_name():
    with pytest.warns(ar.SimulationWarning, match=r"the Rope 'line' is -0\.2 at the start"):
        ar.simulate(scene(Rope), 0.01, 1e-3, q=at(0.8, 1.0), progress=False)
    with pytest.raises(ar.ModelError, match=r"Rope 'line' .*keeps nothing at zero"):
        ar.ik.solve(BOB, [ar.ik.Closed(scene(Rope).elements[0])])
    with pytest.raises(ar.SimulationError, match="there is the Rope 'line'"):
        ar.simulate(scene(Rope), 0.01, 1e-3, integrator="BDF2", progress=False)


LINK = [ar.Box((0.5, 0.1, 0.1), mass=1.0, placement=(0.25, 0, 0))]
STRAIGHT = ar.Model([
    ar.Body("one", ar.Revolute("y"), shapes=LINK),
    ar.Body("two", ar.Revolute("y"), "one", (0.5, 0, 0), shapes=LINK),
], name="straight")  # fmt: skip


@pytest.mark.parametrize("integrator", ["leapfrog", "implicit Euler", "Runge-Kutta", "maximal"])
def test_a_slack_rope_without_a_direction_is_not_there(integrator):
    """Its ends meet, or it runs along an arm that is straight: no coordinate changes its length."""
    for model, link, length in ((BOB, "bob", 1.0), (STRAIGHT, ("two", (0.5, 0, 0)), 50.0)):
        rope = Rope(link, (None, (0, 0, 0)), length, name="leash")
        slack, free = (
            ar.simulate(ar.Scene(model, x), 0.1, 1e-3, integrator=integrator, progress=False)
            for x in ([rope], [])
        )
        np.testing.assert_allclose(slack.q, free.q, atol=1e-9)
        assert not slack.multipliers["leash"].any() and np.abs(slack.qd).max() > 0.5
