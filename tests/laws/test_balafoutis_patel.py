"""Inverse dynamics in tensor form and its recursive derivatives, against the other pages."""

from collections import Counter

import numpy as np
import pytest
from law_figures import PUPPET, assert_close, rebuilt, state, with_armature

import arthron as ar
from arthron._algorithms.balafoutis_patel import dual, euler_tensor
from arthron._figure.random import KINDS
from arthron._graph.ops import Op
from arthron._pages.trace import trace
from arthron.algorithms import balafoutis_patel, balafoutis_patel_partials, rnea
from arthron.spatial import Mat3, Vec3


def massless(model):
    """Every second body without mass, one of them with rotational inertia alone."""
    inertias = [ar.Inertia(), ar.Inertia(I=Mat3.diagonal(0.3, 0.4, 0.5))]
    names = dict(zip([body.name for body in model.bodies][1:4:2], inertias, strict=False))
    return rebuilt(model, lambda b: {"inertia": names[b.name]} if b.name in names else {})


def follower():
    """A hinge that follows a slide in another branch."""
    bodies = list(ar.random_tree(4, 2.0, joints=("revolute", "prismatic"), rng=5).links)
    bodies[3] = ar.Body(
        bodies[3].name, ar.Revolute("y"), parent=bodies[3].parent, placement=bodies[3].placement,
        inertia=bodies[3].inertia, joint_name="last",
        mimic=ar.Mimic(bodies[2].joint_name, -0.7, 0.2), armature=0.3,
    )  # fmt: skip
    return ar.Model(bodies, mimic=True)


FIGURES = {
    kind: with_armature(ar.random_tree(5, 2.0, joints=("revolute", kind), rng=5)) for kind in KINDS
}
FIGURES |= {
    "chain": ar.random_tree(5, 1.0, joints=("revolute", "prismatic"), rng=1),
    "bush": with_armature(ar.random_tree(12, 2.5, joints=tuple(KINDS), rng=3)),
    "puppet": PUPPET,
    "tilted": ar.random_tree(5, 2.0, joints=("revolute", "prismatic"), rng=1).replace(
        gravity=(3.0, -4.0, 5.0)
    ),
    "massless": massless(ar.random_tree(6, 1.5, joints=("revolute", "prismatic"), rng=6)),
    "follower": follower(),
}
figures = pytest.mark.parametrize("model", FIGURES.values(), ids=FIGURES)


@figures
def test_joint_forces_are_those_of_rnea(model):
    q, qd, qdd, _, f_ext = state(model)
    tau = ar.evaluate(balafoutis_patel, model, q, qd, qdd, f_ext)
    assert_close(tau, ar.evaluate(rnea, model, q, qd, qdd, f_ext), 1e-12)


@figures
def test_partials_are_derivatives_of_rnea(model):
    q, qd, qdd, _, f_ext = state(model)
    tau = ar.evaluate(rnea, model, q, qd, qdd, f_ext)
    found = ar.evaluate(balafoutis_patel_partials, model, q, qd, qdd, f_ext)
    for partial, wrt in zip(found, ("q", "qd", "qdd"), strict=True):
        expected = ar.evaluate(ar.jacobian(rnea, wrt), model, q, qd, qdd, f_ext)
        assert np.any(expected)
        assert_close(partial, expected, 1e-10, scale=1e-3 * np.abs(tau).max())


@pytest.mark.parametrize("page", [balafoutis_patel, balafoutis_patel_partials])
def test_compiled_is_evaluated(page):
    model = FIGURES["follower"]
    q, qd, qdd, _, f_ext = state(model)
    native = ar.compile(page, model)(q, qd, qdd, f_ext)
    expected = ar.evaluate(page, model, q, qd, qdd, f_ext)
    for a, b in zip(native, expected, strict=True):
        assert_close(a, b, 1e-12)


def test_a_body_that_never_moves_in_its_parent():
    """A joint without coordinates has empty blocks."""
    ball, stuck = ar.Sphere(0.1, placement=(0.1, 0.2, 0.3)), ar.Composite([ar.Fixed()])
    model = ar.Model(
        [
            ar.Body("arm", ar.Revolute("x"), shapes=[ball]),
            ar.Body("stuck", stuck, parent="arm", shapes=[ball]),
            ar.Body("hand", ar.Prismatic("y"), parent="stuck", shapes=[ball]),
        ]
    )
    q, qd, qdd, _, f_ext = state(model)
    by_q, *_ = ar.evaluate(balafoutis_patel_partials, model, q, qd, qdd, f_ext)
    assert_close(by_q, ar.evaluate(ar.jacobian(rnea, "q"), model, q, qd, qdd, f_ext), 1e-12)


def test_moment_in_tensor_form_is_that_of_euler():
    """dual(Omega J - (Omega J)^T) = I w' + w x I w."""
    w, wd, *rows = (Vec3(*x) for x in np.random.default_rng(1).normal(size=(5, 3)))
    I = Mat3(*rows) @ Mat3(*rows).T
    OJ = (wd.tilde + w.tilde @ w.tilde) @ euler_tensor(I)
    assert np.allclose(dual(OJ - OJ.T), I @ wd + w.cross(I @ w), rtol=1e-13)
    assert dual(w.tilde) == w


def arm(n):
    """A serial arm of hinges, each axis along or across the one before."""
    rng = np.random.default_rng(n)
    links = ar.random_tree(n, rng=rng).bodies
    bodies = []
    for i, link in enumerate(links):
        twist, parent = (0.0, np.pi / 2, -np.pi / 2)[i % 3], links[i - 1].name if i else None
        place = ar.pose(rng.normal(size=3) * (i > 0), (twist, 0.0, 0.0))
        bodies.append(ar.Body(link.name, ar.Revolute("z"), parent, place, link.inertia))
    return ar.Model(bodies)


@pytest.mark.parametrize("n", range(3, 10))
def test_published_operation_count(n):
    """93 n - 108 multiplications and 81 n - 100 additions (RBDA Tab. 10.1)."""
    program = trace(balafoutis_patel, arm(n).tree, {"q": (n,), "qd": (n,), "qdd": (n,)})
    ((_, tau),) = program.outputs
    ops = Counter(program.graph.nodes[k][0] for k in program.graph.needed(tau))
    assert ops[Op.MUL] <= 93 * n - 108
    assert ops[Op.ADD] + ops[Op.SUB] <= 81 * n - 100


def test_fewer_operations_than_other_pages():
    for name in ("chain", "bush", "puppet"):
        model = FIGURES[name]
        found = ar.compile(balafoutis_patel, model).op_count
        assert found < ar.compile(ar.algorithms.rnea, model).op_count
