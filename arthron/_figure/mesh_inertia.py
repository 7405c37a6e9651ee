"""Mass properties of what a closed surface of triangles encloses (S19 §1.7, after M96)."""

from __future__ import annotations

import math

import numpy as np

from .._spatial.inertia import Inertia
from .._spatial.vectors import Mat3, Vec3
from ..errors import FileError
from .mesh_file import Surface

THIN = 1e-12
"""Beside area times size: a smaller volume is none."""


def solid_inertia(surface: Surface, path: str) -> Inertia:
    """Inertia for density one, so that its mass is the volume, about the vertices' origin.

    By the divergence theorem an integral over the solid is a sum over tetrahedra, with signs, from
    any point to the triangles. With corners a, b, c as seen from it, s = a + b + c, and
    D = a . (b x c):  V = sum D/6,  int x = sum D s/24,  int x x^T = sum D (s s^T + a a^T + b b^T +
    c c^T)/120.
    """
    _require_closed(surface, path)
    middle = surface.vertices.mean(0)  # meshes far from their origin keep their digits
    a, b, c = np.moveaxis((surface.vertices - middle)[surface.triangles], 1, 0)
    s = a + b + c
    with np.errstate(all="ignore"):  # what is too large is told below
        D = np.einsum("ki,ki->k", a, np.cross(b, c))
        volume, first = float(D.sum() / 6.0), D @ s / 24.0
        second = sum(np.einsum("k,ki,kj->ij", D, x, x) for x in (s, a, b, c)) / 120.0
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0
        _require_volume(volume, area * np.linalg.norm(np.ptp(surface.vertices, axis=0)), path)
        about_middle = np.trace(second) * np.eye(3) - second
    r = first / volume
    about_com = about_middle - volume * (r @ r * np.eye(3) - np.outer(r, r))
    return Inertia.from_com(volume, Vec3(*(middle + r).tolist()), Mat3.from_rows(about_com))


def _require_closed(surface: Surface, path: str) -> None:
    """Each edge must be walked as often one way as the other."""
    tails, heads = surface.triangles.ravel(), np.roll(surface.triangles, -1, 1).ravel()
    ends = np.sort(np.stack([tails, heads], 1), 1)
    _, edge, uses = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    ways = np.bincount(edge.ravel(), np.where(tails < heads, 1.0, -1.0))
    open_edges, folded = int((uses % 2).sum()), int(np.count_nonzero(ways))
    if open_edges:
        raise FileError(
            f"the surface is not closed: {open_edges} of its {len(uses)} edges have a triangle on "
            "one side only, as at the rim of a hole, so it is not known what is inside. Close it "
            "in a modelling program; or give the shape `mass=0.0` and the body `inertia`.",
            path,
        )
    if folded:
        raise FileError(
            f"triangles do not agree on which side is outside: those at {folded} of the "
            f"{len(uses)} edges contradict each other. Have a modelling program recalculate the "
            "normals outwards, and export the mesh again.",
            path,
        )


def _require_volume(volume: float, bulk: float, path: str) -> None:
    """A volume must be a positive number, and not be lost beside the area times the size."""
    if not math.isfinite(volume):
        raise FileError("the mesh is too large to be computed with. Check `scale`.", path)
    if abs(volume) <= THIN * bulk:
        raise FileError(
            "the surface is flat: it encloses no volume, so it has no mass. Give it thickness; or "
            "give the shape `mass=0.0` and the body `inertia`.",
            path,
        )
    if volume < 0.0:
        raise FileError(
            f"the surface is inside out: triangles face inwards, and its volume is {volume:.3g} "
            "m^3. Have a modelling program recalculate the normals outwards, and export the mesh "
            "again.",
            path,
        )
