"""Meshes come to rest on ground: on small faces of a sole that is not quite flat, and on a rim."""

import numpy as np
import pytest

import arthron as ar


def mesh(path, points):
    """The convex body around points."""
    corners = "".join("v {} {} {}\n".format(*p) for p in points)
    faces = "".join(f"f {k} {k + 1} {k + 2}\n" for k in range(1, len(points) - 1))
    path.write_text(corners + faces)
    return ar.Mesh(str(path), mass=0.0)


def rounded_sole():
    """A foot of 20 by 10 cm whose sole bulges by 0.4 mm, in flat pieces of 5 by 3 cm."""
    x, y = np.meshgrid(np.linspace(-0.1, 0.1, 5), np.linspace(-0.05, 0.05, 4), indexing="ij")
    sole = np.stack([x, y, 0.02 * (x**2 + 4.0 * y**2)], -1).reshape(-1, 3)
    return [*sole, *(sole[[0, 3, 16, 19]] + np.array([0.0, 0.0, 0.05]))]


def disc():
    """A coin of 10 cm with 40 corners."""
    a = np.arange(40) * (2.0 * np.pi / 40)
    rim = np.stack([0.05 * np.cos(a), 0.05 * np.sin(a), 0.0 * a], -1)
    return [*rim, *(rim + np.array([0.0, 0.0, 0.02]))]


@pytest.mark.parametrize("points", [rounded_sole(), disc()], ids=["sole", "disc"])
def test_a_mesh_rests(points, tmp_path):
    load = ar.Box((0.06, 0.04, 0.04), mass=3.0, placement=(0.02, 0.01, 0.05))
    shapes = [mesh(tmp_path / "mesh.obj", points), load]
    model = ar.Model([ar.Body("foot", ar.Free(), shapes=shapes)])
    q = model.neutral()
    q[2] = 0.01
    q[3:7] = 1.0, 0.05, 0.03, 0.4
    q[3:7] /= np.linalg.norm(q[3:7])
    run = ar.simulate(ar.Scene(model, [ar.contacts.Ground()]), 2.0, 1e-3, q=q)
    assert np.abs(run.qd[-1]).max() < 1e-4
    landed = run.energy[int(np.argmax(run.contacts.touching.any(-1))) :]
    assert np.diff(landed).max() < 1e-6 * 3.0 * 9.81


def test_meshes_on_each_other_are_boxes(tmp_path):
    """A box that slides on another one and stops there, by its faces and as a convex mesh."""
    sizes, runs = {"low": (0.4, 0.3, 0.2), "high": (0.3, 0.2, 0.15)}, []
    for as_mesh in (False, True):
        bodies = []
        for name, size in sizes.items():
            corners = (np.array([*np.ndindex(2, 2, 2)]) - 0.5) * size
            hull = [mesh(tmp_path / f"{name}.obj", corners)] if as_mesh else None
            own = [ar.Box(size, mass=2.0)]
            bodies.append(ar.Body(name, ar.Free(), shapes=own, collision=hull))
        model = ar.Model(bodies)
        q, qd = model.neutral(), np.zeros(12)
        q[2], q[7:10], q[10:14] = 0.101, (0.03, 0.02, 0.277), (np.cos(0.2), 0.0, 0.0, np.sin(0.2))
        qd[9] = 0.5
        touch = [ar.contacts.Ground(friction=0.5), ar.contacts.Links(friction=0.5)]
        runs.append(ar.simulate(ar.Scene(model, touch), 0.3, 1e-3, q=q, qd=qd))
    boxes, meshes = runs
    np.testing.assert_allclose(meshes.q, boxes.q, atol=1e-6)
    assert boxes.q[-1, 7] > 0.05 and np.abs(meshes.qd[-1]).max() < 1e-4
    np.testing.assert_allclose(meshes.contacts.on("low")[-1], [0.0, 0.0, 2.0 * 9.81], atol=0.01)
