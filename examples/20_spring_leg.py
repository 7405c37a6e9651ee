"""A leg after Cassie's: springs at shin and heel, a rod behind the knee and one at the foot."""

import numpy as np

import arthron as ar
from arthron import forces
from arthron.constraints import Loop

LINKS = {  # what each hangs on and where, where it ends from there on, and its mass
    "thigh": (None, (0, 0, 1), (0, 0, -0.4), 4.0),
    "knee": ("thigh", (0, 0, -0.4), (0.06, 0, -0.05), 0.8),
    "shin": ("knee", (0.06, 0, -0.05), (0.2, 0, -0.35), 0.6),
    "tarsus": ("shin", (0.2, 0, -0.35), (-0.25, 0, -0.3), 0.8),
    "heel": ("tarsus", (0, 0, 0), (0.1, 0, 0.02), 0.1),
    "crank": ("tarsus", (-0.05, 0, -0.06), (-0.08, 0, 0), 0.1),
    "foot": ("tarsus", (-0.25, 0, -0.3), (-0.14, 0, -0.03), 0.2),
    "achilles": ("thigh", (0, 0, -0.05), (0.36, 0, -0.73), 0.2),
    "plantar": ("crank", (-0.08, 0, 0), (-0.19, 0, -0.255), 0.1),
}
bodies, pin = [], ar.Revolute("y")
for name, (parent, at, end, mass) in LINKS.items():
    middle = ar.pose(np.divide(end, 2), (0, np.arctan2(end[0], end[2]), 0))
    shapes = [ar.Capsule(0.015, np.linalg.norm(end), mass=mass, placement=middle)]
    bodies.append(ar.Body(name, pin, parent, at, shapes=shapes, damping=0.2))
leg = ar.Model(bodies, name="leg")
springs = [forces.JointSpring(name, 1500.0, 1.0, rest=0.0) for name in ("shin", "heel")]
motor = forces.JointSpring("crank", 20.0, 1.0, rest=0.0)
knee = Loop(("achilles", (0.36, 0, -0.73)), ("heel", (0.1, 0, 0.02)), pin, name="at the heel")
foot = Loop(("plantar", (-0.19, 0, -0.255)), ("foot", (-0.07, 0, -0.015)), pin)

# knee and tarsus now move together, the motor holds the foot, and springs give way a little
run = ar.simulate(ar.Scene(leg, [*springs, motor, knee, foot]), 2.0, 1e-3, start={"thigh": -0.3})
print("knee, shin and tarsus turn by", np.degrees(np.ptp(run.q[:, 1:4], 0)).round(1), "degrees")
print(f"the pin at the heel carries up to {np.abs(run.multipliers['at the heel']).max():.0f} N")
ends = [leg.frame_pose(run.q, name) @ (*LINKS[name][2], 1) for name in ("achilles", "heel")]
assert np.abs(ends[0] - ends[1]).max() < 1e-5
