"""Where a frame is, from what a user may give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._spatial.transform import Transform, clean, from_rpy, quaternion_rotation
from .._spatial.vectors import Mat3, Vec3, as_floats
from ..errors import ModelError


def pose(
    xyz: Sequence[float] = (0.0, 0.0, 0.0),
    rpy: Sequence[float] | None = None,
    *,
    quaternion: Sequence[float] | None = None,
    matrix: ArrayLike | None = None,
) -> Transform:
    """A placement: a position, and a rotation in one of three forms, or none.

    Args:
        xyz: position [m].
        rpy: roll, pitch, yaw about fixed x, y, z [rad].
        quaternion: (w, x, y, z), of any length but zero.
        matrix: rotation matrix, 3 x 3.
    """
    forms = {"rpy": rpy, "quaternion": quaternion, "matrix": matrix}
    given = [name for name, value in forms.items() if value is not None]
    if len(given) > 1:
        raise ModelError(f"`ar.pose` was given {' and '.join(given)}. Give one rotation.")
    R = Mat3.identity()
    if rpy is not None:
        R = from_rpy(*three("rpy", rpy))
    if quaternion is not None:
        R = _from_quaternion(quaternion)
    if matrix is not None:
        R = _from_matrix("`matrix`", matrix)
    return Transform.from_pose(R, Vec3(*three("xyz", xyz)))


def three(name: str, values: Any) -> tuple[float, float, float]:
    """Three finite numbers out of what a user gives for `name`."""
    array = as_floats(values)
    if array.shape != (3,):
        raise ModelError(f"`{name}` is {values!r}. Give three numbers.")
    a, b, c = array.tolist()
    if not np.all(np.isfinite(array)):
        raise ModelError(f"`{name}` is ({a:g}, {b:g}, {c:g}). Give three finite numbers.")
    return a, b, c


def _from_quaternion(values: Any) -> Mat3:
    array = as_floats(values)
    if array.shape != (4,) or not np.all(np.isfinite(array)) or not np.any(array):
        raise ModelError(
            f"`quaternion` is {values!r}. Give four finite numbers (w, x, y, z), not all zero."
        )
    return clean(quaternion_rotation(*(array / np.abs(array).max()).tolist()))


def _from_matrix(name: str, values: Any) -> Mat3:
    """A rotation out of what a user gives for one; `name` is what to call it in messages."""
    R = as_floats(values)
    if R.shape != (3, 3):
        raise ModelError(f"{name} is {values!r}. Give 3 x 3 numbers.")
    if not np.all(np.isfinite(R)) or np.abs(R @ R.T - np.eye(3)).max() > 1e-6:
        raise ModelError(
            f"{name} is not a rotation: its columns must be finite, of unit length and "
            "perpendicular. `ar.pose(xyz, rpy)` makes one from angles."
        )
    if np.linalg.det(R) < 0:
        raise ModelError(f"{name} mirrors space (determinant -1). Give a right-handed frame.")
    return clean(Mat3.from_rows(R))


def as_placement(value: Any) -> Transform:
    """A Transform from what a user may give: a Transform, three numbers, or a 4 x 4 pose."""
    array = as_floats(value.matrix() if isinstance(value, Transform) else value)
    if array.shape == (3,):
        return pose(tuple(array))
    if array.shape != (4, 4):
        raise ModelError(
            f"a placement is {value!r}. Give three numbers (a position), a 4 x 4 pose, or "
            "`ar.pose(xyz, rpy)`."
        )
    R = _from_matrix("the rotation of a placement", array[:3, :3])
    return Transform.from_pose(R, Vec3(*three("xyz", array[:3, 3])))
