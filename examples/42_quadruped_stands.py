"""A quadruped stands on springs in its joints: `pip install example-robot-data` brings the A1."""

import sysconfig
from pathlib import Path

import numpy as np

import arthron as ar

ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
robot = ar.load(ROBOTS / "a1_description/urdf/a1.urdf", root=ar.Free())
q = robot.neutral()
q[7:] = [0.0, 0.8, -1.6] * 4  # hip, thigh and calf of each leg
feet = [f"{leg}_foot" for leg in ("FL", "FR", "RL", "RR")]
q[2] = 0.02 - min(robot.frame_pose(q, foot)[2, 3] for foot in feet)  # feet are balls of 2 cm
scene = ar.Scene(robot, [ar.contacts.Ground()], ar.controllers.pd(q, 100.0, 5.0))
run = ar.simulate(scene, 10.0, 1e-3, q=q, keep_every=10)
slid = max(np.ptp(run[foot].position[100:, :2], axis=0).max() for foot in feet)
sank, speed = abs(run.q[-1, 2] - q[2]), np.abs(run.qd[-1]).max()
print(f"it sank by {1e3 * sank:.1f} mm, its feet slid by {1e3 * slid:.3f} mm in 9 s")
assert sank < 0.02 and slid < 1e-4 and speed < 1e-3
assert set(np.array(run.contacts.links)[run.contacts.touching[-1]]) == set(feet)
