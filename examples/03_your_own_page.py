"""Your own page: written once, run on numbers, compiled, differentiated."""

import numpy as np

import arthron as ar
from arthron.spatial import Vec3


def reach(tree, q, target):
    """Squared distance of the last body from a target."""
    tip = ar.algorithms.poses(tree, q)[-1].r
    off = tip - Vec3(*target)
    return off.dot(off)


arm = ar.random_tree(6, skew=1.2, rng=3)
target = arm.body_poses(arm.random(5))[-1, :3, 3]
cost = ar.compile(reach, arm, shapes={"target": (3,)})
gradient = ar.compile(ar.jacobian(reach, "q"), arm, shapes={"target": (3,)})

q = arm.neutral()
for _ in range(2000):
    q = arm.integrate(q, -0.05 * gradient(q, target))
print(
    f"distance {np.sqrt(cost(q, target)):.2e} after descending, in {gradient.op_count} operations"
)
assert cost(q, target) < cost(arm.neutral(), target) * 1e-2
