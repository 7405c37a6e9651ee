"""The person of 44 DoF: de Leva's table, and what a figure has to be."""

import functools
from pathlib import Path

import numpy as np
import pytest

import arthron as ar

MASS, HEIGHT, SCALE = 73.0, 1.741, 0.978

TABLE = {
    "head": (6.94, 50.02, 30.3, 31.5, 26.1, 0.2429),
    "torso": (15.96, 50.66, 50.5, 32.0, 46.5, 0.2421),
    "waist": (16.33, 45.02, 48.2, 38.3, 46.8, 0.2155),
    "pelvis": (11.17, 61.15, 61.5, 55.1, 58.7, 0.1457),
    "upper_arm": (2.71, 57.72, 28.5, 26.9, 15.8, 0.2817),
    "wrist": (1.62, 45.74, 27.6, 26.5, 12.1, 0.2689),
    "hand": (0.61, 79.00, 62.8, 51.3, 40.1, 0.0862),
    "thigh": (14.16, 40.95, 32.9, 32.9, 14.9, 0.4222),
    "shin": (4.33, 43.95, 25.1, 24.6, 10.2, 0.4403),
    "foot": (1.37, 44.15, 25.7, 24.5, 12.4, 0.2581),
}
"""Of each segment mass, place of its centre, radii of gyration about the sagittal, transverse
and longitudinal axis [%], and length [m] (de Leva 1996, Table 4, males)."""

ONCE = {"head", "torso", "waist", "pelvis"}
AXES = {"wrist": (1, 0, 2), "hand": (1, 0, 2), "foot": (2, 1, 0)}
"""Which of the radii are about x, y and z, where palms face thighs, and feet go forwards."""

CASES = [(n, s) for n in TABLE for s in ([""] if n in ONCE else ["left_", "right_"])]


@functools.cache
def person():
    return ar.load(ar.figures / "person.urdf", root=ar.Free())


def parts(*links):
    """Mass, centre and inertia about it of links at neutral, in axes of the world."""
    model = person()
    X = model.body_poses(model.neutral())
    each = []
    for name in links:
        i = model.body_names.index(name) + 1
        I = model.tree.I[i]
        r, Ic = np.array(I.com(), float), np.array([list(row) for row in I.about_com()], float)
        each.append((float(I.m), X[i - 1, :3, 3] + r, Ic))
    m = sum(m for m, _, _ in each)
    c = sum(m * c for m, c, _ in each) / m
    apart = [(m, r - c, Ic) for m, r, Ic in each]
    return m, c, sum(Ic + m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r, Ic in apart)


def test_it_has_44_coordinates_and_no_doubts():
    model = person()
    assert model.nv == 44 and not model.warnings
    humanoid = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    assert set(humanoid.joint_names) <= set(model.joint_names)


def test_the_table_is_of_a_whole_person():
    assert abs(sum(TABLE[n][0] for n, _ in CASES) - 100.0) < 1e-9
    model = person()
    assert abs(model.mass - MASS) < 1e-6
    q = model.neutral()
    feet, top = (model.frame_pose(q, n)[2, 3] for n in ("left_sole", "head_top"))
    assert abs(top - feet - HEIGHT) < 1e-3
    centre = model.center_of_mass(q)[2] - feet
    assert 0.55 < centre / HEIGHT < 0.59  # of standing men


@pytest.mark.parametrize(("name", "side"), CASES, ids=lambda x: str(x))
def test_segments_are_those_of_the_table(name, side):
    percent, centre, *radii, length = TABLE[name]
    model, q = person(), person().neutral()
    links = [side + name, *([f"{side}toes"] if name == "foot" else [])]  # its front is a link
    m, c, Ic = parts(*links)
    assert abs(m - percent / 100.0 * MASS) < 1e-6
    length *= SCALE
    of_axes = m * (np.array(radii)[list(AXES.get(name, (0, 1, 2)))] / 100.0 * length) ** 2
    np.testing.assert_allclose(Ic, np.diag(of_axes), atol=1e-7)
    below = {"head": ("head_top", 0.0), "torso": ("torso", length), "waist": ("waist", length),
             "pelvis": ("pelvis", length), "wrist": (f"{side}forearm", 0.0)}  # fmt: skip
    frame, up = below.get(name, (side + name, 0.0))
    start = model.frame_pose(q, frame)[:3, 3] + [0.0, 0.0, up]
    if name == "foot":
        assert abs(c[0] - (start[0] - 0.062 + centre / 100.0 * length)) < 1e-6  # from the heel
    else:
        assert abs(start[2] - c[2] - centre / 100.0 * length) < 1e-6


def test_it_is_symmetric():
    for name in (n for n in TABLE if n not in ONCE):
        (m, c, Ic), (n, d, Id) = parts(f"left_{name}"), parts(f"right_{name}")
        mirror = np.diag([1.0, -1.0, 1.0])
        assert m == n and np.allclose(c, mirror @ d) and np.allclose(Ic, mirror @ Id @ mirror)
    model = person()
    for name in (n for n in model.joint_names if n.startswith("left_")):
        lower, upper = limits(name)
        same = any(part in name for part in ("pitch", "knee", "elbow", "toes"))  # they turn about y
        ends = (lower, upper) if same else (-upper, -lower)
        assert limits(name.replace("left", "right")) == ends


def limits(name):
    """Least and most of a joint."""
    at = person().slice_q(name)
    return float(person().q_lower[at][0]), float(person().q_upper[at][0])


def test_neutral_is_within_limits_and_nothing_overlaps():
    model, q = person(), person().neutral()
    assert (model.q_lower[7:] < q[7:]).all() and (q[7:] < model.q_upper[7:]).all()
    assert np.isfinite(model.effort_limit[6:]).all() and np.isfinite(model.velocity_limit[6:]).all()
    assert model.distances(q).gap.min() > 0.0
    feet = model.distances(q, pairs=[("left_foot", "right_foot"), ("left_toes", "right_toes")])
    assert (feet.gap > 0.05).all()


def test_the_somersault_that_ships_obeys_the_laws_of_flight():
    """He turns over once; in the air his centre falls freely and his spin is kept."""
    model = person()
    file = Path(__file__).parents[2] / "examples/somersault.arthron"
    run = ar.load_trajectory(file, model)
    angle = np.unwrap(2.0 * np.arctan2(run.q[:, 5], run.q[:, 3]))
    assert abs(angle[-1] - angle[0] - 2.0 * np.pi) < 1e-6
    air = (run.t > 0.91) & (run.t < 1.64)
    t, q, qd = run.t[air], run.q[air], run.qd[air]
    centre = model.center_of_mass(q) - 0.5 * np.array([0.0, 0.0, -9.81]) * t[:, None] ** 2
    line = np.polynomial.polynomial.polyfit(t, centre, 1)
    assert np.abs(centre - line[0] - t[:, None] * line[1]).max() < 2e-3
    h = model.momentum(q, qd)[:, 1]
    assert h.min() > 20.0 and np.ptp(h) < 0.05 * h.mean()
    ends = run.t < 0.9, run.t > 1.66
    for side in ("left", "right"):
        for standing in ends:
            sole = model.frame_pose(run.q[standing], f"{side}_sole")[:, :3, 3]
            assert np.abs(sole - sole[0]).max() < 0.02  # held at the times of controls
