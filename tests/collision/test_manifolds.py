"""Shapes that lie on each other touch where they should: four points of a box, two of a capsule."""

import numpy as np
import pytest
from collision_cases import POINT, Plane, compiled, transform

import arthron as ar
from arthron._collision import pairs
from arthron._collision.hull_faces import face_tables
from arthron._collision.many import convex_convex
from arthron._figure.convex_hull import convex_hull

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
ALONG_X = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)  # what was along z
FAR = 1e5


def touching(a, x, b, y, gap=1e-3):
    """Contacts nearer than that, as rows (gap, point, normal), by a run on numbers."""

    def page(tree, x, y):
        return [
            [c.gap, *c.point, *c.normal] for c in pairs.contacts(a, transform(x), b, transform(y))
        ]

    found = ar.evaluate(page, POINT, x, y, shapes={"x": (7,), "y": (7,)})
    assert np.isfinite(found).all()
    return found[found[:, 0] < gap]


def square(points):
    """Corners in a fixed order."""
    return np.array(sorted(np.round(points, 9).tolist()))


FLOOR = (0.0, 0.0, 0.0, *UPRIGHT)
BOX = ar.Box((0.4, 0.2, 0.1))
CORNERS = [[-0.2, -0.1], [-0.2, 0.1], [0.2, -0.1], [0.2, 0.1]]


@pytest.mark.parametrize("other, height", [(Plane(), 0.0), (ar.Box((2.0, 2.0, 0.2)), 0.1)])
def test_a_box_rests_on_four_points(other, height):
    found = touching(BOX, (0.0, 0.0, height + 0.049, *UPRIGHT), other, FLOOR)
    np.testing.assert_allclose(found[:, 0], -0.001, atol=1e-12)
    np.testing.assert_allclose(square(found[:, 1:3]), CORNERS, atol=1e-9)
    np.testing.assert_allclose(found[:, 3], height - 0.0005, atol=1e-12)
    np.testing.assert_allclose(found[:, 4:], [[0.0, 0.0, 1.0]] * 4, atol=1e-12)


def test_boxes_that_overhang_touch_where_both_are():
    turned = (np.cos(np.pi / 8), 0.0, 0.0, np.sin(np.pi / 8))  # by 45 degrees
    found = touching(BOX, (0.2, 0.0, 0.1, *UPRIGHT), BOX, FLOOR)
    np.testing.assert_allclose(
        square(found[:, 1:3]), [[0.0, -0.1], [0.0, 0.1], [0.2, -0.1], [0.2, 0.1]], atol=1e-9
    )
    cube = ar.Box((0.2, 0.2, 0.2))
    found = touching(cube, (0.0, 0.0, 0.2, *turned), cube, FLOOR)  # an octagon: four of its corners
    assert len(found) == 4
    assert np.abs(found[:, 1:3]).max() < 0.1 + 1e-12
    assert np.ptp(found[:, 1]) > 0.13 and np.ptp(found[:, 2]) > 0.13


def test_edges_that_cross_and_corners_have_one_point():
    edge = (np.cos(np.pi / 8), np.sin(np.pi / 8), 0.0, 0.0)
    other = (np.cos(np.pi / 8), 0.0, np.sin(np.pi / 8), 0.0)
    cube = ar.Box((0.2, 0.2, 0.2))
    found = touching(cube, (0.0, 0.0, 0.2 * np.sqrt(2.0) - 1e-4, *edge), cube, (0, 0, 0, *other))
    np.testing.assert_allclose(
        found, [[-1e-4, 0.0, 0.0, 0.1 * np.sqrt(2.0) - 5e-5, 0.0, 0.0, 1.0]], atol=1e-9
    )
    axis = np.array([1.0, -1.0, 0.0]) / np.sqrt(2.0)  # stands on a corner
    half = 0.5 * np.arccos(1.0 / np.sqrt(3.0))
    corner = (np.cos(half), *(np.sin(half) * axis))
    for floor, height in ((Plane(), 0.0), (ar.Box((1.0, 1.0, 0.2)), 0.1)):
        found = touching(cube, (0.0, 0.0, height + 0.1 * np.sqrt(3.0), *corner), floor, FLOOR)
        np.testing.assert_allclose(found[:, :4], [[0.0, 0.0, 0.0, height]], atol=1e-9)


@pytest.mark.parametrize("gap", [0.01, -0.01])
def test_capsules_side_by_side_have_two_points_and_crossing_ones_one(gap):
    a, b = ar.Capsule(0.1, 0.6), ar.Capsule(0.05, 1.0)
    found = touching(a, (0.1, 0.0, 0.15 + gap, *ALONG_X), b, (0.0, 0.0, 0.0, *ALONG_X), 0.02)
    np.testing.assert_allclose(found[:, 0], gap, atol=1e-12)
    np.testing.assert_allclose(np.sort(found[:, 1]), [-0.2, 0.4], atol=1e-12)
    crossing = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
    found = touching(a, (0.1, 0.0, 0.15 + gap, *crossing), b, (0.0, 0.0, 0.0, *ALONG_X), 0.02)
    np.testing.assert_allclose(found[:, 0], gap, atol=1e-12)
    assert len(found) == 1
    tilted = (np.cos(np.pi / 4 + 0.01), 0.0, np.sin(np.pi / 4 + 0.01), 0.0)
    found = touching(a, (0.1, 0.0, 0.15 + gap, *tilted), b, (0.0, 0.0, 0.0, *ALONG_X), 0.02)
    assert len(found) == 2 and found[0, 0] < gap < found[1, 0] < gap + 0.02


@pytest.mark.parametrize("depth", [0.001, 0.12])
def test_a_capsule_lies_on_a_box_with_two_points(depth):
    """Also when its axis is in the box."""
    a, b = ar.Capsule(0.1, 0.6), ar.Box((0.4, 0.4, 1.0))
    found = touching(a, (0.1, 0.0, 0.6 - depth, *ALONG_X), b, FLOOR)
    np.testing.assert_allclose(found[:, 0], -depth, atol=1e-9)
    np.testing.assert_allclose(np.sort(found[:, 1]), [-0.2, 0.2], atol=1e-9)
    np.testing.assert_allclose(found[:, 4:], [[0.0, 0.0, 1.0]] * 2, atol=1e-9)


@pytest.mark.parametrize("other, height", [(Plane(), 0.0), (ar.Box((2.0, 2.0, 0.2)), 0.1)])
def test_cylinders_stand_and_lie(other, height):
    a = ar.Cylinder(0.1, 0.4)
    found = touching(a, (0.0, 0.0, height + 0.199, *UPRIGHT), other, FLOOR)
    np.testing.assert_allclose(found[:, 0], -0.001, atol=1e-9)
    assert len(found) >= 3
    assert np.ptp(found[:, 1]) > 0.14 and np.ptp(found[:, 2]) > 0.14  # around the axis
    found = touching(a, (0.0, 0.0, height + 0.099, *ALONG_X), other, FLOOR)
    assert len(found) >= 2
    np.testing.assert_allclose(found[:, 0], -0.001, atol=2e-9)
    np.testing.assert_allclose([found[:, 1].min(), found[:, 1].max()], [-0.2, 0.2], atol=1e-6)


def test_a_cylinder_lies_along_another():
    """With points at both ends of where they run side by side, on one line."""
    a, b = ar.Cylinder(0.1, 0.4), ar.Cylinder(0.2, 0.6)
    found = touching(a, (0.2, 0.0, 0.299, *ALONG_X), b, (0.0, 0.0, 0.0, *ALONG_X))
    np.testing.assert_allclose(found[:, 0], -0.001, atol=2e-9)
    np.testing.assert_allclose([found[:, 1].min(), found[:, 1].max()], [0.0, 0.3], atol=1e-6)
    assert np.abs(found[:, 2]).max() < 2e-5


def test_lines_over_faces_have_gaps_of_their_own():
    """The further end of a capsule that is tilted over a box, as one of meshes."""
    a, b = ar.Capsule(0.1, 0.6), ar.Box((2.0, 2.0, 0.2))
    half = np.pi / 4 + 0.002  # both ends count below a hundredth
    x = (0.0, 0.0, 0.2 + 0.3 * np.sin(0.004), np.cos(half), 0.0, np.sin(half), 0.0)

    def page(tree, x):
        found = convex_convex(a, transform(x), b, transform(FLOOR))
        return [[c.gap, *c.point, *c.normal] for c in found]

    found = ar.evaluate(page, POINT, x, shapes={"x": (7,)})
    found = found[found[:, 0] < 1.0]
    ends = found[np.abs(found[:, 1]) > 0.299]
    assert len(ends) >= 2
    np.testing.assert_allclose(
        ends[:, 0], np.sin(0.004) * (0.3 - 0.3 * np.sign(ends[:, 1])), atol=1e-8
    )


def test_a_mesh_rests_on_its_lowest_face(tmp_path):
    corners = 0.5 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    path = tmp_path / "cube.obj"
    path.write_text(
        "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "f 1 2 3\nf 4 5 6\nf 7 8 1\n"
    )
    for other, height in ((Plane(), 0.0), (ar.Box((3.0, 3.0, 0.2)), 0.1)):
        x = (0.0, 0.0, height + 0.499, *UPRIGHT)
        found = touching(ar.Mesh(str(path)), x, other, FLOOR)
        np.testing.assert_allclose(found[:, 0], -0.001, atol=1e-9)
        assert {(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)} <= {
            tuple(p) for p in np.round(found[:, 1:3], 6)
        }


def test_the_deepest_contact_is_the_distance():
    """Of boxes that overlap, and of what a support function finds."""
    rng = np.random.default_rng(3)
    a, b = ar.Box((0.3, 0.5, 0.2)), ar.Box((0.4, 0.2, 0.3))
    x, y = rng.normal(size=(2, 300, 7))
    x[:, :3] = y[:, :3] + rng.uniform(-0.3, 0.3, (300, 3))
    found, best = compiled(a, b, "contacts")(x, y), compiled(a, b)(x, y)[:, 0]
    over = best < 0.0
    assert over.sum() > 100
    np.testing.assert_allclose(found[over, :, 0].min(axis=1), best[over], atol=1e-7)
    assert (found[~over, :, 0] > -1e-9).all()


def test_faces_of_hulls_are_flat_and_whole():
    """Triangles in one plane are one face: of a cube six of four corners, of a prism its ends."""
    a = np.arange(12) * (np.pi / 6.0)
    ends = [np.stack([np.cos(a), np.sin(a), 0.0 * a + z], -1) for z in (-0.5, 0.5)]
    cube = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    for points, around in ((cube, 3), (np.concatenate(ends), 3)):
        tables = face_tables(convex_hull(points))
        assert np.array_equal(np.subtract(tables.last, tables.first), [around] * len(points))
        normals, corners, beside = (
            np.transpose(x) for x in (tables.normals, tables.corners, tables.beside)
        )
        heights = normals @ points.T
        for k, (n, h) in enumerate(zip(normals, heights, strict=True)):
            own = np.concatenate([corners[k].reshape(4, 3), beside[k].reshape(2, 3)])
            np.testing.assert_allclose(own @ n, h.max(), atol=1e-9)  # no vertex is beyond


def test_the_lowest_vertex_of_a_mesh_is_among_its_points(tmp_path):
    rng = np.random.default_rng(5)
    points = rng.normal(size=(40, 3))
    path = tmp_path / "hull.obj"
    path.write_text("".join("v {} {} {}\n".format(*p) for p in points)
                    + "".join(f"f {k} {k + 1} {k + 2}\n" for k in range(1, 39)))  # fmt: skip
    x = rng.normal(size=(200, 7))
    x[:, 3:] /= np.linalg.norm(x[:, 3:], axis=1)[:, None]
    found = compiled(ar.Mesh(str(path)), Plane(), "contacts")(x, np.tile(FLOOR, (200, 1)))
    u, s = x[:, None, 4:], x[:, None, 3:4]
    turned = points + 2.0 * np.cross(u, np.cross(u, points) + s * points)
    lowest = (turned[..., 2] + x[:, None, 2]).min(axis=1)
    np.testing.assert_allclose(found[:, :, 0].min(axis=1), lowest, atol=1e-9)
