"""Matrices by joints as lists of rows, for pages that compute with their entries."""

import functools

import numpy as np
import pytest

import arthron as ar
from arthron.algorithms import com_jacobian, jacobians, mass_matrix, point_jacobian
from arthron.spatial import Ldl, Vec3

ARM = ar.random_tree(5, 1.5, joints=["revolute", "spherical", "prismatic"], rng=3)
BODIES = [ar.Body(f"link{k}", ar.Revolute("xyz"[k % 3]), parent=f"link{k - 1}" if k else None,
                  placement=(0.1, 0.2, 0.3), shapes=[ar.Sphere(0.1)],
                  mimic=ar.Mimic("link0", -2.0) if k == 2 else None) for k in range(5)]  # fmt: skip
TIED = ar.Model(BODIES, mimic=True, name="tied")
FIGURES = [ARM, TIED]


def rows_of(tree, q, point, *, body, X, axes):
    """Twice some Jacobians and the mass matrix, entry by entry."""
    J = point_jacobian(tree, q, point, body=body, X=X, axes=axes)
    found = J, com_jacobian(tree, q), jacobians(tree, q)[2], mass_matrix(tree, q)
    return tuple([[2.0 * x for x in row] for row in tree.matrix(each)] for each in found)


def manipulability(tree, q, *, frame, point=(0.0, 0.0, 0.0)):
    """sqrt(det(J J^T)) of the velocity of a point of a frame (Y85)."""
    J = point_jacobian(tree, q, point, body=frame.body, X=frame.X, axes="world_aligned")
    J = tree.matrix(J)[3:]
    a, b, c = (Vec3(*(sum(x * y for x, y in zip(r, s, strict=True)) for s in J)) for r in J)
    return ar.sqrt(a.dot(b.cross(c)))


@pytest.mark.parametrize("model", FIGURES, ids=lambda m: m.name)
def test_rows(model):
    name = model.body_names[-1]
    frame, point = model.frame(name), (0.3, -0.1, 0.2)
    page = functools.partial(rows_of, point=point, body=frame.body, X=frame.X, axes="world")
    q = model.random(1)
    J, com, second, M = ar.evaluate(page, model, q)
    np.testing.assert_allclose(J, 2 * model.jacobian(q, name, point, axes="world"), atol=1e-14)
    np.testing.assert_allclose(com, 2 * model.com_jacobian(q), atol=1e-14)
    np.testing.assert_allclose(second, 2 * model.body_jacobians(q)[1], atol=1e-14)
    np.testing.assert_allclose(M, 2 * model.mass_matrix(q), atol=1e-13)


@pytest.mark.parametrize("model", FIGURES, ids=lambda m: m.name)
def test_manipulability(model):
    name = model.body_names[-1]
    page = functools.partial(manipulability, frame=model.frame(name), point=(0.3, -0.1, 0.2))
    q = np.array([model.random(seed) for seed in range(3)])
    J = model.jacobian(q, name, (0.3, -0.1, 0.2), axes="world_aligned")[:, 3:]
    expected = np.sqrt(np.linalg.det(J @ np.swapaxes(J, -1, -2)))
    np.testing.assert_allclose(ar.compile(page, model)(q), expected, rtol=1e-10)


def test_what_does_not_move():
    """Six rows of a twist and three of a point, also where no joint moves them."""
    rock = ar.Model([], name="rock")
    frame = ARM.frame(ARM.body_names[0])
    fixed = functools.partial(rows_of, point=(0, 0, 0), body=0, X=frame.X, axes="local")
    J, *_ = ar.evaluate(fixed, ARM, ARM.neutral())
    np.testing.assert_array_equal(J, np.zeros((6, ARM.nv)))
    assert ar.evaluate(com_jacobian, rock, []).shape == (3, 0)


def test_rows_go_into_a_factorization():
    """The documented way to solve with a matrix of a page."""

    def solved(tree, q, tau):
        return Ldl(tree.matrix(mass_matrix(tree, q))).solve(tree.vector(tau))

    q, tau = TIED.random(2), np.arange(1.0, TIED.nv + 1)
    expected = np.linalg.solve(TIED.mass_matrix(q), tau)
    np.testing.assert_allclose(ar.evaluate(solved, TIED, q, tau), expected, rtol=1e-10)


def test_what_is_no_matrix():
    with pytest.raises(ar.TraceError, match=r"`tree.matrix` was given a list.*point_jacobian"):
        ARM.tree.matrix([[1.0]])
