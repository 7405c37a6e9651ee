"""Convex hulls against Qhull's: the same corners, the same volume, closed."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import arthron as ar
from arthron._figure.convex_hull import convex_hull

T = np.linspace(0, 2 * np.pi, 32, endpoint=False)
GRID = np.stack(np.meshgrid(*[np.linspace(-1, 1, 5)] * 3), -1).reshape(-1, 3)
RINGS = [np.stack([np.cos(T), np.sin(T), 0 * T + z], 1) for z in np.linspace(-1, 1, 4)]
RISE = np.linspace(-np.pi / 2, np.pi / 2, 12)[1:-1]
BALL = np.array(
    [(np.cos(a) * np.cos(t), np.cos(a) * np.sin(t), np.sin(a)) for a in RISE for t in T]
    + [(0, 0, 1), (0, 0, -1)]
)
ABOUT_X = np.array([[1, 0, 0], [0, np.cos(0.3), -np.sin(0.3)], [0, np.sin(0.3), np.cos(0.3)]])


def turned(points, rng):
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return points @ Q.T + 3 * rng.normal(size=3)


POINTS = {
    "tetrahedron": lambda rng: rng.normal(size=(4, 3)),
    "few": lambda rng: rng.normal(size=(9, 3)),
    "many": lambda rng: rng.normal(size=(2000, 3)),
    "in a cube": lambda rng: rng.uniform(size=(300, 3)),
    "box": lambda rng: GRID[np.abs(GRID).min(1) == 1],
    "box of squares": lambda rng: GRID * (0.1, 1, 30),
    "box turned": lambda rng: turned(GRID, rng),
    "box turned about x": lambda rng: GRID @ ABOUT_X.T,
    "cylinder": lambda rng: turned(np.concatenate(RINGS), rng),
    "ball": lambda rng: BALL,
    "ball turned": lambda rng: turned(BALL, rng),
    "lattice": lambda rng: rng.integers(0, 5, size=(200, 3)) * 1.1,
    "many times": lambda rng: rng.normal(size=(9, 3)).repeat(20, 0),
    "plate": lambda rng: turned(rng.normal(size=(200, 3)) * (1, 1, 1e-6), rng),
    "needle": lambda rng: rng.normal(size=(200, 3)) * (1, 1e-6, 1e-4),
    "small and far": lambda rng: BALL * 1e-3 + 5,
    "single precision": lambda rng: BALL.astype(np.float32).astype(float),
}


def volume(vertices, triangles):
    a, b, c = np.moveaxis((vertices - vertices.mean(0))[triangles], 1, 0)
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


def assert_closed(triangles):
    edges = [(a, b) for t in triangles.tolist() for a, b in zip(t, t[1:] + t[:1], strict=True)]
    assert len(set(edges)) == len(edges) and set(edges) == {(b, a) for a, b in edges}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("case", POINTS)
def test_hulls_are_those_of_qhull(case, seed):
    points = POINTS[case](np.random.default_rng(seed))
    vertices, triangles = convex_hull(points)
    theirs = ConvexHull(points - points.mean(0))
    assert volume(vertices, triangles) == pytest.approx(theirs.volume, rel=1e-9)
    assert_closed(triangles)
    corners = {tuple(p) for p in vertices}
    assert corners == {tuple(p) for p in points[theirs.vertices]}
    assert len(corners) - len(triangles) / 2 == 2  # Euler


@pytest.mark.parametrize("gap", [1e-6, 1e-7, 3e-8, 1e-8, 3e-9, 1e-9, 1e-11, 1e-14])
def test_points_that_are_all_but_one(gap):
    rng = np.random.default_rng(1)
    for _ in range(10):
        points = rng.normal(size=(9, 3)).repeat(20, 0)
        points += gap * rng.normal(size=points.shape)
        vertices, triangles = convex_hull(points)
        assert_closed(triangles)
        assert volume(vertices, triangles) == pytest.approx(ConvexHull(points).volume, rel=1e-7)


@pytest.mark.parametrize(
    "points",
    [np.zeros((0, 3)), np.ones((1, 3)), GRID[:3], np.ones((9, 3)), np.outer(T, (1, 2, 3)),
     RINGS[0], RINGS[0] @ ABOUT_X.T + 5],
    ids=["none", "one", "three", "at one place", "on a line", "in a plane", "in a plane askew"],
)  # fmt: skip
def test_no_volume(points):
    with pytest.raises(ar.ModelError, match=f"hull of {len(points)} points has no volume"):
        convex_hull(points)


def test_the_hull_of_a_mesh(tmp_path):
    """Of what the triangles touch, scaled, in the axes of the file."""
    path = tmp_path / "dent.obj"
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.1, 0.1, 0.1), (9, 9, 9)]
    faces = [(1, 3, 2), (1, 2, 4), (2, 3, 5), (3, 4, 5), (4, 2, 5), (3, 1, 4)]
    text = [*(f"v {x} {y} {z}" for x, y, z in corners), *(f"f {a} {b} {c}" for a, b, c in faces)]
    path.write_text("\n".join(text))
    for scale in ((1, 2, 3), (1, 2, -3)):
        mesh = ar.Mesh(path, scale, placement=(5, 5, 5))
        hull = mesh.hull()
        assert mesh.volume() < volume(*hull) == pytest.approx(1.0)
        expected = {tuple(np.multiply(p, scale).tolist()) for p in corners[:4]}
        assert {tuple(p) for p in (hull.vertices + 0.0).tolist()} == expected
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(ar.FileError, match=r"dent.obj: the hull of 3 points has no volume"):
        ar.Mesh(path).hull()
    with pytest.raises(ar.FileError, match=r"a\.dae: the mesh cannot be read"):
        ar.Mesh("a.dae").hull()
    with pytest.raises(ar.FileError, match=r"\.obj and \.stl"):
        ar.Mesh("a.dae").volume()
