"""A four-bar linkage out of a URDF file, which has no loops, and a file that closes its loop."""

import tempfile
from pathlib import Path

import numpy as np

import arthron as ar

LINK = """<link name="{0}"><inertial><origin xyz="{1} 0 0"/><mass value="1"/>
<inertia ixx="0.001" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{0}"/>
<origin xyz="{2} 0 0"/><axis xyz="0 1 0"/></joint>"""
URDF = "\n".join([
    '<robot name="four bar"><link name="ground"/>',
    LINK.format("crank", 0.15), LINK.format("coupler", 0.4), LINK.format("rocker", 0.3),
    JOINT.format("crank", "ground", 0), JOINT.format("coupler", "crank", 0.3),
    JOINT.format("rocker", "ground", 0.9), "</robot>",
])  # fmt: skip
LOOPS = """{"constraints": [
  {"type": "loop", "name": "pin", "joint": {"type": "revolute", "axis": [0, 1, 0]},
   "a": {"link": "coupler", "xyz": [0.8, 0, 0]}, "b": {"link": "rocker", "xyz": [0.6, 0, 0]}}
]}"""

with tempfile.TemporaryDirectory() as folder:
    robot, loops = Path(folder) / "robot.urdf", Path(folder) / "robot.loops.json"
    robot.write_text(URDF)
    loops.write_text(LOOPS)
    scene = ar.Scene(ar.load(robot), ar.constraints.load(loops))

run = ar.simulate(scene, 2.0, 1e-3, start={"crank": -1.0}, progress=False)
model = scene.model
ends = [model.frame_pose(run.q, n) @ [x, 0, 0, 1] for n, x in (("coupler", 0.8), ("rocker", 0.6))]
gap = np.linalg.norm(ends[0] - ends[1], axis=-1)
print(f"the pin is {gap.max():.0e} m open at most, and carries {np.abs(run.forces).max():.1f} N m")
assert gap[0] < 1e-12 and gap.max() < 1e-4 and np.ptp(run.energy) < 1e-2
