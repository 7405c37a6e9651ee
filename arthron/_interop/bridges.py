"""One joint in the layouts of two libraries: coordinates and velocities there and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._figure.figure import Array
from .._spatial.transform import (
    Transform,
    quaternion_from_matrix,
    quaternion_product,
    quaternion_rotation,
)


@dataclass(frozen=True)
class Bridge:
    """One joint in two layouts: x = q_to(q), v = P(q) qd.

    Attributes:
        nq: how many coordinates we have.
        nx: how many they have.
        nv: how many velocities both have.
        q_to: their coordinates from ours.
        q_from: ours from theirs.
        P: matrix that takes our velocity to theirs, orthogonal.
        drift: dP/dt qd, a function of q and qd.
    """

    nq: int
    nx: int
    nv: int
    q_to: Callable[[Array], Array]
    q_from: Callable[[Array], Array]
    P: Callable[[Array], Array]
    drift: Callable[[Array, Array], Array | float] = lambda q, qd: 0.0


def straight(n: int, zero: float = 0.0) -> Bridge:
    """Plain coordinates, which they count from `zero`."""
    return Bridge(n, n, n, lambda q: q + zero, lambda x: x - zero, lambda q: np.eye(n))


def circle() -> Bridge:
    """An angle, which they have as (cos, sin)."""
    return Bridge(
        1, 2, 1,
        lambda q: np.concatenate([np.cos(q), np.sin(q)], -1),
        lambda x: np.arctan2(x[..., 1:], x[..., :1]),
        lambda q: np.eye(1),
    )  # fmt: skip


def planar_in_body() -> Bridge:
    """A planar joint, which they have as (x, y, cos, sin) with velocity in body axes."""
    angle = circle()

    def P(q: Array) -> Array:
        c, s, zero = np.cos(q[..., 2]), np.sin(q[..., 2]), np.zeros(q.shape[:-1])
        return _stacked([[c, s, zero], [-s, c, zero], [zero, zero, zero + 1.0]])

    def drift(q: Array, qd: Array) -> Array:
        x, y, turn = np.moveaxis(apply(P(q), qd), -1, 0)
        return np.stack([turn * y, -turn * x, 0.0 * turn], -1)

    return Bridge(
        3, 4, 3,
        lambda q: np.concatenate([q[..., :2], angle.q_to(q[..., 2:])], -1),
        lambda x: np.concatenate([x[..., :2], angle.q_from(x[..., 2:])], -1),
        P, drift,
    )  # fmt: skip


def ball(order: Sequence[int]) -> Bridge:
    """A quaternion, which they have in the order `order` of ours."""
    there = np.array(order)
    back = np.argsort(there)
    return Bridge(
        4, 4, 3, lambda q: _unit(q)[..., there], lambda x: x[..., back], lambda q: np.eye(3)
    )


def free_in_body() -> Bridge:
    """A free joint by position and quaternion with w last, velocity [linear; angular]."""
    turn = ball((1, 2, 3, 0))
    return Bridge(
        7, 7, 6,
        lambda q: np.concatenate([q[..., :3], turn.q_to(q[..., 3:])], -1),
        lambda x: np.concatenate([x[..., :3], turn.q_from(x[..., 3:])], -1),
        lambda q: np.roll(np.eye(6), 3, 0),
    )  # fmt: skip


def free_in_world(home: Transform) -> Bridge:
    """A free joint by its pose in the world, velocity [linear in the world; angular in the body].

    Args:
        home: where our joint is in the world.
    """
    R0, p0 = np.array(home.R), np.array(home.r)

    def q_to(q: Array) -> Array:
        turn = _product(quaternion_from_matrix(home.R), _unit(q[..., 3:]))
        return np.concatenate([apply(R0, q[..., :3]) + p0, turn], -1)

    def q_from(x: Array) -> Array:
        turn = _product(quaternion_from_matrix(home.E), x[..., 3:])
        return np.concatenate([apply(R0.T, x[..., :3] - p0), turn], -1)

    def rotation(q: Array) -> Array:
        return R0 @ _stacked(quaternion_rotation(*np.moveaxis(q[..., 3:], -1, 0)))

    def P(q: Array) -> Array:
        P = np.zeros((*q.shape[:-1], 6, 6))
        P[..., :3, 3:], P[..., 3:, :3] = rotation(q), np.eye(3)
        return P

    def drift(q: Array, qd: Array) -> Array:
        lin = apply(rotation(q), np.cross(qd[..., :3], qd[..., 3:]))
        return np.concatenate([lin, np.zeros_like(lin)], -1)

    return Bridge(7, 7, 6, q_to, q_from, P, drift)


def _unit(q: Array) -> Array:
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def _product(a: Sequence[float], b: Array) -> Array:
    return np.stack(quaternion_product(a, tuple(np.moveaxis(b, -1, 0))), -1)


def _stacked(rows: Any) -> Array:
    """A matrix of arrays as an array of matrices."""
    return np.stack([np.stack(list(row), -1) for row in rows], -2)


def apply(matrix: Array, vector: Array) -> Array:
    return (matrix @ vector[..., None])[..., 0]
