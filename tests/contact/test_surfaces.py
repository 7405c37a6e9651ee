"""Friction of links' own surfaces, from files and Python, and force plates under links."""

import numpy as np
import pytest

import arthron as ar
from arthron.errors import ModelError, ShapeError, SimulationError

G = 9.81
ROBOT = """<robot name="cart">
  <link name="cart">
    <inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="1 1 1"/></geometry></collision>
    <contact><lateral_friction value="0.25"/></contact>
  </link>
  <link name="flag"/>
  <link name="pole"/>
  <link name="rope"/>
  <joint name="a" type="fixed"><parent link="cart"/><child link="flag"/></joint>
  <joint name="b" type="fixed"><parent link="cart"/><child link="pole"/></joint>
  <joint name="c" type="fixed"><parent link="cart"/><child link="rope"/></joint>
  <gazebo reference="cart"><mu1>0.9</mu1></gazebo>
  <gazebo reference="flag"><mu1> 1e-1 </mu1><mu2>0.3</mu2></gazebo>
  <gazebo reference="pole"><mu1>slippery</mu1></gazebo>
  <gazebo reference="rope"><mu1>-1</mu1></gazebo>
</robot>"""


def coefficients(model):
    return {body.name: body.surface_friction for body in model.links}


def test_files_have_friction(tmp_path):
    (tmp_path / "cart.urdf").write_text(ROBOT)
    model = ar.load(tmp_path / "cart.urdf", root=ar.Free())
    expected = {"cart": 0.25, "flag": 0.1, "pole": None, "rope": None}
    assert coefficients(model) == expected
    bad, less = model.warnings
    assert 'contains "slippery"' in bad and "not used" in bad and ":16:" in bad
    assert "<mu1> of link 'rope' is -1" in less
    model.save_urdf(tmp_path / "again.urdf")
    assert coefficients(ar.load(tmp_path / "again.urdf")) == expected


def test_locked_links_keep_it():
    arm = ar.Model([ar.Body("arm", shapes=[ar.Sphere(0.1)], surface_friction=0.3)])
    assert coefficients(arm.lock(["arm"], arm.neutral())) == {"arm": 0.3}


@pytest.fixture(scope="module")
def blocks():
    """One of ice, and one that says nothing."""
    box = [ar.Box((0.4, 0.2, 0.2), mass=2.0)]
    return ar.Model(
        [
            ar.Body("ice", ar.Free(), shapes=box, surface_friction=0.1),
            ar.Body("wood", ar.Free(), shapes=box),
        ]
    )


def pushed(model, ground):
    """How blocks that slide become slower [m/s^2]."""
    q, qd = model.neutral(), np.zeros(12)
    q[[1, 2, 9]], qd[[3, 9]] = (1.0, 0.1, 0.1), 2.0
    run = ar.simulate(ar.Scene(model, [ground]), 0.1, 1e-3, q=q, qd=qd)
    return run, (qd - run.qd[-1])[[3, 9]] / 0.1


def test_links_slide_by_their_own(blocks):
    own = ar.contacts.Ground()
    run, rates = pushed(blocks, own)
    np.testing.assert_allclose(rates, [0.1 * G, 0.8 * G], rtol=1e-3)
    np.testing.assert_allclose(pushed(blocks, ar.contacts.Ground(0.5))[1], 0.5 * G, rtol=1e-3)
    each = ar.contacts.Ground((0.2, 0.4), of=("wood", "ice"))
    np.testing.assert_allclose(pushed(blocks, each)[1], [0.4 * G, 0.2 * G], rtol=1e-3)
    smooth = ar.contacts.SmoothGround(slow=0.01)
    np.testing.assert_allclose(pushed(blocks, smooth)[1], [0.1 * G, 0.8 * G], rtol=0.05)
    assert ar.Scene(blocks, [own]).parameters()["Ground.friction"].shape == (2,)
    np.testing.assert_allclose(run.contacts.on("ice")[-1], [-0.2 * G, 0.0, 2.0 * G], rtol=1e-3,
                               atol=1e-6)  # fmt: skip


@pytest.mark.parametrize(("above", "below", "expected"), [
    (0.1, 0.4, 0.1), (0.4, 0.1, 0.1), (None, 0.3, 0.3), (0.3, None, 0.3), (None, None, 0.8),
])  # fmt: skip
def test_links_slide_on_each_other_by_both(above, below, expected):
    """The smaller one of two, the other one's where one has none; beside a pair that differs."""
    floor = ar.Body("floor", ar.Fixed(), shapes=[ar.Plane()], surface_friction=below)
    box = [ar.Box((0.4, 0.2, 0.2), mass=2.0)]
    slides = ar.Body("slides", ar.Free(), shapes=box, surface_friction=above)
    other = ar.Body("other", ar.Free(), shapes=box, surface_friction=0.05)
    model = ar.Model([floor, slides, other])
    q, qd = model.neutral(), np.zeros(12)
    q[[2, 8, 9]], qd[[3, 9]] = (0.1, 1.0, 0.1), 2.0
    scene = ar.Scene(model, [ar.contacts.Links()])
    run = ar.simulate(scene, 0.1, 1e-3, q=q, qd=qd)
    rates = (qd - run.qd[-1])[[3, 9]] / 0.1
    np.testing.assert_allclose(rates, [expected * G, 0.05 * G], rtol=1e-3)
    one = ar.simulate(scene, 0.1, 1e-3, q=q, qd=qd, parameters={"Links.friction": 0.2})
    np.testing.assert_allclose((qd - one.qd[-1])[[3, 9]] / 0.1, 0.2 * G, rtol=1e-3)


def test_what_friction_is_refused(blocks):
    with pytest.raises(
        ModelError, match=r"`friction` of the Links is \[0\.1, 0\.2\].*Give one num"
    ):
        ar.contacts.Links(friction=[0.1, 0.2])
    with pytest.raises(ModelError, match=r"`friction` of the Links is 'ice'\. Give finite numbers"):
        ar.contacts.Links(friction="ice")
    with pytest.raises(ModelError, match="`restitution` of the Links is None"):
        ar.contacts.Links(restitution=None)
    with pytest.raises(ModelError, match=r"`surface_friction` of body 'a' is -1.0.*zero or more"):
        ar.Body("a", surface_friction=-1.0)
    with pytest.raises(ModelError, match=r"`friction` of the Ground is -0\.1"):
        ar.contacts.Ground(-0.1)
    with pytest.raises(ModelError, match="has 3 coefficients of friction for 2 links"):
        ar.Scene(blocks, [ar.contacts.Ground((0.1, 0.2, 0.3))])


def test_force_plates():
    """A block that is heavier at one end: its pressure is under its centre of mass."""
    parts = [ar.Box((1.0, 0.2, 0.2), mass=2.0), ar.Sphere(0.05, mass=1.0, placement=(0.3, 0.05, 0))]
    model = ar.Model([ar.Body("block", ar.Free(), shapes=parts, collision=parts[:1])])
    q = model.neutral()
    q[:3] = 1.0, 2.0, 0.1
    plate = ar.simulate(ar.Scene(model, [ar.contacts.Ground()]), 0.2, 1e-3, q=q).contacts
    com = np.array([1.0 + 0.3 / 3.0, 2.0 + 0.05 / 3.0, 0.0])
    np.testing.assert_allclose(plate.center_of_pressure("block")[-1], com, atol=1e-6)
    assert np.isnan(plate.center_of_pressure(["block"])[0]).all()
    np.testing.assert_allclose(plate.wrench("block", com)[-1], [0, 0, 0, 0, 0, 3 * G], atol=1e-4)
    np.testing.assert_allclose(plate.wrench("block")[..., 3:], plate.on("block"))
    moment = np.cross(com, [0.0, 0.0, 3.0 * G])
    np.testing.assert_allclose(plate.wrench(["block"])[-1, :3], moment, atol=1e-4)
    with pytest.raises(SimulationError, match="no link 'blok' has points of contact"):
        plate.center_of_pressure("blok")
    moved = com + np.linspace(0.0, 1.0, len(plate.force))[:, None] * [1.0, 0.0, 0.0]
    each = plate.wrench("block", moved)
    np.testing.assert_allclose(each[100], plate.wrench("block", moved[100])[100])
    np.testing.assert_allclose(each[-1], [0, 3 * G, 0, 0, 0, 3 * G], atol=1e-4)
    for bad in ((0, 0), "b", np.zeros((4, 3))):
        with pytest.raises(ShapeError, match=r"`about` (is|has shape) .*three numbers"):
            plate.wrench("block", bad)
    for name in (None, 3, ("block", 3)):
        with pytest.raises(SimulationError, match=r"`link` is .*Give the name of a link"):
            plate.on(name)


@pytest.mark.parametrize("contact", [ar.contacts.Ground(of="low"), ar.contacts.Links()])
def test_links_that_touch_nothing_have_no_force(contact, tmp_path):
    """Those without points too, as long as the model has them."""
    box = [ar.Box((0.2, 0.2, 0.2), mass=1.0)]
    model = ar.Model(
        [ar.Body("low", ar.Free(), shapes=box), ar.Body("high", ar.Free(), shapes=box)]
    )
    q = model.neutral()
    q[2], q[9] = 0.1, 5.0
    run = ar.simulate(ar.Scene(model, [contact]), 0.01, 1e-3, q=q)
    back = ar.load_trajectory(run.save(tmp_path / "run.arthron"), model)
    for contacts in (run.contacts, back.contacts):
        assert not contacts.on("high").any() and contacts.on("high").shape == (11, 3)
        assert not contacts.wrench("high").any()
        assert np.isnan(contacts.center_of_pressure("high")).all()
        with pytest.raises(SimulationError, match=r"no link 'hi' has points.*Nearest: 'high'"):
            contacts.on("hi")


def test_runs_without_contact_say_so(blocks):
    run = ar.simulate(ar.Scene(blocks, [ar.contacts.SmoothGround()]), 0.01, 1e-3)
    assert run.touched is None
    with pytest.raises(SimulationError, match=r"no `contacts`.*SmoothGround"):
        _ = run.contacts
