"""A variational step makes the action stationary."""

import numpy as np
import pytest
from scene_cases import close, figure, follower, pulls, start, system

import arthron as ar
from arthron import forces
from arthron._scene.system import State
from arthron._spatial.sums import dot
from arthron._tree.body_lists import scale_list
from arthron.algorithms import difference, integrate, mass_matrix, poses, potential_energy
from arthron.spatial import log_so3

H = 0.05


def swirl(q, qd, t):
    """A force with lopsided slopes."""
    return [0.3 * qd[1] - 0.2 * q[1], 0.5 * ar.sin(3.0 * t) - 0.1 * qd[2], 0.4 * q[2] * qd[0]]


def claw(*more, controller=None):
    """One finger follows another; springs at joints and between links."""
    return ar.Scene(follower(), [
        forces.Spring.per_strain(("three", (0.1, 0, -0.3)), (None, (0.3, 0.2, -0.9)),
                                 8.0, 0.3, 0.5),
        forces.JointSpring("two", 40.0, 0.5),
        forces.JointTorque("one", lambda q, qd, t: ar.cos(2.0 * t) - 0.1 * qd[0]),
        *more,
    ], controller)  # fmt: skip


def geared(root):
    """Motors at joints of every sort of coordinate."""
    link = [ar.Box((0.1, 0.2, 0.3), mass=1, placement=(0.05, 0.1, -0.2))]
    return ar.Model([
        ar.Body("body", root, shapes=link, armature=0.2),
        ar.Body("arm", ar.Spherical(), "body", (0.1, 0.1, -0.4), shapes=link, armature=(1, 0, 2)),
        ar.Body("hand", ar.Revolute((1, 2, 0)), "arm", (0.1, 0.1, -0.4), shapes=link, armature=0.1),
    ])  # fmt: skip


def prescribed(way, **more):
    motion = ar.Prescribed("shoulder", **{way: lambda t: 0.4 + 0.1 * ar.cos(8.0 * t)}, **more)
    return ar.Scene(figure(), [*pulls(), motion], limits=False)


SCENES = {
    "puppet": lambda: ar.Scene(
        figure(), [*pulls(), forces.JointTorque("trunk", swirl)], limits=False
    ),
    "claw": claw,
    "controlled": lambda: claw(controller=lambda tree, t, q, qd: [-0.3 * qd[1][0], t, 0.0, 0.2]),
    "geared": lambda: ar.Scene(geared(ar.Free())),
    "geared vector": lambda: ar.Scene(geared(ar.Free("exponential"))),
    "position": lambda: prescribed("position"),
    "with gain": lambda: prescribed("position", gain=20.0),
    "velocity": lambda: prescribed("velocity"),
    "acceleration": lambda: prescribed("acceleration"),
    "claw told": lambda: claw(ar.Prescribed("one", velocity=lambda t: 0.3 * t)),
}


@ar.takes(start=("nq",), end=("nq",), e0=("nv",), e1=("nv",), h=(), centre=("nq",), force=("nv",))
def action(tree, start, end, e0, e1, h, centre, force):
    """Action of a step from integrate(start, e0) to integrate(end, e1), with work of a force."""
    first = integrate(tree, tree.positions(start), tree.rates(e0))
    last = integrate(tree, tree.positions(end), tree.rates(e1))
    twice = 0.0
    for I, X, Y in zip(tree.I[1:], poses(tree, first)[1:], poses(tree, last)[1:], strict=True):
        turn = log_so3(X.E @ Y.R)
        way = (Y.r + Y.R @ I.com()) - (X.r + X.R @ I.com())
        twice = twice + turn.dot(I.about_com() @ turn) + I.m * way.dot(way)
    gravity = 0.5 * (potential_energy(tree, first) + potential_energy(tree, last))
    middle = integrate(tree, first, scale_list(difference(tree, first, last), 0.5))
    work = dot(force, tree.vector(difference(tree, tree.positions(centre), middle)))
    return 0.5 * twice / h + h * (work - gravity)


def by_action(scene):
    """The page of what a step lacks at its start and leaves at its end, both times h."""

    @ar.takes(start=("nq",), rate=("nv",), h=(), t=())
    def page(tree, q, start, rate, h, t):
        gone = difference(tree, tree.positions(start), q)
        centre = integrate(tree, tree.positions(start), scale_list(gone, 0.5))
        force = tree.vector(
            system(scene, tree).joint_forces(State(t, centre, scale_list(gone, 1.0 / h), {}))
        )
        zero, ends = [0.0] * tree.nv, (start, tree.vector(q))
        by_ends = ar.vjp(action, "e0", "e1")
        slopes = by_ends(tree, *ends, zero, zero, h, tree.vector(centre), force, 1.0)
        motors = [0.0] * tree.nv
        if not tree.followers:
            motors = [a * x for a, x in zip(sum(tree.armature[1:], ()), tree.vector(gone),
                                            strict=True)]  # fmt: skip
        there = [dot(row, rate) for row in tree.matrix(mass_matrix(tree, tree.positions(start)))]
        impulses = [m - h * (a + p) for m, a, p in zip(motors, slopes[0], there, strict=True)]
        return [*impulses, *(m + h * a for m, a in zip(motors, slopes[1], strict=True))]

    return page


@pytest.mark.parametrize("name", SCENES)
def test_a_step_is_where_the_action_has_no_slope(name):
    """Of steps that go nowhere, a little way, and far."""
    scene = SCENES[name]()
    model, setup = scene.model, scene.setup()
    sizes = (0.0, 1e-6, 0.05, 0.5)
    q, qd = (np.tile(x, (len(sizes), 1)) for x in start(model, 3, (3,)))
    qd *= np.repeat(sizes, 3)[:, None] / H / np.abs(qd).max()
    step = ar.compile(ar.step(scene, "variational"), model)
    numbers = setup.parameters.pack({})
    count = np.tile([1.0, 2.0, 3.0], len(sizes))
    if setup.fixed_coordinates() and "shoulder" in model.joint_names:  # it starts where it should
        q[:, model.slice_q("shoulder")] = 0.4 + 0.1 * np.cos(8.0 * H * count[:, None])
    end, after, *_ = step(q, qd, count, H, numbers)
    given = end, q, qd, np.full(len(q), H), H * (count + 0.5)
    every = ar.evaluate(by_action(scene), model, *given)
    momenta = H * np.einsum("nij,nj->ni", model.mass_matrix(end), after)
    free = np.ones(model.nv, bool)
    free[setup.fixed_coordinates()] = False
    for k in range(0, len(q), 3):
        found, momentum = every[k : k + 3], momenta[k : k + 3]
        scale = np.abs(found).max() + H * np.abs(qd[k : k + 3]).max()
        assert np.abs(found[:, : model.nv][:, free]).max() < 1e-12 * scale
        close(momentum[:, free], found[:, model.nv :][:, free], 1e-11)
