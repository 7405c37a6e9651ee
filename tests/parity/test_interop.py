"""Coordinates there and back: dynamics of Pinocchio and MuJoCo agree through the conversions."""

import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from pinocchio_layout import load_both, relative_error, robot_file, states

import arthron as ar
from arthron import interop

TOLERANCE = 1e-9
ROOT = Path(ar.__file__).parents[1]


def pin_composite(*joints):
    whole = pin.JointModelComposite()
    for joint in joints:
        whole.addJoint(joint, pin.SE3.Identity())
    return whole


SKEW, OTHER = np.array([1.0, 2.0, -2.0]) / 3.0, np.array([2.0, 1.0, 2.0]) / 3.0
IN_PINOCCHIO = {
    "hinge": (ar.Revolute("x"), pin.JointModelRX()),
    "skew hinge": (ar.Revolute(SKEW), pin.JointModelRevoluteUnaligned(SKEW)),
    "hinge without limits": (ar.Revolute("y"), pin.JointModelRUBY()),
    "slider": (ar.Prismatic("z"), pin.JointModelPZ()),
    "skew slider": (ar.Prismatic(SKEW), pin.JointModelPrismaticUnaligned(SKEW)),
    "screw": (ar.Helical("y", 0.3), pin.JointModelHY(0.3)),
    "skew screw": (ar.Helical(SKEW, -0.2), pin.JointModelHelicalUnaligned(SKEW, -0.2)),
    "planar": (ar.Planar("z"), pin.JointModelPlanar()),
    "ball": (ar.Spherical(), pin.JointModelSpherical()),
    "free": (ar.Free(), pin.JointModelFreeFlyer()),
    "angles": (ar.Euler("zyx"), pin.JointModelSphericalZYX()),
    "universal": (ar.Universal(SKEW, OTHER), pin.JointModelUniversal(SKEW, OTHER)),
    "translation": (ar.Translational(), pin.JointModelTranslation()),
    "drill": (
        ar.Composite([ar.Revolute("z"), ar.Prismatic(SKEW)]),
        pin_composite(pin.JointModelRUBZ(), pin.JointModelPrismaticUnaligned(SKEW)),
    ),
    "cart": (
        ar.Composite([ar.Planar("z"), ar.Revolute("x"), ar.Prismatic("z")]),
        pin_composite(pin.JointModelPlanar(), pin.JointModelRX(), pin.JointModelPZ()),
    ),
    "ball on rails": (
        ar.Composite([ar.Translational(), ar.Spherical()]),
        pin_composite(pin.JointModelTranslation(), pin.JointModelSpherical()),
    ),
    "angles by hinges": (
        ar.Euler("xyz"),
        pin_composite(pin.JointModelRX(), pin.JointModelRY(), pin.JointModelRZ()),
    ),
}
IN_MUJOCO = {
    "hinge": (ar.Revolute("x"), "hinge"),
    "skew hinge": (ar.Revolute(SKEW), "hinge"),
    "slider": (ar.Prismatic("z"), "slide"),
    "skew slider": (ar.Prismatic(SKEW), "slide"),
    "ball": (ar.Spherical(), "ball"),
}


def counterpart(table, joint):
    return next(theirs for ours, theirs in table.values() if ours == joint)


def siblings_swapped(model):
    """Bodies depth first, but with children in the opposite order."""
    ordered, stack = [], [body for body in model.bodies if body.parent is None]
    while stack:
        ordered.append(stack.pop())
        stack += [body for body in model.bodies if body.parent == ordered[-1].name]
    return ordered


def in_pinocchio(model):
    """The figure in Pinocchio, joints in another order."""
    theirs, numbers = pin.Model(), {None: 0}
    for body in siblings_swapped(model):
        place = pin.SE3(np.array(body.placement.matrix()))
        joint = counterpart(IN_PINOCCHIO, body.joint)
        j = theirs.addJoint(numbers[body.parent], joint, place, body.joint_name)
        m, c, Ic = body.inertia.m, body.inertia.com(), body.inertia.about_com()
        theirs.appendBodyToJoint(j, pin.Inertia(m, np.array(c), np.array(Ic)), pin.SE3.Identity())
        numbers[body.name] = j
    return theirs


def in_mujoco(model):
    """The figure in MuJoCo, joints in another order; hinges and sliders count from `ref`."""

    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    homes = {None: spec.worldbody}
    for k, body in enumerate(siblings_swapped(model)):
        I = np.array(body.inertia.about_com())
        home = homes[body.name] = homes[body.parent].add_body(
            name=body.name,
            pos=np.array(body.placement.r),
            quat=ar.spatial.quaternion_from_matrix(body.placement.R),
            mass=body.inertia.m,
            ipos=np.array(body.inertia.com()),
            fullinertia=[I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]],
            explicitinertial=True,
        )
        if isinstance(body.joint, ar.Free):
            home.add_freejoint(name=body.joint_name)
            continue
        kind = counterpart(IN_MUJOCO, body.joint)
        axis = getattr(body.joint, "axis", (0.0, 0.0, 1.0))
        ref = 0.1 * k if kind in ("hinge", "slide") else 0.0
        kind = getattr(mujoco.mjtJoint, f"mjJNT_{kind.upper()}")
        home.add_joint(name=body.joint_name, type=kind, axis=np.array(axis), ref=ref)
    return spec.compile()


def floating(model):
    """The same figure on a free root, which stands askew in the world."""
    root, *rest = model.links
    return ar.Model([ar.Body(root.name, ar.Free(), None, root.placement, root.inertia,
                             joint_name=root.joint_name), *rest])  # fmt: skip


def tree(table, seed, nb=7):
    joints = [ours for ours, _ in table.values()]
    return ar.random_tree(nb, 2.0, joints=joints, rng=seed)


PINOCCHIO_FIGURES = {
    name: ar.random_tree(3, 2.0, joints=[pair[0]], rng=1) for name, pair in IN_PINOCCHIO.items()
} | {f"tree {seed}": tree(IN_PINOCCHIO, seed) for seed in range(5)}
MUJOCO_FIGURES = (
    {name: ar.random_tree(3, 2.0, joints=[pair[0]], rng=2) for name, pair in IN_MUJOCO.items()}
    | {f"tree {seed}": tree(IN_MUJOCO, seed) for seed in range(3)}
    | {f"free tree {seed}": floating(tree(IN_MUJOCO, seed)) for seed in range(3)}
)


class InPinocchio:
    """What Pinocchio computes, in its own layout, for many states."""

    def __init__(self, model):
        self.model, self.theirs = model, in_pinocchio(model)
        self.data = self.theirs.createData()
        self.layout = interop.pinocchio(model, self.theirs)

    def poses(self, x):
        numbers = [self.theirs.getJointId(name) for name in self.model.joint_names]
        result = []
        for each in x:
            pin.forwardKinematics(self.theirs, self.data, each)
            result.append([self.data.oMi[j].homogeneous for j in numbers])
        return np.array(result)

    def inverse(self, x, v, a):
        rows = zip(x, v, a, strict=True)
        return np.array([pin.rnea(self.theirs, self.data, *row) for row in rows])

    def forward(self, x, v, tau):
        rows = zip(x, v, tau, strict=True)
        return np.array([pin.aba(self.theirs, self.data, *row) for row in rows])

    def mass_matrix(self, x):
        return np.array([pin.crba(self.theirs, self.data, each) for each in x])


class InMujoco:
    """What MuJoCo computes, in its own layout, for many states."""

    def __init__(self, model):
        self.model, self.theirs = model, in_mujoco(model)
        self.theirs.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.data = mujoco.MjData(self.theirs)
        self.layout = interop.mujoco(model, self.theirs)

    def _at(self, **state):
        for name, value in state.items():
            getattr(self.data, name)[:] = value
        mujoco.mj_forward(self.theirs, self.data)
        return self.data

    def poses(self, x):
        result = np.tile(np.eye(4), (len(x), self.model.nb, 1, 1))
        for k, each in enumerate(x):
            data = self._at(qpos=each)
            for i, name in enumerate(self.model.body_names):
                result[k, i, :3, :3] = data.body(name).xmat.reshape(3, 3)
                result[k, i, :3, 3] = data.body(name).xpos
        return result

    def inverse(self, x, v, a):
        result = []
        for qpos, qvel, qacc in zip(x, v, a, strict=True):
            data = self._at(qpos=qpos, qvel=qvel)
            data.qacc[:] = qacc
            mujoco.mj_inverse(self.theirs, data)
            result.append(data.qfrc_inverse.copy())
        return np.array(result)

    def forward(self, x, v, tau):
        rows = zip(x, v, tau, strict=True)
        return np.array([self._at(qpos=a, qvel=b, qfrc_applied=c).qacc.copy() for a, b, c in rows])

    def mass_matrix(self, x):
        result = np.empty((len(x), self.theirs.nv, self.theirs.nv))
        for k, each in enumerate(x):
            data = self._at(qpos=each)
            for row, unit in zip(result[k], np.eye(self.theirs.nv), strict=True):
                mujoco.mj_mulM(self.theirs, data, row, unit)
        return result


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((library, model), id=f"{library.__name__}-{name}")
        for library, figures in ((InPinocchio, PINOCCHIO_FIGURES), (InMujoco, MUJOCO_FIGURES))
        for name, model in figures.items()
    ],
)
def pair(request):
    library, model = request.param
    return model, library(model), states(model, 4, seed=3)


def test_positions(pair):
    model, theirs, s = pair
    ours = ar.evaluate(ar.algorithms.poses, model, s["q"])
    assert relative_error(ours, theirs.poses(theirs.layout.q_to(s["q"]))) < TOLERANCE


def test_inverse_dynamics(pair):
    model, theirs, s = pair
    q, qd, qdd, layout = s["q"], s["qd"], s["qdd"], theirs.layout
    tau = theirs.inverse(layout.q_to(q), layout.qd_to(q, qd), layout.qdd_to(q, qd, qdd))
    ours = ar.evaluate(ar.algorithms.rnea, model, q, qd, qdd)
    assert relative_error(ours, layout.tau_from(q, tau)) < TOLERANCE


def test_forward_dynamics(pair):
    model, theirs, s = pair
    q, qd, tau, layout = s["q"], s["qd"], s["tau"], theirs.layout
    a = theirs.forward(layout.q_to(q), layout.qd_to(q, qd), layout.tau_to(q, tau))
    ours = ar.evaluate(ar.algorithms.aba, model, q, qd, tau)
    assert relative_error(ours, layout.qdd_from(q, qd, a)) < TOLERANCE


def test_mass_matrix_by_rows_and_columns(pair):
    model, theirs, s = pair
    q, layout = s["q"], theirs.layout
    M = layout.tau_from(q[:, None], theirs.mass_matrix(layout.q_to(q)))
    M = layout.tau_from(q[:, None], np.swapaxes(M, -1, -2))
    assert relative_error(ar.evaluate(ar.algorithms.crba, model, q), M) < TOLERANCE


def test_there_and_back(pair):
    _, theirs, s = pair
    q, qd, qdd, tau, layout = s["q"], s["qd"], s["qdd"], s["tau"], theirs.layout
    close = lambda a, b: np.testing.assert_allclose(a, b, atol=1e-14)  # noqa: E731
    close(layout.q_from(layout.q_to(q)), q)
    close(layout.qd_from(q, layout.qd_to(q, qd)), qd)
    close(layout.qdd_from(q, qd, layout.qdd_to(q, qd, qdd)), qdd)
    close(layout.tau_from(q, layout.tau_to(q, tau)), tau)
    x, v = layout.q_to(q), layout.qd_to(q, qd)
    close(layout.q_to(layout.q_from(x)), x)
    close(layout.qd_to(layout.q_from(x), layout.qd_from(layout.q_from(x), v)), v)
    power = np.sum(layout.tau_to(q, tau) * v, -1)
    np.testing.assert_allclose(power, np.sum(tau * qd, -1), rtol=1e-12)


def test_batches_broadcast(pair):
    model, theirs, s = pair
    layout = theirs.layout
    q, qd, qdd = s["q"][:2, None], s["qd"][:3], s["qdd"][0]
    v, a = layout.qd_to(q, qd), layout.qdd_to(q, qd, qdd)
    assert v.shape == a.shape == (2, 3, model.nv)
    assert layout.q_to(q).shape == (2, 1, theirs.theirs.nq)
    single = layout.qdd_to(s["q"][1], s["qd"][2], s["qdd"][0])
    np.testing.assert_allclose(a[1, 2], single, atol=1e-14)
    assert layout.q_to(s["q"][0].tolist()).shape == (theirs.theirs.nq,)


ROBOTS = [
    ("talos_data/talos_reduced", "floating"),
    ("panda_description/panda", "fixed"),
    ("solo_description/solo", "floating"),
    ("tiago_description/tiago", "fixed"),  # wheels without limits
    ("ur_description/ur5_robot", "fixed"),
]


@pytest.mark.parametrize(("name", "base"), ROBOTS, ids=[name for name, _ in ROBOTS])
def test_robots(name, base):
    model, theirs = load_both(robot_file(name), base)
    layout, s = interop.pinocchio(model, theirs.pin), states(model, 3, seed=5)
    for q, qd in zip(s["q"], s["qd"], strict=True):
        np.testing.assert_allclose(layout.q_to(q), theirs.positions(q), atol=1e-14)
        np.testing.assert_allclose(layout.qd_to(q, qd), theirs.P(q) @ qd, atol=1e-14)


def test_joints_that_mimic():
    path = robot_file("panda_description/panda")
    model = ar.load(path, mimic=True)
    theirs = pin.buildModelFromUrdf(str(path), mimic=True)
    layout, s = interop.pinocchio(model, theirs), states(model, 3, seed=6)
    q, qd, qdd, tau = (s[n] for n in ("q", "qd", "qdd", "tau"))
    rows = zip(layout.q_to(q), layout.qd_to(q, qd), layout.qdd_to(q, qd, qdd), strict=True)
    tau = np.array([pin.rnea(theirs, theirs.createData(), *row) for row in rows])
    ours = ar.evaluate(ar.algorithms.rnea, model, q, qd, qdd)
    assert relative_error(ours, layout.tau_from(q, tau)) < TOLERANCE
    with pytest.raises(ar.ModelError, match="'panda_finger_joint2' of `panda` is not in the Pin"):
        interop.pinocchio(ar.load(path), theirs)


def test_quaternions_get_unit_length():
    for model, layout in (
        (m, library(m).layout)
        for library, m in ((InPinocchio, PINOCCHIO_FIGURES["free"]), (InMujoco, lone_free()))
    ):
        q = model.random(4)
        longer = q.copy()
        longer[3:7] *= 3.0
        np.testing.assert_allclose(layout.q_to(longer), layout.q_to(q), atol=1e-15)
        qd = np.arange(1.0, model.nv + 1)
        np.testing.assert_allclose(layout.qd_to(longer, qd), layout.qd_to(q, qd), atol=1e-14)


def lone_free():
    return floating(ar.random_tree(1, rng=3))


def test_swapping_halves():
    np.testing.assert_array_equal(interop.swap_halves([1, 2, 3, 4, 5, 6]), [4, 5, 6, 1, 2, 3])
    J = np.arange(12.0).reshape(6, 2)
    np.testing.assert_array_equal(interop.swap_halves(J, axis=0), J[[3, 4, 5, 0, 1, 2]])
    np.testing.assert_array_equal(interop.swap_halves(interop.swap_halves(J, axis=0), axis=0), J)


# What is refused


def lone(joint):
    return ar.random_tree(1, joints=[joint])


def in_pinocchio_as(joint, name="joint1"):
    theirs = pin.Model()
    theirs.addJoint(0, joint, pin.SE3.Identity(), name)
    return theirs


UNLIKE = {
    "kind": (ar.Revolute("z"), pin.JointModelPZ(), "'revolute z' .*JointModelPZ"),
    "coordinates": (ar.Spherical("exponential"), pin.JointModelSpherical(), "exponential"),
    "sequence": (ar.Euler("xyz"), pin.JointModelSphericalZYX(), "'euler xyz'"),
    "charts": (ar.Euler("zyx", charts=True), pin.JointModelSphericalZYX(), "charts"),
    "no counterpart": (ar.PlanarTranslation("z"), pin.JointModelPlanar(), "planar translation"),
    "theirs alone": (ar.Universal(), pin.JointModelEllipsoid(), "JointModelEllipsoid"),
    "fewer in a row": (
        ar.Composite([ar.Revolute("x"), ar.Revolute("y"), ar.Revolute("z")]),
        pin_composite(pin.JointModelRX(), pin.JointModelRY()),
        "JointModelComposite",
    ),
    "others in a row": (
        ar.Composite([ar.Revolute("x"), ar.Revolute("y")]),
        pin_composite(pin.JointModelRX(), pin.JointModelPY()),
        "JointModelComposite",
    ),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_joints_that_do_not_correspond(name):
    ours, theirs, message = UNLIKE[name]
    with pytest.raises(ar.ModelError, match=rf"joint 'joint1' is .*{message}"):
        interop.pinocchio(lone(ours), in_pinocchio_as(theirs))


@pytest.mark.parametrize(
    ("joint", "kind"), [(ar.Revolute("z"), "slide"), (ar.Universal(), "hinge"), (ar.Free(), "ball")]
)
def test_joints_that_do_not_correspond_in_mujoco(joint, kind):
    theirs = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><body><joint name="joint1" type="{kind}"/><geom size="1"/>'
        "</body></worldbody></mujoco>"
    )
    with pytest.raises(ar.ModelError, match=f"'joint1' is .* and a {kind} in the MuJoCo model"):
        interop.mujoco(lone(joint), theirs)


def test_a_free_joint_on_a_body_is_not_one_in_the_world():
    theirs = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body><joint name="joint1"/><geom size="1"/></body><body>'
        '<freejoint name="joint2"/><geom size="1"/></body></worldbody></mujoco>'
    )
    root, other = ar.random_tree(2, joints=[ar.Free()]).bodies
    hinge = ar.Body(root.name, ar.Revolute("z"), inertia=root.inertia, joint_name="joint1")
    with pytest.raises(ar.ModelError, match=r"joint 'joint2' is 'free' .* and a free in the MuJ"):
        interop.mujoco(ar.Model([hinge, other]), theirs)


def test_fixed_links_that_are_bodies_have_no_place():
    """They have a joint name, and no coordinates."""
    body, q = ar.random_tree(1, joints=[ar.Revolute("x")]).bodies[0], [0.3]
    tool = ar.Body("tool", ar.Fixed(), body.name, inertia=body.inertia, merged=False)
    whole, bare = ar.Model([body, tool]), ar.Model([body])
    for layout, theirs in ((interop.pinocchio, in_pinocchio), (interop.mujoco, in_mujoco)):
        there = theirs(bare)
        np.testing.assert_array_equal(layout(whole, there).q_to(q), layout(bare, there).q_to(q))


def test_names_must_match():
    ours, theirs = lone(ar.Revolute("z")), in_pinocchio_as(pin.JointModelRZ(), "joint_1")
    with pytest.raises(ar.ModelError, match=r"joint 'joint_1' of the Pinocchio.*Nearest: 'joint1'"):
        interop.pinocchio(ours, theirs)
    with pytest.raises(ar.ModelError, match=r"joint 'joint1' of `random_tree\(1\)` is not in the"):
        interop.pinocchio(ours, pin.Model())


def test_other_models_are_refused():
    ours = lone(ar.Revolute("z"))
    with pytest.raises(ar.ModelError, match=r"is a Model\. Give a `mujoco\.MjModel`"):
        interop.mujoco(ours, pin.Model())
    with pytest.raises(ar.ModelError, match=r"is a str\. Give a `pinocchio\.Model`"):
        interop.pinocchio(ours, "panda.urdf")


def test_shapes_are_checked():
    layout = interop.pinocchio(
        lone(ar.Revolute("z")), in_pinocchio_as(pin.JointModelRUBZ(), "joint1")
    )
    with pytest.raises(ar.ShapeError, match=r"`q` has shape \(2,\) but `random_tree\(1\)` needs"):
        layout.q_to([1.0, 0.0])
    with pytest.raises(ar.ShapeError, match=r"`x` has shape \(1,\) .*Pinocchio.* \(\.\.\., 2\)"):
        layout.q_from([1.0])
    with pytest.raises(ar.ShapeError, match="do not broadcast"):
        layout.qd_to(np.zeros((2, 1)), np.zeros((3, 1)))


def test_neither_library_is_imported():
    code = "import sys, arthron.interop; sys.exit(bool({'pinocchio', 'mujoco'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
