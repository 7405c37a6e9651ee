"""Products with the inverse of the mass matrix, and of what implicit steps solve with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .._pages.takes import Input, by_body, takes
from .._spatial.inertia import ArticulatedInertia
from .._spatial.linear_algebra import NOTHING, Ldl
from .._spatial.motions import Motion, Subspace
from .._spatial.sums import add_blocks
from .._tree.tree import BodyList, JointMatrix, Shaped, Tree
from .aba import HeldJoints, articulated
from .crba import crba
from .kinematics import jacobians, transforms


def inverse_mass_matrix(tree: Tree, q) -> list[list]:
    """M^-1, from factors of M that keep the tree's zeros (RBDA §6.5)."""
    return Shaped(Ldl(tree.matrix(crba(tree, q))).inverse(), (tree.nv, tree.nv))


TERMS = {
    "joint_terms": Input(("nv",), Tree.forces, optional=True),
    "body_terms": Input(("nb", 6, 6), by_body(ArticulatedInertia.from_array, 36), optional=True),
}


@takes(x=("nv",), **TERMS)
def inverse_mass_product(tree: Tree, q, x, joint_terms, body_terms) -> BodyList:
    """(M + diag(joint_terms) + sum of J^T B J)^-1 x, with B the body_terms (S19 Alg. 10).

    With both zero, the accelerations that joint forces `x` produce in a figure at rest without
    gravity. Implicit steps of length h put h d + h^2 k of each joint in the joint terms and
    h D - h^2 K of each body, symmetric, in the body terms.
    """
    return held_inverse_product(tree, q, x, joint_terms, body_terms)[0]


def held_inverse_product(
    tree: Tree, q, x, joint_terms, body_terms, held: HeldJoints = NOTHING
) -> tuple[BodyList, dict[int, dict]]:
    """The same of x + r, with coordinates held in a figure that is a tree, and r, by joint."""
    (found,) = _solved(tree, q, [x], joint_terms, body_terms, held)
    return found


@takes(**TERMS)
def inverse_mass_products(tree: Tree, q, x, joint_terms, body_terms) -> list[list]:
    """The same for each row of x: articulated inertias are factored once, whatever their number."""
    found = _solved(tree, q, x, joint_terms, body_terms)
    return Shaped([tree.vector(y) for y, _ in found], (len(x), tree.nv))


def _solved(
    tree: Tree, q, rows: Sequence, joint_terms, body_terms, held: HeldJoints = NOTHING
) -> list[tuple[BodyList, dict]]:
    added = (zip(*each, strict=True) for each in zip(tree.armature, joint_terms, strict=True))
    tree = replace(tree, armature=tuple(tuple(map(sum, each)) for each in added))
    if tree.followers:
        factors = Ldl(tree.matrix(_with_terms(tree, q, body_terms)))
        return [(tree.rates(factors.solve(x)), {}) for x in rows]
    Xup, S = transforms(tree, q)
    U, D = tree.lists(2)
    IA = BodyList(I.articulated() + B for I, B in zip(tree.I, body_terms, strict=True))
    each = [(tree.forces(x), tree.no_wrenches(), *tree.lists(3)) for x in rows]
    for i, _ in articulated(tree, Xup, S, IA, U, D, held=held):
        for x, p, u, _, _ in each:
            u[i] = tuple(t - s for t, s in zip(x[i], S[i].dot(p[i]), strict=True))
            given, _ = D[i].solve_held(u[i], held.get(i, NOTHING))
            p[tree.parent[i]] += Xup[i].T @ (p[i] + U[i] * given)
    found: list[tuple[BodyList, dict]] = []
    for _, _, u, a, y in each:
        a[0], push = Motion(), {}
        for i in tree.bodies:
            a[i] = Xup[i] @ a[tree.parent[i]]
            rest = [s - t for s, t in zip(u[i], U[i].dot(a[i]), strict=True)]
            y[i], push[i] = D[i].solve_held(rest, held.get(i, NOTHING))
            a[i] = a[i] + S[i] * y[i]
        found.append((y, push))
    return found


def _with_terms(tree: Tree, q, body_terms) -> JointMatrix:
    """M + sum of J^T B J, as it stands."""
    H = crba(tree, q)
    for B, J in zip(body_terms[1:], jacobians(tree, q)[1:], strict=True):
        for i, column in J.items():
            F = B @ Subspace(column)
            for j, row in J.items():
                H[j, i] = add_blocks(
                    H.get((j, i), ((0.0,) * len(F),) * len(row)), Subspace(row).dot(F)
                )
    return H
