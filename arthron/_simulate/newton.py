"""Newton's method on a page, many rows at once."""

from __future__ import annotations

import numpy as np

from .._differentiate import jacobian
from .._page import Page
from .._scene.setup import Setup
from .integrator import Array
from .pages import compiled

ITERATIONS = 50
"""Steps of the method before it gives up."""
TOLERANCE = 1e-13
"""Step beside the largest coordinate that is as good as none."""
NEAR = 1e-8
"""The same where rounding keeps the residual from falling further."""
SMALLEST = 1e-6
"""Part of a step that is worth trying."""


class StuckError(Exception):
    """A row for which nothing was found."""

    def __init__(self, row: int) -> None:
        super().__init__("Newton's method did not converge.")
        self.row = row


class Newton:
    """Solves residual(q, ...) = 0 for q.

    Args:
        setup: what is simulated.
        name: what the pages are called.
        residual: a page `(tree, q, ...)` of nv numbers, and others behind them if it likes.
        slope: the page of its derivative by q, nv x nv; from the graph of `residual` if not given.
    """

    def __init__(self, setup: Setup, name: str, residual: Page, slope: Page | None = None) -> None:
        self._model = setup.scene.model
        self._residual = compiled(setup, f"{name}, residual", residual)
        self._slope = compiled(setup, f"{name}, slope", slope or jacobian(residual, "q"))

    def solve(self, guess: Array, *given: Array) -> tuple[Array, Array]:
        """q for each row, (rows, nq), from a guess, and the residual there; raises StuckError."""
        q, r = guess, self._residual(guess, *given)
        open_rows = np.ones(len(q), bool)
        for _ in range(ITERATIONS):
            step = self._step(q, r, given)
            q, r, taken = self._searched(q, r, step, given, open_rows)
            size = np.maximum(1.0, np.abs(q).max(-1, initial=0.0))
            whole = np.abs(step).max(-1, initial=0.0)
            stuck = open_rows & (taken == 0.0) & ~(whole <= NEAR * size)
            if stuck.any():
                raise StuckError(int(np.argmax(stuck)))
            open_rows &= (taken > 0.0) & (whole > TOLERANCE * size)
            if not open_rows.any():
                return q, r
        raise StuckError(int(np.argmax(open_rows)))

    def _step(self, q: Array, r: Array, given: tuple) -> Array:
        J, r = self._slope(q, *given), r[:, : self._model.nv]
        try:
            return -np.linalg.solve(J, r[..., None])[..., 0]
        except np.linalg.LinAlgError:  # some row's matrix is singular
            return np.stack([_solved(*row) for row in zip(J, r, strict=True)])

    def _searched(
        self, q: Array, r: Array, step: Array, given: tuple, open_rows: Array
    ) -> tuple[Array, Array, Array]:
        """(q, r, part of the step taken): halved, row by row, until the residual falls."""
        n = self._model.nv
        before = np.linalg.norm(r[:, :n], axis=-1)
        part = np.where(open_rows, 1.0, 0.0)
        while True:
            there = self._model.integrate(q, part[:, None] * step)
            found = self._residual(there, *given)
            worse = open_rows & (part > 0.0) & ~(np.linalg.norm(found[:, :n], axis=-1) <= before)
            if not worse.any():
                better = (part > 0.0)[:, None]
                return np.where(better, there, q), np.where(better, found, r), part
            part = np.where(worse, np.where(part < SMALLEST, 0.0, 0.5 * part), part)


def _solved(J: Array, r: Array) -> Array:
    try:
        return -np.linalg.solve(J, r)
    except np.linalg.LinAlgError:
        return np.full_like(r, np.nan)
