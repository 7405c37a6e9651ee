"""Many simulations at once: one arm, a thousand starts, each with a load of its own in hand."""

import time

import numpy as np

import arthron as ar

link = [ar.Capsule(0.05, 0.4, placement=(0, 0, 0.2))]
arm = ar.Model(
    [
        ar.Body("shoulder", ar.Revolute("z"), shapes=link),
        ar.Body("upper", ar.Revolute("y"), parent="shoulder", placement=(0, 0, 0.4), shapes=link),
        ar.Body("lower", ar.Revolute("y"), parent="upper", placement=(0, 0, 0.4), shapes=link),
        ar.Body("hand", ar.Revolute("x"), parent="lower", placement=(0, 0, 0.4), shapes=link),
    ],
    name="arm",
)
home = arm.neutral()
scene = ar.Scene(arm, controller=ar.controllers.pd(home, 60.0, 12.0, compensate=True))

rng = np.random.default_rng(0)
count = 1000
starts = rng.uniform(-1.0, 1.0, size=(count, arm.nq))
loads = np.tile(arm.inertial_parameters(), (count, 1)).reshape(count, arm.nb, 10)
loads[:, -1] *= rng.uniform(1.0, 3.0, size=(count, 1))  # what the hand holds
loads = loads.reshape(count, -1)

ar.simulate(scene, 0.01, 2e-3, q=starts[:8], parameters={"inertia": loads[:8]})  # compiles
began = time.perf_counter()
runs = ar.simulate(scene, 3.0, 2e-3, q=starts, parameters={"inertia": loads}, keep_every=10)
seconds = time.perf_counter() - began
print(f"{count} arms for 3 s each in {seconds:.2f} s: {runs}")

off = np.abs(runs.q[:, -1] - home).max(axis=1)
heavy = loads[:, -10]
print(f"worst {off.max():.3f} rad from home with {heavy[off.argmax()]:.1f} kg in hand")
assert off.max() < 0.4
