"""A ball that squashes and stretches, keeps its volume, and bounces (R19 Fig. 2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from .._figure.body import Body
from .._figure.shapes import Sphere
from .._model.model import Model
from .._spatial.inertia import Inertia
from .._spatial.scalar import Scalar, exp, maximum, sqrt
from .._spatial.vectors import AXES, Vec3
from .._tree.joints import Joint, Prismatic
from .._tree.kinds import Free
from ..errors import ModelError
from .element import Element, Here, check_numbers, set_floats

SHARES = (-0.5, -0.5, 1.0)
"""Of the stretch u in the logarithms of an ellipsoid's axes; their sum is zero, so volume stays."""
POINT = math.sqrt(0.6)
"""How far out six points of equal mass are that move as a ball does, beside its radius."""


def squashy_ball(
    radius: float, mass: float, *, root: Joint | None = None, name: str = "ball"
) -> Model:
    """A homogeneous ball that may be longer along its z axis, and thinner across, or the reverse.

    Its half axes are r exp(-u/2), r exp(-u/2), r exp(u), u the coordinate of the joint "stretch": a
    volume of 4/3 π r³ at any u. Points of it move with the axes, so its inertias are those of the
    ellipsoid, and its kinetic energy is

        T = ½ m v² + ½ ω·Iω + ½ (m r²/5) (exp(2u) + ½ exp(-u)) u̇².

    Six points of m/6 each, at sqrt(3/5) of the half axes, have the same: they are its bodies.

    Args:
        radius: where u is zero [m].
        mass: of all of it [kg].
        root: the joint that moves it in the world; `ar.Free()` when left out. With
            `ar.Translational()` it never turns.
        name: of the figure, and of the link in its middle.
    """
    for what, x in (("radius", radius), ("mass", mass)):
        if not (isinstance(x, int | float | np.number) and 0.0 < float(x) < math.inf):
            raise ModelError(f"`{what}` of a squashy ball is {x!r}. Give a number above zero.")
    middle = Body(name, root or Free(), shapes=[Sphere(radius, mass=0.0)], collision=())
    point = Inertia.from_com(mass / 6, (0.0, 0.0, 0.0), np.zeros((3, 3)))
    dot = [Sphere(1e-3 * radius, mass=0.0)]  # nothing to see
    far = POINT * radius
    sides = [(k, side * far) for k in range(3) for side in (1.0, -1.0)]
    points = [
        Body(f"{name} {'+' if x > 0 else '-'}{'xyz'[k]}", Prismatic(AXES["xyz"[k]]), name,
             x * np.eye(3)[k], inertia=point, shapes=dot, collision=())
        for k, x in sides
    ]  # fmt: skip

    def moved(y: Sequence[Scalar]) -> dict[str, Scalar]:
        grown = [exp(share * y[0]) - 1.0 for share in SHARES]
        return {body.name: x * grown[k] for body, (k, x) in zip(points, sides, strict=True)}

    return Model([middle, *points], name=name).reduced(moved, name="stretch")


@dataclass(frozen=True)
class Squashy(Element):
    """What makes a squashy ball round again, and the ground that it bounces on.

    Its shape has the energy ½ k u², u = log s. The ground pushes the lowest point of the ellipsoid,
    by its overlap d: an energy of ½ K d². Nothing else is lost of a bounce than what the ball's
    damping and friction take. A ball that starts deep in the ground is thrown out of it.

    Attributes:
        stiffness: k [J].
        damping: torque against u̇ [J s].
        ground: K [N/m]; when left out, that which carries the ball with an overlap of a thousandth
            of its radius.
        height: of the ground, along z [m].
        friction: coefficient of friction.
        slow: speed of sliding at which friction is 1/sqrt(2) of its full force [m/s].
        link: the middle of the ball.
        joint: its stretch.
        radius: of the ball [m]; that of the link's sphere when left out.
        stretch_shares: of the stretch in the logarithms of its axes, for views.
    """

    stiffness: float
    damping: float = 0.0
    ground: float | None = None
    height: float = 0.0
    friction: float = 0.0
    slow: float = 0.1
    link: str = "ball"
    joint: str = "stretch"
    radius: float | None = None
    stretch_shares: ClassVar[tuple[float, float, float]] = SHARES

    def __post_init__(self) -> None:
        names = ("stiffness", "damping", "ground", "friction", "slow", "radius")
        given = {n: getattr(self, n) for n in names if getattr(self, n) is not None}
        check_numbers(self, height=self.height, **given)
        for name, x in given.items():
            if x < 0.0 or (x == 0.0 and name in ("stiffness", "ground", "slow", "radius")):
                least = "zero or more" if name in ("damping", "friction") else "more than zero"
                raise ModelError(f"`{name}` of a Squashy is {x!r}. Give a number of {least}.")
        set_floats(self, "height", *given)

    @property
    def links(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.link,)

    @property
    def joints(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.joint,)

    def fitted(self, model: Model) -> Self:
        radius, ground = self.radius, self.ground
        if radius is None:
            shapes = next((b.shapes for b in model.links if b.name == self.link), ())
            found = [shape.radius for shape in shapes if isinstance(shape, Sphere)]
            if not found:
                raise ModelError(
                    f"link {self.link!r} of `{model.name}` has no sphere, so the Squashy has no "
                    "radius. Give `radius`, or a figure of `ar.squash.squashy_ball`."
                )
            radius = found[0]
        if ground is None:
            weight = model.mass * float(np.linalg.norm(model.gravity))
            ground = 1e3 * (weight or 1.0) / radius
        return replace(self, radius=radius, ground=ground)

    def axes_at(self, u: Scalar) -> Vec3:
        """Half of the ellipsoid's axes [m], in the link's axes."""
        return Vec3(*(self.radius * exp(share * u) for share in SHARES))

    def _lowest(self, here: Here) -> tuple[Vec3, Scalar]:
        """The point of the ellipsoid that is lowest, in the link's axes, and its overlap [m]."""
        (frame,), ((u,),) = here.frames, here.q
        axes, down = self.axes_at(u), frame.X.E @ Vec3(0.0, 0.0, -1.0)
        reach = Vec3(*(a * n for a, n in zip(axes, down, strict=True)))
        deep = sqrt(reach.dot(reach))
        point = Vec3(*(a * x / deep for a, x in zip(axes, reach, strict=True)))
        return point, maximum(self.height + deep - frame.X.r.z, 0.0)

    def forces(self, here: Here) -> tuple:
        (frame,), ((u,),), ((rate,),) = here.frames, here.q, here.qd
        point, overlap = self._lowest(here)
        spread = Vec3(*(share * x for share, x in zip(SHARES, point, strict=True)))  # dp/du
        v = frame.velocity(point) + frame.X.R @ (spread * rate)
        slide = Vec3(v.x, v.y, 0.0)
        push = overlap * self.ground
        brake = push * self.friction / sqrt(slide.dot(slide) + self.slow * self.slow)
        force = Vec3(0.0, 0.0, push) - slide * brake
        own = spread.dot(frame.X.E @ force) - self.stiffness * u - self.damping * rate
        return frame.wrench(point, force), own

    def energy(self, here: Here) -> Scalar:
        ((u,),), (_, overlap) = here.q, self._lowest(here)
        return 0.5 * self.stiffness * u * u + 0.5 * self.ground * overlap * overlap  # type: ignore[operator]
