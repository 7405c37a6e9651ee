"""No solution of contact has more kinetic energy than the velocities without contact have.

Run as a program, 20 figures of 50 rows, with links that touch each other.
"""

import numpy as np

import arthron as ar

STEP = 1e-3
STEPS = 20
EULER = "semi-implicit Euler"  # whose velocities contact changes at the pose before a step
ROUND = 1e-12
TOTAL = 1e-3
"""What total energy may gain by contact in 0.2 s of leapfrog, beside kinetic energy: overlaps come
apart, and steps are of the second order."""


def figure(rng, boxes):
    """Boxes one above the other, an arm on the last, and a ball at their side; with velocities."""
    sides = rng.uniform(0.1, 0.4, (boxes, 3))
    mass = 10.0 ** rng.uniform(-1.0, 1.0, boxes + 3)
    names = [f"box{k}" for k in range(boxes)]
    arms = (ar.Revolute(tuple(rng.normal(size=3))), ar.Spherical(), ar.Universal("x", "y"))
    rod = ar.Capsule(0.03, 0.3, placement=(0.0, 0.0, 0.15), mass=mass[0])
    place = (0.5 * sides[-1, 0], 0.0, 0.0)
    return ar.Model([
        *(ar.Body(name, ar.Free(), shapes=[ar.Box(tuple(side), mass=m)])
          for name, side, m in zip(names, sides, mass[3:], strict=True)),
        ar.Body("upper", arms[rng.integers(3)], names[-1], place, shapes=[rod]),
        ar.Body("lower", ar.Revolute("x"), "upper", (0.0, 0.0, 0.3), shapes=[rod]),
        ar.Body("ball", ar.Free(), shapes=[ar.Sphere(0.1, mass=mass[2])]),
    ]), sides  # fmt: skip


def starts(rng, model, sides, rows):
    """Poses in which boxes and ball may meet within a step or two, and velocities."""
    q, qd = np.tile(model.neutral(), (rows, 1)), rng.normal(size=(rows, model.nv))
    top = np.zeros(rows)
    for k, side in enumerate(sides):
        own = q[:, model.slice_q(f"box{k}")]
        top += rng.uniform(0.0, 2.0 * STEP, rows)
        own[:, :2], own[:, 2] = 0.02 * rng.normal(size=(rows, 2)), top + 0.5 * side[2]
        top += side[2]
    beside = 0.5 * sides[0, 0] + 0.13
    q[:, model.slice_q("ball")][:, :3] = beside, 0.0, 0.1 + 0.5 * STEP
    return q, qd


def gains(seed, boxes, rows, links):
    """What steps gain where contact pushes and nothing overlaps, beside what there was."""
    rng = np.random.default_rng(seed)
    model, sides = figure(rng, boxes)
    q, qd = starts(rng, model, sides, rows)
    e, mu = rng.uniform(0.0, 1.0, rows), rng.uniform(0.0, 1.5, rows)
    e[::5], e[1::5] = 0.0, 1.0
    elements = [ar.contacts.Ground(restitution=0.5, name="ground")]
    given = {"ground.restitution": e, "ground.friction": mu}
    if links:
        elements.append(ar.contacts.Links(restitution=0.5, name="links"))
        given |= {"links.restitution": e, "links.friction": mu}
    run = ar.simulate(ar.Scene(model, elements), STEPS * STEP, STEP, q=q, qd=qd, integrator=EULER,
                      parameters=given, progress=False)  # fmt: skip
    q, qd = run.q[:, :-1].reshape(-1, model.nq), run.qd[:, :-1].reshape(-1, model.nv)
    bare = ar.simulate(ar.Scene(model), STEP, STEP, q=q, qd=qd, integrator=EULER, progress=False)
    M, v = model.mass_matrix(q), run.qd[:, 1:].reshape(-1, model.nv)
    before, after = (0.5 * np.einsum("...i,...ij,...j", x, M, x) for x in (bare.qd[:, -1], v))
    pushes = (np.abs(run.contacts.force[:, 1:]) > 0.0).any(-1)
    overlaps = (pushes & (run.contacts.gap[:, 1:] < 0.0)).any(-1)  # which come apart, by design
    seen = (pushes.any(-1) & ~overlaps).ravel()
    return ((after - before) / before)[seen]


def total_gains(seed, boxes, rows, links):
    """What total energy rises above its start, less what it does where nothing touches.

    Beside the kinetic energy of the start. What overlaps at the start is left out.
    """
    rng = np.random.default_rng(seed)
    model, sides = figure(rng, boxes)
    q, qd = starts(rng, model, sides, rows)
    e, mu = rng.uniform(0.0, 1.0, rows), rng.uniform(0.0, 1.5, rows)
    elements = [ar.contacts.Ground(restitution=0.5, name="ground")]
    given = {"ground.restitution": e, "ground.friction": mu}
    if links:
        found = model.distances(q)
        apart = [both for both, gap in zip(found.pairs, found.gap.min(0), strict=True) if gap > 0.0]
        elements.append(ar.contacts.Links(apart, restitution=0.5, name="links"))
        given |= {"links.restitution": e, "links.friction": mu}
    run, bare = (
        ar.simulate(ar.Scene(model, own), 0.2, STEP, q=q, qd=qd, parameters=parameters,
                    progress=False)
        for own, parameters in ((elements, given), ([], None))
    )  # fmt: skip
    assert run.contacts.touching.any((1, 2)).mean() > 0.8
    rises = [x.energy.max(-1) - x.energy[:, 0] for x in (run, bare)]
    return (rises[0] - rises[1]) / run.kinetic[:, 0]


def test_contact_gains_nothing():
    found = gains(0, 1, 50, links=False)
    assert len(found) > 50 and found.max() < ROUND


def test_total_energy_gains_nothing():
    """What bounces, slides and lands with e up to one rises no more than in flight."""
    assert total_gains(0, 1, 50, links=False).max() < ROUND


def test_bouncing_gains_nothing():
    """Boxes that tumble and bounce, with friction: a law of restitution alone would double it."""
    box = ar.Model([ar.Body("box", ar.Free(), shapes=[ar.Box((0.4, 0.3, 0.2), mass=2.0)])])
    scene = ar.Scene(box, [ar.contacts.Ground(friction=0.8, restitution=1.0)])
    rng = np.random.default_rng(0)
    q, turn = np.tile(box.neutral(), (32, 1)), rng.normal(size=(32, 4))
    q[:, 2], q[:, 3:7] = 0.7, turn / np.linalg.norm(turn, axis=1, keepdims=True)
    qd = 3.0 * rng.normal(size=(32, 6))
    run = ar.simulate(scene, 1.0, STEP, q=q, qd=qd)
    gained = (run.energy.max(-1) - run.energy[:, 0]) / run.kinetic[:, 0]
    assert gained.max() < 1e-5
    assert run.kinetic[:, -1].min() > 0.1 * run.kinetic[:, 0].min()  # and they do bounce


if __name__ == "__main__":
    worst, many = -np.inf, 0
    for seed in range(20):
        found = gains(seed, 1 + seed % 3, 50, links=True)
        worst, many = max(worst, found.max()), many + len(found)
        total = total_gains(seed, 1 + seed % 3, 50, links=True)
        print(f"figure {seed}: {len(found)} solutions, at most {found.max():.1e} gained; total "
              f"energy in 0.2 s {total.max():.1e} more than in flight")  # fmt: skip
        assert found.max() < ROUND and total.max() < TOTAL
    print(f"{many} solutions of 1,000 scenes: at most {worst:.1e} of the kinetic energy gained")
