"""Parts of a motion: how long, what is held, and how finely it is described."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from .._collision.contact import across
from .._figure.figure import Array
from .._spatial.vectors import Vec3
from ..errors import ModelError


@dataclass(frozen=True)
class Foothold:
    """Points of a link that stay where they are on the ground, and are pushed by it.

    Forces are in the exact cone of friction at all times, not only at samples.

    Attributes:
        link: name of the link.
        points: places on it, in its own axes [m]; one is a hoof, four are a sole.
        friction: coefficient of friction.
        height: of the ground, along its normal [m].
        normal: what is up, a unit vector in the world.
        lever: forces count in the objective as torques on a lever of this length [m]: those of
            points that balance each other are otherwise not determined.
    """

    link: str
    points: Sequence[Sequence[float]] = ((0.0, 0.0, 0.0),)
    friction: float = 0.8
    height: float = 0.0
    normal: Sequence[float] = (0.0, 0.0, 1.0)
    lever: float = 0.01

    def __post_init__(self) -> None:
        points, normal = np.array(self.points, float), np.array(self.normal, float)
        if points.ndim != 2 or points.shape[1] != 3 or not len(points):
            raise ModelError(
                f"`points` of the foothold of {self.link!r} are {self.points!r}. Give a list of "
                "points of three numbers each [m]."
            )
        if normal.shape != (3,) or not abs(np.linalg.norm(normal) - 1.0) < 1e-9:
            raise ModelError(
                f"`normal` of the foothold of {self.link!r} is {self.normal!r}. Give a unit vector."
            )
        if not self.friction >= 0.0 or not self.lever >= 0.0:
            raise ModelError(
                f"`friction` and `lever` of the foothold of {self.link!r} are {self.friction!r} "
                f"and {self.lever!r}. Give numbers of zero or more."
            )
        for name, x in (("points", points), ("normal", normal)):
            rows = tuple(map(tuple, x.tolist())) if x.ndim > 1 else tuple(x.tolist())
            object.__setattr__(self, name, rows)

    def axes(self) -> Array:
        """Two unit vectors along the ground, and its normal, as rows."""
        return np.array([*across(Vec3(*self.normal)), self.normal], float)


@dataclass(frozen=True)
class Phase:
    """A part of a motion in which the same points are held.

    Attributes:
        duration: how long it takes [s]; (least, most) where that is to be found.
        spans: polynomials that a spline has in it.
        degree: of these. Accelerations, and with them joint forces, are as smooth as splines of
            two degrees less.
        footholds: what is held, one or several.
        knots: where polynomials meet, from 0 to 1, if they are not as long as each other.
    """

    duration: float | tuple[float, float]
    spans: int = 12
    degree: int = 5
    footholds: Sequence[Foothold] = ()
    knots: Any = None

    def __post_init__(self) -> None:
        numbers = np.asarray(self.duration).dtype.kind in "iuf" and np.size(self.duration) in (1, 2)
        if not numbers or not 0.0 < self.shortest <= self.longest < np.inf:
            raise ModelError(
                f"`duration` of a phase is {self.duration!r}. Give a time above zero [s], or two "
                "of them, (least, most)."
            )
        if not isinstance(self.degree, Integral) or self.degree < 3:
            raise ModelError(
                f"`degree` of a phase is {self.degree!r}. Give a whole number of 3 or more: of "
                "less, accelerations jump."
            )
        if not isinstance(self.spans, Integral) or self.spans < 1:
            raise ModelError(f"`spans` of a phase is {self.spans!r}. Give 1 or more.")
        given = self.footholds
        given = tuple(given) if isinstance(given, Sequence) else (given,)
        for foothold in given:
            if not isinstance(foothold, Foothold):
                raise ModelError(
                    f"`footholds` of a phase has {foothold!r} among it. Give `Foothold`s of "
                    "`ar.spacetime`, such as `Foothold('left_foot', points)`."
                )
        object.__setattr__(self, "footholds", given)

    @property
    def shortest(self) -> float:
        """The least time that it may take [s]."""
        return float(self.duration[0] if isinstance(self.duration, tuple | list) else self.duration)

    @property
    def longest(self) -> float:
        """The most [s]."""
        return float(self.duration[1] if isinstance(self.duration, tuple | list) else self.duration)

    @property
    def start_duration(self) -> float:
        """What a search begins with [s]."""
        return 0.5 * (self.shortest + self.longest)

    def breaks(self) -> Array:
        """Where polynomials meet, from 0 to 1."""
        if self.knots is None:
            return np.linspace(0.0, 1.0, self.spans + 1)
        found = np.asarray(self.knots, float)
        if found.ndim != 1 or len(found) < 2 or found[0] != 0.0 or found[-1] != 1.0:
            raise ModelError(
                f"`knots` of a phase are {self.knots!r}. Give numbers that increase from 0 to 1."
            )
        return found
