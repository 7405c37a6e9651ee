"""Derivatives of joint forces where joints follow others by slopes that change (S19 2.76 to 2.79).

With q = f(y) and F its slopes, tau_y = F^T tau. Its derivatives are

    by y:   F^T (dtau/dq F + dtau/dqd F' + M F'') + (d F^T / dy) tau
    by yd:  F^T (dtau/dqd F + 2 M F')
    by ydd: F^T M F

The products with F on both sides are left to `tree.matrix`.
"""

from __future__ import annotations

from .._tree.bending import add_bent_blocks, add_bent_forces
from .._tree.tree import BodyList, JointMatrix, Tree

Three = tuple[JointMatrix, JointMatrix, JointMatrix]


def by_coordinates(tree: Tree, by_joint: Three, S: BodyList, f: BodyList, qdd) -> Three:
    """Derivatives by q, qd and qdd, from those by the coordinates of each joint.

    The tree is at q, qd and qdd; f are the wrenches through joints.
    """
    if not tree.curved:
        return by_joint
    (dq, dqd, M), led = by_joint, tree.led
    each = (zip(S[i].dot(f[i]), tree.armature[i], qdd[i], strict=True) for i in tree.bodies)
    tau = BodyList([(), *(tuple(t + k * x for t, k, x in joint) for joint in each)])
    by_q = add_bent_blocks(tree, dq, dqd, led.slope_rates)
    by_q = add_bent_blocks(tree, by_q, M, led.slope_second_rates)
    by_qd = add_bent_blocks(tree, dqd, M, led.slope_rates, 2.0)
    return add_bent_forces(tree, by_q, tau), by_qd, M
