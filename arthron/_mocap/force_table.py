"""Joint forces and forces of the ground as a table of comma-separated values."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from .._model.model import Model
from .._tree.joints import Prismatic
from ..errors import FileError
from .clip import Clip
from .clip_forces import ClipForces

DIGITS = "%.9g"


def force_columns(model: Model) -> list[str]:
    """Names and units of joint forces, one for each velocity coordinate but the root's six."""
    names = []
    for joint, body in zip(model.joint_names[1:], model.bodies[1:], strict=True):
        unit = "N" if isinstance(body.joint, Prismatic) else "N m"
        count = body.joint.nv
        parts = [""] if count == 1 else [f" {axis}" for axis in ("xyz" if count == 3 else "123456")]
        names += [f"{joint}{part} [{unit}]" for part in parts[:count]]
    return names


def write_table(clip: Clip, forces: ClipForces, path: Path) -> None:
    """Write a row for each frame, below a row of names and units."""
    header = [
        "time [s]", *force_columns(clip.model),
        *(f"ground force {axis} [N]" for axis in "xyz"),
        *(f"center of pressure {axis} [m]" for axis in "xyz"),
        *(f"residual torque {axis} [N m]" for axis in "xyz"),
        *(f"residual force {axis} [N]" for axis in "xyz"),
        *(f"{link} stands" for link in forces.supports), "center of pressure outside",
    ]  # fmt: skip
    rows = np.column_stack([
        clip.times, forces.tau[:, 6:], forces.ground_force, forces.center_of_pressure,
        forces.residual, *forces.supports.values(), forces.outside,
    ])  # fmt: skip
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerow(header)
            np.savetxt(file, rows, fmt=DIGITS, delimiter=",")
    except OSError as error:
        raise FileError(
            f"it cannot be written: {error.strerror}. Check the path.", str(path)
        ) from None
