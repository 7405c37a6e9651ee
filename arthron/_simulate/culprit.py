"""Whose fault it is that a simulation could not go on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._compiled import evaluate
from .._scene.scene import Scene
from .acting import parts
from .integrator import Array, Stop
from .steps import pushing


def culprit(scene: Scene, stop: Stop, h: float) -> str:
    """A sentence: what is not finite around the last good state, or that the step is too large."""
    places = [(stop.t, stop.q), (stop.end, stop.q)]
    if stop.why:  # it was looking for the end of a step
        there = scene.model.integrate(stop.q, (stop.end - stop.t) * stop.qd)
        places.append((stop.end, there))
    with np.errstate(all="ignore"):
        found = _not_finite(scene, stop.qd, places)
    if found:
        return found
    if stop.why:
        return f"{stop.why} Take a smaller step than {h:g} s."
    return (
        f"All forces are finite there: the step of {h:g} s is too large, or what acts on the "
        "figure drives it on and on."
    )


def _not_finite(scene: Scene, qd: Array, places: Sequence[tuple[float, Array]]) -> str:
    """What is not finite at one of some places, in a sentence."""
    for t, q in places:
        for motion in scene.prescribed:
            if not np.isfinite(np.asarray(motion.function(np.float64(t)), float)).all():
                return f"At t = {t:.6g} s the motion of joint {motion.joint!r} is not finite."
        for name, part in parts(scene):
            if not _finite(part, q, qd, t):
                return f"At t = {t:.6g} s the forces of {name} are not finite."
    return ""


def _finite(scene: Scene, q: Array, qd: Array, t: float) -> bool:
    # on arrays, where what is divided by zero is not an error
    forces = evaluate(pushing(scene), scene.model, q[None], qd[None], np.full(1, t))
    return all(np.isfinite(x).all() for x in forces)
