"""Constraints in files: read as they were written, and every mistake a sentence."""

import json

import numpy as np
import pytest

import arthron as ar
from arthron import constraints
from arthron.constraints import Coupling, Distance, Loop, Rope

PLACE = ar.pose((0.1, 0.2, 0.3), (0.4, -0.5, 0.6))
AXIS = (0.0, 0.6, 0.8)
KINDS = [
    ar.Fixed(), ar.Revolute(AXIS), ar.Prismatic("x"), ar.Helical(AXIS, 0.2), ar.Spherical(),
    ar.Universal("x", AXIS), ar.Planar(AXIS), ar.Translational(), ar.PlanarTranslation("y"),
    ar.Composite([ar.Revolute(AXIS), ar.Prismatic(AXIS)]),
]  # fmt: skip
ALL = [
    *(Loop(("one", PLACE), (None, (1, 2, 3)), kind, name=f"k{i}") for i, kind in enumerate(KINDS)),
    Loop(("one", ar.pose(rpy=(0.3, np.pi / 2, 0.1))), ("two", None), ar.Fixed()),
    Distance(("one", (0, 0, 1)), (None, (1, 0, 0)), 0.7, name="rod"),
    Distance(("one", (0, 0, 1)), ("two", (1, 0, 0))),
    Rope(("one", (0, 0, 1)), (None, (1, 0, 0)), 0.7, name="rope"),
    Coupling(("a", "b"), (3, -1), None),
]


def test_what_is_written_is_read(tmp_path):
    constraints.save(tmp_path / "all.loops.json", ALL)
    for one, two in zip(ALL, constraints.load(tmp_path / "all.loops.json"), strict=True):
        assert type(one) is type(two) and one.name == two.name and one.links == two.links
        if isinstance(one, Loop):
            assert one.joint == two.joint
            for end in "ab":
                a, b = (np.array(getattr(x, end)[1]) for x in (one, two))
                np.testing.assert_allclose(a, b, atol=1e-14)
        else:
            assert one == two


WRONG = {
    "": "it is not JSON",
    "[]": 'no list of "constraints"',
    '{"constraints": [3]}': 'constraint 0: the "type" of a constraint is 3',
    '{"constraints": [{"type": "lop"}]}': r"is 'lop'\. Nearest: 'loop'",
    '{"constraints": [{"type": "loop", "name": "pin"}]}': r"0 \('pin'\): a loop lacks 'a'",
    '{"constraints": [{"type": "coupling", "joints": ["a"], "factor": [1]}]}': "Nearest: 'factors'",
    '{"constraints": [{"type": "distance", "a": 1, "b": 2}]}': r"'a' is 1\. Write",
    '{"constraints": [{"type": {}}]}': r'"type" of a constraint is \{\}',
    "[" * 100_000: "it is not JSON",
}


@pytest.mark.parametrize("text", WRONG)
def test_mistakes_are_sentences(tmp_path, text):
    path = tmp_path / "robot.loops.json"
    path.write_text(text)
    with pytest.raises(ar.FileError, match=WRONG[text]) as error:
        constraints.load(path)
    assert error.value.path == str(path)


def test_joints_in_files_are_checked(tmp_path):
    path = tmp_path / "robot.loops.json"
    end = {"link": None, "xyz": [0, 0, 0]}
    wrong = {"Known are 'fixed'": {"type": "hinge"}, "lacks 'axis'": {"type": "revolute"},
             "has no direction": {"type": "revolute", "axis": [0, 0, 0]}}  # fmt: skip
    for message, joint in wrong.items():
        entry = {"type": "loop", "a": end, "b": end, "joint": joint}
        path.write_text(json.dumps({"constraints": [entry]}))
        with pytest.raises(ar.FileError, match=message):
            constraints.load(path)
    with pytest.raises(ar.ModelError, match="a file cannot hold"):
        constraints.save(path, [Loop(("a", (0, 0, 0)), ("b", None), ar.Euler("xyz"))])
    with pytest.raises(ar.ModelError, match="a int is no constraint that a file can hold"):
        constraints.save(path, [3])
    with pytest.raises(ar.ModelError, match="Give a list of them"):
        constraints.save(path, ALL[0])
    with pytest.raises(ar.FileError, match="cannot be read: No such file"):
        constraints.load(tmp_path / "none.json")
    with pytest.raises(ar.FileError, match="cannot be written: No such file"):
        constraints.save(tmp_path / "none" / "robot.loops.json", [])
    with pytest.raises(ar.FileError, match="a NoneType is no path"):
        constraints.load(None)


def bar(name, parent, x, joint="hinge"):
    kind = ar.Revolute("y") if joint == "hinge" else ar.Fixed()
    return ar.Body(name, kind, parent, (x, 0, 0), shapes=[ar.Box((0.1, 0.1, 0.1), mass=1.0)])


def test_a_robot_and_its_loops_are_two_files_or_a_line(tmp_path):
    """A link's name is its frame, in code and in files; names that are not there are told."""
    robot, file = tmp_path / "robot.urdf", tmp_path / "robot.loops.json"
    bars = bar("crank", None, 0.0), bar("tip", "crank", 0.3, "weld"), bar("rocker", None, 0.9)
    ar.Model(bars).save_urdf(robot)
    file.write_text("""{"constraints": [
      {"type": "distance", "name": "coupler", "a": "tip",
       "b": {"link": "rocker", "xyz": [0.6, 0, 0]}, "length": 0.8},
      {"type": "loop", "name": "still", "a": "tip", "b": {"link": null, "xyz": null},
       "joint": {"type": "fixed"}}
    ]}""")
    model, (rod, still) = ar.load(robot), constraints.load(file)
    assert rod == Distance("tip", ("rocker", (0.6, 0, 0)), 0.8, name="coupler")
    assert Loop("tip", (None, None), ar.Fixed()).open_at_start == still.open_at_start == ("b",)
    closed = ar.Scene(model, [rod]).assemble({"crank": -1.0}, near=[0.0, -1.6])["q"]
    ends = [model.frame_pose(closed, n) @ (x, 0, 0, 1) for n, x in (("tip", 0), ("rocker", 0.6))]
    np.testing.assert_allclose(np.linalg.norm(ends[0] - ends[1]), 0.8, atol=1e-12)
    with pytest.raises(ar.ModelError, match=r"Loop 'pin' acts on link 'top', .*Nearest: 'tip'"):
        ar.Scene(model, [Loop("top", "rocker", ar.Revolute("y"), name="pin")])
    with pytest.raises(ar.ModelError, match="which reads files by `load`"):
        ar.Scene(model, str(file))
