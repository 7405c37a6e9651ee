"""Moving along joints: integrate and difference undo each other, and zero does nothing."""

import numpy as np
import pytest
from law_figures import KINDS, PUPPET, assert_close, for_figures, state

import arthron as ar
from arthron.algorithms import difference, integrate, poses

FIGURES = {kind: ar.random_tree(3, 1.5, joints=(kind,), rng=3) for kind in KINDS}
FIGURES["puppet"] = PUPPET
ANGLES = (0.0, 1e-12, 1e-7, 1e-3, 1.0, 3.0, np.pi - 1e-6)


def steps(model, angle):
    """Displacements that turn each ball by `angle`, in several directions."""
    dq = np.random.default_rng(1).normal(size=(5, model.nv))
    for name, joint in zip(model.joint_names, model.tree.joint[1:], strict=True):
        if isinstance(joint, ar.Spherical | ar.Free):
            at = slice(model.slice_qd(name).start, model.slice_qd(name).start + 3)
            dq[:, at] *= angle / np.linalg.norm(dq[:, at], axis=-1, keepdims=True)
    return dq


@for_figures()
def test_standing_still(model):
    q, *_ = state(model)
    zero = np.zeros((len(q), model.nv))
    assert np.array_equal(ar.evaluate(integrate, model, q, zero), q)
    assert_close(ar.evaluate(difference, model, q, q), zero, 1e-15, scale=1.0)


@for_figures()
def test_difference_leads_there(model):
    q, *_ = state(model, seed=1)
    p, *_ = state(model, seed=2)
    dq = ar.evaluate(difference, model, q, p)
    there = ar.evaluate(integrate, model, q, dq)
    assert_close(ar.evaluate(poses, model, there), ar.evaluate(poses, model, p), 1e-13)
    back = ar.evaluate(difference, model, there, p)  # quaternions may be opposite
    assert_close(back, np.zeros_like(back), 1e-13, scale=1.0)


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("figure", FIGURES)
def test_difference_undoes_integrate(figure, angle):
    model = FIGURES[figure]
    dq = steps(model, angle)
    q = np.stack([model.random(k) for k in range(len(dq))])
    there = ar.evaluate(integrate, model, q, dq)
    tolerance = 1e-9 if angle > 3.1 else 1e-14  # beside q, whose numbers are about 1
    assert_close(ar.evaluate(difference, model, q, there), dq, tolerance, scale=1.0)


@pytest.mark.parametrize("figure", FIGURES)
def test_steps_in_one_direction_add_up(figure):
    model = FIGURES[figure]
    dq = steps(model, 1.3)
    q = np.stack([model.random(k) for k in range(len(dq))])
    twice = ar.evaluate(integrate, model, ar.evaluate(integrate, model, q, 0.3 * dq), 0.7 * dq)
    once = ar.evaluate(integrate, model, q, dq)
    assert_close(ar.evaluate(poses, model, twice), ar.evaluate(poses, model, once), 1e-13)
    back = ar.evaluate(integrate, model, once, -dq)
    assert_close(ar.evaluate(poses, model, back), ar.evaluate(poses, model, q), 1e-13)


@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_the_shorter_way_round(kind):
    model = ar.random_tree(1, joints=(kind,), rng=5)
    far, near = steps(model, 4.0), steps(model, 2 * np.pi - 4.0)
    q = np.stack([model.random(k) for k in range(len(far))])
    found = ar.evaluate(difference, model, q, ar.evaluate(integrate, model, q, far))
    assert_close(found[:, :3], -near[:, :3], 1e-13)


@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_quaternions_keep_their_length(kind):
    model = ar.random_tree(1, joints=(kind,), rng=6)
    q, *_ = state(model)
    moved = ar.evaluate(integrate, model, q, steps(model, 2.0)[: len(q)])
    assert_close(np.linalg.norm(moved[:, -4:], axis=-1), np.ones(len(q)), 1e-15)


def test_native_code_moves_in_the_same_way():
    rng = np.random.default_rng(4)
    q = np.stack([PUPPET.random(rng) for _ in range(11)])
    dq = rng.normal(size=(11, PUPPET.nv))
    there = PUPPET.integrate(q, dq)
    assert_close(there, ar.evaluate(integrate, PUPPET, q, dq), 1e-13)
    assert_close(PUPPET.difference(q, there), ar.evaluate(difference, PUPPET, q, there), 1e-13)
    assert_close(PUPPET.integrate(q[0], dq[0]), there[0], 1e-13)
