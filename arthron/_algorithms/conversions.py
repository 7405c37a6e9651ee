"""From velocities and forces of bodies to those of joints and back (LJ12 §6).

Least squares are by normal equations. They add (rad/s)^2 and (m/s)^2, or (N m)^2 and N^2, as plain
numbers, and they need joints that are not singular: where motions of a joint line up, as at
the pole of Euler angles, results are large or NaN.
"""

from __future__ import annotations

from dataclasses import replace

from .._pages.takes import takes
from .._spatial.inertia import Inertia
from .._spatial.linear_algebra import Ldl
from .._spatial.motions import Force, Forces, Motion, Subspace
from .._spatial.vectors import Mat3, Vec3
from .._tree.tree import BodyList, JointForces, Tree
from .crba import crba
from .kinematics import poses, transforms
from .kinematics import velocities as reached
from .products import of_wrenches, six_vectors


@takes(velocities=("nb", 6))
def generalized_velocities(tree: Tree, q, velocities) -> tuple[BodyList, BodyList]:
    """The qd of given body velocities, joint by joint, and what they miss (LJ12 62, 66).

    Each joint takes S^+ of the twist of its body less that of the parent. The residual is zero if
    and only if joints can move bodies so; if they cannot, `generalized_velocities_least_squares`
    comes closest, and this does not. `velocities` are nb x 6, the twist of each body in its own
    axes, as `Model.body_velocities`, and so is the residual: velocities at that qd less the given
    ones. A joint that follows another moves as that one does; its own given velocity only shows in
    the residual.
    """
    Xup, S = transforms(tree, q)
    v = six_vectors(Motion, velocities)
    qd = BodyList(() for _ in tree.parent)
    for i in tree.bodies:
        s, StS = _normal(S[i])
        qd[i] = StS.solve(s.dot(v[i] - Xup[i] @ v[tree.parent[i]]))
    return _with_residual(tree, q, tree.vector(qd), v)


@takes(velocities=("nb", 6))
def generalized_velocities_least_squares(tree: Tree, q, velocities) -> tuple[BodyList, BodyList]:
    """The qd that bring J qd closest to given body velocities, and what they miss (LJ12 61).

    Arguments and results are those of `generalized_velocities`. The sum of squares over all bodies
    of the residual, which is at the bodies' origins, is the least there is.
    """
    v = six_vectors(Motion, velocities)
    Jtv = of_wrenches(tree, q, BodyList(Force(*m) for m in v))
    qd = _all_normal(tree, q, [Vec3() for _ in tree.parent]).solve(tree.vector(Jtv))
    return _with_residual(tree, q, qd, v)


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
    v = reached(tree, q, tree.rates(_all_normal(tree, q, c).solve(Q)))
    return BodyList(
        Force(X.R @ m.ang, X.R @ (m.lin + m.ang.cross(com)))
        for X, m, com in zip(X0, v, c, strict=True)
    )


@takes(Q=("nv",))
def joint_torques(tree: Tree, q, Q) -> BodyList:
    """The least torque and force between each body and its parent that give `Q` (LJ12 71).

    nb x 6, [torque; force] on the body at its origin, in the axes of the parent, which gets the
    opposite: ((R S)^T)^+ Q_k. A joint that only turns has no force, one that only slides no torque,
    one that follows another neither.
    """
    (Xup, S), Q = transforms(tree, q), tree.forces(Q)
    w = tree.no_wrenches()
    for i in tree.bodies:
        s, StS = _normal(S[i])
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


def _normal(S: Subspace) -> tuple[Forces, Ldl]:
    """The columns of S as wrenches, and S^T S factored."""
    s = Forces(Force(*m) for m in S)
    return s, Ldl(S.dot(s))


def _all_normal(tree: Tree, q, points: list[Vec3]) -> Ldl:
    """J^T J factored, with J for the velocities of a point of each body.

    That is the mass matrix of bodies that have mass 1 there and moments 1 about it.
    """
    I = tuple(Inertia.from_com(1.0, point, Mat3.identity()) for point in points)
    bare = tree.at_rest()
    return Ldl(tree.matrix(crba(replace(tree, I=I, armature=bare), q)))


def _with_residual(tree: Tree, q, qd, v: BodyList) -> tuple[BodyList, BodyList]:
    rates = tree.rates(qd)
    return rates, BodyList(a - b for a, b in zip(reached(tree, q, rates), v, strict=True))
