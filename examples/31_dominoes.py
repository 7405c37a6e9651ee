"""A row of dominoes: the first is pushed, and the last one falls."""

from itertools import pairwise

import numpy as np

import arthron as ar

size, apart, n = (0.008, 0.024, 0.048), 0.02, 12
names = [f"domino{k}" for k in range(n)]
tile = [ar.Box(size, mass=0.01)]
row = ar.Model([ar.Body(name, ar.Free(), shapes=tile) for name in names], name="dominoes")
links = ar.contacts.Links(list(pairwise(names)), friction=0.3)
scene = ar.Scene(row, [ar.contacts.Ground(friction=0.6), links])
q, qd = row.neutral(), np.zeros(row.nv)
for k, name in enumerate(names):
    q[row.slice_q(name)][:3] = apart * k, 0, size[2] / 2
qd[row.slice_qd(names[0])] = 0, 4.0, 0, 0.1, 0, 0
run = ar.simulate(scene, 1.5, 1e-3, q=q, qd=qd)

height = np.stack([run[name].position[:, 2] for name in names], 1)
fell = run.t[np.argmax(height < 0.8 * height[0], 0)]
print("fell after", fell.round(3), "s")
assert (np.diff(fell) > 0).all() and height[-1].max() < 0.8 * height[0, 0]
