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
        """Say where a search is."""
        if not self.wanted and self.call is None:
            return
        now = time.perf_counter()
        if self.call is None and (now - self.began < WAIT or now - self.last < OFTEN):
            return
        f = it.at.f / program.factor
        violation = float(np.max(np.abs(it.r) / program.scale, initial=0.0))
        if self.call is not None:
            self.call(count, f, violation, residual)
            return
        self.last, self.shown = now, True
        print(f"\riteration {count:4}  objective {f:12.6g}  violation {violation:8.1e}  residual "
              f"{residual:8.1e}", end="", file=sys.stderr)  # fmt: skip

    def close(self) -> None:
        """Take the line away."""
        if self.shown:
            print("\r" + " " * 80 + "\r", end="", file=sys.stderr)
