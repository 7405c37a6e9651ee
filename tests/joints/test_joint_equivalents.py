"""One physical figure described with different joints moves in one way.

With va = Sa qd_a = Sb qd_b = vb, the velocities are related by T: qd_b = T qd_a, T = Sb^-1 Sa. Then
M_a = T^T M_b T, tau_a = T^T tau_b, and the bodies do not know which coordinates move them.
"""

import numpy as np
import pytest
from joint_cases import AXIS, body_of, error, expm, hat, motion_of, pose_of

import arthron as ar
from arthron._algorithms.dynamics import forward_dynamics, inverse_dynamics, mass_matrix
from arthron.algorithms import accelerations, kinetic_energy, poses, velocities

TURN = np.array([0.4, -0.7, 0.9])
"""Rotation vector of the pose that all ball joints below are in."""


def quaternion(w):
    half = 0.5 * np.linalg.norm(w)
    return [np.cos(half), *np.sin(half) * w / (2.0 * half)]


def rotation(w):
    return expm(hat(w))


def angles(R, sequence):
    """Angles of a rotation about three different axes in a row."""
    i, j, k = ("xyz".index(s) for s in sequence)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    return np.array([
        np.arctan2(-sign * R[j, k], R[k, k]),
        np.arcsin(sign * R[i, k]),
        np.arctan2(-sign * R[i, j], R[i, i]),
    ])  # fmt: skip


def hinges(sequence):
    return ar.Composite([ar.Revolute(letter) for letter in sequence])


def in_chart(sequence, chart):
    R = rotation(TURN)
    if chart:
        R = R @ rotation(-0.5 * np.pi * np.eye(3)["xyz".index(sequence[1])])
    return ar.Euler(sequence, charts=True), [*angles(R, sequence), chart]


def proper(sequence):
    """Angles about axes of which the first and last are alike, by Newton's method."""
    joint, q = ar.Euler(sequence), np.array([0.1, 1.3, 0.2])
    for _ in range(60):
        left = pose_of(joint, q)[:3, :3].T @ rotation(TURN)
        step = np.array([left[2, 1], left[0, 2], left[1, 0]]) - np.array(
            [left[1, 2], left[2, 0], left[0, 1]]
        )
        q = q + 0.4 * np.linalg.solve(motion_of(joint, q, np.zeros(3))[0][:3], step)
    return joint, q


PLACE = np.array([0.3, -0.2, 0.5])
AXES = ar.Planar(AXIS).axes()
SLIDES = [ar.Prismatic(axis) for axis in "xyz"]
QUATERNION = ar.Spherical(), quaternion(TURN)
FAMILIES = {
    "ball": {
        "quaternion": QUATERNION,
        "long quaternion": (ar.Spherical(), [-3.0 * x for x in quaternion(TURN)]),
        "exponential": (ar.Spherical("exponential"), TURN),
        "exponential the long way": (
            ar.Spherical("exponential"), TURN * (1 - 2 * np.pi / np.linalg.norm(TURN)),
        ),
        "euler xyz": (ar.Euler("xyz"), angles(rotation(TURN), "xyz")),
        "euler zyx": (ar.Euler("zyx"), angles(rotation(TURN), "zyx")),
        "euler yzx": (ar.Euler("yzx"), angles(rotation(TURN), "yzx")),
        "euler zxz": proper("zxz"),
        "chart 0": in_chart("xyz", 0.0),
        "chart 1": in_chart("xyz", 1.0),
        "chart 1 of zxy": in_chart("zxy", 1.0),
        "three hinges": (hinges("xyz"), angles(rotation(TURN), "xyz")),
        "hinge and universal": (
            ar.Composite([ar.Revolute("z"), ar.Universal("y", "x")]), angles(rotation(TURN), "zyx"),
        ),
        "row of one": (ar.Composite([ar.Spherical()]), quaternion(TURN)),
    },
    "free": {
        "quaternion": (ar.Free(), [*PLACE, *quaternion(TURN)]),
        "exponential": (ar.Free("exponential"), [*PLACE, *TURN]),
        "turned first": (
            ar.Composite([ar.Spherical("exponential"), ar.Translational()]),
            [*TURN, *rotation(TURN).T @ PLACE],
        ),
        "slides and ball": (ar.Composite([*SLIDES, ar.Spherical()]), [*PLACE, *quaternion(TURN)]),
        "slides and angles": (
            ar.Composite([ar.Translational(), ar.Euler("zyx", charts=True)]),
            [*PLACE, *angles(rotation(TURN), "zyx"), 0.0],
        ),
    },
    "planar": {
        "planar": (ar.Planar(AXIS), [0.3, -0.4, 0.8]),
        "slides and hinge": (
            ar.Composite([*(ar.Prismatic(a) for a in AXES), ar.Revolute(AXIS)]), [0.3, -0.4, 0.8],
        ),
        "sheet and hinge": (
            ar.Composite([ar.PlanarTranslation(AXIS), ar.Revolute(AXIS)]), [0.3, -0.4, 0.8],
        ),
    },
    "slide": {
        "translational": (ar.Translational(), PLACE),
        "three slides": (ar.Composite(SLIDES), PLACE),
        "other order": (ar.Composite([SLIDES[2], SLIDES[0], SLIDES[1]]), PLACE[[2, 0, 1]]),
    },
    "hinge": {
        "revolute": (ar.Revolute(AXIS), [0.7]),
        "screw of no pitch": (ar.Helical(AXIS, 0.0), [0.7]),
        "custom": (
            ar.Custom(lambda q: (ar.spatial.rotation(ar.Revolute(AXIS).axis, 2.0 * q[0]),
                                 ar.spatial.Vec3())),
            [0.35],
        ),
        "other way": (ar.Revolute(-AXIS), [-0.7]),
    },
    "screw": {
        "helical": (ar.Helical("z", 0.3), [0.7]),
        "custom": (
            ar.Custom(lambda q: (ar.spatial.rotation(ar.spatial.Vec3(0.0, 0.0, 1.0), q[0]),
                                 ar.spatial.Vec3(0.0, 0.0, 0.3 * q[0]))),
            [0.7],
        ),
    },
    "universal": {
        "universal": (ar.Universal("x", "y"), [0.6, -1.1]),
        "two hinges": (hinges("xy"), [0.6, -1.1]),
        "nested": (ar.Composite([ar.Composite([ar.Revolute("x")]), ar.Revolute("y")]), [0.6, -1.1]),
    },
    "track": {  # a cubic through points in line, at the pace of a slide
        "prismatic": (ar.Prismatic("x"), [0.9]),
        "curve": (ar.SplineCurve([(x - 1, 0, 0) for x in range(6)]), [0.9]),
        "at half the pace": (ar.SplineCurve([(2 * x - 2, 0, 0) for x in range(7)]), [0.45]),
    },
}  # fmt: skip
PAIRS = [(f, name) for f, members in FAMILIES.items() for name in list(members)[1:]]


def figure(joint):
    """An arm, the joint in question, and a hand with a finger: motion before and behind it."""
    off = ar.pose((0.2, 0.1, -0.3), (0.3, 0.8, -0.5))
    return ar.Model(
        [
            body_of(ar.Revolute((1, 2, 3)), "arm", 1),
            body_of(joint, "body", 2, parent="arm", placement=off),
            body_of(ar.Universal("y", "z"), "hand", 3, parent="body", placement=off),
            body_of(ar.Prismatic("x"), "rail", 4, parent="arm", placement=off),
        ]
    )


class Member:
    """A figure and its state in the coordinates of one joint."""

    def __init__(self, family, name):
        joint, q = FAMILIES[family][name]
        self.model, self.joint = figure(joint), joint
        self.at, self.at_q = self.model.slice_qd("body"), self.model.slice_q("body")
        self.S, _, _ = motion_of(joint, q, np.zeros(joint.nv))
        self.q = self.around(q)

    def around(self, own, seed=1):
        """All coordinates, with those of the joint in question."""
        all_of_it = np.random.default_rng(seed).normal(size=self.model.nq - self.joint.nq + 1)
        return np.concatenate([all_of_it[: self.at_q.start], own, all_of_it[self.at_q.start + 1 :]])

    def drift(self, qd):
        return motion_of(self.joint, self.q[self.at_q], qd[self.at])[2]


def pair(family, name):
    """The first member of a family, another one, and T with qd_first = T qd_other."""
    a, b = Member(family, name), Member(family, next(iter(FAMILIES[family])))
    T = np.eye(a.model.nv)
    T[a.at, a.at] = np.linalg.lstsq(b.S, a.S, rcond=None)[0]
    assert error(b.S @ T[a.at, a.at], a.S) < 1e-12  # the same motions are possible
    return a, b, T


def rates(a, seed=2):
    return np.random.default_rng(seed).normal(size=(2, a.model.nv))


def same_acceleration(a, b, T, qd, qdd):
    """Accelerations of b's coordinates that move bodies as qdd does those of a."""
    result = T @ qdd
    change = a.drift(qd) - b.drift(T @ qd)
    result[b.at] += np.linalg.lstsq(b.S, change, rcond=None)[0]
    return result


@pytest.mark.parametrize(("family", "name"), PAIRS)
def test_bodies_move_alike(family, name):
    a, b, T = pair(family, name)
    qd, qdd = rates(a)
    assert error(ar.evaluate(poses, a.model, a.q), ar.evaluate(poses, b.model, b.q)) < 1e-12
    v = ar.evaluate(velocities, a.model, a.q, qd)
    assert error(v, ar.evaluate(velocities, b.model, b.q, T @ qd)) < 1e-12
    qdd_b = same_acceleration(a, b, T, qd, qdd)
    found = ar.evaluate(accelerations, a.model, a.q, qd, qdd)
    assert error(found, ar.evaluate(accelerations, b.model, b.q, T @ qd, qdd_b)) < 1e-11


@pytest.mark.parametrize(("family", "name"), PAIRS)
def test_energy_and_mass_matrix(family, name):
    a, b, T = pair(family, name)
    qd, _ = rates(a)
    energy = ar.evaluate(kinetic_energy, a.model, a.q, qd)
    assert error(energy, ar.evaluate(kinetic_energy, b.model, b.q, T @ qd)) < 1e-13
    M_a, M_b = (ar.evaluate(mass_matrix, x.model, x.q) for x in (a, b))
    assert error(M_a, T.T @ M_b @ T) < 1e-12


@pytest.mark.parametrize(("family", "name"), PAIRS)
def test_forces_and_accelerations(family, name):
    a, b, T = pair(family, name)
    qd, tau_b = rates(a, 3)
    f_ext = np.random.default_rng(4).normal(size=(4, 6))
    qdd = ar.evaluate(forward_dynamics, a.model, a.q, qd, T.T @ tau_b, f_ext)
    qdd_b = ar.evaluate(forward_dynamics, b.model, b.q, T @ qd, tau_b, f_ext)
    assert error(same_acceleration(a, b, T, qd, qdd), qdd_b) < 1e-10
    tau = ar.evaluate(inverse_dynamics, a.model, a.q, qd, qdd, f_ext)
    assert error(tau, T.T @ tau_b) < 1e-10


def test_families_differ():
    """The comparison is not between equal descriptions: T is not the identity everywhere."""
    odd = sum(error(T, np.eye(len(T))) > 0.05 for _, _, T in (pair(*each) for each in PAIRS))
    assert odd > len(PAIRS) // 2


@pytest.mark.parametrize(
    ("joint", "parts", "q"),
    [
        (ar.Translational(), SLIDES, [0.3, -0.2, 0.5]),
        (ar.Euler("zyx"), [ar.Revolute(s) for s in "zyx"], [0.3, -0.2, 0.5]),
        (ar.Universal("x", "z"), [ar.Revolute(s) for s in "xz"], [0.3, -0.2]),
        (ar.Planar("y"), [ar.Prismatic("z"), ar.Prismatic("x"), ar.Revolute("y")], [1.0, 2.0, 0.5]),
        (ar.PlanarTranslation("x"), [ar.Prismatic("y"), ar.Prismatic("z")], [1.0, 2.0]),
        (ar.Free("exponential"), [*SLIDES, ar.Spherical("exponential")], [1, 2, 3, 0.4, 0.5, 0.6]),
        (ar.Composite([ar.Helical("x", 0.1), ar.Spherical("exponential")]),
         [ar.Helical("x", 0.1), ar.Spherical("exponential")], [0.5, 0.4, 0.5, 0.6]),
    ],
    ids=lambda value: value.label if hasattr(value, "label") else "",
)  # fmt: skip
def test_a_row_of_joints_is_bodies_without_mass(joint, parts, q):
    names = [f"part{k}" for k in range(len(parts) - 1)]
    rows = zip(names, parts, [None, *names], strict=False)
    chain = [ar.Body(name, part, parent=parent) for name, part, parent in rows]
    one = ar.Model([body_of(joint)])
    many = ar.Model([*chain, body_of(parts[-1], parent=names[-1])])
    qd, qdd = np.random.default_rng(5).normal(size=(2, one.nv))
    tau = ar.evaluate(inverse_dynamics, one, q, qd, qdd)
    assert error(ar.evaluate(inverse_dynamics, many, q, qd, qdd), tau) < 1e-12
    M = ar.evaluate(mass_matrix, one, q)
    assert error(ar.evaluate(mass_matrix, many, q), M) < 1e-12
    assert error(ar.evaluate(forward_dynamics, many, q, qd, tau), qdd) < 1e-9
    a, b = (ar.evaluate(accelerations, model, q, qd, qdd)[-1] for model in (one, many))
    assert error(a, b) < 1e-12


def test_native_code_agrees_on_a_ball():
    members = [Member("ball", name) for name in ("quaternion", "exponential", "chart 1")]
    results = []
    for member in members:
        _, b, T = pair("ball", "exponential")
        T[b.at, b.at] = np.linalg.solve(member.S[:3], np.eye(3))  # the same turning
        qd, tau = rates(member, 6)
        qd, tau = T @ qd, np.linalg.solve(T.T, tau)
        qdd = member.model.forward_dynamics(member.q, qd, tau)
        results.append(member.model.body_accelerations(member.q, qd, qdd))
    assert error(results[1], results[0]) < 1e-11
    assert error(results[2], results[0]) < 1e-11
