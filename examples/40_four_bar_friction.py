"""A four-bar linkage that swings; where its pins rub, the more the more they carry, it stops."""

import numpy as np

import arthron as ar

try:
    import daqp  # noqa: F401
except ImportError:
    raise SystemExit('friction in joints needs DAQP: `pip install "arthron[exact]"`') from None


def bar(name, parent, place, length):
    """A rod along x, with a hinge at its start."""
    along = ar.pose((length / 2, 0, 0), (0, np.pi / 2, 0))
    rod = ar.Capsule(0.03, length, mass=length, placement=along)
    return ar.Body(name, ar.Revolute("y"), parent, place, shapes=[rod])


linkage = ar.Model([
    bar("crank", None, (0, 0, 1), 0.3),
    bar("coupler", "crank", (0.3, 0, 0), 0.8),
    bar("rocker", None, (0.9, 0, 1), 0.6),
], name="four bar")  # fmt: skip
ends = ("coupler", (0.8, 0, 0)), ("rocker", (0.6, 0, 0))
pin = ar.constraints.Loop(*ends, ar.Revolute("y"), name="pin")
joints = ("crank", "coupler", "rocker", "pin")
rubs = [ar.contacts.JointFriction(joint, 0.5, radius=0.04) for joint in joints]
scene = ar.Scene(linkage, [pin, *rubs])
inside = ar.integrators.BilateralStaggeredProjections()
run = ar.simulate(scene, 0.8, 5e-3, start={"crank": 0.8}, integrator=inside)
smooth = ar.simulate(ar.Scene(linkage, [pin]), 0.8, 5e-3, start={"crank": 0.8})

speed, goes_on = run.qd[:, 0], smooth.qd[:, 0]
print("the crank turns, every tenth of a second [rad/s]:", speed[::20].round(2))
print("and without friction:", goes_on[::20].round(2))
assert (
    np.abs(speed[-20:]).max() < 1e-6 and goes_on[-1] < -1
)  # one stands where the other turns back
assert np.diff(run.energy).max() < 1e-4
