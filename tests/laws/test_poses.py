"""Placements by roll, pitch and yaw, by quaternion and by matrix are one."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import arthron as ar

XYZ = (0.3, -1.2, 2.0)
RPY = (0.4, -0.7, 2.1)
TURN = Rotation.from_euler("xyz", RPY)
WXYZ = np.roll(TURN.as_quat(), 1)
FORMS = {
    "angles": {"rpy": RPY},
    "quaternion": {"quaternion": WXYZ},
    "quaternion of any length": {"quaternion": -3e200 * WXYZ},
    "matrix": {"matrix": TURN.as_matrix()},
    "rows": {"matrix": TURN.as_matrix().tolist()},
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_rotation(form):
    there = np.array(ar.pose(XYZ, **FORMS[form]).matrix(), float)
    np.testing.assert_allclose(there[:3, :3], TURN.as_matrix(), atol=1e-15)
    np.testing.assert_array_equal(there[:, 3], (*XYZ, 1.0))


def test_no_rotation():
    assert ar.pose(XYZ) == ar.pose(XYZ, rpy=(0, 0, 0)) == ar.pose(XYZ, quaternion=(2, 0, 0, 0))


def test_quarter_turns_are_exact():
    """Zeros and ones are, so that they fold when a figure is compiled."""
    half = 0.5**0.5
    assert ar.pose(quaternion=(half, 0, 0, half)) == ar.pose(rpy=(0, 0, np.pi / 2))
    entries = np.array(ar.pose(quaternion=(half, 0, 0, half)).R, float)
    np.testing.assert_array_equal(entries, [[0, -1, 0], [1, 0, 0], [0, 0, 1]])


BAD = {
    "two rotations": ({"rpy": RPY, "matrix": np.eye(3)}, "was given rpy and matrix. Give one"),
    "all rotations": (
        {"rpy": RPY, "quaternion": (1, 0, 0, 0), "matrix": np.eye(3)},
        "rpy and quaternion and matrix",
    ),
    "three of four": ({"quaternion": (1, 0, 0)}, r"`quaternion` is \(1, 0, 0\).*\(w, x, y, z\)"),
    "zero": ({"quaternion": (0, 0, 0, 0)}, "not all zero"),
    "NaN": ({"quaternion": (1, 0, 0, np.nan)}, "finite"),
    "text": ({"quaternion": "wxyz"}, "`quaternion` is 'wxyz'"),
    "2 x 2": ({"matrix": np.eye(2)}, "(?s)`matrix` is .*3 x 3"),
    "matrix of text": ({"matrix": "one"}, "`matrix` is 'one'"),
    "scaled": ({"matrix": 2 * np.eye(3)}, "`matrix` is not a rotation"),
    "matrix of NaN": ({"matrix": np.nan * np.eye(3)}, "`matrix` is not a rotation.*finite"),
    "mirror": ({"matrix": np.diag([1, 1, -1])}, "`matrix` mirrors space"),
    "position of text": ({"xyz": "123"}, "`xyz` is '123'"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_pose(case):
    given, message = BAD[case]
    with pytest.raises(ar.ModelError, match=message):
        ar.pose(**given)
