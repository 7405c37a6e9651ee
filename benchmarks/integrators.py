"""What each integrator keeps, and what that costs, beside MuJoCo's: `make bench`.

Both simulate the same figures with the same steps on one thread, MuJoCo with contact and all extras
off, in its own native rollout. Costs are processor time, least over repeats, as ratios to
semi-implicit Euler in the same run. What comes of it is in docs/integrators.md.
"""

from __future__ import annotations

import itertools
import math
import os
import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

import mujoco
import numpy as np
from integrator_cases import Case, cases, double_pendulum
from mjcf import mjcf
from mujoco import rollout

import arthron as ar

OURS = {name: how for name, how in ar.integrators.NAMED.items() if not how.adaptive}
OURS["implicit Euler, exact"] = ar.integrators.ImplicitEuler("exact")
THEIRS = ["Euler", "implicit", "implicitfast", "RK4"]
PLAIN = "semi-implicit Euler"
EARLY = 0.5
"""Until when motions are compared with an accurate one [s]."""
TOO_FAST = 1e3
"""A motion with so many times the kinetic energy that there should be has blown up."""
SETTLED = 0.02
"""What is this near to where it should be, and as slow, has settled [rad, rad/s]."""
ROWS, REPEATS, SECONDS = 256, 5, 0.01


class Motion(NamedTuple):
    """States at kept times, with energies."""

    q: np.ndarray
    qd: np.ndarray
    kinetic: np.ndarray
    energy: np.ndarray


class Result(NamedTuple):
    """What came of a case, by column of its table."""

    energy: str
    momentum: str
    off: str
    outcome: str
    alone: float
    batch: float


def ours(case: Case, name: str) -> Motion:
    """A case by an integrator of ours, as far as it got."""
    run = simulate(case, OURS[name], case.duration)
    return Motion(run.q, run.qd, run.kinetic, run.energy)


def simulate(case: Case, how: ar.integrators.Integrator, duration: float) -> ar.Trajectory:
    try:
        return ar.simulate(case.scene, duration, case.step, integrator=how, q=case.q, qd=case.qd,
                           keep_every=case.every, progress=False)  # fmt: skip
    except ar.SimulationError as error:
        if error.trajectory is None:
            raise
        return error.trajectory


def reference(case: Case) -> Motion:
    """The same, accurately, for a while."""
    run = simulate(case, ar.integrators.RungeKutta(1e-10), min(case.duration, 10.0))
    return Motion(run.q, run.qd, run.kinetic, run.energy)


class Theirs:
    """A case in MuJoCo."""

    def __init__(self, case: Case, integrator: str) -> None:
        self.case = case
        text = mjcf(case.scene.model, case.step, integrator, case.acts)
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        self.layout = ar.interop.mujoco(case.scene.model, self.model)
        size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        self.start = np.zeros(size)
        at = 1 + self.model.nq
        self.start[1:at] = self.layout.q_to(case.q)
        self.start[at : at + self.model.nv] = self.layout.qd_to(case.q, case.qd)
        self.rollout = rollout.Rollout(nthread=0)

    def steps(self, rows: int, steps: int) -> np.ndarray:
        """States after each step, (rows, steps, ...)."""
        start = np.tile(self.start, (rows, 1))
        states, _ = self.rollout.rollout(self.model, [self.data], initial_state=start, nstep=steps)
        return states

    def motion(self) -> Motion:
        """The case, as far as it got."""
        case, at = self.case, 1 + self.model.nq
        states = self.steps(1, round(case.duration / case.step))[0, case.every - 1 :: case.every]
        states = np.concatenate([self.start[None], states])
        states = states[: first(~self.made(states, case.step * case.every))]
        q = self.layout.q_from(states[:, 1:at])
        qd = self.layout.qd_from(q, states[:, at : at + self.model.nv])
        figure = case.scene.model
        kinetic = figure.kinetic_energy(q, qd)
        stored = 0.5 * case.acts.stiffness * (q**2).sum(-1)
        return Motion(q, qd, kinetic, kinetic + figure.potential_energy(q) + stored)

    def made(self, states: np.ndarray, h: float) -> np.ndarray:
        """Which states are good; the first of their numbers is a clock that stops at a bad one."""
        expected = h * np.arange(len(states))
        return np.isfinite(states).all(-1) & (np.abs(states[:, 0] - expected) < 0.5 * h)

    def check(self) -> None:
        """Accelerations at the start are ours, or it is not the same case."""
        case, at = self.case, 1 + self.model.nq
        self.data.qpos[:], self.data.qvel[:] = self.start[1:at], self.start[at : at + self.model.nv]
        mujoco.mj_forward(self.model, self.data)
        theirs = self.layout.qdd_from(case.q, case.qd, self.data.qacc)
        record = {"qdd": lambda tree, qdd: tree.vector(qdd)}
        own = ar.simulate(case.scene, case.step, case.step, q=case.q, qd=case.qd, record=record)
        off = np.abs(theirs - own["qdd"][0]).max() / np.abs(own["qdd"][0]).max(initial=1.0)
        assert off < 1e-10, f"{case.title}: MuJoCo accelerates otherwise, by {off:.1e}"


def first(flags: np.ndarray) -> int:
    """Where the first true one is, or how many there are."""
    return int(np.argmax(flags)) if flags.any() else len(flags)


def judged(case: Case, motion: Motion, exact: Motion, alone: float, batch: float) -> Result:
    """What a motion keeps, how far off it is at first, and how it comes out."""
    scale = exact.kinetic.max()
    last = first(~(motion.kinetic < TOO_FAST * scale))
    whole = last == 1 + round(case.duration / case.step / case.every)
    n = 1 + round(EARLY / case.step / case.every)
    off = math.nan
    if last >= n:
        off = np.abs(case.scene.model.difference(motion.q[:n], exact.q[:n])).max()
    outcome = "whole" if whole else f"blows up at {last * case.every * case.step:.2g} s"
    if whole and case.target is not None:
        there, speed = motion.q[-1, -len(case.target) :], motion.qd[-1, -len(case.target) :]
        away = max(np.abs(there - case.target).max(), np.abs(speed).max())
        outcome = "settles" if away < SETTLED else f"{away:.1e} off"
    energy = momentum = ""
    if "energy" in case.keeps:
        energy = f"{np.abs(motion.energy - motion.energy[0]).max() / scale:.1e}"
    if "momentum" in case.keeps:
        momentum = f"{momentum_error(case, motion):.1e}"
    if not whole:
        energy, momentum = (outcome if x else "" for x in (energy, momentum))
    return Result(energy, momentum, f"{off:.1e}" if off < 1e3 else outcome, outcome, alone, batch)


def momentum_error(case: Case, motion: Motion) -> float:
    """Largest change of momentum, and of that about the centre of mass, less what gravity does."""
    model = case.scene.model
    t = case.step * case.every * np.arange(len(motion.q))[:, None]
    h = model.momentum(motion.q, motion.qd)
    weight = sum(I.m for I in model.tree.I[1:]) * np.array(tuple(model.tree.gravity.lin))
    h[:, 3:] -= t * weight
    each = (h[:, :3], h[:, 3:])
    return max(np.abs(x - x[0]).max() / np.abs(x[0]).max() for x in each)


def cost(run: Callable[[int], bool]) -> float:
    """Processor time a step of what makes a number of steps, NaN if that fails: least of repeats.

    As many steps as fill a time, or as go well.
    """

    def seconds(steps: int, repeats: int) -> float:
        times = []
        for _ in range(repeats):
            began = time.process_time()
            times.append(math.nan if not run(steps) else time.process_time() - began)
        return math.nan if any(map(math.isnan, times)) else min(times)

    once, n, spent = seconds(1, REPEATS), 1, 0.0
    while spent < SECONDS and not math.isnan(more := seconds(4 * n, 2) - once):
        n, spent = 4 * n, more
    if n < 64 and spent < SECONDS:
        return math.nan
    return min(spent, seconds(n, 1 if spent > 20 * SECONDS else REPEATS) - once) / (n - 1)


def our_cost(case: Case, name: str, rows: int) -> float:
    model = case.scene.model
    near = 1e-3 * np.random.default_rng(0).normal(size=(rows, model.nv))
    q, qd = model.integrate(case.q, near), np.tile(case.qd, (rows, 1))
    states = {"q": q, "qd": qd} if rows > 1 else {"q": q[0], "qd": qd[0]}

    def run(steps: int, h: float) -> bool:
        try:
            made = ar.simulate(case.scene, steps * h, h, integrator=OURS[name], keep_every=steps,
                               progress=False, **states)  # fmt: skip
        except ar.SimulationError:
            return False
        return bool((made.status == "whole").all())

    return _cost_of_any_length(run, case.step) / rows


def their_cost(case: Case, integrator: str, rows: int) -> float:
    theirs = Theirs(case, integrator)

    def run(steps: int, h: float) -> bool:
        theirs.model.opt.timestep = h
        last = theirs.steps(rows, steps)[:, -1]
        return bool(np.isfinite(last).all() and (last[:, 0] > (steps - 0.5) * h).all())

    return _cost_of_any_length(run, case.step) / rows


def _cost_of_any_length(run: Callable[[int, float], bool], h: float) -> float:
    """Seconds a step of length h; of a much shorter one, which is the same work, if that fails."""
    found = cost(lambda steps: run(steps, h))
    return cost(lambda steps: run(steps, 1e-4 * h)) if math.isnan(found) else found


def compare(case: Case) -> dict[str, Result]:
    """A case by all integrators, and its table."""
    exact, found = reference(case), {}
    for name in OURS:
        found[name] = judged(
            case, ours(case, name), exact, *(our_cost(case, name, n) for n in (1, ROWS))
        )
    Theirs(case, "Euler").check()
    for name in THEIRS:
        times = (their_cost(case, name, n) for n in (1, ROWS))
        found[f"MuJoCo {name}"] = judged(case, Theirs(case, name).motion(), exact, *times)
    plain = found[PLAIN]
    print(f"\n{case.title}: {case.duration:g} s in steps of {1e3 * case.step:g} ms; {PLAIN} takes "
          f"{1e6 * plain.alone:.3g} µs a step, {1e6 * plain.batch:.3g} in a batch\n")  # fmt: skip
    print(f"| integrator | energy | momentum | off in {EARLY} s | outcome | alone | of {ROWS} |")
    print("|---|---|---|---|---|---|---|")
    for name, x in found.items():
        times = f"{x.alone / plain.alone:.2f} | {x.batch / plain.batch:.2f}"
        print(f"| {name} | {x.energy} | {x.momentum} | {x.off} | {x.outcome} | {times} |")
    print(flush=True)
    return found


def order(integrator: str) -> str:
    """Of the error at the end of half a second, as the step is halved."""
    scene = ar.Scene(double_pendulum(space=True))
    ends = [
        ar.simulate(scene, 0.5, h, integrator=OURS[integrator], q=[1.2, 0.8]).q[-1]
        for h in (2e-3, 1e-3, 5e-4)
    ]
    apart = [np.abs(a - b).max() for a, b in itertools.pairwise(ends)]
    return f"{math.log2(apart[0] / apart[1]):.2f}"


def period(integrator: str) -> str:
    """How late a pendulum that swings by 2 rad is after one period, in 400 steps."""
    arm, mass, angle = 0.55, 1.3, 2.0
    shape = ar.Box((0.2, 0.3, 0.7), mass=mass, placement=(0, 0, -arm))
    model = ar.Model([ar.Body("bob", ar.Revolute("x"), shapes=[shape])])
    pull = 9.81 * arm / ((0.3**2 + 0.7**2) / 12.0 + arm**2)
    a, b = 1.0, math.cos(0.5 * angle)
    for _ in range(6):  # arithmetic-geometric mean
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    exact = 2.0 * math.pi / math.sqrt(pull) / a
    scene = ar.Scene(model)
    found = ar.simulate(scene, exact, exact / 400, integrator=OURS[integrator], q=[angle])
    return f"{abs(found.qd[-1, 0] / (pull * math.sin(angle))) / exact:.1e}"


def main() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    mujoco.set_mju_user_warning(lambda text: None)
    warnings.simplefilter("ignore", ar.SimulationWarning)
    began = time.perf_counter()
    print(f"MuJoCo {mujoco.__version__}; one thread. Energy and momentum: largest change, beside "
          "the largest kinetic energy, and beside itself.")  # fmt: skip
    results = {case.title: (case.shows, compare(case)) for case in cases()}
    print("\n| integrator | order | period |", *(f" {title} |" for title in results), sep="")
    print("|---" * (3 + len(results)) + "|")
    names = [*OURS, *(f"MuJoCo {name}" for name in THEIRS)]
    for name in names:
        own = f"{order(name)} | {period(name)}" if name in OURS else " | "
        cells = [getattr(found[name], shows) for shows, found in results.values()]
        print(f"| {name} | {own} | {' | '.join(cells)} |", flush=True)
    print("\ncost beside semi-implicit Euler, alone and in a batch: the middle one of all scenes\n")
    for name in names:
        ratios = [
            [getattr(found[name], x) / getattr(found[PLAIN], x) for _, found in results.values()]
            for x in ("alone", "batch")
        ]
        print(f"| {name} |", *(f"{np.nanmedian(x):.2f} |" for x in ratios))
    print(f"\n{time.perf_counter() - began:.0f} s in all")


if __name__ == "__main__":
    main()
