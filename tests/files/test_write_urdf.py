"""Figures written as URDF files are read back as they were, here and by Pinocchio."""

import dataclasses
import math
import sysconfig
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import arthron as ar
from arthron._files.write_urdf import write_urdf

ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
BROKEN = {"falcon.urdf", "ur3.urdf"}
URDFS = sorted(path for path in ROBOTS.rglob("*.urdf") if path.name not in BROKEN)
TOLERANCE = 1e-12
DATA = ("q_lower", "q_upper", "velocity_limit", "effort_limit", "damping", "friction")
BALL = ar.Inertia(1.0, I=ar.spatial.Mat3.diagonal(0.4, 0.5, 0.6))


def name(path):
    return f"{path.relative_to(ROBOTS).parts[0]}/{path.stem}"


@pytest.fixture
def again(tmp_path):
    """Write a model and load it."""

    def write_and_load(model, **options):
        write_urdf(model.figure, tmp_path / "again.urdf")
        return ar.load(tmp_path / "again.urdf", **options)

    return write_and_load


def close(a, b, tolerance=TOLERANCE):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    np.testing.assert_allclose(a, b, rtol=0.0, atol=tolerance * max(1.0, np.abs(b).max(initial=0)))


def same_shapes(a, b):
    """Shapes look alike; those from a file have no mass."""
    for one, other in zip(a, b, strict=True):
        assert type(one) is type(other)
        close(one.placement.matrix(), other.placement.matrix())
        fields = [f.name for f in dataclasses.fields(one)]
        for field in set(fields) - {"mass", "density", "placement"}:
            assert getattr(one, field) == getattr(other, field)


def same_figure(new, old):
    assert new.name == old.name
    assert new.joint_names == old.joint_names
    assert new.body_names == old.body_names
    assert new.frame_names == old.frame_names
    assert new.tree.parent == old.tree.parent
    assert [type(j) for j in new.tree.joint] == [type(j) for j in old.tree.joint]
    for field in DATA:
        np.testing.assert_array_equal(getattr(new, field), getattr(old, field))
    for one, other in zip(new.bodies, old.bodies, strict=True):
        assert one.mimic == other.mimic
    described = ({b.name: b for b in m.links} for m in (new, old))
    for one, other in zip(*(map(d.get, sorted(d)) for d in described), strict=True):
        assert (one.name, one.parent) == (other.name, other.parent)
        same_shapes(one.shapes, other.shapes)
    for link, frame in old.figure.frames.items():
        assert new.figure.frames[link].body == frame.body
        close(new.figure.frames[link].X.matrix(), frame.X.matrix())


def same_dynamics(new, old, seed=0):
    rng = np.random.default_rng(seed)
    q = np.stack([old.random(rng) for _ in range(2)])
    qd, qdd = rng.normal(size=(2, 2, old.nv))
    for page, inputs in (
        (ar.algorithms.poses, (q,)),
        (ar.algorithms.rnea, (q, qd, qdd)),
        (ar.algorithms.crba, (q,)),
    ):
        close(ar.evaluate(page, new, *inputs), ar.evaluate(page, old, *inputs))


@pytest.mark.parametrize("path", URDFS, ids=name)
def test_robots(path, again):
    old = ar.load(path)
    new = again(old)
    same_figure(new, old)
    same_dynamics(new, old)


def test_every_robot_is_here():
    assert len(URDFS) == 75


@pytest.mark.parametrize("path", URDFS[::15], ids=name)
def test_a_free_root_is_left_out(path, again):
    old = ar.load(path, root=ar.Free())
    same_figure(again(old), ar.load(path))
    same_figure(again(old, root=ar.Free()), old)
    same_dynamics(again(old, root=ar.Free()), old)
    by_vector = ar.load(path, root=ar.Free("exponential"))
    same_dynamics(again(by_vector, root=ar.Free("exponential")), by_vector)


def test_joints_that_follow(again):
    path = next(path for path in URDFS if path.stem == "panda")
    old = ar.load(path, mimic=True)
    new = again(old, mimic=True)
    assert new.nv == old.nv == ar.load(path).nv - 1
    same_figure(new, old)
    same_dynamics(new, old)


PINOCCHIO = ["panda", "talos_reduced", "anymal", "tiago", "ur5_robot"]


@pytest.mark.parametrize("stem", PINOCCHIO)
def test_pinocchio_reads_the_same_model(stem, tmp_path):
    path = next(path for path in URDFS if path.stem == stem)
    write_urdf(ar.load(path).figure, tmp_path / "again.urdf")
    old, new = (pin.buildModelFromUrdf(str(p)) for p in (path, tmp_path / "again.urdf"))
    assert list(new.names) == list(old.names)
    assert list(new.parents) == list(old.parents)
    assert [j.shortname() for j in new.joints] == [j.shortname() for j in old.joints]
    assert {f.name for f in new.frames} == {f.name for f in old.frames}
    for field in ("lowerPositionLimit", "upperPositionLimit", "velocityLimit", "upperEffortLimit"):
        np.testing.assert_array_equal(getattr(new, field), getattr(old, field))
    for field in ("damping", "upperDryFrictionLimit"):
        close(getattr(new, field), getattr(old, field))
    for a, b in zip(new.jointPlacements, old.jointPlacements, strict=True):
        close(a.homogeneous, b.homogeneous)
    for a, b in zip(new.inertias, old.inertias, strict=True):
        close(a.toDynamicParameters(), b.toDynamicParameters())
    rng = np.random.default_rng(1)
    q = pin.neutral(old)
    v, a = rng.normal(size=(2, old.nv))
    tau = [pin.rnea(m, m.createData(), q, v, a) for m in (new, old)]
    close(*tau)


# Figures built in Python


def skew(xyz=(0.1, -0.2, 0.3)):
    return ar.pose(xyz, (0.3, -1.1, 2.0))


FIGURES = {
    "hinges": ar.random_tree(6, 2.0),
    "all kinds": ar.random_tree(9, 1.5, joints=("revolute", "prismatic", "planar", "free"), rng=3),
    "free root askew": ar.Model([ar.Body("a", ar.Free(), None, skew(), BALL)]),
    "fixed root askew": ar.Model(
        [ar.Body("a", ar.Fixed(), None, skew(), BALL), ar.Body("b", parent="a", inertia=BALL)]
    ),
    "several roots": ar.Model(
        [
            ar.Body("a", ar.Revolute("y"), inertia=BALL),
            ar.Body("world", ar.Free(), None, skew(), BALL),
            ar.Body("stand", ar.Fixed(), None, skew()),
        ]
    ),
    "described backwards": ar.Model(
        [
            ar.Body("tip", ar.Fixed(), "b", skew()),
            ar.Body("b", ar.Prismatic((1, 2, 3)), "a", skew(), BALL),
            ar.Body("a", ar.Revolute((-1, 2, 3)), None, skew(), BALL),
        ]
    ),
    "nothing": ar.Model([]),
}


@pytest.mark.parametrize("figure", FIGURES)
def test_figures(figure, again):
    old = FIGURES[figure]
    new = again(old)
    assert set(old.frame_names) <= set(new.frame_names)
    assert (new.joint_names, new.body_names) == (old.joint_names, old.body_names)
    if old.nv:
        same_dynamics(new, old)


def test_data_and_looks_are_kept(again, tmp_path):
    mesh = tmp_path / "a mesh.stl"
    mesh.write_text("solid")
    shapes = [
        ar.Box((0.1, 0.2, 1 / 3), placement=skew()),
        ar.Sphere(0.1, color=(1, 1 / 3, 0)),
        ar.Cylinder(0.1, 0.7, color=(0.1, 0.2, 0.3, 0.4)),
        ar.Capsule(0.1, 1e-5, mass=3),
        ar.Mesh(str(mesh), (1.0, -2.0, 0.001), mass=0.0),
        ar.Mesh("package://elsewhere/b.dae", mass=0.0),
    ]
    limits = {"lower": -1 / 3, "upper": 1e-9, "velocity": 7.0, "effort": 1e5}
    hinge = ar.Body("a", ar.Revolute("x"), shapes=shapes, damping=0.1, friction=0.2, **limits)
    slider = ar.Body(
        "b", ar.Prismatic("y"), "a", inertia=BALL, mimic=ar.Mimic("a", -0.1, 0.7), joint_name="j"
    )
    wheel = ar.Body("c", ar.Revolute("z"), "b", inertia=BALL, effort=3.0, friction=1.0)
    old = ar.Model([hinge, slider, wheel], name="a & b <c>")
    new = again(old)
    assert new.name == old.name
    for one, other in zip(new.bodies, old.bodies, strict=True):
        same_shapes(one.shapes, other.shapes)
        assert one.mimic == other.mimic
    for field in set(DATA) - {"velocity_limit"}:
        np.testing.assert_array_equal(getattr(new, field), getattr(old, field))
    np.testing.assert_array_equal(new.velocity_limit, [7.0, math.inf, np.finfo(float).max])
    same_dynamics(new, old)


def test_a_mesh_is_found_from_elsewhere(again, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "a.stl").write_text("solid")
    monkeypatch.chdir(tmp_path / "here")
    new = again(ar.Model([ar.Body("a", inertia=BALL, shapes=[ar.Mesh("a.stl")])]))
    assert Path(new.bodies[0].shapes[0].path) == tmp_path / "here" / "a.stl"


def test_names_that_models_allow_and_files_do_not(again):
    old = ar.Model(
        [
            ar.Body("a", joint_name="j", inertia=BALL),
            ar.Body("b", ar.Fixed(), "a", skew(), joint_name="j"),
            ar.Body("c", ar.Fixed(), "a", joint_name="j"),
            ar.Body('"d" & <é>', ar.Fixed(), "b", skew()),
        ]
    )
    new = again(old)
    assert set(new.frame_names) == {*old.frame_names, "world"}
    np.testing.assert_allclose(
        new.frame_pose([0.4], '"d" & <é>'), old.frame_pose([0.4], '"d" & <é>')
    )


ODD_NAMES = [
    "\"quoted\" 'twice'", "<b> & &amp; ]]>", "a\tb", "a\nb\r\nc\r", " around ", "  ", "\n",
    "été 关节 \N{ROBOT FACE}", "a\u2028b\x85c\xa0d", "100%{}$\\x", "--><!--", "&#10;", "a/b.com",
    "".join(map(chr, [*range(0x20, 0x300)])),
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD_NAMES)
def test_odd_names_come_back(odd, again):
    shapes = [ar.Mesh(f"package://{odd}", mass=0.0)]
    old = ar.Model(
        [
            ar.Body(odd, joint_name=f"{odd}1", inertia=BALL, shapes=shapes),
            ar.Body(f"{odd}2", ar.Prismatic("x"), odd, joint_name=odd, inertia=BALL,
                    mimic=ar.Mimic(f"{odd}1")),
        ],
        name=odd,
    )  # fmt: skip
    new = again(old)
    assert new.name == odd
    assert new.joint_names == old.joint_names and new.body_names == old.body_names
    assert new.bodies[1].mimic == old.bodies[1].mimic
    assert new.bodies[0].shapes[0].path == f"package://{odd}"


@pytest.mark.parametrize("odd", ["a\0b", "\x07", "\x1b[31m", "\x0b", "\ud800", "\uffff"])
def test_names_that_xml_cannot_hold(odd, tmp_path):
    for body, name in ((odd, "m"), ("a", odd)):
        with pytest.raises(ar.ModelError, match=r"the character '.*', which XML .* Rename"):
            write_urdf(
                ar.Model([ar.Body(body, inertia=BALL)], name=name).figure, tmp_path / "a.urdf"
            )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pitch", [0.0, 0.3, math.pi / 2, -math.pi / 2, 1.5707963, 3.0])
@pytest.mark.parametrize("roll", [0.0, 0.7, -math.pi, 2.0])
@pytest.mark.parametrize("yaw", [0.0, -0.4, math.pi / 2, 3.0])
def test_all_rotations(roll, pitch, yaw, again):
    place = ar.pose((1, 2, 3), (roll, pitch, yaw))
    old = ar.Model([ar.Body("a", ar.Revolute("x"), None, place, BALL)])
    close(again(old).tree.Xtree[1].matrix(), old.tree.Xtree[1].matrix(), 1e-15)


# What is refused


def model(joint=ar.Revolute("z"), **given):  # noqa: B008
    arm = ar.Body("arm", joint, joint_name="elbow", inertia=BALL, **given)
    return ar.Model([dataclasses.replace(arm, parent="base"), ar.Body("base", ar.Fixed())])


REFUSED = {
    "spherical": (lambda: model(ar.Spherical()), "'elbow' is 'spherical', which URDF does not"),
    "helical": (lambda: model(ar.Helical("x", 0.1)), "'elbow' is 'helical x'.*keep the model with"),
    "euler": (lambda: model(ar.Euler("xyz")), "'elbow' is 'euler xyz'"),
    "composite": (lambda: model(ar.Composite([ar.Revolute("x")])), "'elbow' is 'composite'"),
    "universal": (lambda: model(ar.Universal()), "'universal'.*massless"),
    "custom": (lambda: model(ar.Custom(lambda q: ar.spatial.exp_se3(
        ar.spatial.Motion(ar.spatial.Vec3(q[0]))))), "'elbow' is 'custom'"),
    "free by vector": (lambda: model(ar.Free("exponential")), "'elbow' is 'free exponential'"),
    "armature": (lambda: model(armature=0.1), "'elbow' has armature.*armature=0.0"),
    "half a limit": (lambda: model(lower=0.0), "'elbow' has limits.*'upper': inf.*finite numbers"),
    "slider with force alone": (
        lambda: model(ar.Prismatic("x"), effort=3.0), "'elbow' has limits.*'effort': 3.0"),
    "damped free": (lambda: model(ar.Free(), damping=1.0), "'elbow' has 6 coordinates and damping"),
    "planar with limits": (lambda: model(ar.Planar("z"), lower=0.0, effort=1.0),
                           "'elbow' has 3 coordinates and lower, effort, which"),
    "ellipsoid": (lambda: model(shapes=[ar.Ellipsoid((1, 2, 3))]), "'arm' has the shape Ellipsoid"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_urdf_does_not_have(case, tmp_path):
    make, message = REFUSED[case]
    with pytest.raises(ar.ModelError, match=message):
        write_urdf(make().figure, tmp_path / "a.urdf")
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(ar.FileError, match=r"does not end in \.urdf"):
        write_urdf(model().figure, tmp_path / "a.xml")
    with pytest.raises(ar.FileError, match=r"cannot be written: No such file .*Check the path"):
        write_urdf(model().figure, tmp_path / "nowhere" / "a.urdf")
