"""Between velocities of joints and rates of change of their coordinates (Gamma of G13 33).

For most joints they are the same. Quaternions have four rates for three velocities, and of a free
joint the twist is in the axes of the body while its position is not.
"""

from __future__ import annotations

from .._pages.takes import takes
from .._spatial.linear_algebra import Ldl
from .._spatial.sums import dot
from .._tree.configuration import rate_columns
from .._tree.tree import JointCoordinates, Shaped, Tree


def coordinate_rates(tree: Tree, q, qd) -> JointCoordinates:
    """dq/dt = Gamma(q) qd, the derivative of integrate(q, t qd) by t at 0 (G13 33).

    The number of a chart does not change, nor does the length of a quaternion.
    """
    rates = JointCoordinates([tuple(qd[0]), *(() for _ in tree.bodies)])
    for i in tree.bodies:
        gamma = rate_columns(tree.joint[i], q[i])
        rates[i] = tuple(dot(row, qd[i]) for row in zip(*gamma, strict=True))
    return rates


@takes(rates=("nq",))
def joint_velocities(tree: Tree, q, rates) -> JointCoordinates:
    """The qd with Gamma(q) qd = dq/dt for given rates; it undoes `coordinate_rates`.

    By least squares: what makes a quaternion longer or changes a chart does not count.
    """
    qd = []
    for i in tree.own:
        own = rates[tree.q_start[i] : tree.q_start[i + 1]]
        gamma = rate_columns(tree.joint[i], q[i])
        squares = Ldl([[dot(a, b) for b in gamma] for a in gamma])
        qd += squares.solve([dot(a, own) for a in gamma])
    return tree.rates(qd)


def unreduced_coordinates(tree: Tree, q) -> list:
    """Coordinates of all joints in a row, those that follow others too (S19 2.76)."""
    return Shaped([x for i in tree.bodies for x in q[i]], (sum(j.nq for j in tree.joint[1:]),))
