"""Coordinates that belong to no joint, from what the joints do that follow them: least squares."""

from __future__ import annotations

from typing import Any

from .._graph.iterate import iterate
from .._spatial.linear_algebra import Ldl, add_diagonal
from .._spatial.scalar import Scalar, epsilon, maximum, where
from .._spatial.sums import dot
from .search import LIMIT, SHORT
from .tree import BodyList, JointCoordinates, JointForces, Tree


def unattached_rates(tree: Tree, qd: BodyList) -> tuple[Scalar, ...]:
    """Rates of them that come closest to velocities of all joints, with the tree at q."""
    rows, off = _columns(tree), _off(tree, tree.rates(_without(tree, qd)), qd)
    return _least_squares(rows, off, 0.0)


def unattached_forces(tree: Tree, tau: JointForces) -> JointForces:
    """Forces of joints that do the same as those of coordinates that belong to none, the least."""
    rows = _columns(tree)
    if not rows:
        return tau
    normal = Ldl([[dot(a, b) for b in zip(*rows, strict=True)] for a in zip(*rows, strict=True)])
    x, found = normal.solve(list(tau[0])), JointForces(tau)
    each = iter(dot(row, x) for row in rows)
    for i, n in tree.followers.items():
        found[i] = tuple(next(each) for _ in range(n))
    return found


def unattached_positions(tree: Tree, q: BodyList, near: Any) -> JointCoordinates:
    """Coordinates of all joints as close to `q` as those that follow can come.

    Levenberg's and Marquardt's method, downhill from those of `near`, where it is needed at all.
    """
    if not tree.joint[0].nv:
        return tree.positions(tree.vector(q))

    def placed(y: Any) -> JointCoordinates:
        return tree.positions(tree.vector(JointCoordinates([tuple(y), *q[1:]])))

    def step(values: Any) -> tuple[Any, Scalar]:
        y, damping = values
        here = placed(y)
        e = _off(tree, here, q)
        dy = _least_squares(_columns(tree.at(here)), e, damping)
        there = [a + b for a, b in zip(y, dy, strict=True)]
        off = _off(tree, placed(there), q)
        short = dot(dy, dy) <= (SHORT * epsilon(y[0])) ** 2 * (1.0 + dot(y, y))
        closer = dot(off, off) < dot(e, e)
        kept = [where(closer, a, b) for a, b in zip(there, y, strict=True)]
        more, less = maximum(4.0 * damping, 0.01), where(damping > 1e-6, 0.1 * damping, 0.0)
        return (kept, where(closer, less, more)), short

    y, _ = iterate(step, (list(near[0]), 0.0), LIMIT, name="search").values
    return placed(y)


def _columns(tree: Tree) -> list[list[Scalar]]:
    """Slopes of the coordinates of joints that follow by those that belong to none."""
    n = tree.joint[0].nv
    rows = (row for each in tree.led.slopes.values() for row in each)
    return [[row.get(k, 0.0) for k in range(n)] for row in rows] if n else []


def _off(tree: Tree, here: BodyList, there: BodyList) -> list[Scalar]:
    """What joints that follow others are away."""
    pairs = (pair for i in tree.followers for pair in zip(there[i], here[i], strict=True))
    return [a - b for a, b in pairs]


def _without(tree: Tree, qd: BodyList) -> list[Scalar]:
    """Velocities with those of coordinates that belong to no joint at rest."""
    return tree.vector(JointCoordinates([tree.zero(0), *qd[1:]]))


def _least_squares(rows: list, off: list, damping: Scalar) -> tuple[Scalar, ...]:
    columns = list(zip(*rows, strict=True))
    normal = [[dot(a, b) for b in columns] for a in columns]
    damped = add_diagonal(normal, [damping] * len(columns))
    return tuple(Ldl(damped).solve([dot(a, off) for a in columns]))
