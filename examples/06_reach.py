"""Inverse kinematics: feet planted, a hand and the centre of mass where they should be."""

import numpy as np

import arthron as ar

model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
stand = model.neutral()
feet = [
    ar.ik.Pose(f"{side}_sole", model.frame_pose(stand, f"{side}_sole"))
    for side in ("left", "right")
]
centre = model.center_of_mass(stand)

heights = np.linspace(-0.1, 0.3, 9)  # of the right hand, above where it hangs
hand = model.frame_pose(stand, "right_palm")[:3, 3] + np.array([0.25, 0.0, 0.2])
goals = hand + heights[:, None] * np.array([0.0, 0.0, 1.0])

found = ar.ik.solve(
    model,
    [*feet, ar.ik.Point("right_palm", goals), ar.ik.CenterOfMass(centre, weight=0.5)],
)
print(found)
for height, q in zip(heights, found.q, strict=True):
    elbow = q[model.slice_q("right_elbow")][0]
    print(f"  hand {height:+.2f} m: elbow bent by {-elbow:.2f} rad")
assert np.all(found.solved)
