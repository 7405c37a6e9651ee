"""Frames turned towards joint axes: the same joint forces and mass matrix, in fewer operations."""

import numpy as np
import pytest

import arthron as ar
from arthron._tree.aligned import aligned
from arthron._tree.regrouped import regrouped

KINDS = ("revolute", "prismatic", "helical", "universal", "spherical", "free")


@pytest.mark.parametrize("kinds", [("revolute",), KINDS], ids=["hinges", "all"])
def test_dynamics_are_those_of_the_frames_that_were_given(kinds):
    model = ar.random_tree(12, 1.5, joints=kinds, rng=3)
    rng = np.random.default_rng(0)
    q, qd, qdd = model.random(rng, 5), *rng.standard_normal((2, 5, model.nv))
    f_ext = rng.standard_normal((5, model.nb, 6))
    wanted = ar.evaluate(ar.algorithms.rnea, model, q, qd, qdd, f_ext)
    found = model.inverse_dynamics(q, qd, qdd, f_ext)
    assert np.abs(found - wanted).max() < 1e-12 * np.abs(wanted).max()
    M = ar.evaluate(ar.algorithms.crba, model, q)
    assert np.abs(model.mass_matrix(q) - M).max() < 1e-12 * np.abs(M).max()


def test_joints_along_axes_stay_as_they_are():
    link = ar.Capsule(0.04, 0.25)
    hinges = [ar.Body(f"link{k}", ar.Revolute(axis), parent=f"link{k - 1}" if k else None,
                      shapes=[link]) for k, axis in enumerate(("x", "y", (0, 0, -1)))]  # fmt: skip
    tree = ar.Model(hinges).tree
    assert aligned(tree) == (tree, {})


def test_hinges_of_any_axes_take_a_third_fewer_operations():
    model = ar.random_tree(12, joints=("revolute",), rng=1)

    def as_given(tree, q, qd, qdd):
        return ar.algorithms.balafoutis_patel(regrouped(tree), q, qd, qdd, tree.no_wrenches())

    assert model.inverse_dynamics.op_count < 0.72 * ar.compile(as_given, model).op_count
