"""Warnings at the line that asked for a picture or a page."""

from __future__ import annotations

import sys
import warnings

PACKAGE = __name__.partition(".")[0]


def caution(message: str) -> None:
    """Warn whoever called, whichever way into the package it was."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=level)
