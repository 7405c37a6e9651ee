"""What the document on collision says of points and operations of pairs."""

import re
from pathlib import Path

import pytest
from collision_cases import POINT, Plane, Transform, Vec3

import arthron as ar
from arthron._collision import pairs
from arthron._collision.extent import least_gap
from arthron.spatial import Mat3

SHAPES = {
    "plane": Plane(), "sphere": ar.Sphere(0.3), "capsule": ar.Capsule(0.1, 0.3),
    "box": ar.Box((0.3, 0.5, 0.7)), "cylinder": ar.Cylinder(0.2, 0.3),
    "ellipsoid": ar.Ellipsoid((0.2, 0.3, 0.5)),
}  # fmt: skip
TEXT = (Path(__file__).parents[2] / "docs/collision.md").read_text()
STATED = re.findall(r"^\| (\w+), (\w+) \| (\d)[^|]* \| (\d+) \|$", TEXT, re.MULTILINE)


def frame(x):
    return Transform(Mat3(*(Vec3(*x[k : k + 3]) for k in (0, 3, 6))), Vec3(*x[9:]))


def operations(results):
    def page(tree, x, y):
        return results(frame(x), frame(y))

    return ar.compile(page, POINT, shapes={"x": (12,), "y": (12,)}).op_count


@pytest.mark.parametrize("first, second, points, count", STATED)
def test_points_and_operations_are_as_stated(first, second, points, count):
    a, b = SHAPES[second], SHAPES[first]
    made = []

    def contacts(X, Y):
        made[:] = pairs.contacts(a, X, b, Y)
        return [[c.gap, *c.point, *c.normal] for c in made]

    assert operations(contacts) == int(count)
    assert len(made) == int(points)
    assert operations(lambda X, Y: least_gap(a, X, b, Y)) <= 20


def test_all_closed_pairs_are_stated():
    assert len(STATED) == 12
