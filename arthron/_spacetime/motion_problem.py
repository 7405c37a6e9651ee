"""A motion that is looked for: what it costs, what holds when, and the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._figure.figure import Array
from .._model.model import Model
from .._optimize.minimize import minimize
from ..errors import ModelError
from .build_program import Built, build
from .motion_conditions import Condition
from .motion_costs import CostTerm
from .motion_inputs import driven_coordinates
from .motion_messages import motion_message
from .motion_phase import Phase
from .optimal_motion import OptimalMotion
from .splined_motion import checked_joints


@dataclass(frozen=True)
class MotionProblem:
    """A motion of least cost under conditions (WK88).

    Attributes:
        model: the figure.
        phases: parts of the motion, one after the other; or one.
        costs: what is minimised, the sum of these.
        conditions: what has to hold when.
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
        checked_joints(self.model)
        phases = (self.phases,) if isinstance(self.phases, Phase) else self.phases
        costs = self.costs if isinstance(self.costs, Sequence) else (self.costs,)
        for name, x in (("phases", phases), ("costs", costs), ("conditions", self.conditions)):
            object.__setattr__(self, name, tuple(x))
        if not self.phases or not self.costs:
            raise ModelError("a motion needs a phase and a cost. Give one of each or more.")
        for name, method, x in (
            ("costs", "asked", self.costs),
            ("conditions", "wanted", self.conditions),
        ):
            for each in x:
                if not hasattr(each, method):
                    raise ModelError(
                        f"`{name}` has {each!r} among it. Give {name} of `ar.spacetime`, such as "
                        f"`{'TorqueEnergy()' if method == 'asked' else 'Keyframe(0, q)'}`."
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
        warm = guess.optimum if isinstance(guess, OptimalMotion) else None
        built = self.built(None if warm else guess)
        found = minimize(built.program, built.start, warm=warm, **options)
        return OptimalMotion(self, built, replace(found, message=motion_message(found)))
