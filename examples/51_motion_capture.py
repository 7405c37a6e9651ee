"""Motion capture: a clip in a BVH file becomes a figure with mass, and its joint torques."""

import tempfile
from pathlib import Path

import numpy as np

import arthron as ar

# A clip as a studio would deliver it; here a person squats twice in three seconds.
person = ar.load(ar.figures / "person.urdf", root=ar.Free())
t = np.arange(360) / 120.0
bend = 0.5 - 0.5 * np.cos(2.0 * np.pi * t / 1.5)
q = np.tile(person.neutral(), (len(t), 1))
for name, angle in {"hip_pitch": -1.3, "knee": 1.9, "ankle_pitch": -0.6, "elbow": -0.6}.items():
    for side in ("left", "right"):
        q[:, person.slice_q(f"{side}_{name}")] = angle * bend[:, None]
q[:, :3] -= person.frame_pose(q, "left_sole")[:, :3, 3] * (1.0, 0.0, 1.0)

with tempfile.TemporaryDirectory() as folder:
    path = ar.mocap.Clip(person, q, 120.0).save_bvh(Path(folder) / "squat.bvh")
    print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")
    clip = ar.load_motion(path, mass=73.0)

print(clip)
print("  " + ", ".join(f"{key}: {value}" for key, value in clip.about.items()))

forces = clip.smoothed(6.0).inverse_dynamics()
weight = clip.model.mass * 9.81
up = forces.ground_force[:, 2] / weight
knee = clip.model.slice_qd("left_shin")
print(f"feet stand: {', '.join(f'{link} {x.mean():.0%}' for link, x in forces.supports.items())}")
print(f"the ground bears {up.min():.2f} to {up.max():.2f} times the weight")
print(f"each knee needs {np.abs(forces.tau[:, knee]).max():.0f} N m at most")
clip.trajectory().save_png(Path(tempfile.gettempdir()) / "squat.png", t=[0.0, 0.4, 0.75])
