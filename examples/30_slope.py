"""Blocks on a slope: they stick where friction is more than tan θ, and slide where it is less."""

import numpy as np

import arthron as ar

tilt, g = 0.4, 9.81
block = ar.Model([ar.Body("block", ar.Free(), shapes=[ar.Box((0.3, 0.2, 0.1), mass=1.0)])])
slope = ar.contacts.Ground(normal=(np.sin(tilt), 0, np.cos(tilt)), name="slope")
scene = ar.Scene(block, [slope])
q = block.neutral()
q[:7] = 0.05 * np.sin(tilt), 0, 0.05 * np.cos(tilt), np.cos(tilt / 2), 0, np.sin(tilt / 2), 0

# one simulation for each friction
friction = np.tan(tilt) * np.array([0.0, 0.5, 0.9, 0.99, 1.01, 1.5])
run = ar.simulate(scene, 1.0, 1e-3, q=q, parameters={"slope.friction": friction})
way = np.linalg.norm(run.q[:, -1, :3] - q[:3], axis=-1)
expected = np.maximum(0.0, g * (np.sin(tilt) - friction * np.cos(tilt))) / 2.0  # a t² / 2
for mu, far in zip(friction, way, strict=True):
    print(f"friction {mu:.3f}: {far:.6f} m in a second")
assert np.abs(way - expected).max() < 1e-5
