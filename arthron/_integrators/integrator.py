"""What an integrator is: a step in time, as a page over a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

from .._scene.element import Variable
from .._scene.system import State, System
from .._spatial.scalar import Scalar
from .._spatial.sums import axpy
from .._tree.body_lists import scale_list
from .._tree.configuration import integrate, normalize
from .._tree.tree import BodyList
from ..errors import SimulationError, nearest


@dataclass(frozen=True)
class Integrator:
    """A way to go on in time: derive from it, and give `step`.

    Fields of a derived dataclass are its options. What it remembers from step to step besides the
    state is its `memory`.

    Attributes:
        constraints: whether it takes rows of constraints other than those that fix coordinates.
        contact: whether it takes points of contact.
        states: whether it takes states of elements.
        solves: whether it solves equations in each step: there is a residual then.
        loops: whether it repeats something in each step: rows that are over are kept out of it.
        adaptive: whether it chooses steps of its own: a shorter one changes little then.
        projects: whether it brings constraints back itself where a scene asks for projection; else
            that is done after each step.
        stuck_message: why rows are stuck, of `{joint!r}`, if they can be.
        per_body: what it remembers of each body besides its `memory`: how many numbers, by name;
            zeros at the start.
        recorded: names of those that are part of trajectories.
    """

    constraints: ClassVar[bool] = True
    contact: ClassVar[bool] = False
    states: ClassVar[bool] = True
    solves: ClassVar[bool] = False
    loops: ClassVar[bool] = False
    adaptive: ClassVar[bool] = False
    projects: ClassVar[bool] = False
    stuck_message: ClassVar[str] = (
        "Newton's method found no end of the step; most is missing at joint {joint!r}."
    )
    per_body: ClassVar[Mapping[str, int]] = {}
    recorded: ClassVar[Sequence[str]] = ()

    def step(self, system: System, state: State, h: Scalar) -> State:
        """The state a time h later.

        With `forces`, the joint forces that constraints took, where the system has any; and
        `memory`, if the integrator has one.
        """
        raise SimulationError(
            f"{type(self).__name__} has no `step`. Give it one: `def step(self, system, state, h)` "
            "returns the state a time h later."
        )

    def memory(self, start: Mapping[str, Sequence[float]]) -> Mapping[str, Variable]:
        """What it remembers from step to step, by name, and where that starts.

        `start` has the states of the scene, "q" and "qd" among them, at its neutral pose. Variables
        that are not `saved` are as at their start whenever a run goes on from states that it kept.
        """
        return {}

    def __str__(self) -> str:
        """As one writes it."""
        given = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self))
        return f"{type(self).__name__}({', '.join(given)})"


def advanced(system: System, state: State, rate: BodyList, qd: BodyList, h: Scalar) -> State:
    """The state at the end of a step: q moves at a rate, further states at theirs now."""
    tree = system.tree
    q, qd = normalize(tree, integrate(tree, state.q, scale_list(rate, h)), qd)
    rates = system.rates(state)
    more = {name: axpy(h, rates[name], x) for name, x in state.more.items()}
    return State(state.t + h, q, qd, system.tidied(more))


def one_of(name: str, given: str, known: Sequence[str]) -> None:
    """Refuse an option that there is not."""
    if given not in known:
        raise SimulationError(
            f"`{name}` is {given!r}.{nearest(str(given), known)} There are "
            f"{', '.join(map(repr, known))}."
        )
