"""A page in the browser of whoever asks for it."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import webbrowser
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from .._integrators.integrator import Integrator
from .._model.model import Model
from .._scene.scene import Scene
from .live import STEP, Live
from .page import write_page
from .recording import Recording, still

GOING = "Simulated as you watch: drag any body."
PAUSED = "Paused. Press play, then drag any body."
"""What is said of a scene that goes on, and of one that waits."""
UNOPENED = "No browser was found; open the file yourself."


def scene_view(
    scene: Scene,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    *,
    step: float = STEP,
    integrator: str | Integrator = "leapfrog",
    start: Mapping[str, Any] | None = None,
    paused: bool = False,
) -> tuple[Recording, Live | None]:
    """What a page shows of a scene at its start, and how it goes on; not where nothing moves."""
    if not scene.model.nv:
        return still(scene.model, q, scene), None
    live = Live.of(scene, q, qd, step=step, integrator=integrator, start=start, paused=paused)
    first = still(scene.model, live.states["q"], scene)
    return replace(first, caption=PAUSED if paused else GOING), live


def model_view(model: Model, q: ArrayLike | None = None) -> tuple[Recording, Live | None]:
    """What a page shows of a figure: it waits in its pose, and falls when it is let go."""
    return scene_view(Scene(model), q, paused=True)


def drawable(model: Model) -> bool:
    """Whether there is anything to see of a figure: joints are drawn as sticks."""
    return model.nv > 0 or any(body.shapes for body in model.links)


def show(recording: Recording, live: Live | None = None) -> Path:
    """Write a page to a temporary file and open it; print where it is when there is no browser."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", recording.name)[:40]
    handle, path = tempfile.mkstemp(suffix=".html", prefix=f"{name}-")
    os.close(handle)
    place = write_page(recording, path, live)
    if not open_page(place):
        print(f"{place}\n{UNOPENED}")
    return place


def open_page(path: Path) -> bool:
    """Open a page in the browser, and say whether there is one."""
    return _has_windows() and webbrowser.open(path.absolute().as_uri())


def _has_windows() -> bool:
    """Whether there is a screen; browsers of terminals cannot draw pages."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))
