"""Links that touch each other: those of a figure, several figures, and what stands around."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from .._collision.candidates import candidates, chosen
from .._spatial.scalar import Scalar
from ..errors import ModelError
from .contact_ground import SURFACE, USUAL, called, check_places, check_surface, check_velocity
from .contact_points import ContactPoint
from .element import Element, Here, Point
from .near_links import LinkPairs
from .ranges import Range

if TYPE_CHECKING:
    from .._model.model import Model


@dataclass(frozen=True)
class Links(Element):
    """Links that touch each other, with friction: all that may meet, or those that are named.

    What touches is as good as rigid unless it has a stiffness, and forces of friction are in the
    exact cone, as with `Ground`. Links without a joint of their own (`ar.Fixed()` at the world) are
    obstacles: tables, walls, height fields.

    Attributes:
        pairs: pairs of links, each side a name or a list of names; all of
            `model.collision_pairs()` when left out.
        friction: coefficient of friction. When left out that of surfaces,
            `Body.surface_friction`: the smaller one of two, as of ice on wood; that of either where
            the other one has none, and 0.8 where neither has; then it is one number, or one for
            each pair of shapes.
        restitution: part of the velocity that comes back when links meet, 0 to 1.
        stiffness: force per overlap at each point [N/m]; as good as rigid when left out.
        dissipation: of links with a stiffness, seconds by which an overlap that grows pushes as if
            it were larger: damping by stiffness [s].
        rolling_friction: the largest torque against rolling, by the normal force: how far ahead of
            its middle that may act [m].
        torsional_friction: the same against turning about the normal [m].
        velocity: how fast surfaces of what stands on the world move, as a conveyor's does [m/s]; of
            all that is named, so that what stands still has a `Links` of its own.
        max_contacts: how many pairs of shapes may touch at once. Where there are more, the deepest
            count, and runs tell of it.
        found: what may meet; the model's when left out.
    """

    pairs: Any = None
    friction: float | Sequence[float] | None = None
    restitution: float = 0.0
    stiffness: float | None = None
    dissipation: float = 0.0
    rolling_friction: float = 0.0
    torsional_friction: float = 0.0
    velocity: Point = (0.0, 0.0, 0.0)
    max_contacts: int | None = None
    found: LinkPairs | None = None
    ranges: ClassVar[Mapping[str, Range]] = SURFACE

    def __post_init__(self) -> None:
        if self.friction is not None and np.ndim(self.friction) and self.found is None:
            raise ModelError(
                f"`friction` of {called(self)} is {self.friction!r}. Give one number; for other "
                "friction between some links, give each of several `ar.contacts.Links(pairs=...)` "
                "its own, or bodies a `surface_friction`."
            )
        check_velocity(self)
        check_surface(self)
        check_places(self)

    def fitted(self, model: Model) -> Self:
        if self.found is not None:
            return self
        names = candidates(model.figure) if self.pairs is None else chosen(model.figure, self.pairs)
        moving = [both for both in names if any(model.frame(name).body for name in both)]
        if not moving:
            raise ModelError(
                f"{called(self)} has nothing that touches: no two links of `{model.name}` may "
                "meet. Give bodies `shapes` or `collision`, or name `pairs`."
            )
        if model.tree.followers:
            raise ModelError(
                f"{called(self)} is in a scene of `{model.name}`, whose joints follow others: "
                "contact between its links is not there yet. Load it without `mimic=True`, or "
                "use `ar.contacts.Ground` alone."
            )
        found = LinkPairs.of(model, moving)
        friction = self.friction
        if friction is None:
            friction = _of_surfaces(model, found)
        places = found.places(self.max_contacts)
        return replace(self, found=found, max_contacts=places, friction=friction)

    def frictions(self) -> list[Scalar]:
        """The coefficient of friction of each pair of shapes."""
        many = len(self.found.pairs) if self.found else 0
        return list(self.friction) if isinstance(self.friction, tuple) else [self.friction] * many

    def contacts(self, here: Here) -> list[ContactPoint]:
        """None that are always there."""
        return []


def _of_surfaces(model: Model, found: LinkPairs) -> float | tuple[float, ...]:
    """Coefficients of friction of pairs of shapes, or that of all."""
    own = {body.name: body.surface_friction for body in model.links}
    links = [[own.get(str(found.colliders[k].link)) for k in both] for both in found.pairs]
    each = tuple(min((x for x in both if x is not None), default=USUAL) for both in links)
    return each[0] if len(set(each)) == 1 else each
