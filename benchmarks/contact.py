"""What contact costs beside MuJoCo: people, a chain and a heap of boxes, on one thread.

Both have the same figures, starts and semi-implicit steps, without Python in between. Of each there
is how deep things overlap and what the solver leaves over: MuJoCo with its own settings, and with a
tolerance and as many passes as make its residual that of ours. `counts` has what a step costs
against points that touch, and `solvers` compares ways to solve for them. The humanoids are those of
`mujoco-mjx` and `dm-control`, read out of the wheels where these are installed
(`pip install --no-deps mujoco-mjx dm-control`). For one thread, `taskset -c 0` it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import mujoco
import numpy as np
from mjcf_model import Read, read
from mujoco import rollout

import arthron as ar
from arthron._contact.contact_problem import ContactProblem

SINGLE, BATCH, REPEATS = 4, 256, 3
TIGHT = 1e-12
"""MuJoCo's tolerance where it is to be as exact as we are."""


@dataclass
class Case:
    """A figure of both, and how it starts.

    Attributes:
        name: what it is called.
        theirs: MuJoCo's.
        ours: ours, read out of the same text.
        contact: what touches.
        starts: configurations and velocities of ours, a row each.
        steps: how many are timed.
    """

    name: str
    theirs: mujoco.MjModel
    ours: Read
    contact: Sequence
    starts: tuple[np.ndarray, np.ndarray]
    steps: int


def best(run: Callable[[], object]) -> float:
    """The shortest time of several [s]."""
    run()
    found = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def ours(case: Case, contact: Sequence, note: str = "", parts: int = 1) -> tuple[float, float]:
    """Our times of a step, alone and in a batch, and what contact leaves over [µs].

    What a call costs whose run has one step is taken off. Steps may be parts of MuJoCo's.
    """
    scene = ar.Scene(case.ours.model, [*case.ours.springs, *contact])
    h, (q, qd), n = case.theirs.opt.timestep / parts, case.starts, case.steps * parts
    known = dict(step=h, integrator="semi-implicit Euler", progress=False)

    def one_by_one(steps: int) -> float:
        def run() -> None:
            for a, b in zip(q[:SINGLE], qd[:SINGLE], strict=True):
                ar.simulate(scene, h * steps, q=a, qd=b, keep_every=steps, **known)

        return best(run) / SINGLE

    def together(steps: int) -> float:
        return best(
            lambda: ar.simulate(scene, h * steps, q=q, qd=qd, keep_every=steps, **known)
        ) / len(q)  # fmt: skip

    call = one_by_one(1)
    alone = (one_by_one(n) - call) / (n - 1)
    batch = (together(n) - together(1)) / (n - 1)
    run = ar.simulate(scene, h * n, q=q[:SINGLE], qd=qd[:SINGLE], **known)
    text = f"  arthron{note}: {1e6 * alone:.1f} µs alone, {1e6 * batch:.2f} of {len(q)}, "
    text += f"{1e3 * call:.1f} ms a call"
    if run.touched is not None and run.contacts.force.size:
        found = run.contacts
        passes = found.iterations[found.iterations > 0]
        text += (
            f"; {found.touching.sum(-1).mean():.1f} points, passes {passes.mean():.1f}, at most "
            f"{passes.max():.0f}; overlap {1e3 * np.median(found.penetration):.4f} mm median, "
            f"{1e3 * found.penetration.max():.2f} at most; residual {run.residual.max():.0e} N"
        )
    print(text, flush=True)
    return 1e6 * alone, 1e6 * batch


def theirs(case: Case, note: str, iterations: int, tolerance: float) -> float:
    """MuJoCo's time of a step [µs], and how deep things overlap."""
    model, (q, qd) = case.theirs, case.starts
    kept = model.opt.iterations, model.opt.ls_iterations, model.opt.tolerance
    model.opt.iterations, model.opt.tolerance = iterations, tolerance
    if iterations > 1:
        model.opt.ls_iterations = 50
    data, layout = mujoco.MjData(model), ar.interop.mujoco(case.ours.model, model)
    full = mujoco.mjtState.mjSTATE_FULLPHYSICS
    states = []
    for a, b in zip(q[:SINGLE], qd[:SINGLE], strict=True):
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = layout.q_to(a), layout.qd_to(a, b)
        states.append(np.empty(mujoco.mj_stateSize(model, full)))
        mujoco.mj_getState(model, data, states[-1], full)
    states = np.array(states)
    alone = best(lambda: rollout.rollout(model, data, states, nstep=case.steps))
    deep, count, passes, left = [], [], [], []
    for state in states:
        mujoco.mj_resetData(model, data)
        mujoco.mj_setState(model, data, state, full)
        for _ in range(case.steps):
            mujoco.mj_step(model, data)
            deep.append(max((-x.dist for x in data.contact), default=0.0))
            count.append(data.ncon)
            used = data.solver_niter[0]
            if used:
                passes.append(used)
                left.append(data.solver.gradient[min(used, len(data.solver.gradient)) - 1])
    model.opt.iterations, model.opt.ls_iterations, model.opt.tolerance = kept
    took = 1e6 * alone / (SINGLE * case.steps)
    print(
        f"  MuJoCo {note}: {took:.1f} µs; {np.mean(count):.1f} points, passes "
        f"{np.mean(passes):.1f}; overlap {1e3 * np.median(deep):.3f} mm median, "
        f"{1e3 * np.max(deep):.2f} at most; scaled gradient {np.max(left):.0e}", flush=True,
    )  # fmt: skip
    return took


def wheel_file(package: str, end: str) -> Path | None:
    """A file of an installed package."""
    try:
        found = [f for f in metadata.files(package) or () if str(f).endswith(end)]
    except metadata.PackageNotFoundError:
        return None
    return Path(str(found[0].locate())) if found else None


def perturbed(model: ar.Model, q: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """A configuration, as often as a batch has rows, with random velocities."""
    rng = np.random.default_rng(0)
    return np.tile(q, (BATCH, 1)), size * rng.normal(size=(BATCH, model.nv))


def humanoid_a() -> Case | None:
    """Four capsules of the feet against the floor; the rest of it touches nothing."""
    path = wheel_file("mujoco-mjx", "humanoid/humanoid.xml")
    if path is None:
        return None
    own, model = read(path), mujoco.MjModel.from_xml_path(str(path))
    q = ar.interop.mujoco(own.model, model).q_from(model.qpos0)
    feet = [ar.contacts.Ground(friction=1.0, of=("foot_left", "foot_right"))]
    return Case("humanoid A", model, own, feet, perturbed(own.model, q, 0.1), 150)


def humanoid_b() -> Case | None:
    """All of it against the floor and against itself, without friction there."""
    path = wheel_file("dm-control", "suite/humanoid.xml")
    if path is None:
        return None
    own, model = read(path), mujoco.MjModel.from_xml_path(str(path))
    q = ar.interop.mujoco(own.model, model).q_from(model.qpos0)
    touch = [ar.contacts.Ground(friction=1.0), ar.contacts.Links(own.pairs, friction=0.0)]
    return Case("humanoid B, self-collision", model, own, touch, perturbed(own.model, q, 0.5), 300)


def chain(links: int = 10) -> Case:
    """Capsules on hinges that turn about y and z in turn, dropped flat."""
    inside = ""
    for k in reversed(range(links)):
        joint = (
            f'<joint name="j{k}" axis="0 {(k + 1) % 2} {k % 2}" damping="0.01"/>'
            if k
            else '<freejoint name="root"/>'
        )
        at = "0 0 0.5" if k == 0 else "0.3 0 0"
        geom = '<geom type="capsule" size="0.05" fromto="0 0 0 0.3 0 0"/>'
        inside = f'<body name="l{k}" pos="{at}">{joint}{geom}{inside}</body>'
    text = _world(inside, 'contype="1" conaffinity="0"')
    own, model = read(text=text), mujoco.MjModel.from_xml_string(text)
    q = ar.interop.mujoco(own.model, model).q_from(model.qpos0)
    start = perturbed(own.model, q, 0.5)
    return Case("chain of 10", model, own, [ar.contacts.Ground(friction=1.0)], start, 1000)


def heap(boxes: int = 20) -> Case:
    """Free boxes that fall on each other, and lie."""
    rng, inside = np.random.default_rng(2), ""
    for k in range(boxes):
        x, y = rng.uniform(-0.12, 0.12, 2)
        u = rng.normal(size=4)
        turn = " ".join(f"{c:.6f}" for c in u / np.linalg.norm(u))
        inside += (
            f'<body name="b{k}" pos="{x:.4f} {y:.4f} {0.2 + 0.14 * k:.4f}" quat="{turn}">'
            f'<freejoint name="f{k}"/><geom type="box" size="0.06 0.05 0.04"/></body>'
        )
    text = _world(inside, "")
    own, model = read(text=text), mujoco.MjModel.from_xml_string(text)
    q = ar.interop.mujoco(own.model, model).q_from(model.qpos0)
    touch = [ar.contacts.Ground(friction=1.0), ar.contacts.Links(own.pairs, friction=1.0)]
    q, qd = perturbed(own.model, q, 0.01)
    return Case(f"heap of {boxes} boxes", model, own, touch, (q[:16], qd[:16]), 600)


def _world(inside: str, contact: str) -> str:
    return (
        f'<mujoco><compiler angle="radian"/><option timestep="0.002"/><default><geom density="500" '
        f'{contact}/></default><worldbody><geom name="floor" type="plane" size="0 0 1" '
        f'contype="1" conaffinity="1"/>{inside}</worldbody></mujoco>'
    )


def main() -> None:
    """All cases, or those whose names have a word in them."""
    words = sys.argv[1:]
    makers = {"humanoid A": humanoid_a, "humanoid B": humanoid_b, "chain": chain, "heap": heap}
    for name, make in makers.items():
        if words and not any(word in name for word in words):
            continue
        case = make()
        if case is None:
            print(f"{name}: its file is not here")
            continue
        M, C = case.ours.differences(case.theirs)
        h = 1e3 * case.theirs.opt.timestep
        print(
            f"{case.name}: {case.ours.model.nv} DoF, {case.steps} steps of {h:g} ms; mass matrices "
            f"differ by {M:.0e}, bias forces by {C:.0e}"
        )
        opt = case.theirs.opt
        loose = theirs(case, "as it is", opt.iterations, opt.tolerance)
        tight = theirs(case, "converged", 100, TIGHT)
        alone, batch = ours(case, case.contact)
        print(
            f"  ratios: alone {loose / alone:.2f} and {tight / alone:.2f}, in a batch "
            f"{loose / batch:.2f} and {tight / batch:.2f}", flush=True,
        )  # fmt: skip
        if make is humanoid_a:
            smooth = [ar.contacts.SmoothGround(friction=1.0, of=("foot_left", "foot_right"))]
            alone, batch = ours(case, smooth, ", smooth, eighths of a step", 8)
            print(f"  ratios: alone {loose / alone:.2f}, in a batch {loose / batch:.2f}")
    if not words or "solvers" in words:
        solvers()
    if not words or "counts" in words:
        by_count()


def solvers() -> None:
    """Passes of the default solver and of the convex one alone, of the same steps."""
    limp = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    q = limp.neutral()
    q[2] += 0.02 - limp.frame_pose(q, "left_sole")[2, 3]
    q[limp.slice_q("left_knee")] = 0.3
    crawl = chain()
    figures = {
        "limp person": (limp, q, None, 1e-3, 1500),
        "chain of 10": (crawl.ours.model, crawl.starts[0][0], crawl.starts[1][0], 2e-3, 750),
    }
    searched = ContactProblem._searched

    def given_up(self, touches, guess, impulses):
        found, passes, _ = searched(self, 0.0 * touches, guess, impulses)
        return found, passes, 0.0

    for name, (model, q, qd, h, n) in figures.items():
        for what in ("by the law", "convex alone"):
            ContactProblem._searched = given_up if "convex" in what else searched
            scene = ar.Scene(model, [ar.contacts.Ground(name=what)])  # code is kept by names
            run = ar.simulate(
                scene, h * n, h, integrator="semi-implicit Euler", q=q, qd=qd, progress=False
            )
            used = run.contacts.iterations[run.contacts.iterations > 0]
            print(f"{name}, {what}: passes {used.mean():.1f} on average, {used.max():.0f} at most")
    ContactProblem._searched = searched


def by_count() -> None:
    """Cost of a step against points that touch: boxes that lie side by side, four points each."""
    for n in (1, 2, 4, 6, 8, 12, 16):
        inside = "".join(
            f'<body name="b{k}" pos="{0.3 * k:.2f} 0 0.0405"><freejoint name="f{k}"/>'
            f'<geom type="box" size="0.06 0.05 0.04"/></body>' for k in range(n)
        )  # fmt: skip
        text = _world(inside, 'contype="1" conaffinity="0"')
        own, model = read(text=text), mujoco.MjModel.from_xml_string(text)
        q = ar.interop.mujoco(own.model, model).q_from(model.qpos0)
        start = perturbed(own.model, q, 0.01)
        case = Case(f"{n} boxes", model, own, [ar.contacts.Ground(friction=1.0)], start, 500)
        print(case.name)
        theirs(case, "as it is", model.opt.iterations, model.opt.tolerance)
        ours(case, case.contact)


if __name__ == "__main__":
    main()
