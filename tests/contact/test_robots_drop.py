"""Robots that are held by springs and dropped on the ground land, and come to rest.

As a script, `make soak`: every robot of example-robot-data, or those whose paths have a given word.
"""

import sys
import sysconfig
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import arthron as ar
from arthron._collision.pairs import contacts
from arthron._spatial.transform import Transform
from arthron._spatial.vectors import Mat3, Vec3

ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
SOME = (
    "borinot_description/urdf/borinot_flying_arm_2.urdf",
    "iris_description/robots/iris_simple.urdf",
    "quadruped_description/urdf/quadruped.urdf",
)
REFUSED = {"falcon.urdf", "ur3.urdf"}
"""Files that are no robots: a joint whose link is missing, and nothing at all."""
LATER = {
    "double_pendulum_simple": 250.0, "finger_edu": 80.0,  # rock from edge to edge
    "ur3_robot": 9.0, "ur3_joint_limited_robot": 9.0, "ur3_gripper": 9.0,  # roll on a rim
    "bravo7_gripper": 6.0,  # stands on its gripper first, and tumbles
    "g1_29dof_rev_1_0": 6.0, "g1_29dof_with_hand_rev_1_0": 6.0,  # sway on soft ankles
    "talos_reduced": 8.0, "talos_reduced_corrected": 8.0, "talos_reduced_box": 8.0,
}  # fmt: skip
"""Robots that still move after five seconds, and by when they are at rest (contact-robots.md)."""
STIFFNESS, DAMPING = 8.0, 0.8
"""Of all joints, per kilogram of the robot."""
HEIGHT = 0.1


class Drop(NamedTuple):
    """What came of a robot.

    Attributes:
        model: the robot.
        points: places for points of contact that were ever in use.
        deepest: the deepest overlap [m].
        speed: of the fastest origin of a link at the end [m/s].
        gain: how far energy rose above its start, per energy of the fall to the ground.
        step: seconds of a step, of this process alone.
        compiling: seconds until steps were ready.
    """

    model: ar.Model
    points: int
    deepest: float
    speed: float
    gain: float
    step: float
    compiling: float

    def check(self):
        assert self.deepest < 5e-3, self.deepest
        assert self.gain < 1e-3, self.gain
        assert self.speed < 1e-3, self.speed


def lowest(model, q):
    """The lowest point of all shapes that collide."""
    heights = []
    for body in model.links:
        T = model.frame_pose(q, body.name) if body.collision else None
        for shape in body.collision or ():
            E = Mat3(*(Vec3(*T[:3, k]) for k in range(3)))
            X = shape.placement @ Transform(E, Vec3(*T[:3, 3]))
            heights += [x.gap for x in contacts(shape, X, ar.Plane(), Transform())]
    return float(min(heights))


def drop(path, duration=5.0):
    """Some seconds with default settings; all numbers are finite."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of files
        model = ar.load(path, root=ar.Free())
    q = np.clip(model.neutral(), model.q_lower, model.q_upper)
    q[2] += HEIGHT - lowest(model, q)
    k, d = STIFFNESS * model.mass, DAMPING * model.mass
    hold = ar.controllers.pd(q, k, d)
    scene = ar.Scene(model, [ar.contacts.Ground()], controller=hold)
    begin = time.perf_counter()
    ar.simulate(scene, 2e-3, 1e-3, q=q, progress=False)
    compiling = time.perf_counter() - begin
    ready = time.process_time()
    run = ar.simulate(scene, duration, 1e-3, q=q, progress=False)
    stepping = time.process_time() - ready
    assert not run.failures and np.isfinite(run.q).all(), run.failures
    assert np.isfinite(run.qd).all() and np.isfinite(run.contacts.force).all()
    bent = model.difference(q, run.q)[:, 6:]
    energy = run.energy + 0.5 * k * (bent**2).sum(-1)
    fall = model.mass * np.linalg.norm(model.gravity) * HEIGHT
    speed = max(np.linalg.norm(model.frame_velocity(run.q[-1], run.qd[-1], name)[3:])
                for name in model.frame_names)  # fmt: skip
    return run, Drop(
        model, len(run.contacts.links), run.contacts.penetration.max(), speed,
        (energy.max() - energy[0]) / fall, stepping / (len(run.t) - 1), compiling,
    )  # fmt: skip


@pytest.mark.parametrize("name", SOME)
def test_a_robot_lands_and_rests(name):
    run, found = drop(ROBOTS / name)
    found.check()
    weight = found.model.mass * np.array([0.0, 0.0, 9.81])
    np.testing.assert_allclose(run.contacts.force[-1].sum(0), weight, atol=1e-3 * weight[2])


def test_springs_push_no_floating_root():
    model = ar.load(ROBOTS / SOME[-1], root=ar.Free())
    target = model.integrate(model.neutral(), np.full(model.nv, 0.1))
    scene = ar.Scene(model, controller=ar.controllers.pd(target, 8.0, 0.8))
    pushed = ar.simulate(scene, 0.01, 1e-3, progress=False).acted(scene)["the controller"]
    assert not pushed[..., :6].any() and pushed[..., 6:].all()


if __name__ == "__main__":  # `make soak`
    files = (p for p in sorted(ROBOTS.rglob("*.urdf")) if p.name not in REFUSED)
    failed = []
    print("| robot | DoF | points | penetration mm | speed mm/s | energy | step µs | ready s |")
    for file in files:
        if sys.argv[1:] and not any(name in str(file) for name in sys.argv[1:]):
            continue
        who = f"{file.parents[1].stem.removesuffix('_description')} {file.stem}"
        if not any(body.collision for body in ar.load(file).links):
            print(f"{who}: nothing collides", flush=True)
            continue
        try:
            _, x = drop(file)
            print(
                f"| {who} | {x.model.nv} | {x.points} | {1e3 * x.deepest:.3g} | "
                f"{1e3 * x.speed:.2g} | {x.gain:.1e} | {1e6 * x.step:.0f} | {x.compiling:.0f} |",
                flush=True,
            )
            if file.stem in LATER:
                _, x = drop(file, LATER[file.stem])
                print(f"{who}: {1e3 * x.speed:.2g} mm/s after {LATER[file.stem]} s", flush=True)
            x.check()
        except (AssertionError, ar.ArthronError) as error:
            failed.append(who)
            print(f"{who} FAILED: {error!r}", flush=True)
    sys.exit(f"{len(failed)} failed: {failed}" if failed else 0)
