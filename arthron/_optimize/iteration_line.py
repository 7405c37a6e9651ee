"""A line on the terminal that says how far a search for a minimum is."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

WAIT, OFTEN = 2.0, 0.1
"""Seconds after which it shows, and after which it changes."""


class IterationLine:
    """One line, rewritten, on a terminal; or calls of the user's own function."""

    def __init__(self, wanted: Any) -> None:
        """What to show.

        Args:
            wanted: False for nothing, None for a line, or a function of iteration, objective,
                violation and residual.
        """
        self.call = wanted if callable(wanted) else None
        self.wanted = self.call is None and wanted is not False and sys.stderr.isatty()
        self.began, self.last, self.shown = time.perf_counter(), 0.0, False

    def show(self, count: int, it: Any, program: Any, residual: float) -> None:
        """Say where an interior-point search is."""
        if self.due:
            violation = float(np.max(np.abs(it.r) / program.scale, initial=0.0))
            self.write(count, it.at.f / program.factor, violation, residual)

    @property
    def due(self) -> bool:
        """Whether it is to be told of an iteration."""
        now = time.perf_counter()
        early = now - self.began < WAIT or now - self.last < OFTEN
        return self.call is not None or (self.wanted and not early)

    def write(self, count: int, f: float, violation: float, residual: float) -> None:
        """Say where a search is, when that is due."""
        if not self.due:
            return
        if self.call is not None:
            self.call(count, f, violation, residual)
            return
        self.last, self.shown = time.perf_counter(), True
        print(f"\riteration {count:4}  objective {f:12.6g}  violation {violation:8.1e}  residual "
              f"{residual:8.1e}", end="", file=sys.stderr)  # fmt: skip

    def close(self) -> None:
        """Take the line away."""
        if self.shown:
            print("\r" + " " * 80 + "\r", end="", file=sys.stderr)
