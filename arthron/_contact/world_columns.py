"""How bodies move with the coordinates of a figure, all seen from one point in world axes.

A joint then moves all bodies behind it alike, so that wrenches and stiffnesses of bodies add up
along the tree without being transformed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .._algorithms.kinematics import poses, transforms
from .._spatial.motions import Force, Forces, Motion, Subspace
from .._spatial.scalar import Scalar
from .._tree.tree import BodyList, JointForces, JointMatrix, Tree
from .contact_stiffness import ContactStiffness


class WorldColumns:
    """Columns of all joints at a configuration.

    Attributes:
        tree: the figure.
        origin: the point that twists and wrenches are about, that of the first body.
        S: the motions of each joint.
    """

    def __init__(self, tree: Tree, q) -> None:
        X0 = poses(tree, q)
        _, S = transforms(tree, q)
        self.tree, self.origin = tree, X0[1].r
        (self.S,) = tree.lists(1)
        for i in tree.bodies:
            R, r = X0[i].R, X0[i].r - self.origin
            turned = ((R @ m.ang, R @ m.lin) for m in S[i])
            self.S[i] = Subspace(Motion(w, v + r.cross(w)) for w, v in turned)

    def twists(self, v: Sequence[Scalar]) -> BodyList:
        """Of all bodies at a velocity of all coordinates."""
        tree, rates = self.tree, self.tree.rates(v)
        (V,) = tree.lists(1)
        V[0] = Motion()
        for i in tree.bodies:
            V[i] = V[tree.parent[i]] + self.S[i] * rates[i]
        return V

    def forces(self, wrenches: Mapping[int, Force]) -> list[Scalar]:
        """J^T f of wrenches on bodies."""
        tree, tau = self.tree, self.tree.no_forces()
        F = BodyList(wrenches.get(i) for i in range(len(tree.parent)))
        for i in reversed(tree.bodies):
            if F[i] is not None:
                p = tree.parent[i]
                tau[i] = self.S[i].dot(F[i])
                F[p] = F[i] if F[p] is None else F[p] + F[i]
        return tree.vector(JointForces(tau))

    def matrix(
        self, to_world: Mapping[int, ContactStiffness],
        between: Mapping[tuple[int, int], ContactStiffness],
    ) -> list[list[Scalar]]:  # fmt: skip
        """J^T K J of stiffnesses between bodies and the world, and between two bodies (a, b)."""
        tree, H = self.tree, JointMatrix()
        K = BodyList(to_world.get(i) for i in range(len(tree.parent)))
        for i in reversed(tree.bodies):
            if K[i] is not None:
                p = tree.parent[i]
                K[p] = K[i] if K[p] is None else K[p] + K[i]
                F, W = (Forces(each @ s for s in self.S[i]) for each in (K[i], K[i].T))
                H[i, i] = self.S[i].dot(F)
                for j in tree.ancestors(p):
                    H[j, i], H[i, j] = self.S[j].dot(F), W.dot(self.S[j])
        for (a, b), K_ab in between.items():
            up, down = ([*tree.ancestors(k)] for k in (a, b))
            path = [*((i, 1.0) for i in up if i not in down),
                    *((i, -1.0) for i in down if i not in up)]  # fmt: skip
            for i, sign in path:
                F = Forces(K_ab @ s for s in self.S[i])
                for j, other in path:
                    block = self.S[j].dot(F)
                    before = H.get((j, i), [[0.0] * len(row) for row in block])
                    H[j, i] = tuple(
                        tuple(x + sign * other * y for x, y in zip(*rows, strict=True))
                        for rows in zip(before, block, strict=True)
                    )
        return tree.matrix(H)
