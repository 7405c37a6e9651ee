"""Joint forces for a motion, and the motion those forces give back."""

import numpy as np

import arthron as ar

model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
rng = np.random.default_rng(1)
q, qd, qdd = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)

tau = model.inverse_dynamics(q, qd, qdd)
back = model.forward_dynamics(q, qd, tau)
print(f"largest joint force {np.abs(tau).max():.1f} N m; back off by {abs(back - qdd).max():.1e}")

assert np.allclose(back, qdd)
