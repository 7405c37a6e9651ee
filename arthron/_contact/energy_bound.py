"""What bounces brings no energy in.

By Newton's law of restitution a point comes back with a part of its normal velocity, whatever
friction does meanwhile, and that may take more energy than there was (K84). Without bounces no
solution has more than it began with: u^T gamma <= 0 at each point where nothing is wanted, so that
kinetic energy is less by gamma^T (J A^-1 J^T) gamma / 2 at least. Where the solution with all
bounces has more, it is mixed with that without, which leaves points apart and impulses in cones, as
both of them do: as much of the former as has the energy that there was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .._graph.iterate import iterate
from .._spatial.scalar import Scalar, maximum, minimum, sqrt, where
from .._spatial.sums import dot
from .contact_problem import ContactProblem, Impulses, mixed

ROUND = 1e-13
"""Part of the energy that is rounding."""


def without_gain(
    problem: ContactProblem, known: Sequence[Any], before: Sequence[Scalar],
    guess: Sequence[Scalar],
) -> Impulses:  # fmt: skip
    """The solution, with as much of its bounces as energy allows.

    From velocities before the step, and a guess of those at its end with impulses of the last one.

    Of kinetic energy there is no more than at the velocities without contact; and none is gained
    when forces have acted for half of the step, which is the energy that goes on with what moves.
    """
    found = problem.solution(guess, known)
    if not any(group.may_bounce for group in problem.groups):
        return found
    bounces, gains = 0.0, 0.0
    for group in problem.groups:
        bounces = maximum(bounces, group.bounces())
    found = _as_fast(problem, found, bounces)
    late = [0.5 * (x - y) for x, y in zip(problem.free, before, strict=True)]
    early = [0.0] * len(late)
    for less in (early, late):
        most = (1.0 + ROUND) * _energy(problem, problem.free, less)
        gains = maximum(gains, _energy(problem, found.v, less) > most)

    def calmer(_: tuple) -> tuple[tuple, float]:
        quiet = replace(problem, groups=[group.calm() for group in problem.groups])
        calm = quiet.solution(guess, known)
        parts = [_part(problem, found.v, calm.v, less) for less in (early, late)]
        both = mixed(found, calm, minimum(*parts))
        residual = maximum(found.residual, calm.residual)
        passes = found.iterations + calm.iterations
        return tuple(both._replace(residual=residual, iterations=passes)), 1.0

    return Impulses(*iterate(calmer, tuple(found), 1, bounces * gains, name="bounce").values)


def _as_fast(problem: ContactProblem, found: Impulses, bounces: Scalar) -> Impulses:
    """The solution in which what bounces comes back with all that is wanted, if anything does.

    What points give way, R gamma, is missing in that: with as much more wanted, by the impulses
    that are known, it is (R m)^2 of it and not R m, m being the mass that comes back.
    """

    def again(_: tuple) -> tuple[tuple, float]:
        pairs = zip(problem.groups, found.points, strict=True)
        firm = replace(problem, groups=[group.firm(own) for group, own in pairs])
        solved = firm.solution(found.v, found.points)
        passes = found.iterations + solved.iterations
        return tuple(solved._replace(iterations=passes)), 1.0

    return Impulses(*iterate(again, tuple(found), 1, bounces, name="bounces firmly").values)


def _energy(problem: ContactProblem, v: Sequence[Scalar], less: Sequence[Scalar]) -> Scalar:
    """That of velocities with some taken off."""
    return _product(problem, *[[x - y for x, y in zip(v, less, strict=True)]] * 2)


def _part(
    problem: ContactProblem, v: Sequence[Scalar], calm: Sequence[Scalar], less: Sequence[Scalar]
) -> Scalar:
    """How far one may go from calm velocities to others with no more energy than free ones have."""
    d = [x - y for x, y in zip(v, calm, strict=True)]
    a = _product(problem, d, d)
    b = _product(problem, d, [x - y for x, y in zip(calm, less, strict=True)])
    room = _energy(problem, problem.free, less) - _energy(problem, calm, less)
    room = maximum(room, 0.0)  # there is none where overlaps come apart
    root = sqrt(b * b + a * room)
    far = where(a > 0.0, (root - b) / where(a > 0.0, a, 1.0), 1.0)  # a x^2 + 2 b x = room
    return minimum(maximum(far, 0.0), 1.0)


def _product(problem: ContactProblem, x: Sequence[Scalar], y: Sequence[Scalar]) -> Scalar:
    """x^T A y / 2"""
    return 0.5 * dot(x, [dot(row, y) for row in problem.convex.A])
