"""Links that move as prescribed: where they should be, or how fast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .._spatial.scalar import Scalar
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from .._tree.joints import Fixed
from ..errors import ModelError
from .call_user import call_user, numbers
from .element import Element, Here, described
from .joint_rows import forbidden, units_of
from .loop import placed, transform

WELD = Fixed()


@dataclass(frozen=True)
class PrescribedMotion(Element):
    """A link, or a frame on it, that moves as prescribed; joints and forces have to follow.

    Give a `pose` or a `twist`, a traced function of time.

    Attributes:
        link: its name.
        pose: returns the frame's rotation `Mat3` and position `Vec3` in the world, or a
            `Transform`.
        twist: returns the frame's velocity, angular first, one number for each of `rows`; it starts
            where the initial state has it.
        rows: which of the six numbers of the twist are prescribed.
        axes: those of the twist, "local" or "world_aligned", as Jacobians have them.
        at: where the frame is on the link: a point or a placement.
        joint: with `pose`, what the frame may still do: `ar.Spherical()` leaves its turns free,
            `ar.Translational()` its place. Any kind whose rows have a closed form.
    """

    link: str
    pose: Callable[..., Any] | None = None
    twist: Callable[..., Any] | None = None
    rows: Sequence[int] = (0, 1, 2, 3, 4, 5)
    axes: str = "local"
    at: Any = (0.0, 0.0, 0.0)
    joint: Any = WELD

    def __post_init__(self) -> None:
        given = [f for f in (self.pose, self.twist) if f is not None]
        if len(given) != 1 or not callable(given[0]):
            raise ModelError(
                f"{described(self)} has pose {self.pose!r} and twist {self.twist!r}. Give one of "
                "them, a function of time."
            )
        rows = tuple(self.rows) if isinstance(self.rows, Sequence) else ()
        if not rows or len({*rows}) < len(rows) or not {*rows} <= {*range(6)}:
            raise ModelError(
                f"`rows` of {described(self)} is {self.rows!r}. Give numbers from 0 to 5, each "
                "once: three of the angular velocity, three of the linear one."
            )
        if self.axes not in ("local", "world_aligned"):
            raise ModelError(
                f"`axes` of {described(self)} is {self.axes!r}. Use 'local' or 'world_aligned'."
            )
        if forbidden(self.joint) is None:
            raise ModelError(
                f"the joint of {described(self)} is {self.joint!r}. Give a kind whose rows have a "
                "closed form, such as `ar.Fixed()`, `ar.Spherical()` or `ar.Translational()`; to a "
                "link that is prescribed, a `Loop` closes any."
            )
        _, at = placed("PrescribedMotion", (self.link, self.at))
        object.__setattr__(self, "at", at)
        object.__setattr__(self, "rows", rows)

    @property
    def links(self) -> tuple[str | None, ...]:  # type: ignore[override]
        return (self.link,)

    @property
    def units(self) -> Sequence[str]:  # type: ignore[override]
        return units_of(self.joint)

    def constraint(self, here: Here) -> Sequence[Scalar]:
        if self.pose is None:
            return ()
        X = self._at() @ here.frames[0].X
        rows: Any = forbidden(self.joint)
        return rows(X @ self._target(here.t).inverse())

    def velocity_constraint(self, here: Here) -> Sequence[Scalar]:
        if self.twist is None:
            return ()
        X, v = self._at() @ here.frames[0].X, self._at() @ here.frames[0].v
        turned = self.axes == "world_aligned"
        each = [*(X.R @ v.ang), *(X.R @ v.lin)] if turned else [*v.ang, *v.lin]
        who = f"the twist of {described(self)}"
        wanted = numbers(who, call_user(who, self.twist, here.t), len(self.rows), alone=False)
        return [each[k] - x for k, x in zip(self.rows, wanted, strict=True)]

    def _at(self) -> Transform:
        return transform((self.link, self.at))

    def _target(self, t: Scalar) -> Transform:
        who = f"the pose of {described(self)}"
        given = call_user(who, self.pose, t)  # type: ignore[arg-type]
        if isinstance(given, Transform):
            return given
        pair = tuple(given) if isinstance(given, tuple | list) else ()
        if len(pair) == 2 and isinstance(pair[0], Mat3) and isinstance(pair[1], Vec3):
            return Transform.from_pose(*pair)
        raise ModelError(
            f"{who} is {given!r}. Return a `Transform`, or the rotation `Mat3` and the position "
            "`Vec3` of the frame in the world."
        )
