"""A page in the browser of whoever asks for it."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import webbrowser
from pathlib import Path

from .page import write_page
from .recording import Recording


def show(recording: Recording) -> Path:
    """Write a page to a temporary file and open it; print where it is when there is no browser."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", recording.name)[:40]
    handle, path = tempfile.mkstemp(suffix=".html", prefix=f"{name}-")
    os.close(handle)
    place = write_page(recording, path)
    if not (_has_windows() and webbrowser.open(place.as_uri())):
        print(f"{place}: open it in a browser.")
    return place


def _has_windows() -> bool:
    """Whether there is a screen; browsers of terminals cannot draw pages."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))
