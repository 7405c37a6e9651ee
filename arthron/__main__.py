"""`python -m arthron`: a puppet to be pulled about, in the browser.

`python -m arthron FILE.urdf`: a figure of yours, with `--free` one that nothing holds.
`python -m arthron motion PATH`: joint torques of clips of motion capture, as tables.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import arthron as ar
from arthron._mocap.motion_command import motion_command
from arthron._view.show import PAUSED, UNOPENED, open_page

HOOK = (0.0, 0.0, 2.7)
POSE = {"shoulder_pitch": -0.7, "elbow": -1.2, "hip_pitch": -0.5, "knee": 0.8, "neck_pitch": 0.1}

OPENED = "It is now in your browser."


def main() -> int:
    """Run the command; 0 when all is well."""
    if sys.argv[1:2] == ["motion"]:
        return motion_command(sys.argv[2:])
    parser = argparse.ArgumentParser(
        prog="arthron",
        description="Show a puppet, or a figure, in the browser, simulated there.",
        epilog="arthron motion PATH: joint torques of motion capture; see arthron motion --help.",
    )
    parser.add_argument("file", nargs="?", help="a URDF file to show instead")
    parser.add_argument("--free", action="store_true", help="nothing holds its base")
    given = parser.parse_args()
    if given.free and not given.file:
        parser.error("--free is for a figure of yours: name its file behind it.")
    with warnings.catch_warnings():
        warnings.showwarning = lambda said, *_: print(f"Warning: {said}", file=sys.stderr)
        try:
            return show(given.file, free=given.free) if given.file else play(Path("out"))
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
    hook = (None, HOOK)
    forces = [
        ar.forces.Spring.per_strain(
            hook, ("torso", (-0.1, 0, 0.4)), 2500.0, rest=0.7, damping=100.0, name="hook"
        ),
        *(
            ar.forces.Cable.per_strain(
                (hook, (f"{side}_palm", (0, 0, 0))), 80.0, 0.9, damping=8.0, name=f"{side} thread"
            )
            for side in ("left", "right")
        ),
        *(ar.forces.JointSpring(j, 15.0, 0.5, rest=q[model.slice_q(j)].tolist()) for j in joints),
        *(ar.forces.JointLimit(j, 300.0, 5.0) for j in joints),
    ]
    return ar.Scene(model, forces), q, qd


def play(folder: Path) -> int:
    """Leave a page of the puppet in a folder, and open it."""
    start = time.perf_counter()
    scene, q, qd = puppet()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        message = "is a file, and a folder of that name is to be made. Move it, or run elsewhere."
        raise ar.FileError(message, str(folder)) from error
    page = scene.save_html(folder / "puppet.html", q, qd, integrator="implicit Euler")
    size, took = page.stat().st_size / 1e3, time.perf_counter() - start
    print(str(scene.model).splitlines()[0])
    print("hung by a spring and two threads, with springs and limits in its joints", end="\n\n")
    print(f"  {page}   {size:.0f} kB, made in {took:.1f} s")
    print(f"  {OPENED if open_page(page) else UNOPENED}")
    print("  It simulates the puppet by itself: drag any body. Send it to whom you like, one file.")
    print(
        "\nREADME.md shows how to do this from Python; `python -m arthron FILE.urdf` shows a figure"
    )
    print("of yours.")
    return 0


def show(file: str, *, free: bool) -> int:
    """Say what the figure of a file is, and show it."""
    model = ar.load(file, root=ar.Free() if free else None)
    page = model.save_html(Path(tempfile.mkdtemp(), "figure.html"))
    print(str(model).splitlines()[0])
    print(f"  {page}")
    print(f"  {OPENED if open_page(page) else UNOPENED}")
    print(f"  {PAUSED if model.nv else 'Nothing in it moves.'}")
    if not free:
        print("  Its base is fixed; `python -m arthron --free FILE` shows it with a free one.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
