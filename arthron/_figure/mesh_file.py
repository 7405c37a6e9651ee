"""Surfaces of triangles from OBJ and STL files, read with care: files come from strangers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..errors import FileError

MAX_BYTES = 512 * 2**20
HEADER, FACET = 84, 50
"""Bytes of a binary STL file: in front, with the count of triangles at the end, and a triangle."""


class Surface(NamedTuple):
    """Triangles, with corners anticlockwise when seen from outside.

    Attributes:
        vertices: positions, (n, 3) [m].
        triangles: three vertices each, (m, 3).
    """

    vertices: np.ndarray
    triangles: np.ndarray


def read_mesh(path: str) -> Surface:
    """The surface in an OBJ or STL file; vertices at the very same place become one."""
    readers = {".obj": _obj, ".stl": _stl}
    kind = Path(path).suffix.lower()
    if kind not in readers:
        raise FileError(
            f"the mass or convex hull of a {kind or 'nameless'} mesh is not known: .obj and .stl "
            "files are read for that. Convert the file; or, for a mesh that is only to look at, "
            "give the shape `mass=0.0` or the body `inertia`.",
            path,
        )
    corners = readers[kind](_read(path), path)
    if not len(corners):
        raise FileError("there are no triangles in it. Export the mesh again.", path)
    if not np.isfinite(corners).all():
        raise FileError("it has a vertex that is not finite. Export the mesh again.", path)
    vertices, numbers = np.unique(corners.reshape(-1, 3) + 0.0, axis=0, return_inverse=True)
    triangles = numbers.reshape(-1, 3)
    a, b, c = triangles.T
    return Surface(vertices, triangles[(a != b) & (b != c) & (c != a)])


def read_points(path: str) -> np.ndarray:
    """The vertices in a mesh file of any format, (n, 3) [m]; those that others read by trimesh."""
    if Path(path).suffix.lower() in (".obj", ".stl"):
        return read_mesh(path).vertices
    try:
        import trimesh
    except ImportError:
        raise FileError(
            'reading its points needs trimesh: `pip install "arthron[view]"`. Or convert it to '
            ".obj or .stl.",
            path,
        ) from None
    try:
        scene = trimesh.load_scene(path)
        unit = trimesh.units.unit_conversion(scene.units, "meters") if scene.units else 1.0
        parts = [np.array(p.vertices) for p in scene.dump() if isinstance(p, trimesh.Trimesh)]
    except Exception as error:  # readers of meshes raise what they like
        raise FileError(f"the mesh cannot be read: {error}. Export it again.", path) from None
    if not parts:
        raise FileError("there are no triangles in it. Export the mesh again.", path)
    return np.concatenate(parts) * unit


def _read(path: str) -> bytes:
    """What the file holds, when it is there and of a sane size."""
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise FileError("this is no plain file. Name a mesh file.", path)
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise FileError(f"the mesh cannot be read: {why}. Check the path.", path) from None
    if len(data) > MAX_BYTES:
        raise FileError(
            f"the mesh is larger than {MAX_BYTES // 2**20} MB, the most that is read. Simplify it.",
            path,
        )
    return data


def _lines(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Numbers and words of the lines that have some; a backslash goes on with the next line."""
    words: list[str] = []
    for number, line in enumerate(data.decode("latin-1").split("\n"), start=1):
        words += line.partition("#")[0].split()
        if words and words[-1] == "\\":
            words.pop()
        elif words:
            yield number, words
            words = []


def _position(words: list[str], path: str, line: int) -> tuple[float, float, float]:
    try:
        x, y, z = (float(word) for word in words[1:4])
    except ValueError:
        raise FileError(
            f"a vertex is {' '.join(words[1:4])[:60]!r}. Expected three numbers.", path, line
        ) from None
    return x, y, z


def _obj(data: bytes, path: str) -> np.ndarray:
    """Corners of the triangles of an OBJ file, (m, 3, 3); faces become fans about a corner."""
    vertices: list[tuple[float, float, float]] = []
    fans: list[tuple[int, int, int]] = []
    lines: list[int] = []
    for line, words in _lines(data):
        if words[0] == "v":
            vertices.append(_position(words, path, line))
        elif words[0] == "f":
            face = _face(words, len(vertices), path, line)
            fans += [(face[0], b, c) for b, c in pairwise(face[1:])]
            lines += [line] * (len(face) - 2)
    triangles = np.array(fans, dtype=np.int64).reshape(-1, 3)
    wrong = np.flatnonzero(((triangles < 0) | (triangles >= len(vertices))).any(1))
    if len(wrong):
        raise FileError(
            f"a face names a vertex that is not there; the file has {len(vertices)}, counted from "
            "1. The file is damaged or cut off: export the mesh again.",
            path,
            lines[wrong[0]],
        )
    return np.array(vertices, dtype=float).reshape(-1, 3)[triangles]


def _face(words: list[str], count: int, path: str, line: int) -> list[int]:
    """Vertices of a face, from 0: given as n, n/t, n//k or n/t/k, from 1 or backwards from -1."""
    try:
        given = [int(word.split("/")[0]) for word in words[1:]]
    except ValueError:
        given = []
    if len(given) < 3 or max(map(abs, given)) > 2**62:
        raise FileError(
            f"a face is {' '.join(words[1:])[:60]!r}. Expected three vertices or more, such as "
            "`f 1 2 3` or `f 1/1/1 2/2/1 3/3/1`.",
            path,
            line,
        )
    return [n + count if n < 0 else n - 1 for n in given]


def _stl(data: bytes, path: str) -> np.ndarray:
    """Corners of the triangles of an STL file, (m, 3, 3); its normals are not used."""
    count = int.from_bytes(data[HEADER - 4 : HEADER], "little")
    if len(data) >= HEADER and len(data) == HEADER + FACET * count:
        facets = np.frombuffer(data, np.uint8, offset=HEADER).reshape(count, FACET)
        return facets[:, 12:48].copy().view("<f4").reshape(count, 3, 3).astype(float)
    if data.lstrip()[:5].lower() == b"solid" and b"\0" not in data[:1000]:
        return _ascii_stl(data, path)
    raise FileError(
        f"as a binary STL file with {count} triangles it should have {HEADER + FACET * count} "
        f"bytes, and it has {len(data)}; nor does it start with `solid`, as text does. It is "
        "damaged or cut off: export the mesh again.",
        path,
    )


def _ascii_stl(data: bytes, path: str) -> np.ndarray:
    corners: list[tuple[float, float, float]] = []
    ended = False
    for line, words in _lines(data):
        match words[0].lower():
            case "vertex":
                corners.append(_position(words, path, line))
            case "endfacet" if len(corners) % 3:
                raise FileError("a facet does not have three vertices.", path, line)
            case "solid" | "endsolid" as word:
                ended = word == "endsolid"
    if not ended or len(corners) % 3:
        raise FileError("the text ends within a solid: export the mesh again.", path)
    return np.array(corners, dtype=float).reshape(-1, 3, 3)
