"""Joints of every kind, states where they might fail, and what the pose alone says of their motion.

Nothing here asks a joint for S or its drift: those come from differences of the pose along a path,
eight digits and better, so that they can be held against what the joint says.
"""

import itertools
import math

import numpy as np

import arthron as ar
from arthron._figure.random import KINDS
from arthron.spatial import Transform, Vec3, rotation

AXIS = np.array([0.48, -0.6, 0.64])
SEQUENCES = ["".join(s) for s in itertools.product("xyz", repeat=3) if s[0] != s[1] != s[2]]
CHARTED = [s for s in SEQUENCES if s[0] != s[2]]


def knee(q):
    """A shin that rolls on the round end of the thigh, and slides back as it bends."""
    roll, slide = 0.06 * q[0], 0.02 * ar.sin(1.5 * q[0])
    R = rotation(Vec3(0.0, 1.0, 0.0), q[0] + 0.1 * q[0] * q[0])
    return R, Vec3(roll - slide, 0.01 * q[0], -0.05 * ar.cos(q[0])) + R @ Vec3(0.0, 0.0, -0.4)


def saddle(q):
    """Two coordinates that turn and shift together, as at the root of the thumb."""
    a, b = q
    R = rotation(Vec3(1.0, 0.0, 0.0), a) @ rotation(Vec3(0.0, 0.6, 0.8), b + 0.3 * a * b)
    return R, Vec3(0.1 * ar.cos(a + b), 0.2 * a * b, 0.3 * ar.sin(a) + 0.1 * b)


def crank(q):
    """A rod whose end runs on an ellipse; as a `Transform`."""
    R = rotation(Vec3(0.0, 0.0, 1.0), ar.atan2(0.5 * ar.sin(q[0]), 2.0 + ar.cos(q[0])))
    return Transform.from_pose(R, Vec3(0.5 * ar.cos(q[0]), 0.3 * ar.sin(q[0]), 0.1))


def frames(n, seed, turn=0.8):
    """Control frames of a curve, each a moderate step from the one before."""
    rng = np.random.default_rng(seed)
    around = 2.0 * np.pi * np.arange(n) / n
    places = np.stack([np.cos(around), np.sin(around), 0.3 * np.sin(2.0 * around)], axis=-1)
    return [ar.pose(p + 0.1 * rng.normal(size=3), turn * rng.normal(size=3)) for p in places]


def values(n1, n2, seed):
    """Control values of a surface: a bumpy sheet whose frames lean this way and that."""
    rng = np.random.default_rng(seed)
    sheet = 0.3 * rng.normal(size=(n1, n2, 6))
    sheet[..., 0] += np.arange(n1)[:, None]
    sheet[..., 1] += np.arange(n2)
    return sheet


SHRUG = ar.Composite([ar.Prismatic("y"), ar.Universal("y", "z")])
CASES = {
    **{kind: make(AXIS) for kind, make in KINDS.items()},
    **{f"euler {s}": ar.Euler(s) for s in SEQUENCES},
    **{f"charts {s}": ar.Euler(s, charts=True) for s in CHARTED},
    "curve of four": ar.SplineCurve(frames(4, 1)),
    "curve": ar.SplineCurve(frames(7, 2)),
    "cyclic curve": ar.SplineCurve(frames(5, 3), cyclic=True),
    "long curve": ar.SplineCurve(frames(40, 4, turn=0.3)),
    "long cyclic curve": ar.SplineCurve(frames(33, 5, turn=0.3), cyclic=True),
    "points only": ar.SplineCurve([(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 2)]),
    "patch": ar.SplineSurface(values(4, 4, 6)),
    "patches": ar.SplineSurface(values(5, 7, 7)),
    "tube": ar.SplineSurface(values(5, 6, 8), cyclic=(True, False)),
    "torus": ar.SplineSurface(values(4, 5, 9), cyclic=(True, True)),
    "catmull-rom": ar.SplineCurve(frames(6, 13, turn=0.3), basis="catmull-rom"),
    "bezier loop": ar.SplineCurve(frames(12, 14, turn=0.1), cyclic=True, basis="bezier"),
    "knotted curve": ar.SplineCurve(
        frames(7, 15, turn=0.2), knots=(0, 0, 0, 0, 2, 2, 5, 8, 8, 8, 8)
    ),
    "knotted tube": ar.SplineSurface(
        values(5, 5, 16), (True, False), ("b-spline", "catmull-rom"), ((0, 1, 1, 3, 4, 6), None)
    ),
    "knee": ar.Custom(knee),
    "saddle": ar.Custom(saddle, 2, start=(0.2, -0.1)),
    "crank": ar.Custom(crank),
    "nested": ar.Composite([ar.Revolute("x"), SHRUG, ar.Helical("x", 0.2)]),
    "mixed row": ar.Composite([ar.Custom(knee), ar.SplineCurve(frames(6, 10)), ar.Spherical()]),
    "turn then slide": ar.Composite([ar.Spherical("exponential"), ar.Translational()]),
    "universal xy": ar.Universal("x", "y"),
}
"""Every kind of joint, by what to call it."""

OF_ROTATION_VECTOR = {"exponential": 0, "free exponential": 3, "turn then slide": 0}
"""Where the rotation vector starts in q, for joints that have one."""
OF_QUATERNION = {"spherical": 0, "free": 3, "composite": 1, "mixed row": 2}
"""Where the quaternion starts in q, for joints that have one."""
SPLINES = {
    name: (np.array(joint.law.spans, dtype=int), np.atleast_1d(joint.cyclic))
    for name, joint in CASES.items()
    if isinstance(joint, ar.SplineCurve | ar.SplineSurface)
}
"""How far each spline goes along each coordinate, and whether it closes."""
SMALL = [name for name in CASES if name[:5] not in ("euler", "chart")] + [
    "euler zyx", "euler xzx", "charts xyz", "charts zyx",
]  # fmt: skip
"""The cases with two Euler sequences of each sort instead of all of them."""


def inside(name, q):
    """Coordinates with those of splines away from the knots, so that a short path meets none."""
    if name in SPLINES:
        return np.floor(q) + 0.3 + 0.4 * (q - np.floor(q))
    if name == "mixed row":
        return np.array([q[0], np.floor(q[1]) + 0.5, *q[2:]])
    return q


def states(name, count=2):
    """(label, q, side) of a case: random, neutral and delicate ones.

    Where `side` is not 0, the pose is smooth on that side of q only: at the knot of a spline.
    """
    joint = CASES[name]
    rng = np.random.default_rng(len(name))
    for k in range(count):
        yield f"random {k}", inside(name, np.array(joint.random(rng))), 0
    if name not in SPLINES and name != "mixed row":
        yield "neutral", np.array(joint.neutral()), 0
    if name in OF_ROTATION_VECTOR:
        at = OF_ROTATION_VECTOR[name]
        for angle in (0.0, 1e-9, 1e-4, 1.0, np.pi - 1e-6, np.pi, np.pi + 1e-6, 1.45 * np.pi):
            q = np.array(joint.random(rng))
            q[at : at + 3] = angle * AXIS / np.linalg.norm(AXIS)
            yield f"angle {angle:g}", q, 0
    if name in OF_QUATERNION:
        at = OF_QUATERNION[name]
        for length in (1e-3, 7.0):
            q = inside(name, np.array(joint.random(rng)))
            q[at : at + 4] *= length
            yield f"length {length:g}", q, 0
    if name.startswith("charts"):
        for chart in (0.0, 1.0):
            yield f"chart {chart:g}", np.array([0.4, -1.0, 2.0, chart]), 0
    if name in SPLINES:
        yield from _on_splines(*SPLINES[name])


def _on_splines(segments, cyclic):
    n = segments.astype(float)
    mid = np.full(len(n), 0.4)
    yield "start", 0.0 * n, 1
    yield "last knot", n - 1.0, 1
    yield "just before a knot", 1.0 - 1e-9 * mid, -1
    yield "end", n, 1
    yield "before the start", -1.0 + mid, 0
    yield "beyond the end", n + mid, 0
    yield "far beyond the end", n + np.where(cyclic, 2.0 * n, 1.0) + mid, 0


ALL_STATES = [(name, *state) for name in CASES for state in states(name)]


def label(value):
    """What to call a parameter of a test."""
    return value if isinstance(value, str) else ""


# From numbers to a joint and back


def columns(q):
    """The scalars that a joint takes, out of an array with coordinates along its last axis."""
    return list(np.moveaxis(np.asarray(q, dtype=float), -1, 0))


def stacked(entries, shape):
    """Nested tuples of scalars as an array, batch axes first."""
    if isinstance(entries, tuple | list):
        return np.stack([stacked(e, shape) for e in entries], axis=len(shape))
    return np.broadcast_to(np.asarray(entries, dtype=float), shape)


def pose_of(joint, q):
    """The child's 4 x 4 pose in the parent, (..., 4, 4)."""
    q = np.asarray(q, dtype=float)
    X, _, _, _ = joint(columns(q), [0.0] * joint.nv)
    return stacked(X.matrix(), q.shape[:-1])


def motion_of(joint, q, qd):
    """S (6, nv), velocity and drift (6,) as the joint gives them for one state."""
    _, S, v, c = joint(*([float(x) for x in scalars] for scalars in (q, qd)))
    v, c, *S = (np.array([*m.ang, *m.lin], dtype=float) for m in (v, c, *S))
    return np.stack(S, axis=-1), v, c


def moved(joint, q, dq, t):
    """Coordinates after the displacements t dq, (..., n, nq) for n numbers in t."""
    steps = [x[..., None] * t for x in columns(dq)]
    there = joint.integrate([x[..., None] + 0.0 * t for x in columns(q)], steps)
    return np.stack(np.broadcast_arrays(*there), axis=-1)


# Differences


def stencil(side=0, width=4, h=0.02):
    """Times about 0, and the weights of the first and second derivative there."""
    t = np.arange(-width, width + 1) if side == 0 else side * np.arange(2 * width + 1)
    powers = np.vander(t.astype(float), increasing=True).T
    rows = np.linalg.solve(powers, np.eye(len(t)))  # column k gives the k-th Taylor coefficient
    return h * t, rows[:, 1] / h, 2.0 * rows[:, 2] / h**2


def vee(A):
    """(w; v) of a matrix ([w] v; 0 0)."""
    return np.stack([A[..., 2, 1], A[..., 0, 2], A[..., 1, 0], *np.moveaxis(A[..., :3, 3], -1, 0)],
                    axis=-1)  # fmt: skip


def hat(m):
    """The 4 x 4 matrix of a twist; that of a rotation vector, 3 x 3."""
    W = np.array([[0.0, -m[2], m[1]], [m[2], 0.0, -m[0]], [-m[1], m[0], 0.0]])
    if len(m) == 3:
        return W
    return np.vstack([np.column_stack([W, m[3:]]), np.zeros(4)])


def motion_from_pose(joint, q, dq, side=0):
    """Velocity and its rate when q moves with each constant velocity in dq, by differences."""
    h = 0.01 if side else 0.006
    t, first, second = stencil(side, h=h / np.abs(dq).max())
    T = pose_of(joint, moved(joint, q, dq, t))  # (direction, t, 4, 4)
    back = np.linalg.inv(pose_of(joint, q))
    V = back @ np.tensordot(first, T, (0, 1))
    return vee(V), vee(back @ np.tensordot(second, T, (0, 1)) - V @ V)


def expm(A):
    """Matrix exponential, by its series on a small multiple and squaring."""
    A = np.asarray(A, dtype=float) / 2.0**8
    total = term = np.eye(len(A))
    for k in range(1, 14):
        term = term @ A / k
        total = total + term
    for _ in range(8):
        total = total @ total
    return total


def logm(T):
    """Twist (w; v) of a pose whose angle is less than pi, by repeated square roots."""
    for _ in range(12):
        X, Y = T, np.eye(4)
        for _ in range(30):  # Denman and Beavers
            X, Y = 0.5 * (X + np.linalg.inv(Y)), 0.5 * (Y + np.linalg.inv(X))
        T = X
    A, total, power = T - np.eye(4), np.zeros((4, 4)), np.eye(4)
    for k in range(1, 12):
        power = power @ A
        total = total - (-1.0) ** k * power / k
    return vee(total) * 2.0**12


def error(found, expected, scale=1.0):
    """Largest difference, beside the largest number or `scale`."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    assert np.all(np.isfinite(found))
    size = max(np.abs(expected).max(initial=0.0), scale, math.ulp(0.0))
    return np.abs(found - expected).max(initial=0.0) / size


def body_of(joint, name="body", seed=0, **more):
    """A body with full inertia, off its axes, that a joint moves."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3))
    spread = A @ A.T
    moments = 0.1 * (np.trace(spread) * np.eye(3) - spread)
    com = Vec3(*(float(x) for x in 0.2 * rng.normal(size=3)))
    inertia = ar.Inertia.from_com(1.0 + rng.uniform(), com, ar.spatial.Mat3.from_rows(moments))
    return ar.Body(name, joint, inertia=inertia, **more)


def model_of(joint, **more):
    """One body behind a joint, in a frame turned from the world."""
    place = ar.pose((0.1, 0.2, -0.3), (0.5, -0.4, 0.8))
    return ar.Model([body_of(joint, placement=place)], **more)
