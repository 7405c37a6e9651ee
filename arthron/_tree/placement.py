"""Where a frame is, from what a user may give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._spatial.transform import Transform, clean, from_rpy
from .._spatial.vectors import Mat3, Vec3
from ..errors import ModelError


def pose(
    xyz: Sequence[float] = (0.0, 0.0, 0.0), rpy: Sequence[float] = (0.0, 0.0, 0.0)
) -> Transform:
    """A placement: position [m], and rotation by roll, pitch, yaw about fixed x, y, z [rad]."""
    return Transform.from_pose(from_rpy(*three("rpy", rpy)), Vec3(*three("xyz", xyz)))


def three(name: str, values: Any) -> tuple[float, float, float]:
    """Three finite numbers out of what a user gives for `name`."""
    try:
        a, b, c = (float(v) for v in values)
    except (TypeError, ValueError):
        raise ModelError(f"`{name}` is {values!r}. Give three numbers.") from None
    if not all(math.isfinite(v) for v in (a, b, c)):
        raise ModelError(f"`{name}` is ({a:g}, {b:g}, {c:g}). Give three finite numbers.")
    return a, b, c


def as_placement(value: Any) -> Transform:
    """A Transform from what a user may give: a Transform, three numbers, or a 4 x 4 pose."""
    try:
        array = np.asarray(value.matrix() if isinstance(value, Transform) else value, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(())
    if array.shape == (3,):
        return pose(tuple(array))
    if array.shape != (4, 4):
        raise ModelError(
            f"a placement is {value!r}. Give three numbers (a position), a 4 x 4 pose, or "
            "`ar.pose(xyz, rpy)`."
        )
    R = array[:3, :3]
    if not np.all(np.isfinite(array)) or np.abs(R @ R.T - np.eye(3)).max() > 1e-6:
        raise ModelError(
            "a placement's rotation is not a rotation: its columns must be finite, of unit length "
            "and perpendicular. `ar.pose(xyz, rpy)` makes one from angles."
        )
    if np.linalg.det(R) < 0:
        raise ModelError("a placement mirrors space (determinant -1). Give a right-handed frame.")
    return Transform.from_pose(clean(Mat3.from_rows(R)), Vec3(*(float(x) for x in array[:3, 3])))
