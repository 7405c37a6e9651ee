"""What pulls at joints: springs, limits and torques, and their laws in a joint's coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._graph.derive import forward
from .._graph.evaluate import evaluate
from .._graph.graph import Graph
from .._model.joints import Joint
from .._spatial.scalar import Scalar, where
from ..errors import ModelError
from .ask import ask, numbers
from .elements import check_numbers, described


@dataclass(frozen=True)
class JointSpring:
    """A spring and a damper at a joint, per coordinate: -k (q - rest) - d qd (S19 2.68).

    Attributes:
        joint: its name.
        stiffness: one number, or one per velocity coordinate [N m/rad or N/m].
        damping: likewise [N m s/rad or N s/m].
        rest: coordinates at rest; the joint's neutral ones when left out.
    """

    joint: str
    stiffness: float | Sequence[float] = 0.0
    damping: float | Sequence[float] = 0.0
    rest: float | Sequence[float] | None = None

    def __post_init__(self) -> None:
        check_numbers(self, stiffness=self.stiffness, damping=self.damping)


@dataclass(frozen=True)
class JointLimit:
    """A stiff spring and a damper that act beyond the limits of a joint (S19 2.70).

    Attributes:
        joint: its name.
        stiffness: one number, or one per coordinate [N m/rad or N/m].
        damping: likewise, while beyond the limit [N m s/rad or N s/m].
        lower: the limits of the model when left out.
        upper: likewise.
    """

    joint: str
    stiffness: float | Sequence[float]
    damping: float | Sequence[float] = 0.0
    lower: float | Sequence[float] | None = None
    upper: float | Sequence[float] | None = None

    def __post_init__(self) -> None:
        check_numbers(self, stiffness=self.stiffness, damping=self.damping)


@dataclass(frozen=True)
class JointTorque:
    """A force at a joint that is yours: `torque(q, qd, t)`, one number or one per coordinate."""

    joint: str
    torque: Callable[..., Any]

    def __post_init__(self) -> None:
        if not callable(self.torque):
            raise ModelError(
                f"the torque at joint {self.joint!r} is {self.torque!r}. Give a function of "
                "(q, qd, t); for a constant, `lambda q, qd, t: 3.0`."
            )


class Law(NamedTuple):
    """`force(q, qd, t)` along each velocity coordinate of a joint, and potential `energy(q)`."""

    force: Callable[..., Any]
    energy: Callable[..., Scalar]


def law(element: JointSpring | JointLimit | JointTorque, joint: Joint, body: Any) -> Law:
    """The law of an element at a joint, the one that carries `body`."""
    match element:
        case JointSpring():
            return _spring(element, joint)
        case JointLimit():
            return _limit(element, joint, body)
        case JointTorque():
            return _torque(element, joint)


def damper(coefficients: tuple[float, ...]) -> Law:
    """-d qd"""
    return Law(
        lambda q, qd, t: [-d * x for d, x in zip(coefficients, qd, strict=True)], lambda q: 0.0
    )


def _given(element: Any, name: str, given: Any, n: int) -> tuple[float, ...]:
    given = given.tolist() if isinstance(given, np.ndarray) else given
    return tuple(float(x) for x in numbers(f"`{name}` of {described(element)}", given, n))


def _spring(element: JointSpring, joint: Joint) -> Law:
    n = joint.nv
    k = _given(element, "stiffness", element.stiffness, n)
    d = _given(element, "damping", element.damping, n)
    rest = joint.neutral()
    if element.rest is not None:
        rest = _given(element, "rest", element.rest, joint.nq)
        if not all(math.isfinite(x) for x in joint.normalize(rest, (0.0,) * n)[0]):
            raise ModelError(
                f"`rest` of {described(element)} is {element.rest!r}, which is no pose. Give "
                f"{joint.nq} finite numbers; a quaternion has a length."
            )

    def energy(q) -> Scalar:
        total: Scalar = 0.0
        for a, x in zip(k, joint.difference(rest, q), strict=True):
            total = total + 0.5 * a * x * x
        return total

    def force(q, qd, t) -> list[Scalar]:
        """Minus the slope of the energy, less damping."""
        with Graph.inside() as graph:
            at, e = graph.inputs(joint.nq), graph.inputs(n)
            stored = [graph.lift(energy(joint.integrate(at, e)))]
        slopes = [graph.lift(forward(graph, stored, {x.position: 1.0})[0]) for x in e]
        pull = evaluate(graph, slopes, [*q, *[0.0] * n])
        return [-x - b * r for x, b, r in zip(pull, d, qd, strict=True)]

    return Law(force, energy)


def _limit(element: JointLimit, joint: Joint, body: Any) -> Law:
    n, who = joint.nv, described(element)
    if joint.nq != n:
        raise ModelError(
            f"{who} limits {joint.nq} coordinates that have {n} velocities. Limits are for joints "
            "whose coordinates have a velocity each."
        )
    low = _given(element, "lower", body.lower if element.lower is None else element.lower, n)
    high = _given(element, "upper", body.upper if element.upper is None else element.upper, n)
    if not all(a <= b for a, b in zip(low, high, strict=True)):
        raise ModelError(f"{who} is to stay between {low} and {high}. Give lower and upper limits.")
    if not any(map(math.isfinite, (*low, *high))):
        raise ModelError(
            f"{who} finds no limit there. Give `lower` and `upper`, here or in the model."
        )
    k, d = (_given(element, name, getattr(element, name), n) for name in ("stiffness", "damping"))

    def beyond(x, lo, hi) -> Scalar:
        """How far below the lower limit, above the upper; zero between."""
        under = where(x < lo, x - lo, 0.0)
        return under + where(x > hi, x - hi, 0.0)

    def force(q, qd, t) -> list[Scalar]:
        total = []
        for x, rate, lo, hi, k_, d_ in zip(q, qd, low, high, k, d, strict=True):
            acts = where(x < lo, 1.0, where(x > hi, 1.0, 0.0))
            total.append(-k_ * beyond(x, lo, hi) - d_ * rate * acts)
        return total

    def energy(q) -> Scalar:
        total: Scalar = 0.0
        for x, lo, hi, k_ in zip(q, low, high, k, strict=True):
            total = total + 0.5 * k_ * beyond(x, lo, hi) * beyond(x, lo, hi)
        return total

    return Law(force, energy)


def _torque(element: JointTorque, joint: Joint) -> Law:
    def force(q, qd, t) -> tuple:
        given = ask(described(element), element.torque, q, qd, t)
        return numbers(f"what {described(element)} returns", given, joint.nv)

    return Law(force, lambda q: 0.0)
