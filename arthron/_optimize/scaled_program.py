"""A nonlinear program as the search sees it: scaled, checked, without rows that say nothing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import ModelError, ShapeError
from .nonlinear_program import coordinates, moved
from .summed_entries import SummedEntries

Array = np.ndarray

STEEPEST, FLATTEST = 100.0, 1e-8
"""Gradients greater than this are scaled down to it, by this at the most."""


class Values(NamedTuple):
    """What a program is at a point: the point's coordinates, and f and c scaled."""

    x: Array
    coordinates: Array
    f: float
    c: Array


class ScaledProgram:
    """min f(x) with c(x) = s and bounds of w = (x, s), scaled so that gradients are at most 100.

    Attributes:
        problem: as it was given.
        n: how many unknowns a step has.
        m: how many rows are kept, those that have a bound.
        kept: which constraints they are.
        equal: which of the kept are equations.
        fixed: which of w do not move: unknowns with equal bounds, and slacks of equations.
        lower: least values of w.
        upper: greatest ones.
        factor: scale of f.
        scale: scales of kept rows.
    """

    def __init__(self, problem: Any, start: Array) -> None:
        self.problem = problem
        lower, upper = (_bounds(problem, name) for name in ("lower", "upper"))
        least, most = (_bounds(problem, name) for name in ("least", "most"))
        _check_pairs(lower, upper, ("lower", "upper"), lambda k: f"unknown {k}")
        _check_pairs(least, most, ("least", "most"), lambda k: f"constraint {k}")
        self.n, self.total = len(lower), len(least)
        self.kept = np.flatnonzero(np.isfinite(least) | np.isfinite(most))
        self.m = len(self.kept)
        times = getattr(problem, "times", None)
        self.times = None if times is None else np.asarray(times, float)[: self.n]
        still = lower == upper
        J, W = problem.jacobianstructure(), problem.hessianstructure()
        self.jacobian_entries = self._jacobian_entries(J, still)
        rows, cols = (np.asarray(x, int) for x in W)
        _check_places("hessianstructure", rows, cols, self.n, self.n)
        rows, cols = np.maximum(rows, cols), np.minimum(rows, cols)
        self.hessian_entries = SummedEntries(
            rows, cols, (self.n, self.n), ~(still[rows] | still[cols])
        )
        self.equal = least[self.kept] == most[self.kept]
        self.fixed = np.concatenate([still, self.equal])
        self.factor, self.scale = 1.0, np.ones(self.m)
        self._scale(start)
        self.lower = np.concatenate([lower, least[self.kept] * self.scale])
        self.upper = np.concatenate([upper, most[self.kept] * self.scale])

    def _jacobian_entries(self, given: Any, still: Array) -> SummedEntries:
        rows, cols = (np.asarray(x, int) for x in given)
        _check_places("jacobianstructure", rows, cols, self.total, self.n)
        place = np.full(self.total, -1)
        place[self.kept] = np.arange(self.m)
        kept = (place[rows] >= 0) & ~still[cols]
        return SummedEntries(place[rows], cols, (self.m, self.n), kept)

    def _scale(self, start: Array) -> None:
        """Scales from gradients at the start, where all must be numbers."""
        at = self.values(start)
        if at is None:
            self._blame(start)
        gradient, values = self.gradient(start), self.jacobian(start)
        hessian = self.hessian(start, np.zeros(self.m))
        found = (("gradient", gradient), ("jacobian", values), ("hessian", hessian))
        for name, x in found:
            if not np.all(np.isfinite(x)):
                raise ModelError(_not_a_number(f"`{name}`", x))
        steep = np.max(np.abs(gradient), initial=0.0)
        self.factor = max(FLATTEST, min(1.0, STEEPEST / max(steep, 1e-300)))
        steepest = np.zeros(self.m)
        np.maximum.at(steepest, self.jacobian_entries.rows, np.abs(values))
        self.scale = np.clip(STEEPEST / np.maximum(steepest, 1e-300), FLATTEST, 1.0)

    def _blame(self, x: Array) -> None:
        """Say which function has no value at the start."""
        if not np.all(np.isfinite(x)):
            raise ModelError(_not_a_number("the start", x))
        f = self.problem.objective(x)
        if not np.isfinite(f):
            raise ModelError(_not_a_number("`objective`", np.atleast_1d(f)))
        raise ModelError(_not_a_number("`constraints`", np.asarray(self.problem.constraints(x))))

    def values(self, x: Array) -> Values | None:
        """f and c, or None where one of them is not a number."""
        t = self.coordinates(x)
        if t.shape != (self.n,):
            raise ShapeError(
                f"a point has {t.size} coordinates but `lower` has {self.n} bounds. Give a start "
                "of as many numbers, or a program with `coordinates` that says which are bounded."
            )
        with np.errstate(all="ignore"):
            f = float(self.problem.objective(x)) * self.factor
            if not np.isfinite(f):
                return None
            c = self._rows(x) * self.scale
        return Values(x, t, f, c) if np.all(np.isfinite(c)) else None

    def _rows(self, x: Array) -> Array:
        if not self.m:
            return np.zeros(0)
        c = np.asarray(self.problem.constraints(x), float)
        if c.shape != (self.total,):
            raise ShapeError(
                f"`constraints` returned {c.size} values but `least` has {self.total}. "
                "Return one value of each constraint."
            )
        return c[self.kept]

    def coordinates(self, x: Array) -> Array:
        """Numbers that bounds of unknowns speak of."""
        return np.asarray(coordinates(self.problem, x), float)

    def moved(self, x: Array, step: Array) -> Array:
        """Where a step of unknowns leads."""
        return moved(self.problem, x, step)

    def gradient(self, x: Array) -> Array:
        """Of f scaled; nothing at unknowns that do not move."""
        with np.errstate(all="ignore"):
            g = np.asarray(self.problem.gradient(x), float) * self.factor
        if g.shape != (self.n,):
            raise ShapeError(
                f"`gradient` returned {g.size} values but there are {self.n} unknowns. "
                "Return one value of each."
            )
        return g if not hasattr(self, "fixed") else np.where(self.fixed[: self.n], 0.0, g)

    def jacobian(self, x: Array) -> Array:
        """Values of the kept rows' derivatives at their places, scaled."""
        J = self.jacobian_entries
        if not J.given:
            return np.zeros(0)
        with np.errstate(all="ignore"):
            given = np.asarray(self.problem.jacobian(x), float)
        _check_values("jacobian", given, J.given)
        return J.summed(given) * self.scale[J.rows]

    def hessian(self, x: Array, y: Array, factor: float = 1.0) -> Array:
        """Values of the Lagrangian's lower triangle, for scaled multipliers."""
        W, multipliers = self.hessian_entries, np.zeros(self.total)
        if not W.given:
            return np.zeros(0)
        multipliers[self.kept] = y * self.scale
        with np.errstate(all="ignore"):
            given = np.asarray(self.problem.hessian(x, multipliers, factor * self.factor), float)
        _check_values("hessian", given, W.given)
        return W.summed(given)


def _bounds(problem: Any, name: str) -> Array:
    x = np.asarray(getattr(problem, name), float)
    if x.ndim != 1 or np.any(np.isnan(x)):
        raise ShapeError(
            f"`{name}` has shape {x.shape}{' and NaN in it' if np.any(np.isnan(x)) else ''}, but a "
            "list of numbers was expected, infinite ones where there is no bound."
        )
    return x


def _check_pairs(low: Array, high: Array, names: tuple[str, str], name: Any) -> None:
    if low.shape != high.shape:
        raise ShapeError(
            f"`{names[0]}` has {low.size} values and `{names[1]}` {high.size}. Give as many."
        )
    wrong = np.flatnonzero(low > high)
    if len(wrong):
        k = wrong[0]
        raise ModelError(
            f"{name(k)} should be at least {low[k]:g} and at most {high[k]:g}, which nothing is. "
            f"Exchange or widen its bounds in `{names[0]}` and `{names[1]}`."
        )


def _check_places(name: str, rows: Array, cols: Array, m: int, n: int) -> None:
    if rows.shape != cols.shape:
        raise ShapeError(f"`{name}` has {rows.size} rows but {cols.size} columns. Give as many.")
    for what, x, most in (("row", rows, m), ("column", cols, n)):
        if x.size and (x.min() < 0 or x.max() >= most):
            raise ShapeError(
                f"`{name}` has {what} {x.max() if x.max() >= most else x.min()}, but they go from "
                f"0 to {most - 1}. Leave it out."
            )


def _check_values(name: str, values: Array, expected: int) -> None:
    if values.shape != (expected,):
        raise ShapeError(
            f"`{name}` returned an array of shape {values.shape} but its structure has {expected} "
            "places. Return one value of each."
        )


def _not_a_number(what: str, x: Array) -> str:
    k = int(np.flatnonzero(~np.isfinite(x))[0])
    return (
        f"{what} is {x.flat[k]} at number {k} where the search starts. Start where all functions "
        "have values."
    )
