"""Elements with states of their own, and scenes of them."""

import functools
from dataclasses import dataclass

from scene_cases import figure, pulls

import arthron as ar


@dataclass(frozen=True)
class Leaky(ar.Element):
    """Pulls a joint by a state that follows its coordinate and forgets."""

    joint: str
    gain: float = 3.0
    leak: float = 2.0
    variables = {"x": ar.Variable(0.1)}  # noqa: RUF012

    @property
    def joints(self):
        return (self.joint,)

    def forces(self, here):
        return (-self.gain * here.states["x"],)

    def rates(self, here):
        return {"x": here.q[0][0] - self.leak * here.states["x"]}


@dataclass(frozen=True)
class Filter(ar.Element):
    """Follows the velocity of a point of a link, and pulls against it."""

    link: str
    rate: float = 5.0
    pull: float = 0.7
    variables = {"v": ar.Variable((0.1, 0.0, -0.2), scale=2.0)}  # noqa: RUF012

    @property
    def links(self):
        return (self.link,)

    def forces(self, here):
        return (here.frames[0].wrench((0, 0, 0), [-self.pull * x for x in here.states["v"]]),)

    def rates(self, here):
        v = here.frames[0].velocity((0, 0, 0))
        return {"v": [self.rate * (a - b) for a, b in zip(v, here.states["v"], strict=True)]}


@functools.cache
def leaky():
    """The figure with springs, and elements with states of one number and of three."""
    return ar.Scene(figure(), [*pulls(), Leaky("leg", name="leaky"), Filter("pad", name="filter")])
