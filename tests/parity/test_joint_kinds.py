"""Joints that robot files seldom have, in figures built in Python: both libraries agree.

Pinocchio's planar joint moves across z. Ours across another normal is theirs with turned frames on
both sides, so that only what does not depend on the body's axes can be compared.
"""

import dataclasses

import numpy as np
import pinocchio as pin
import pytest
from pinocchio_layout import Pinocchio, expected, inputs_of, relative_error, states

import arthron as ar
from arthron._algorithms import dynamics, energy, kinematics
from arthron.algorithms import aba, balafoutis_patel, crba, rnea

PAGES = [
    ("body_poses", kinematics.poses),
    ("body_velocities", kinematics.velocities),
    ("body_accelerations", kinematics.accelerations),
    ("body_jacobians", kinematics.jacobians),
]
PAGES_WITHOUT_BODY_AXES = [
    ("inverse_dynamics", rnea),
    ("inverse_dynamics", balafoutis_patel),
    ("inverse_dynamics", dynamics.inverse_dynamics),
    ("forward_dynamics", aba),
    ("forward_dynamics", dynamics.forward_dynamics),
    ("mass_matrix", crba),
    ("mass_matrix", dynamics.mass_matrix),
    ("bias_forces", dynamics.bias_forces),
    ("gravity_forces", dynamics.gravity_forces),
    ("kinetic_energy", energy.kinetic_energy),
    ("potential_energy", energy.potential_energy),
    ("momentum", energy.momentum),
    ("center_of_mass", energy.center_of_mass),
    ("com_jacobian", energy.com_jacobian),
]

SKEW_KINDS = ("revolute", "prismatic", "spherical", "free", ar.Planar("z"))
FIGURES = {
    "hinge": ar.random_tree(3, 1.5, joints=("revolute",), rng=1),
    "slider": ar.random_tree(3, 1.5, joints=("prismatic",), rng=2),
    "ball": ar.random_tree(3, 1.5, joints=("spherical",), rng=3),
    "free": ar.random_tree(3, 1.5, joints=("free",), rng=4),
    "planar": ar.random_tree(3, 1.5, joints=(ar.Planar("z"),), rng=5),
    "hinges along axes": ar.random_tree(5, joints=[ar.Revolute(a) for a in "xyz"], rng=6),
    "sliders along axes": ar.random_tree(5, joints=[ar.Prismatic(a) for a in "xyz"], rng=7),
    "mixed chain": ar.random_tree(8, 1.0, joints=SKEW_KINDS, rng=8),
    "mixed tree": ar.random_tree(10, 2.0, joints=SKEW_KINDS, rng=9),
    "wide tree": ar.random_tree(10, 3.0, 0.3, 0.8, joints=SKEW_KINDS, rng=10),
}
TURNED = {
    "normal x": ar.random_tree(3, joints=(ar.Planar("x"),), rng=11),
    "normal y": ar.random_tree(3, joints=(ar.Planar("y"),), rng=12),
    "normal -z": ar.random_tree(3, joints=(ar.Planar((0, 0, -1)),), rng=13),
    "any normal": ar.random_tree(4, 1.5, joints=("planar",), rng=14),
    "everything": ar.random_tree(8, 2.0, joints=(*SKEW_KINDS, "planar"), rng=15),
}


def with_armature(model):
    """The figure with armature where both libraries mean the same by it: not on planar joints."""
    return ar.Model(
        [
            body
            if isinstance(body.joint, ar.Planar)
            else dataclasses.replace(body, armature=0.1 * np.arange(1, body.joint.nv + 1))
            for body in model.bodies
        ]
    )


def their_joint(joint):
    match joint:
        case ar.Revolute() if joint in (ar.Revolute(a) for a in "xyz"):
            return getattr(pin, f"JointModelR{joint.label[-1].upper()}")()
        case ar.Revolute():
            return pin.JointModelRevoluteUnaligned(np.array(joint.axis))
        case ar.Prismatic() if joint in (ar.Prismatic(a) for a in "xyz"):
            return getattr(pin, f"JointModelP{joint.label[-1].upper()}")()
        case ar.Prismatic():
            return pin.JointModelPrismaticUnaligned(np.array(joint.axis))
        case ar.Spherical():
            return pin.JointModelSpherical()
        case ar.Planar():
            return pin.JointModelPlanar()
        case ar.Free():
            return pin.JointModelFreeFlyer()


def build_theirs(model):
    """The figure in Pinocchio, with a frame for each of our bodies."""
    theirs = pin.Model()
    homes = {None: (0, pin.SE3.Identity())}
    for body in model.bodies:
        turn = pin.SE3.Identity()
        if isinstance(body.joint, ar.Planar):
            turn.rotation = np.column_stack([*body.joint.axes(), body.joint.normal])
        parent, place = homes[body.parent]
        place = place * pin.SE3(np.array(body.placement.matrix()))
        j = theirs.addJoint(parent, their_joint(body.joint), place * turn, body.joint_name)
        homes[body.name] = j, turn.inverse()
        m, c, Ic = body.inertia.m, body.inertia.com(), body.inertia.about_com()
        inertia = pin.Inertia(m, np.array(c), np.array(Ic))
        theirs.appendBodyToJoint(j, inertia, turn.inverse())
        theirs.addBodyFrame(body.name, j, turn.inverse(), 0)
    pinocchio = Pinocchio(model, theirs)
    theirs.armature = pinocchio.P(model.neutral()) @ model.armature
    return Pinocchio(model, theirs)


def check(model, method, page, *, body_axes=True):
    state = states(model, 3, seed=21)
    if not body_axes:
        state["f_ext"][:] = 0.0
    theirs = build_theirs(model)
    ours = ar.evaluate(page, model, **inputs_of(method, state))
    assert relative_error(ours, expected(theirs, method, state)) < 1e-9


def name(page):
    return f"{page.__module__.rpartition('.')[2]}.{page.__name__}"


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize(
    ("method", "page"),
    [pytest.param(*p, id=name(p[1])) for p in PAGES + PAGES_WITHOUT_BODY_AXES],
)
def test_page(figure, method, page):
    check(FIGURES[figure], method, page)


@pytest.mark.parametrize("figure", ["ball", "free", "mixed tree"])
@pytest.mark.parametrize(
    ("method", "page"),
    # Pinocchio's kinetic energy forgets the armature of hinges about skew axes.
    [pytest.param(*p, id=name(p[1])) for p in PAGES_WITHOUT_BODY_AXES if "kinetic" not in p[0]],
)
def test_armature(figure, method, page):
    model = with_armature(FIGURES[figure])
    assert model.armature.max() > 0.2
    check(model, method, page)


@pytest.mark.parametrize("figure", TURNED)
@pytest.mark.parametrize(
    ("method", "page"), [pytest.param(*p, id=name(p[1])) for p in PAGES_WITHOUT_BODY_AXES]
)
def test_other_normals(figure, method, page):
    check(TURNED[figure], method, page, body_axes=False)


@pytest.mark.parametrize("figure", TURNED)
def test_poses_with_other_normals(figure):
    model = TURNED[figure]
    theirs = build_theirs(model)
    q = states(model, 3, seed=22)["q"]
    ours = ar.evaluate(kinematics.poses, model, q)
    exact = [[theirs.frame_pose(each, body) for body in model.body_names] for each in q]
    assert relative_error(ours, exact) < 1e-9


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("method", ["inverse_dynamics", "forward_dynamics", "mass_matrix"])
def test_native_code(method, dtype):
    model = FIGURES["mixed tree"]
    state = states(model, 11, seed=23, speed=0.5)
    exact = expected(build_theirs(model), method, state)
    inputs = [x.astype(dtype) for x in inputs_of(method, state).values()]
    function = getattr(model, method)
    tolerance = 1e-9 if dtype == np.float64 else 1e-4
    assert relative_error(function(*inputs), exact) < tolerance
    single = [function(*row) for row in zip(*inputs, strict=True)]
    assert relative_error(single, exact) < tolerance
