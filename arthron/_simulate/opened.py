"""Constraints that came open along a run, by more than steps leave."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from .._scene.element import described
from .._scene.setup import Setup
from ..errors import SimulationWarning
from .assemble import LEFT, USUAL
from .segment import Array
from .trajectory import Trajectory

LEAST, MOST = 1e-3, 0.05
"""What is no gap that matters, and what is one however long steps are [m or rad]."""
GENEROUS = 4.0
"""Times what steps leave at most that is still taken for what they leave."""
SMALL = 1e-3
"""Gaps of the other kind, this small beside the largest, are not told of."""


def warn_of_open(setup: Setup, run: Trajectory) -> None:
    """Tell of constraints that did not hold, all in one warning."""
    h = run.about["step"]
    fast = np.nan_to_num(np.abs(run.qd).max(-1, initial=0.0), nan=0.0)
    bound = np.clip(GENEROUS * LEFT * h * h * (USUAL + np.minimum(fast, 1e6) ** 2), LEAST, MOST)
    elements = dict(zip(setup.scene.names, setup.scene.all_elements, strict=True))
    told = []
    for name, gaps in run.gaps.items():
        wide = np.nan_to_num(np.abs(gaps), nan=0.0)
        beyond = wide.max(-1) > bound
        if beyond.any():
            units = elements[name].units
            told.append(f"{described(elements[name])} came open, by {widest(wide, units)}"
                        f"{_when(run.t, beyond)}")  # fmt: skip
    if told:
        warnings.warn(
            f"{'; '.join(told)}. Steps do not leave that: the figure may have come to a pose "
            "beyond which it cannot move on closed (a dead point), something may drive it apart, "
            "or steps are too long, or its stabilisation too slow. `run.gaps` has all of it.",
            SimulationWarning,
            stacklevel=5,
        )


def widest(gaps: Array, units: Sequence[str]) -> str:
    """The largest of gaps (..., rows), in metres and radians where these are known."""
    each = np.abs(gaps).reshape(-1, gaps.shape[-1]).max(0, initial=0.0)
    if len(units) != len(each):
        return f"{each.max():.3g} [m or rad]"
    size = {unit: max([0.0, *each[[x == unit for x in units]]]) for unit in ("m", "rad")}
    size = {unit: x for unit, x in size.items() if x > SMALL * each.max()}
    if "rad" in size:
        size["rad"] = 2.0 * float(np.arctan(0.5 * size["rad"]))
    return " and ".join(f"{x:.3g} {unit}" for unit, x in size.items())


def _when(t: Array, beyond: Array) -> str:
    """From when on, and in how many of a batch."""
    each = beyond.reshape(-1, len(t))
    first = t[np.argmax(each.any(0))]
    rows = np.flatnonzero(each.any(1))
    many = f" in {len(rows)} of {len(each)} simulations, the first of them {rows[0]}"
    return f" from t = {first:.4g} s on{many * (beyond.ndim > 1)}"
