"""How far constraints are off along a run, and what is said when they came open."""

import functools
import re
import warnings

import numpy as np
import pytest

import arthron as ar
from arthron.constraints import PrescribedMotion
from arthron.spatial import Mat3, Vec3

REACH = 0.5


@functools.cache
def led():
    """Two links whose tip is led away from the root, at a speed that is a parameter."""
    rod = [ar.Capsule(0.02, REACH, mass=0.5, placement=ar.pose((REACH / 2, 0, 0), (0, 1.57, 0)))]
    model = ar.Model([
        ar.Body("one", ar.Revolute("y"), shapes=rod),
        ar.Body("two", ar.Revolute("y"), "one", (REACH, 0, 0), shapes=rod),
    ])  # fmt: skip

    def away(t):
        speed = ar.parameter("speed", 0.2)
        return Mat3.identity(), Vec3(0.7 + speed * t, 0.0, 0.0)

    tip = PrescribedMotion("two", away, at=(REACH, 0, 0), joint=ar.Spherical(), name="path")
    return ar.Scene(model, [tip])


@functools.cache
def runs(speeds):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run = ar.simulate(
            led(), 0.4, 0.01, integrator="semi-implicit Euler", q=[-0.8, 1.6],
            parameters={"speed": np.array(speeds)}, keep_every=2,
        )  # fmt: skip
    return run, [str(x.message) for x in told]


def test_gaps_are_what_frames_and_the_path_are_apart(tmp_path):
    run, _ = runs((0.2, 2.0))
    tip = run.model.frame_pose(run.q, "two") @ [REACH, 0, 0, 1.0]
    there = 0.7 + np.array([[0.2], [2.0]]) * run.t
    wanted = np.stack([there, 0 * there, 0 * there], -1)
    np.testing.assert_allclose(np.abs(run.gaps["path"]), np.abs(tip[..., :3] - wanted), atol=1e-12)
    assert np.abs(run.gaps["path"][1]).max() > 0.3
    np.testing.assert_array_equal(run.row(1).gaps["path"], run.gaps["path"][1])
    again = ar.load_trajectory(run.save(tmp_path / "run"))
    np.testing.assert_array_equal(again.gaps["path"], run.gaps["path"])


def test_a_constraint_that_came_open_is_told_of_once():
    _, told = runs((0.2, 2.0))
    (text,) = told
    assert re.match(r"the PrescribedMotion .path. came open, by 0\.\d+ m from t = 0\.1[68] s", text)
    assert "in 1 of 2 simulations, the first of them 1. " in text and "a dead point" in text
    assert runs((0.2, 0.3))[1] == []


def test_a_wrong_name_is_answered_with_the_nearest():
    run, _ = runs((0.2, 2.0))
    for by_name in (run.gaps, run.multipliers, run.row(0).gaps):
        with pytest.raises(ar.SimulationError, match=r"no constraint 'pth' .* Nearest: 'path'"):
            by_name["pth"]
