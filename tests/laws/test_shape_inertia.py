"""Mass properties of solids, against sums over points that integrate quadratics exactly."""

import numpy as np
import pytest
from law_figures import assert_close

import arthron as ar

OFF = ar.pose((0.4, -0.7, 0.2), (0.3, 1.2, -0.5))
AXIS, WEIGHT = np.polynomial.legendre.leggauss(4)
AROUND = np.linspace(0, 2 * np.pi, 8, endpoint=False)


def span(low, high):
    """Points and weights for the integral from low to high."""
    return 0.5 * (low + high) + 0.5 * (high - low) * AXIS, 0.5 * (high - low) * WEIGHT


def grid(*axes):
    """All combinations of points, flat, and the products of their weights."""
    points = np.meshgrid(*(a for a, _ in axes), indexing="ij")
    weights = np.meshgrid(*(w for _, w in axes), indexing="ij")
    return [p.ravel() for p in points], np.prod(weights, axis=0).ravel()


def box(x, y, z):
    points, w = grid(*(span(-s / 2, s / 2) for s in (x, y, z)))
    return np.stack(points, axis=-1), w


def tube(radius, length):
    circle = AROUND, np.full(8, 2 * np.pi / 8)
    (r, a, z), w = grid(span(0, radius), circle, span(-length / 2, length / 2))
    return np.stack([r * np.cos(a), r * np.sin(a), z], axis=-1), w * r


def cap(radius, low=-1.0, high=1.0):
    """The part of a ball where the cosine of the angle from z is between `low` and `high`."""
    circle = AROUND, np.full(8, 2 * np.pi / 8)
    (r, a, c), w = grid(span(0, radius), circle, span(low, high))
    s = np.sqrt(1 - c * c)
    return np.stack([r * s * np.cos(a), r * s * np.sin(a), r * c], axis=-1), w * r * r


def capsule(radius, length):
    up = np.array([0, 0, length / 2])
    (top, w), (bottom, v) = cap(radius, 0, 1), cap(radius, -1, 0)
    middle, u = tube(radius, length)
    return np.concatenate([top + up, bottom - up, middle]), np.concatenate([w, v, u])


def ellipsoid(x, y, z):
    points, w = cap(1.0)
    return points * (x, y, z), w * (x * y * z)


SOLIDS = {
    "box": (ar.Box, [(0.3, 0.5, 0.7)], box(0.3, 0.5, 0.7)),
    "sphere": (ar.Sphere, [0.4], cap(0.4)),
    "cylinder": (ar.Cylinder, [0.3, 0.8], tube(0.3, 0.8)),
    "flat cylinder": (ar.Cylinder, [0.8, 0.1], tube(0.8, 0.1)),
    "capsule": (ar.Capsule, [0.2, 0.9], capsule(0.2, 0.9)),
    "short capsule": (ar.Capsule, [0.9, 0.2], capsule(0.9, 0.2)),
    "ellipsoid": (ar.Ellipsoid, [(0.2, 0.5, 0.9)], ellipsoid(0.2, 0.5, 0.9)),
}


def of_points(points, masses):
    """(m, h, I) about the origin of weighted points."""
    square = np.einsum("k,ki,kj->ij", masses, points, points)
    return masses.sum(), masses @ points, np.trace(square) * np.eye(3) - square


def placed(points, placement):
    T = np.array(placement.matrix())
    return points @ T[:3, :3].T + T[:3, 3]


def assert_same(inertia, expected):
    m, h, I = expected
    assert inertia.m == pytest.approx(m, rel=1e-13)
    assert_close(inertia.h, h, 1e-13, scale=m)
    assert_close(inertia.I, I, 1e-13)


@pytest.mark.parametrize("placement", [ar.pose(), OFF], ids=["centred", "off"])
@pytest.mark.parametrize("solid", SOLIDS)
def test_solid(solid, placement):
    kind, sizes, (points, volumes) = SOLIDS[solid]
    points = placed(points, placement)
    of_density = kind(*sizes, density=700.0, placement=placement)
    assert_same(of_density.inertia(), of_points(points, 700.0 * volumes))
    of_water = kind(*sizes, placement=placement)
    assert_same(of_water.inertia(), of_points(points, 1000.0 * volumes))
    of_mass = kind(*sizes, mass=3.0, placement=placement)
    assert_same(of_mass.inertia(), of_points(points, 3.0 * volumes / volumes.sum()))


def several():
    """Solids in several places and all their points."""
    shapes, points, masses = [], [], []
    for k, (kind, sizes, (p, volumes)) in enumerate(SOLIDS.values()):
        placement = ar.pose((0.1 * k, 0.3, -0.2 * k), (0.2 * k, -0.1, 0.5))
        shapes.append(kind(*sizes, placement=placement))
        points.append(placed(p, placement))
        masses.append(1000.0 * volumes)
    return shapes, np.concatenate(points), np.concatenate(masses)


def test_composite():
    shapes, points, masses = several()
    assert_same(ar.inertia_of(shapes), of_points(points, masses))
    assert_same(ar.Body("b", shapes=shapes).inertia, of_points(points, masses))
    assert ar.inertia_of([]) == ar.Inertia()


def test_about_the_centre_of_mass():
    shapes, points, masses = several()
    inertia = ar.inertia_of(shapes)
    c = masses @ points / masses.sum()
    assert_close(inertia.com(), c, 1e-13)
    assert_close(inertia.about_com(), of_points(points - c, masses)[2], 1e-12)
    again = ar.Inertia.from_com(inertia.m, inertia.com(), inertia.about_com())
    assert_close(again.I, inertia.I, 1e-13)


BALANCED = [ar.Sphere(0.2, mass=1.0, placement=p) for p in [(1, 0, 0), (-1, 0, 0)]]


@pytest.mark.parametrize(
    "shapes",
    [
        several()[0],
        [ar.Box((1, 2, 3), placement=OFF)],
        [ar.Box((3, 2, 1), placement=ar.pose((0, 0, 0), (0, 0, 1.5707963267948966)))],
        [ar.Sphere(0.5, placement=(1, 2, 3))],
        BALANCED,
    ],
    ids=["several", "box", "quarter turn", "ball", "dumbbell"],
)
def test_principal_axes(shapes):
    inertia = ar.inertia_of(shapes)
    frame, moments = ar.principal_axes(inertia)
    assert list(moments) == sorted(moments)
    T = np.array(frame.matrix())
    R, p = T[:3, :3], T[:3, 3]
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-12)
    assert_close(R @ R.T, np.eye(3), 1e-12)
    assert_close(p, inertia.com(), 1e-13, scale=1.0)
    about_com = R @ np.diag(moments) @ R.T
    assert_close(about_com, inertia.about_com(), 1e-12)
    shift = inertia.m * (p @ p * np.eye(3) - np.outer(p, p))
    assert_close(about_com + shift, inertia.I, 1e-12)


def test_shapes_to_look_at_have_no_mass():
    for kind, sizes, _ in SOLIDS.values():
        assert kind(*sizes, mass=0.0, placement=OFF).inertia() == ar.Inertia()
    assert ar.Mesh("skull.stl", mass=0.0, placement=OFF).inertia() == ar.Inertia()
