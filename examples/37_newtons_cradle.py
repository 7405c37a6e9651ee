"""Newton's cradle: as many balls fly off as were let go."""

from itertools import pairwise

import numpy as np

import arthron as ar

n, radius, length, gap, lifted = 5, 0.05, 0.5, 5e-4, 0.3
names = [f"ball{k}" for k in range(n)]
ball = ar.Sphere(radius, mass=1.0, placement=(0, 0, -length))
string = ar.Capsule(0.003, length, mass=0.0, placement=(0, 0, -length / 2))
places = [((2 * radius + gap) * k, 0, 0.6) for k in range(n)]
cradle = ar.Model([
    ar.Body(name, ar.Revolute("y"), None, place, shapes=[ball, string], collision=[ball])
    for name, place in zip(names, places, strict=True)
], name="cradle")  # fmt: skip
scene = ar.Scene(cradle, [ar.contacts.Links(list(pairwise(names)), friction=0.0, restitution=1.0)])

# gaps which no ball crosses in a step: they meet one after the other
q = lifted * (np.arange(n) < np.array([[1], [2], [3]]))
run = ar.simulate(scene, 2.0, 1e-4, q=q, keep_every=10)

off = run.q[:, : len(run.t) // 2].min(1)  # farthest to the other side, before they come back
print(
    "one, two and three balls let go; how far each ball flies off [rad]:", *off.round(3), sep="\n"
)
expected = -lifted * (np.arange(n) >= n - np.array([[1], [2], [3]]))
assert np.abs(off - expected).max() < 0.02
assert np.abs(run.energy / run.energy[:, :1] - 1).max() < 1e-3
