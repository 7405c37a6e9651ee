"""Rows of constraints: what velocities or accelerations have to obey, G x = b."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._algorithms.kinematics import accelerations, jacobians
from .._spatial.motions import Force
from .._spatial.scalar import Scalar, is_zero
from .._spatial.sums import dot
from .._tree.tree import JointColumns, Tree
from .element import Element, Here, described
from .loads import port_columns
from .ports import Port, vectors
from .slopes import Slopes, slopes_of

BACK = 10.0
"""How fast constraints that are off come back where steps have no end [1/s]."""


class Row(NamedTuple):
    """One equation, G x = b.

    Attributes:
        G: its coefficients, by velocity coordinate.
        b: its right-hand side.
        fixes: whether it says what the one coordinate in it is.
        who: whose it is, in messages.
        at_ports: its coefficients by the ways in which ports move, for rows that come from these.
    """

    G: dict[int, Scalar]
    b: Scalar
    fixes: bool = False
    who: str = ""
    at_ports: Sequence[tuple[Port, Sequence[Scalar]]] = ()

    def forces(self, multiplier: Scalar) -> tuple[list[Port], list]:
        """Ports that it pushes, and with which forces."""
        found = []
        for port, slopes in self.at_ports:
            own = [x * multiplier for x in slopes]
            found.append(tuple(own) if port.X is None else Force(*vectors(own)))
        return [port for port, _ in self.at_ports], found


class ConstraintRows:
    """Rows of functions that an element keeps at zero (S19 2.92 to 2.97)."""

    def __init__(self, element: Element, ports: Sequence[Port], here: Here) -> None:
        self._ports, self._who = ports, described(element)
        self._slopes: Slopes = slopes_of(element, ports, here)
        self._on_links = any(port.X is not None and port.size for port in ports)
        self._relative = element.relative and all(port.X is not None for port in ports)

    @property
    def errors(self) -> list[Scalar]:
        """How far off they are."""
        return self._slopes.g

    @property
    def rates(self) -> list[Scalar]:
        """How fast that changes."""
        return self._slopes.rate

    @property
    def of_places(self) -> list[bool]:
        """Whether each is a function of places, and not of velocities."""
        return self._slopes.of_places

    def velocity_rows(self, tree: Tree, q, h: Scalar) -> list[Row]:
        """Rows on velocities that take what is off to zero within a step of length h."""
        b = [-x / h - y for x, y in zip(self._slopes.g, self._slopes.at_rest, strict=True)]
        return self._rows(tree, q, b)

    def acceleration_rows(self, tree: Tree, q, qd, errors: ConstraintRows, k: Scalar) -> list[Row]:
        """Rows on accelerations; errors come back at a rate k as if critically damped."""
        G, bend = self._slopes.G, self._slopes.bend
        g, rate = errors._slopes.g, errors._slopes.rate
        coasting = tree.coasting()
        a = accelerations(tree, q, qd, coasting) if self._on_links else None
        curved: list[Scalar] = []
        for port in self._ports:
            if port.X is None or a is None:
                curved += coasting[port.body] if port.size else ()
            elif port.size:
                m = port.X @ a[port.body]
                curved += [*m.ang, *m.lin]
        b = [-c - dot(row, curved) - 2.0 * k * r - k * k * x
             for x, row, r, c in zip(g, G, rate, bend, strict=True)]  # fmt: skip
        return self._rows(tree, q, b)

    def _rows(self, tree: Tree, q, b: Sequence[Scalar]) -> list[Row]:
        """Slopes by ports as rows over velocity coordinates."""
        J = jacobians(tree, q) if self._on_links else None
        bodies = [set(tree.ancestors(port.body)) for port in self._ports if self._relative]
        common = set.intersection(*bodies) if bodies else set()
        found = []
        for slopes, right in zip(self._slopes.G, b, strict=True):
            total, k, at_ports = JointColumns(), 0, []
            for port in self._ports:
                own = slopes[k : k + port.size]
                k += port.size
                at_ports += [(port, own)] if port.size else []
                for j, columns in port_columns(port, J).items() if port.size else ():
                    if j in common:
                        continue
                    before = total.get(j, [[0.0]] * len(columns))
                    pairs = zip(before, columns, strict=True)
                    total[j] = [[x + dot(own, column)] for (x,), column in pairs]
            row = tree.matrix(total)[0]
            G = {j: x for j, x in enumerate(row) if not is_zero(x)}
            found.append(Row(G, right, who=self._who, at_ports=at_ports))
        return found
