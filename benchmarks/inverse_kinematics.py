"""Inverse kinematics: targets a second on one thread, alone and in batches: `make bench`.

Targets are poses of random coordinates within the limits, from a seed that restarts do not use.
"""

from __future__ import annotations

import os
import time

import numpy as np
from spine import FIGURES, ROBOTS

import arthron as ar

REPEATS = 7


def best(call) -> tuple[float, ar.ik.Solution]:
    """Least seconds of a call over repeats, and what it returned."""
    found, times = call(), []
    for _ in range(REPEATS):
        start = time.perf_counter()
        found = call()
        times.append(time.perf_counter() - start)
    return min(times), found


def report(label: str, call, bar: int | None = None) -> None:
    seconds, found = best(call)
    n = np.size(found.solved)
    passes = np.sum(found.passes)
    against = "" if bar is None else f" (bar: {bar:,})"
    print(
        f"  {label}: {n / seconds:,.0f} a second{against}, {np.mean(found.solved):.3%} reached; "
        f"{passes / n:.1f} passes of {np.mean(found.attempts):.2f} starts a target, "
        f"{seconds / passes * 1e9:.0f} ns a pass"
    )


def operations(model: ar.Model) -> str:
    """Operations of the pages that were compiled, with a pass counted once."""
    return ", ".join(f"{page.op_count:,}" for page in model._ik.pages.values())


def panda() -> None:
    model = ar.load(ROBOTS / FIGURES["panda"][0])
    hand = "panda_hand"
    q = model.random(100, 20_000)
    goals = model.frame_pose(q, hand)
    print("panda, hand to 1e-6 within limits from neutral, with restarts, one thread")
    for n in (20_000, 1000, 100):
        targets = [ar.ik.Pose(hand, goals[:n])]
        report(
            f"{n:6,} targets", lambda t=targets: ar.ik.solve(model, t), 120_000 if n > 1e4 else None
        )
    alone = [[ar.ik.Pose(hand, goal)] for goal in goals[:200]]
    ar.ik.solve(model, alone[0])
    start = time.perf_counter()
    for targets in alone:
        ar.ik.solve(model, targets)
    each = (time.perf_counter() - start) / len(alone)
    print(f"  one target alone: {each * 1e6:.0f} us with all of Python's part")
    targets = [ar.ik.Pose(hand, goals)]
    middle = 0.5 * (model.q_lower + model.q_upper)
    report("near a posture", lambda: ar.ik.solve(model, targets, posture=middle))
    part = np.linspace(0.0, 1.0, 200)[:, None]
    paths = q[:100, None] + part * (q[100:200] - q[:100])[:, None]
    moving = [ar.ik.Pose(hand, model.frame_pose(paths, hand))]
    report("100 motions tracked", lambda: ar.ik.track(model, moving, start=paths[:, 0]))
    print(f"  operations: {operations(model)}")


def humanoid() -> None:
    frames = ["left_rubber_hand", "right_ankle_roll_link"]
    for label, root in (("free", ar.Free()), ("fixed", None)):
        model = ar.load(ROBOTS / FIGURES["g1 floating"][0], root=root)
        q = model.random(100, 4000)
        targets = [ar.ik.Pose(frame, model.frame_pose(q, frame)) for frame in frames]
        print(f"g1, root {label}, hand and foot together, one thread")
        report("4,000 targets", lambda m=model, t=targets: ar.ik.solve(m, t), 15_000)
        print(f"  operations: {operations(model)}")


def main() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    panda()
    humanoid()


if __name__ == "__main__":
    main()
