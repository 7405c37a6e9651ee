"""A line on the terminal that says how far a long run is."""

from __future__ import annotations

import sys
import time

WAIT = 2.0
"""Seconds of work after which it shows."""


class Bar:
    """A bar for a number of things to do; nothing is written where no terminal is."""

    def __init__(self, total: int, wanted: bool) -> None:
        self.total, self.wanted = total, wanted and sys.stderr.isatty()
        self.began, self.last, self.shown = time.perf_counter(), 0.0, False

    def show(self, done: int) -> None:
        """Say that so many are done, not more often than one can see."""
        now = time.perf_counter()
        if not self.wanted or now - self.began < WAIT or now - self.last < 0.1:
            return
        self.last, self.shown = now, True
        part = done / max(1, self.total)
        left = (now - self.began) * (1.0 - part) / max(part, 1e-9)
        bar = "█" * int(30 * part)
        print(f"\r{bar:30} {100 * part:3.0f} %  {left:5.0f} s left", end="", file=sys.stderr)

    def close(self) -> None:
        """Take the line away."""
        if self.shown:
            print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
