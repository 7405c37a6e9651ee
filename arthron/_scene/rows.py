"""Rows of constraints: what velocities or accelerations have to obey, G x = b or G x >= b."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from .._algorithms.kinematics import accelerations, jacobians
from .._spatial.motions import Force
from .._spatial.scalar import Scalar, is_zero, maximum, minimum, where
from .._spatial.sums import dot
from .._tree.tree import JointColumns, Tree
from .element import BACK, NEAR, Element, Here, described
from .loads import port_columns
from .ports import Port, vectors
from .slopes import Slopes, slopes_of

FAR = 0.05
"""What is farther below zero comes back no faster than from here [rad or m]."""
AHEAD = 100.0
"""How fast what is kept above zero may get there where steps have no end [1/s]."""


class Approach(NamedTuple):
    """How what is kept above zero gets there, and comes back from below.

    Attributes:
        back: at which rate it comes back [1/s].
        ahead: whether it is kept from passing zero; else it is stopped where it has.
        near: how much faster it comes back than from where it is: as from so much farther.
    """

    back: Scalar = BACK
    ahead: bool = True
    near: float = NEAR

    def least_rate(self, gap: Scalar, h: Scalar) -> Scalar:
        """The least rate at the end of a step of length h.

        That is zero at its end, but what comes back from far below does so at a bounded rate.
        """
        if not self.ahead:
            return where(gap > 0.0, -math.inf, -gap * self.back)
        per = 1.0 / h
        back = minimum(self.back, per)  # above zero the first of these is less
        once, slowly = -per * gap, back * self.near - back * maximum(gap, -FAR)
        return where(once < slowly, once, slowly)

    def least_acceleration(self, gap: Scalar, rate: Scalar) -> Scalar:
        """The least acceleration where steps have no end: gap'' >= -2 k gap' - k^2 gap.

        As if critically damped: what is above zero stays there unless it is too fast to begin with.
        From far below the gap in it is no more than some.
        """
        k = where(gap < 0.0, self.back, AHEAD)
        least = -2.0 * k * rate - k * k * maximum(gap, -2.0 * FAR)  # at rates k FAR at most
        return least if self.ahead else where(gap > 0.0, -math.inf, least)


class Row(NamedTuple):
    """One equation, G x = b, or inequality, G x >= b.

    Attributes:
        G: its coefficients, by velocity coordinate.
        b: its right-hand side.
        fixes: whether it says what the one coordinate in it is.
        who: whose it is, in messages.
        owner: the name of that element.
        at_ports: its coefficients by the ways in which ports move, for rows that come from these.
        gap: of an inequality, how far what it keeps is above zero; None of an equation.
        approach: of an inequality, how it gets there.
        on: whether it holds as an equation, which inequalities may or may not.
    """

    G: dict[int, Scalar]
    b: Scalar
    fixes: bool = False
    who: str = ""
    owner: str = ""
    at_ports: Sequence[tuple[Port, Sequence[Scalar]]] = ()
    gap: Scalar | None = None
    approach: Approach = Approach()
    on: Scalar = 1.0

    @property
    def bound(self) -> tuple[int, float] | None:
        """(j, sign) of an inequality that bounds one coordinate: sign x[j] >= b."""
        if self.gap is None or len(self.G) != 1:
            return None
        ((j, x),) = self.G.items()
        return (j, x) if isinstance(x, float) and abs(x) == 1.0 else None

    def after(self, way: Scalar, h: Scalar) -> Row:
        """An inequality on velocities at the end of a step of length h, when it has gone a way."""
        gap = self.gap + way
        return self._replace(b=self.approach.least_rate(gap, h), gap=gap)

    def forces(self, multiplier: Scalar) -> tuple[list[Port], list]:
        """Ports that it pushes, and with which forces."""
        found = []
        for port, slopes in self.at_ports:
            own = [x * multiplier for x in slopes]
            found.append(tuple(own) if port.X is None else Force(*vectors(own)))
        return [port for port, _ in self.at_ports], found


class ConstraintRows:
    """Rows of functions that an element keeps at zero (S19 2.92 to 2.97), or above (2.121)."""

    def __init__(
        self, element: Element, ports: Sequence[Port], here: Here, what: str = "constraint",
        owner: str = "",
    ) -> None:  # fmt: skip
        self._ports, self._who, self._above = ports, described(element), what == "inequality"
        self._owner = owner
        self._approach = Approach(element.back, element.ahead, element.near)
        self._slopes: Slopes = slopes_of(element, what, ports, here)
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

    def velocity_rows(self, tree: Tree, q, h: Scalar, gamma: Scalar | None = None) -> list[Row]:
        """Rows on velocities that take what is off to zero within a step, or at a rate gamma."""
        least, rate = self._approach.least_rate, 1.0 / h if gamma is None else gamma
        b = [least(x, h) if self._above else -x * rate - y
             for x, y in zip(self._slopes.g, self._slopes.at_rest, strict=True)]  # fmt: skip
        return self._rows(tree, q, b)

    def closing_rows(self, tree: Tree, q, of: str = "errors") -> list[Row]:
        """Rows on displacements that end errors, or on velocities that end their rates."""
        return self._rows(tree, q, [-x for x in getattr(self, of)])

    def acceleration_rows(
        self, tree: Tree, q, qd, errors: ConstraintRows, alpha: Scalar, beta: Scalar
    ) -> list[Row]:
        """Rows on accelerations; errors come back by g'' = -2 alpha g' - beta^2 g (S19 1.82).

        What is kept above zero gets there likewise, ahead of time: g'' >= -2 k g' - k^2 g.
        """
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
        pairs = zip(g, rate, strict=True)
        if self._above:
            back = [self._approach.least_acceleration(x, r) for x, r in pairs]
        else:
            back = [-2.0 * alpha * r - beta * beta * x for x, r in pairs]
        b = [a - c - dot(row, curved) for a, row, c in zip(back, G, bend, strict=True)]
        return self._rows(tree, q, b)

    def _rows(self, tree: Tree, q, b: Sequence[Scalar]) -> list[Row]:
        """Slopes by ports as rows over velocity coordinates."""
        J = jacobians(tree, q) if self._on_links else None
        bodies = [set(tree.ancestors(port.body)) for port in self._ports if self._relative]
        common = set.intersection(*bodies) if bodies else set()
        found = []
        for slopes, right, gap in zip(self._slopes.G, b, self._slopes.g, strict=True):
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
            above = gap if self._above else None
            found.append(
                Row(G, right, False, self._who, self._owner, at_ports, above, self._approach)
            )
        return found
