"""Colours, the camera that goes along, odd names, and what there is nothing to draw of."""

import numpy as np
import pytest

import arthron as ar
from arthron._view.camera import stage
from arthron._view.page_data import page_data
from arthron._view.recording import record
from arthron._view.solids import solids

pytest.importorskip("matplotlib", reason="no matplotlib installed")

ROBOT = """<robot name="r">
  <material name="rubber"><color rgba="0.2 0.2 0.2 1"/></material>
  <link name="base"><visual><geometry><box size="1 1 0.1"/></geometry>
    <material name="paint"><color rgba="1 0.5 0 1"/></material></visual></link>
  <link name="wheel"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><geometry><sphere radius="0.3"/></geometry><material name="rubber"/></visual>
    <visual><geometry><sphere radius="0.4"/></geometry>
      <material name="glass"><color rgba="0 0 1 0.25"/></material></visual>
    <visual><geometry><sphere radius="0.1"/></geometry></visual></link>
  <joint name="axle" type="continuous"><parent link="base"/><child link="wheel"/></joint>
</robot>"""
CORNERS = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"


def run_of(model, duration=0.1, step=0.01, **options):
    return ar.simulate(ar.Scene(model), duration, step, **options)


def ball(**options):
    return ar.Body("ball", ar.Free(), shapes=[ar.Sphere(0.1, **options)])


@pytest.fixture
def rolling(tmp_path):
    (tmp_path / "r.urdf").write_text(ROBOT)
    return run_of(ar.load(tmp_path / "r.urdf"))


def test_robots_keep_their_colours(rolling):
    shown = [(part.colour, part.opacity) for part in record(rolling).parts]
    paint, rubber, glass, chosen = shown
    assert paint == ((255, 128, 0), 1.0) and rubber == ((51, 51, 51), 1.0)
    assert glass == ((0, 0, 255), 0.25)
    assert chosen[1] == 1.0 and chosen[0] not in (paint[0], rubber[0], glass[0])
    told = [
        (tuple(part["color"]), part["opacity"]) for part in page_data(record(rolling))[0]["parts"]
    ]
    assert told == shown


def test_meshes_keep_their_colours(tmp_path):
    (tmp_path / "m.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    sides = "usemtl red\nf 1 3 2\nf 1 2 4\nusemtl blue\nf 2 3 4\nf 3 1 4\n"
    (tmp_path / "m.obj").write_text(f"mtllib m.mtl\n{CORNERS}{sides}")
    found = solids(ar.Mesh(tmp_path / "m.obj", (1, 1, 2)))
    assert {part.color: len(part.faces) for part in found} == {(1, 0, 0, 1): 2, (0, 0, 1, 1): 2}
    assert max(part.vertices[:, 2].max() for part in found) == 2.0
    painted = solids(ar.Mesh(tmp_path / "m.obj", color=(0, 1, 0)))
    assert {part.color for part in painted} == {(0.0, 1.0, 0.0, 1.0)}
    (tmp_path / "bare.obj").write_text(CORNERS + "f 1 3 2\n")
    assert [part.color for part in solids(ar.Mesh(tmp_path / "bare.obj"))] == [None]


def dae(unit):
    """A triangle of 1, 2 and 0 units, painted orange, as COLLADA has it."""
    source = (
        '<source id="p"><float_array id="a" count="9">0 0 0 1 0 0 0 2 0</float_array>'
        '<technique_common><accessor source="#a" count="3" stride="3"><param name="X" '
        'type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>'
        "</technique_common></source>"
    )
    return (
        '<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" '
        f'version="1.4.1"><asset><created>2020-01-01T00:00:00</created><modified>'
        f'2020-01-01T00:00:00</modified><unit name="u" meter="{unit}"/><up_axis>Z_UP</up_axis>'
        '</asset><library_effects><effect id="e"><profile_COMMON><technique sid="common"><lambert>'
        "<diffuse><color>1 0.5 0 1</color></diffuse></lambert></technique></profile_COMMON>"
        '</effect></library_effects><library_materials><material id="m"><instance_effect url="#e"/>'
        '</material></library_materials><library_geometries><geometry id="g"><mesh>'
        f'{source}<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>'
        '<triangles count="1" material="s"><input semantic="VERTEX" source="#v" offset="0"/>'
        "<p>0 1 2</p></triangles></mesh></geometry></library_geometries><library_visual_scenes>"
        '<visual_scene id="w"><node><instance_geometry url="#g"><bind_material><technique_common>'
        '<instance_material symbol="s" target="#m"/></technique_common></bind_material>'
        "</instance_geometry></node></visual_scene></library_visual_scenes><scene>"
        '<instance_visual_scene url="#w"/></scene></COLLADA>'
    )


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_collada_meshes_are_drawn(unit, tmp_path):
    pytest.importorskip("collada", reason="no pycollada installed")
    (tmp_path / "a.dae").write_text(dae(unit))
    [part] = solids(ar.Mesh(tmp_path / "a.dae", (1, 1, 1), placement=(0, 0, 3)))
    assert part.color == pytest.approx((1.0, 0.5, 0.0, 1.0), abs=0.01)
    assert np.allclose(part.vertices.max(0), (unit, 2 * unit, 3.0))


# The camera


def test_the_camera_goes_along_with_what_falls():
    run = run_of(ar.Model([ball()], name="ball"), 2.0, 0.01)
    film = record(run)
    fallen = film.poses[-1, 1, 2, 3]
    assert fallen < -19 and film.follows
    assert np.ptp(film.framed(), axis=0).max() < 0.21  # only the ball, all the time
    spots = stage(film).spots
    heights = film.poses[:, 1, 2, 3]
    assert np.allclose(spots[:, 2] + heights, fallen - 0.1, atol=0.01)  # the ground comes nearer
    assert spots[-1, 2] == pytest.approx(-0.1, abs=0.01)
    told = page_data(film)[0]
    assert told["follows"] and told["ground"] == pytest.approx(fallen - 0.1, abs=0.01)


def test_the_ground_passes_by_in_whole_squares():
    weightless = ar.Model([ball()], gravity=(0, 0, 0))
    run = run_of(weightless, 2.0, 0.01, qd=[0, 0, 0, 50.0, 20.0, 0])
    film = record(run)
    seen = stage(film)
    gone = (seen.spots + film.focus - seen.spots[0])[:, :2] / seen.section
    assert np.allclose(gone, np.round(gone), atol=1e-6) and np.abs(gone).max() > 100
    assert np.abs(seen.spots - seen.spots[0])[:, :2].max() < 1.01 * seen.section


@pytest.mark.parametrize("held", [False, True])
def test_what_nothing_holds_is_followed_sooner(held):
    """A figure that falls by its own height would fill half of the picture."""
    model = ar.Model([ar.Body("rod", ar.Free(), shapes=[ar.Capsule(0.1, 1)])])
    thread = [ar.forces.Spring((None, (0, 0, 1)), ("rod", (0, 0, 0)), 1e-3, 0.0)] if held else []
    scene = ar.Scene(model, thread)
    assert record(ar.simulate(scene, 0.5, 0.01), scene).follows != held


def test_the_camera_stays_when_all_can_be_seen():
    pendulum = ar.Body("rod", ar.Revolute("y"), shapes=[ar.Capsule(0.1, 1, placement=(0, 0, -0.5))])
    film = record(run_of(ar.Model([pendulum]), 1.0, q=[1.0]))
    assert not film.follows and np.array_equal(film.framed(), film.points())
    short = record(run_of(ar.Model([ball()]), 0.2))
    assert not short.follows


# Names


@pytest.mark.parametrize("name", [r"$\frac$", "_hip", "$", "a$b$c_{", "%s{}", "_", "a\nb", "關節"])
def test_names_are_plotted_as_they_are(name, tmp_path, recwarn):
    hinge = ar.Body(name, ar.Revolute("y"), shapes=[ar.Sphere(0.1, placement=(1, 0, 0))])
    run = run_of(ar.Model([hinge], name=name))
    figure = run.plot()
    assert [t.get_text() for t in figure.axes[1].get_legend().get_texts()] == [name]
    assert figure.get_suptitle().startswith(name)
    figure.clear()
    assert run.plot(tmp_path / "a.png").stat().st_size > 1000
    assert not [w for w in recwarn if "legend" in str(w.message)]


# Nothing to draw


def test_a_figure_with_all_joints_locked(tmp_path):
    model = ar.Model([ar.Body("rod", shapes=[ar.Box((1, 1, 1))])])
    run = run_of(model.lock("rod", [0.3]))
    assert run.plot(tmp_path / "a.png").exists() and len(run.plot().axes) == 1
    assert run.save_html(tmp_path / "a.html").exists()
    heavy = ar.Inertia.from_com(1.0, (0, 0, 1), np.eye(3).tolist())
    bare = ar.Model([ar.Body("rod", inertia=heavy)], name="bare").lock("rod", [0.3])
    with pytest.raises(
        ar.ModelError, match=r"`bare` has no joints and no shapes.*Give its bodies shapes"
    ):
        run_of(bare).save_html(tmp_path / "b.html")


@pytest.mark.parametrize("size", [1e200, 1e308, 1e20])
def test_what_is_too_large_to_be_drawn(size, tmp_path):
    shape = ar.Box((size, size, size), mass=0.0)
    one = ar.Inertia.from_com(1.0, (0, 0, 0), (1, 1, 1))
    model = ar.Model([ar.Body("a", inertia=one, shapes=[shape])], name="big")
    with pytest.raises(ar.ModelError, match=r"`big` reaches .* m, and views draw"):
        run_of(model).save_html(tmp_path / "a.html")


@pytest.mark.parametrize("shape", [ar.Sphere(1e200), ar.Cylinder(1e200, 1.0), ar.Capsule(1e200, 1)])
def test_mass_that_is_no_number(shape):
    with pytest.raises(ar.ModelError, match=r"radius = 1e\+200.*too large to be a number"):
        shape.inertia()


def test_the_longest_time(tmp_path):
    model = ar.Model([ball()])
    weightless = run_of(model.replace(gravity=(0, 0, 0)), 1e300, 1e299)
    assert weightless.save_html(tmp_path / "a.html").exists()
    assert weightless.plot(tmp_path / "a.png").exists()
