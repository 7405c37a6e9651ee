"""A motion that is looked for: what it costs, what holds when, and the search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._figure.figure import Array
from .._model.model import Model
from .._optimize.minimize import minimize
from .._optimize.optimum import Optimum
from ..errors import ModelError, nearest
from .build_program import Built, build
from .motion_conditions import Condition
from .motion_costs import CostTerm
from .motion_inputs import driven_coordinates
from .motion_messages import motion_message
from .motion_phase import Phase
from .optimal_motion import OptimalMotion
from .splined_motion import checked_joints

OPTIONS = ("tolerance", "most", "progress")
"""Of `solve`."""


@dataclass(frozen=True)
class MotionProblem:
    """A motion of least cost under conditions (WK88).

    Attributes:
        model: the figure.
        phases: parts of the motion, one after the other; or one.
        costs: what is minimised, the sum of these; or one.
        conditions: what has to hold when; or one condition.
        passive: joints without a motor. When left out, a joint of several coordinates on the world,
            such as a free root.
        limits: whether joints stay within the model's limits, which they do at all times then.
        gauss_newton: whether second derivatives are those of squares alone. Figures of very many
            joints compile in seconds then, rather than minutes; a search takes more iterations
            where squares stay large.
    """

    model: Model
    phases: Sequence[Phase]
    costs: Sequence[CostTerm]
    conditions: Sequence[Condition] = ()
    passive: Sequence[str] | None = None
    limits: bool = True
    gauss_newton: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.model, Model):
            raise ModelError(
                f"the model is {self.model!r}. Give an `ar.Model`, such as `ar.load` returns."
            )
        checked_joints(self.model)
        for name in ("phases", "costs", "conditions"):
            given = getattr(self, name)
            several = isinstance(given, Iterable) and not isinstance(given, str)
            object.__setattr__(self, name, tuple(given) if several else (given,))
        if not self.phases or not self.costs:
            raise ModelError("a motion needs a phase and a cost. Give one of each or more.")
        for name, method, example in (
            ("phases", "breaks", "Phase(1.0)"),
            ("costs", "asked", "TorqueEnergy()"),
            ("conditions", "wanted", "Keyframe(0, q)"),
        ):
            for each in getattr(self, name):
                if not hasattr(each, method) or isinstance(each, type):
                    raise ModelError(
                        f"`{name}` has {each!r} among it. Give {name} of `ar.spacetime`, such as "
                        f"`{example}`."
                    )
        _ = self.driven  # which says what is wrong with names

    @property
    def driven(self) -> Array:
        """Of each velocity coordinate, whether a motor is there."""
        return driven_coordinates(self.model, self.passive)

    def built(self, guess: Any = None) -> Built:
        """The nonlinear program, and where its search begins.

        Args:
            guess: configurations to begin near, as pairs (when in phases, q); on the straight way
                between the poses that conditions give, when left out.
        """
        return build(self, guess)

    def solve(self, guess: Any = None, **options: Any) -> OptimalMotion:
        """The motion.

        Args:
            guess: where the search begins, as of `built`; or a motion that was found for a problem
                with as many unknowns and conditions, which is gone on from.
            options: of `ar.optimize.minimize`: `tolerance`, `most`, `progress`.
        """
        for name in options:
            if name not in OPTIONS:
                raise ModelError(
                    f"`solve` has no option {name!r}.{nearest(name, OPTIONS)} It has `tolerance`, "
                    "`most` and `progress`."
                )
        warm = guess.optimum if isinstance(guess, OptimalMotion) else None
        built = self.built(None if warm else guess)
        if warm:
            _check_same(warm, built)
        found = minimize(built.program, built.start, warm=warm, **options)
        return OptimalMotion(self, built, replace(found, message=motion_message(found)))


def _check_same(warm: Optimum, built: Built) -> None:
    """A word on motions of other unknowns and conditions than those that are looked for."""
    program = built.program
    given = len(warm.lower_multipliers), len(warm.multipliers)
    wanted = len(program.lower), len(program.least)
    if given != wanted:
        raise ModelError(
            f"the motion that the search goes on from has {given[0]} unknowns and {given[1]} "
            f"conditions in numbers, and this problem has {wanted[0]} and {wanted[1]}. Give one of "
            "as many phases, spans and conditions; or begin near its poses, with "
            "`solve([(when in phases, q), ...])`."
        )
