"""Meshes with fewer triangles, for files that are sent around (L00)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .solids import Solid

STEPS = 9
"""Of the search for the smallest cells that do."""
SOFT = 0.02
"""How much nearness to the mean of a cell counts beside nearness to planes."""


def decimated(meshes: Sequence[Solid], most: int) -> list[Solid]:
    """Meshes whose points are drawn together in cells, just large enough for `most` triangles."""
    low = 0.0
    high = max(float(np.ptp(mesh.vertices, axis=0).max()) for mesh in meshes)
    sides = [_sides(mesh) for mesh in meshes]
    best = [np.zeros(len(mesh.vertices), int) for mesh in meshes]
    for _ in range(STEPS):
        cell = (low * high) ** 0.5 if low else high / 16
        found = [_cells(mesh, side, cell) for mesh, side in zip(meshes, sides, strict=True)]
        counts = (len(_faces(mesh, cells)) for mesh, cells in zip(meshes, found, strict=True))
        if sum(counts) > most:
            low = cell
        else:
            high, best = cell, found
    return [
        mesh._replace(vertices=_corners(mesh, cells, high), faces=_faces(mesh, cells))
        for mesh, cells in zip(meshes, best, strict=True)
    ]


def _sides(mesh: Solid) -> np.ndarray:
    """In which of eight directions each point faces: inside and outside of a shell are two."""
    sums = np.stack([_gathered(mesh.faces, x, len(mesh.vertices)) for x in _normals(mesh).T], 1)
    return (sums > 0) @ (1, 2, 4)


def _normals(mesh: Solid) -> np.ndarray:
    """Of triangles, as long as twice their areas."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def _gathered(corners: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    """Sums over the triangles that each point is a corner of."""
    return np.bincount(corners.ravel(), np.repeat(values, 3), count)


def _cells(mesh: Solid, sides: np.ndarray, cell: float) -> np.ndarray:
    """The number of the cell of each point, among those that face its way."""
    x, y, z = np.floor((mesh.vertices - mesh.vertices.min(0)) / cell).astype(np.int64).T
    key = ((x * (y.max() + 1) + y) * (z.max() + 1) + z) * 8 + sides
    return np.unique(key, return_inverse=True)[1]


def _faces(mesh: Solid, cells: np.ndarray) -> np.ndarray:
    """Triangles between cells, each once."""
    faces = cells[mesh.faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    turned = np.argmin(faces, 1)[:, None]
    a, b, c = np.take_along_axis(faces, (turned + np.arange(3)) % 3, 1).T
    n = int(cells.max()) + 1
    kept = np.unique((a * n + b) * n + c, return_index=True)[1]
    return faces[np.sort(kept)]


def _corners(mesh: Solid, cells: np.ndarray, cell: float) -> np.ndarray:
    """A point for each cell: nearest to the planes of its triangles, and to its mean."""
    n = int(cells.max()) + 1
    mean = np.stack([np.bincount(cells, x) for x in mesh.vertices.T], 1)
    mean /= np.bincount(cells)[:, None]
    normals = _normals(mesh)
    area = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals / np.sqrt(np.maximum(area, 1e-300))  # weights are areas
    corners = cells[mesh.faces]
    height = np.einsum("fk,fk->f", normals, mesh.vertices[mesh.faces[:, 0]])
    A = np.stack([_gathered(corners, x * y, n) for x in normals.T for y in normals.T], 1)
    b = np.stack([_gathered(corners, x * height, n) for x in normals.T], 1)
    A, b = A.reshape(n, 3, 3), b - np.einsum("nij,nj->ni", A.reshape(n, 3, 3), mean)
    weight = SOFT * np.trace(A, axis1=1, axis2=2)[:, None, None] + 1e-300
    off = np.linalg.solve(A + weight * np.eye(3), b[..., None])[..., 0]
    off[np.abs(off).max(1) > cell] = 0.0
    return mean + off
