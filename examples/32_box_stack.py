"""Ten boxes on top of each other stand still."""

import numpy as np

import arthron as ar

n, side, mass = 10, 0.2, 1.0
names = [f"box{k}" for k in range(n)]
boxes = ar.Model([
    ar.Body(name, ar.Free(), shapes=[ar.Box((side, side, side), mass=mass)]) for name in names
])  # fmt: skip
scene = ar.Scene(boxes, [ar.contacts.Ground(), ar.contacts.Links()])
q = boxes.neutral()
for k, name in enumerate(names):
    q[boxes.slice_q(name)][:3] = 0.02 * (-1) ** k, 0, side * (k + 0.5)
run = ar.simulate(scene, 5.0, 1e-3, q=q, keep_every=10)

moved = np.abs(run.q - q).max()
below = np.array([other is None for other in run.contacts.others])
weight = run.contacts.force[-1, below].sum(0)
print(f"moved by {moved:.1e} m in {run.t[-1]:.0f} s; the ground carries {weight[2]:.2f} N")
assert moved < 1e-5 and abs(weight[2] - n * mass * 9.81) < 1e-3
