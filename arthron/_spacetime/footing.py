"""What it takes that points of a link stay where they are: as many rows as are independent.

The points of a rigid link are tied to each other, so that not all of their coordinates are. A
spline with n controls stays at a value that is known if it has that at n times, its Greville
times; where pose and velocity are given at an end, they say as much as two of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._algorithms.planned_motion import BodyPoint, point_places
from .._collision.contact import across
from .._figure.figure import Array
from .._model.model import Model
from .._spatial.vectors import Vec3
from .bsplines import Flags
from .motion_phase import Foothold
from .sampled_page import SampledPage

SAME = 1e-6
"""Rows whose part that is independent of those before is this small, are left out."""


class FootRow(NamedTuple):
    """One coordinate of a point.

    Attributes:
        combine: by which all coordinates of the foothold's points are multiplied.
        height: what it is; None where that is to be found.
    """

    combine: Array
    height: float | None


def foot_page(model: Model, points: Sequence[BodyPoint]) -> SampledPage:
    """Where points are, as a page."""
    import functools

    return SampledPage(functools.partial(point_places, points=tuple(points)), model, {})


def foot_rows(foothold: Foothold, page: SampledPage, q: Array) -> list[FootRow]:
    """Coordinates of its points that are independent at a pose: heights first."""
    J = page.slopes({"q": q[None]})[0]
    axes = [foothold.normal, *across(Vec3(*foothold.normal))]
    found, basis = [], []
    for axis in axes:
        for k in range(len(foothold.points)):
            combine = np.zeros(J.shape[0])
            combine[3 * k : 3 * k + 3] = axis
            row = combine @ J
            left = row - sum((b * (b @ row) for b in basis), np.zeros_like(row))
            size = np.linalg.norm(left)
            if size > SAME * max(1.0, float(np.linalg.norm(row))):
                basis.append(left / size)
                known = axis is axes[0]
                found.append(FootRow(combine, foothold.height if known else None))
    return found


def foot_times(count: int, *, from_state: bool, goes_on: bool, to_state: bool, free: bool) -> Flags:
    """At which of the Greville times a coordinate of a point is to have one value.

    Args:
        count: how many there are.
        from_state: whether pose and velocity are given where the phase begins.
        goes_on: whether it had that value in the phase before.
        to_state: whether pose and velocity are given where it ends.
        free: whether the value is to be found.
    """
    keep = np.ones(count, bool)
    if goes_on:
        keep[:2] = False
    elif from_state:
        keep[:2] = free, False
    if to_state:
        keep[-2:] = False, free and not goes_on and not from_state
    return keep
