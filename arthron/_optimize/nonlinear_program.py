"""What a nonlinear program has to answer, and what it may leave to defaults."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

Array = np.ndarray


class NonlinearProgram(Protocol):
    """min f(x) subject to least <= c(x) <= most and lower <= x <= upper (cyipopt's names).

    x may lie on a manifold. Then derivatives are by steps of its tangent, at a step of zero, and a
    tangent has as many numbers as there are bounds. Such programs also have

        move(x, step): where a step leads; x + step when left out.
        coordinates(x): the numbers that bounds of unknowns speak of; x when left out.

    All may have

        names(k): what constraint k is, for messages.
        times: when unknowns and then constraints matter, for an order in which matrices are
            banded; NaN of those that matter always.

    Attributes:
        lower: least values of unknowns, -inf where there is none.
        upper: greatest values, inf where there is none.
        least: least values of constraints; those that are equal to `most` are equations.
        most: greatest values.
    """

    lower: Any
    upper: Any
    least: Any
    most: Any

    def objective(self, x: Array) -> float:
        """f."""
        ...

    def gradient(self, x: Array) -> Array:
        """df/dx."""
        ...

    def constraints(self, x: Array) -> Array:
        """c."""
        ...

    def jacobian(self, x: Array) -> Array:
        """Values of dc/dx where `jacobianstructure` says; those of the same place add up."""
        ...

    def jacobianstructure(self) -> tuple[Array, Array]:
        """Rows and columns of `jacobian`."""
        ...

    def hessian(self, x: Array, multipliers: Array, factor: float) -> Array:
        """Values of the lower triangle of d²(factor f + multipliers . c)/dx²."""
        ...

    def hessianstructure(self) -> tuple[Array, Array]:
        """Rows and columns of `hessian`, no row before its column."""
        ...


def moved(problem: Any, x: Array, step: Array) -> Array:
    """Where a step leads."""
    return problem.move(x, step) if hasattr(problem, "move") else x + step


def coordinates(problem: Any, x: Array) -> Array:
    """Numbers that bounds of unknowns speak of."""
    return problem.coordinates(x) if hasattr(problem, "coordinates") else x


def constraint_name(problem: Any, k: int) -> str:
    """What constraint k is."""
    return str(problem.names(k)) if hasattr(problem, "names") else f"constraint {k}"
