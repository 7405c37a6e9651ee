"""Rates of the coordinates of a rotation and its angular velocity, against the rotation itself."""

import functools
import itertools
import math

import mpmath as mp
import numpy as np
import pytest

import arthron as ar
from arthron.spatial import (
    Mat3,
    Vec3,
    angular_velocity_of_euler,
    angular_velocity_of_exponential,
    angular_velocity_of_quaternion,
    euler_jacobian,
    euler_rates,
    exp_so3,
    exponential_rates,
    left_jacobian,
    left_jacobian_inverse,
    quaternion_rates,
    quaternion_rotation,
    rotation,
)

SEQUENCES = ["".join(s) for s in itertools.product("xyz", repeat=3) if s[0] != s[1] != s[2]]
LETTERS = dict(zip("xyz", Mat3.identity(), strict=True))
SIDES = ("local", "parent")


def turned(sequence, angles):
    one, two, three = (rotation(LETTERS[s], a) for s, a in zip(sequence, angles, strict=True))
    return one @ two @ three


COORDINATES = {
    "quaternion": (
        lambda q: quaternion_rotation(*q), 4, angular_velocity_of_quaternion, quaternion_rates,
    ),
    "exponential": (
        lambda r: exp_so3(Vec3(*r)), 3, angular_velocity_of_exponential, exponential_rates,
    ),
    **{
        s: (
            functools.partial(turned, s), 3,
            functools.partial(angular_velocity_of_euler, sequence=s),
            functools.partial(euler_rates, sequence=s),
        )
        for s in SEQUENCES
    },
}  # fmt: skip
"""Rotation, how many numbers it has, and the two maps, for each kind of coordinates."""
EACH = pytest.mark.parametrize("name", COORDINATES)


def seen(R, x, rates, axes):
    """Angular velocity by a step into the complex plane: R^T dR/dt, or dR/dt R^T."""
    h = 1e-30
    ahead = np.array(R([complex(a, h * b) for a, b in zip(x, rates, strict=True)]))
    E, dE = ahead.real, ahead.imag / h
    W = E.T @ dE if axes == "local" else dE @ E.T
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


def states(name, count=5):
    rng = np.random.default_rng(len(name))
    size = COORDINATES[name][1]
    for _ in range(count):
        yield rng.normal(size=size), rng.normal(size=size), rng.normal(size=3)


@EACH
@pytest.mark.parametrize("axes", SIDES)
def test_angular_velocity_is_that_of_the_rotation(name, axes):
    R, _, velocity, rates_of = COORDINATES[name]
    for x, rates, w in states(name):
        expected = seen(R, x, rates, axes)
        np.testing.assert_allclose(velocity(x, rates, axes=axes), expected, atol=1e-13)
        back = rates_of(x, w, axes=axes)
        np.testing.assert_allclose(seen(R, x, back, axes), w, atol=1e-12)


@EACH
@pytest.mark.parametrize("axes", SIDES)
def test_there_and_back(name, axes):
    """Rates of a quaternion that make it longer are of no rotation, and do not come back."""
    _, _, velocity, rates_of = COORDINATES[name]
    for x, rates, w in states(name):
        if name == "quaternion":
            rates -= x * (x @ rates) / (x @ x)
        back = rates_of(x, velocity(x, rates, axes=axes), axes=axes)
        np.testing.assert_allclose(back, rates, atol=1e-12 * max(1.0, np.abs(rates).max()))
        np.testing.assert_allclose(velocity(x, rates_of(x, w, axes=axes), axes=axes), w, atol=1e-12)


@pytest.mark.parametrize("off", [0.0, 1e-300, 1e-9, 1e-4, 1.0, 3.1])
@pytest.mark.parametrize("turns", [0, 1, 2])
def test_inverse_of_the_left_jacobian(turns, off):
    """Against 1 - [r]/2 + (1 - h cot h) / |r|^2 [r]^2 with h = |r|/2, to forty digits."""
    axis, angle = np.array([0.36, -0.48, 0.8]), 2.0 * math.pi * turns + off
    r = Vec3(*(angle * axis).tolist())
    J, inverse = np.array(left_jacobian(r)), np.array(left_jacobian_inverse(r))
    if turns == 0 or off > 1e-14:
        np.testing.assert_allclose(inverse @ J, np.eye(3), atol=1e-15 * np.linalg.cond(J))
    with mp.workdps(40):
        t = mp.sqrt(sum(mp.mpf(x) ** 2 for x in r))
        k = (1 - t / 2 * mp.cot(t / 2)) / t**2 if t > 1e-9 else mp.mpf(1) / 12
    K = np.array(r.tilde)
    expected = np.eye(3) - 0.5 * K + float(k) * K @ K
    accuracy = 1e-15 + 1e-15 / max(off, 1e-15) * (turns > 0)  # of the angle, which is rounded
    np.testing.assert_allclose(inverse, expected, atol=accuracy * np.abs(expected).max())
    R = np.array(exp_so3(r))
    np.testing.assert_allclose(R @ np.array(left_jacobian(-r)), J, atol=1e-14)  # LJ12 54


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_joints_agree(sequence):
    angles, rates = np.random.default_rng(1).normal(size=(2, 3)).tolist()
    _, _, v, _ = ar.Euler(sequence)(angles, rates)
    found = angular_velocity_of_euler(angles, rates, sequence)
    np.testing.assert_allclose(found, v.ang, atol=1e-15)
    outer = np.array(euler_jacobian(angles, sequence, "parent"))
    R = np.array(turned(sequence, angles))
    np.testing.assert_allclose(outer, R @ np.array(euler_jacobian(angles, sequence)), atol=1e-15)


def test_columns_of_the_printed_jacobian():
    """x, R_x y, R_x R_y z of three turns about x, y and z (LJ12 52)."""
    a, b, c = 0.3, -0.7, 1.1
    J = euler_jacobian((a, b, c), "xyz", axes="parent")
    Rx, Ry = rotation(LETTERS["x"], a), rotation(LETTERS["y"], b)
    columns = LETTERS["x"], Rx @ LETTERS["y"], Rx @ (Ry @ LETTERS["z"])
    np.testing.assert_allclose(J.T, columns, atol=1e-16)


def test_singular_angles_do_not_raise():
    w = (0.1, 0.2, 0.3)
    assert max(map(abs, euler_rates((0.4, math.pi / 2, 0.2), w, "xyz"))) > 1e14
    assert max(map(abs, euler_rates((0.4, 0.3, 0.2), w, "zxz"))) < 10.0
    assert not all(map(math.isfinite, euler_rates((0.4, 0.0, 0.2), w, "zxz")))
    around = exponential_rates((0.0, 0.0, 2.0 * math.pi), w)
    assert max(map(abs, around)) > 1e14
    assert abs(around.z - 0.3) < 1e-14  # along the vector nothing is singular
    assert math.isnan(angular_velocity_of_quaternion((0.0,) * 4, (1.0,) * 4).x)


@EACH
def test_components_may_be_arrays(name):
    _, size, velocity, rates_of = COORDINATES[name]
    rng = np.random.default_rng(2)
    x, rates, w = rng.normal(size=(size, 4, 1)), rng.normal(size=(size, 3)), rng.normal(size=(3, 3))
    many = np.array([*velocity(x, rates)]), np.array([*rates_of(x, w)])
    for i, j in ((0, 0), (3, 1), (2, 2)):
        np.testing.assert_allclose(many[0][:, i, j], velocity(x[:, i, 0], rates[:, j]), atol=1e-14)
        np.testing.assert_allclose(many[1][:, i, j], rates_of(x[:, i, 0], w[:, j]), atol=1e-14)


@ar.takes(r=(3,), angles=(3,), w=(3,))
def all_rates(tree, r, angles, w):
    """Rates of two kinds of coordinates, squared and summed up."""
    rates = (*exponential_rates(r, w), *euler_rates(angles, w, "zxz", "parent"))
    return sum((x * x for x in rates), start=0.0)


def test_pages_and_their_derivatives():
    """Also where the rotation vector is zero."""
    model = ar.Model([ar.Body("ball", ar.Spherical(), shapes=[ar.Sphere(0.1)])])
    angles, w = np.array([0.3, 0.9, -0.4]), np.array([0.5, -0.2, 0.7])
    slope = ar.compile(ar.jacobian(all_rates, "r"), model)
    for r in (np.zeros(3), np.array([0.8, -1.0, 0.3])):
        h = 1e-5
        ahead, behind = (
            [ar.evaluate(all_rates, model, r + way * unit, angles, w) for unit in np.eye(3)]
            for way in (h, -h)
        )
        expected = (np.array(ahead) - behind) / (2.0 * h)
        np.testing.assert_allclose(slope(r, angles, w), expected, atol=1e-9)


def test_words_that_are_not_known():
    with pytest.raises(ar.JointError, match=r"'xxy' is not known. Give three letters"):
        euler_rates((0, 0, 0), (0, 0, 1), "xxy")
    with pytest.raises(ar.JointError, match=r"`axes` is 'locale'.*Nearest: 'local'"):
        quaternion_rates((1, 0, 0, 0), (0, 0, 1), "locale")


def test_rows_are_no_components():
    for q, w, words in (
        ((1, 0, 0), (0, 0, 1), "`q` has 3 entries. Give 4 numbers, or 4 arrays"),
        ((1, 0, 0, 0), np.zeros((10, 3)), r"`w` has 10 entries.*np.moveaxis\(rows, -1, 0\)"),
    ):
        with pytest.raises(ar.JointError, match=words):
            quaternion_rates(q, w)
    for function in (euler_rates, exponential_rates):
        with pytest.raises(ar.JointError, match=r"has 4 entries. Give 3 numbers"):
            function((1, 0, 0, 0), (0, 0, 1))
