"""Rows over motions of bodies: of joints, and of the ports that elements of a scene have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._scene.ports import Port
from .._scene.rows import Row
from .._spatial.motions import Force, Motion
from .._spatial.scalar import Scalar, is_zero
from .._spatial.sums import total
from .._tree.tree import BodyList, Tree

UNITS = [Force.from_array([float(i == k) for i in range(6)]) for k in range(6)]
"""Rows that tell the six numbers of a motion."""
LOOSE = 6
"""As many coordinates that belong to no joint there may be: they are a motion of number 0."""


class BodyRow(NamedTuple):
    """One equation over motions of bodies, the sum of G[i] . x[i] = b.

    Attributes:
        G: its coefficients, by body; 0 stands for coordinates that belong to no joint.
        b: its right-hand side.
        at: it is eliminated behind this body, and with that behind all that can move it.
    """

    G: dict[int, Force]
    b: Scalar
    at: int

    def of(self, x: Sequence[Motion]) -> Scalar:
        """G x"""
        return total(x[i].dot(g) for i, g in self.G.items())


class BodyRows(NamedTuple):
    """Rows of a figure at a state.

    Attributes:
        tree: the figure.
        joints: rows of each joint, as they are.
    """

    tree: Tree
    joints: BodyList

    def between(self, i: int, w: Force, b: Scalar = 0.0) -> BodyRow:
        """w . (v - Xup v_parent) of a joint."""
        p = self.tree.parent[i]
        G = {i: w, p: -(self.joints[i].Xup.T @ w)} if p else {i: w}
        return BodyRow(G, b, i)

    def held(self, values: BodyList) -> list[BodyRow]:
        """What joints forbid, and what it is to be."""
        return [
            self.between(i, w, b)
            for i in self.tree.bodies
            for w, b in zip(self.joints[i].C, values[i], strict=True)
        ]

    def of_port(self, port: Port) -> list[BodyRow]:
        """How a port moves in each of its ways as bodies do."""
        if port.X is None and not port.body:
            return [BodyRow({0: f}, 0.0, 0) for f in UNITS[: port.size]]
        if port.X is None:
            return [self.between(port.body, w) for w in self.joints[port.body].W]
        G = ({port.body: port.X.T @ f} if port.body else {} for f in UNITS[: port.size])
        return [BodyRow(each, 0.0, port.body) for each in G]

    def of_row(self, row: Row) -> BodyRow:
        """A row on ports over bodies. It stands before the first joint that matters to it."""
        slopes = [x for _, own in row.at_ports for x in own]
        G = combined(slopes, [each for port, _ in row.at_ports for each in self.of_port(port)])
        start, found = self.tree.v_start, []
        for port, _ in row.at_ports:
            for i in self.tree.ancestors(port.body) if port.X is not None else [port.body]:
                own = range(start[i], start[i + 1])
                if port.X is None or i in self.tree.followers or any(j in row.G for j in own):
                    found.append(i)
        loose = any(j < start[1] for j in row.G)
        return BodyRow(G, row.b, 0 if loose else min(filter(None, found), default=0))


def combined(weights: Sequence[Scalar], rows: Sequence[BodyRow]) -> dict[int, Force]:
    """Coefficients of the weighted sum of rows."""
    found: dict[int, Force] = {}
    for k, row in zip(weights, rows, strict=True):
        if not is_zero(k):
            for i, g in row.G.items():
                found[i] = found[i] + g * k if i in found else g * k
    return found
