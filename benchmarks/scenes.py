"""Steps in time beside MuJoCo, in one run: `make bench`.

Both simulate the same figure with the same step on one thread, MuJoCo with contact and all extras
off, in its own native rollout. Then the cost of a step by the number of links, and 4096 pandas.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
from mjcf import Acts, mjcf
from mujoco import rollout
from spine import FIGURES, ROBOTS, best

import arthron as ar
from arthron._compile.rollout import Rollout
from arthron._pages.inputs import page_inputs
from arthron._pages.trace import trace

BARS = {"semi-implicit Euler": (8.0, 1.5), "implicit Euler": (5.0, 1.0)}
STEP = 1e-3


def chain(n: int) -> ar.Model:
    """A hanging chain of capsules, hinges about x and y in turn."""
    link = [ar.Capsule(0.02, 0.1, placement=(0, 0, -0.07))]
    return ar.Model(
        [
            ar.Body(
                f"link{i}",
                ar.Revolute("xy"[i % 2]),
                parent=f"link{i - 1}" if i else None,
                placement=(0, 0, -0.14 if i else 0),
                shapes=link,
            )
            for i in range(n)
        ],
        name=f"chain of {n}",
    )


def theirs(model: ar.Model, stiffness: float, integrator: str, rows: int, steps: int) -> Callable:
    m = mujoco.MjModel.from_xml_string(
        mjcf(model, STEP, integrator, Acts(stiffness, 0.02 * stiffness))
    )
    d = mujoco.MjData(m)
    size = mujoco.mj_stateSize(m, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros((rows, size))
    start[:, 1 : 1 + m.nq] = 0.1
    mine = rollout.Rollout(nthread=0)
    return lambda: mine.rollout(m, [d], initial_state=start, nstep=steps)


def ours(model: ar.Model, stiffness: float, name: str, rows: int, steps: int) -> Callable:
    springs = [ar.forces.JointSpring(j, stiffness, 0.02 * stiffness) for j in model.joint_names]
    scene = ar.Scene(model, springs if stiffness else [], limits=False)
    page = ar.step(scene, name)
    inputs = page_inputs(page, model.tree)
    run = Rollout(lambda: trace(page, model.tree, inputs), 3)
    q, qd = np.full((rows, model.nq), 0.1), np.zeros((rows, model.nv))
    given = [q, qd, np.zeros(rows), np.full(1, STEP), page.values[None]]
    return lambda: run(given, steps, steps)


def compare(model: ar.Model, name: str, stiffness: float) -> None:
    integrator = {"semi-implicit Euler": "Euler", "implicit Euler": "implicitfast"}[name]
    for column, (rows, steps) in enumerate([(256, 100), (1, 2000)]):
        calls = (
            ours(model, stiffness, name, rows, steps),
            theirs(model, stiffness, integrator, rows, steps),
        )
        mine, other = (best(call, 1.0) / rows / steps for call in calls)
        bar = BARS[name][column]
        met = "" if other / mine >= bar else "  MISSED"
        kind = f"{rows} at once" if rows > 1 else "one"
        print(
            f"{name:20}{model.name:16}{kind:14}{1e6 * mine:9.3f}{1e6 * other:9.3f}"
            f"{other / mine:8.1f}{bar:6}{met}"
        )


def growth() -> None:
    """Cost of a step against the number of links."""
    print(
        "\ncost of a step by links, semi-implicit Euler and implicit Euler with stiff springs [us]"
    )
    lengths = [10, 30, 100, 300, 1000]
    for name, stiffness in (("semi-implicit Euler", 0.0), ("implicit Euler", 100.0)):
        times = []
        for n in lengths:
            call = ours(chain(n), stiffness, name, 16, 20)
            call()
            times.append(best(call, 0.5) / 16 / 20)
            print(f"{name:20}{n:6}{1e6 * times[-1]:10.3f}", flush=True)
        slope = np.polyfit(np.log(lengths), np.log(times), 1)[0]
        print(f"{name:20} grows as links to the power {slope:.2f}")


def pandas(cores: set[int]) -> None:
    """4096 pandas, a thousand steps each, every tenth kept, in one call on all cores."""
    os.sched_setaffinity(0, cores)
    model = ar.load(ROBOTS / FIGURES["panda"][0])
    hold = ar.controllers.pd(model.neutral(), 50.0, 5.0)
    q = model.random(0, 4096)
    scene = ar.Scene(model, controller=hold)
    ar.simulate(scene, 0.01, STEP, q=q[:16], keep_every=10)
    start = time.perf_counter()
    made = ar.simulate(scene, 1.0, STEP, q=q, keep_every=10)
    seconds = time.perf_counter() - start
    print(
        f"\n4096 pandas with a controller, 1000 steps: {seconds:.2f} s, {4.096 / seconds:.2f} "
        f"million steps a second on {len(cores)} cores; {made.q.shape} kept"
    )


def main() -> None:
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    print(f"MuJoCo {mujoco.__version__}; one thread, microseconds a step, ours and theirs\n")
    figures = [chain(10), chain(50), ar.load(ROBOTS / FIGURES["panda"][0])]
    for name, stiffness in (("semi-implicit Euler", 0.0), ("implicit Euler", 100.0)):
        for model in figures:
            compare(model, name, stiffness)
    if "--short" not in sys.argv:
        growth()
    pandas(cores)


if __name__ == "__main__":
    Path("out").mkdir(exist_ok=True)
    main()
