"""The least value of a function under constraints, from a start."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import ModelError, ShapeError
from .nonlinear_program import NonlinearProgram, constraint_name
from .optimum import Optimum

Array = np.ndarray
LISTED = 200
"""How many of the most violated constraints are looked through for two of different names."""


def minimize(
    problem: NonlinearProgram,
    start: Any,
    *,
    tolerance: float = 1e-8,
    most: int = 1000,
    progress: bool | Callable[[int, float, float, float], None] | None = None,
    warm: Optimum | None = None,
) -> Optimum:
    """A local minimum, by an interior-point method with exact second derivatives.

    Args:
        problem: the program.
        start: where the search begins; it need not hold any constraint.
        tolerance: of the conditions of optimality, beside multipliers larger than 100.
        most: iterations.
        progress: a line on a terminal after two seconds; False for none; or a function that is
            called with iteration, objective, violation and residual.
        warm: an optimum of a similar program, where the search begins instead, with its
            multipliers.

    Returns:
        where it ended and why. Ctrl-C ends it with the point that it had reached.
    """
    try:
        import threadpoolctl  # noqa: F401

        from .interior_point import InteriorPoint, ended
        from .iteration_line import IterationLine
        from .log_barrier import BarrierProgram
        from .scaled_program import ScaledProgram
    except ImportError as missing:
        raise ModelError(
            "a search for a minimum needs SciPy and threadpoolctl: pip install 'arthron[motion]'"
        ) from missing
    if warm is not None:
        _check_warm(problem, warm)
    x = np.array(start if warm is None else warm.x, float)
    program = ScaledProgram(problem, x)
    search = InteriorPoint(BarrierProgram(program, tolerance), x, tolerance, most)
    if warm is not None:
        search.warm_from(warm)
    line = IterationLine(progress)
    try:
        with _threads().limit(limits=1, user_api="blas"):  # they wait where matrices are small
            status = search.run(line)
    except KeyboardInterrupt:
        status = "interrupted"
    finally:
        line.close()
    y, lower, upper = ended(search)
    at = search.it.at
    inside = _within_bounds(program, at)
    over, within = _violations(program, at), _violations(program, inside)
    if np.max(within, initial=0.0) <= np.max(over, initial=tolerance):
        at, over = inside, within
    f, violation = at.f / program.factor, float(np.max(over, initial=0.0))
    worst = "" if status == "solved" else _worst(problem, program, over)
    return Optimum(
        at.x, f, status, _message(status, search, f, worst), search.count, violation,
        search.residual, y, lower, upper, search.mu,
    )  # fmt: skip


@functools.cache
def _threads() -> Any:
    """What sets how many threads linear algebra has: it looks for libraries once."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _check_warm(problem: NonlinearProgram, warm: Optimum) -> None:
    given = len(warm.multipliers), np.size(warm.lower_multipliers)
    wanted = len(problem.least), len(problem.lower)
    if given != wanted:
        raise ShapeError(
            f"`warm` has multipliers of {given[0]} constraints and {given[1]} unknowns but the "
            f"program has {wanted[0]} and {wanted[1]}. Give an optimum of one with as many."
        )


def _within_bounds(program: Any, at: Any) -> Any:
    """The point with its unknowns within their bounds, which searches go beyond a little."""
    low, high = program.lower[: program.n], program.upper[: program.n]
    step = np.clip(at.coordinates, low, high) - at.coordinates
    if not np.any(step):
        return at
    return program.values(program.moved(at.x, step)) or at


def _violations(program: Any, at: Any) -> Array:
    """By how much unknowns and rows are beyond their bounds; less than zero inside."""
    w = np.concatenate([at.coordinates, at.c])
    scale = np.concatenate([np.ones(program.n), program.scale])
    return np.maximum(program.lower - w, w - program.upper) / scale


def _worst(problem: NonlinearProgram, program: Any, over: Array) -> str:
    """Which constraints or bounds are violated most, two of different names."""
    worst: dict[str, str] = {}  # by what the names of constraints begin with
    for k in np.argsort(-over, kind="stable")[:LISTED]:
        name = f"unknown {k}"
        if k >= program.n:
            name = constraint_name(problem, int(program.kept[k - program.n]))
        if over[k] > 0.0 and len(worst) < 2:
            worst.setdefault(name.split(" at ")[0], f"{name} is violated by {over[k]:.3g}")
    return ", and ".join(worst.values())


def _message(status: str, search: Any, f: float, worst: str) -> str:
    """The status as a sentence."""
    count = f"{search.count} iteration{'s' * (search.count != 1)}"
    error = f"{search.residual:.1e}"
    bad = f"; {worst}" if worst else ""
    goes = {
        "solved": f"solved in {count}: the conditions of optimality hold to {error}.",
        "stalled": f"stalled after {count}: the conditions of optimality hold to {error}, where "
        f"{search.tolerance:.0e} was asked for{bad}. Scale unknowns and constraints to about one, "
        "or ask for less.",
        "infeasible": f"no point near holds all constraints: where they are violated least, "
        f"{worst or 'none is'}. Widen it, or start elsewhere.",
        "unbounded": f"the objective has no least value: it was {f:.3g} after {count}{bad}. Add "
        "bounds.",
        "too many iterations": f"not solved in {count}: the conditions of optimality hold to "
        f"{error}{bad}. Allow more with `most`, or start nearer.",
        "interrupted": f"interrupted after {count}: the conditions of optimality hold to {error}"
        f"{bad}.",
    }  # fmt: skip
    return goes[status]
