"""OBJ and STL files: the forms they come in, and how damage is told."""

import os
import struct

import numpy as np
import pytest

import arthron as ar
from arthron._figure import mesh_file
from arthron._figure.mesh_file import read_mesh

CORNERS = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
SIDES = "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
PYRAMID = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 1\n"
FORMS = {
    "plain": CORNERS + SIDES,
    "windows": (CORNERS + SIDES).replace("\n", "\r\n"),
    "textures": CORNERS + "vt 0 0\nf 1/1 3/1 2/1\nf 1/1 2/1 4/1\nf 2/1 3/1 4/1\nf 3/1 1/1 4/1\n",
    "normals": CORNERS + "f 1//9 3//9 2//9\nf 1//9 2//9 4//9\nf 2//9 3//9 4//9\nf 3//9 1//9 4//9",
    "both": CORNERS + "f 1/5/9 3/5/9 2/5/9\nf 1 2 4\nf 2/1/1 3/2/2 4/3/3\nf 3 1 4",
    "backwards": CORNERS + "f -4 -2 -3\nf -4 -3 -1\nf -3 -2 -1\nf -2 -4 -1\n",
    "backwards between": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -1 -2\nv 0 0 1\nf -4 -3 -1\nf -3 -2 -1\n"
                         "f -2 -4 -1\n",
    "groups": f"# a comment\nmtllib a.mtl\no thing\ng left\n{CORNERS}usemtl red\ns off\n{SIDES}"
              "l 1 2\np 3\n",
    "comments and colours": CORNERS.replace("\n", " 0.5 0.5 0.5 # grey\n") + SIDES,
    "weights": CORNERS.replace("\n", " 1.0\n") + SIDES,
    "faces first": SIDES + CORNERS,
    "unused vertex": CORNERS + "v 100 100 100\n" + SIDES,
    "goes on": CORNERS + SIDES.replace("f 1 3 2", "f 1 \\\n 3 2"),
    "split vertices": CORNERS + CORNERS + "f 1 3 2\nf 5 6 8\nf 2 7 4\nf 3 1 8\n",
    "empty triangles": CORNERS + SIDES + "f 1 1 2\nf 3 3 3\n",
    "minus zero": CORNERS + "v -0 0 -0.0\n" + SIDES.replace("f 1 2 4", "f 5 2 4"),
}  # fmt: skip


def written(folder, content, name="a.obj"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_obj(form, tmp_path):
    path = written(tmp_path, FORMS[form])
    vertices, triangles = read_mesh(path)
    assert vertices.shape == (4, 3) and triangles.shape == (4, 3)
    assert ar.Mesh(path).volume() == pytest.approx(1 / 6)


def test_polygons_become_triangles(tmp_path):
    sides = "f 1 4 3 2\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n"
    path = written(tmp_path, PYRAMID + sides)
    assert len(read_mesh(path).triangles) == 6
    assert ar.Mesh(path).volume() == pytest.approx(1 / 3)
    dented = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.5 0\nv 0 2 0\nv 1 0.2 1\n"  # no convex base
    ring = "f 1 5 4 3 2\nf 1 2 6\nf 2 3 6\nf 3 4 6\nf 4 5 6\nf 5 1 6\n"
    assert ar.Mesh(written(tmp_path, dented + ring)).volume() == pytest.approx(2.5 / 3)


def binary(count, facets=b"", header=b"solid to fool readers"):
    return header.ljust(80) + struct.pack("<I", count) + facets


FACET = struct.pack("<12fH", 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0)
TEXT = """solid one part
 facet normal 0 0 -1
  outer loop
   vertex 0 0 0
   vertex 0 1 0
   vertex 1 0 0
  endloop
 endfacet
endsolid one part
Solid vertex
 FACET NORMAL 0 0 0
  OUTER LOOP
   VERTEX 0 0 0
   VERTEX 1.0E0 0 0
   VERTEX 0 0 1e+00
  ENDLOOP
 ENDFACET
 facet normal 0 0 0 outer loop
   vertex 1 0 0
   vertex 0 1 0
   vertex 0 0 1
  endloop
 endfacet
 facet normal 0 0 0 outer loop
   vertex 0 1 0
   vertex 0 0 0
   vertex 0 0 1
  endloop
 endfacet
endsolid vertex
"""


def test_text_of_several_solids(tmp_path):
    path = written(tmp_path, TEXT, "a.stl")
    assert len(read_mesh(path).vertices) == len(read_mesh(path).triangles) == 4
    assert ar.Mesh(path).volume() == pytest.approx(1 / 6)


def test_a_binary_file_may_start_as_text_does(tmp_path):
    vertices, triangles = read_mesh(written(tmp_path, binary(1, FACET), "a.stl"))
    assert triangles.shape == (1, 3)
    corners = vertices[triangles[0]]
    np.testing.assert_array_equal(corners, [(0, 0, 0), (1, 0, 0), (0, 1, 0)])


DAMAGED = {
    "empty": ("a.obj", "", None, "no triangles"),
    "no faces": ("a.obj", CORNERS, None, "no triangles"),
    "not a number": ("a.obj", "v 0 0 zero\n" + SIDES, 1, "a vertex is '0 0 zero'.*three numbers"),
    "two numbers": ("a.obj", "v 0 0\n" + SIDES, 1, "a vertex is '0 0'"),
    "NaN": ("a.obj", CORNERS.replace("1", "nan", 1) + SIDES, None, "not finite"),
    "infinity": ("a.obj", CORNERS.replace("1", "1e999", 1) + SIDES, None, "not finite"),
    "two corners": ("a.obj", CORNERS + "f 1 2\n", 5, "a face is '1 2'.*three vertices or more"),
    "face of text": ("a.obj", CORNERS + "f a b c\n", 5, "a face is 'a b c'"),
    "vertex zero": ("a.obj", CORNERS + SIDES + "f 0 1 2\n", 9, "not there; the file has 4"),
    "vertex too many": ("a.obj", CORNERS + SIDES + "f 1 2 5\n", 9, "counted from 1"),
    "too far back": ("a.obj", CORNERS + "f -5 -1 -2\n" + SIDES, 5, "not there"),
    "absurd vertex": ("a.obj", CORNERS + f"f 1 2 {10**30}\n", 5, "a face is"),
    "cut off": ("a.stl", binary(2, FACET), None, "with 2 triangles.*184 bytes.*has 134.*cut off"),
    "too long": ("a.stl", binary(1, FACET + b"more", b""), None, "has 138"),
    "no STL": ("a.stl", b"\x89PNG", None, "damaged or cut off"),
    "nothing": ("a.stl", b"", None, "damaged or cut off"),
    "no facets": ("a.stl", binary(0), None, "no triangles"),
    "NaN in STL": ("a.stl", binary(1, FACET[:12] + b"\xff" * 4 + FACET[16:]), None, "not finite"),
    "text cut off": ("a.stl", TEXT[: TEXT.index("endsolid vertex")], None, "ends within a solid"),
    "text of quads": ("a.stl", TEXT.replace("endloop", "vertex 0 0 0\nendloop", 1), 9, "facet d"),
    "words in text": ("a.stl", TEXT.replace("vertex 0 1 0", "vertex 0 1 x"), 5, "'0 1 x'"),
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_files(case, tmp_path):
    name, content, line, message = DAMAGED[case]
    path = written(tmp_path, content, name)
    with pytest.raises(ar.FileError, match=message) as caught:
        ar.Mesh(path).inertia()
    assert (caught.value.path, caught.value.line) == (path, line)


def test_no_file(tmp_path, monkeypatch):
    with pytest.raises(ar.FileError, match="cannot be read: No such file"):
        ar.Mesh(str(tmp_path / "gone.stl")).inertia()
    with pytest.raises(ar.FileError, match="cannot be read"):
        ar.Mesh("a\0.stl").inertia()
    (tmp_path / "folder.obj").mkdir()
    os.mkfifo(tmp_path / "pipe.obj")
    for name in ("folder.obj", "pipe.obj"):
        with pytest.raises(ar.FileError, match="no plain file"):
            ar.Mesh(str(tmp_path / name)).inertia()
    monkeypatch.setattr(mesh_file, "MAX_BYTES", 10)
    with pytest.raises(ar.FileError, match="larger than"):
        ar.Mesh(written(tmp_path, CORNERS + SIDES)).inertia()


def test_random_bytes_meet_a_sentence(tmp_path):
    """Files with some bytes changed are read, or refused by an error of arthron's."""
    rng = np.random.default_rng(0)
    whole = {"a.obj": (CORNERS + SIDES).encode(), "a.stl": TEXT.encode(), "b.stl": binary(1, FACET)}
    refused = 0
    for name, content in whole.items():
        for _ in range(100):
            data = bytearray(content)
            for _ in range(rng.integers(1, 4)):
                data[rng.integers(len(data))] = rng.integers(256)
            try:
                ar.Mesh(written(tmp_path, bytes(data), name)).inertia()
            except ar.ArthronError:
                refused += 1
    assert refused > 100
