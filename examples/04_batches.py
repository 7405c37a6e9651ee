"""A hundred thousand states at once, into an array you own, in single precision if you like."""

import time

import numpy as np

import arthron as ar

model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
n = 100_000
rng = np.random.default_rng(0)
q = np.tile(model.neutral(), (n, 1))
q[:, 7:] += rng.normal(size=(n, model.nq - 7))
qd = rng.normal(size=(n, model.nv))
tau = np.zeros(model.nv)  # broadcasts over the batch

for dtype in (np.float64, np.float32):
    states = [x.astype(dtype) for x in (q, qd, tau)]
    out = np.empty((n, model.nv), dtype)
    model.forward_dynamics(*states, out=out)
    start = time.perf_counter()
    model.forward_dynamics(*states, out=out)
    took = time.perf_counter() - start
    print(
        f"{np.dtype(dtype)}: {took / n * 1e9:.0f} ns a state, {n / took / 1e6:.1f} million a second"
    )
