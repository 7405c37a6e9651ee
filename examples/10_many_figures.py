"""Parameters as inputs: ten thousand figures, each with masses of its own, in one call."""

import time

import numpy as np

import arthron as ar

model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
rng = np.random.default_rng(0)
count = 10_000
q = np.stack([model.random(rng) for _ in range(20)])[rng.integers(20, size=count)]
qd, tau = rng.normal(size=(2, count, model.nv))

# every body of every figure up to 30 % lighter or heavier, in proportion
parameters = model.inertial_parameters().reshape(model.nb, 10)
scale = rng.uniform(0.7, 1.3, size=(count, model.nb, 1))
inertia = (scale * parameters).reshape(count, -1)

forward = ar.compile(ar.algorithms.forward_dynamics, model, free=("inertia",))
forward(q[:8], qd[:8], tau[:8], inertia[:8])  # compiles
start = time.perf_counter()
qdd = forward(q, qd, tau, inertia)
seconds = time.perf_counter() - start
print(f"{count} figures in {1e3 * seconds:.1f} ms")

# the same as a model made with those inertias
inverse = ar.compile(ar.algorithms.inverse_dynamics, model, free=("inertia",))
assert np.allclose(inverse(q, qd, qdd, inertia), tau, atol=1e-6)
fixed = forward(q, qd, tau, model.inertial_parameters())  # one set for all
assert np.allclose(fixed, model.forward_dynamics(q, qd, tau))
spread = np.abs(qdd - fixed).mean() / np.abs(fixed).mean()
print(f"masses change accelerations by {100 * spread:.0f} % on average")
