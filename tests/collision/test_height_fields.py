"""Ground with hills: distances are those from all of its triangles."""

import numpy as np
import pytest
from collision_cases import POINT, compiled, transform

import arthron as ar
from arthron._collision import pairs
from arthron.errors import ModelError

RNG = np.random.default_rng(0)
FIELD = ar.HeightField(0.3 * RNG.random((5, 7)), (2.0, 3.0))
HERE = (0.2, -0.1, 0.4, *(v := RNG.normal(size=4)) / np.linalg.norm(v))


def triangles():
    z = np.array(FIELD.heights)
    x, y = np.linspace(-1.0, 1.0, 5), np.linspace(-1.5, 1.5, 7)
    nodes = np.stack([*np.meshgrid(x, y, indexing="ij"), z], -1)
    for i in range(4):
        for j in range(6):
            a, b, c, d = nodes[i, j], nodes[i + 1, j], nodes[i + 1, j + 1], nodes[i, j + 1]
            yield np.array([a, b, c])
            yield np.array([a, c, d])


def brute_distance(p, steps=60):
    """Over points of all triangles, as fine as it takes."""
    u, v = np.meshgrid(np.linspace(0, 1, steps), np.linspace(0, 1, steps))
    keep = u + v <= 1.0
    weights = np.stack([1.0 - u - v, u, v], -1)[keep]
    return min(np.linalg.norm(weights @ t - p, axis=1).min() for t in triangles())


def test_a_ball_is_as_far_from_the_ground_as_its_nearest_triangle():
    field = compiled(ar.Sphere(0.2), FIELD)
    local = np.hstack(
        [RNG.uniform(-1.3, 1.3, (60, 2)) * (1.0, 1.5), RNG.uniform(-0.3, 1.0, (60, 1))]
    )
    X = transform(HERE)
    R, r = np.array(X.R), np.array(X.r)
    x = np.hstack([local @ R.T + r, np.tile((1.0, 0.0, 0.0, 0.0), (60, 1))])
    found = field(x, np.array(HERE))
    assert np.isfinite(found).all()
    true = np.array([brute_distance(p) for p in local])
    np.testing.assert_allclose(np.abs(found[:, 0] + 0.2), true, atol=2e-3)
    centre = x[:, :3] - found[:, 4:]  # from the point on the ground
    np.testing.assert_allclose(np.linalg.norm(centre, axis=1), true, atol=2e-3)
    below = found[:, 0] < -0.2
    assert 0 < below.sum() < 60
    over = (np.abs(local[:, 0]) < 1.0) & (np.abs(local[:, 1]) < 1.5)
    assert not below[~over].any() and below[over & (local[:, 2] < 0.0)].all()
    assert not below[local[:, 2] > 0.3].any()


@pytest.mark.parametrize(
    "shape, count",
    [(ar.Capsule(0.1, 0.6), 3), (ar.Box((0.4, 0.3, 0.2)), 4), (ar.Cylinder(0.2, 0.2), 6)],
)
def test_on_level_ground_it_is_a_plane(shape, count):
    level = ar.HeightField(np.full((3, 3), 0.5), (4.0, 4.0))
    z = 0.6 - 1e-3
    turned = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0) if count == 3 else (1.0, 0.0, 0.0, 0.0)

    def page(tree, x):
        found = pairs.contacts(shape, transform(x), level, transform((0, 0, 0, 1.0, 0, 0, 0)))
        return [[c.gap, *c.normal] for c in found]

    found = ar.evaluate(page, POINT, (0.1, 0.2, z, *turned), shapes={"x": (7,)})
    touching = found[found[:, 0] < 0.05]
    assert len(touching) == (5 if isinstance(shape, ar.Cylinder) else count)
    np.testing.assert_allclose(touching, [[-1e-3, 0, 0, 1]] * len(touching), atol=1e-9)


def test_a_mesh_has_its_lowest_vertex_and_corners_around_it(tmp_path):
    """A cube tilted more than faces of meshes may be: the nearest vertex, and three more."""
    path = tmp_path / "cube.obj"
    corners = 0.5 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    path.write_text(
        "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "f 1 2 3\nf 4 5 6\nf 7 8 1\n"
    )
    half = 0.5 * np.array([0.1, 0.05])
    turn = np.array([1.0, *half, 0.0]) / np.linalg.norm([1.0, *half])
    low = np.sort(np.array(transform((0, 0, 1, *turn)).R)[2] @ corners.T + 1.0)[:4]
    level = ar.HeightField(np.zeros((3, 3)), (4.0, 4.0))

    def page(tree, x):
        found = pairs.contacts(
            ar.Mesh(str(path)), transform(x), level, transform((0, 0, 0, 1.0, 0, 0, 0))
        )
        return [c.gap for c in found]

    found = np.sort(ar.evaluate(page, POINT, (0.1, 0.2, 1.0, *turn), shapes={"x": (7,)}))
    np.testing.assert_allclose(found[:4], low, atol=1e-12)
    assert found[4] == 1e6


def test_fields_that_cannot_be():
    with pytest.raises(ModelError, match=r"heights of shape \(3,\)"):
        ar.HeightField([1.0, 2.0, 3.0], (1.0, 1.0))
    with pytest.raises(ModelError, match=r"size = 1\.0. Give two extents"):
        ar.HeightField([[1.0, 2.0], [3.0, 4.0]], 1.0)
    with pytest.raises(ModelError, match=r"mass = 1\.0. It has none"):
        ar.Plane(mass=1.0)
