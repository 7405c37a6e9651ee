"""A Panda grips a box and lifts it: `pip install example-robot-data` brings the robot."""

import sysconfig
from pathlib import Path

import numpy as np

import arthron as ar

ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
panda = ar.load(ROBOTS / "panda_description/urdf/panda.urdf")
down = np.array([0.0, 0.3, 0.0, -2.2, 0.0, 2.5, 0.785, 0.035, 0.035])
x, y, z = panda.frame_pose(down, "panda_hand_tcp")[:3, 3]
table = ar.Body("table", ar.Fixed(), placement=(x, y, z - 0.045), shapes=[ar.Box((0.3, 0.3, 0.04))])
box = ar.Body("box", ar.Free(), shapes=[ar.Box((0.04, 0.04, 0.05), mass=0.3)])
model = ar.Model([*panda.links, table, box], name="panda and box")
touch = ar.contacts.Links([("box", ["table", "panda_leftfinger", "panda_rightfinger"])])
q = np.r_[down, x, y, z, 1, 0, 0, 0]
closed, up = np.r_[down[:7], 0.01, 0.01, q[9:]], np.r_[0, 0, 0, -2, down[4:7], 0.01, 0.01, q[9:]]
target = ar.keyframes([0.0, 0.5, 1.5], [q, closed, up])
scene = ar.Scene(model, [touch], ar.controllers.pd(target, 600.0, 50.0, compensate=True))
run = ar.simulate(scene, 2.0, 1e-3, q=q, keep_every=10)
rise = run["box"].position[:, 2] - z
print(f"the box is {rise[-1]:.3f} m higher")
assert rise[-1] > 0.1 and abs(rise[-1] - rise[-10]) < 1e-3
