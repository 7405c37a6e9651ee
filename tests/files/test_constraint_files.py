"""Constraints in files: read as they were written, and every mistake a sentence."""

import json

import numpy as np
import pytest

import arthron as ar
from arthron import constraints
from arthron.constraints import Coupling, Distance, Loop

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
    with pytest.raises(ar.FileError, match="cannot be read"):
        constraints.load(tmp_path / "none.json")
