"""What makes two joints the same: their code in the cache, equality, copies and pickles."""

import copy
import dataclasses
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from joint_cases import AXIS, CASES, error, frames, knee, model_of, saddle, states, values

import arthron as ar
from arthron.algorithms import crba
from arthron.spatial import Mat3, Transform, Vec3, rotation


def slide_by(k):
    return lambda q: (Mat3.identity(), Vec3(k * ar.sin(q[0]), q[0], 0.0))


def defined_again():
    """A `knee` of its own, that computes the same as the one of the cases."""

    def knee(q):
        back = 0.06 * q[0] - 0.02 * ar.sin(1.5 * q[0])
        R = rotation(Vec3(0.0, 1.0, 0.0), q[0] + 0.1 * q[0] * q[0])
        return R, Vec3(back, 0.01 * q[0], -0.05 * ar.cos(q[0])) + R @ Vec3(0.0, 0.0, -0.4)

    return knee


def bent_frame(k):
    """Control frames of which one has moved by a hair."""
    given = frames(6, 1)
    given[k] = Transform(given[k].E, given[k].r + Vec3(1e-9, 0.0, 0.0))
    return given


def bent_value():
    given = values(5, 5, 1)
    given[3, 2, 4] += 1e-9
    return given


NUDGED = AXIS + np.array([0.0, 0.0, 1e-10])
DIFFERENT = {
    "functions": (ar.Custom(knee), ar.Custom(slide_by(1.0))),
    "what functions close over": (ar.Custom(slide_by(1.0)), ar.Custom(slide_by(1.0 + 1e-12))),
    "counts": (ar.Custom(lambda q: saddle((q[0], q[0]))), ar.Custom(saddle, 2)),
    "one frame": (ar.SplineCurve(frames(6, 1)), ar.SplineCurve(bent_frame(5))),
    "an inner frame": (ar.SplineCurve(frames(6, 1)), ar.SplineCurve(bent_frame(2))),
    "closed curve": (ar.SplineCurve(frames(6, 1)), ar.SplineCurve(frames(6, 1), cyclic=True)),
    "one value": (ar.SplineSurface(values(5, 5, 1)), ar.SplineSurface(bent_value())),
    "closed surface": (
        ar.SplineSurface(values(5, 5, 1), (True, False)),
        ar.SplineSurface(values(5, 5, 1), (False, True)),
    ),
    "basis": (ar.SplineCurve(frames(7, 1)), ar.SplineCurve(frames(7, 1), basis="catmull-rom")),
    "one knot": (
        ar.SplineCurve(frames(5, 1), knots=range(9)),
        ar.SplineCurve(frames(5, 1), knots=(0, 1, 2, 3, 4 + 1e-9, 5, 6, 7, 8)),
    ),
    "bases of a surface": (
        ar.SplineSurface(values(5, 5, 1), basis=("b-spline", "catmull-rom")),
        ar.SplineSurface(values(5, 5, 1), basis=("catmull-rom", "b-spline")),
    ),
    "pitch": (ar.Helical("z", 0.1), ar.Helical("z", 0.1 + 1e-12)),
    "axis": (ar.Revolute(AXIS), ar.Revolute(NUDGED)),
    "axis of a universal joint": (ar.Universal(AXIS, "x"), ar.Universal(NUDGED, "x")),
    "second axis": (ar.Universal("x", AXIS), ar.Universal("x", NUDGED)),
    "normal of a sheet": (ar.PlanarTranslation(AXIS), ar.PlanarTranslation(NUDGED)),
    "normal": (ar.Planar(AXIS), ar.Planar(NUDGED)),
    "coordinates": (ar.Spherical(), ar.Spherical("exponential")),
    "free coordinates": (ar.Free(), ar.Free("exponential")),
    "sequence": (ar.Euler("xyz"), ar.Euler("xzy")),
    "charts": (ar.Euler("xyz"), ar.Euler("xyz", charts=True)),
    "inner function": (
        ar.Composite([ar.Revolute("x"), ar.Custom(knee)]),
        ar.Composite([ar.Revolute("x"), ar.Custom(slide_by(1.0))]),
    ),
    "inner frame": (
        ar.Composite([ar.Composite([ar.SplineCurve(frames(6, 1))])]),
        ar.Composite([ar.Composite([ar.SplineCurve(bent_frame(2))])]),
    ),
    "order": (
        ar.Composite([ar.Revolute("x"), ar.Prismatic("y")]),
        ar.Composite([ar.Prismatic("y"), ar.Revolute("x")]),
    ),
}
ALIKE = {
    "function": (lambda: ar.Custom(slide_by(2.0)), lambda: ar.Custom(slide_by(2.0))),
    "function elsewhere": (lambda: ar.Custom(defined_again()), lambda: ar.Custom(defined_again())),
    "curve": (lambda: ar.SplineCurve(frames(6, 1)), lambda: ar.SplineCurve(tuple(frames(6, 1)))),
    "curve by matrices": (
        lambda: ar.SplineCurve(frames(6, 1)),
        lambda: ar.SplineCurve([np.array(f.matrix()) for f in frames(6, 1)]),
    ),
    "surface": (
        lambda: ar.SplineSurface(values(5, 5, 1)),
        lambda: ar.SplineSurface(values(5, 5, 1).tolist()),
    ),
    "closed surface": (
        lambda: ar.SplineSurface(values(5, 5, 1), (True, False)),
        lambda: ar.SplineSurface(values(5, 5, 1), [True, False]),
    ),
    "knots": (
        lambda: ar.SplineCurve(frames(5, 1), knots=range(9)),
        lambda: ar.SplineCurve(frames(5, 1), knots=np.arange(9.0)),
    ),
    "basis of both": (
        lambda: ar.SplineSurface(values(5, 5, 1), basis="catmull-rom"),
        lambda: ar.SplineSurface(values(5, 5, 1), basis=["catmull-rom", "catmull-rom"]),
    ),
    "row": (
        lambda: ar.Composite([ar.Revolute("x"), ar.Prismatic("y")]),
        lambda: ar.Composite((ar.Revolute("x"), ar.Prismatic("y"))),
    ),
    "row from a generator": (
        lambda: ar.Composite([ar.Revolute("x"), ar.Revolute("y")]),
        lambda: ar.Composite(ar.Revolute(letter) for letter in "xy"),
    ),
    "axis by letter": (lambda: ar.Universal("x", "y"), lambda: ar.Universal((1, 0, 0), (0, 2, 0))),
    "axis by array": (
        lambda: ar.Universal(AXIS, "x"),
        lambda: ar.Universal(tuple(AXIS.tolist()), "x"),
    ),
    "normal by letter": (
        lambda: ar.PlanarTranslation("z"),
        lambda: ar.PlanarTranslation(np.array([0.0, 0.0, 3.0])),
    ),
}


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """An empty cache; returns a function that counts the files in it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return lambda: sum(path.is_file() for path in tmp_path.rglob("*"))


def digest(joint):
    return model_of(joint).tree.digest()


@pytest.mark.parametrize("what", DIFFERENT)
def test_different_joints_have_different_code(what):
    one, other = DIFFERENT[what]
    assert digest(one) != digest(other)


@pytest.mark.parametrize("what", ALIKE)
def test_like_joints_share_code(what):
    one, other = (make() for make in ALIKE[what])
    assert digest(one) == digest(other)
    assert digest(one) == digest(copy.copy(one))


@pytest.mark.parametrize(
    "what", ["functions", "what functions close over", "an inner frame", "one value"]
)
def test_compiled_code_is_not_mixed_up(what, fresh):
    results = []
    for k, joint in enumerate(DIFFERENT[what], start=1):
        model = model_of(joint)
        q = np.full(model.nq, 0.7)
        results.append(model.mass_matrix(q))
        assert error(results[-1], ar.evaluate(crba, model, q)) < 1e-12
        assert fresh() == k
    assert not np.array_equal(*results)


def test_compiled_code_is_shared(fresh):
    results = []
    for joint in (ar.Custom(slide_by(2.0)), ar.Custom(slide_by(2.0))):
        results.append(model_of(joint).mass_matrix([0.7]))
        assert fresh() == 1
    assert np.array_equal(*results)


@dataclasses.dataclass(frozen=True)
class Screw:
    """A joint of a user's own: a hinge whose pitch is not part of its description."""

    def __getattr__(self, name):
        return getattr(ar.Helical("z", PITCH), name)

    def __call__(self, q, qd):
        return ar.Helical("z", PITCH)(q, qd)


PITCH = 0.1


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_users_joint_is_known_by_what_it_does(wrapped, monkeypatch, fresh):
    """Its code may change while its description does not, also inside a composite."""
    found = []
    for pitch in (0.1, 0.7):
        monkeypatch.setitem(globals(), "PITCH", pitch)
        joint = ar.Composite([ar.Revolute("x"), Screw()]) if wrapped else Screw()
        model = model_of(joint)
        q = np.full(model.nq, 0.4)
        found.append(model.mass_matrix(q))
        assert error(found[-1], ar.evaluate(crba, model, q)) < 1e-12
    assert not np.allclose(*found)


def test_a_joint_does_not_change_with_what_it_was_made_of():
    parts, axis, cyclic = [ar.Revolute("x"), ar.Prismatic("y")], AXIS.copy(), [False, True]
    sheet, points = values(4, 4, 1), [np.array(f.matrix()) for f in frames(5, 2)]
    joints = [ar.Composite(parts), ar.Universal(axis, "x"), ar.PlanarTranslation(axis),
              ar.SplineSurface(sheet, cyclic), ar.SplineCurve(points)]  # fmt: skip
    before = [digest(joint) for joint in joints]
    parts[0], axis[2], cyclic[0], sheet[0] = ar.Revolute("z"), 5.0, True, 9.0
    points[0][:3, 3] = 7.0
    assert [digest(joint) for joint in joints] == before


@pytest.mark.parametrize("name", CASES)
def test_joints_compare_and_hash(name):
    joint, again = CASES[name], copy.copy(CASES[name])
    assert joint == again
    assert hash(joint) == hash(again)
    assert joint != ar.Revolute((1, 2, 4))
    assert ar.Revolute((1, 2, 4)) != joint


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("used", [False, True], ids=["new", "used"])
def test_pickled_and_copied(name, used):
    joint = copy.copy(CASES[name])
    if used:
        repr(joint)  # of a joint from a pose: traces it
    model = model_of(joint)
    (_, q, _), *_ = states(name)
    exact = ar.evaluate(crba, model, q)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert twin.tree.digest() == model.tree.digest()
        assert np.array_equal(ar.evaluate(crba, twin, q), exact)
        assert twin.tree.joint[1].label == joint.label
    alone = pickle.loads(pickle.dumps(joint))
    assert repr(alone) == repr(joint)
    assert alone.neutral() == joint.neutral()


SCRIPT = """
from joint_cases import CASES, model_of
for name in ("knee", "saddle", "cyclic curve", "torus", "universal", "nested", "mixed row"):
    print(model_of(CASES[name]).tree.digest())
"""


def test_other_processes_know_the_joint():
    """The description holds no addresses and no order of hashing."""
    names = ("knee", "saddle", "cyclic curve", "torus", "universal", "nested", "mixed row")
    here = Path(__file__).parent
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, cwd=here
    )
    assert found.stdout.split() == [model_of(CASES[name]).tree.digest() for name in names]
