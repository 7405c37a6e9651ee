"""What rests stays, and what rigid friction has no answer to is solved.

Run as a program, the long forms: a minute of a stack, 10^5 steps on a slope.
"""

import itertools

import numpy as np

import arthron as ar

STEP = 1e-3
BOXES = 10
MU = 0.5


def stack(duration):
    """How far boxes, started a millimetre apart, go after half a second [m]."""
    floor = ar.Body("floor", ar.Fixed(), shapes=[ar.Plane()])
    shape = ar.Box((0.2, 0.2, 0.1), mass=1.0)
    names = [f"b{k}" for k in range(BOXES)]
    model = ar.Model([floor, *(ar.Body(name, ar.Free(), shapes=[shape]) for name in names)])
    pairs = [("floor", "b0"), *itertools.pairwise(names)]
    scene = ar.Scene(model, [ar.contacts.Links(pairs=pairs, friction=MU)])
    q, rng = model.neutral(), np.random.default_rng(0)
    for k, name in enumerate(names):
        q[model.slice_q(name)][:3] = *rng.uniform(-0.01, 0.01, 2), 0.05 + 0.101 * k + 1e-3
    run = ar.simulate(scene, duration, step=STEP, q=q, keep_every=10)
    places = run.q.reshape(len(run.t), BOXES, 7)[..., :3]
    return np.linalg.norm(places[-1] - places[50], axis=-1).max()


def creep(steps):
    """How far a block on a slope of 0.99 of its friction goes [m]."""
    box = ar.Body("box", ar.Free(), shapes=[ar.Box((0.4, 0.3, 0.2), mass=2.0)])
    angle = np.arctan(0.99 * MU)
    model = ar.Model([box], gravity=(9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle)))
    q = model.neutral()
    q[2] = 0.1
    scene = ar.Scene(model, [ar.contacts.Ground(friction=MU)])
    run = ar.simulate(scene, steps * STEP, step=STEP, q=q, keep_every=100)
    return np.linalg.norm(run.q[-1, :3] - q[:3])


def test_a_stack_stands():
    assert stack(2.0) < 1e-3


def test_a_block_on_a_slope_is_held():
    assert creep(10_000) < 1e-5  # a tenth of what 10^5 steps may


def test_painleve():
    """A rod that slides with its foot ahead and too much friction: rigid, it has no solution."""
    rod = ar.Body("rod", ar.Free(), shapes=[ar.Capsule(0.01, 1.0, mass=1.0)])
    model = ar.Model([rod])
    scene = ar.Scene(model, [ar.contacts.Ground(friction=0.5)])
    lean, mu = (x.ravel() for x in np.meshgrid(np.linspace(-1.2, 1.2, 25), [1.0, 1.5, 2.0, 4.0]))
    q, qd = np.tile(model.neutral(), (len(mu), 1)), np.zeros((len(mu), 6))
    q[:, 3], q[:, 5] = np.cos(0.5 * lean), np.sin(0.5 * lean)
    q[:, 2] = 0.5 * np.cos(lean) + 0.01
    qd[:, 3], qd[:, 5] = 3.0 * np.cos(lean), 3.0 * np.sin(lean)  # along x, in axes of the rod
    run = ar.simulate(
        scene, 0.3, step=STEP, q=q, qd=qd, parameters={"Ground.friction": mu}
    )  # fmt: skip
    assert np.isfinite(run.q).all() and np.isfinite(run.contacts.force).all()
    assert run.contacts.iterations.max() < 200  # solved, not given up
    assert run.residual.max() < 1e-9 * np.abs(run.contacts.force).max()
    assert run.contacts.penetration.max() < 1e-3
    assert run.kinetic.max() < run.energy[:, 0].max() + 1e-3


if __name__ == "__main__":
    for name, found, most in (("stack", stack(60.0), 1e-3), ("slope", creep(100_000), 1e-4)):
        print(f"{name}: {found:.1e} m, at most {most:.0e}")
        assert found < most, name
