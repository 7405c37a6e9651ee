"""What a run has to be told of: constraints that came open, and contacts that did not count."""

from __future__ import annotations

import warnings

import numpy as np

from .._scene.element import described
from .._scene.setup import Setup
from ..errors import SimulationWarning
from .assemble import LEFT, USUAL
from .gaps import widest
from .segment import Array
from .trajectory import Trajectory

LEAST, MOST = 1e-3, 0.05
"""What is no gap that matters, and what is one however long steps are [m or rad]."""
GENEROUS = 4.0
"""Times what steps leave at most that is still taken for what they leave."""
DEEP = 2e-3
"""How deep links may be in each other after the first steps [m]."""


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


def warn_of_overflow(run: Trajectory) -> None:
    """Tell of links that touched and had no place."""
    lost = np.zeros(1) if run.touched is None else np.nan_to_num(run.touched.overflow)
    if not lost.any():
        return
    most = int(lost.max())
    warnings.warn(
        f"{most} pairs of shapes more than `max_contacts` came near each other"
        f"{_when(run.t, lost > 0.0)}: the deepest counted, and the others went "
        "through each other. Give `ar.contacts.Links(max_contacts=...)` more.",
        SimulationWarning,
        stacklevel=5,
    )


def warn_of_overlaps(setup: Setup, run: Trajectory) -> None:
    """Tell of links that were deep in each other from the start, of those that are looked for."""
    found, first = run.touched, len(setup.contacts())
    if found is None or first == len(found.links) or len(run.t) < 2:
        return
    gaps = found.gap[..., 1, first:]
    depth = -np.nan_to_num(gaps).reshape(-1, gaps.shape[-1]).min(0, initial=0.0)
    names = list(zip(found.links[first:], found.others[first:], strict=True))
    deep = {both for both, x in zip(names, depth, strict=True) if x > DEEP}
    if not deep:
        return
    link, other = names[int(np.argmax(depth))]
    what = "the ground" if other is None else repr(other)
    most = f", the deepest of {len(deep)} pairs" if len(deep) > 1 else ""
    leave = (
        ", or, where shapes overlap however joints turn, leave such pairs out, by a pose `q` in "
        "which nothing should touch: `at = model.distances(q)`, `ar.contacts.Links([both for both, "
        "gap in zip(at.pairs, at.gap) if gap > 0.0])` (docs/contact.md)"
    )
    warnings.warn(
        f"link {link!r} was {depth.max():.3g} m deep in {what} from the start{most}. What overlaps "
        f"is pushed apart all the time. Start farther away{'' if other is None else leave}.",
        SimulationWarning,
        stacklevel=5,
    )


def _when(t: Array, beyond: Array) -> str:
    """From when on, and in how many of a batch."""
    each = beyond.reshape(-1, len(t))
    first = t[np.argmax(each.any(0))]
    rows = np.flatnonzero(each.any(1))
    many = f" in {len(rows)} of {len(each)} simulations, the first of them {rows[0]}"
    return f" from t = {first:.4g} s on{many * (beyond.ndim > 1)}"
