"""How the search for a motion ended, as a sentence."""

from __future__ import annotations

import re

from .._optimize.minimize import FAR
from .._optimize.optimum import Optimum

BALANCE = "balance of forces"
"""Rows of averages over all coordinates without a motor."""
PERHAPS = (
    " (times are in phases). Perhaps there is none: too short a flight, a place out of reach, "
    "limits that are too low. Give more time or room, or begin nearer with `guess`"
)


def motion_message(found: Optimum) -> str:
    """What the solver says, in words of motions where conditions do not hold."""
    if not found.worst or found.worst[0][1] <= FAR:
        return found.message
    begins = {
        "infeasible": "no motion near holds all conditions: where they are violated least, ",
        "too many iterations": "no motion that holds all conditions was found in "
        f"{found.iterations} iterations: ",
        "stalled": "no motion that holds all conditions was found, and the search stalled after "
        f"{found.iterations} iterations: ",
    }  # fmt: skip
    if found.status not in begins:
        return found.message
    worst = ", and ".join(_violated(name, by) for name, by in found.worst)
    more = "; `most` allows more iterations." if found.status == "too many iterations" else "."
    return begins[found.status] + worst + PERHAPS + more


def _violated(name: str, by: float) -> str:
    """A condition and by how much it is violated, with the unit that its name has in brackets."""
    unit = re.search(r" \[(.*?)\]", name)
    known = "N or N m" if name.startswith(BALANCE) else unit[1] if unit else ""
    what = name.replace(unit[0], "") if unit else name
    return f"{what} is violated by {by:.3g} {known}".rstrip()
