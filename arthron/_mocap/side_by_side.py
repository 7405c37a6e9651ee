"""Clips of figures beside each other, to be looked at at once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .._figure.body import Body
from .._model.model import Model
from .._simulate.trajectory import Trajectory
from .._tree.joints import Fixed
from ..errors import ModelError
from .clip import Clip

ASIDE = 1.2
"""How far figures are put from each other [m]."""


def side_by_side(clips: Mapping[str, Clip]) -> Trajectory:
    """Clips at once, each to the right of the one before: to show, film and save.

    They begin together and are as long as the longest; the others stay at their end.

    Args:
        clips: by the names that bodies have on the stage, at the rate of the first.
    """
    named = isinstance(clips, Mapping) and all(isinstance(name, str) for name in clips)
    if not clips or not named or not all(isinstance(clip, Clip) for clip in clips.values()):
        raise ModelError("`side_by_side` is of clips by name: `{'cubic': a, 'optimal': b}`.")
    rate = next(iter(clips.values())).rate
    same = {n: c if c.rate == rate else c.resampled(rate) for n, c in clips.items()}
    frames = max(len(clip) for clip in same.values())
    stage = Model([Body("stage", Fixed())], name="stage")
    poses = []
    for k, (name, clip) in enumerate(same.items()):
        place = (0.0, -ASIDE * k, 0.0)
        stage = stage.attach(clip.model, "stage", placement=place, prefix=f"{name} ")
        poses.append(clip.q[np.minimum(np.arange(frames), len(clip) - 1)])
    return Clip(stage, np.concatenate(poses, -1), rate, ", ".join(same)).trajectory()
