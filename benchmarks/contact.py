"""What contact costs: a person on the ground beside MuJoCo, on one thread, with what is left over.

Both have the same bodies, no limits, eight points under the feet, and steps of a millisecond.
MuJoCo's points are balls of no size, with elliptic cones and its own defaults else; ours are the
boxes of the feet, and then all shapes. Times are of whole runs, alone and by the batch.
"""

from __future__ import annotations

import os
import time

import mujoco
import numpy as np
from mjcf import Acts, mjcf
from mujoco import rollout

import arthron as ar

STEP, STEPS, BATCH = 1e-3, 1000, 64
FEET = ("left_foot", "right_foot")


def best(run, times: int = 5) -> float:
    """The shortest time of several [s]."""
    run()
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def standing(model: ar.Model) -> np.ndarray:
    """The neutral pose, soles 2 cm above the ground."""
    q = model.neutral()
    q[2] += 0.02 - model.frame_pose(q, "left_sole")[2, 3]
    return q


def ours(model: ar.Model, q: np.ndarray, **options) -> None:
    """Our times of a step, and what contact leaves over."""
    scene = ar.Scene(model, [ar.contacts.Ground(**options)], limits=False)
    many = np.tile(q, (BATCH, 1))
    settings = dict(duration=STEP * STEPS, step=STEP)
    run = ar.simulate(scene, q=q, **settings)
    alone = best(lambda: ar.simulate(scene, q=q, keep_every=STEPS, **settings)) / STEPS
    batch = best(lambda: ar.simulate(scene, q=many, keep_every=STEPS, **settings))
    ops = ar.compile(ar.step(scene), model).op_count
    passes = run.contacts.iterations
    print(
        f"arthron, {len(run.contacts.links)} points: {alone * 1e6:.1f} µs a step alone, "
        f"{batch / STEPS / BATCH * 1e6:.2f} µs of {BATCH}; {ops} operations, passes "
        f"{passes[passes > 0].mean():.1f} on average and {passes.max():.0f} at most; overlap "
        f"{run.contacts.penetration.max() * 1e3:.3f} mm, left over {run.residual.max():.1e} N m"
    )


def theirs(model: ar.Model, q: np.ndarray) -> None:
    """MuJoCo's times, and how deep feet sink in."""
    corners = [(x, y, -0.08) for x in (-0.075, 0.175) for y in (-0.05, 0.05)]
    tips = [(foot, corner) for foot in FEET for corner in corners]
    them = mujoco.MjModel.from_xml_string(mjcf(model, STEP, "Euler", Acts(tips=tips)))
    them.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    data = mujoco.MjData(them)
    data.qpos[:] = q
    start = np.empty(mujoco.mj_stateSize(them, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(them, data, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    alone = best(lambda: rollout.rollout(them, data, start, nstep=STEPS)) / STEPS
    deepest = 0.0
    for _ in range(STEPS):
        mujoco.mj_step(them, data)
        deepest = min([deepest, *(contact.dist for contact in data.contact)])
    print(f"MuJoCo, 8 points: {alone * 1e6:.1f} µs a step; overlap {-deepest * 1e3:.3f} mm")


def main() -> None:
    """All of it."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    q = standing(model)
    ours(model, q, of=FEET)
    ours(model, q)
    theirs(model, q)


if __name__ == "__main__":
    main()
