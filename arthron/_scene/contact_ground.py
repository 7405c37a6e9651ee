"""Ground that figures stand on: a plane, rigid or nearly, or as soft as an ordinary force."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from .._collision.candidates import Collider, colliders
from .._collision.contact import Contact, across
from .._collision.pairs import contacts
from .._collision.planes import lying_mesh
from .._figure.shapes import Mesh, Shape
from .._figure.terrain import Plane
from .._spatial.motions import Force
from .._spatial.scalar import Scalar, maximum, sqrt
from .._spatial.transform import Transform
from .._spatial.vectors import AXES, Mat3, Vec3
from ..errors import ModelError
from .contact_points import ContactPoint
from .element import Element, Here, MovingFrame, Point, check_numbers, check_ranges, set_floats
from .near_links import LinkPairs
from .ranges import DIRECTION, NOT_NEGATIVE, PART, POSITIVE, Range

if TYPE_CHECKING:
    from .._model.model import Model

FLOOR = Plane()
FEW, SHORT = 64, 16
"""Points up to which each has a program of its own, and in programs that are to be short; more are
looked for, and have places."""
SURFACE = {
    "friction": NOT_NEGATIVE, "restitution": PART, "stiffness": POSITIVE,
    "dissipation": NOT_NEGATIVE, "rolling_friction": NOT_NEGATIVE,
    "torsional_friction": NOT_NEGATIVE,
}  # fmt: skip
"""What the numbers of a surface may be."""
FLAT = 1e-6
"""Part of a surface's velocity that may be along its normal, by rounding."""
USUAL = 0.8
"""Coefficient of friction where neither ground nor link has one."""


@dataclass(frozen=True)
class Ground(Element):
    """A plane that all of a figure's shapes stay above, with friction.

    As good as rigid unless it has a stiffness: what lies on it sinks in by nanometres. Forces of
    friction are never more than `friction` times the normal force, in any direction (the exact
    cone), and always oppose sliding. Steps are those of "leapfrog", "semi-implicit Euler" or
    "implicit Euler"; `SmoothGround` is for all.

    Attributes:
        friction: coefficient of friction, or one for each link of `of`; when left out, that of each
            link's surface, `Body.surface_friction`, and 0.8 of those that have none.
        height: how high it is, along its normal [m].
        normal: what is up: "x", "y" or "z", or three numbers.
        restitution: part of the velocity that comes back when something falls on it, 0 to 1.
        stiffness: force per overlap at each point [N/m]; as good as rigid when left out.
        dissipation: of ground with a stiffness, seconds by which an overlap that grows pushes as
            if it were larger: damping by stiffness [s].
        velocity: how fast its surface moves along itself, as a conveyor's does [m/s].
        of: names of the links that touch it; all that have shapes when left out.
        rolling_friction: the largest torque against rolling, by the normal force: how far ahead of
            its middle that may act [m].
        torsional_friction: the same against turning about the normal [m].
        max_contacts: how many shapes may touch it at once. Where there are more, the deepest count,
            and runs tell of it. When left out all may, up to 64 points; of figures with more, four
            shapes a body. A number makes programs shorter, and batches slower.
        shapes: those of each link; the model's when left out.
        found: the same for figures with many.
    """

    friction: float | Sequence[float] | None = None
    height: float = 0.0
    normal: Any = "z"
    restitution: float = 0.0
    stiffness: float | None = None
    dissipation: float = 0.0
    rolling_friction: float = 0.0
    torsional_friction: float = 0.0
    velocity: Point = (0.0, 0.0, 0.0)
    of: Sequence[str] | None = None
    max_contacts: int | None = None
    shapes: Sequence[Sequence[Shape]] = ()
    found: LinkPairs | None = None
    ranges: ClassVar[Mapping[str, Range]] = SURFACE | {"normal": DIRECTION}

    def __post_init__(self) -> None:
        set_plane(self)
        set_names(self)
        check_velocity(self)
        lifts = float(np.dot(self.velocity, self.normal))
        if abs(lifts) > FLAT * float(np.linalg.norm(self.velocity)):
            raise ModelError(
                f"`velocity` of {called(self)} is {self.velocity!r}, of which {lifts:g} m/s are "
                "along its normal. Give that of a surface along itself, as a conveyor's is; what "
                "goes up and down is a link on a prismatic joint, and touches by `Links`."
            )
        check_surface(self)
        check_places(self)

    @property
    def links(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self.of or ())

    def fitted(self, model: Model) -> Self:
        own = with_shapes(self, model)
        if self.found is not None or model.tree.followers:
            return own
        found = own._pairs(model)
        if self.max_contacts is None and found.points_in_all() <= FEW:
            return own
        return replace(own, found=found, max_contacts=found.places(self.max_contacts))

    def _pairs(self, model: Model) -> LinkPairs:
        floor = Collider(None, 0, FLOOR, Transform())
        each = [x for name in self.of or () for x in colliders(model.figure, name)]
        return LinkPairs.among([(x, floor) for x in each])

    def short(self, model: Model) -> Self:
        """The same with a shorter program, as pages have it."""
        found = with_shapes(self, model)._pairs(model)
        if self.max_contacts or model.tree.followers or found.points_in_all() <= SHORT:
            return self
        return replace(self, max_contacts=found.places())

    def contacts(self, here: Here) -> list[ContactPoint]:
        if self.found is not None:
            return []
        return [
            ContactPoint(
                k, x.gap, x.point, x.normal, None, friction_of(self, k), self.restitution,
                self.stiffness, self.dissipation, Vec3(*self.velocity), self.rolling_friction,
                self.torsional_friction,
            )
            for k, _, x in above_plane(self, here)
        ]  # fmt: skip

    def frictions(self) -> list[Scalar]:
        """The coefficient of friction of each pair of shapes that is looked for."""
        assert self.found is not None and self.of is not None
        links = [self.found.colliders[i].link for i, _ in self.found.pairs]
        return [friction_of(self, self.of.index(str(link))) for link in links]


@dataclass(frozen=True)
class SmoothGround(Element):
    """The same as an ordinary force, for any integrator, and for slopes by anything.

    Each point that overlaps by d is pushed out with k d (1 + c d') (HC75), and friction is smooth:
    friction times that, less where the point slides by no more than `slow`. What stands on a slope
    creeps.

    Attributes:
        friction: coefficient of friction, as of `Ground`.
        height: how high it is, along its normal [m].
        normal: what is up: "x", "y" or "z", or three numbers.
        stiffness: force per overlap k at each point [N/m]; when left out, that which carries the
            whole figure at one point that overlaps by a millimetre.
        dissipation: c [s/m].
        slow: speed at which friction is 1/sqrt(2) of its full force [m/s].
        of: names of the links that touch it; all that have shapes when left out.
        shapes: those of each link; the model's when left out.
    """

    friction: float | Sequence[float] | None = None
    height: float = 0.0
    normal: Any = "z"
    stiffness: float | None = None
    dissipation: float = 1.0
    slow: float = 0.1
    implicit = False  # slopes of one pose are none of the next, which may not touch
    of: Sequence[str] | None = None
    shapes: Sequence[Sequence[Shape]] = ()
    ranges: ClassVar[Mapping[str, Range]] = {
        "friction": NOT_NEGATIVE, "normal": DIRECTION, "stiffness": POSITIVE,
        "dissipation": NOT_NEGATIVE, "slow": POSITIVE,
    }  # fmt: skip

    def __post_init__(self) -> None:
        set_plane(self)
        set_names(self)
        check_alone(self, "stiffness", "dissipation", "slow")
        check_ranges(self, called(self))
        set_floats(self, "stiffness", "dissipation", "slow")

    @property
    def links(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self.of or ())

    def fitted(self, model: Model) -> Self:
        own = with_shapes(self, model)
        if own.stiffness is not None:
            return own
        weight = sum(I.m for I in model.tree.I[1:]) * float(np.linalg.norm(model.gravity))
        return replace(own, stiffness=1e3 * (weight or 1.0))

    def forces(self, here: Here) -> tuple[Force, ...]:
        total = [Force() for _ in here.frames]
        for k, frame, x in above_plane(self, here):
            place = frame.X.E @ (x.point - frame.X.r)
            v = frame.velocity(place)
            rate = x.normal.dot(v)
            push = self._overlap(x) * self.stiffness * maximum(1.0 - self.dissipation * rate, 0.0)
            slide = v - x.normal * rate
            brake = push * friction_of(self, k) / sqrt(slide.dot(slide) + self.slow * self.slow)
            total[k] = total[k] + frame.wrench(place, x.normal * push - slide * brake)
        return tuple(total)

    def energy(self, here: Here) -> Scalar:
        found: Scalar = 0.0
        for _, _, x in above_plane(self, here):
            d = self._overlap(x)
            found = found + 0.5 * self.stiffness * d * d  # type: ignore[operator]
        return found

    def _overlap(self, x: Contact) -> Scalar:
        return maximum(-x.gap, 0.0)


def set_plane(element: Any) -> None:
    """Check the plane of an element and its friction, and make its normal a unit vector."""
    check_numbers(element, height=element.height)
    if element.friction is not None:
        check_numbers(element, friction=element.friction)
        if np.ndim(element.friction) > 1:
            raise ModelError(
                f"`friction` of {called(element)} is {element.friction!r}. Give a number of zero "
                "or more, or one for each link."
            )
        set_floats(element, "friction")
    given = AXES.get(element.normal) if isinstance(element.normal, str) else element.normal
    try:
        n = np.array(given, dtype=float)
        size = float(np.linalg.norm(n))
    except (TypeError, ValueError):
        n, size = np.zeros(0), 0.0
    if n.shape != (3,) or not 0.0 < size < np.inf:
        raise ModelError(
            f'`normal` of {called(element)} is {element.normal!r}. Give "x", "y" or "z", or three '
            "numbers that are not all zero."
        )
    object.__setattr__(element, "normal", tuple((n / size).tolist()))
    set_floats(element, "height")


def set_names(element: Any) -> None:
    """Check the names of links that touch a plane, and make one a tuple."""
    if element.of is None:
        return
    names = (element.of,) if isinstance(element.of, str) else element.of
    several = isinstance(names, tuple | list) and len(names) > 0
    if not several or not all(isinstance(x, str) for x in names):
        raise ModelError(
            f"{called(element)} is of {element.of!r}. Give names of links, "
            '`of=("left_foot", "right_foot")`, or leave it out for all.'
        )
    object.__setattr__(element, "of", tuple(names))


def check_surface(element: Any) -> None:
    """Check the numbers of what is touched."""
    check_alone(element, *(name for name in SURFACE if name != "friction"))
    check_ranges(element, called(element))
    set_floats(element, *SURFACE)


def check_alone(element: Any, *names: str) -> None:
    """Refuse several numbers where there is one."""
    for name in names:
        if np.ndim(x := getattr(element, name)):
            raise ModelError(f"`{name}` of {called(element)} is {x!r}. Give one number.")


def check_velocity(element: Any) -> None:
    """Check how fast a surface moves."""
    if np.shape(element.velocity) != (3,):
        raise ModelError(
            f"`velocity` of {called(element)} is {element.velocity!r}. Give three numbers [m/s]."
        )
    check_numbers(element, velocity=element.velocity)
    set_floats(element, "velocity")


def check_places(element: Any) -> None:
    """Check how many pairs may touch at once."""
    most = element.max_contacts
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
        raise ModelError(
            f"`max_contacts` of {called(element)} is {most!r}. Give a whole number, 1 or more."
        )


def called(element: Any) -> str:
    """What ground is called in messages, before it is known what touches it."""
    return f"the {type(element).__name__} {element.name!r}" if element.name else (
        f"the {type(element).__name__}"
    )  # fmt: skip


def with_shapes(element: Any, model: Model) -> Any:
    """Ground with the links of a model that have shapes, and these."""
    if element.shapes:
        return element
    own = {body.name: tuple(body.collision or ()) for body in model.links if body.collision}
    own = {name: shapes for name, shapes in own.items() if model.frame(name).body}
    names = tuple(own) if element.of is None else tuple(element.of)
    missing = next((name for name in names if name not in own), None)
    if missing is not None or not names:
        who = f"link {missing!r} of `{model.name}`" if names else f"`{model.name}`"
        raise ModelError(
            f"{called(element)} has nothing to touch: {who} has no shape that moves. Give bodies "
            "some, `ar.Body(..., shapes=[ar.Box((0.1, 0.1, 0.1))])`."
        )
    fitted = replace(element, of=names, shapes=tuple(own[name] for name in names))
    if fitted.friction is None:
        given = {body.name: body.surface_friction for body in model.links}
        each = [USUAL if given[name] is None else given[name] for name in names]
        return replace(fitted, friction=each[0] if len(set(each)) == 1 else tuple(each))
    if np.ndim(fitted.friction) and len(fitted.friction) != len(names):
        raise ModelError(
            f"{called(element)} has {len(fitted.friction)} coefficients of friction for "
            f"{len(names)} links. Give one number, or one for each of {list(names)}."
        )
    return fitted


def friction_of(element: Any, k: int) -> Scalar:
    """The coefficient of friction of an element with the k-th of its links."""
    return element.friction[k] if isinstance(element.friction, tuple) else element.friction


def plane_of(element: Any) -> Transform:
    """To the axes of the plane of an element."""
    n = Vec3(*element.normal)
    n = n * (1.0 / n.norm())
    return Transform(Mat3(*across(n), n), n * element.height)


def above_plane(element: Any, here: Here) -> Iterator[tuple[int, MovingFrame, Contact]]:
    """Contacts of an element's links with its plane: number of the link, the link, the contact."""
    Y = plane_of(element)
    for k, (frame, shapes) in enumerate(zip(here.frames, element.shapes, strict=True)):
        for shape in shapes:
            meet = lying_mesh if isinstance(shape, Mesh) else contacts
            for each in meet(shape, shape.placement @ frame.X, FLOOR, Y):
                yield k, frame, each
