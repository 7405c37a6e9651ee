"""Limits of joints that hold: rows that act before they are passed, and push one way only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from .._spatial.scalar import Scalar
from ..errors import ModelError
from .element import BACK, Element, Here, check_numbers, described

if TYPE_CHECKING:
    from .._model.model import Model

Bounds = tuple[tuple[float, ...], ...]
SAME = 1e-9
"""Limits that joints which follow each other have may differ by this much."""


@dataclass(frozen=True)
class JointLimits(Element):
    """Joints that stay between limits, and stop there without bouncing (S19 2.121).

    Steps end at a limit at the earliest, not beyond it; what is beyond comes back slowly. Those of
    a model hold in every scene, `ar.Scene(model, limits=False)` excepted.

    Attributes:
        of: names of the joints; all that have limits when left out.
        lower: lower limits, a number or tuple for each joint; the model's when left out.
        upper: upper limits, likewise.
        back: how fast a joint that is beyond its limits comes back [1/s].
        ahead: whether limits act before they are passed; else only where a step starts beyond, and
            joints pass them by as much as they move in one (RedMax's rule).
    """

    of: Sequence[str] | None = None
    lower: Bounds | None = None
    upper: Bounds | None = None
    back: float = BACK
    ahead: bool = True
    near = 1e-3  # coordinates do not bend

    def __post_init__(self) -> None:
        if isinstance(self.of, str):
            object.__setattr__(self, "of", (self.of,))
        names = self.of is None or isinstance(self.of, Sequence)
        if not names or not all(isinstance(x, str) for x in self.of or ()):
            raise ModelError(
                f"JointLimits are of {self.of!r}. Give names of joints, or none for all."
            )
        check_numbers(self, back=self.back)

    @property
    def joints(self) -> tuple[str, ...]:  # type: ignore[override]
        return () if self.of is None else tuple(self.of)

    def fitted(self, model: Model) -> Self:
        known = limits_of(model)
        of = tuple(known) if self.of is None else tuple(self.of)
        numbers = {b.joint_name: i for i, b in enumerate(model.bodies, 1)} | model.figure.leaders
        own = {joint: model.tree.joint[numbers[joint]] for joint in of}
        for joint, kind in own.items():
            if kind.nq != kind.nv:
                raise ModelError(
                    f"{described(self)} limits joint {joint!r}, whose {kind.nq} coordinates have "
                    f"{kind.nv} velocities. Limits are for joints whose coordinates have one each."
                )
        none = {joint: ((-math.inf,) * k.nq, (math.inf,) * k.nq) for joint, k in own.items()}
        given = [known.get(joint, none[joint]) for joint in of]
        lower = self.lower if self.lower is not None else tuple(low for low, _ in given)
        upper = self.upper if self.upper is not None else tuple(high for _, high in given)
        low, high = (_by_joint(self, name, x, own) for name, x in
                     (("lower", lower), ("upper", upper)))  # fmt: skip
        for joint, a, b in zip(of, low, high, strict=True):
            if not all(x <= y for x, y in zip(a, b, strict=True)):
                raise ModelError(
                    f"{described(self)} keeps joint {joint!r} between {a} and {b}. Give lower "
                    "limits that are not above the upper ones."
                )
        if not any(map(math.isfinite, (x for each in (*low, *high) for x in each))):
            raise ModelError(
                f"{described(self)} finds no limit there. Give `lower` and `upper`, here or in the "
                "model."
            )
        return replace(self, of=of, lower=low, upper=high)

    def inequality(self, here: Here) -> list[Scalar]:
        found = []
        for q, low, high in zip(here.q, self.lower or (), self.upper or (), strict=True):
            for x, a, b in zip(q, low, high, strict=True):
                found += [] if isinstance(a, float) and a == -math.inf else [x - a]
                found += [] if isinstance(b, float) and b == math.inf else [b - x]
        return found

    def owners(self) -> list[str]:
        """The joint of each number that is kept above zero."""
        found = []
        for joint, low, high in zip(self.joints, self.lower or (), self.upper or (), strict=True):
            ends = (x for pair in zip(low, high, strict=True) for x in pair)
            found += [joint for x in ends if math.isfinite(x)]
        return found


def limits_of(model: Model) -> dict[str, tuple[tuple[float, ...], tuple[float, ...]]]:
    """(lower, upper) of each joint of a model that has limits.

    Those of a joint that follows one coordinate, at a slope that does not change, are in that
    one's.
    """
    tree, found = model.tree, {}
    held = [0] if tree.joint[0].nv else []
    for i in (*held, *tree.bodies):
        body, joint = model.figure.holder(i), tree.joint[i]
        low, high = tuple(body.lower), tuple(body.upper)  # type: ignore[arg-type]
        if joint.nq != joint.nv or not any(map(math.isfinite, (*low, *high))):
            continue
        led = _led(model, i)
        name = str(body.joint_name)
        if led is not None:
            k, offset, leader = led[0], led[1], model.figure.holder(led[2])
            ends = sorted((x - offset) / k for x in (*low, *high))
            name, before = str(leader.joint_name), (leader.lower, leader.upper)
            (a,), (b,) = found.get(name, before)
            low, high = _agreed(model, name, str(body.joint_name), max(a, ends[0]), min(b, ends[1]))
        found[name] = low, high
    return found


def _led(model: Model, i: int) -> tuple[float, float, int] | None:
    """(slope, offset, leader) of a joint that follows one coordinate at the same slope always."""
    tree = model.tree
    law = tree.map
    if law is None or i not in law.followers or not law.constant:
        return None
    slopes, leads = tree.led.slopes[i], law.depends(i)
    if len(slopes) != 1 or len(leads) != 1 or law.leaders[leads[0]] != 1:
        return None
    ((k, *_),) = (list(row.values()) for row in slopes)
    (offset,) = law.values([0.0] * sum(law.leaders.values()))[i]
    return float(k), float(offset), leads[0]


def _agreed(
    model: Model, leader: str, follower: str, low: float, high: float
) -> tuple[tuple[float], tuple[float]]:
    """Limits of a joint with those of what follows it."""
    if low > high + SAME:
        raise ModelError(
            f"joint {follower!r} of `{model.name}` follows {leader!r}, and no place is within the "
            f"limits of both: {leader!r} would be above {low:g} and below {high:g}. Change their "
            "limits, or leave them out of the scene: `limits=False`."
        )
    return (min(low, high),), (max(low, high),)


def _by_joint(element: JointLimits, name: str, given, own: dict) -> Bounds:
    """Limits as a tuple for each joint."""
    given = given if isinstance(given, tuple | list) else (given,)
    each = [tuple(x) if isinstance(x, tuple | list) else (x,) for x in given]
    if [len(x) for x in each] != [joint.nq for joint in own.values()]:
        raise ModelError(
            f"`{name}` of {described(element)} is {given!r}. Give a tuple for each of its "
            f"{len(own)} joints: {', '.join(map(repr, own))}."
        )
    real = all(isinstance(x, int | float | np.number) and x == x for own in each for x in own)
    if not real:
        raise ModelError(
            f"`{name}` of {described(element)} is {given!r}. Give numbers [rad or m]; -inf or inf "
            "where there is no limit."
        )
    return tuple(tuple(map(float, x)) for x in each)
