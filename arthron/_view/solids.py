"""Shapes as triangles, for a view."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._figure.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from .._figure.terrain import HeightField, Plane
from ..errors import ArthronError

SIDES = 32
"""Corners of a circle; a multiple of four, so that each quarter has as many."""
PATCH = 4.0
"""Sides of the square that is drawn of a plane [m]."""
ROUND = 0.15
"""Radius at the edges of a block, beside half of its shortest side."""

_up = np.linspace(0.0, math.pi / 2, SIDES // 4 + 1)
_angles = np.concatenate([-_up[::-1], _up])  # the equator twice: capsules pull it apart
_half = np.sign(np.arange(len(_angles)) - len(_up) + 0.5)
_BALL = np.stack([np.cos(_angles), np.sin(_angles)], 1)


class Solid(NamedTuple):
    """Triangles: rows of points, and rows of three of their numbers. Flat ones show their edges.

    Colours are red, green, blue and opacity, from 0 to 1, or None where a view may choose. What is
    not from a file has a kind, its sizes, and the pose of its centre, of which a view can make
    triangles of its own.
    """

    vertices: np.ndarray
    faces: np.ndarray
    flat: bool = False
    color: tuple[float, ...] | None = None
    kind: str = "mesh"
    sizes: tuple[float, ...] = ()
    pose: np.ndarray = np.eye(4)

    def moved(self, pose: np.ndarray) -> Solid:
        """The same elsewhere, by a 4 x 4 pose."""
        vertices = self.vertices @ pose[:3, :3].T + pose[:3, 3]
        return self._replace(vertices=vertices, pose=pose @ self.pose)


def solids(shape: Shape) -> list[Solid]:
    """A shape in the axes of its body: one solid, or one for each colour of a mesh."""
    pose = np.array(shape.placement.matrix(), float)
    match shape:
        case Mesh(path, scale):
            parts = _file(path, np.array(scale))
        case _:
            parts = [_centred(shape)]
    return [part._replace(color=shape.color or part.color).moved(pose) for part in parts]


def _centred(shape: Shape) -> Solid:
    match shape:
        case Sphere(r):
            return ball(r)
        case Ellipsoid(radii):
            unit = ball(1.0)
            return unit._replace(vertices=unit.vertices * radii, kind="ellipsoid", sizes=radii)
        case Cylinder(r, l):
            rim = np.array([(0, -1), (1, -1), (1, -1), (1, 1), (1, 1), (0, 1)], float)
            # rims twice, for sharp edges
            return revolve(rim * (r, l / 2))._replace(kind="cylinder", sizes=(r, l))
        case Capsule(r, l):
            return stick(l, r)
        case Box(size):
            return _block(np.array(size) / 2)
        case Plane():
            return _ground(np.zeros((2, 2)), (PATCH, PATCH))
        case HeightField(heights, size):
            return _ground(np.array(heights), size)
    raise TypeError(f"{type(shape).__name__} cannot be drawn.")


def _ground(heights: np.ndarray, size: tuple[float, float]) -> Solid:
    """A surface over a rectangle, two triangles to a cell."""
    rows, columns = heights.shape
    x, y = (np.linspace(-0.5, 0.5, n) * s for n, s in zip((rows, columns), size, strict=True))
    points = np.stack([*np.meshgrid(x, y, indexing="ij"), heights], -1).reshape(-1, 3)
    a = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    b, c, d = a + columns, a + columns + 1, a + 1
    return Solid(
        points, np.concatenate([np.stack(t, 1) for t in ((a, b, c), (a, c, d))]), flat=True
    )


def ball(r: float) -> Solid:
    """A ball about the origin."""
    return revolve(np.delete(_BALL, len(_up), 0) * r)._replace(kind="sphere", sizes=(r,))


def stick(length: float, r: float) -> Solid:
    """A capsule along z, about the origin."""
    outline = _BALL * r + np.outer(_half, (0.0, length / 2))
    return revolve(outline)._replace(kind="capsule", sizes=(r, length))


def axes(z: np.ndarray) -> np.ndarray:
    """Rotations whose third columns are given unit vectors, (..., 3) to (..., 3, 3)."""
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z), -1)])
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    return np.stack([x, np.cross(z, x), z], -1)


def revolve(outline: np.ndarray) -> Solid:
    """What a line of (radius, z), upwards, sweeps as it turns about z."""
    turns = 2 * math.pi / SIDES * (np.arange(SIDES) + 0.5)
    r, z = outline[:, :1], outline[:, 1:]
    points = np.stack([r * np.cos(turns), r * np.sin(turns), z + 0 * turns], -1)
    low, k = np.divmod(np.arange((len(outline) - 1) * SIDES), SIDES)
    a, b = low * SIDES + k, low * SIDES + (k + 1) % SIDES
    faces = np.concatenate([np.stack([a, b, b + SIDES], 1), np.stack([a, b + SIDES, a + SIDES], 1)])
    return Solid(points.reshape(-1, 3), faces)


def _block(half: np.ndarray) -> Solid:
    """A box with rounded edges: each eighth of a ball moved into a corner."""
    r = ROUND * half.min()
    eighths = np.concatenate([[(0.0, -1.0)], np.maximum(_BALL, (1e-9, -1.0)), [(0.0, 1.0)]])
    unit = revolve(eighths)
    corner = np.sign(unit.vertices)  # nothing at the poles, which stay in the middle of a side
    corner[:, 2] = np.repeat([-1.0, *_half, 1.0], SIDES)
    vertices = corner * (half - r) + r * unit.vertices
    return Solid(vertices, unit.faces, flat=True, kind="box", sizes=tuple(2 * half))


def _file(path: str, scale: np.ndarray) -> list[Solid]:
    """The surfaces in a file, one a colour; up is where the file's z is, as robots have it."""
    try:
        import trimesh
    except ImportError:
        raise ArthronError('drawing it needs trimesh: `pip install "arthron[view]"`') from None

    scene = trimesh.load_scene(path)
    unit = trimesh.units.unit_conversion(scene.units, "meters") if scene.units else 1.0
    flip = slice(None, None, -1 if np.prod(np.sign(scale)) < 0 else 1)
    together: dict[tuple[float, ...] | None, list[np.ndarray]] = {}
    for part in scene.dump():
        if not isinstance(part, trimesh.Trimesh):
            continue  # lines and points
        corners = np.array(part.vertices)[np.array(part.faces)[:, flip]] * (unit * scale)
        together.setdefault(_color(part.visual), []).append(corners)
    if not together:
        raise ValueError("there are no triangles in it")
    found = []
    for color, corners in together.items():
        points, numbers = np.unique(
            np.concatenate(corners).reshape(-1, 3), axis=0, return_inverse=True
        )
        found.append(Solid(points, numbers.reshape(-1, 3), flat=True, color=color))
    return found


def _color(visual: Any) -> tuple[float, ...] | None:
    """The colour of a surface, or the main one of several; None when its file has none."""
    if visual.kind is None or not visual.defined:
        return None
    color = visual.material.main_color if visual.kind == "texture" else visual.main_color
    return tuple(round(float(x) / 255.0, 3) for x in color)
