"""Friction inside joints of all kinds, and loops, against closed forms."""

import numpy as np
import pytest

import arthron as ar
from arthron.contacts import JointFriction
from arthron.integrators import BilateralStaggeredProjections

pytest.importorskip("daqp")

G, MU, RADIUS, MASS, H = 9.81, 0.1, 0.02, 1.5, 1e-3
LIMIT = MU * RADIUS * MASS * G
"""Torque of friction of a pin or ball under this weight, while the weight is along a point."""


def balanced(joint) -> ar.Scene:
    """A box whose weight is on its joint, which is at its centre and has friction inside."""
    box = ar.Body("box", joint, shapes=[ar.Box((0.3, 0.4, 0.2), mass=MASS)])
    inside = JointFriction("box", MU, RADIUS, 0.1, (0.4, 0.1, 0.1))
    return ar.Scene(ar.Model([box]), [inside])


def run(scene: ar.Scene, duration: float, **start) -> ar.Trajectory:
    method = BilateralStaggeredProjections()
    return ar.simulate(scene, duration, H, integrator=method, progress=False, **start)


INERTIA = {"x": MASS * (0.4**2 + 0.2**2) / 12.0, "y": MASS * (0.3**2 + 0.2**2) / 12.0}
TURNING = [
    pytest.param(ar.Revolute("y"), 0, "y", id="revolute"),
    pytest.param(ar.Universal("x", "y"), 0, "x", id="universal, first pin"),
    pytest.param(ar.Universal("x", "y"), 1, "y", id="universal, second pin"),
    pytest.param(ar.Euler("xyz"), 0, "x", id="ball"),
]


@pytest.mark.parametrize(("joint", "k", "axis"), TURNING)
def test_what_turns_is_slowed_by_friction_times_radius_times_load(joint, k, axis):
    """Points turn with the link: two of four share the weight between them."""
    qd = np.zeros(joint.nv)
    qd[k] = 5.0
    found = run(balanced(joint), 0.04, qd=qd)
    angle = found.q[:-1, k]
    torque = LIMIT * (np.abs(np.cos(angle)) + np.abs(np.sin(angle)))
    assert np.abs(-np.diff(found.qd[:, k]) * INERTIA[axis] / H / torque - 1.0).max() < 1e-6
    assert np.abs(np.delete(found.qd, k, 1)).max(initial=0.0) < 1e-9


@pytest.mark.parametrize(("joint", "k", "axis"), TURNING)
def test_what_stands_turns_when_a_torque_is_above_the_limit(joint, k, axis):
    tau = np.zeros(joint.nv)
    tau[k] = 0.99 * LIMIT
    assert np.abs(run(balanced(joint), 0.01, tau=tau).qd).max() < 1e-9
    tau[k] = 1.01 * LIMIT
    rate = run(balanced(joint), 0.01, tau=tau).qd[-1, k]
    assert abs(rate * INERTIA[axis] / (0.01 * 0.01 * LIMIT) - 1.0) < 1e-4


def test_a_ball_turns_freely_about_its_load():
    """Points that carry a weight are on the axis that it is along."""
    found = run(balanced(ar.Spherical()), 0.02, qd=[0.0, 0.0, 5.0])
    assert np.abs(found.qd - [0.0, 0.0, 5.0]).max() < 1e-9


@pytest.mark.parametrize("angle", [0.9 * np.arctan(MU), 0.3])
def test_a_slider_on_a_slope(angle):
    """It sticks below the angle of friction, and slides above it as a block does."""
    down = {"gravity": G * np.array([np.sin(angle), 0.0, -np.cos(angle)])}
    found = run(balanced(ar.Prismatic("x")), 0.02, parameters=down)
    wanted = max(0.0, G * (np.sin(angle) - MU * np.cos(angle)))
    assert abs(found.qd[-1, 0] / 0.02 - wanted) < 1e-9


@pytest.mark.parametrize("arm", [0.1, 0.5])
def test_a_slider_jams_under_a_couple(arm):
    """A weight that hangs off by more than half its length loads both ends: friction of 2 W d/L."""
    weight = [ar.Box((0.1, 0.1, 0.1), mass=MASS, placement=(arm, 0.0, 0.0))]
    model = ar.Model([ar.Body("box", ar.Prismatic("x"), shapes=weight)])
    inside = JointFriction("box", MU, sides=(0.4, 0.1, 0.1))
    found = run(ar.Scene(model, [inside]), 0.02, qd=[1.0])
    load = G * max(1.0, 2.0 * arm / 0.4)
    assert abs((1.0 - found.qd[-1, 0]) / 0.02 - MU * load) < 1e-9


def test_friction_inside_a_loop_is_that_of_a_joint():
    """A pendulum on its joint, and a free body that a loop holds in the same place."""
    rod = [ar.Capsule(0.03, 0.4, mass=MASS, placement=(0.05, 0.0, -0.2))]
    hung, held = (ar.Model([ar.Body("rod", joint, shapes=rod)])
                  for joint in (ar.Revolute("y"), ar.Free()))  # fmt: skip
    pin = ar.constraints.Loop(("rod", (0, 0, 0)), (None, (0, 0, 0)), ar.Revolute("y"), name="pin")
    inside = [JointFriction(name, 0.5, 0.05, 0.1) for name in ("rod", "pin")]
    turning = [0.0, 2.0, 0.0, 0.0, 0.0, 0.0]
    one = run(ar.Scene(hung, inside[:1]), 0.1, qd=[2.0])
    other = run(ar.Scene(held, [pin, inside[1]]), 0.1, qd=turning)
    free = run(ar.Scene(held, [pin]), 0.1, qd=turning)
    rates = one.qd[:, 0]
    assert np.abs(other.qd[:, 1] - rates).max() < 1e-9
    assert np.abs(free.qd[:, 1] - rates).max() > 0.2
    assert np.abs(other.q[:, :3]).max() < 1e-9


def rod(to, mass):
    """A thin rod from the origin to a point."""
    x, y, z = to
    length = float(np.linalg.norm(to))
    turn = (0.0, np.arccos(z / length), np.arctan2(y, x))
    return [ar.Capsule(0.02, length, mass=mass, placement=ar.pose(tuple(0.5 * to), turn))]


def four_links(cut: str, friction: tuple[float, float]) -> ar.Scene:
    """A crank, a coupler on a universal joint, a rocker at it by a ball: a loop, cut somewhere."""
    elbow, ball, foot = map(np.array, ((0.2, 0.0, 0.1), (0.3, 0.6, 0.3), (0.5, 0.7, 0.0)))
    along = ball - elbow
    crank = ar.Body("crank", ar.Revolute("z"), shapes=rod(elbow, 0.5))
    coupler = ar.Body("coupler", ar.Universal("x", "y"), "crank", elbow, shapes=rod(along, 1.0))
    if cut == "ball":
        rocker = ar.Body("rocker", ar.Revolute("x"), None, foot, shapes=rod(ball - foot, 0.7))
        ends = ("coupler", along), ("rocker", ball - foot)
        joint, inside = ar.Spherical(), ("coupler", "loop")
    else:
        rocker = ar.Body("rocker", ar.Spherical(), "coupler", along, shapes=rod(foot - ball, 0.7))
        ends = ("rocker", foot - ball), (None, foot)
        joint, inside = ar.Revolute("x"), ("coupler", "rocker")
    loop = ar.constraints.Loop(*ends, joint, name="loop")
    motor = ar.forces.JointTorque("crank", lambda q, qd, t: 8.0)
    each = zip(inside, friction, strict=True)
    rubs = [JointFriction(name, mu, 0.05, 0.1) for name, mu in each]
    return ar.Scene(ar.Model([crank, coupler, rocker]), [loop, motor, *rubs])


def test_friction_inside_a_loop_is_the_same_wherever_it_is_cut():
    """Of a universal joint in the tree, and of a ball that is in it or closes the loop."""
    free = run(four_links("ball", (0.0, 0.0)), H).qd[-1, :3]
    for friction in ((0.1, 0.0), (0.0, 0.1), (0.1, 0.1)):
        ends = [run(four_links(cut, friction), H) for cut in ("ball", "hinge")]
        rates = [one.qd[-1, :3] for one in ends]  # of crank and universal joint, in the same step
        assert max(one.residual.max() for one in ends) < 1e-9
        np.testing.assert_allclose(*rates, rtol=1e-9)
        assert np.abs(rates[0][0] / free[0]) < 0.99


@pytest.mark.parametrize(
    ("joint", "name"), [(ar.Free(), "Free"), (ar.Helical("x", 0.1), "Helical")]
)
def test_other_joints_have_no_points(joint, name):
    with pytest.raises(ar.SimulationError, match=f"which is a {name}.*revolute, prismatic"):
        run(balanced(joint), 0.01)
