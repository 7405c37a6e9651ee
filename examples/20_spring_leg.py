"""A leg after Cassie's: springs at shin and heel, a rod behind the knee and one at the foot."""

import numpy as np

import arthron as ar
from arthron import forces
from arthron.constraints import Distance


def bar(x, z, mass):
    """From the joint to a point of the plane in which the leg moves."""
    length, turn = np.hypot(x, z), np.arctan2(x, z)
    return [ar.Capsule(0.02, length, mass=mass, placement=ar.pose((x / 2, 0, z / 2), (0, turn, 0)))]


Y = ar.Revolute("y")
leg = ar.Model(
    [
        ar.Body("thigh", Y, None, (0, 0, 1), shapes=bar(0, -0.4, 4.0), damping=1.0),
        ar.Body("knee", Y, "thigh", (0, 0, -0.4), shapes=bar(0.06, -0.05, 0.8), damping=1.0),
        ar.Body("shin", Y, "knee", (0.06, 0, -0.05), shapes=bar(0.2, -0.35, 0.6)),
        ar.Body("tarsus", Y, "shin", (0.2, 0, -0.35), shapes=bar(-0.25, -0.3, 0.8)),
        ar.Body("heel", Y, "tarsus", (0, 0, 0), shapes=bar(0.1, 0.02, 0.1)),
        ar.Body("crank", Y, "tarsus", (-0.05, 0, -0.06), shapes=bar(0.05, 0, 0.1), damping=0.3),
        ar.Body("foot", Y, "tarsus", (-0.25, 0, -0.3), shapes=bar(0.1, -0.03, 0.2)),
    ],
    name="leg",
)
springs = [forces.JointSpring(name, 1500.0, 2.0, rest=0.0) for name in ("shin", "heel")]
rods = [
    Distance(("thigh", (0.0, 0, -0.05)), ("heel", (0.1, 0, 0.02)), name="achilles"),
    Distance(("crank", (0.05, 0, 0)), ("foot", (0.05, 0, 0.02)), name="plantar"),
]
scene = ar.Scene(leg, [*springs, *rods])

# rods are as long as at the start; knee and tarsus now move together, springs give way
run = ar.simulate(scene, 2.0, 1e-3, start={"thigh": -0.3}, progress=False)
T = {name: leg.frame_pose(run.q, name) for name in ("thigh", "heel", "crank", "foot")}
for each in rods:
    (a, p), (b, r) = each.a, each.b
    one, two = (T[n][:, :3, :3] @ x + T[n][:, :3, 3] for n, x in ((a, p), (b, r)))
    length = np.linalg.norm(one - two, axis=-1)
    print(
        f"{each.name}: {length[0]:.4f} m, off by {np.abs(length - length[0]).max():.0e} m at most"
    )
    assert np.abs(length - length[0]).max() < 1e-4
print(f"shin spring bends by up to {np.degrees(np.abs(run['shin'].q).max()):.1f} degrees")
