"""What constraints cost: limits of joints, and loops beside MuJoCo's, on one thread.

MuJoCo closes loops by `connect` with its own defaults (soft rows, Newton's method), ours are
`ar.constraints.Loop` by a ball; both take semi-implicit steps of a millisecond.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable

import mujoco
import numpy as np
from mjcf import Acts, mjcf
from mujoco import rollout
from spine import FIGURES, ROBOTS, best

import arthron as ar

STEP, BARS = 1e-3, {1: 4.0, 256: 12.0}
COST = 0.3
"""Part of a step that limits may cost."""


def cells(n: int) -> tuple[ar.Model, list[tuple]]:
    """A chain of links, each of which carries a four-bar that carries the next, and their pins."""
    bar = [ar.Capsule(0.02, 0.2, mass=0.5, placement=(0.02, 0.01, -0.1))]
    bodies, pins, parent, place = [], [], None, (0.0, 0.0, 0.0)
    for k in range(n):
        a, b, t, s = (f"{name}{k}" for name in "abts")
        bodies += [
            ar.Body(a, ar.Revolute("y"), parent, place, shapes=bar),
            ar.Body(b, ar.Revolute("y"), a, (0, 0, -0.2), shapes=bar),
            ar.Body(t, ar.Revolute("y"), b, (0, 0, -0.3), shapes=bar),
            ar.Body(s, ar.Revolute("y"), a, (0.3, 0, -0.2), shapes=bar),
        ]
        pins.append(((t, (0.3, 0.0, 0.0)), (s, (0.0, 0.0, -0.4))))
        parent, place = t, (0.15, 0.0, 0.0)
    return ar.Model(bodies, name=f"{n} loops"), pins


def stewart() -> tuple[ar.Model, list[tuple]]:
    """A platform on six legs that slide, universal joints below and balls above."""
    ring = [(math.cos(x), math.sin(x)) for x in (0.1, 1.9, 2.2, 4.0, 4.3, 6.1)]
    part = [ar.Box((0.2, 0.1, 0.15), mass=0.8, placement=(0.1, 0.03, -0.02))]
    bodies, pins = [ar.Body("top", ar.Free(), shapes=part)], []
    for k, (x, y) in enumerate(ring):
        a, b = f"shank {k}", f"leg {k}"
        foot, top = (0.8 * x, 0.8 * y, 0.0), (*(0.5 * r for r in ring[k - 1]), 0.0)
        bodies += [
            ar.Body(a, ar.Universal("x", "y"), None, foot, shapes=part),
            ar.Body(b, ar.Prismatic("z"), a, shapes=part),
        ]
        pins.append(((b, (0.0, 0.0, 1.0)), ("top", top)))
    return ar.Model(bodies, name="Stewart"), pins


def off(model: ar.Model, pins: list[tuple], q) -> float:
    gaps = [
        model.frame_pose(q, one) @ [*x, 1.0] - model.frame_pose(q, two) @ [*y, 1.0]
        for (one, x), (two, y) in pins
    ]
    return float(np.abs(gaps).max())


def loops(model: ar.Model, pins: list[tuple], rows: int, steps: int, **start) -> None:
    """One figure with loops, ours and theirs."""
    scene = ar.Scene(model, [ar.constraints.Loop(*pair, ar.Spherical()) for pair in pins])
    q = np.tile(scene.assemble(start)["q"], (rows, 1))

    def ours():
        return ar.simulate(scene, steps * STEP, STEP, integrator="semi-implicit Euler", q=q,
                           keep_every=steps, progress=False)  # fmt: skip

    m = mujoco.MjModel.from_xml_string(mjcf(model, STEP, "Euler", Acts(pins=pins)))
    d, mine = mujoco.MjData(m), rollout.Rollout(nthread=0)
    size = mujoco.mj_stateSize(m, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros((rows, size))
    start[:, 1 : 1 + m.nq] = q

    def theirs():
        return mine.rollout(m, [d], initial_state=start, nstep=steps)[0]

    errors = off(model, pins, ours().q[0, -1]), off(model, pins, theirs()[0, -1, 1 : 1 + m.nq])
    one, two = (best(call, 1.0) / rows / steps for call in (ours, theirs))
    met = "" if two / one >= BARS[rows] else "  MISSED"
    print(f"{model.name:10}{rows:5} at once{1e6 * one:10.3f}{1e6 * two:10.3f}{two / one:8.1f}"
          f"{BARS[rows]:6}{met:8}   off by {errors[0]:.1e}, {errors[1]:.1e}")  # fmt: skip


def limits(name: str, model: ar.Model, integrator: str, rows: int) -> None:
    """A step with limits, away from them and with all of them pushing, beside one without."""
    limited = np.isfinite(model.q_lower)
    low, high = (np.where(limited, x, 0.0) for x in (model.q_lower, model.q_upper))
    middle = np.where(limited, 0.5 * (low + high), model.neutral())
    still = model.replace(gravity=(0, 0, 0))
    steps = max(20, 8000 // (3 + rows))
    calls = []
    for away, held in ((True, False), (True, True), (False, False), (False, True)):
        q = middle if away else np.where(limited, high, middle)
        hold = ar.controllers.pd(q if away else q + 0.5 * limited, 50.0, 5.0)
        scene, start = ar.Scene(still, controller=hold, limits=held), np.tile(q, (rows, 1))
        for n in (1, steps):
            calls.append(lambda scene=scene, q=start, n=n: ar.simulate(
                scene, n * STEP, STEP, integrator=integrator, q=q, keep_every=n, progress=False
            ))  # fmt: skip
    found = np.array([[timed(call) for call in calls] for _ in range(61)])[1:].min(0)
    times = (found[1::2] - found[::2]) / (steps - 1) / rows
    away, pushed = times[1] / times[0] - 1.0, times[3] / times[2] - 1.0
    met = "" if max(away, pushed) <= COST else "  MISSED"
    print(f"{name:10}{integrator:21}{rows:4} at once" + "".join(f"{1e6 * t:8.3f}" for t in times)
          + f"{100 * away:7.0f} %{100 * pushed:6.0f} %{met}", flush=True)  # fmt: skip


def timed(call: Callable) -> float:
    """Seconds that a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print("limits [us a step]: without and with, away from them; without and with, all pushing")
    for name, model in (
        ("humanoid", ar.load(ar.figures / "humanoid.urdf", root=ar.Free())),
        ("panda", ar.load(ROBOTS / FIGURES["panda"][0])),
    ):
        for integrator in ("leapfrog", "semi-implicit Euler", "implicit Euler"):
            for rows in (1, 256):
                limits(name, model, integrator, rows)
    print(f"\nMuJoCo {mujoco.__version__} [us a step]: ours, theirs, ratio, bar")
    for rows, steps in ((1, 2000), (256, 200)):
        loops(*cells(1), rows, steps, a0=0.5)
        loops(*cells(20), rows, steps, a0=0.5)
        loops(*stewart(), rows, steps, top=(0.1, 0.05, 1.1, 1.0, 0.1, 0.0, 0.05))


if __name__ == "__main__":
    main()
