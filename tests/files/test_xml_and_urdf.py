"""URDF files: what they mean, what is refused and how, and that real ones are read as Pinocchio."""

import math
import pickle
import sysconfig
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import arthron as ar
from arthron._figure.body import Mimic
from arthron._figure.build import build
from arthron._figure.figure import Description
from arthron._figure.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from arthron._files import urdf, xml
from arthron._files.urdf import read_urdf
from arthron._spatial.inertia import Inertia
from arthron._tree.joints import Fixed, Planar, Prismatic, Revolute
from arthron._tree.kinds import Free
from arthron._tree.placement import pose
from arthron.errors import FileError

GRAVITY = (0.0, 0.0, -9.81)
ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
REFUSED_BY_PINOCCHIO = {"falcon.urdf", "ur3.urdf"}
URDFS = sorted(p for p in ROBOTS.rglob("*.urdf") if p.name not in REFUSED_BY_PINOCCHIO)

REST = 'effort="1" velocity="1"'
UNIT_INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'


def robot(*lines):
    """A file with `lines` from line 2 on."""
    return "\n".join(['<robot name="r">', *lines, "</robot>"])


def joint(*lines, kind="revolute", parent="a", child="b"):
    """A file of two links and a joint on line 4, with `lines` in it from line 5 on."""
    head = f'<joint name="j" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
    return robot('<link name="a"/>', '<link name="b"/>', head, *lines, "</joint>")


def link(*lines):
    """A file with a link on line 2, with `lines` in it from line 3 on."""
    return robot('<link name="a">', *lines, "</link>")


def inertial(*lines):
    """A file of a link with `lines` in its <inertial> from line 4 on."""
    return link("<inertial>", *lines, "</inertial>")


def visual(shape):
    """A file of a link that looks like `shape`, on line 3."""
    return link(f"<visual><geometry>{shape}</geometry></visual>")


def tie(name, parent, child, inside="", kind="fixed"):
    """A joint on one line."""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"{inside}</joint>"
    )


A, B, C = ('<link name="a"/>', '<link name="b"/>', '<link name="c"/>')
AB, BC = tie("j", "a", "b"), tie("k", "b", "c")

# fmt: off
MALFORMED = {
    # not XML, or not to be trusted
    "empty": ("", None, ["empty"]),
    "blank": (" \n\n", None, ["empty"]),
    "text": ("solid cube\nfacet", 1, ["not well-formed XML", "syntax error"]),
    "binary": (b"\x00\x01\x02\x89PNG", 1, ["not well-formed XML"]),
    "cut off": ('<robot name="r">\n<link name="a">', 2, ["not well-formed", "no element"]),
    "crossed": ('<robot name="r">\n<link name="a">\n</robot>', 3, ["mismatched tag"]),
    "unknown entity": (robot("&a;"), 2, ["undefined entity"]),
    "not UTF-8": (b'<robot name="r">\n<link name="\xe9t\xe9"/></robot>', 2, ["UTF-8"]),
    "no such encoding": ('<?xml version="1.0" encoding="klingon"?><robot/>', 1, ["UTF-8"]),
    "wide encoding": ('<?xml version="1.0" encoding="shift_jis"?><robot/>', 1, ["UTF-8"]),
    "doctype": ('\n<!DOCTYPE robot SYSTEM "x.dtd">\n<robot/>', 2, ["DOCTYPE robot", "Remove it"]),
    "entity bomb": (
        '<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>\n<robot>&b;</robot>', 1,
        ["DOCTYPE", "entities"]),
    "web page": ("<!DOCTYPE html>\n<html><body/></html>", 1, ["DOCTYPE html", "HTML page"]),
    "too deep": ("<robot>" + "\n<a>" * 100_000, 101, ["100 deep"]),
    # some other format
    "HTML": ("<html><body/></html>", 1, ["<html>", "<robot>", "an HTML page"]),
    "SDF": ('<sdf version="1.6"/>', 1, ["<sdf>", "<robot>", "an SDF file"]),
    "MJCF": ("<!-- -->\n<mujoco/>", 2, ["<mujoco>", "<robot>", "an MJCF file", "convert"]),
    "other XML": ("<launch/>", 1, ["<launch>", "<robot>", "Check"]),
    "xacro": (robot('<xacro:include filename="arm.xacro"/>'), 2, ["xacro", "Expand"]),
    # links and joints
    "no links": ('<robot name="r"/>', 1, ["0 links"]),
    "link without name": (robot("<link/>"), 2, ["<link> has no name"]),
    "two links, one name": (robot(A, B, A), 4, ["two links called 'a'", "line 2", "rename"]),
    "two joints, one name": (robot(A, B, AB, AB), 5, ["two joints called 'j'", "line 4"]),
    "joint without name": (robot(A, '<joint type="fixed"/>'), 3, ["<joint> has no name"]),
    "joint without type": (joint(kind=""), 4, ['<joint name="j"> has no type']),
    "unknown type": (joint(kind="revolut"), 4, ["'revolut'", "Types are", "Nearest: 'revolute'"]),
    "no parent": (robot(A, '<joint name="j"/>'), 3, ['<joint name="j"> has no <parent>']),
    "no child": (
        robot(A, '<joint name="j"><parent link="a"/></joint>'), 3,
        ['<joint name="j"> has no <child>']),
    "parent without link": (
        robot(A, '<joint name="j">', "<parent/>", "</joint>"), 4,
        ["<parent> has no link"]),
    "parent is no link": (
        robot('<link name="arm"/>', B, tie("j", "amr", "b")), 4,
        ["parent 'amr'", "not a link", "Nearest: 'arm'"]),
    "child is no link": (joint(child="bb"), 4, ["child 'bb'", "not a link", "Nearest: 'b'"]),
    "parent is child": (joint(child="a"), 4, ["'j' joins link 'a' to itself"]),
    "child of two": (
        robot(A, B, C, tie("j", "a", "c"), BC), 6,
        ["'c' is the child of two joints, 'j' and 'k'", "open the loop"]),
    "no root": (robot(A, B, AB, tie("k", "b", "a")), 4, ["b -> a -> b", "root"]),
    "cycle beside the root": (robot(A, B, C, BC, tie("l", "c", "b")), 5, ["c -> b -> c"]),
    "two roots": (robot(A, B), 3, ["'a' and 'b' are both roots", "fixed"]),
    # numbers
    "text for a number": (joint('<axis xyz="0 zero 1"/>'), 5, ['<axis> has xyz="0 zero 1"']),
    "two numbers for three": (joint('<origin xyz="0 0"/>'), 5, ['<origin> has xyz="0 0"', "3"]),
    "four numbers for three": (joint('<origin rpy="0 0 0 1"/>'), 5, ['rpy="0 0 0 1"', "3 finite"]),
    "NaN": (joint('<origin xyz="0 nan 0"/>'), 5, ['xyz="0 nan 0"', "finite"]),
    "infinity": (joint('<limit effort="inf"/>'), 5, ['<limit> has effort="inf"', "finite"]),
    "overflow": (joint('<limit effort="1e999"/>'), 5, ['effort="1e999"', "finite"]),
    "Python's underscore": (joint('<limit upper="1_0"/>'), 5, ['upper="1_0"']),
    "empty number": (joint('<axis xyz=""/>'), 5, ["<axis> has no xyz"]),
    "axis of length zero": (joint('<axis xyz="0 0 0"/>'), 5, ["<axis>", "no direction"]),
    "quaternion": (joint('<origin quat_xyzw="0 0 0 1"/>'), 5, ["quat_xyzw", "rpy"]),
    # mimic
    "mimic without joint": (joint("<mimic/>"), 5, ["<mimic> has no joint"]),
    "mimic of itself": (joint("", '<mimic joint="j"/>'), 6, ["'j' mimics itself: j -> j"]),
    "mimic in a circle": (
        robot(A, B, C, tie("j", "a", "b", '<mimic joint="k"/>', "revolute"),
              tie("k", "b", "c", '<mimic joint="j"/>', "revolute")), 5,
        ["'j' mimics itself: j -> k -> j"]),
    "mimic of a fixed joint": (
        robot(A, B, C, AB, tie("k", "b", "c", '<mimic joint="j"/>', "revolute")), 6,
        ["'k' mimics 'j', which is fixed"]),
    # mass
    "no mass value": (inertial("<mass/>", UNIT_INERTIA), 4, ["<mass> has no value"]),
    "negative mass": (inertial('<mass value="-1"/>', UNIT_INERTIA), 4, ["'a'", "mass -1"]),
    "no inertia": (inertial('<mass value="1"/>'), 3, ["<inertial> has no <inertia>"]),
    "no inertia entry": (
        inertial('<mass value="1"/>', '<inertia ixx="1" ixy="0" ixz="0" iyy="1" izz="1"/>'), 5,
        ["<inertia> has no iyz"]),
    "NaN in the inertia": (
        inertial('<mass value="1"/>', UNIT_INERTIA.replace('izz="1"', 'izz="NaN"')), 5,
        ['<inertia> has izz="NaN"']),
}
DOUBTFUL = {
    "lower > upper": (joint(f'<limit lower="2" upper="1" {REST}/>'), 5,
                      ["'j'", "lower=2, upper=1"]),
    "lower above the default": (joint(f'<limit lower="2" {REST}/>'), 5, ["lower=2, upper=0 (0 w"]),
    "no mass": (inertial(UNIT_INERTIA), 3, ["<inertial> of link 'a' has no <mass>"]),
    "flat box": (visual('<box size="1 0 1"/>'), 3, ["<box>", "size = (1.0, 0.0, 1.0)"]),
    "negative sphere": (visual('<sphere radius="-1"/>'), 3, ["<sphere>", "radius = -1"]),
    "empty sphere": (visual('<sphere radius="0"/>'), 3, ["<sphere>", "radius = 0", "left out"]),
    "no length": (visual('<cylinder radius="1"/>'), 3, ["<cylinder> has no length"]),
    "no file": (visual("<mesh/>"), 3, ["<mesh> has no filename", "of link 'a'"]),
    "empty name": (visual('<mesh filename=""/>'), 3, ["<mesh> has no filename", "left out"]),
    "one scale": (visual('<mesh filename="m.stl" scale="2"/>'), 3, ['scale="2"', "3 finite"]),
    "no scale": (visual('<mesh filename="m.stl" scale="1 0 1"/>'), 3, ["scale = (1.0, 0.0, 1.0)"]),
    "four scales": (visual('<mesh filename="m.stl" scale="1 2 3 x"/>'), 3, ["has 4 factors"]),
    "looks askew": (link('<visual><origin xyz="1 2"/><geometry><sphere radius="1"/></geometry>'
                         "</visual>"), 3, ['<origin> has xyz="1 2"', "<visual> of link 'a'"]),
}
# fmt: on


def write(folder, content):
    path = folder / "r.urdf"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed(tmp_path, case):
    content, line, fragments = MALFORMED[case]
    path = write(tmp_path, content)
    with pytest.raises(FileError) as caught:
        read_urdf(path)
    assert caught.value.path == str(path)
    assert caught.value.line == line
    message = str(caught.value)
    assert message.startswith(f"{path}:")
    assert all(fragment in message for fragment in fragments), message


@pytest.mark.parametrize("case", DOUBTFUL)
def test_doubtful(tmp_path, case):
    """What Pinocchio reads is read, with a warning that has its place."""
    content, line, fragments = DOUBTFUL[case]
    path = write(tmp_path, content)
    pin.buildModelFromUrdf(str(path))
    model = ar.load(path)
    [warning] = (text for text in model.warnings if text.startswith(f"{path}:"))
    assert warning.startswith(f"{path}:{line}: ")
    assert all(fragment in warning for fragment in fragments), warning
    assert warning in model.replace(gravity=(0, 0, 0)).warnings
    assert warning in pickle.loads(pickle.dumps(model)).warnings


def test_what_is_doubtful_is_left_out(tmp_path):
    both = '<visual><geometry><sphere radius="0"/></geometry></visual>' * 2
    body = bodies_of(tmp_path, link(both, visual('<box size="1 2 3"/>').split("\n")[2]))["a"]
    assert [type(shape) for shape in body.shapes] == [Box] and len(body.warnings) == 2
    body = bodies_of(tmp_path, visual('<mesh filename="m.stl" scale="1 2 3 4"/>'))["a"]
    assert body.shapes[0].scale == (1.0, 2.0, 3.0)
    body = bodies_of(tmp_path, joint('<limit lower="2" upper="1" effort="3"/>'))["b"]
    assert (body.lower, body.upper, body.effort) == ((-math.inf,), (math.inf,), (3.0,))
    assert bodies_of(tmp_path, inertial(UNIT_INERTIA))["a"].inertia == Inertia()
    flaw = '<collision><geometry><sphere radius="0"/></geometry></collision>'
    body = bodies_of(tmp_path, link(flaw))["a"]
    assert body.collision == () and "This <collision> of link 'a' is left out" in body.warnings[0]
    locked = ar.load(write(tmp_path, joint('<limit lower="2"/>'))).lock("j", [0.0])
    assert "lower=2" in locked.warnings[0]


@pytest.mark.parametrize("blank", ["\n", "  \r\n\t", " "])
def test_blank_lines_above_the_declaration(tmp_path, blank):
    content = f'{blank}<?xml version="1.0"?>\n' + joint()
    assert bodies_of(tmp_path, content)["b"].line == 5 + blank.count("\n")
    content = f'{blank}<?xml version="1.0"?>\n<robot>\n<link></robot>'
    with pytest.raises(FileError) as caught:
        bodies_of(tmp_path, content)
    assert caught.value.line == 3 + blank.count("\n")


@pytest.mark.parametrize(
    ("name", "fragments"),
    [
        ("robt.urdf", ["no such file", "Nearest: 'robot.urdf'"]),
        ("nowhere/robot.urdf", ["no such file"]),
        (".", ["a directory"]),
        ("robot.urdf/robot.urdf", ["cannot be read"]),
        ("\0", ["cannot be read"]),
    ],
)
def test_no_file(tmp_path, name, fragments):
    (tmp_path / "robot.urdf").write_text(robot(A))
    with pytest.raises(FileError) as caught:
        read_urdf(tmp_path / name)
    assert all(fragment in str(caught.value) for fragment in fragments), str(caught.value)


@pytest.mark.parametrize(
    ("module", "limit", "value", "fragment"),
    [
        (xml, "MAX_BYTES", 2**20, "larger than 1 MB"),
        (xml, "MAX_ELEMENTS", 100, "more than 100 elements"),
        (urdf, "MAX_LINKS", 100, "has 30,000 links"),
    ],
)
def test_absurd_sizes(tmp_path, monkeypatch, module, limit, value, fragment):
    path = write(
        tmp_path, robot(*(f'<link name="a much longer name {i}"/>' for i in range(30_000)))
    )
    monkeypatch.setattr(module, limit, value)
    with pytest.raises(FileError, match=fragment):
        read_urdf(path)


def bodies_of(tmp_path, content, **options):
    """Bodies of a file by name."""
    _, bodies = read_urdf(write(tmp_path, content), **options)
    return {body.name: body for body in bodies}


@pytest.mark.parametrize(
    ("kind", "inside", "expected"),
    [
        ("revolute", "", Revolute("x")),
        ("revolute", "<axis/>", Revolute("x")),
        ("revolute", '<axis xyz=" 0\t+3e0\n-4. "/>', Revolute((0.0, 0.6, -0.8))),
        ("continuous", '<axis xyz="0 0 1"/>', Revolute("z")),
        ("prismatic", '<axis xyz="0 -1 0"/>', Prismatic((0.0, -1.0, 0.0))),
        ("planar", "", Planar("x")),
        ("planar", '<axis xyz="0 1 0"/>', Planar("y")),
        ("floating", '<axis xyz="0 0 0"/>', Free()),
        ("fixed", '<axis xyz="0 0 0"/><limit lower="1" upper="0"/>', Fixed()),
    ],
)
def test_joint_kinds(tmp_path, kind, inside, expected):
    assert bodies_of(tmp_path, joint(inside, kind=kind))["b"].joint == expected


@pytest.mark.parametrize(
    ("kind", "inside", "expected"),
    [
        ("revolute", "", (-math.inf, math.inf, math.inf, math.inf)),
        ("revolute", '<limit effort="1" velocity="2"/>', (0.0, 0.0, 1.0, 2.0)),
        ("prismatic", '<limit lower="-1e-3" upper=".5"/>', (-0.001, 0.5, math.inf, math.inf)),
        (
            "continuous",
            '<limit lower="1" upper="0" effort="3" velocity="4"/>',
            (-math.inf, math.inf, 3.0, 4.0),
        ),
        ("planar", '<limit lower="1" upper="0" effort="3"/>', (-math.inf, *[math.inf] * 3)),
    ],
)
def test_limits(tmp_path, kind, inside, expected):
    body = bodies_of(tmp_path, joint(inside, kind=kind))["b"]
    given = (body.lower, body.upper, body.effort, body.velocity)
    assert tuple(numbers[0] for numbers in given) == expected


def test_friction_and_mimic(tmp_path):
    content = robot(
        A, B, C, '<link name="d"/>',
        tie("j", "a", "b", '<dynamics damping="0.1" friction="0.2"/>', "revolute"),
        tie("k", "a", "c", '<mimic joint="j" multiplier="-2" offset="0.5"/>', "prismatic"),
        tie("l", "a", "d", '<mimic joint="elsewhere"/>', "continuous"),
    )  # fmt: skip
    bodies = bodies_of(tmp_path, content)
    assert (bodies["b"].damping, bodies["b"].friction, bodies["b"].mimic) == ((0.1,), (0.2,), None)
    assert (bodies["c"].damping, bodies["c"].friction) == ((0.0,), (0.0,))
    assert bodies["c"].mimic == Mimic("j", -2.0, 0.5)
    assert bodies["d"].mimic == Mimic("elsewhere")


def test_urdf_may_end_in_xml(tmp_path):
    (tmp_path / "r.xml").write_text(joint())
    assert ar.load(tmp_path / "r.xml").frame_names == ("a", "b")
    (tmp_path / "r.xml").write_text("<mujoco/>")
    with pytest.raises(FileError, match="an MJCF file"):
        ar.load(tmp_path / "r.xml")


def test_names_and_lines(tmp_path):
    content = robot(C, tie("j", "a", "c"), B, "<gazebo><odd/></gazebo>", A, tie("k", "c", "b"))
    name, bodies = read_urdf(write(tmp_path, content), root=Free())
    assert name == "r"
    assert [(b.name, b.parent, b.joint_name, b.line) for b in bodies] == [
        ("a", None, "root_joint", 6),
        ("c", "a", "j", 3),
        ("b", "c", "k", 7),
    ]
    assert bodies[0].joint == Free()
    assert read_urdf(write(tmp_path, "<robot><link name='a'/></robot>"))[0] == "r"


def test_other_encodings(tmp_path):
    content = '<?xml version="1.0" encoding="ENC"?>' + robot('<link name="été"/>')
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "cp1252"):
        declared = content.replace("ENC", encoding.removesuffix("-sig"))
        assert list(bodies_of(tmp_path, declared.encode(encoding))) == ["été"]


def test_fixed_links_merge_into_frames(tmp_path):
    content = robot(
        A,
        '<link name="b"/>',
        '<link name="c"><inertial><origin xyz="0.1 0 0.2" rpy="0.3 -0.4 0.5"/><mass value="2"/>',
        '<inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="2.5"/></inertial></link>',
        tie("j", "a", "b", '<axis xyz="0 0 1"/>', "continuous"),
        tie("k", "b", "c", '<origin xyz="1 2 3" rpy="0.5 0.6 -0.7"/>'),
    )
    name, bodies = read_urdf(write(tmp_path, content))
    figure = build(Description(tuple(bodies), GRAVITY, name, strict=False))
    assert figure.tree.nb == 1
    assert figure.frames["a"].body == 0
    assert figure.frames["b"].body == figure.frames["c"].body == 1

    T_b_c = pin.SE3(pin.rpy.rpyToMatrix(0.5, 0.6, -0.7), np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(figure.frames["c"].X.matrix(), T_b_c.homogeneous, atol=1e-14)
    R = pin.rpy.rpyToMatrix(0.3, -0.4, 0.5)
    tensor = np.array([[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]])
    in_c = pin.Inertia(2.0, np.array([0.1, 0.0, 0.2]), R @ tensor @ R.T)
    assert_same_inertia(figure.tree.I[1], T_b_c.act(in_c))


def test_shapes(tmp_path):
    shapes = (
        '<box size="1 2 3"/>',
        '<sphere radius="1"/>',
        '<cylinder radius="1" length="2"/>',
        '<capsule radius="1" length="2"/>',
        '<mesh filename="gone.stl" scale="1 -1 1"/>',
    )
    visuals = [
        f'<visual><origin xyz="0 0 {i}" rpy="0.1 0 0"/><geometry>{s}</geometry></visual>'
        for i, s in enumerate(shapes)
    ]
    ignored = "<visual/><visual><geometry><cone/></geometry></visual><collision/>"
    body = bodies_of(tmp_path, link(*visuals, ignored))["a"]
    assert body.inertia == Inertia()
    looks = [{"mass": 0.0, "placement": pose((0, 0, i), (0.1, 0, 0))} for i in range(5)]
    assert list(body.shapes) == [
        Box((1.0, 2.0, 3.0), **looks[0]),
        Sphere(1.0, **looks[1]),
        Cylinder(1.0, 2.0, **looks[2]),
        Capsule(1.0, 2.0, **looks[3]),
        Mesh("gone.stl", (1.0, -1.0, 1.0), **looks[4]),
    ]


def test_colors(tmp_path):
    """Own ones, those of materials defined at the top or in another link, and odd ones."""

    def ball(material):
        return f'<visual><geometry><sphere radius="1"/></geometry>{material}</visual>'

    blue = '<material name="blue"><color rgba="0 0.5 1 0.7"/></material>'
    content = robot(
        '<link name="a">', ball('<material name="red"/>'), ball('<material name="blue"/>'),
        ball('<material name="gone"/>'), ball(""), ball('<material name="odd"/>'), "</link>",
        '<link name="b">', ball('<material name="red"><color rgba="1 0 0 1"/></material>'),
        ball('<material name=""><color rgba="0 1 0 1"/></material>'),
        ball('<material name="long"><color rgba="0 1 0"/></material>'),
        ball('<material name="t"><texture filename="a.png"/></material>'), "</link>",
        blue, '<material name="odd"><color rgba="255 0 0 1"/></material>', AB,
    )  # fmt: skip
    bodies = bodies_of(tmp_path, content)
    red = (1.0, 0.0, 0.0, 1.0)
    a = [shape.color for shape in bodies["a"].shapes]
    assert a == [red, (0.0, 0.5, 1.0, 0.7), None, None, None]
    assert [shape.color for shape in bodies["b"].shapes] == [red, (0.0, 1.0, 0.0, 1.0), None, None]
    [odd], [long] = bodies["a"].warnings, bodies["b"].warnings
    assert ":16: <color> has rgba=(255.0" in odd and ':12: <color> has rgba="0 1 0"' in long


def test_meshes_are_found(tmp_path):
    above, given = tmp_path / "src/arm_description", tmp_path / "given/arm_description"
    for folder in (above, given):
        (folder / "meshes").mkdir(parents=True)
    (above / "urdf").mkdir()
    (above / "meshes/both.stl").touch()
    (above / "meshes/above only.stl").touch()
    (given / "meshes/both.stl").touch()

    def found(name, packages=()):
        path = above / "urdf/r.urdf"
        path.write_text(visual(f'<mesh filename="{name}"/>'))
        _, [body] = read_urdf(path, packages=packages)
        return body.shapes[0].path

    both, gone = "package://arm_description/meshes/both.stl", "package://other/meshes/both.stl"
    assert found(both) == str(above / "meshes/both.stl")
    assert found(both, [str(tmp_path / "given")]) == str(given / "meshes/both.stl")
    assert found(both, [tmp_path, given]) == str(given / "meshes/both.stl")
    only = "package://arm_description/meshes/above only.stl"
    assert found(only, [given]) == str(above / "meshes/above only.stl")
    assert found(gone, [given]) == gone
    assert Path(found("../meshes/both.stl")).samefile(above / "meshes/both.stl")
    assert found(f"file://{given}/meshes/both.stl") == str(given / "meshes/both.stl")
    assert found("x" * 5000) == "x" * 5000


def assert_same_inertia(ours, theirs):
    tolerance = {"rtol": 1e-9, "atol": 1e-9 * max(1.0, theirs.mass)}
    np.testing.assert_allclose(ours.m, theirs.mass, **tolerance)
    np.testing.assert_allclose(ours.h, theirs.mass * theirs.lever, **tolerance)
    np.testing.assert_allclose(ours.I, theirs.matrix()[3:, 3:], **tolerance)


def test_there_are_robots_to_read():
    assert len(URDFS) == 75


@pytest.mark.parametrize("path", URDFS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_real_robots_as_pinocchio_reads_them(path):
    theirs = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    name, bodies = read_urdf(path, root=Free())
    figure = build(Description(tuple(bodies), GRAVITY, name, strict=False))
    assert name == theirs.name
    assert sorted(body.joint_name for body in figure.bodies) == sorted(theirs.names[1:])
    total = sum(I.mass for I in theirs.inertias[1:])
    assert sum(I.m for I in figure.tree.I) == pytest.approx(total, rel=0, abs=1e-9)
    for i, body in enumerate(figure.bodies, start=1):
        j = theirs.getJointId(body.joint_name)
        X, placement = figure.tree.Xtree[i], theirs.jointPlacements[j]
        np.testing.assert_allclose(X.matrix(), placement.homogeneous, atol=1e-9)
        assert_same_inertia(figure.tree.I[i], theirs.inertias[j])
        assert figure.frames[body.name].body == i
        if body.joint.nv == 1:
            v = theirs.joints[j].idx_v
            assert body.effort[0] == theirs.effortLimit[v]
            assert body.velocity[0] == theirs.velocityLimit[v]
            assert body.damping[0] == theirs.damping[v]
        if body.joint.nv == 1 and theirs.joints[j].nq == 1:
            q = theirs.joints[j].idx_q
            assert body.lower[0] == theirs.lowerPositionLimit[q]
            assert body.upper[0] == theirs.upperPositionLimit[q]
