"""`python -m arthron motion`: what moved the people in files of motion capture, as tables."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .._simulate.progress import Bar
from ..errors import ArthronError, FileError
from .clip import Clip
from .clip_forces import ClipForces
from .force_table import force_columns, write_table
from .load_motion import load_motion

ENDINGS = (".bvh", ".amc")


def motion_command(arguments: Sequence[str]) -> int:
    """Run the command; 0 when all files were read."""
    parser = argparse.ArgumentParser(
        prog="arthron motion",
        description="Joint torques and ground reaction of clips of motion capture, as CSV files.",
    )
    parser.add_argument("path", type=Path, help="a .bvh or .amc file, or a folder of such")
    parser.add_argument("--mass", type=float, help="of the person [kg]; guessed when left out")
    parser.add_argument("--height", type=float, help="of the person [m]; guessed when left out")
    parser.add_argument(
        "--rate", type=float, help="frames a second [Hz]; what the file says, or 120"
    )
    parser.add_argument("--cutoff", type=float, default=6.0, help="of the low-pass filter [Hz]: 6")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the tables: out")
    given = parser.parse_args(arguments)
    try:
        files = motion_files(given.path)
    except FileError as error:
        print(error, file=sys.stderr)
        return 1
    failed = 0
    with Bar(len(files), wanted=True) as bar:
        for done, file in enumerate(files):
            bar.show(done)
            try:
                clip = load_motion(file, mass=given.mass, height=given.height, rate=given.rate)
                clip = clip[1:] if "first frame" in clip.about else clip
                clip = clip.smoothed(given.cutoff)
                forces = clip.inverse_dynamics()
                folder = given.path if given.path.is_dir() else given.path.parent
                table = given.out / f"{file.relative_to(folder)}.csv"
                write_table(clip, forces, table)
            except ArthronError as error:
                failed += 1
                said = str(error) if isinstance(error, FileError) else f"{file}: {error}"
                bar.close()
                print(said, file=sys.stderr)
                continue
            bar.close()
            print(f"{file.name}: {summary(clip, forces)} -> {table}")
    if failed:
        print(f"{failed} of {len(files)} files could not be used.", file=sys.stderr)
    return int(failed > 0)


def motion_files(path: Path) -> list[Path]:
    """A file, or all files of motion in a folder and those inside it."""
    if not path.exists():
        raise FileError("there is no such file or folder. Check the path.", str(path))
    if not path.is_dir():
        return [path]
    found = sorted(p for p in path.rglob("*") if p.suffix.lower() in ENDINGS and p.is_file())
    if not found:
        raise FileError(f"there is no file {' or '.join(ENDINGS)} in this folder.", str(path))
    return found


def summary(clip: Clip, forces: ClipForces) -> str:
    """A line about a clip: how long, how it was pushed, the largest joint torque."""
    weight = clip.model.mass * float(np.linalg.norm(clip.model.gravity))
    stands = np.any(list(forces.supports.values()), axis=0)
    torques = np.abs(forces.tau[:, 6:])
    largest = int(np.argmax(torques.max(0)))
    where = force_columns(clip.model)[largest].partition(" [")[0]
    return (
        f"{len(clip)} frames at {clip.rate:.5g} Hz, {clip.model.mass:.1f} kg, on the ground "
        f"{100 * stands.mean():.0f} %, with up to {forces.ground_force[:, 2].max() / weight:.2f} "
        f"times the weight, centre of pressure outside the feet in "
        f"{100 * forces.outside.mean():.0f} % of frames, largest torque {torques.max():.0f} N m at "
        f"{where}"
    )
