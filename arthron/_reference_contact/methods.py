"""S19's methods of contact as integrators: semi-implicit Euler, each with its own solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from .._integrators.integrator import one_of
from .._scene.setup import Setup
from .._scene.system import System
from .._simulate.in_python import InPython
from ..errors import SimulationError
from .bilateral import Turns, bilateral
from .frictionless import frictionless, frictionless_dual
from .gauss_seidel import by_gauss_seidel, compiled
from .joint_friction import bearings
from .single_qp import single_qp
from .staggered import staggered
from .step_data import Array, StepData, StepPages
from .velocity_program import ContactRows, ProgramSolution, VelocityProgram, check_tree, problem

FRICTION = "friction impulses"
"""What is remembered of friction: impulses on bodies in the last step."""


@dataclass(frozen=True)
class ContactMethod(InPython):
    """A method of contact, stepped in Python.

    Attributes:
        gamma: rate at which what overlaps comes apart, and only that touches, as in RedMax; with
            None what would overlap at the end of a step touches [1/s].
    """

    gamma: float | None = field(default=None, kw_only=True)

    stuck_message: ClassVar[str] = "the quadratic program of a step was not solved."

    def steps(self, setup: Setup, *, tau: bool) -> Any:
        """What advances a run of a scene."""
        from .method_steps import ContactSteps

        self.check(setup)
        return ContactSteps(setup, self, tau=tau)

    def check(self, setup: Setup) -> None:
        """Refuse scenes that it cannot do."""

    def solve(
        self, data: StepData, pages: StepPages, system: System, contacts: ContactRows,
        friction: Array, memo: Callable,
    ) -> tuple[ProgramSolution, Array, VelocityProgram]:  # fmt: skip
        """A step: its solution, impulses of friction on bodies, and the problem that was solved.

        Args:
            data: the state.
            pages: what does not change with it.
            system: elements with their numbers.
            contacts: points that are near.
            friction: impulses of friction on bodies in the step before.
            memo: `memo(key, make)` keeps what is made once.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class FrictionlessQP(ContactMethod):
    """Contact without friction as a quadratic program (S19 1.79, 2.101), or its dual (1.83).

    Attributes:
        dual: whether the program is that of impulses.
        coordinates: "reduced" or "maximal".
    """

    dual: bool = False
    coordinates: str = "reduced"

    def __post_init__(self) -> None:
        one_of("coordinates", self.coordinates, ("reduced", "maximal"))

    def check(self, setup: Setup) -> None:
        """Refuse joints that follow others, in maximal coordinates."""
        if self.coordinates == "maximal":
            check_tree(setup, "FrictionlessQP in maximal coordinates")

    def solve(self, data, pages, system, contacts, friction, memo):
        """One program."""
        own = problem(data, pages, contacts, self.coordinates)
        return (frictionless_dual if self.dual else frictionless)(own), friction, own


@dataclass(frozen=True)
class ProjectedGaussSeidel(ContactMethod):
    """Contact and friction as a complementarity problem, by sweeps over impulses (S19 §1.13).

    Attributes:
        sweeps: how many at most.
        tolerance: of velocities along impulses [m/s]; they end when none changes by more.
    """

    sweeps: int = 1000
    tolerance: float = 1e-10

    def __post_init__(self) -> None:
        check_end("sweeps", self.sweeps, self.tolerance)

    def solve(self, data, pages, system, contacts, friction, memo):
        """Sweeps, as native code."""
        own = problem(data, pages, contacts)
        many = len(own.C), len(own.N)
        if not sum(many):
            return frictionless(own), friction, own
        page = memo(many, lambda: compiled(system.model, *many, self.sweeps))
        return by_gauss_seidel(own, page, self.tolerance), friction, own


@dataclass(frozen=True)
class SingleQP(ContactMethod):
    """Contact and friction in one quadratic program, with pyramids (S19 1.88).

    What slides lifts off with friction times its speed.

    Attributes:
        sides: of the pyramids, 3 or more.
    """

    sides: int = 4

    def __post_init__(self) -> None:
        check_sides(self.sides)

    def solve(self, data, pages, system, contacts, friction, memo):
        """One program."""
        own = problem(data, pages, contacts)
        return single_qp(own, self.sides), friction, own


@dataclass(frozen=True)
class StaggeredProjections(ContactMethod):
    """Contact and friction in turn, each a quadratic program (S19 Alg. 7).

    Attributes:
        cones: "box", a number of sides, or "exact" (S19 2.110).
        tolerance: of the squared change of contact impulses in a turn, beside their square.
        turns: how many at most.
        warm: whether steps begin with the friction of the step before.
    """

    cones: str | int = "exact"
    tolerance: float = 1e-10
    turns: int = 100
    warm: bool = True

    per_body: ClassVar[Mapping[str, int]] = {FRICTION: 6}

    def __post_init__(self) -> None:
        check_cones(self.cones)
        check_end("turns", self.turns, self.tolerance)

    def solve(self, data, pages, system, contacts, friction, memo):
        """Turns of contact and friction."""
        own = problem(data, pages, contacts)
        push = np.einsum("bij,bi->j", data.J, friction if self.warm else 0.0 * friction)
        found = staggered(own, self.cones, push, self.tolerance, self.turns)
        return found, np.einsum("k,kbi->bi", found.tangential, contacts.T), own


@dataclass(frozen=True)
class BilateralStaggeredProjections(ContactMethod):
    """Friction inside joints by their reactions, beside that of loops and ground (S19 Alg. 8).

    Attributes:
        cones: "box", a number of sides, or "exact", of points with two tangents.
        tolerance: of the squared change of reactions in a turn, beside their square.
        turns: how many at most.
        regularization: what S19 2.114 adds to the matrix of a joint's points [1/kg]; None for the
            shortest loads that there are.
        felt: what is in velocities that friction sees: "all", reactions of joints and impulses of
            loops and ground; "reactions", as in RedMax; or "difference", what S19 2.115 has for
            reactions, which is with loops and ground in it as they are for bodies without joints.
    """

    cones: str | int = "exact"
    tolerance: float = 1e-10
    turns: int = 100
    regularization: float | None = None
    felt: str = "all"

    per_body: ClassVar[Mapping[str, int]] = {FRICTION: 6}
    joint_friction: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_cones(self.cones)
        check_end("turns", self.turns, self.tolerance)
        one_of("felt", self.felt, ("all", "reactions", "difference"))

    def check(self, setup: Setup) -> None:
        """Refuse joints that follow others, and bodies without mass or inertia of their own."""
        check_tree(setup, type(self).__name__)
        model = setup.scene.model
        for i in model.tree.bodies:
            I = np.array([[*model.tree.I[i].I.x], [*model.tree.I[i].I.y], [*model.tree.I[i].I.z]])
            if model.tree.I[i].m <= 0.0 or np.linalg.eigvalsh(I).min() <= 0.0:
                raise SimulationError(
                    f"{type(self).__name__} moves each body by itself, and "
                    f"{model.bodies[i - 1].name!r} has no mass or no inertia "
                    "about some axis. Give it a shape or an inertia."
                )

    def solve(self, data, pages, system, contacts, friction, memo):
        """Turns of reactions and friction."""
        own = problem(data, pages, contacts)
        how = Turns(self.cones, self.tolerance, self.turns, self.regularization, self.felt)
        joints = bearings(system, data, pages)
        found, push = bilateral(data, pages, own, contacts, joints, friction, how)
        return found, push, own


def check_end(name: str, most: Any, tolerance: Any) -> None:
    """Refuse no sweeps or turns, and tolerances below zero."""
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise SimulationError(f"`{name}` is {most!r}. Give a whole number, 1 or more.")
    if not isinstance(tolerance, float | int) or not 0.0 <= tolerance < np.inf:
        raise SimulationError(f"`tolerance` is {tolerance!r}. Give a number of zero or more.")


def check_cones(cones: Any) -> None:
    """Refuse cones that there are not."""
    if isinstance(cones, int) and not isinstance(cones, bool):
        check_sides(cones)
    else:
        one_of("cones", str(cones), ("box", "exact"))


def check_sides(sides: int) -> None:
    """Refuse pyramids of too few sides."""
    if sides < 3:
        raise SimulationError(f"a pyramid has {sides} sides. Give three or more.")
