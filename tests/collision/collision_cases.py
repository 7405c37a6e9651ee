"""Shapes, poses of two of them, and what coal says of their distances.

What to know of coal 3.0.3: `ComputeDistance` keeps no reference to shapes, and crashes when these
are gone. Where round shapes overlap its depth may be far too large (a ball near the cap of a
cylinder: that of the side), a little too small (3e-6 m, a capsule in the axis of a cylinder), or
-1.8e308. Apart, and for boxes and convex meshes also when they overlap, it is good to 1e-9.
"""

from functools import cache

import coal
import numpy as np

import arthron as ar
from arthron._collision import pairs
from arthron._collision.contact import deepest
from arthron._collision.many import convex_convex, searched_contacts, solids
from arthron._figure.convex_hull import convex_hull
from arthron._figure.terrain import Plane
from arthron._spatial.transform import Transform, quaternion_rotation
from arthron._spatial.vectors import Vec3

POINT = ar.random_tree(1)
ROUND = (ar.Cylinder, ar.Ellipsoid)


def mesh_file(folder, vertices, seed):
    """A convex mesh of random vertices, off its origin."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(vertices, 3))
    points *= np.array([0.3, 0.2, 0.15]) / np.linalg.norm(points, axis=1)[:, None]
    surface = convex_hull(points + 0.05)
    path = folder / f"hull{vertices}_{seed}.obj"
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in surface.vertices.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in surface.triangles.tolist()]
    path.write_text("\n".join(lines))
    return ar.Mesh(str(path))


def shapes(folder, seed=0):
    """One of each kind, sizes by the seed."""
    rng = np.random.default_rng(seed)

    def r(n=None):
        return rng.uniform(0.1, 0.4, n)

    return {
        "plane": Plane(),
        "sphere": ar.Sphere(r()),
        "capsule": ar.Capsule(r(), 2.0 * r()),
        "box": ar.Box(2.0 * r(3)),
        "cylinder": ar.Cylinder(r(), 2.0 * r()),
        "ellipsoid": ar.Ellipsoid(r(3)),
        "mesh": mesh_file(folder, 14 + 30 * seed, seed),
    }


def transform(x):
    """From position and quaternion."""
    return Transform.from_pose(quaternion_rotation(*x[3:]), Vec3(*x[:3]))


def distance(a, X, b, Y):
    """The nearest contact: of a search it is the first."""
    return (
        deepest(pairs.contacts(a, X, b, Y)) if pairs.closed(a, b) else convex_convex(a, X, b, Y)[0]
    )


def ends(contact):
    """Gap and nearest points as a row."""
    return [contact.gap, *(x for p in contact.ends() for x in p)]


def compiled(a, b, what="distance"):
    """Gap and nearest points, or all contacts, of poses (7,) of two shapes."""

    def page(tree, x, y):
        if what == "distance":
            return ends(distance(a, transform(x), b, transform(y)))
        return [
            [c.gap, *c.point, *c.normal] for c in pairs.contacts(a, transform(x), b, transform(y))
        ]

    return ar.compile(page, POINT, shapes={"x": (7,), "y": (7,)})


class Searches:
    """Distances by searches of any two of some shapes: one page for all, as figures have it."""

    def __init__(self, shapes):
        self.shapes = shapes
        table = solids(shapes)

        def page(tree, i, x, j, y):
            return ends(searched_contacts(table, i, transform(x), j, transform(y))[0])

        self.page = ar.compile(page, POINT, shapes={"i": (), "x": (7,), "j": (), "y": (7,)})

    def of(self, a, b):
        """Of poses of two of them."""
        i, j = (float(next(k for k, s in enumerate(self.shapes) if s is each)) for each in (a, b))
        return lambda x, y: self.page(np.full(len(x), i), x, np.full(len(y), j), y)


def reach(a, b):
    """How far apart centres are when shapes hardly meet."""
    return sum(1.0 if isinstance(s, Plane) else float(np.max(extents(s))) for s in (a, b))


def extents(shape):
    match shape:
        case ar.Sphere(r):
            return (r,)
        case ar.Capsule(r, l) | ar.Cylinder(r, l):
            return (r, 0.5 * l + r)
        case ar.Box(size):
            return (0.5 * np.linalg.norm(size),)
        case ar.Ellipsoid(radii):
            return radii
        case ar.Mesh():
            return np.linalg.norm(shape.hull().vertices, axis=1)


def poses(a, b, n, seed):
    """Two poses each: apart and overlapping, a quarter with axes alike, some with one centre."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, n, 7))
    for each in (x, y):
        each[:, 3:] /= np.linalg.norm(each[:, 3:], axis=1)[:, None]
    way = rng.normal(size=(n, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    x[:, :3] = y[:, :3] + way * (1.2 * reach(a, b) * rng.random(n)[:, None])
    x[: n // 4, 3:] = y[: n // 4, 3:]
    x[: n // 50, :3] = y[: n // 50, :3]
    return x, y


def rotation(x):
    return np.array(quaternion_rotation(*x[3:] / np.linalg.norm(x[3:])))


def support_value(shape, d):
    """How far a shape reaches along directions (n, 3) in its own axes."""
    across = np.hypot(d[:, 0], d[:, 1])
    match shape:
        case ar.Sphere(r):
            return r * np.linalg.norm(d, axis=1)
        case ar.Capsule(r, l):
            return r * np.linalg.norm(d, axis=1) + 0.5 * l * np.abs(d[:, 2])
        case ar.Box(size):
            return 0.5 * np.abs(d) @ size
        case ar.Cylinder(r, l):
            return r * across + 0.5 * l * np.abs(d[:, 2])
        case ar.Ellipsoid(radii):
            return np.linalg.norm(d * radii, axis=1)
        case ar.Mesh():
            return (d @ shape.hull().vertices.T).max(axis=1)


def depth_along(a, x, b, y, n):
    """How far the first must go along unit vectors n (k, 3) to be off the second."""
    A, B = rotation(x), rotation(y)
    return support_value(a, -n @ A) + support_value(b, n @ B) - n @ (x[:3] - y[:3])


def coal_shape(shape):
    match shape:
        case Plane():
            return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
        case ar.Sphere(r):
            return coal.Sphere(r)
        case ar.Capsule(r, l):
            return coal.Capsule(r, l)
        case ar.Box(size):
            return coal.Box(*size)
        case ar.Cylinder(r, l):
            return coal.Cylinder(r, l)
        case ar.Ellipsoid(radii):
            return coal.Ellipsoid(*radii)
    hull = shape.hull()
    vertices, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for p in hull.vertices:
        vertices.append(p)
    for t in hull.triangles:
        triangles.append(coal.Triangle(*map(int, t)))
    return coal.Convex(vertices, triangles)


def coal_distances(a, b, x, y):
    """Signed distances, NaN where coal finds no depth, and normals from the second to the first."""
    own = coal_shape(a), coal_shape(b)  # coal keeps none of them: they have to stay
    request, distance = coal.DistanceRequest(), coal.ComputeDistance(*own)
    request.gjk_tolerance = request.epa_tolerance = 1e-9
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    found, normals = np.empty(len(x)), np.empty((len(x), 3))
    for i, (p, q) in enumerate(zip(x, y, strict=True)):
        result = coal.DistanceResult()
        distance(*(coal.Transform3s(rotation(z), z[:3]) for z in (p, q)), request, result)
        found[i], normals[i] = result.min_distance, -result.normal
    return np.where(found < -1e3, np.nan, found), normals


@cache
def directions():
    """Unit vectors all around."""
    n = np.random.default_rng(0).normal(size=(300, 3))
    return n / np.linalg.norm(n, axis=1)[:, None]


def deviations(a, b, count, seed, function=None):
    """How far off distances of two shapes at random poses are; with them, and those of coal.

    Apart they are those of coal, also where only the layers of balls and capsules overlap. Where
    more does, the depth is what our own normal takes to bring
    them apart, and no direction takes less: neither that of coal, whose own depth may be far off,
    nor one of many.
    """
    x, y = poses(a, b, count, seed)
    found = (function or compiled(a, b))(x, y)
    gap, p, q = found[:, 0], found[:, 1:4], found[:, 4:]
    other, normals = coal_distances(a, b, x, y)
    layers = sum(s.radius for s in (a, b) if isinstance(s, ar.Sphere | ar.Capsule))
    off = np.empty(count)
    for i in range(count):
        if isinstance(b, Plane) or min(gap[i], other[i]) >= -layers:
            off[i] = abs(gap[i] - other[i])
            continue
        n = (q - p)[i] / max(-gap[i], 1e-300)
        tried = np.vstack([n, np.nan_to_num(normals[i]), directions()])
        tried = tried[np.abs(np.linalg.norm(tried, axis=1) - 1.0) < 1e-6]
        depths = depth_along(a, x[i], b, y[i], tried)
        own = depths[0] if gap[i] < -1e-8 else -gap[i]
        off[i] = max(abs(own + gap[i]), -gap[i] - depths.min())
    return np.where(np.isfinite(found).all(axis=1) & np.isfinite(off), off, np.inf), gap, other


def complaints(off, gap, other):
    """What is wrong: more than a micrometre."""
    return [
        f"at {i}: {gap[i]} off by {off[i]:.1e}, coal {other[i]}" for i in np.flatnonzero(off > 1e-6)
    ]
