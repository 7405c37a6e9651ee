"""Spacetime constraints: from a pose to a place for the hand, with the least torque."""

import arthron as ar
from arthron.spacetime import Keyframe, MotionProblem, Phase, TorqueEnergy, Waypoint

model = ar.load(ar.figures / "humanoid.urdf")
start = Keyframe(0, model.neutral())
there = Waypoint("left_palm", 1, position=(0.35, 0.25, 0.25), velocity=(0, 0, 0))
motion = MotionProblem(model, Phase(1.0), TorqueEnergy(), [start, there]).solve()
print(motion)
print("largest torque", abs(motion.joint_forces(motion.times())).max().round(2), "N m")
