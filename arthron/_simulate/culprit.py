"""Whose fault it is that a simulation could not go on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .._compiled import evaluate
from .._scene.elements import described
from .._scene.scene import Scene
from .integrator import Array, Stop
from .steps import pushing


def culprit(scene: Scene, stop: Stop, h: float) -> str:
    """A sentence: what is not finite around the last good state, or that the step is too large."""
    end = stop.t + h
    places = [(stop.t, stop.q), (end, stop.q)]
    if stop.why:  # it was looking for the end of a step
        places.append((end, scene.model.integrate(stop.q, h * stop.qd)))
    for t, q in places:
        for motion in scene.prescribed:
            if not np.isfinite(np.asarray(motion.function(float(t)), float)).all():
                return f"At t = {t:.6g} s the motion of joint {motion.joint!r} is not finite."
        for name, part in _parts(scene):
            if not _finite(part, q, stop.qd, t):
                return f"At t = {t:.6g} s the forces of {name} are not finite."
    if stop.why:
        return f"{stop.why} Take a smaller step than {h:g} s."
    return (
        f"All forces are finite there: the step of {h:g} s is too large, or what acts on the figure "
        "drives it on and on."
    )


def _parts(scene: Scene) -> list[tuple[str, Scene]]:
    """The scene with one of its forces at a time, then with its controller alone."""
    parts = [(described(f), replace(scene, forces=(f,), controller=None)) for f in scene.forces]
    if scene.controller is not None:
        parts.append(("the controller", replace(scene, forces=())))
    return parts


def _finite(scene: Scene, q: Array, qd: Array, t: float) -> bool:
    forces = evaluate(pushing(scene), scene.model, q, qd, t)
    return all(np.isfinite(x).all() for x in forces)
