"""Distances between links of a figure, and how joints change them: pages."""

from __future__ import annotations

from typing import Any

from .._algorithms.kinematics import transforms
from .._pages.takes import takes
from .._spatial.scalar import Scalar, where
from .._spatial.transform import Transform
from .._tree.tree import BodyList, JointColumns, Tree
from .candidates import Collider
from .contact import Contact, deepest, nothing
from .many import each_pair
from .pairs import closed, contacts, near_contacts

Rows = tuple[tuple[tuple[Collider, Collider], ...], ...]
"""For each pair of links the pairs of their shapes."""


def nearest_contacts(X0: BodyList, rows: Rows, margin: Scalar | None = None) -> list[Contact]:
    """The deepest contact of each pair of links, where bodies are at X0.

    Pairs with a closed form have code of their own; all others go through the same, one after the
    other. With a margin, those further apart are not looked at, and far away.
    """
    found, numbers, pairs, slots = [], {}, [], []
    for slot, row in enumerate(rows):
        own = nothing()
        for a, b in row:
            X, Y = a.X @ X0[a.body], b.X @ X0[b.body]
            if not closed(a.shape, b.shape):
                pairs.append(tuple(numbers.setdefault(c, len(numbers)) for c in (a, b)))
                slots.append(slot)
            elif margin is None:
                own += contacts(a.shape, X, b.shape, Y)
            else:
                own += near_contacts(a.shape, X, b.shape, Y, margin)
        found.append(deepest(own[1:] or own))
    if not pairs:
        return found
    placed = [c.X @ X0[c.body] for c in numbers]
    return each_pair([c.shape for c in numbers], placed, pairs, slots, found, margin)


def distances(tree: Tree, q: Any, *, rows: Rows) -> dict[str, Any]:
    """Gap, nearest points and normal of each pair of links."""
    found = nearest_contacts(_placed(tree, q)[0], rows)
    return _results(found)


def _results(found: list[Contact]) -> dict[str, Any]:
    return {
        "gap": [c.gap for c in found],
        "points": [list(c.ends()) for c in found],
        "normal": [c.normal for c in found],
    }


@takes(margin=())
def collisions(tree: Tree, q: Any, margin: Scalar, *, rows: Rows) -> list[Scalar]:
    """1 for each pair of links that are nearer than a margin."""
    found = nearest_contacts(_placed(tree, q)[0], rows, margin)
    return [where(c.gap < margin, 1.0, 0.0) for c in found]


def distance_jacobian(tree: Tree, q: Any, *, rows: Rows) -> dict[str, Any]:
    """The same, and the derivative of each gap by velocity coordinates.

    Points at the nearest places move with their bodies: the gap changes as the normal has it.
    """
    X0, S = _placed(tree, q)
    found = nearest_contacts(X0, rows)
    bodies = [tuple(c.body for c in row[0]) for row in rows]
    J = [gap_row(tree, X0, S, c, *pair) for c, pair in zip(found, bodies, strict=True)]
    return {**_results(found), "jacobian": J}


def gap_row(
    tree: Tree, X0: BodyList, S: BodyList, contact: Contact, a: int, b: int
) -> list[Scalar]:
    """The derivative of a gap between two bodies by the velocity coordinates.

    Joints that move both bodies do not change it.
    """
    up, down = set(tree.ancestors(a)), set(tree.ancestors(b))
    ends = contact.ends()
    columns: dict[int, list] = {}
    for j in sorted(up ^ down):
        X, (p, side) = X0[j], (ends[0], 1.0) if j in up else (ends[1], -1.0)
        n = X.E @ contact.normal
        arm = X @ p
        columns[j] = [((n.dot(m.lin) + n.dot(m.ang.cross(arm))) * side,) for m in S[j]]
    return [
        row[0] if isinstance(row, tuple) else row for row in tree.matrix(JointColumns(columns))[0]
    ]


def _placed(tree: Tree, q: Any) -> tuple[BodyList, BodyList]:
    """From the world to each body, and what joints allow."""
    Xup, S = transforms(tree, q)
    (X0,) = tree.lists(1)
    X0[0] = Transform()
    for i in tree.bodies:
        X0[i] = Xup[i] @ X0[tree.parent[i]]
    return X0, S
