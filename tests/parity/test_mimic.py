"""Joints that follow another: the hyper-reduced model equals the free one projected (S19 2.77)."""

import sysconfig
from pathlib import Path

import numpy as np
import pytest

import arthron as ar

ROBOTS = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
FILES = ["panda_description/urdf/panda.urdf", "baxter_description/urdf/baxter.urdf"]


@pytest.fixture(params=FILES)
def pair(request):
    path = ROBOTS / request.param
    return ar.load(path), ar.load(path, mimic=True)


def projection(free, tied):
    """G and o with q_free = G q_tied + o, from the description alone."""
    G, o = np.zeros((free.nv, tied.nv)), np.zeros(free.nv)
    for body in free.bodies:
        row = free.slice_qd(body.joint_name).start
        if body.mimic is None:
            G[row, tied.slice_qd(body.joint_name).start] = 1.0
        else:
            G[row, tied.slice_qd(body.mimic.joint).start] = body.mimic.multiplier
            o[row] = body.mimic.offset
    return G, o


def test_dynamics_are_the_projected_ones(pair):
    free, tied = pair
    assert tied.nv < free.nv
    G, o = projection(free, tied)
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, 5, tied.nv))
    full = (q @ G.T + o, qd @ G.T, qdd @ G.T)
    close = lambda a, b: np.testing.assert_allclose(a, b, atol=1e-10 * np.abs(b).max())  # noqa: E731
    close(tied.body_poses(q), free.body_poses(full[0]))
    close(tied.mass_matrix(q), G.T @ free.mass_matrix(full[0]) @ G)
    tau = tied.inverse_dynamics(q, qd, qdd)
    close(tau, free.inverse_dynamics(*full) @ G)
    close(tied.forward_dynamics(q, qd, tau), qdd)
    close(tied.com_jacobian(q), free.com_jacobian(full[0]) @ G)
    close(tied.body_jacobians(q), free.body_jacobians(full[0]) @ G)
    close(tied.kinetic_energy(q, qd), free.kinetic_energy(*full[:2]))
    close(tied.integrate(q, qd), q + qd)
    slope = ar.evaluate(ar.jacobian(ar.algorithms.potential_energy), tied, q)
    close(slope, tied.gravity_forces(q))


def test_chains_of_followers_resolve_and_circles_do_not():
    def link(name, parent, mimic):
        return ar.Body(
            name, ar.Revolute("z"), parent, (1, 0, 0), shapes=[ar.Sphere(0.1)], mimic=mimic
        )

    def tied(*mimics):
        names = ["a", "b", "c"]
        bodies = [link(n, p, m) for n, p, m in zip(names, [None, "a", "b"], mimics, strict=True)]
        return ar.Model(bodies, mimic=True)

    model = tied(None, ar.Mimic("a", 2.0, 0.5), ar.Mimic("b", -3.0, 0.25))
    assert model.nv == 1 and model.joint_names == ("a",)
    q = np.array([0.3])
    angle = 0.3 + (0.6 + 0.5) + (-3.0 * 1.1 + 0.25)
    np.testing.assert_allclose(model.body_poses(q)[2, 0, 0], np.cos(angle))
    with pytest.raises(ar.ModelError, match="follows itself"):
        tied(ar.Mimic("c"), ar.Mimic("a"), ar.Mimic("b"))
    with pytest.raises(ar.ModelError, match="mimics 'x'"):
        tied(None, ar.Mimic("x"), None)


def test_a_page_says_what_its_lists_are_where_joints_follow_others():
    """Forces of followers act on their leaders; a plain list would lose them."""

    def weights(kind):
        def page(tree, q):
            (tau,) = tree.lists(1)
            for i, force in enumerate(ar.algorithms.gravity_forces(tree, q)[1:], start=1):
                tau[i] = tuple(force)
            return kind(tau)

        return page

    path = ROBOTS / FILES[0]
    tied, q = ar.load(path, mimic=True, gravity=(3.0, 2.0, -9.81)), np.full(8, 0.3)
    for run in (ar.evaluate, lambda page, model, q: ar.compile(page, model)(q)):
        with pytest.raises(ar.TraceError, match="some joints follow others"):
            run(weights(lambda tau: tau), tied, q)
        np.testing.assert_allclose(run(weights(ar.JointForces), tied, q), tied.gravity_forces(q))
        own = run(weights(ar.JointCoordinates), tied, q)
        assert abs(own - tied.gravity_forces(q)).max() > 1e-3
    free = ar.load(path)
    np.testing.assert_allclose(
        ar.evaluate(weights(lambda tau: tau), free, free.neutral()),
        free.gravity_forces(free.neutral()),
    )


@pytest.mark.parametrize(
    ("kind", "entries", "came"),
    [
        (ar.JointForces, lambda tree, q: [1.0] * tree.nv, "7 entries"),
        (ar.JointForces, lambda tree, q: [0.5] * (tree.nb + 1), "0.5 for a joint"),
        (ar.JointForces, lambda tree, q: [(1.0, 2.0)] * (tree.nb + 1), r"\(1.0, 2.0\) for a joint"),
        (ar.JointCoordinates, lambda tree, q: [None] * (tree.nb + 1), "None for a joint"),
    ],
)  # fmt: skip
def test_lists_of_joints_are_counted(kind, entries, came):
    model = ar.random_tree(7)
    with pytest.raises(ar.TraceError, match=rf"ar.{kind.__name__}. of a page holds {came}.*forces"):
        ar.evaluate(lambda tree, q: kind(entries(tree, q)), model, model.neutral())


def test_a_follower_is_not_asked_for_by_name():
    tied = ar.load(ROBOTS / FILES[0], mimic=True)
    for ask in (tied.slice_q, tied.joint_number, lambda name: tied.lock(name, tied.neutral())):
        with pytest.raises(
            ar.ModelError, match="'panda_finger_joint2' of `panda` follows 'panda_f"
        ):
            ask("panda_finger_joint2")


def test_forces_of_a_free_body_are_six():
    model = ar.random_tree(1, joints=("free",))
    assert ar.evaluate(lambda tree, q: ar.JointCoordinates(q), model, model.neutral()).shape == (7,)
    with pytest.raises(ar.TraceError, match=r"ar\.JointForces. of a page holds"):
        ar.evaluate(lambda tree, q: ar.JointForces(q), model, model.neutral())
