"""What acted along a trajectory, one force at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .._algorithms.takes import takes
from .._compiled import evaluate
from .._model.tree import JointForces, Tree
from .._scene.elements import described
from .._scene.scene import Scene
from ..errors import ShapeError
from .integrator import Array
from .steps import joint_forces

if TYPE_CHECKING:
    from .trajectory import Trajectory


def parts(scene: Scene) -> list[tuple[str, Scene]]:
    """The scene with one of its forces at a time, then with its controller alone."""
    each = [(described(f), replace(scene, forces=(f,), controller=None)) for f in scene.forces]
    if scene.controller is not None:
        each.append(("the controller", replace(scene, forces=())))
    return each


def acted(scene: Scene, run: Trajectory) -> dict[str, Array]:
    """Joint forces of each force of a scene along a trajectory, (..., n, nv), by what it is."""
    if (run.q.shape[-1], run.qd.shape[-1]) != (scene.model.nq, scene.model.nv):
        raise ShapeError(
            f"the trajectory has {run.q.shape[-1]} coordinates and `{scene.model.name}` "
            f"{scene.model.nq}. Give the scene that was simulated."
        )

    def along(scene: Scene) -> Array:
        @takes(t=())
        def page(tree: Tree, q, qd, t) -> JointForces:
            return joint_forces(scene, tree, q, qd, t)

        return np.asarray(evaluate(page, scene.model, run.q, run.qd, run.t))

    damping = along(replace(scene, forces=(), controller=None))
    found = {"damping of joints": damping} if damping.any() else {}
    for name, part in parts(scene):
        several = sum(known.split(" (")[0] == name for known in found)
        found[f"{name} ({several + 1})" if several else name] = along(part) - damping
    return found
