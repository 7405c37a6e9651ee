"""Which way a surface faces at the corners of its triangles."""

from __future__ import annotations

import math

import numpy as np

from .solids import Solid

CREASE = math.cos(math.radians(40.0))
"""Of the angle between triangles from which on their edge is sharp, in solids that show edges."""


def corner_normals(solid: Solid) -> np.ndarray:
    """Unit normals, (faces, 3, 3): smooth, but for sharp edges where a solid shows them.

    The normal at a corner is that of the triangles there, by their areas; where edges show, of
    those that face nearly as its own does.
    """
    vertices, faces = solid.vertices, solid.faces
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    if solid.flat:
        return _unit(_creased(across, faces, len(vertices)))
    smooth = np.stack(
        [np.bincount(faces.ravel(), np.repeat(x, 3), len(vertices)) for x in across.T], 1
    )
    return _unit(smooth)[faces]


def _creased(across: np.ndarray, faces: np.ndarray, count: int) -> np.ndarray:
    """Sums over the triangles at each corner that face nearly as its own."""
    vertex = faces.ravel()
    order = np.argsort(vertex, kind="stable")  # corners, those of a vertex side by side
    degree = np.bincount(vertex, minlength=count)
    start = np.cumsum(degree) - degree
    own = _unit(across)
    total = np.zeros((len(vertex), 3))
    corner = np.arange(len(vertex))
    for k in range(int(degree.max(initial=0))):
        corner = corner[degree[vertex[corner]] > k]
        other = order[start[vertex[corner]] + k] // 3
        near = np.einsum("ij,ij->i", own[corner // 3], own[other]) >= CREASE
        total[corner[near]] += across[other[near]]
    return total.reshape(-1, 3, 3)


def _unit(v: np.ndarray) -> np.ndarray:
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-30)
