"""A delta robot: three arms, and at each two parallel rods that keep the platform level."""

import numpy as np

import arthron as ar
from arthron import forces
from arthron.constraints import Loop

BASE, ARM, ROD, TOP, WIDE = 0.2, 0.3, 0.7, 0.06, 0.05


def bar(length, mass):
    """Along x, from the joint on."""
    lying = ar.pose((length / 2, 0, 0), (0, np.pi / 2, 0))
    return [ar.Capsule(0.01, length, mass=mass, placement=lying)]


base = ar.Body("base", ar.Fixed(), shapes=[ar.Cylinder(BASE, 0.02, mass=2.0)])
platform = ar.Body("platform", ar.Free(), shapes=[ar.Cylinder(0.07, 0.02, mass=0.3)])
across = ar.Capsule(0.01, 2 * WIDE, mass=0.05, placement=ar.pose((ARM, 0, 0), (np.pi / 2, 0, 0)))
bodies, loops, arms = [base, platform], [], ["arm 0", "arm 1", "arm 2"]
for arm, turn in zip(arms, 2 * np.pi * np.arange(3) / 3, strict=True):
    c, s = np.cos(turn), np.sin(turn)
    foot = ar.pose((BASE * c, BASE * s, 0), (0, 0, turn))
    bodies.append(ar.Body(arm, ar.Revolute("y"), "base", foot, shapes=[*bar(ARM, 0.2), across]))
    for rod, y in ((f"{arm} left", WIDE), (f"{arm} right", -WIDE)):
        elbow, corner = ar.pose((ARM, y, 0), (0, 1.5, 0)), (TOP * c - y * s, TOP * s + y * c, 0)
        bodies.append(ar.Body(rod, ar.Universal("y", "z"), arm, elbow, shapes=bar(ROD, 0.05)))
        loops.append(Loop((rod, (ROD, 0, 0)), ("platform", corner), ar.Spherical()))
delta = ar.Model(bodies, name="delta")

# where arms and rods have to be for two places of the platform: what is not named follows
places = np.array([[0.0, 0.0, -0.55, 1, 0, 0, 0], [0.1, 0.05, -0.65, 1, 0, 0, 0]])
here, there = ar.Scene(delta, loops).assemble({"platform": places})["q"]
tau = ar.Scene(delta, loops).inverse_dynamics(np.zeros(delta.nv), q=there, motors=arms)

# motors that are springs take it from the first place to the second, and hold it
rest = {arm: there[delta.slice_q(arm)] + tau[delta.slice_qd(arm)] / 60.0 for arm in arms}
motors = [forces.JointSpring(arm, 60.0, 3.0, rest=float(x[0])) for arm, x in rest.items()]
run = ar.simulate(ar.Scene(delta, loops + motors), 2.0, 1e-3, q=here)
off = np.abs(run["platform"].q[-1] - places[1]).max()
print(f"{off:.0e} m away from its place, held by {tau[tau != 0].round(2)} N m")
assert off < 1e-6
