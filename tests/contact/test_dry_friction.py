"""Dry friction of joints: they stand until more acts on them, and are braked where they move."""

import numpy as np
import pytest

import arthron as ar

HOW = ("leapfrog", "semi-implicit Euler", "implicit Euler")
FORCE = 0.5
ARM = ar.Model([
    ar.Body("arm", ar.Revolute("y"), friction=FORCE,
            shapes=[ar.Capsule(0.03, 0.4, placement=(0, 0, -0.2))])
])  # fmt: skip


@pytest.mark.parametrize("how", HOW)
def test_it_stands_where_friction_is_enough(how):
    edge = np.arcsin(FORCE / (ARM.mass * 9.81 * 0.2))
    scene = ar.Scene(ARM, [ar.contacts.DryFriction()])
    q = np.array([[0.99], [1.01], [3.0]]) * edge
    run = ar.simulate(scene, 2.0, 1e-3, q=q, integrator=how)
    assert np.ptp(run.q[0]) < 1e-6  # stands
    assert np.ptp(run.q[1]) > 1e-3  # does not
    assert np.abs(run.q[:, -1]).max() < edge and np.abs(run.qd[:, -1]).max() < 1e-6
    assert np.diff(run.energy).max() < 1e-6


def test_a_joint_slows_down_by_its_friction():
    """A wheel without weight on its axle: F / I, and it stands when it should."""
    wheel = ar.Model([ar.Body("wheel", ar.Revolute("z"), shapes=[ar.Cylinder(0.1, 0.02)])])
    inertia = wheel.mass_matrix([0.0])[0, 0]
    scene = ar.Scene(wheel, [ar.contacts.DryFriction("wheel", 0.01, name="axle")])
    force = np.array([0.01, 0.02])
    run = ar.simulate(scene, 1.0, 1e-3, qd=[[2.0], [2.0]], parameters={"axle.force": force})
    rate = (run.qd[:, 100, 0] - run.qd[:, 0, 0]) / 0.1
    np.testing.assert_allclose(rate, -force / inertia, rtol=1e-9)
    stops = np.minimum(2.0 * inertia / force, 1.0)
    travelled = 2.0 * stops - 0.5 * force / inertia * stops**2
    np.testing.assert_allclose(run.q[:, -1, 0], travelled, rtol=5e-3)


@pytest.mark.parametrize("how", HOW)
def test_coulombs_law_on_a_tree(how):
    """Any joints, with masses off their axes: |f| <= F, and f = -F where a joint moves."""
    model = ar.random_tree(
        7, 1.5, joints=("revolute", "prismatic", "universal", "spherical"), rng=3
    )
    force = 0.3
    scene = ar.Scene(model, [ar.contacts.DryFriction(model.joint_names, force)], limits=False)
    rng = np.random.default_rng(1)
    qd = 2.0 * rng.normal(size=(4, model.nv))
    run = ar.simulate(scene, 0.4, 1e-3, q=model.random(2, 4), qd=qd, integrator=how)
    f, after = run.forces[:, 1:], run.qd[:, 1:]
    assert np.abs(f).max() < force * (1.0 + 1e-9)
    if how == "leapfrog":  # the velocity that friction sees is that of the kick
        after = np.where(np.sign(run.qd[:, :-1]) == np.sign(after), after, 0.0)
    moves = np.abs(after) > 1e-2
    assert moves.mean() > 0.3 and (~moves).any()
    np.testing.assert_allclose(f[moves], -force * np.sign(after[moves]), rtol=1e-6)
    if how != "implicit Euler":
        assert np.diff(run.energy).max() < 0.02 * np.ptp(run.energy)


def test_friction_beside_contact_and_limits():
    """A person whose joints are stiff with friction stands without a controller."""
    model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    q = model.neutral()
    q[2] -= model.frame_pose(q, "left_sole")[2, 3]
    joints = model.joint_names[1:]
    scene = ar.Scene(model, [ar.contacts.Ground(), ar.contacts.DryFriction(joints, 300.0)])
    run = ar.simulate(scene, 1.0, 1e-3, q=q, keep_every=10)
    assert np.abs(run.qd[-1]).max() < 1e-4 and np.abs(run.q[-1] - q).max() < 1e-4
    q[model.slice_q("left_knee")] = 0.4
    weak = ar.Scene(model, [ar.contacts.Ground(), ar.contacts.DryFriction(joints, 1.0)])
    assert ar.simulate(weak, 1.0, 1e-3, q=q, keep_every=10).q[-1, 2] < q[2] - 0.1


def test_what_moves_a_joint_as_told_has_its_friction_to_bear():
    told = ar.Prescribed("arm", lambda t: 0.5 + 0.5 * t)
    run = ar.simulate(ar.Scene(ARM, [told, ar.contacts.DryFriction()]), 0.2, 1e-3, q=[0.5])
    needed = ARM.inverse_dynamics(run.q[-1], run.qd[-1], [0.0])[0]
    np.testing.assert_allclose(run.forces[-1], needed, rtol=1e-3)  # both together


@pytest.mark.parametrize("given, says", [
    ({"of": ("elbow",), "force": 1.0}, "elbow"),
    ({"of": "arm", "force": -1.0}, "zero or more"),
    ({"of": "arm", "force": (1.0, 2.0)}, "one for each"),
    ({"of": 3}, "names of joints"),
    ({"of": ("arm", "arm"), "force": 0.1}, "twice"),
    ({"of": "arm", "force": {"arm": 0.3}}, "'arm': 0.3"),
])  # fmt: skip
def test_bad_input_meets_a_sentence(given, says):
    with pytest.raises(ar.ModelError, match=says):
        ar.Scene(ARM, [ar.contacts.DryFriction(**given)])


def test_a_figure_without_friction_has_none():
    bare = ar.Model([ar.Body("arm", ar.Revolute("y"), shapes=[ar.Sphere(0.1)])])
    with pytest.raises(ar.ModelError, match="no joint"):
        ar.Scene(bare, [ar.contacts.DryFriction()])
    with pytest.raises(ar.SimulationError, match="DryFriction"):
        ar.simulate(ar.Scene(ARM, [ar.contacts.DryFriction()]), 0.1, 1e-3, integrator="BDF2")


def test_a_force_is_that_of_all_joints_but_floating_ones():
    arm = ar.Body("arm", ar.Revolute("y"), "box", shapes=[ar.Capsule(0.03, 0.2, mass=1.0)])
    slide = ar.Body("slide", ar.Prismatic("x"), "arm", shapes=[ar.Sphere(0.1)], friction=9.0)
    box = ar.Body("box", ar.Free(), shapes=[ar.Box((0.1, 0.1, 0.1))])
    model = ar.Model([box, arm, slide])
    fitted = ar.contacts.DryFriction(force=2.0).fitted(model)
    assert (fitted.of, fitted.force) == (("arm", "slide"), ((2.0,), (2.0,)))
    assert ar.contacts.DryFriction().fitted(model).of == ("slide",)


def test_what_stands_creeps_as_little_as_is_said():
    """1e-5 of the speed that the load of a step would give it."""
    run = ar.simulate(ar.Scene(ARM, [ar.contacts.DryFriction("arm", 50.0)]), 0.1, 1e-3, q=[0.5])
    load = ARM.inverse_dynamics([0.5], [0.0], [0.0])[0] / ARM.mass_matrix([0.5])[0, 0]
    np.testing.assert_allclose(abs(run.qd[-1, 0]), 1e-5 * abs(load) * 1e-3, rtol=0.05)
