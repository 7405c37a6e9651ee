"""Dynamics of a scene at a state: accelerations under all that acts, and forces of motors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._algorithms.crba import crba
from .._algorithms.dynamics import bias_forces
from .._compile.function import Function
from .._scene.scene import Scene
from .._scene.setup import Setup
from .._scene.system import System
from ..errors import ModelError, ShapeError, SimulationError
from .segment import Array
from .start import check_parameters, states_at
from .system_pages import compiled, state_inputs, state_of, system_page

DEPENDENT = 1e-9
"""Directions this short beside others are none."""


def forward_dynamics(
    scene: Scene, state: Any, q: Any, qd: Any, tau: Any, t: Any, parameters: Any
) -> tuple[Array, Array]:
    """(qdd, forces of constraints), (..., nv) each."""
    at = _equations(scene, state, q, qd, t, parameters)
    nv = scene.model.nv
    given = _numbers("tau", 0.0 if tau is None else tau, nv)
    M, G = at["M"], at["G"]
    free = np.linalg.solve(M, (given - at["h"])[..., None])[..., 0]
    off = at["b"] - np.einsum("...ij,...j->...i", G, free)
    MG = np.linalg.solve(M, np.swapaxes(G, -1, -2))
    x = _solved(G @ MG, off)
    forces = np.einsum("...ji,...j->...i", G, x)
    return free + np.einsum("...ij,...j->...i", MG, x), forces


def inverse_dynamics(
    scene: Scene, state: Any, q: Any, qd: Any, qdd: ArrayLike, motors: Sequence[str] | None,
    t: Any, parameters: Any,
) -> Array:  # fmt: skip
    """The smallest joint forces of motors that produce accelerations, (..., nv)."""
    model = scene.model
    at = _equations(scene, state, q, qd, t, parameters)
    driven = _driven(scene, motors)
    G, wanted = at["G"], _numbers("qdd", qdd, model.nv)
    wanted = np.broadcast_to(wanted, np.broadcast_shapes(wanted.shape, at["h"].shape)).copy()
    passive = ~driven
    off = at["b"] - np.einsum("...ij,...j->...i", G, wanted)
    if motors is not None and passive.any():
        wanted[..., passive] += _solved(G[..., passive], off)
        off = at["b"] - np.einsum("...ij,...j->...i", G, wanted)
    size = 1.0 + np.abs(wanted).max(-1, initial=0.0) + np.abs(at["b"]).max(-1, initial=0.0)
    if (np.abs(off).max(-1, initial=0.0) > 1e-6 * size).any():
        raise SimulationError(
            f"accelerations are {np.abs(off).max():.3g} from what constraints allow. Give `qdd` of "
            "joints with `motors` that go together; the others follow."
        )
    needed = np.einsum("...ij,...j->...i", at["M"], wanted) + at["h"]
    across = np.eye(model.nv) - np.linalg.pinv(G, DEPENDENT) @ G  # motions that are allowed
    right = np.einsum("...ij,...j->...i", across, needed)
    tau = np.zeros(right.shape)
    tau[..., driven] = _solved(across[..., driven], right)
    left = right - np.einsum("...ij,...j->...i", across, tau)
    if (np.abs(left).max(-1) > 1e-6 * (1.0 + np.abs(needed).max(-1))).any():
        raise SimulationError(
            f"motors at {', '.join(map(repr, motors or ()))} leave joint forces of "
            f"{np.abs(left).max():.3g} to nobody: the figure can move in a way that they do not "
            "drive. Name more `motors`."
        )
    return tau


def _solved(A: Array, b: Array) -> Array:
    """The smallest x with A x nearest to b."""
    return np.einsum("...ij,...j->...i", np.linalg.pinv(A, DEPENDENT), b)


def _driven(scene: Scene, motors: Sequence[str] | None) -> Array:
    model = scene.model
    if motors is None:
        return np.ones(model.nv, bool)
    if isinstance(motors, str):
        raise ModelError(f"`motors` is {motors!r}. Give a list of joints: [{motors!r}].")
    driven = np.zeros(model.nv, bool)
    for joint in motors:
        driven[model.slice_qd(joint)] = True
    return driven


def _numbers(name: str, given: Any, size: int) -> Array:
    array = np.asarray(given, float)
    if array.ndim and array.shape[-1] != size:
        raise ShapeError(f"`{name}` has shape {array.shape}. Give (..., {size}).")
    return np.broadcast_to(array, (*array.shape[:-1], size))


def _equations(scene: Scene, state: Any, q: Any, qd: Any, t: Any, parameters: Any) -> dict:
    """M, h, G and b of M qdd + h = tau + G^T f, G qdd = b, with the axes of a batch."""
    numbers = check_parameters(scene, parameters)
    setup = scene.setup(numbers)
    at, times = states_at(setup, state, q, qd, t, numbers)
    page: Any = scene.memo(("equations", setup.named), lambda: _page(setup))
    found = page(*(at.states[n] for n in ("q", "qd", *setup.variables)), times, at.parameters)
    found.setdefault("G", np.zeros((*found["h"].shape[:-1], 0, scene.model.nv)))
    found.setdefault("b", np.zeros((*found["h"].shape[:-1], 0)))
    return {n: x.reshape(*at.batch, *x.shape[1:]) for n, x in found.items()}


def _page(setup: Setup) -> Function:
    def equations(system: System, values: Mapping[str, Any]) -> dict:
        state = state_of(setup, values, values["t"])
        tree, now = system.tree, system.loads(state)
        bias = tree.vector(bias_forces(tree, state.q, state.qd, now.f_ext))
        h = [x - y for x, y in zip(bias, tree.vector(now.tau), strict=True)]
        rows = system.acceleration_rows(state, back=0.0)
        found = {"M": tree.matrix(crba(tree, state.q)), "h": h}
        if rows:
            n = range(tree.nv)
            found |= {"G": [[row.G.get(j, 0.0) for j in n] for row in rows],
                      "b": [row.b for row in rows]}  # fmt: skip
        return found

    return compiled(setup, "equations", system_page(setup, equations, **state_inputs(setup), t=()))
