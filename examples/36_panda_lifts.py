"""A Panda grips a box and lifts it."""

import sysconfig
from pathlib import Path

import numpy as np

import arthron as ar

ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
PANDA = ROBOTS / "panda_description/urdf/panda.urdf"
if not PANDA.exists():
    raise SystemExit("this example moves a Panda: `pip install example-robot-data`")
panda = ar.load(PANDA)
down = np.array([0.0, 0.3, 0.0, -2.2, 0.0, 2.5, 0.785, 0.035, 0.035])
x, y, z = panda.frame_pose(down, "panda_hand_tcp")[:3, 3]
table = ar.Body("table", ar.Fixed(), placement=(x, y, z - 0.045), shapes=[ar.Box((0.3, 0.3, 0.04))])
box = ar.Body("box", ar.Free(), shapes=[ar.Box((0.04, 0.04, 0.05), mass=0.3)])
model = ar.Model([*panda.links, table, box], name="panda and box")
fingers = ["panda_leftfinger", "panda_rightfinger"]
touch = ar.contacts.Links([("box", ["table", *fingers])])
start = np.concatenate([down, [x, y, z, 1, 0, 0, 0]])
closed, up = start.copy(), start.copy()
closed[7:9] = up[7:9] = 0.01
up[1], up[3] = 0.0, -2.0
target = ar.keyframes([0.0, 0.5, 1.5], [start, closed, up])
hold = ar.controllers.pd(target, [600.0] * 7 + [1000.0] * 2 + [0.0] * 6, [50.0] * 9 + [0.0] * 6,
                         compensate=True)  # fmt: skip
scene = ar.Scene(model, [touch], hold)
run = ar.simulate(scene, 2.0, 1e-3, q=start, keep_every=10)
rise = run["box"].position[:, 2] - z
print(f"the box is {rise[-1]:.3f} m higher")
assert rise[-1] > 0.1 and abs(rise[-1] - rise[-10]) < 1e-3
