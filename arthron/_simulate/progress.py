"""A line on the terminal that says how far a long run is."""

from __future__ import annotations

import sys
import threading
import time
from typing import Self

WAIT = 2.0
"""Seconds of work after which it shows."""
WIDTH = 60
"""Columns that are wiped at the end."""


class Bar:
    """A bar for a number of things to do; nothing is written where no terminal is."""

    def __init__(self, total: int, wanted: bool) -> None:
        self.total, self.wanted = total, wanted and sys.stderr.isatty()
        self.began, self.last, self.shown = time.perf_counter(), 0.0, False
        self._first: tuple[float, int] | None = None
        self._waits: threading.Timer | None = None

    def __enter__(self) -> Self:
        """Say that there is code to be made before the first of them, if that takes long."""
        if self.wanted:
            self._waits = threading.Timer(WAIT, self._write, ["compiling"])
            self._waits.daemon = True
            self._waits.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def show(self, done: int) -> None:
        """Say that so many are done, not more often than one can see.

        How fast they are is known from the first time on: what came before was something else.
        """
        if not self.wanted:
            return
        now = time.perf_counter()
        if self._first is None:
            self._first = now, done
            self._hush()
        if now - self.began < WAIT or now - self.last < 0.1:
            return
        self.last, (began, first) = now, self._first
        part, left = done / max(1, self.total), ""
        if done > first:
            left = f"  {(now - began) * (self.total - done) / (done - first):5.0f} s left"
        self._write(f"{'█' * int(30 * part):30} {100 * part:3.0f} %{left}")

    def close(self) -> None:
        """Take the line away."""
        self._hush()
        if self.shown:
            print("\r" + " " * WIDTH + "\r", end="", file=sys.stderr)

    def _hush(self) -> None:
        """Announce nothing any more."""
        if self._waits is not None:
            self._waits.cancel()
            self._waits.join()
            self._waits = None

    def _write(self, text: str) -> None:
        self.shown = True
        print(f"\r{text:{WIDTH - 1}}", end="", file=sys.stderr, flush=True)
