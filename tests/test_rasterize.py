"""Triangles as samples: what the software renderer of pictures is made of."""

import numpy as np

from arthron._view.normals import corner_normals
from arthron._view.rasterize import in_front, rasterize
from arthron._view.solids import Solid, ball


def test_a_triangle_covers_the_samples_whose_middles_are_in_it():
    shown, near = rasterize(
        np.array([[(0, 0), (4.4, 0), (0, 4.4)]]), np.array([[1.0, 2.0, 1.0]]), (5, 4)
    )
    y, x = np.mgrid[:4, :5]
    assert np.array_equal(shown >= 0, x + y < 4)
    assert np.allclose(near[shown >= 0], (1.0 + (x + 0.5) / 4.4)[shown >= 0], atol=1e-8)


def test_samples_show_the_nearest_triangle():
    """As each sample asks each triangle, in barycentric coordinates."""
    rng = np.random.default_rng(1)
    corners = (
        rng.uniform(-8, 40, (60, 3, 2)) * (rng.random((60, 1, 1)) < 0.5)
        + rng.uniform(0, 30, (60, 1, 2))
        + rng.uniform(-4, 4, (60, 3, 2))
    )
    near = rng.uniform(1, 2, (60, 3))
    shown, nearness = rasterize(corners, near, (30, 20))
    y, x = np.mgrid[:20, :30] + 0.5
    best = np.zeros((20, 30))
    for (a, b, c), n in zip(corners, near, strict=True):
        inside = np.linalg.solve(
            np.array([[*a, 1], [*b, 1], [*c, 1]]).T, np.stack([x, y, 0 * x + 1]).reshape(3, -1)
        )
        there = (inside > 0).all(0).reshape(x.shape)
        best = np.where(there, np.maximum(best, (n @ inside).reshape(x.shape)), best)
    assert np.array_equal(shown >= 0, best > 0) and 0.2 < (best > 0).mean()
    assert np.allclose(nearness[shown >= 0], best[shown >= 0], atol=1e-8)


def test_triangles_side_by_side_leave_no_gaps():
    rng = np.random.default_rng(2)
    grid = np.stack(np.mgrid[:7, :7], -1) * 5.0
    grid[1:-1, 1:-1] += rng.uniform(-1, 1, (5, 5, 2))
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    two = np.stack([np.stack([a, b, c], -2), np.stack([a, c, d], -2)]).reshape(-1, 3, 2)
    shown, _ = rasterize(two, np.ones((len(two), 3)), (30, 30))
    assert shown.min() >= 0
    flat = np.array([[(0, 0), (3, 3), (9, 9)], [(2, 2), (2, 2), (2, 2)]], float)
    assert rasterize(flat, np.ones((2, 3)), (9, 9))[0].max() < 2  # no area, and no complaint


def test_what_is_behind_the_camera_is_cut_off():
    away = np.array(
        [
            [(0, 0, 3), (1, 0, 3), (0, 1, 3)], [(0, 0, -1), (3, 0, 2), (0, 3, 2)],
            [(0, 0, 3), (3, 0, -3), (0, 3, -3)], [(0, 0, -1), (1, 0, 0), (0, 1, 0)],
        ], float
    )  # fmt: skip
    found, which = in_front(away, 1.0)
    assert found[..., 2].min() == 1.0 and sorted(which) == [0, 1, 1, 2]
    area = np.linalg.norm(np.cross(found[:, 1] - found[:, 0], found[:, 2] - found[:, 0]), axis=1)
    whole = np.linalg.norm(np.cross(away[:, 1] - away[:, 0], away[:, 2] - away[:, 0]), axis=1)
    parts = np.bincount(which, area, 4) / whole
    assert np.allclose(parts, (1, 1 - (2 / 3) ** 2, (1 / 3) ** 2, 0))


def test_round_things_are_smooth_and_edges_sharp():
    globe = ball(2.0)
    assert np.allclose(corner_normals(globe), globe.vertices[globe.faces] / 2, atol=0.1)
    as_mesh = globe._replace(flat=True)  # round all the same, as far as its vertices are joined
    a, b, c = globe.vertices[globe.faces].transpose(1, 0, 2)
    whole = np.linalg.norm(np.cross(b - a, c - a), axis=1) > 1e-6  # at the poles some have no area
    there = globe.vertices[globe.faces][whole] / 2
    assert np.allclose(corner_normals(as_mesh)[whole], there, atol=0.1)
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([f for a, b, c, d in sides for f in ((a, b, c), (a, c, d))])
    outwards = np.repeat(
        [(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1)], 2, 0
    )
    block = Solid(corners, faces, flat=True)
    assert np.allclose(corner_normals(block), outwards[:, None])
    soft = np.sign(corners - 0.5)[faces] / np.sqrt(3)
    assert np.einsum("fkj,fkj->fk", corner_normals(block._replace(flat=False)), soft).min() > 0.8
