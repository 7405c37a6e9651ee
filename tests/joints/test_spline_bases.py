"""Splines in every basis: against SciPy, through their frames, and as smooth as they say."""

from itertools import pairwise

import numpy as np
import pytest
from joint_cases import error, expm, frames, hat, logm, motion_of, pose_of, values
from scipy.interpolate import BPoly, BSpline, CubicHermiteSpline

import arthron as ar
from arthron._tree.spline_bases import MATRICES, de_boor

POINTS = np.random.default_rng(1).normal(size=(10, 3))
ENDS = (-1.0, -1.0, -1.0, -1.0, 0.5, 0.7, 0.7, 3.0, 3.0, 3.0, 6.0, 6.0, 6.0, 6.0)
"""Knots of ten control frames: clamped, a simple one, a double one, a triple one."""
LOOSE = np.cumsum([-4.0, 0.3, 0.9, 0.7, 1.0, 0.2, 1.5, 1.5, 0.4, 0.4, 2.0, 0.6, 0.1, 0.8])
ROUND = (2.0, 2.5, 2.5, 3.7, 4.0, 4.0, 4.0, 5.0, 5.8, 6.0, 7.5)
"""Knots of ten control frames round a circle."""


def rounds(points):
    """Several rounds, as a spline with ends."""
    knots, period = np.array(ROUND[:-1]), ROUND[-1] - ROUND[0]
    many = np.concatenate([knots + k * period for k in range(-2, 4)])
    return BSpline(
        many[: 5 * len(points) + 4], np.roll(np.concatenate([points] * 5), -3, axis=0), 3
    )


KNOWN = {
    "b-spline": (lambda p: BSpline(np.arange(-3.0, 11.0), p, 3), {}),
    "clamped": (lambda p: BSpline(ENDS, p, 3), {"knots": ENDS}),
    "loose": (lambda p: BSpline(LOOSE, p, 3), {"knots": LOOSE}),
    "round": (rounds, {"cyclic": True, "knots": ROUND}),
    "catmull-rom": (
        lambda p: CubicHermiteSpline(range(8), p[1:-1], (p[2:] - p[:-2]) / 2),
        {"basis": "catmull-rom"},
    ),
    "bezier": (
        lambda p: BPoly(np.stack([p[0:-1:3], p[1::3], p[2::3], p[3::3]]), range(4)),
        {"basis": "bezier"},
    ),
}
"""A spline of ten points by SciPy, and what makes it here."""


@pytest.mark.parametrize("name", KNOWN)
def test_curve_of_points_is_the_known_one(name):
    """Pose, velocity and acceleration, within it, at its knots and beyond its ends."""
    known, options = KNOWN[name]
    curve, path = ar.SplineCurve(POINTS, **options), known(POINTS)
    (start,), (length,) = curve.law.start, curve.law.spans
    for q in start + length * np.array([-0.05, 0.0, 0.13, 0.3, 0.48, 0.71, 0.99, 1.0, 1.02]):
        S, _, drift = motion_of(curve, [q], [1.0])
        assert error(pose_of(curve, [q])[:3, 3], path(q)) < 1e-12
        assert error(S[3:, 0], path(q, 1)) < 1e-12
        assert error(drift[3:], path(q, 2)) < 1e-11
        assert not S[:3].any() and not drift[:3].any()


@pytest.mark.parametrize("first", ["bezier", "clamped", "round"])
def test_surface_is_a_spline_of_splines(first):
    """Each direction in its own basis, with its own knots."""
    sheet = values(10, 10, 3)
    sheet[..., 3:] = 0.0
    bases = KNOWN[first][1].get("basis", "b-spline"), "catmull-rom"
    knots, cyclic = KNOWN[first][1].get("knots"), first == "round"
    surface = ar.SplineSurface(sheet, (cyclic, False), bases, (knots, None))
    (a, b), (along, across) = surface.law.start, surface.law.spans
    for u, w in ((0.1, 0.2), (0.55, 0.8), (0.97, -0.1)):
        q = a + u * along, b + w * across
        row = KNOWN[first][0](sheet[..., :3])(q[0])  # one spline for each column
        point = KNOWN["catmull-rom"][0](row)
        S, _, _ = motion_of(surface, q, [1.0, 1.0])
        assert error(pose_of(surface, q)[:3, 3], point(q[1])) < 1e-12
        assert error(S[3:, 1], point(q[1], 1)) < 1e-12


def test_weights_sum_to_one():
    knots = np.random.default_rng(2).uniform(0.1, 2.0, size=(20, 6)).cumsum(1)
    for B in (*MATRICES.values(), *map(de_boor, knots), de_boor([0, 0, 0, 1, 1, 1])):
        assert error(B.sum(0), [1, 0, 0, 0]) < 1e-13
    assert error(de_boor(range(6)), MATRICES["b-spline"]) < 1e-15
    assert error(de_boor([0, 0, 0, 1, 1, 1]), MATRICES["bezier"]) < 1e-15


def test_frames_in_cumulative_form():
    """C_0 exp(D_1 B~_1) exp(D_2 B~_2) ... over all frames, with weights of SciPy (S19 2.63)."""
    given = frames(10, 3)
    C = [np.array(frame.matrix()) for frame in given]
    D = [logm(np.linalg.inv(a) @ b) for a, b in pairwise(C)]
    curve = ar.SplineCurve(given, knots=ENDS)
    for q in (-1.0, 0.2, 0.6, 0.7, 2.9, 3.0, 4.5, 6.0):
        weights = BSpline(ENDS, np.eye(10), 3)(q)
        Q = C[0]
        for step, weight in zip(D, weights[::-1].cumsum()[-2::-1], strict=True):
            Q = Q @ expm(hat(step * weight))
        assert error(pose_of(curve, [q]), Q) < 1e-11


@pytest.mark.parametrize("scale", [1.0, 0.3])
def test_uniform_knots_change_nothing_but_the_unit(scale):
    given = frames(8, 4)
    u = np.linspace(-0.4, 8.6, 19)[:, None]
    knots = scale * np.arange(-3.0, 9.0)
    plain, knotted = ar.SplineCurve(given), ar.SplineCurve(given, knots=knots)
    assert error(pose_of(knotted, scale * u), pose_of(plain, u)) < 1e-12
    plain = ar.SplineCurve(given, cyclic=True)
    knotted = ar.SplineCurve(given, cyclic=True, knots=scale * np.arange(9.0))
    assert error(pose_of(knotted, scale * u), pose_of(plain, u)) < 1e-12


def smooth_handles(given):
    """The frames with those behind every third moved: the step from it is the step to it."""
    for k in range(3, len(given) - 1, 3):
        given[k + 1] = given[k] @ given[k - 1].inverse() @ given[k]
    return given


TEN = frames(10, 5)
CURVES = {
    "b-spline": (ar.SplineCurve(TEN), dict.fromkeys(range(1, 7), 2)),
    "catmull-rom": (ar.SplineCurve(TEN, basis="catmull-rom"), dict.fromkeys(range(1, 7), 1)),
    "closed catmull-rom": (
        ar.SplineCurve(TEN, cyclic=True, basis="catmull-rom"), dict.fromkeys(range(11), 1),
    ),
    "bezier": (ar.SplineCurve(TEN, basis="bezier"), {1: 0, 2: 0}),
    "closed bezier": (ar.SplineCurve(TEN[:9], cyclic=True, basis="bezier"), {1: 0, 2: 0, 3: 0}),
    "smooth bezier": (ar.SplineCurve(smooth_handles([*TEN]), basis="bezier"), {1: 1, 2: 1}),
    "knots": (ar.SplineCurve(TEN, knots=ENDS), {0.5: 2, 0.7: 1, 3.0: 0}),
    "knots round": (
        ar.SplineCurve(TEN, cyclic=True, knots=ROUND), {2.5: 1, 3.7: 2, 4.0: 0, 6.0: 2, 7.5: 2},
    ),
}  # fmt: skip
"""A curve of frames, and how often it is smooth at each of its knots."""


def drift_slope(curve, q, side):
    """Third derivative on one side of q, by differences."""
    t, weights = side * np.array([0, 1, 2, 3]) * 1e-3, np.array([-11, 18, -9, 2]) / 6e-3
    return side * weights @ [motion_of(curve, [q + x], [1.0])[2] for x in t]


@pytest.mark.parametrize("name", CURVES)
def test_smooth_at_knots_as_promised_and_no_more(name):
    curve, knots = CURVES[name]
    for q, order in knots.items():
        q = float(q)
        before, after = np.nextafter(q, -9.0) - 1e-13, q
        sides = []
        for at, side in ((before, -1), (after, 1)):
            S, _, drift = motion_of(curve, [at], [1.0])
            sides.append((pose_of(curve, [at]), S, drift, drift_slope(curve, at, side)))
        jumps = [np.abs(a - b).max() for a, b in zip(*sides, strict=True)]
        assert max(jumps[: order + 1]) < 1e-9, (q, jumps)
        assert jumps[order + 1] > 1e-2, (q, jumps)


def test_frames_that_are_met():
    """Catmull-Rom all but the ends, Bezier every third, knots where three or four are one."""
    C = np.array([frame.matrix() for frame in TEN])

    def at(curve, q):
        return pose_of(curve, np.array(q, dtype=float)[:, None])

    through = at(CURVES["catmull-rom"][0], range(8))
    closed = at(CURVES["closed catmull-rom"][0], range(-4, 15))
    assert error(through, C[1:-1]) < 1e-13
    assert error(closed, C[np.arange(-3, 16) % 10]) < 1e-13
    assert error(at(CURVES["bezier"][0], range(4)), C[::3]) < 1e-13
    assert error(at(CURVES["closed bezier"][0], range(-1, 5)), C[[6, 0, 3, 6, 0, 3]]) < 1e-13
    assert error(at(CURVES["knots"][0], [-1.0, 3.0, 6.0]), C[[0, 6, 9]]) < 1e-12


def test_knots_come_round():
    curve = CURVES["knots round"][0]
    u = np.linspace(2.0, 7.5, 9)[:, None]
    for turns in (-7, -1, 1, 30):
        assert error(pose_of(curve, u + 5.5 * turns), pose_of(curve, u)) < 1e-11


def test_coordinates_run_from_knot_to_knot():
    curve = CURVES["knots"][0]
    assert curve.neutral() == (-1.0,)
    q = np.array([curve.random(np.random.default_rng(seed)) for seed in range(100)])
    assert q.min() > -1.0 and q.max() < 6.0 and np.ptp(q) > 6.0


def test_a_closed_curve_of_one_segment():
    """Three frames of a Bezier spline are enough to go round."""
    given = frames(3, 6)
    C = np.array(given[0].matrix())
    loop = ar.SplineCurve(given, cyclic=True, basis="bezier")
    assert error(pose_of(loop, [[0.0], [1.0], [-2.0]]), np.stack([C] * 3)) < 1e-13
    assert np.abs(pose_of(loop, [0.5]) - C).max() > 0.1


@pytest.mark.parametrize("name", ["knots", "knots round", "tiny", "bezier", "closed bezier"])
def test_coordinates_of_a_pose(name):
    """Found from the start of the curve, in whatever unit its knots are."""
    tiny = ar.SplineCurve(TEN, knots=5.0 + 0.01 * np.array(ENDS))
    curve = tiny if name == "tiny" else CURVES[name][0]
    (start,), (length,) = curve.law.start, curve.law.spans
    for q in start + length * np.array([0.03, 0.4, 0.65, 0.97]):
        X, _, _, _ = curve([float(q)], [0.0])
        turns = (curve.find(X, curve.neutral())[0] - q) / length
        assert abs(turns - round(turns)) < 1e-9 and (curve.cyclic or abs(turns) < 0.5)
