"""RedMax's scenes with friction inside joints and on floors.

Bodies that the reference welds to others are bodies by themselves there, with reactions of their
own in each turn of friction: here they are on joints that are prescribed not to move, since those
of `ar.Fixed` become one with what they hang on.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scenes
from scenes import PI, Link, Y

import arthron as ar
from arthron.contacts import ContactPoint, JointFriction

BALL = 4.0 / 3.0 * PI


@dataclass(frozen=True)
class Pin(scenes.Pin):
    """A loop with a pin about y."""

    joint = Y


@dataclass(frozen=True)
class Floor(ar.Element):
    """A plane below balls of radius 1, as points: those of the reference, boxes left out."""

    balls: tuple[str, ...]
    height: float
    friction: float

    @property
    def links(self):
        return self.balls

    def contacts(self, here):
        found = []
        for k, frame in enumerate(here.frames):
            centre, up = frame.at((0.0, 0.0, 0.0)), ar.spatial.Vec3(0.0, 0.0, 1.0)
            gap = centre.z - self.height - 1.0
            found.append(ContactPoint(k, gap, centre - up, up, None, self.friction))
        return found


@dataclass(frozen=True, eq=False)
class Case:
    """A scene with friction, and how the reference solves it."""

    name: str
    scene: ar.Scene
    q: np.ndarray
    step: float
    duration: float
    gamma: float

    @cache  # noqa: B019
    def run(self, felt: str) -> ar.Trajectory:
        """The trajectory, with stops of turns and loads of points as in the reference."""
        how = ar.integrators.BilateralStaggeredProjections(
            "box", 1e-3, 100, 1e-6, felt, gamma=self.gamma
        )
        return ar.simulate(
            self.scene, self.duration, self.step, q=self.q, integrator=how, progress=False
        )


def ball(parent: int, at: Any, centre: Any = (0.0, 0.0, 0.0)) -> Link:
    """A ball of water, held."""
    moments = 0.4 * BALL * np.eye(3)
    inertia = ar.Inertia.from_com(BALL, centre, moments)
    return Link(Y, (0.0,), (), parent, at, centre=centre, inertia=inertia)


def case(
    name: str, links: list[Link], step: float, duration: float, gamma: float, friction: dict,
    held: tuple[int, ...] = (), more: tuple = (),
) -> Case:  # fmt: skip
    """A case out of its links; `friction` is what is inside joints, by number or name."""
    still = [ar.Prescribed(f"link {k}", position=lambda t: 0.0 * t) for k in held]
    inside = [JointFriction(k if isinstance(k, str) else f"link {k}", *x)
              for k, x in friction.items()]  # fmt: skip
    one = scenes.case(name, links, step, duration, [*more, *inside], prescribed=still)
    return Case(name, one.scene, one.q, step, duration, gamma)


def revolute() -> Case:
    Z = ar.Revolute("z")
    links = [Link(Z, at=ar.pose(rpy=(PI / 4, 0.0, 0.0))), Link(Z, (), (), 0, (10.0, 0.0, 0.0))]
    inside = {0: (0.6, 0.5, 1.0), 1: (0.6, 0.5, 1.0)}
    return case("Internal friction revolute", links, 0.01, 1.0, 5.0, inside)


def prismatic() -> Case:
    X = ar.Prismatic("x")
    links = [
        Link(X, at=ar.pose(rpy=(0.0, PI / 3, 0.0))),
        Link(X, (), (), 0, (10.0, 0.0, 0.0)),
    ]
    box = (0.8, 0.0, 0.0, (5.0, 0.5, 5.0))
    return case("Internal friction prismatic", links, 0.01, 1.0, 5.0, {0: box, 1: box})


def four_bar_links(root: Link) -> list[Link]:
    z, small = 5.962847939999439, (0.5, 0.5)
    across, along = math.atan2(0.85183541999992, 0.5238095238095237), math.acos(1.0 / 9.0)
    return [
        root,
        Link(Y, (0.0,), (), 0, (-5.0, 0.0, 0.0), (4.0, *small), (2.0, 0.0, 0.0)),
        Link(Y, (0.0,), (), 1, (4.0, 0.0, 0.0), (14.0, *small),
             ar.pose((11.0 / 3.0, 0.0, z), (0.0, -across, 0.0))),
        Link(Y, (0.0,), (), 2, (22.0 / 3.0, 0.0, 2.0 * z), (12.0, *small),
             ar.pose((-2.0 / 3.0, 0.0, -z), (0.0, -along, 0.0))),
    ]  # fmt: skip


def pin(gamma: float) -> Pin:
    ends = ("centre 3", (-6.0, 0.0, 0.0)), ("centre 0", (5.0, 0.0, 0.0))
    return Pin(*ends, gamma, name="pin")


def four_bar() -> Case:
    root = Link(Y, size=(10.0, 0.5, 0.5), centre=(0.0, 0.0, 0.0))
    inside = dict.fromkeys((1, 2, 3, "pin"), (0.3, 0.5, 0.5))
    name = "Internal friction 4-bar linkage"
    return case(name, four_bar_links(root), 0.005, 1.0, 200.0, inside, (0,), (pin(200.0),))


def floor() -> Case:
    links = [
        Link(Y, (PI / 4,)),
        Link(Y, (-PI / 4,), (), 0, (10.0, 0.0, 0.0)),
        ball(1, (10.0, 0.0, 0.0)),
    ]
    inside = {0: (0.1, 1.0, 1.0), 1: (0.1, 1.0, 1.0)}
    below = (Floor(("centre 2",), -15.0, 0.2),)
    return case("External friction", links, 0.01, 2.0, 10.0, inside, (2,), below)


def rolling_four_bar() -> Case:
    """A linkage on four balls, with a crank that goes round at two turns a second."""
    root = Link(
        ar.Composite([ar.Spherical("exponential"), ar.Translational()]),
        at=(0.0, 0.0, 1.0),
        size=(10.0, 0.5, 0.5),
        centre=(0.0, 0.0, 0.0),
    )
    axle = ar.pose(rpy=(PI / 2, 0.0, 0.0))
    mass, (across, along) = PI * 0.25 * 5.0, (8.426667794785123, 0.4908738521234052)
    inertia = ar.Inertia.from_com(mass, (0.0, 0.0, 0.0), (across, along, across))
    links = [
        *four_bar_links(root),
        ball(0, (0.0, 0.0, 0.0), (-5.0, 0.0, 0.0)),
        ball(0, (0.0, 0.0, 0.0), (5.0, 0.0, 0.0)),
        Link(Y, (0.0,), (), 2, (0.0, 0.0, 0.0), centre=axle, inertia=inertia),
        ball(6, (0.0, 0.0, 0.0), (0.0, 2.5, 0.0)),
        ball(6, (0.0, 0.0, 0.0), (0.0, -2.5, 0.0)),
    ]
    inside = dict.fromkeys((1, 2, 3, "pin"), (0.8, 0.5, 0.5))
    more = (
        pin(20.0),
        scenes.Rate("link 1", 4.0 * PI),
        Floor(tuple(f"centre {k}" for k in (4, 5, 7, 8)), 0.0, 0.8),
    )
    held = (4, 5, 6, 7, 8)
    name = "External friction 4-bar linkage"
    return case(name, links, 0.005, 1.0, 20.0, inside, held, more)


CASES = {"27": revolute, "29": prismatic, "30": four_bar, "31": floor, "33": rolling_four_bar}
"""By the number of the scene."""


@cache
def found(key: str) -> Case:
    """The case of a scene, made once."""
    return CASES[key]()
