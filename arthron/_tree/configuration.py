"""Moving along the joints' own geometry."""

from __future__ import annotations

from .._graph.autodiff import jvp
from .._spatial.scalar import Scalar
from .joints import Coordinates, Joint
from .tree import JointCoordinates, Tree


def integrate(tree: Tree, q, dq) -> JointCoordinates:
    """Coordinates after moving with joint velocity `dq` for unit time."""
    return _closed(tree, _per_joint(tree, lambda i: tree.joint[i].integrate(q[i], dq[i])))


def difference(tree: Tree, q0, q1) -> JointCoordinates:
    """The `dq` with integrate(q0, dq) = q1."""
    return _per_joint(tree, lambda i: tree.joint[i].difference(q0[i], q1[i]))


def normalize(tree: Tree, q, qd) -> tuple[JointCoordinates, JointCoordinates]:
    """The same pose and velocity, each joint's coordinates away from its singularities."""
    pairs = {0: (q[0], qd[0])} | {i: tree.joint[i].normalize(q[i], qd[i]) for i in tree.bodies}
    return (
        _closed(tree, _per_joint(tree, lambda i: tuple(pairs[i][0]))),
        _per_joint(tree, lambda i: tuple(pairs[i][1])),
    )


def rate_columns(joint: Joint, q: Coordinates) -> list[list[Scalar]]:
    """How coordinates change as a joint moves along each of its velocity coordinates."""
    nq, nv = joint.nq, joint.nv
    _, *columns = jvp(
        lambda x: joint.integrate(x[:nq], x[nq:]),
        [*q, *[0.0] * nv],
        *([float(k == nq + a) for k in range(nq + nv)] for a in range(nv)),
    )
    return columns


def _per_joint(tree: Tree, function) -> JointCoordinates:
    first = function(0) if tree.joint[0].nv else ()
    return JointCoordinates([first, *(function(i) for i in tree.bodies)])


def _closed(tree: Tree, q: JointCoordinates) -> JointCoordinates:
    """Coordinates in which joints that follow others are where those take them."""
    return tree.positions(tree.vector(q)) if tree.curved else q
