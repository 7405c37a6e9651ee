"""Friction against rolling and turning, by closed forms, on the ground and on links."""

import numpy as np
import pytest

import arthron as ar

G, RADIUS = 9.81, 0.1
BALL = ar.Body("ball", ar.Free(), shapes=[ar.Sphere(RADIUS, mass=2.0)])
FLOOR = ar.Body("floor", ar.Fixed(), shapes=[ar.Plane()])


def rolling(kind, slope=0.0, **given):
    """A ball that rests on a floor, and the scene."""
    down = (G * np.sin(slope), 0.0, -G * np.cos(slope))
    bodies = [BALL] if kind == "ground" else [FLOOR, BALL]
    model = ar.Model(bodies, gravity=down)
    touch = ar.contacts.Ground if kind == "ground" else ar.contacts.Links
    q = model.neutral()
    q[2] = RADIUS
    return model, ar.Scene(model, [touch(friction=0.9, **given)]), q


@pytest.mark.parametrize("how", ["leapfrog", "semi-implicit Euler", "implicit Euler"])
@pytest.mark.parametrize("kind", ["ground", "links"])
def test_a_ball_slows_down(kind, how):
    """It rolls with (5/7) g c / r less and less, and stands then."""
    arm, v = 0.004, 0.5
    _, scene, q = rolling(kind, rolling_friction=arm)
    qd = [0.0, v / RADIUS, 0.0, v, 0.0, 0.0]
    run = ar.simulate(scene, 3.0, 1e-3, q=q, qd=qd, integrator=how)
    slower = 5.0 / 7.0 * G * arm / RADIUS
    speed = run["ball"].velocity[:, 0]
    exact = 1e-4 if how == "leapfrog" else 5e-3  # Euler's steps of what turns gain some speed
    np.testing.assert_allclose(speed[500] - speed[1000], 0.5 * slower, rtol=exact)
    np.testing.assert_allclose(run.q[-1, 0], v * v / (2.0 * slower), rtol=max(2e-3, 10.0 * exact))
    assert np.abs(run.qd[-1]).max() < 1e-6
    assert np.diff(run.energy).max() < 1e-6


@pytest.mark.parametrize("kind", ["ground", "links"])
def test_a_ball_that_spins_slows_down(kind):
    arm, w = 0.003, 4.0
    model, scene, q = rolling(kind, torsional_friction=arm)
    run = ar.simulate(scene, 1.0, 1e-3, q=q, qd=[0.0, 0.0, w, 0.0, 0.0, 0.0])
    slower = model.mass * G * arm / (0.4 * model.mass * RADIUS**2)
    rate = run.qd[:, 2]
    np.testing.assert_allclose(rate[10] - rate[40], 0.03 * slower, rtol=1e-6)
    assert np.abs(rate[int(1000 * w / slower) + 5 :]).max() < 1e-3


def test_a_ball_stays_on_a_slope_that_is_not_steep():
    """tan(angle) < c / r, and rolls where it is more."""
    arm = 0.01
    for part, stays in ((0.98, True), (1.02, False)):
        _, scene, q = rolling("ground", np.arctan(part * arm / RADIUS), rolling_friction=arm)
        run = ar.simulate(scene, 1.0, 1e-3, q=q)
        assert (abs(run.q[-1, 0]) < 1e-4) == stays


def test_without_it_a_ball_goes_on():
    _, scene, q = rolling("ground")
    run = ar.simulate(scene, 1.0, 1e-3, q=q, qd=[0.0, 5.0, 1.0, 0.5, 0.0, 0.0])
    np.testing.assert_allclose(run["ball"].velocity[-1, 0], 0.5, rtol=1e-6)


def test_a_belt_takes_crates_along_and_leaves_what_they_carry():
    belt = ar.Body("belt", ar.Fixed(), shapes=[ar.Box((4.0, 1.0, 0.2), placement=(0, 0, -0.1))])
    crates = [
        ar.Body(f"crate{k}", ar.Free(), shapes=[ar.Box((0.2, 0.2, 0.1), mass=1.0)])
        for k in range(2)
    ]
    model = ar.Model([belt, *crates])
    q = model.neutral()
    q[[2, 9]] = 0.05, 0.15
    links = ar.contacts.Links(friction=0.5, velocity=(0.3, 0.0, 0.0))
    run = ar.simulate(ar.Scene(model, [links]), 1.0, 1e-3, q=q)
    for name in ("crate0", "crate1"):
        np.testing.assert_allclose(run[name].velocity[-1], [0.3, 0.0, 0.0], atol=1e-5)


def test_bad_numbers_meet_a_sentence():
    for touch in (ar.contacts.Ground, ar.contacts.Links):
        with pytest.raises(ar.ModelError, match="rolling_friction"):
            touch(rolling_friction=-0.1)
        for bad in ("fast", 0.3, (1.0, 0.0)):
            with pytest.raises(ar.ModelError, match="velocity"):
                touch(velocity=bad)
        with pytest.raises(ar.ModelError, match="rolling_friction"):
            touch(rolling_friction=(0.1, 0.2))


@pytest.mark.parametrize("first", ["floor", "wall"])
def test_each_ground_has_its_own_load(first):
    """A ball between floor and wall turns against the friction of the floor alone."""
    model = ar.Model([BALL], gravity=(G, 0.0, -G))
    q = model.neutral()
    q[2] = RADIUS
    grounds = [
        ar.contacts.Ground(friction=0.0, torsional_friction=0.01, name="floor"),
        ar.contacts.Ground(friction=0.0, normal=(-1, 0, 0), height=-RADIUS, name="wall"),
    ]
    grounds = grounds if first == "floor" else grounds[::-1]
    run = ar.simulate(ar.Scene(model, grounds), 0.1, 1e-3, q=q, qd=[0.0, 0.0, 20.0, 0.0, 0.0, 0.0])
    slower = G * 0.01 / (0.4 * RADIUS**2)
    np.testing.assert_allclose(run.qd[10, 2] - run.qd[60, 2], 0.05 * slower, rtol=1e-6)


def test_what_cannot_turn_slides():
    cart = ar.Model([
        ar.Body("lift", ar.Prismatic("z")),
        ar.Body("cart", ar.Prismatic("x"), "lift", shapes=[ar.Sphere(RADIUS, mass=2.0)]),
    ])  # fmt: skip
    scene = ar.Scene(cart, [ar.contacts.Ground(friction=0.1, rolling_friction=0.01)])
    run = ar.simulate(scene, 0.2, 1e-3, q=[RADIUS, 0.0], qd=[0.0, 1.0])
    np.testing.assert_allclose(run.qd[-1, 1], 1.0 - 0.1 * G * 0.2, rtol=1e-3)
    assert run.contacts.iterations.max() < 5
