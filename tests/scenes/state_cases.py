"""Elements with states of their own, scenes of them, and a figure of every kind of joint."""

import functools
from dataclasses import dataclass

import pytest
from scene_cases import JOINTS, figure, pulls

import arthron as ar
from arthron._compile.run.cpu import CPU


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


def figure_of_all(heavier=1.0, placement=None, kinds=tuple(JOINTS)):
    """A branching figure with every kind of joint, or some, and bodies off their axes."""
    place = ar.pose((0.1, 0.2, -0.3), (0.2, 0.1, 0.4)) if placement is None else placement
    bodies, names = [], []
    for k, name in enumerate(kinds):
        mass = heavier * (1.0 + 0.1 * k)
        box = ar.Box((0.3, 0.2, 0.4), mass=mass, placement=ar.pose((0.1, 0.05, -0.2)))
        parent = names[(k - 1) // 2] if k else None
        bodies.append(
            ar.Body(name, JOINTS[name], parent, place, shapes=[box], joint_name=f"j {name}")
        )
        names.append(name)
    return ar.Model(bodies, name="all")


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """Names of what was compiled since, with nothing in the cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found, real = [], CPU.assemble

    def assemble(self, program, *rest):
        found.append(tuple(program.inputs))
        return real(self, program, *rest)

    monkeypatch.setattr(CPU, "assemble", assemble)
    return found
