"""A stretch of a clip that goes on and on."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral

import numpy as np

from ..errors import ShapeError
from .clip import Clip
from .planar_placing import bringing, heading
from .transition import Transition, transition


def cycle(
    clip: Clip, *, start: int = 0, end: int = -1, duration: float = 0.3, repeats: int = 3
) -> Clip:
    """Frames of a clip and the way of least torque from the last back to the first, repeated.

    Each round begins where the one before ends, and with its velocity and acceleration.

    Args:
        clip: the clip, a stride of a walk for instance.
        start: frame with which a round begins.
        end: frame from which it goes back.
        duration: about how long the way back takes [s].
        repeats: how many rounds.
    """
    if isinstance(repeats, bool) or not isinstance(repeats, Integral) or repeats < 1:
        raise ShapeError(f"`repeats` is {repeats!r}. Give a whole number of rounds, 1 or more.")
    frames = len(clip)
    start, end = (k % frames if -frames <= k < frames else k for k in (start, end))
    if not 0 <= start < end < frames:
        raise ShapeError(
            f"a round from frame {start} to {end} of {clip!r}. Give two of its frames, the first "
            "before the second."
        )
    found: Transition = transition(clip, clip, duration, leave=end, enter=start, progress=False)
    if not found.found.solved:
        raise ShapeError(
            f"no way back from frame {end} to {start} was found in {duration:g} s. Give frames "
            "that are more alike (`transition_graph`), or another duration."
        )
    lap = np.concatenate([clip.q[start : end + 1], found.between.q])
    here, there = clip.q[start], found.after.q[0]
    further = bringing(here[:3], heading(there[3:7]) - heading(here[3:7]), there)
    laps = [lap]
    for _ in range(repeats - 1):
        laps.append(further.poses(laps[-1]))
    return replace(clip, q=np.concatenate(laps), name=f"{clip.name}, repeated")
