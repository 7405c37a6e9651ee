"""Dry friction of joints: they stand until more than that acts on them, and slip against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from .._spatial.scalar import Scalar
from ..errors import ModelError
from .contact_points import ContactPoint
from .controller import floating
from .element import Element, Here, check_numbers, described
from .ranges import NOT_NEGATIVE, Range

if TYPE_CHECKING:
    from .._model.model import Model


@dataclass(frozen=True)
class DryFriction(Element):
    """Joints with dry friction, of the same force whatever the load on them (Coulomb's).

    A joint stands where less than its friction is enough for that, and is braked by all of it where
    it moves. It is solved for together with contact and limits. What stands creeps with 1e-5 of the
    speed that its load would give it in a step: 3e-7 rad/s of a rod of 40 cm that lies flat. Steps
    are those of "leapfrog", "semi-implicit Euler" or "implicit Euler". For friction that goes
    by the load there is `JointFriction`.

    Attributes:
        of: names of joints; when left out all whose bodies have `friction`, or, with a `force`, all
            but floating ones. None that follows others: what is lost in these, add to the joint
            that they follow.
        force: the largest force of friction of each coordinate [N m or N]: a number for all, or a
            number or tuple for each joint; the model's when left out.
    """

    of: Sequence[str] | None = None
    force: Any = None
    ranges: ClassVar[Mapping[str, Range]] = {"force": NOT_NEGATIVE}

    def __post_init__(self) -> None:
        if isinstance(self.of, str):
            object.__setattr__(self, "of", (self.of,))
        if isinstance(self.force, np.ndarray):
            object.__setattr__(self, "force", self.force.tolist())
        named = self.of is None or isinstance(self.of, Sequence)
        if not named or not all(isinstance(x, str) for x in self.of or ()):
            raise ModelError(
                f"DryFriction is of {self.of!r}. Give names of joints, or none for all."
            )

    @property
    def joints(self) -> tuple[str, ...]:  # type: ignore[override]
        return () if self.of is None else tuple(self.of)

    def fitted(self, model: Model) -> Self:
        own: dict[str, tuple[float, ...]] = {
            str(body.joint_name): tuple(body.friction)  # type: ignore[arg-type]
            for i, body in enumerate(model.bodies, 1) if i not in model.tree.followers
        }  # fmt: skip
        names = self.joints
        if self.of is None and self.force is None:
            names = tuple(name for name, x in own.items() if any(x))
        elif self.of is None:
            afloat = {
                b.joint_name for i, b in enumerate(model.bodies, 1) if floating(model.tree, i)
            }
            names = tuple(name for name in own if name not in afloat)
        if not names:
            raise ModelError(
                f"{described(self)} finds no joint of `{model.name}` with `friction`. Name joints "
                'and give their force: `ar.contacts.DryFriction(("elbow",), 0.5)`.'
            )
        if len(set(names)) < len(names):
            raise ModelError(f"{described(self)} names a joint twice. Name each once.")
        for name in names:
            if name not in own and name in model.joint_names:
                raise ModelError(
                    f"{described(self)} brakes joint {name!r}, which moves as others do. Name the "
                    "joint that it follows."
                )
        sizes = [len(own[name]) for name in names]
        if self.force is None:
            given: list = [own[name] for name in names]
        elif isinstance(self.force, tuple | list):
            both = zip(self.force, [*sizes, *(1 for _ in self.force)], strict=False)
            given = [x if isinstance(x, tuple | list) else (x,) * k for x, k in both]
        else:
            given = [(self.force,) * k for k in sizes]
        if [len(x) for x in given] != sizes:
            raise ModelError(
                f"`force` of {described(self)} is {self.force!r}. Give a number, or one for each "
                f"of its {len(names)} joints, and of those with several coordinates one for each: "
                f"{', '.join(f'{n!r} has {k}' for n, k in zip(names, sizes, strict=True))}."
            )
        check_numbers(
            self,
            force=[x for each in given for x in each]
            if self.force is None or isinstance(self.force, tuple | list)
            else self.force,
        )
        if min(x for each in given for x in each) < 0.0:
            raise ModelError(
                f"`force` of {described(self)} is {self.force!r}. Give numbers of zero or more."
            )
        return replace(self, of=names, force=tuple(tuple(map(float, x)) for x in given))

    def contacts(self, here: Here) -> list[ContactPoint]:
        """None: it is met with contact, but is at no point."""
        return []

    def forces_by_coordinate(self, first: Sequence[int]) -> dict[int, Scalar]:
        """The largest force of each velocity coordinate, with the first ones of its joints."""
        each = zip(first, self.force, strict=True)
        return {j + k: x for j, own in each for k, x in enumerate(own)}
