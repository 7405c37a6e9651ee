"""Elements as a user would write them: with states, with constraints, with memory."""

from dataclasses import dataclass
from typing import ClassVar

import arthron as ar
from arthron.spatial import Vec3


@dataclass(frozen=True)
class Puller(ar.Element):
    """A string between two links whose tension follows a drive: a leaky integrator.

    It remembers how far it has pulled, too: two states, one of them of two numbers.
    """

    first: str
    second: str | None
    anchor: tuple[float, float, float]
    force: float
    delay: float
    drive: float = 0.8
    variables: ClassVar = {"a": ar.Variable(0.1), "path": ar.Variable((0.0, 2.0), scale=10.0)}

    @property
    def links(self):
        return (self.first, self.second)

    def gap(self, here):
        one, two = here.frames
        return two.at(self.anchor) - one.at((0.0, 0.1, 0.0))

    def forces(self, here):
        gap, (one, two) = self.gap(here), here.frames
        pull = gap * (self.force * here.states["a"] / ar.sqrt(gap.dot(gap)))
        return one.wrench((0.0, 0.1, 0.0), pull), two.wrench(self.anchor, -pull)

    def rates(self, here):
        a, gap = here.states["a"], self.gap(here)
        return {"a": (self.drive - a) / self.delay, "path": (a * a, gap.dot(gap))}


@dataclass(frozen=True)
class Rod(ar.Element):
    """A distance kept between points of two links; None is the world."""

    a: tuple
    b: tuple
    length: float

    @property
    def links(self):
        return (self.a[0], self.b[0])

    def constraint(self, here):
        one, two = here.frames
        gap = two.at(self.b[1]) - one.at(self.a[1])
        return (gap.dot(gap) - self.length * self.length) * 0.5


@dataclass(frozen=True)
class Tray(ar.Element):
    """A point of a link stays in a plane, which goes up and down."""

    link: str
    point: tuple[float, float, float]
    normal: tuple[float, float, float]
    height: float
    swing: float = 0.0
    rate: float = 6.0

    @property
    def links(self):
        return (self.link,)

    def constraint(self, here):
        (frame,) = here.frames
        height = self.height + self.swing * (1.0 - ar.cos(self.rate * here.t))
        return Vec3(*self.normal).dot(frame.at(self.point)) - height


@dataclass(frozen=True)
class Pin(ar.Element):
    """A point of a link stays where it is in the world: three rows."""

    link: str
    point: tuple[float, float, float]
    place: tuple[float, float, float]

    @property
    def links(self):
        return (self.link,)

    def constraint(self, here):
        return tuple(here.frames[0].at(self.point) - Vec3(*self.place))


@dataclass(frozen=True)
class Gear(ar.Element):
    """Two joints that turn together: a constraint on coordinates."""

    first: str
    second: str
    ratio: float
    offset: float = 0.0

    @property
    def joints(self):
        return (self.first, self.second)

    def constraint(self, here):
        return here.q[1][0] - self.ratio * here.q[0][0] - self.offset


@dataclass(frozen=True)
class PID(ar.controllers.Controller):
    """weight (k e + i (integral of e) - d qd), for any figure, with a weight for each joint."""

    target: tuple[float, ...]
    weights: tuple[float, ...]
    k: float
    i: float
    d: float

    @property
    def variables(self):
        return {"integral": ar.Variable((0.0,) * len(self.weights))}

    def error(self, here):
        tree = here.tree
        return tree.vector(ar.algorithms.difference(tree, here.q, tree.positions(self.target)))

    def forces(self, here):
        qd = here.tree.vector(here.qd)
        each = zip(self.weights, self.error(here), here.states["integral"], qd, strict=True)
        return [m * (self.k * e + self.i * x - self.d * v) for m, e, x, v in each]

    def rates(self, here):
        return {"integral": self.error(here)}
