"""What it costs that the numbers of a scene are inputs: `make bench`.

A step with its numbers as inputs beside the same step with constants, a sweep of a thousand
stiffnesses in one call, a number that is changed, and a process that finds all code in the cache.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
from scenes import chain
from spine import FIGURES, ROBOTS, best

import arthron as ar
from arthron.__main__ import puppet
from arthron._compile.rollout import Rollout
from arthron._pages.inputs import page_inputs
from arthron._pages.trace import trace

STEP = 1e-3
WARM = """
import arthron as ar
from arthron.__main__ import puppet
scene, q, qd = puppet()
ar.simulate(scene, 1.0, 1e-3, integrator="implicit Euler", q=q, qd=qd, keep_every=5)
"""


def rollout(scene: ar.Scene, name: str, rows: int, steps: int, *, inputs: bool) -> Callable:
    """A rollout with the scene's numbers as inputs, or as constants."""
    model, step = scene.model, ar.step(scene, name)

    @ar.takes(steps=(), h=())
    def constant(tree, q, qd, steps, h):
        return step(tree, q, qd, steps, h, tuple(step.values.tolist()))

    page = step if inputs else constant
    run = Rollout(lambda: trace(page, model.tree, page_inputs(page, model.tree)), 3)
    q, qd = np.tile(model.neutral(), (rows, 1)), np.full((rows, model.nv), 0.1)
    given = [q, qd, np.zeros(rows), np.full(1, STEP), *[step.values[None]] * inputs]
    return lambda: run(given, steps, steps)


def against_constants() -> None:
    """Microseconds a step with inputs and with constants, taken in turns."""
    panda = ar.load(ROBOTS / FIGURES["panda"][0])
    springs = [ar.forces.JointSpring(j, 30.0, 2.0) for j in panda.joint_names]
    long = chain(10)
    scenes = {
        "panda, springs": ar.Scene(panda, springs),
        "panda, pd": ar.Scene(
            panda, controller=ar.controllers.pd(panda.random(0).tolist(), 50.0, 5.0)
        ),
        "chain of 10": ar.Scene(
            long, [ar.forces.JointSpring(j, 100.0, 2.0) for j in long.joint_names]
        ),
        "puppet": puppet()[0],
    }
    print("a step with numbers as inputs and as constants [us]\n")
    for title, scene in scenes.items():
        for name in ("semi-implicit Euler", "implicit Euler"):
            for rows, steps in ((256, 20), (1, 1000)):
                calls = [rollout(scene, name, rows, steps, inputs=x) for x in (True, False)]
                times = np.array([[best(call, 0.2) for call in calls] for _ in range(5)])
                free, fixed = times.min(0) / rows / steps
                count = len(ar.step(scene, name).values)
                print(
                    f"{title:18}{name:22}{rows:5} rows {count:4} inputs{1e6 * free:9.3f}"
                    f"{1e6 * fixed:9.3f}{100 * (free / fixed - 1):+7.1f} %",
                    flush=True,
                )


def sweep() -> None:
    """A thousand stiffnesses in one call, and one after the other."""
    model = chain(3)
    scene = ar.Scene(model, [ar.forces.JointSpring("link1", 5.0, 0.1, name="spring")])
    k = np.linspace(1.0, 100.0, 1000)
    given = {"q": np.full(model.nq, 0.3), "progress": False}
    ar.simulate(scene, 0.1, STEP, parameters={"spring.stiffness": k[:2]}, **given)
    began = time.perf_counter()
    together = ar.simulate(scene, 0.1, STEP, parameters={"spring.stiffness": k}, **given)
    took = time.perf_counter() - began
    ar.simulate(scene, STEP, STEP, parameters={"spring.stiffness": 2.0}, **given)
    times = []
    for x in k[:100]:
        began = time.perf_counter()
        ar.simulate(scene, STEP, STEP, parameters={"spring.stiffness": x}, **given)
        times.append(time.perf_counter() - began)
    print(
        f"\n1,000 stiffnesses, 100 steps each: {1e3 * took:.1f} ms, {together.q.shape} kept; "
        f"another number and one step: {1e3 * min(times):.2f} ms"
    )


def warm() -> None:
    """A process that imports, loads the humanoid and simulates a second of the puppet."""
    times = []
    for _ in range(6):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", WARM], check=True)
        times.append(time.perf_counter() - began)
    print(f"a second of the puppet in a new process, all code in the cache: {min(times):.2f} s")


if __name__ == "__main__":
    against_constants()
    sweep()
    warm()
