"""Rotations of many frames at once: quaternions (w, x, y, z), matrices and angles about axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._figure.figure import Array

AXIS_NUMBER = {"x": 0, "y": 1, "z": 2}


def quaternion_about(axis: int, angle: Array) -> Array:
    """Turns about x, y or z by angles [rad], (..., 4)."""
    found = np.zeros((*np.shape(angle), 4))
    found[..., 0], found[..., 1 + axis] = np.cos(0.5 * angle), np.sin(0.5 * angle)
    return found


def quaternion_products(a: Array, b: Array) -> Array:
    """The turn b, then a."""
    w, x, y, z = np.moveaxis(a, -1, 0)
    W, X, Y, Z = np.moveaxis(b, -1, 0)
    return np.stack(
        [w * W - x * X - y * Y - z * Z, w * X + x * W + y * Z - z * Y,
         w * Y - x * Z + y * W + z * X, w * Z + x * Y - y * X + z * W], -1,
    )  # fmt: skip


def from_angles(order: str, angles: Sequence[Array]) -> Array:
    """Products of turns about axes from left to right: "zyx" is Rz Ry Rx."""
    found = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in zip(order, angles, strict=True):
        found = quaternion_products(found, quaternion_about(AXIS_NUMBER[axis], angle))
    return found


def rotation_matrices(q: Array) -> Array:
    """Of quaternions, (..., 3, 3)."""
    w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    return np.stack(rows, -1).reshape(*w.shape, 3, 3)


def quaternions_of(R: Array) -> Array:
    """Of rotation matrices: the column of largest diagonal of 4 q q^T, which is never small."""
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    a, b, c = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    d, e, f = R[..., 1, 0] + R[..., 0, 1], R[..., 0, 2] + R[..., 2, 0], R[..., 2, 1] + R[..., 1, 2]
    rows = [
        1 + xx + yy + zz, a, b, c,
        a, 1 + xx - yy - zz, d, e,
        b, d, 1 - xx + yy - zz, f,
        c, e, f, 1 - xx - yy + zz,
    ]  # fmt: skip
    outer = np.stack(rows, -1).reshape(*xx.shape, 4, 4)
    best = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), -1)
    found = np.take_along_axis(outer, best[..., None, None], -2)[..., 0, :]
    return found / np.linalg.norm(found, axis=-1, keepdims=True)


def angles_of(R: Array, order: str) -> Array:
    """Angles [rad] about three different axes, R = Ra Rb Rc, in time, (frames, 3).

    Of the two ways to turn so, each frame takes the one that is nearer to the frame before.
    """
    i, j, k = (AXIS_NUMBER[axis] for axis in order)
    e = 1.0 if (j - i) % 3 == 1 else -1.0
    a = np.arctan2(-e * R[:, j, k], R[:, k, k])
    b = np.arctan2(e * R[:, i, k], np.hypot(R[:, i, i], R[:, i, j]))
    # Rb Rc = Ra^T R, whose row j is that of Rc: right beside b = 90 degrees, too
    row = np.cos(a)[:, None] * R[:, j] + e * np.sin(a)[:, None] * R[:, k]
    c = np.arctan2(e * row[:, i], row[:, j])
    first = np.stack([a, b, c], -1)
    other = np.stack([a + np.pi, np.pi - b, c + np.pi], -1)
    # how far two ways are apart does not change when both are exchanged
    change = _apart(other[1:], first[:-1]) < _apart(first[1:], first[:-1])
    exchanged = np.concatenate([[0], np.cumsum(change) % 2]).astype(bool)
    return np.unwrap(np.where(exchanged[:, None], other, first), axis=0)


def _apart(a: Array, b: Array) -> Array:
    """Sum of differences of angles, the short way round."""
    away = a - b
    return np.abs(away - 2.0 * np.pi * np.round(away / (2.0 * np.pi))).sum(-1)


def continuous(q: Array) -> Array:
    """Quaternions along the first axis, each on the side of the one before."""
    turned = np.einsum("...i,...i->...", q[1:], q[:-1]) < 0.0
    signs = np.where(np.cumsum(turned, axis=0) % 2, -1.0, 1.0)
    return np.concatenate([q[:1], q[1:] * signs[..., None]])
