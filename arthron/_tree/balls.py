"""Joints that turn freely: by quaternion, by rotation vector, by Euler angles with charts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .._spatial.inertia import Inertia
from .._spatial.linear_algebra import solve3
from .._spatial.motions import Motion, Subspace
from .._spatial.scalar import Scalar, absolute, atan2, c, cos, divide, floor, sqrt, where
from .._spatial.sums import dot
from .._spatial.transform import (
    Transform,
    exp_quaternion,
    left_jacobian,
    left_jacobian_inverse,
    log_quaternion,
    log_se3,
    log_so3,
    quaternion_from_matrix,
    quaternion_product,
    quaternion_rotation,
    rotation,
)
from .._spatial.vectors import AXES, Mat3, Vec3
from .joints import Coordinates, JointState, VectorSpace
from .search import euler_angles


def _random_quaternion(rng: np.random.Generator) -> tuple[float, ...]:
    q = rng.normal(size=4)
    return tuple(float(x) for x in q / np.linalg.norm(q))


@dataclass(frozen=True, slots=True)
class Ball:
    """A ball joint: q is a quaternion (w, x, y, z), velocity the angular velocity of the body."""

    nq = 4
    nv = 3

    def __call__(self, q: Coordinates, qd: Coordinates) -> JointState:
        S = Subspace(Motion(ang=axis) for axis in AXES.values())
        return Transform(quaternion_rotation(*q).T), S, S * qd, Motion()

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        return _quaternion(X, near)

    def neutral(self) -> tuple[float, ...]:
        return (1.0, 0.0, 0.0, 0.0)

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        return _random_quaternion(rng)

    def integrate(self, q: Coordinates, dq: Coordinates) -> tuple[Scalar, ...]:
        return quaternion_product(q, exp_quaternion(Vec3(*dq)))

    def difference(self, q0: Coordinates, q1: Coordinates) -> tuple[Scalar, ...]:
        w, x, y, z = q0
        return tuple(log_quaternion(quaternion_product((w, -x, -y, -z), q1)))

    def normalize(self, q: Coordinates, qd: Coordinates) -> tuple[Coordinates, Coordinates]:
        return _unit(q), qd

    def regrouped_inertia(self, I: Inertia) -> Inertia:
        return Inertia(I.m)

    @property
    def label(self) -> str:
        return "spherical"


@dataclass(frozen=True, slots=True)
class Floating:
    """No restraint: q = (x, y, z, qw, qx, qy, qz), velocity the body's own twist (w; v)."""

    nq = 7
    nv = 6

    def __call__(self, q: Coordinates, qd: Coordinates) -> JointState:
        S = Subspace(
            [Motion(ang=axis) for axis in AXES.values()]
            + [Motion(lin=axis) for axis in AXES.values()]
        )
        return Transform(quaternion_rotation(*q[3:]).T, Vec3(*q[:3])), S, S * qd, Motion()

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        return (*X.r, *_quaternion(X, near[3:]))

    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        return (*(float(x) for x in rng.uniform(-1.0, 1.0, 3)), *_random_quaternion(rng))

    def integrate(self, q: Coordinates, dq: Coordinates) -> tuple[Scalar, ...]:
        w, v = Vec3(*dq[:3]), Vec3(*dq[3:])
        p = Vec3(*q[:3]) + quaternion_rotation(*q[3:]) @ (left_jacobian(w) @ v)
        return (*p, *quaternion_product(q[3:], exp_quaternion(w)))

    def difference(self, q0: Coordinates, q1: Coordinates) -> tuple[Scalar, ...]:
        X0, X1 = (Transform(quaternion_rotation(*q[3:]).T, Vec3(*q[:3])) for q in (q0, q1))
        ang, lin = log_se3(X1 @ X0.inverse())
        return (*ang, *lin)

    def normalize(self, q: Coordinates, qd: Coordinates) -> tuple[Coordinates, Coordinates]:
        return (*q[:3], *_unit(q[3:])), qd

    def regrouped_inertia(self, I: Inertia) -> Inertia:
        return Inertia()

    @property
    def label(self) -> str:
        return "free"


def _quaternion(X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
    """Of the two of the same rotation, the one on the side of another."""
    q = quaternion_from_matrix(X.R)
    sign = where(dot(q, near) < 0.0, -1.0, 1.0)
    return tuple(x * sign for x in q)


def _unit(q: Coordinates) -> Coordinates:
    k = divide(1.0, sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]))
    return tuple(x * k for x in q)


@dataclass(frozen=True, slots=True)
class Exponential(VectorSpace):
    """A ball joint by its rotation vector: R = exp [q], velocity dq/dt (S19 2.42 to 2.47).

    Singular at |q| = 2 pi; `normalize` goes back to the short way round beyond 1.5 pi.
    """

    nq = 3
    nv = 3
    label = "spherical exponential"

    def __call__(self, q: Coordinates, qd: Coordinates) -> JointState:
        r, rd = Vec3(*q), Vec3(*qd)
        s, rate = r.dot(r), r.dot(rd)
        c1, c2, c3, c4, c5 = (c(k, s) for k in range(1, 6))
        K = r.tilde
        K2 = K @ K
        R = Mat3.identity() + K * c1 + K2 * c2
        S = Subspace(Motion(ang=w) for w in (Mat3.identity() - K * c2 + K2 * c3).T)
        # dc_k/dt = (k c_(k+2) - c_(k+1)) r.rd, and [rd] rd = 0
        turn = r.cross(rd)
        drift = (turn * -((2.0 * c4 - c3) * rate) + r.cross(turn) * ((3.0 * c5 - c4) * rate)
                 + rd.cross(turn) * c3)  # fmt: skip
        return Transform(R.T), S, S * qd, Motion(ang=drift)

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        return self.integrate(near, self.difference(near, log_so3(X.R)))

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        w = rng.normal(size=3)
        return tuple(float(x) for x in w / np.linalg.norm(w) * rng.uniform(0.0, math.pi))

    def difference(self, q0: Coordinates, q1: Coordinates) -> tuple[Scalar, ...]:
        """The shortest way to the pose of q1, whose vector may be some whole turns longer."""
        a, b = Vec3(*q0), Vec3(*q1)
        s = b.dot(b)
        turned = s > 1e-12
        angle = sqrt(where(turned, s, 1.0))
        turns = floor((a.dot(b) / angle - angle) * (0.5 / math.pi) + 0.5)
        return tuple(b * (1.0 + where(turned, 2.0 * math.pi * turns / angle, 0.0)) - a)

    def normalize(self, q: Coordinates, qd: Coordinates) -> tuple[Coordinates, Coordinates]:
        r = Vec3(*q)
        s = r.dot(r)
        far = s > (1.5 * math.pi) ** 2
        angle = sqrt(where(far, s, 1.0))
        turns = floor(angle * (0.5 / math.pi) + 0.5)
        new = r * where(far, 1.0 - (2.0 * math.pi) * turns / angle, 1.0)
        w = left_jacobian(-r) @ Vec3(*qd)
        rates = left_jacobian_inverse(-new) @ w
        return tuple(new), tuple(where(far, a, b) for a, b in zip(rates, qd, strict=True))

    def regrouped_inertia(self, I: Inertia) -> Inertia:
        return Inertia(I.m)


def _short(angle: Scalar) -> Scalar:
    """The same turn by half a turn at most."""
    return angle - 2.0 * math.pi * floor(angle * (0.5 / math.pi) + 0.5)


@dataclass(frozen=True, slots=True)
class EulerCharts:
    """A ball joint by three angles and the chart they are in: q = (a, b, c, chart).

    In chart 0 the rotation is R_1(a) R_2(b) R_3(c) about the axes of `sequence` (three different
    letters); in chart 1 the same is turned by a quarter about the second axis, so that each chart
    is at its best where the other is singular. `normalize` changes charts; velocity is the rate of
    the angles.
    """

    sequence: str = "xyz"
    nq = 4
    nv = 3

    def __call__(self, q: Coordinates, qd: Coordinates) -> JointState:
        R, W, drift = self._angles(q, qd)
        quarter = self._quarter(q[3])
        S = Subspace(Motion(ang=quarter.T @ w) for w in W)
        return Transform((R @ quarter).T), S, S * qd, Motion(ang=quarter.T @ drift)

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        """In the chart of the coordinates that are near."""
        axes = [AXES[letter] for letter in self.sequence]
        return (*euler_angles(axes, X.R @ self._quarter(near[3]).T, near[:3]), near[3])

    def _angles(self, q: Coordinates, qd: Coordinates) -> tuple[Mat3, tuple[Vec3, ...], Vec3]:
        """Rotation by the angles, axes of the three turns in the body, and their drift."""
        a1, a2, a3 = (AXES[letter] for letter in self.sequence)
        R2, R3 = rotation(a2, q[1]), rotation(a3, q[2])
        w1, w2, w3 = R3.T @ (R2.T @ a1), R3.T @ a2, a3
        last = w3 * qd[2]
        drift = (w1 * qd[0]).cross(w2 * qd[1] + last) + (w2 * qd[1]).cross(last)
        return rotation(a1, q[0]) @ R2 @ R3, (w1, w2, w3), drift

    def _quarter(self, chart: Scalar) -> Mat3:
        turned, straight = rotation(AXES[self.sequence[1]], math.pi / 2), Mat3.identity()
        rows = zip(turned, straight, strict=True)
        return Mat3(*(Vec3(*(where(chart > 0.5, x, y) for x, y in zip(a, b, strict=True)))
                      for a, b in rows))  # fmt: skip

    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, 0.0)

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        a, b, c_ = rng.uniform(-1.0, 1.0, 3) * (math.pi, 1.2, math.pi)
        return (float(a), float(b), float(c_), float(rng.integers(2)))

    def integrate(self, q: Coordinates, dq: Coordinates) -> tuple[Scalar, ...]:
        return (*(a + b for a, b in zip(q[:3], dq, strict=True)), q[3])

    def difference(self, q0: Coordinates, q1: Coordinates) -> tuple[Scalar, ...]:
        other = absolute(where(q0[3] > 0.5, 1.0, 0.0) - where(q1[3] > 0.5, 1.0, 0.0)) > 0.5
        turned = self._in_chart(q1, q0[3])
        there = [where(other, z, y) for y, z in zip(q1, turned[:3], strict=False)]
        half = (there[0] + math.pi, math.pi - there[1], there[2] + math.pi)  # the same rotation
        one, two = (
            Vec3(*(_short(b - a) for a, b in zip(q0, x, strict=False))) for x in (there, half)
        )
        nearer = two.dot(two) < one.dot(one)
        return tuple(where(nearer, b, a) for a, b in zip(one, two, strict=True))

    def normalize(self, q: Coordinates, qd: Coordinates) -> tuple[Coordinates, Coordinates]:
        near = absolute(cos(q[1])) < 0.5  # within 30 degrees of the singularity
        other = self._in_chart(q, where(q[3] > 0.5, 0.0, 1.0))
        new = tuple(where(near, a, b) for a, b in zip(other, q, strict=True))
        _, _, v, _ = self(q, qd)
        _, T, _, _ = self(new, qd)
        columns = Mat3(*(m.ang for m in T)).T
        rates = solve3(columns, v.ang)
        return new, tuple(where(near, a, b) for a, b in zip(rates, qd, strict=True))

    def _in_chart(self, q: Coordinates, chart: Scalar) -> tuple[Scalar, ...]:
        """The same rotation by angles of the given chart."""
        R = self._angles(q, (0.0, 0.0, 0.0))[0] @ self._quarter(q[3]) @ self._quarter(chart).T
        i, j, k = ("xyz".index(letter) for letter in self.sequence)
        sign = 1.0 if (i, j, k) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1.0
        b = atan2(R[i][k] * sign, sqrt(R[i][i] * R[i][i] + R[i][j] * R[i][j]))
        return (atan2(-R[j][k] * sign, R[k][k]), b, atan2(-R[i][j] * sign, R[i][i]), chart)

    def regrouped_inertia(self, I: Inertia) -> Inertia:
        return Inertia(I.m)

    @property
    def label(self) -> str:
        return f"spherical euler {self.sequence}, charts"
