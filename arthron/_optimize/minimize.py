"""The least value of a function under constraints, from a start."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import ModelError, ShapeError
from .nonlinear_program import NonlinearProgram, constraint_name
from .optimum import Optimum
from .search_options import check_options

Array = np.ndarray
LISTED, FAR = 200, 1e-4
"""How many of the most violated constraints are looked through for two of different names, and by
how much they are violated where it is not only optimality that is missing."""


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
    check_options(tolerance, most, progress)
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
    over, inside = _violations(program, at), _within_bounds(program, at)
    again = _violations(program, inside)
    if _most(again) <= max(_most(over), tolerance):
        at, over = inside, again
    f = at.f / program.factor
    worst = () if status == "solved" else _worst(problem, program, over, tolerance)
    return Optimum(
        at.x, f, status, _message(status, search, f, worst), search.count, _most(over),
        search.residual, y, lower, upper, search.mu, worst,
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


def _violations(program: Any, at: Any) -> list[tuple[int, float]]:
    """Numbers of the most violated bounds and then constraints, and by how much."""
    w = np.concatenate([at.coordinates, at.c])
    scale = np.concatenate([np.ones(program.n), program.scale])
    over = np.maximum(program.lower - w, w - program.upper) / scale
    worst = np.argsort(-over, kind="stable")[:LISTED]
    return [(int(k), float(over[k])) for k in worst if over[k] > 0.0]


def _most(over: list[tuple[int, float]]) -> float:
    return over[0][1] if over else 0.0


def _worst(
    problem: NonlinearProgram, program: Any, over: list[tuple[int, float]], tolerance: float
) -> tuple[tuple[str, float], ...]:
    """Names of the two that are violated most by more than a tolerance, of different kinds."""
    worst: dict[str, tuple[str, float]] = {}  # by what the names of constraints begin with
    for k, by in over:
        name = f"unknown {k}"
        if k >= program.n:
            name = constraint_name(problem, int(program.kept[k - program.n]))
        if by > tolerance and len(worst) < 2:
            worst.setdefault(name.split(" at ")[0], (name, by))
    return (*worst.values(),)


def _message(status: str, search: Any, f: float, violated: tuple[tuple[str, float], ...]) -> str:
    """The status as a sentence."""
    worst = ", and ".join(f"{name} is violated by {by:.3g}" for name, by in violated)
    far = bool(violated) and violated[0][1] > FAR
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
        "too many iterations": f"no point that holds all constraints was found in {count}: "
        f"{worst}. Perhaps there is none: widen what is violated, start nearer, or allow more with "
        "`most`."
        if far
        else f"not solved in {count}: the conditions of optimality hold to "
        f"{error}{bad}. Allow more with `most`, or start nearer.",
        "interrupted": f"interrupted after {count}: the conditions of optimality hold to {error}"
        f"{bad}.",
    }  # fmt: skip
    return goes[status]
