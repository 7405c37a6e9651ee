"""Exponential and logarithm of rotations and rigid motions, and quaternions."""

import math

import mpmath as mp
import numpy as np
import pytest

from arthron._graph.autodiff import forward, jacobian, reverse
from arthron._graph.evaluate import evaluate
from arthron._graph.graph import Graph
from arthron._spatial.transform import clean, from_rpy, left_jacobian
from arthron.spatial import (
    Mat3,
    Motion,
    Transform,
    Vec3,
    exp_quaternion,
    exp_se3,
    exp_so3,
    log_quaternion,
    log_se3,
    log_so3,
    quaternion_from_matrix,
    quaternion_product,
    quaternion_rotation,
    rotation,
)

ANGLES = [0.0, 1e-300, 1e-12, 1e-8, 1e-4, 1.0, 3.0, math.pi - 1e-8, math.pi]
AXES = {
    "x": (1.0, 0.0, 0.0), "-y": (0.0, -1.0, 0.0), "z": (0.0, 0.0, 1.0),
    "xy": (0.6, 0.8, 0.0), "-xyz": (-2 / 3, -1 / 3, -2 / 3),
    "nearly x": (math.sqrt(1 - 2e-16), 1e-8, -1e-8), "any": (0.36, -0.48, 0.8),
}  # fmt: skip
POINT = (0.3, -1.2, 0.7)

turns = [
    pytest.param([angle * u for u in axis], id=f"{angle:.9g} about {name}")
    for angle in ANGLES
    for name, axis in AXES.items()
]


def exact_pose(w, v):
    """exp of the 4 x 4 matrix ([w] v; 0 0), to 30 digits."""
    x, y, z = w
    with mp.workdps(40):
        A = mp.matrix([[0, -z, y, v[0]], [z, 0, -x, v[1]], [-y, x, 0, v[2]], [0, 0, 0, 0]])
        return np.array(mp.expm(A, method="taylor").tolist(), float)


def same_turn(a, b):
    """Rotation vectors of one rotation: equal, or opposite when the angle is pi."""
    opposite = np.linalg.norm(a) > math.pi - 1e-9 and np.dot(a, b) < 0
    np.testing.assert_allclose(-np.array(a) if opposite else a, b, rtol=4e-15, atol=1e-15)


@pytest.mark.parametrize("w", turns)
def test_exp_is_the_matrix_exponential(w):
    pose = exact_pose(w, POINT)
    np.testing.assert_allclose(exp_so3(Vec3(*w)), pose[:3, :3], rtol=0, atol=1e-15)
    np.testing.assert_allclose(quaternion_rotation(*exp_quaternion(Vec3(*w))), pose[:3, :3],
                               rtol=0, atol=8e-16)  # fmt: skip
    np.testing.assert_allclose(exp_se3(Motion(Vec3(*w), Vec3(*POINT))).matrix(), pose,
                               rtol=0, atol=1e-15)  # fmt: skip


@pytest.mark.parametrize("w", turns)
def test_log_undoes_exp(w):
    same_turn(log_so3(exp_so3(Vec3(*w))), w)
    same_turn(log_quaternion(exp_quaternion(Vec3(*w))), w)
    twist = log_se3(exp_se3(Motion(Vec3(*w), Vec3(*POINT))))
    same_turn(twist.ang, w)
    np.testing.assert_allclose(twist.lin, POINT, rtol=0, atol=4e-15)


@pytest.mark.parametrize("w", turns)
def test_exp_undoes_log(w):
    R = Mat3.from_rows(exact_pose(w, POINT)[:3, :3])
    np.testing.assert_allclose(exp_so3(log_so3(R)), R, rtol=0, atol=2e-15)
    X = Transform.from_pose(R, Vec3(*POINT))
    np.testing.assert_allclose(exp_se3(log_se3(X)).matrix(), X.matrix(), rtol=0, atol=5e-15)
    np.testing.assert_allclose(quaternion_rotation(*quaternion_from_matrix(R)), R,
                               rtol=0, atol=1e-15)  # fmt: skip


def test_rotation_about_an_axis_is_exp():
    for angle in (-7.0, -1e-9, 0.0, 0.3, math.pi, 5.0):
        for axis in AXES.values():
            w = Vec3(*axis) * angle
            np.testing.assert_allclose(rotation(Vec3(*axis), angle), exp_so3(w), atol=2e-15)


def test_left_jacobian_is_the_mean_of_exp():
    w = Vec3(0.9, -1.7, 0.4)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    R = sum(0.5 * k * np.array(exp_so3(w * (0.5 + 0.5 * t)))
            for t, k in zip(nodes, weights, strict=True))  # fmt: skip
    np.testing.assert_allclose(left_jacobian(w), R, rtol=0, atol=1e-14)


@pytest.mark.parametrize("function", [
    lambda w: exp_so3(w), lambda w: log_so3(exp_so3(w)), lambda w: exp_quaternion(w),
    lambda w: log_quaternion(exp_quaternion(w)), lambda w: log_se3(exp_se3(Motion(w, w))),
    lambda w: quaternion_from_matrix(exp_so3(w)),
])  # fmt: skip
def test_arrays_and_traces_agree_with_floats(function):
    rows = np.array([turn.values[0] for turn in turns])
    floats = np.array([np.ravel(function(Vec3(*row))) for row in rows.tolist()])
    array = np.stack([np.broadcast_to(x, len(rows)) for x in _flat(function(Vec3(*rows.T)))], -1)
    graph = Graph()
    positions = [graph.lift(x) for x in _flat(function(Vec3(*graph.inputs(3))))]
    traced = np.stack([np.broadcast_to(x, len(rows)) for x in evaluate(graph, positions, rows.T)],
                      -1)  # fmt: skip
    half_turn = np.linalg.norm(rows, axis=1) > 3.14  # either sign is right there
    np.testing.assert_allclose(array[~half_turn], floats[~half_turn], rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(traced, array, rtol=1e-14, atol=1e-15)


def _flat(value):
    return [x for v in value for x in _flat(v)] if isinstance(value, tuple) else [value]


QUATERNIONS = [(1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.5, 0.5, -0.5, 0.5),
               (0.1, -0.7, 0.7, 0.1), (1.0, 1e-9, 0.0, 0.0), (1e-9, 0.6, 0.0, 0.8)]  # fmt: skip


@pytest.mark.parametrize("length", [1.0, -1.0, 3.7, -1e-3, 1e-100, -1e-150, 1e100, 1e150])
@pytest.mark.parametrize("q", QUATERNIONS)
def test_a_quaternion_of_any_length_is_the_same_rotation(q, length):
    scaled = [length * x for x in q]
    x, y, z = np.array(q[1:]) / np.linalg.norm(q)
    w = q[0] / np.linalg.norm(q)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    R = np.eye(3) + 2 * w * K + 2 * K @ K
    np.testing.assert_allclose(quaternion_rotation(*scaled), R, rtol=0, atol=1e-15)
    turn = log_quaternion(scaled)
    assert turn.norm() <= math.pi * (1 + 1e-15)
    np.testing.assert_allclose(exp_so3(turn), R, rtol=0, atol=2e-15)


def test_quaternions_multiply_as_rotations_do():
    rng = np.random.default_rng(0)
    for _ in range(10):
        a, b = rng.normal(size=(2, 4)).tolist()
        ab = quaternion_rotation(*quaternion_product(a, b))
        expected = quaternion_rotation(*a) @ quaternion_rotation(*b)
        np.testing.assert_allclose(ab, expected, rtol=0, atol=2e-15)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_log_quaternion_has_derivatives_at_the_identity(mode, sign):
    graph = Graph()
    q = graph.inputs(4)
    outputs = [x.position for x in log_quaternion(q)]
    wrt = [x.position for x in q]
    if mode == "forward":
        rows = jacobian(graph, outputs, wrt)
    else:
        rows = [reverse(graph, [o], [1.0], wrt) for o in outputs]
    at = [sign, 0.0, 0.0, 0.0]
    first = [graph.lift(x) for row in rows for x in row]
    expected = 2 * sign * np.eye(4)[1:]
    np.testing.assert_array_equal(np.reshape(evaluate(graph, first, at), (3, 4)), expected)
    second = [graph.lift(x) for p in wrt for x in forward(graph, first, {p: 1.0})]
    values = np.reshape(evaluate(graph, second, at), (4, 3, 4))
    # log q = 2 v / w near w = +-1, to second order: the mixed derivative is -2 / w^2
    hessian = np.zeros((4, 3, 4))
    for i in range(3):
        hessian[0, i, i + 1] = hessian[i + 1, i, 0] = -2.0
    np.testing.assert_allclose(values, hessian, rtol=0, atol=1e-15)


def test_rpy_is_roll_then_pitch_then_yaw_about_fixed_axes():
    roll, pitch, yaw = 0.3, -1.1, 2.5
    x, y, z = np.eye(3)
    expected = np.eye(3)
    for axis, angle in ((x, roll), (y, pitch), (z, yaw)):
        expected = exact_pose(angle * axis, POINT)[:3, :3] @ expected
    np.testing.assert_allclose(from_rpy(roll, pitch, yaw), expected, rtol=0, atol=1e-15)


def test_right_angles_give_exact_zeros_and_ones():
    angles = [k * math.pi / 2 for k in range(-4, 5)] + [1.5707963, 3.14159265358979]
    for rpy in [(a, b, c) for a in angles[:9] for b in angles[:9] for c in angles[:9]]:
        assert {abs(x) for row in from_rpy(*rpy) for x in row} == {0.0, 1.0}
    rounded = from_rpy(angles[9], 0.0, 0.0)  # seven digits are not a right angle
    assert rounded.y.y != 0.0
    assert from_rpy(angles[10], 0.0, 0.0).y == Vec3(0.0, -1.0, 0.0)


def test_clean_changes_only_what_is_within_a_hair_of_zero_and_one():
    R = Mat3.from_rows([[1 - 1e-15, 1e-15, 2e-14], [-1e-15, -1 + 1e-15, 0.5], [0.1, 0.2, 0.3]])
    assert clean(R) == Mat3.from_rows([[1, 0, 2e-14], [0, -1, 0.5], [0.1, 0.2, 0.3]])
