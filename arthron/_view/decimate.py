"""Meshes with fewer triangles, for files that are sent around."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .solids import Solid

STEPS = 12
"""Of the search for the smallest cells that do."""


def decimated(meshes: Sequence[Solid], most: int) -> list[Solid]:
    """Meshes whose points are drawn together in cells, just large enough for `most` triangles."""
    low = 0.0
    high = max(float(np.ptp(mesh.vertices, axis=0).max()) for mesh in meshes)
    best = [_clustered(mesh, high) for mesh in meshes]
    for _ in range(STEPS):
        cell = (low * high) ** 0.5 if low else high / 8
        found = [_clustered(mesh, cell) for mesh in meshes]
        if sum(len(mesh.faces) for mesh in found) > most:
            low = cell
        else:
            high, best = cell, found
    return best


def _clustered(mesh: Solid, cell: float) -> Solid:
    """All points of a cell become their mean; triangles without an area go."""
    cells = np.floor(mesh.vertices / cell).astype(np.int64)
    _, number = np.unique(cells, axis=0, return_inverse=True)
    number = number.reshape(-1)
    count = np.bincount(number)
    points = np.stack([np.bincount(number, mesh.vertices[:, k]) / count for k in range(3)], 1)
    faces = number[mesh.faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    turned = np.argmin(faces, 1)[:, None]  # the same triangle twice is drawn once
    faces = np.take_along_axis(faces, (turned + np.arange(3)) % 3, 1)
    return mesh._replace(vertices=points, faces=np.unique(faces, axis=0).reshape(-1, 3))
