"""Motion capture: reading half a minute, and a minute of inverse dynamics: `make bench`.

Files are made here, of random smooth angles; with a folder as argument, all clips in it are timed.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import arthron as ar
from arthron._mocap.motion_command import motion_files
from arthron._mocap.read_bvh import read_bvh

REPEATS = 7
CHAINS = {
    "Left": "UpLeg Leg Foot ToeBase", "Right": "UpLeg Leg Foot ToeBase",
    "": "LowerBack Spine Spine1 Neck Neck1 Head",
}  # fmt: skip
ARM = "Shoulder Arm ForeArm Hand FingerBase HandIndex1 HandIndex2"


def best(call: Callable[[], object]) -> float:
    """Least seconds of a call over repeats."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def person(frames: int, rate: float = 120.0) -> str:
    """A BVH file of a skeleton as those of the CMU database: 31 joints, 96 channels."""
    turns = "Zrotation Yrotation Xrotation"
    lines = ["HIERARCHY", "ROOT Hips", "{", "OFFSET 0 0 0",
             f"CHANNELS 6 Xposition Yposition Zposition {turns}"]  # fmt: skip

    def chain(names: list[str], steps: list[tuple[float, float, float]], inside: str = "") -> None:
        for name, step in zip(names, steps, strict=True):
            x, y, z = step
            lines.extend([f"JOINT {name}", "{", f"OFFSET {x} {y} {z}", f"CHANNELS 3 {turns}"])
            if name == "Spine1":
                lines.append(inside)
        lines.extend(["End Site", "{", "OFFSET 0 0 8", "}", *["}"] * len(names)])

    for side, sign in (("Left", 1), ("Right", -1)):
        steps = [(9.0 * sign, -2, 0), (9.0 * sign, -8, 0), (0, -42, 0), (0, -40, 0), (0, -4, 13)]
        chain([f"{side[0]}HipJoint", *(side + n for n in CHAINS[side].split())], steps)
    own, lines = lines, []
    for side, sign in (("Left", 1), ("Right", -1)):
        steps = [(0, 0, 0), (17.0 * sign, 8, 0), (28.0 * sign, 0, 0), (25.0 * sign, 0, 0),
                 (4.0 * sign, 0, 0), (4.0 * sign, 0, 0), (3.0 * sign, 0, 0)]  # fmt: skip
        chain([side + n for n in ARM.split()], steps)
    arms, lines = lines, own
    chain(CHAINS[""].split(), [(0, 8, 0), (0, 12, 0), (0, 12, 0), (0, 14, 0), (0, 6, 0), (0, 6, 0)],
          "\n".join(arms))  # fmt: skip
    text = "\n".join([*lines, "}", "MOTION", f"Frames: {frames}", f"Frame Time: {1 / rate:.9f}"])
    columns = sum(int(line.split()[1]) for line in text.splitlines() if "CHANNELS" in line)
    rng = np.random.default_rng(0)
    t = np.arange(frames)[:, None] / rate
    values = sum(rng.normal(size=columns) * 10 / k * np.sin(2 * k * t + rng.uniform(0, 6, columns))
                 for k in (1, 2, 3))  # fmt: skip
    rows = "\n".join(" ".join(f"{x:.6f}" for x in row) for row in np.asarray(values))
    return f"{text}\n{rows}\n"


def half_a_minute(folder: Path) -> None:
    path = folder / "half.bvh"
    path.write_text(person(3600))
    columns = read_bvh(path).values.shape[1]
    print(f"30 s at 120 Hz, {columns} channels, {path.stat().st_size / 1e6:.1f} MB of BVH")
    print(f"  read: {best(lambda: read_bvh(path)) * 1e3:.0f} ms (bar: 300)")
    print(f"  read, as a clip of a figure with mass: {best(lambda: ar.load_motion(path)):.2f} s")
    clip = ar.load_motion(path)
    print(f"  written: {best(lambda: clip.save_bvh(folder / 'out.bvh')):.2f} s")


def a_minute(folder: Path) -> None:
    path = folder / "minute.bvh"
    path.write_text(person(7200))
    clip = ar.load_motion(path)
    print(f"60 s at 120 Hz: {len(clip)} frames of {clip.model.nb} bodies, {clip.model.nv} DoF")
    start = time.perf_counter()
    clip.inverse_dynamics()
    print(f"  inverse dynamics, first call: {time.perf_counter() - start:.2f} s")
    q = clip.q  # a clip keeps its velocities, so each call gets one that knows none
    steps = {
        "velocities and accelerations": lambda c: (c.qd, c.qdd),
        "which feet stand": lambda c: c.supports(),
        "inverse dynamics, with velocities, feet and ground": lambda c: c.inverse_dynamics(),
        "low-pass filter": lambda c: c.smoothed(6.0),
        "at another rate": lambda c: c.resampled(100.0),
    }
    for name, step in steps.items():
        seconds = best(lambda step=step: step(clip.with_poses(q)))
        bar = " (bar: 200)" if name.startswith("inverse") else ""
        print(f"  {name}: {seconds * 1e3:.0f} ms{bar}")


def transitions() -> None:
    """From a walk to a reach and to another walk: time, torque beside a cubic, slip."""
    walk, reach, slow = ar.mocap.walk(), ar.mocap.reach(), ar.mocap.walk(speed=0.6)
    cases = {
        "walk to reach": (walk, reach, 203, 63),
        "reach to walk": (reach, walk, 141, 190),
        "walk to slow walk": (walk, slow, 237, 172),
        "walk on": (walk, walk, 150, 60),
    }
    humanoid = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    smaller = {n: (a.retargeted(humanoid), b.retargeted(humanoid), *f)
               for n, (a, b, *f) in cases.items()}  # fmt: skip
    for figures in (smaller, cases):
        for duration in (0.3, 0.6, 1.2):
            for limits in (True, False):
                for name, (a, b, leave, enter) in figures.items():
                    ends = {"leave": leave, "enter": enter, "limits": limits, "progress": False}
                    ar.mocap.transition(a, b, duration, **ends)
                    start = time.perf_counter()
                    found = ar.mocap.transition(a, b, duration, **ends)
                    took = time.perf_counter() - start
                    less = 100.0 * (1.0 - found.torque / found.cubic_torque)
                    print(f"  {a.model.nv} DoF, {duration} s, {'with' if limits else 'no'} limits, "
                          f"{name:18} {took:5.2f} s, {found.found.optimum.iterations:3d} it, "
                          f"{less:3.0f} % less torque, slip {1e3 * found.slip:.1f} mm, "
                          f"{found.found.status}", flush=True)  # fmt: skip


def clips(folder: Path) -> None:
    for path in motion_files(folder):
        seconds = best(lambda path=path: ar.load_motion(path))
        clip = ar.load_motion(path)
        clip.inverse_dynamics()
        again = best(lambda clip=clip: clip.with_poses(clip.q).inverse_dynamics())
        print(f"{path.name}: {clip!r} read in {seconds * 1e3:.0f} ms, forces {again * 1e3:.0f} ms")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        half_a_minute(Path(place))
        a_minute(Path(place))
    print("transitions")
    transitions()
    for folder in sys.argv[1:]:
        clips(Path(folder))
