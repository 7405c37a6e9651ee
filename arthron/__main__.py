"""`python -m arthron`: simulate a puppet, and leave a page that plays it.

`python -m arthron FILE.urdf`: show a figure of yours and its dynamics, timed.
"""

from __future__ import annotations

import argparse
import math
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import arthron as ar

BATCH = 4096
DURATION, STEP, KEEP = 6.0, 0.001, 5
HOOK = (0.0, 0.0, 2.7)
POSE = {"shoulder_pitch": -0.7, "elbow": -1.2, "hip_pitch": -0.5, "knee": 0.8, "neck_pitch": 0.1}


def main() -> int:
    """Run the command; 0 when all is well."""
    parser = argparse.ArgumentParser(prog="arthron", description="Simulate a puppet.")
    parser.add_argument("file", nargs="?", help="a URDF file to show the dynamics of instead")
    file = parser.parse_args().file
    try:
        return show(ar.load(file)) if file else play(Path("out"))
    except (ar.ArthronError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def puppet() -> tuple[ar.Scene, np.ndarray, np.ndarray]:
    """The humanoid hung at its back by a spring, with threads at its hands; q and qd at the start.

    It has been pulled back and is let go with a spin.
    """
    model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    joints = model.joint_names[1:]
    tilt, reach = 0.5, 1.4
    q, qd = model.neutral(), np.zeros(model.nv)
    q[:3] = HOOK[0] - reach * math.sin(tilt), HOOK[1], HOOK[2] - reach * math.cos(tilt)
    q[3:7] = math.cos(tilt / 2), 0.0, math.sin(tilt / 2), 0.0
    qd[2] = 1.5
    for joint in joints:
        q[model.slice_q(joint)] = POSE.get(joint.removeprefix("left_").removeprefix("right_"), 0.0)
    hook, hands = (None, HOOK), ("left_palm", "right_palm")
    forces = [
        ar.forces.Spring.per_strain(
            hook, ("torso", (-0.1, 0, 0.4)), 2500.0, rest=0.7, damping=100.0
        ),
        *(
            ar.forces.Cable.per_strain((hook, (hand, (0, 0, 0))), 80.0, 0.9, damping=8.0)
            for hand in hands
        ),
        *(ar.forces.JointSpring(j, 15.0, 0.5, rest=q[model.slice_q(j)].tolist()) for j in joints),
        *(ar.forces.JointLimit(j, 300.0, 5.0) for j in joints),
    ]
    return ar.Scene(model, forces), q, qd


def play(folder: Path) -> int:
    """Simulate the puppet, print how it went, and leave page, plot and trajectory in a folder."""
    timed = _Timed(("load", "compile", "simulate", "plot", "page"))
    scene, q, qd = timed("load", puppet)

    def run(duration: float) -> ar.Trajectory:
        return ar.simulate(
            scene, duration, STEP, integrator="implicit Euler", q=q, qd=qd, keep_every=KEEP
        )

    timed("compile", lambda: run(STEP * KEEP))
    motion = timed("simulate", lambda: run(DURATION))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        message = "is a file, and a folder of that name is to be made. Move it, or run elsewhere."
        raise ar.FileError(message, str(folder)) from error
    files = {motion.save(folder / "puppet.traj"): "the states: `ar.load_trajectory`"}
    missing = []
    for name, use, write in (
        ("plot", "energies and coordinates", lambda: motion.plot(folder / "puppet.png")),
        ("page", "open it in a browser", lambda: motion.save_html(folder / "puppet.html", scene)),
    ):
        try:
            files[timed(name, write)] = use
        except ar.ArthronError as error:  # the packages that draw can be left out
            missing.append(f"No {name}: {error}")
    timed.close()
    steps, took = round(DURATION / STEP), timed.took["simulate"]
    start, end = motion.energy[0], motion.energy[-1]
    print(str(scene.model).splitlines()[0])
    print("hung by a spring and two threads, with springs and limits in its joints", end="\n\n")
    print(f"  simulated         {DURATION:g} s in {steps} steps, implicit Euler")
    print(f"  states kept       {len(motion)}")
    print(f"  steps per second  {steps / took:,.0f}, {DURATION / took:.0f} times real time")
    print(f"  energy            {start:.1f} J at the start, {end:.1f} J at the end")
    print(f"  time              {', '.join(f'{k} {v:.2f} s' for k, v in timed.took.items())}\n")
    for path, use in reversed(files.items()):
        print(f"  {path!s:<18}{path.stat().st_size / 1e6:>5.1f} MB  {use}")
    print(*missing, sep="\n")
    print("Next: README.md shows how to do this from Python.")
    print("`python -m arthron FILE.urdf` shows a figure of yours.")
    return 0


class _Timed:
    """Calls with a name, how long each took, and on a terminal a bar of how far they are."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names, self.took = names, dict[str, float]()

    def __call__(self, name: str, call: Callable[[], Any]) -> Any:
        self._show(name)
        start = time.perf_counter()
        result = call()
        self.took[name] = time.perf_counter() - start
        return result

    def _show(self, name: str) -> None:
        if sys.stderr.isatty():
            done = "█" * round(30 * len(self.took) / len(self.names))
            print(f"\r{done:30} {name:<12}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if sys.stderr.isatty():
            print("\r" + " " * 50 + "\r", end="", file=sys.stderr, flush=True)


def show(model: ar.Model) -> int:
    """Print a figure, and a table of what can be computed of it."""
    print(model, end="\n\n")
    if not model.nv:
        print("Nothing in it moves.")
        return 0
    rng = np.random.default_rng(0)
    q = np.stack([model.random(rng) for _ in range(BATCH)])
    qd, u = rng.normal(size=(2, BATCH, model.nv))
    print(f"At one of {BATCH} random poses, with random velocities and accelerations:")
    tau = model.inverse_dynamics(q[0], qd[0], u[0])
    back = model.forward_dynamics(q[0], qd[0], tau)
    energy = model.kinetic_energy(q[0], qd[0]), model.potential_energy(q[0])
    print(f"  centre of mass      {np.round(model.center_of_mass(q[0]), 3)} m")
    print(f"  energy              {energy[0]:.2f} J of motion, {energy[1]:.2f} J of height")
    print(f"  strongest joint     {_strongest(model, tau)}")
    print(f"  forward of inverse  off by {np.abs(back - u[0]).max():.1e}", end="\n\n")
    _table(model, q, qd, u)
    print("\nNext: README.md shows how to use this from Python; `make bench` compares with others.")
    return 0


def _strongest(model: ar.Model, tau: np.ndarray) -> str:
    joints = [name for name in model.joint_names if name != "root_joint"]
    forces = {name: float(np.abs(tau[model.slice_qd(name)]).max()) for name in joints}
    name = max(forces, key=lambda joint: forces[joint])
    return f"{name}, {forces[name]:.1f} N m"


def _table(model: ar.Model, q: np.ndarray, qd: np.ndarray, u: np.ndarray) -> None:
    """Cost of each method: operations, compile time, one call, and a state of a batch."""
    methods: dict[str, tuple[Any, tuple[np.ndarray, ...]]] = {
        "inverse_dynamics": (model.inverse_dynamics, (q, qd, u)),
        "forward_dynamics": (model.forward_dynamics, (q, qd, u)),
        "mass_matrix": (model.mass_matrix, (q,)),
        "bias_forces": (model.bias_forces, (q, qd)),
        "body_poses": (model.body_poses, (q,)),
        "body_jacobians": (model.body_jacobians, (q,)),
        "com_jacobian": (model.com_jacobian, (q,)),
        "momentum": (model.momentum, (q, qd)),
    }
    print(f"{'method':<18}{'operations':>11}{'ready in':>11}{'one call':>11}{'per state':>12}")
    for name, (method, batch) in methods.items():
        start = time.perf_counter()
        single = [x[0].copy() for x in batch]
        method(*single)
        method(*(x[:16] for x in batch))
        ready = time.perf_counter() - start
        result = method(*batch)
        one = _best(lambda method=method, single=single: method(*single), 2000)
        many = _best(lambda method=method, batch=batch, out=result: method(*batch, out=out), 5)
        print(f"{name:<18}{method.op_count:>11}{ready * 1e3:>8.0f} ms{one * 1e6:>8.2f} us"
              f"{many / BATCH * 1e9:>9.0f} ns")  # fmt: skip
    machine = platform.processor() or platform.machine()
    print(f"batches of {BATCH} on all cores; {machine}, Python {platform.python_version()}")


def _best(call: Callable, repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


if __name__ == "__main__":
    sys.exit(main())
