"""From forces on bodies to those of joints, and back (LJ12 §6.2).

Least squares are by normal equations. They add (N m)^2 and N^2 as plain numbers, and they need
joints that are not singular: where motions of a joint line up, as at the pole of Euler angles,
results are large or NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .._pages.takes import takes
from .._spatial.inertia import Inertia
from .._spatial.linear_algebra import Ldl
from .._spatial.motions import Force, Forces
from .._spatial.sums import add_blocks
from .._spatial.vectors import Mat3, Vec3
from .._tree.tree import BodyList, JointForces, JointMatrix, Tree
from .._tree.unattached import unattached_forces
from .crba import crba
from .kinematics import poses, transforms, velocities
from .products import of_wrenches, six_vectors
from .velocity_conversion import normal


@takes(forces=("nb", 3), torques=("nb", 3), points=("nb", 3))
def generalized_forces(tree: Tree, q, forces, torques, points) -> JointForces:
    """Q of a force and a torque on every body: the sum of Jv'^T f + Jw^T tau' (LJ12 67).

    Args:
        tree: the figure.
        q: coordinates.
        forces: nb x 3, in world axes [N].
        torques: nb x 3, in world axes, without what the forces add [N m].
        points: nb x 3, where the forces act, in the frames of the bodies [m].
    """
    X0, (f,) = poses(tree, q), tree.lists(1)
    f[0] = Force()
    for i, force, torque, point in zip(tree.bodies, forces, torques, points, strict=True):
        lin = X0[i].E @ Vec3(*force)
        f[i] = Force(X0[i].E @ Vec3(*torque) + Vec3(*point).cross(lin), lin)
    return of_wrenches(tree, q, f)


@takes(Q=("nv",))
def cartesian_forces(tree: Tree, q, Q) -> BodyList:
    """The least torques and forces on bodies whose generalized force is `Q` (LJ12 70).

    Of all such, J (J^T J)^-1 Q has the least sum of squares: nb x 6, [torque; force] at each centre
    of mass, in world axes.
    """
    X0, c = poses(tree, q), [I.com() for I in tree.I]
    I = [Inertia.from_com(1.0, com, Mat3.identity()) for com in c]
    v = velocities(tree, q, tree.rates(Ldl(tree.matrix(_gram(tree, q, I))).solve(Q)))
    return BodyList(
        Force(X.R @ m.ang, X.R @ (m.lin + m.ang.cross(com)))
        for X, m, com in zip(X0, v, c, strict=True)
    )


@takes(Q=("nv",), points=("nb", 3))
def cartesian_forces_at(tree: Tree, q, Q, points) -> tuple[BodyList, BodyList]:
    """The least forces at given points and torques of joints that make `Q` (LJ12 69, inverted).

    Of all forces f, nb x 3 in world axes at `points`, nb x 3 in the frames of the bodies, and joint
    torques t^, nb x 3 in the axes of parents, with Jv'^T f + J^^T t^ = Q, those with the least sum
    of squares: (f; t^) = A^T (A A^T)^-1 Q, where A = (Jv'^T J^^T).
    """
    X0, (Xup, S) = poses(tree, q), transforms(tree, q)
    at = [Vec3(), *(Vec3(*p) for p in points)]
    no_moment = Mat3.diagonal(0.0, 0.0, 0.0)
    H = _gram(tree, q, [Inertia.from_com(1.0, p, no_moment) for p in at])
    for i in tree.bodies:  # A A^T is the mass matrix of unit masses there, and J^^T J^
        turns = Forces(Force(m.ang) for m in S[i])
        H[i, i] = add_blocks(H[i, i], S[i].dot(turns))
    x = tree.rates(Ldl(tree.matrix(H)).solve(Q))
    v = velocities(tree, q, x)
    f, t = (BodyList(Vec3() for _ in tree.parent) for _ in range(2))
    for i in tree.bodies:
        f[i] = X0[i].R @ (v[i].lin + v[i].ang.cross(at[i]))
        t[i] = Xup[i].R @ (S[i] * x[i]).ang
    return f, t


@takes(Q=("nv",))
def joint_torques(tree: Tree, q, Q) -> BodyList:
    """The least torque and force between each body and its parent that give `Q` (LJ12 71).

    nb x 6, [torque; force] on the body at its origin, in the axes of the parent, which gets the
    opposite: ((R S)^T)^+ Q_k. A joint that only turns has no force, one that only slides no torque,
    one that follows another neither.
    """
    (Xup, S), Q = transforms(tree, q), unattached_forces(tree, tree.forces(Q))
    w = tree.no_wrenches()
    for i in tree.bodies:
        s, StS = normal(S[i])
        least = s * StS.solve(Q[i])
        w[i] = Force(Xup[i].R @ least.ang, Xup[i].R @ least.lin)
    return w


@takes(torques=("nb", 6))
def generalized_forces_of_joints(tree: Tree, q, torques) -> JointForces:
    """Q of a torque and force at each joint, nb x 6 as `joint_torques` has them (LJ12 69)."""
    (Xup, S), w = transforms(tree, q), six_vectors(Force, torques)
    Q = JointForces(() for _ in tree.parent)
    for i in tree.bodies:
        E = Xup[i].E
        Q[i] = S[i].dot(Force(E @ w[i].ang, E @ w[i].lin))
    return Q


@takes(torques=("nb", 6))
def body_torques(tree: Tree, q, torques) -> BodyList:
    """What bodies feel of a torque and force at each joint: t' = D^T R t^ (LJ12 68).

    Takes nb x 6 as `joint_torques` has them, and gives nb x 6, [torque; force] at each centre of
    mass in world axes, as `cartesian_forces` does: each body has that of its own joint, and the
    opposite of those of joints behind it.
    """
    X0, w, total = poses(tree, q), six_vectors(Force, torques), tree.no_wrenches()
    for i in tree.bodies:
        p = tree.parent[i]
        f = X0[p].R @ w[i].lin
        n = X0[p].R @ w[i].ang + X0[i].r.cross(f)  # about the world's origin
        total[i] += Force(n, f)
        total[p] -= Force(n, f)
    com = (X.r + X.R @ I.com() for X, I in zip(X0, tree.I, strict=True))
    return BodyList(Force(f.ang - x.cross(f.lin), f.lin) for x, f in zip(com, total, strict=True))


def _gram(tree: Tree, q, I: Sequence[Inertia]) -> JointMatrix:
    """J^T J over bodies that have these inertias: unit ones, at points that velocities are of."""
    return crba(replace(tree, I=tuple(I), armature=tree.at_rest()), q)
