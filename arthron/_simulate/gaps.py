"""How far constraints are off."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np

from .._scene.setup import Setup
from .._scene.system import State, System, constrains
from .segment import Array

GAPS = "gaps."
"""What names begin with of how far constraints are off."""
SMALL = 1e-3
"""Gaps of the other kind, this small beside the largest, are not told of."""
HALF = 3.14159
"""Turns of more than this are half a turn [rad]."""


def gaps_at(setup: Setup, system: System, state: State) -> dict[str, list]:
    """How far constraints of places are off."""
    own = zip(setup.scene.names, setup.scene.all_elements, strict=True)
    names = [name for name, element in own if constrains(element)]
    found = {}
    for name, rows in zip(names, system.constraint_rows(state), strict=True):
        errors = [*compress(rows.errors, rows.of_places)]
        found |= {f"{GAPS}{name}": errors} if errors else {}
    return found


def widest(gaps: Array, units: Sequence[str]) -> str:
    """The largest of gaps (..., rows), in metres and radians where these are known."""
    each = np.abs(gaps).reshape(-1, gaps.shape[-1]).max(0, initial=0.0)
    if len(units) != len(each):
        return f"{each.max():.3g} [m or rad]"
    size = {unit: max([0.0, *each[[x == unit for x in units]]]) for unit in ("m", "rad")}
    size = {unit: x for unit, x in size.items() if x >= SMALL * each.max() > 0.0}
    if "rad" in size:
        size["rad"] = 2.0 * float(np.arctan(0.5 * size["rad"]))
    if size.get("rad", 0.0) > HALF:
        return "half a turn"
    return " and ".join(f"{x:.3g} {unit}" for unit, x in size.items())
