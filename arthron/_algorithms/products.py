"""Products with the Jacobian of all bodies, its rate and its transpose, without the matrix."""

from __future__ import annotations

from typing import TypeVar

from .._pages.takes import takes
from .._spatial.motions import Force, Motion
from .._spatial.vectors import Vec3
from .._tree.subspace_derivatives import subspace_dot
from .._tree.tree import BodyList, JointForces, Tree
from .kinematics import transforms, velocities

SixVector = TypeVar("SixVector", Motion, Force)


@takes(x=("nv",))
def jacobian_product(tree: Tree, q, x) -> BodyList:
    """J x, nb x 6: the twist of each body in its own axes at rates `x` (S19 Alg. 5)."""
    return velocities(tree, q, tree.rates(x))


@takes(x=("nv",))
def jacobian_dot_product(tree: Tree, q, qd, x) -> BodyList:
    """J' x, nb x 6, with J' the rate of J as `q` moves with `qd` (S19 Alg. 5).

    The rate is that of the entries of J, which are in the axes of bodies. For x = `qd` it gives the
    accelerations of `accelerations` at qdd = 0.
    """
    x, bend = tree.rates(x), tree.bending(x)
    y, z = tree.lists(2)
    y[0] = z[0] = Motion()
    for i in tree.bodies:
        p = tree.parent[i]
        XJ, S, vJ, _ = tree.joint[i](q[i], qd[i])
        Xup = XJ @ tree.Xtree[i]
        carried = Xup @ y[p]
        y[i] = carried + S * x[i]
        Sdot = subspace_dot(tree.joint[i], q[i], qd[i])
        z[i] = Xup @ z[p] - vJ.cross(carried) + Sdot * x[i] + S * bend[i]
    return z


@takes(y=("nb", 6))
def jacobian_transpose_product(tree: Tree, q, y) -> JointForces:
    """J^T y: joint forces equal to wrenches `y`, nb x 6 in body axes (S19 2.108, Alg. 6)."""
    return of_wrenches(tree, q, six_vectors(Force, y))


def of_wrenches(tree: Tree, q, f: BodyList) -> JointForces:
    """J^T f of a wrench f[i] on each body, at its origin in its own axes."""
    Xup, S = transforms(tree, q)
    total, x = BodyList(f), JointForces(() for _ in f)
    for i in reversed(tree.bodies):
        x[i] = S[i].dot(total[i])
        total[tree.parent[i]] += Xup[i].T @ total[i]
    return x


def six_vectors(kind: type[SixVector], rows) -> BodyList:
    """Rows of six numbers as motions or forces of bodies; none at the base."""
    return BodyList([kind(), *(kind(Vec3(*row[:3]), Vec3(*row[3:])) for row in rows)])
