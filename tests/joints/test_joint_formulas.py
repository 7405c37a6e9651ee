"""Joints against the formulas of S19, corrected, and written once more in NumPy.

Poses come from matrix exponentials, S and its rate from the closed forms and from Alg. 3 and 4.
"""

import numpy as np
import pytest
from joint_cases import (
    AXIS,
    CASES,
    CHARTED,
    SEQUENCES,
    SPLINES,
    error,
    expm,
    frames,
    hat,
    logm,
    motion_of,
    pose_of,
    states,
    values,
)

import arthron as ar

E = np.eye(6)
LETTERS = dict(zip("xyz", E[:3], strict=True))
B = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6.0
"""The cubic B-spline's basis, by powers of u (2.57)."""


def turn(w):
    return expm(hat([*w, 0, 0, 0]))


def shift(p):
    return expm(hat([0, 0, 0, *p]))


def by_quaternion(w, x, y, z):
    n = np.linalg.norm((x, y, z))
    return turn(np.array([x, y, z]) * (2.0 * np.arctan2(n, w) / max(n, 1e-300)))


def in_row(*poses):
    return np.linalg.multi_dot(poses)


def euler(sequence):
    return lambda a, b, c, chart=0.0: in_row(
        *(turn(angle * LETTERS[s][:3]) for s, angle in zip(sequence, (a, b, c), strict=True)),
        turn(chart * np.pi / 2 * LETTERS[sequence[1]][:3]),
    )


def plane(normal):
    """The two axes across a normal: the shortest rotation from z, applied to x and y."""
    w = np.cross([0, 0, 1.0], normal)
    w *= np.arccos(normal[2]) / np.linalg.norm(w)
    return turn(w)[:3, :2].T


ACROSS = plane(AXIS)
POSES = {
    "revolute": lambda q: turn(AXIS * q),
    "prismatic": lambda q: shift(AXIS * q),
    "helical": lambda q: expm(hat([*AXIS, *0.3 * AXIS]) * q),
    "planar": lambda x, y, a: shift(x * ACROSS[0] + y * ACROSS[1]) @ turn(AXIS * a),
    "planar translation": lambda x, y: shift(x * ACROSS[0] + y * ACROSS[1]),
    "translational": lambda *q: shift(q),
    "universal": lambda a, b: turn(AXIS * a) @ turn(AXIS[::-1] * b),
    "universal xy": lambda a, b: turn((a, 0, 0)) @ turn((0, b, 0)),
    "spherical": by_quaternion,
    "exponential": lambda *q: turn(q),
    "euler": euler("zyx"),
    "charts": euler("xyz"),
    "free": lambda x, y, z, *q: shift((x, y, z)) @ by_quaternion(*q),
    "free exponential": lambda x, y, z, *q: shift((x, y, z)) @ turn(q),
    "turn then slide": lambda a, b, c, *q: turn((a, b, c)) @ shift(q),
    "composite": lambda d, *q: shift(AXIS * d) @ by_quaternion(*q),
    "nested": lambda a, s, b, c, d: in_row(
        turn((a, 0, 0)),
        in_row(shift((0, s, 0)), turn((0, b, 0)), turn((0, 0, c))),
        turn((d, 0, 0)),
        shift((0.2 * d, 0, 0)),
    ),
    **{f"euler {s}": euler(s) for s in SEQUENCES},
    **{f"charts {s}": euler(s) for s in CHARTED},
}


@pytest.mark.parametrize("name", POSES)
def test_pose(name):
    for where, q, _ in states(name, count=4):
        assert error(pose_of(CASES[name], q), POSES[name](*q)) < 1e-12, where


def test_every_joint_has_a_second_opinion():
    from_functions = {"knee", "saddle", "crank", "mixed row"}  # these are their own definition
    assert set(POSES) | set(SPLINES) | from_functions == set(CASES)


@pytest.mark.parametrize("name", ["knee", "saddle", "crank"])
def test_custom_pose_is_the_function(name):
    joint = CASES[name]
    for where, q, _ in states(name, count=4):
        given = joint.pose([float(x) for x in q])
        R, p = (given.R, given.r) if isinstance(given, ar.spatial.Transform) else given
        T = pose_of(joint, q)
        assert error(T[:3], np.column_stack([np.array(R), np.array(p)])) < 1e-15, where


def test_universal_2_39_and_2_40():
    for seed in range(5):
        (q1, q2), (v1, v2) = np.random.default_rng(seed).normal(size=(2, 2))
        S, v, c = motion_of(CASES["universal xy"], (q1, q2), (v1, v2))
        c2, s2 = np.cos(q2), np.sin(q2)
        expected = np.zeros((6, 2))
        expected[:3] = [[c2, 0], [0, 1], [s2, 0]]
        rate = np.zeros((6, 2))
        rate[:3, 0] = np.array([-s2, 0, c2]) * v2
        assert error(S, expected) < 1e-15
        assert error(v, expected @ (v1, v2)) < 1e-15
        assert error(c, rate @ (v1, v2)) < 1e-14


def test_xzx_angles_2_34_and_2_35():
    for seed in range(5):
        q, qd = np.random.default_rng(seed).normal(size=(2, 3))
        S, _, c = motion_of(CASES["euler xzx"], q, qd)
        (_, c2, c3), (_, s2, s3) = np.cos(q), np.sin(q)
        expected = np.zeros((6, 3))
        expected[:3] = [[c2, 0, 1], [-s2 * c3, s3, 0], [s2 * s3, c3, 0]]
        _, v2, v3 = qd
        rate = np.zeros((6, 3))
        rate[:3, 0] = (-s2 * v2, s3 * s2 * v3 - c3 * c2 * v2, c2 * s3 * v2 + s2 * c3 * v3)
        rate[:3, 1] = (0, c3 * v3, -s3 * v3)
        assert error(S, expected) < 1e-14
        assert error(c, rate @ qd) < 1e-14


def exponential(q, qd):
    """S and S' of the rotation vector, by series where t is small."""
    t, dot = np.linalg.norm(q), q @ qd
    if t < 1e-2:
        a, b = 1 / 2 - t**2 / 24 + t**4 / 720, 1 / 6 - t**2 / 120 + t**4 / 5040
        da, db = (-1 / 12 + t**2 / 180) * dot, (-1 / 60 + t**2 / 1260) * dot
    else:
        s, c = np.sin(t), np.cos(t)
        a, b = (1 - c) / t**2, (t - s) / t**3
        da = (t * s - 2 * (1 - c)) / t**3 * (dot / t)
        db = (3 * s - 2 * t - t * c) / t**4 * (dot / t)
    K, D = hat(q), hat(qd)
    S = np.eye(3) - a * K + b * K @ K
    return S, -da * K - a * D + db * K @ K + b * (D @ K + K @ D)


ANGLES = [0.0, 1e-9, 1e-5, 1e-3, 0.1, 1.0, np.pi - 1e-7, np.pi, 4.5, 6.0]


@pytest.mark.parametrize("angle", ANGLES)
def test_exponential_2_44_and_2_47(angle):
    rng = np.random.default_rng(1)
    for _ in range(3):
        w, qd = rng.normal(size=(2, 3))
        q = angle * w / np.linalg.norm(w)
        S, rate = exponential(q, qd)
        found, _, c = motion_of(CASES["exponential"], q, qd)
        assert error(found[:3], S) < 1e-12
        assert not np.any(found[3:])
        assert error(c, [*rate @ qd, 0, 0, 0]) < 1e-11


@pytest.mark.parametrize("angle", ANGLES)
def test_free_joint_in_both_orders_2_48_to_2_50(angle):
    rng = np.random.default_rng(2)
    w, p, wd, pd = rng.normal(size=(4, 3))
    r = angle * w / np.linalg.norm(w)
    S1, S1_rate = exponential(r, wd)
    zero, one, R = np.zeros((3, 3)), np.eye(3), turn(r)[:3, :3]
    S = np.block([[S1, zero], [-hat(p) @ S1, one]])
    S_rate = np.block([[S1_rate, zero], [-hat(pd) @ S1 - hat(p) @ S1_rate, zero]])
    turned_first, _, c = motion_of(CASES["turn then slide"], [*r, *p], [*wd, *pd])
    assert error(turned_first, S) < 1e-12
    assert error(c, S_rate @ [*wd, *pd]) < 1e-11
    S = np.block([[zero, S1], [R.T, zero]])  # columns in the order of (p, r)
    S_rate = np.block([[zero, S1_rate], [-hat(S1 @ wd) @ R.T, zero]])
    shifted_first, _, c = motion_of(CASES["free exponential"], [*p, *r], [*pd, *wd])
    assert error(shifted_first, S) < 1e-12
    assert error(c, S_rate @ [*pd, *wd]) < 1e-11


def Ad(T):
    """Adjoint of a pose: motions in its frame, seen from outside (S19 1.14)."""
    R, p = T[:3, :3], T[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [hat(p) @ R, R]])


def ad(m):
    return np.block([[hat(m[:3]), np.zeros((3, 3))], [hat(m[3:]), hat(m[:3])]])


def powers(u):
    """(1, u, u^2, u^3) and its first two derivatives."""
    return np.array([[1, u, u**2, u**3], [0, 1, 2 * u, 3 * u**2], [0, 0, 2, 6 * u]])


def along_curve(C, u):
    """Q, S and dS/dq on the segment of four control frames (Alg. 3, corrected)."""
    Q, S, dS = C[0], np.zeros(6), np.zeros(6)
    for i in (1, 2, 3):
        step = logm(np.linalg.inv(C[i - 1]) @ C[i])
        b, slope, bend = powers(u) @ B[i:].sum(0)
        factor = expm(hat(step * b))
        Q, back = Q @ factor, Ad(np.linalg.inv(factor))
        dS = step * bend + back @ (dS + ad(S) @ step * slope)  # with the old S
        S = step * slope + back @ S
    return Q, S, dS


CURVES = {"curve of four": (4, 1, 0.8), "curve": (7, 2, 0.8), "cyclic curve": (5, 3, 0.8),
          "long cyclic curve": (33, 5, 0.3)}  # fmt: skip


@pytest.mark.parametrize("name", CURVES)
def test_spline_curve_algorithm_3(name):
    n, seed, size = CURVES[name]
    C = [np.array(frame.matrix()) for frame in frames(n, seed, size)]
    joint = CASES[name]
    (count,), (cyclic,) = SPLINES[name]
    assert count == (n if cyclic else n - 3)
    for k in {0, count // 2, count - 1}:
        for u in (0.0, 0.37, 1.0 - 1e-12):
            Q, S, dS = along_curve([C[(k + i) % n] for i in range(4)], u)
            found, _, c = motion_of(joint, [k + u], [1.0])
            assert error(pose_of(joint, [k + u]), Q) < 1e-11
            assert error(found[:, 0], S) < 1e-10
            assert error(c, dS) < 1e-10
            assert error(motion_of(joint, [k + u], [-2.0])[2], 4.0 * dS) < 1e-10


def over_surface(C, u, w):
    """Q, S (6, 2) and dS_ij = dS_i/dq_j on the patch of 4 x 4 control values (Alg. 4)."""
    order = [*E[3:], *E[:3]]  # translations x, y, z, then turns
    f = np.einsum("ap,pi,ijm,jq,bq->abm", powers(u), B.T, C, B, powers(w))
    slopes, bends = (f[1, 0], f[0, 1]), ((f[2, 0], f[1, 1]), (f[1, 1], f[0, 2]))
    Q, S, dS = np.eye(4), np.zeros((2, 6)), np.zeros((2, 2, 6))
    for m, e in enumerate(order):
        factor = expm(hat(e * f[0, 0, m]))
        Q, back = Q @ factor, Ad(np.linalg.inv(factor))
        for i in range(2):
            for j in range(2):
                dS[i, j] = e * bends[i][j][m] + back @ (dS[i, j] + ad(S[i]) @ e * slopes[j][m])
            S[i] = e * slopes[i][m] + back @ S[i]
    return Q, S, dS


SURFACES = {"patch": (4, 4, 6), "patches": (5, 7, 7), "tube": (5, 6, 8), "torus": (4, 5, 9)}


@pytest.mark.parametrize("name", SURFACES)
def test_spline_surface_algorithm_4(name):
    n1, n2, seed = SURFACES[name]
    grid, joint = values(n1, n2, seed), CASES[name]
    segments, cyclic = SPLINES[name]
    assert [*segments] == [n if c else n - 3 for n, c in zip((n1, n2), cyclic, strict=True)]
    rng = np.random.default_rng(seed)
    for k in {(0, 0), (0, segments[1] - 1), (segments[0] - 1, 0), tuple(segments - 1)}:
        u, w = rng.uniform(size=2)
        patch = grid[np.ix_((k[0] + np.arange(4)) % n1, (k[1] + np.arange(4)) % n2)]
        Q, S, dS = over_surface(patch, u, w)
        q, qd = (k[0] + u, k[1] + w), rng.normal(size=2)
        found, _, c = motion_of(joint, q, qd)
        assert error(pose_of(joint, q), Q) < 1e-12
        assert error(found, S.T) < 1e-12
        assert error(c, np.einsum("ijm,i,j->m", dS, qd, qd)) < 1e-12
        assert error(dS[0, 1] - dS[1, 0], ad(S[0]) @ S[1]) < 1e-13


@pytest.mark.parametrize("n", [4, 6, 49, 75, 98, 103])
def test_cyclic_curve_comes_round(n):
    """Once round is the identity, however many frames there are."""
    joint = ar.SplineCurve(frames(n, 11, turn=0.2), cyclic=True)
    u = np.array([0.0, 0.5, 1.25, n - 0.75])[:, None]
    for rounds in (-3, -1, 1, 2, 5):
        assert error(pose_of(joint, u + rounds * n), pose_of(joint, u)) < 1e-9, rounds


def test_cyclic_surface_comes_round():
    joint = ar.SplineSurface(values(49, 4, 12), cyclic=(True, False))
    q, once = np.array([[0.25, 0.5], [48.5, 0.1]]), np.array([49.0, 0.0])
    for rounds in (-1, 1, 2):
        assert error(pose_of(joint, q + rounds * once), pose_of(joint, q)) < 1e-9, rounds


@pytest.mark.parametrize("name", [*CURVES, *SURFACES])
def test_splines_are_twice_smooth_at_knots(name):
    joint, (segments, _) = CASES[name], SPLINES[name]
    qd = np.ones(joint.nv)
    for k in range(-2, segments.max() + 3):
        before, after = np.full(joint.nq, k - 1e-12), np.full(joint.nq, float(k))
        assert error(pose_of(joint, before), pose_of(joint, after)) < 1e-9
        for a, b in zip(*(motion_of(joint, q, qd) for q in (before, after)), strict=True):
            assert error(a, b, scale=10.0) < 1e-8
