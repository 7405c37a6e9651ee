"""Springs and cables: lines through points of links, under tension k (l - L) + d dl/dt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from .._spatial.scalar import Scalar, divide, maximum, sqrt, where
from .._spatial.vectors import Vec3
from ..errors import ModelError
from .element import Element, Here, MovingFrame, check_numbers, described, set_floats
from .link_forces import Place, check_places

if TYPE_CHECKING:
    from .._model.model import Model


class Line(Element):
    """What springs and cables have in common."""

    points: tuple[Place, ...]
    stiffness: float
    rest: float | None
    damping: float
    slackens: ClassVar[bool]

    def __post_init__(self) -> None:
        name = type(self).__name__
        check_places(name, self.points)
        if len(self.points) < 2:
            raise ModelError(f"a {name} has {len(self.points)} points. Give two or more.")
        check_numbers(self, stiffness=self.stiffness, damping=self.damping)
        if self.rest is not None:
            check_numbers(self, rest=self.rest)
            if self.rest < 0.0:
                raise ModelError(
                    f"the rest length of {described(self)} is {self.rest!r}. Give a length [m], or "
                    "leave it out: it is then as long as at the start."
                )
        places = ("points",) if "points" in self.__dataclass_fields__ else ("a", "b")
        set_floats(self, *places, "stiffness", "rest", "damping")

    @property
    def links(self) -> tuple[str | None, ...]:  # type: ignore[override]
        return tuple(link for link, _ in self.points)

    @property
    def open_at_start(self) -> tuple[str, ...]:
        return ("rest",) if self.rest is None else ()

    def at_start(self, here: Here) -> Mapping[str, Scalar]:
        return {"rest": self._line(here.frames)[0]}

    def length(self, model: Model, q: ArrayLike) -> np.ndarray:
        """How long it is at `q`, (...) [m]."""
        q, at = np.asarray(q, float), []
        for link, point in self.points:
            T = np.eye(4) if link is None else model.frame_pose(q, link)
            at.append(T[..., :3, :3] @ np.array(point) + T[..., :3, 3])
        parts = (np.linalg.norm(b - a, axis=-1) for a, b in pairwise(at))
        return np.broadcast_to(sum(parts), q.shape[:-1])[()]

    def forces(self, here: Here) -> tuple:
        length, rate, along = self._line(here.frames)
        tension = self.stiffness * (length - self.rest) + self.damping * rate
        if self.slackens:
            tension = where(length > self.rest, maximum(tension, 0.0), 0.0)
        forces = [Vec3() for _ in here.frames]
        for k, u in enumerate(along):
            forces[k], forces[k + 1] = forces[k] + u * tension, forces[k + 1] - u * tension
        each = zip(here.frames, self.points, forces, strict=True)
        return tuple(frame.wrench(p, f) for frame, (_, p), f in each)

    def energy(self, here: Here) -> Scalar:
        longer = self._line(here.frames)[0] - self.rest
        stretch = maximum(longer, 0.0) if self.slackens else longer
        return 0.5 * self.stiffness * stretch * stretch

    def _line(self, frames: Sequence[MovingFrame]) -> tuple[Scalar, Scalar, list[Vec3]]:
        """Length, its rate, and the direction of each part."""
        at = [frame.at(p) for frame, (_, p) in zip(frames, self.points, strict=True)]
        rates = [frame.velocity(p) for frame, (_, p) in zip(frames, self.points, strict=True)]
        length, rate, along = 0.0, 0.0, []
        for k in range(len(at) - 1):
            gap = at[k + 1] - at[k]
            square = gap.dot(gap)
            apart = square > 0.0  # points that meet have no direction between them
            part = sqrt(where(apart, square, 1.0))
            u = gap * divide(1.0, part)
            length = length + where(apart, part, 0.0)
            rate = rate + u.dot(rates[k + 1] - rates[k])
            along.append(u)
        return length, rate, along


@dataclass(frozen=True)
class Spring(Line):
    """A spring between two points that pulls and pushes, and a damper along it.

    Attributes:
        a: the first point.
        b: the second point.
        stiffness: tension per length k [N/m].
        damping: tension per rate of length d [N s/m].
        rest: rest length L [m]; as long as at the start when left out.
    """

    a: Place
    b: Place
    stiffness: float
    damping: float = 0.0
    rest: float | None = None
    slackens: ClassVar[bool] = False

    @property
    def points(self) -> tuple[Place, ...]:  # type: ignore[override]
        """Both ends."""
        return (self.a, self.b)

    @classmethod
    def per_strain(
        cls, a: Place, b: Place, stiffness: float, rest: float, damping: float = 0.0, name: str = ""
    ) -> Self:
        """A spring by tension per strain [N] and rate of strain [N s]: k e + d de/dt (S19 1.65).

        The strain is e = (l - L) / L, with the sign that damps.
        """
        k, d = _by_length(cls, stiffness, rest, damping)
        return cls(a, b, k, d, rest, name=name)


@dataclass(frozen=True)
class Cable(Line):
    """A line through points of links that pulls when taut.

    Attributes:
        points: at least two, the ends and those it runs through without friction.
        stiffness: tension per length k [N/m].
        damping: tension per rate of length d [N s/m]; it never pushes.
        rest: rest length L [m]; as long as at the start when left out.
    """

    points: tuple[Place, ...]
    stiffness: float
    damping: float = 0.0
    rest: float | None = None
    slackens: ClassVar[bool] = True

    @classmethod
    def per_strain(
        cls, points: tuple[Place, ...], stiffness: float, rest: float, damping: float = 0.0,
        name: str = "",
    ) -> Self:  # fmt: skip
        """A cable by tension per strain [N] and rate of strain [N s]: k e + d de/dt (S19 1.65)."""
        k, d = _by_length(cls, stiffness, rest, damping)
        return cls(points, k, d, rest, name=name)


def _by_length(kind: type, stiffness: float, rest: float, damping: float) -> tuple[float, float]:
    """Stiffness and damping per length, from those per strain."""
    if not isinstance(rest, int | float | np.number) or not 0.0 < rest < np.inf:
        raise ModelError(
            f"the rest length of a {kind.__name__} is {rest!r}. A strain is a change of length "
            "beside the rest length: give that above zero [m]."
        )
    return stiffness / rest, damping / rest
