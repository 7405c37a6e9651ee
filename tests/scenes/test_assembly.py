"""Rough starts are closed: nearest to what was given, what was named kept, failures told."""

import functools

import numpy as np
import pytest

import arthron as ar
from arthron.constraints import Coupling, Loop

GROUND, CRANK, COUPLER, ROCKER = 0.9, 0.3, 0.8, 0.6


def bar(name, parent, at, length, axis="y"):
    rod = ar.Capsule(0.02, length, mass=length, placement=ar.pose((length / 2, 0, 0), (0, 1.57, 0)))
    return ar.Body(name, ar.Revolute(axis), parent, at, shapes=[rod])


@functools.cache
def four_bar(coupler=COUPLER):
    model = ar.Model([
        bar("crank", None, (0, 0, 0), CRANK),
        bar("coupler", "crank", (CRANK, 0, 0), coupler),
        bar("rocker", None, (GROUND, 0, 0), ROCKER),
    ])  # fmt: skip
    pin = Loop(
        ("coupler", (coupler, 0, 0)), ("rocker", (ROCKER, 0, 0)), ar.Revolute("y"), name="pin"
    )
    return ar.Scene(model, [pin])


def closed_form(crank):
    """Angles of coupler and rocker about -y from the x axis, with the pin above the ground."""
    x, z = CRANK * np.cos(crank), CRANK * np.sin(crank)
    far = np.hypot(GROUND - x, z)
    lean = np.arctan2(-z, GROUND - x)
    at_crank = np.arccos((far**2 + COUPLER**2 - ROCKER**2) / (2 * far * COUPLER))
    coupler = lean + at_crank
    rocker = np.arctan2(z + COUPLER * np.sin(coupler), x + COUPLER * np.cos(coupler) - GROUND)
    return coupler, rocker


def turn(x):
    return np.arctan2(np.sin(x), np.cos(x))


def test_a_four_bar_has_the_angles_of_its_closed_form():
    """All round, from one rough pose; and as fast as differences of the closed form say."""
    crank = np.linspace(0.0, 2 * np.pi, 24, endpoint=False)
    coupler, rocker = closed_form(crank)
    near = np.stack([0.0 * crank, crank - coupler + 0.3, -rocker - 0.2], -1)
    found = four_bar().assemble({"crank": -crank, "qd": {"crank": -1.0}}, near=near)
    q, qd = found["q"], found["qd"]
    np.testing.assert_allclose(q[:, 0], -crank, atol=1e-15)
    np.testing.assert_allclose(turn(-q[:, 0] - q[:, 1] - coupler), 0.0, atol=1e-12)
    np.testing.assert_allclose(turn(-q[:, 2] - rocker), 0.0, atol=1e-12)
    ahead, behind = (np.array(closed_form(crank + h)) for h in (1e-5, -1e-5))
    rates = (ahead - behind) / 2e-5
    np.testing.assert_allclose([-qd[:, 0] - qd[:, 1], -qd[:, 2]], rates, rtol=1e-8, atol=1e-8)


def test_what_start_names_is_kept_and_the_rest_follows():
    run = ar.simulate(four_bar(), 0.01, 1e-3, start={"crank": -1.0, "qd": {"crank": 2.0}})
    assert run.q[0, 0] == -1.0 and run.qd[0, 0] == 2.0
    assert np.abs(four_bar().assemble(q=run.q[0], qd=run.qd[0])["q"] - run.q[0]).max() < 1e-14


def opened(scene, q, h=1e-3, **more):
    """How far the pin is open where a simulation begins."""
    start = ar.simulate(scene, h, h, q=q, **more).q[..., 0, :]
    ends = (("coupler", COUPLER), ("rocker", ROCKER))
    one, two = (scene.model.frame_pose(start, name) @ [x, 0, 0, 1] for name, x in ends)
    return start, np.linalg.norm(one - two, axis=-1)


def test_states_that_steps_left_stay_and_rough_ones_are_closed():
    """Row by row; a pose without velocities is rough, and so is what is off by more than steps."""
    scene, h = four_bar(), 1e-3
    run = ar.simulate(scene, 0.1, h, start={"crank": -1.0, "qd": {"crank": 5.0}},
                      integrator="explicit Euler")  # fmt: skip
    (left, fast), nearby = (run.q[-1], run.qd[-1]), run.q[-1] + [0, 2e-3, 0]
    q, gap = opened(scene, [left, nearby, run.q[-2]], h, qd=[fast, fast, run.qd[-2]])
    np.testing.assert_array_equal(q[[0, 2]], run.q[[-1, -2]])
    assert gap[0] > 1e-7 and gap[1] < 1e-12 < np.abs(q[1] - nearby).max()
    assert opened(scene, left, h)[1] < 1e-12
    assert opened(scene, left, 1e-2 * h, qd=fast)[1] < 1e-12
    assert opened(scene, nearby + 1e-2, 1e-1, qd=fast)[1] < 1e-12


def test_what_cannot_be_kept_is_told():
    with pytest.warns(ar.SimulationWarning, match="has joint '(crank|rocker)' where"):
        run = ar.simulate(four_bar(), 0.01, 1e-3, start={"crank": -1.0, "rocker": -0.4})
    moved = np.abs(run.q[0, [0, 2]] - [-1.0, -0.4])
    assert moved.max() > 1e-3
    with pytest.warns(ar.SimulationWarning, match="has joint '(crank|rocker)' as fast as"):
        four_bar().assemble({"crank": -1.0, "qd": {"crank": 2.0, "rocker": 2.0}})


def test_a_loop_that_cannot_close_is_named():
    """The neutral pose is in line, from where no small motion leads on."""
    assert four_bar().assemble()["q"].any()
    with pytest.raises(ar.SimulationError, match=r"the Loop 'pin' stays 0\.2 m open at the start"):
        ar.simulate(four_bar(2.0), 0.01, 1e-3)


def test_constraints_that_pull_against_each_other_are_both_named():
    model = ar.Model([bar("one", None, (0, 0, 0), 0.3), bar("two", None, (0, 0, 0), 0.3)])
    pairs = [Coupling(("one", "two"), (1, -1), x, name=f"by {x}") for x in (0.0, 0.3)]
    match = (
        r"'by 0.0' and the Coupling 'by 0.3' stay up to 0\.15 .* closes them together\. .* sizes"
    )
    with pytest.raises(ar.SimulationError, match=match):
        ar.Scene(model, pairs).assemble()


def test_a_hinge_the_wrong_way_round_is_named():
    scene = four_bar()
    (pin,) = scene.elements
    upside_down = ar.pose((ROCKER, 0, 0), (np.pi, 0, 0))
    wrong = Loop(pin.a, ("rocker", upside_down), ar.Revolute("y"), name="pin")
    with pytest.raises(ar.SimulationError, match="the Loop 'pin' stays half a turn open"):
        ar.Scene(scene.model, [wrong]).assemble({"crank": -1.0})


def test_a_place_that_is_open_is_where_the_start_has_it():
    scene = four_bar()
    (pin,) = scene.elements
    q = scene.assemble({"crank": -1.0})["q"]
    open_pin = Loop(pin.a, ("rocker", None), ar.Revolute("y"), name="pin")
    run = ar.simulate(ar.Scene(scene.model, [open_pin]), 0.01, 1e-3, q=q)
    np.testing.assert_allclose(run.parameters["pin.b"][3], (ROCKER, 0, 0), atol=1e-12)
    same = ar.simulate(scene, 0.01, 1e-3, q=q)
    np.testing.assert_allclose(run.q, same.q, atol=1e-12)


def test_joints_without_closed_form_are_found_from_afar():
    """A bead on a curve: its coordinate is a state of the loop, right along the way."""
    joint = ar.SplineCurve([(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 2)])
    model = ar.Model([ar.Body("bead", ar.Free(), shapes=[ar.Box((0.2, 0.1, 0.3), mass=1.0)])])
    scene = ar.Scene(model, [Loop((None, (0, 0, 0)), ("bead", (0.0, 0, 0.1)), joint, name="bead")])
    built = ar.Model(
        [
            ar.Body("slide", joint),
            ar.Body(
                "bead",
                ar.Fixed(),
                "slide",
                (0, 0, -0.1),
                shapes=[ar.Box((0.2, 0.1, 0.3), mass=1.0)],
            ),
        ]
    )
    rough = np.array([1.1, 0.9, 0.6, 1.0, 0.0, 0.0, 0.0])
    run = ar.simulate(scene, 0.5, 0.25, q=rough, integrator=ar.integrators.RungeKutta(1e-11))
    at = np.array(run.states["bead.q"])
    other = ar.simulate(ar.Scene(built), 0.5, 0.25, q=at[0],
                        integrator=ar.integrators.RungeKutta(1e-11))  # fmt: skip
    np.testing.assert_allclose(at[:, 0], other.q[:, 0], atol=1e-6)
    np.testing.assert_allclose(
        model.body_poses(run.q)[:, 0], built.frame_pose(at, "bead"), atol=1e-7
    )


def test_inverse_kinematics_with_a_loop():
    """The middle of the coupler at a place it can reach, with the loop closed."""
    scene = four_bar()
    model, middle = scene.model, (0.4, 0.0, 0.05)
    q = scene.assemble({"crank": [-1.0, -2.0]}, near=[0.0, -0.5, -1.9])["q"]
    T = model.frame_pose(q, "coupler")
    goal = T[:, :3, :3] @ middle + T[:, :3, 3]
    targets = [ar.ik.Point("coupler", goal, middle), ar.ik.Closed(scene.elements[0])]
    found = ar.ik.solve(model, targets, start=q + 0.2, restarts=0)
    assert found.solved.all()
    np.testing.assert_allclose(turn(found.q - q), 0.0, atol=1e-5)
    with pytest.raises(ar.ModelError, match="start of a simulation decides"):
        ar.ik.solve(
            model, [ar.ik.Closed(Loop(("coupler", (0, 0, 0)), ("rocker", None), ar.Fixed()))]
        )


def test_poses_within_limits_come_before_nearer_ones():
    """The crank keeps what was named; the rocker is on the side that its limits have."""
    base = four_bar()
    bodies = [ar.Body(b.name, b.joint, b.parent, b.placement, shapes=b.shapes,
                      **({"lower": 0.5, "upper": 2.5} if b.name == "rocker" else {}))
              for b in base.model.bodies]  # fmt: skip
    scene = ar.Scene(ar.Model(bodies), base.elements)
    found = scene.assemble({"crank": [-1.0, -0.6]})["q"]
    np.testing.assert_array_equal(found[:, 0], [-1.0, -0.6])
    assert (0.5 <= found[:, 2]).all() and (found[:, 2] <= 2.5).all()
    with pytest.warns(ar.SimulationWarning, match=r"beyond its limits, .*near="):
        scene.assemble({"rocker": -2.0}, near=[-1.0, 0.9, 0])
