"""Mass properties of meshes: shapes, sums over points, MuJoCo; and what has no inside."""

import math
import re
import struct
from itertools import pairwise

import mujoco
import numpy as np
import pytest
from law_figures import assert_close

import arthron as ar
from arthron._view.solids import solids

OFF = ar.pose((0.4, -0.7, 0.2), (0.3, 1.2, -0.5))
BOX = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def obj(path, vertices, faces):
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(vertices, float).tolist()]
    lines += ["f " + " ".join(str(int(k) + 1) for k in face) for face in faces]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def corners(vertices, faces):
    return np.array([[vertices[k] for k in (f[0], *bc)] for f in faces for bc in pairwise(f[1:])])


def binary_stl(path, triangles):
    facets = b"".join(struct.pack("<12fH", 0, 0, 0, *t.ravel(), 0) for t in triangles)
    path.write_bytes(b"binary".ljust(80) + struct.pack("<I", len(triangles)) + facets)
    return str(path)


def ascii_stl(path, triangles):
    lines = ["solid a box"]
    for triangle in triangles:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += [f"vertex {x!r} {y!r} {z!r}" for x, y, z in triangle.tolist()]
        lines += ["endloop", "endfacet"]
    path.write_text("\n".join([*lines, "endsolid a box"]))
    return str(path)


def assert_same(a, b, tolerance=1e-12):
    size = max(map(max, b.I))
    assert a.m == pytest.approx(b.m, rel=tolerance)
    assert_close(a.h, b.h, tolerance, scale=max(map(abs, b.h)) or b.m)
    assert_close(a.I, b.I, tolerance, scale=size)


@pytest.mark.parametrize("placement", [ar.pose(), OFF], ids=["centred", "off"])
@pytest.mark.parametrize("given", [{}, {"density": 700.0}, {"mass": 3.0}], ids=str)
@pytest.mark.parametrize("kind", ["obj", "binary", "ascii"])
def test_a_box(kind, given, placement, tmp_path):
    triangles = corners(BOX, SIDES)
    path = {
        "obj": lambda: obj(tmp_path / "box.obj", BOX, SIDES),
        "binary": lambda: binary_stl(tmp_path / "box.stl", triangles),
        "ascii": lambda: ascii_stl(tmp_path / "box.STL", triangles),
    }[kind]()
    size = (0.3, 0.5, 0.7)
    mesh = ar.Mesh(path, size, placement=placement, **given)
    box = ar.Box(size, placement=placement, **given)
    assert mesh.volume() == pytest.approx(box.volume(), rel=1e-14)
    assert_same(mesh.inertia(), box.inertia())
    assert_same(ar.Body("b", shapes=[mesh]).inertia, box.inertia())


def test_one_number_scales_all_axes(tmp_path):
    path = obj(tmp_path / "a.obj", BOX, SIDES)
    assert ar.Mesh(path, 0.5).scale == ar.Mesh(path, (0.5, 0.5, 0.5)).scale == (0.5, 0.5, 0.5)


def test_a_box_off_its_own_origin(tmp_path):
    """What moves in the file or in the body is the same, also far away."""
    for at, tolerance in (((1.0, -2.0, 0.5), 1e-12), ((3000.0, 0.0, 2000.0), 1e-12)):
        mesh = ar.Mesh(obj(tmp_path / "a.obj", BOX + at, SIDES), (0.1, 0.2, 0.3))
        box = ar.Box((0.1, 0.2, 0.3), placement=np.multiply(at, (0.1, 0.2, 0.3)))
        assert_same(mesh.inertia(), box.inertia(), tolerance)


@pytest.mark.parametrize("scale", [(-1, 1, 1), (2, -1, 3), (-1, -2, -3), (-1, -1, 2)], ids=str)
def test_mirrors_stay_outside_out(scale, tmp_path):
    rng = np.random.default_rng(3)
    vertices, faces = (
        rng.normal(size=(4, 3)),
        np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]),
    )
    if np.linalg.det(vertices[1:] - vertices[0]) < 0:
        faces = faces[:, ::-1]
    mirrored = faces[:, ::-1] if math.prod(scale) < 0 else faces
    one = ar.Mesh(obj(tmp_path / "one.obj", vertices, faces), scale)
    other = ar.Mesh(obj(tmp_path / "other.obj", vertices * scale, mirrored))
    assert_same(one.inertia(), other.inertia())
    assert one.volume() > 0


@pytest.mark.parametrize("seed", range(5))
def test_tetrahedra_against_a_sum_over_points(seed, tmp_path):
    """Four points integrate quadratics over a tetrahedron exactly."""
    rng = np.random.default_rng(seed)
    p = rng.normal(size=(4, 3)) + rng.normal(size=3)
    volume = np.linalg.det(p[1:] - p[0]) / 6
    faces = np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])
    mesh = ar.Mesh(obj(tmp_path / "t.obj", p, faces if volume > 0 else faces[:, ::-1]), mass=2.0)
    a, b = (5 - math.sqrt(5)) / 20, (5 + 3 * math.sqrt(5)) / 20
    points = (np.full((4, 4), a) + (b - a) * np.eye(4)) @ p
    square = 0.5 * points.T @ points
    inertia = mesh.inertia()
    assert mesh.volume() == pytest.approx(abs(volume), rel=1e-13)
    assert_close(inertia.h, 0.5 * points.sum(0), 1e-13)
    assert_close(inertia.I, np.trace(square) * np.eye(3) - square, 1e-13)


ROUND = {
    "sphere": (ar.Sphere(0.4), lambda a: (0.4 * np.cos(a), 0.4 * np.sin(a))),
    "ellipsoid": (ar.Ellipsoid((0.7, 0.7, 0.3)), lambda a: (0.7 * np.cos(a), 0.3 * np.sin(a))),
    "cylinder": (ar.Cylinder(0.3, 0.8), lambda a: ((0, 0.3, 0.3, 0), (-0.4, -0.4, 0.4, 0.4))),
}


@pytest.mark.parametrize("kind", ROUND)
def test_fine_meshes_converge_to_shapes(kind, tmp_path):
    """The error is of second order in the length of edges."""
    shape, outline = ROUND[kind]
    exact, errors = shape.inertia(), []
    for n in (24, 48):
        turns = 2 * np.pi / n * np.arange(n)
        r, z = np.array(outline(np.linspace(-np.pi / 2, np.pi / 2, n // 2 + 1)))[:, :, None]
        r[[0, -1]] = 0.0
        points = np.stack([r * np.cos(turns), r * np.sin(turns), z + 0 * turns], -1).reshape(-1, 3)
        a = np.arange(len(points) - n)
        b = a - a % n + (a + 1) % n
        mesh = ar.Mesh(obj(tmp_path / "a.obj", points, np.stack([a, b, b + n, a + n], 1))).inertia()
        errors.append([1 - mesh.m / exact.m, *(1 - np.diag(mesh.I) / np.diag(exact.I))])
    assert np.all(np.array(errors) > 0) and np.all(np.array(errors[1]) < 0.02)
    np.testing.assert_allclose(np.divide(*errors), 4.0, rtol=0.03)


def lump(tmp_path):
    """A curved closed surface with no symmetry: a box of many squares, bent."""
    t = np.linspace(-0.5, 0.5, 6)
    squares = []
    for axis in range(3):
        for side in (-0.5, 0.5):
            for u in range(5):
                for v in range(5):
                    cell = [(t[u], t[v]), (t[u + 1], t[v]), (t[u + 1], t[v + 1]), (t[u], t[v + 1])]
                    square = [np.roll((side, a, b), axis) for a, b in cell]
                    squares.append(square if side > 0 else square[::-1])
    points = np.array(squares).reshape(-1, 3)
    x, y, z = points.T
    points = np.stack([x + 0.3 * y * y, y * (1 + 0.4 * z), z + 0.2 * np.sin(3 * x)], 1).round(12)
    a, b, c, d = np.arange(len(points)).reshape(-1, 4).T
    return obj(tmp_path / "lump.obj", points, np.stack([a, b, c, a, c, d], 1).reshape(-1, 3))


def test_mujoco_finds_the_same(tmp_path):
    path, scale = lump(tmp_path), (0.5, 0.7, 0.9)
    xml = f"""<mujoco><asset><mesh name="m" file="{path}" scale="0.5 0.7 0.9" inertia="exact"/>
      </asset><worldbody><body><joint/><geom type="mesh" mesh="m" density="800"
      pos="0.4 -0.7 0.2"/></body></worldbody></mujoco>"""
    theirs = mujoco.MjModel.from_xml_string(xml)
    ours = ar.Mesh(path, scale, density=800.0, placement=(0.4, -0.7, 0.2)).inertia()
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, theirs.body_iquat[1])
    R = R.reshape(3, 3)
    assert ours.m == pytest.approx(theirs.body_mass[1], rel=1e-6)  # vertices there are float32
    assert_close(ours.com(), theirs.body_ipos[1], 1e-6)
    assert_close(ours.about_com(), R @ np.diag(theirs.body_inertia[1]) @ R.T, 1e-5)


def test_parts_and_cavities_add_up(tmp_path):
    """A box with a hollow in it, and a box that touches another along an edge."""
    faces = [*SIDES, *(tuple(8 + k for k in side[::-1]) for side in SIDES)]
    both = [*BOX, *np.add(0.5 * BOX, (0.1, 0, 0))]
    hollow = ar.Mesh(obj(tmp_path / "h.obj", both, faces)).inertia()
    solid_box = ar.Box((1, 1, 1)).inertia()
    hole = ar.Box((0.5, 0.5, 0.5), placement=(0.1, 0, 0)).inertia()
    assert_same(hollow + hole, solid_box)
    faces = [*SIDES, *(tuple(8 + k for k in side) for side in SIDES)]
    both = ar.Mesh(obj(tmp_path / "b.obj", [*BOX, *np.add(BOX, (1, 1, 0))], faces)).inertia()
    assert_same(both, solid_box + ar.Box((1, 1, 1), placement=(1, 1, 0)).inertia())


def test_a_mesh_to_look_at_is_not_read(tmp_path):
    nowhere = str(tmp_path / "skull.dae")
    assert ar.Mesh(nowhere, mass=0.0).inertia() == ar.Inertia()
    assert ar.Mesh(nowhere, density=0.0).inertia() == ar.Inertia()
    ball = ar.Sphere(1.0).inertia()
    assert ar.Body("b", inertia=ball, shapes=[ar.Mesh(nowhere)]).inertia == ball
    shown = [ar.Sphere(1.0), ar.Mesh(nowhere, mass=0.0)]
    assert ar.Body("b", shapes=shown).inertia == ball


def test_a_model_of_meshes(tmp_path):
    path = tmp_path / "box.obj"
    obj(path, BOX, SIDES)

    def make(shape):
        return ar.Model([ar.Body("a", ar.Revolute("y"), shapes=[shape])])

    of_mesh, of_box = make(ar.Mesh(path, placement=OFF)), make(ar.Box((1, 1, 1), placement=OFF))
    assert of_mesh.mass == pytest.approx(1000.0, rel=1e-13)
    assert_close(ar.evaluate(ar.algorithms.crba, of_mesh, [0.3]),
                 ar.evaluate(ar.algorithms.crba, of_box, [0.3]), 1e-12)  # fmt: skip
    [drawn] = solids(of_mesh.bodies[0].shapes[0])
    assert np.allclose(drawn.vertices.mean(0), OFF.r)


# What has no mass

T = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], float)
OUT = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
NO_INSIDE = {
    "open": (T, OUT[:3], "not closed: 3 of its 6 edges .*mass=0.0"),
    "doubled": (T, [*OUT, OUT[0]], "not closed: 3 of its 6"),
    "disagreeing": (T, [*OUT[:3], OUT[3][::-1]], "which side is outside: those at 3 of the 6"),
    "inside out": (T, [f[::-1] for f in OUT], r"inside out.*-0\.167 m.*recalculate the normals"),
    "flat": (T * (1, 1, 0), OUT, "flat.*no volume"),
    "there and back": (T, [OUT[0], OUT[0][::-1]], "flat.*no volume"),
    "huge": (T * 1e200, OUT, "too large.*scale"),
}


@pytest.mark.parametrize("case", NO_INSIDE)
def test_surfaces_without_an_inside(case, tmp_path):
    vertices, faces, message = NO_INSIDE[case]
    path = obj(tmp_path / "bad.obj", vertices, faces)
    with pytest.raises(ar.FileError, match=message) as caught:
        ar.Body("b", shapes=[ar.Mesh(path)])
    assert caught.value.path == path


@pytest.mark.parametrize("kind", ["dae", "glb", "ply", ""])
def test_other_formats_have_no_mass(kind, tmp_path):
    path = tmp_path / f"skull.{kind}".rstrip(".")
    path.write_text("x")
    for given in ({}, {"density": 3.0}, {"mass": 3.0}):
        with pytest.raises(ar.FileError, match=re.escape(".obj and .stl") + ".*mass=0.0"):
            ar.Mesh(str(path), **given).inertia()
