"""Dynamics of a scene at a state: accelerations under all that acts, and forces of motors."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._algorithms.crba import crba
from .._algorithms.dynamics import bias_forces
from .._compile.function import Function
from .._scene.element import described
from .._scene.scene import Scene
from .._scene.setup import Setup
from .._scene.system import System
from ..errors import ModelError, ShapeError, SimulationError, SimulationWarning
from .gaps import GAPS, gaps_at, widest
from .segment import Array
from .start import check_parameters, joint_part, real_numbers, states_at
from .system_pages import compiled, state_inputs, state_of, system_page

DEPENDENT = 1e-9
"""Directions this short beside others are none."""
NEAR = 1e-6
"""Accelerations that are met are this near, beside their size."""
OPEN = 1e-3
"""What a constraint may be off at a pose of which something is asked [m or rad]."""


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
    scene: Scene, state: Any, q: Any, qd: Any, qdd: Any, motors: Sequence[str] | None,
    t: Any, parameters: Any,
) -> Array:  # fmt: skip
    """The smallest joint forces of motors that produce accelerations, (..., nv)."""
    model = scene.model
    at = _equations(scene, state, q, qd, t, parameters)
    driven = _driven(scene, motors)
    if isinstance(qdd, Mapping):
        wanted = _allowed(scene, at, qdd)
    else:
        wanted = _following(scene, at, _numbers("qdd", qdd, model.nv), driven)
    needed = np.einsum("...ij,...j->...i", at["M"], wanted) + at["h"]
    across = (
        np.eye(model.nv) - np.linalg.pinv(at["G"], DEPENDENT) @ at["G"]
    )  # motions that are allowed
    right = np.einsum("...ij,...j->...i", across, needed)
    tau = np.zeros(right.shape)
    tau[..., driven] = _solved(across[..., driven], right)
    left = right - np.einsum("...ij,...j->...i", across, tau)
    if (np.abs(left).max(-1) > 1e-6 * (1.0 + np.abs(needed).max(-1))).any():
        who = f"motors at {', '.join(map(repr, motors))}" if motors else "no motors"
        raise SimulationError(
            f"{who} leave joint forces of {np.abs(left).max():.3g} to nobody: the figure can move "
            "in a way that they do not drive. Name more `motors`."
        )
    return tau


def _following(scene: Scene, at: Mapping[str, Array], given: Array, driven: Array) -> Array:
    """Accelerations as given for joints that are driven, with the others as constraints have them.

    These are changed by the least.
    """
    G, passive = at["G"], ~driven
    wanted = np.broadcast_to(given, np.broadcast_shapes(given.shape, at["h"].shape)).copy()
    if passive.any():
        wanted[..., passive] += _solved(G[..., passive], _off(at, wanted))
    _check_allowed(at, wanted)
    ignored = (np.abs(wanted - given) > NEAR * _size(at, wanted)) & (given != 0.0)
    if ignored.any():
        model, each = scene.model, ignored.reshape(-1, ignored.shape[-1]).any(0)
        names = [x for x in model.joint_names if each[model.slice_qd(x)].any()]
        warnings.warn(
            f"`qdd` of {', '.join(map(repr, names))} is ignored: joints without motors follow "
            "those that have some. To ask for theirs, name joints: "
            f"`scene.inverse_dynamics({{{names[0]!r}: [...]}}, motors=...)`.",
            SimulationWarning,
            stacklevel=4,
        )
    return wanted


def _allowed(scene: Scene, at: Mapping[str, Array], qdd: Mapping[str, Any]) -> Array:
    """The smallest accelerations that constraints allow, nearest to those of joints by name."""
    model, G = scene.model, at["G"]
    parts = {name: joint_part(scene, "qdd", f"qd.{name}", x) for name, x in qdd.items()}
    lead = np.broadcast_shapes(at["h"].shape[:-1], *(x.shape[:-1] for x in parts.values()))
    given, named = np.zeros((*lead, model.nv)), np.zeros(model.nv, bool)
    for name, x in parts.items():
        given[..., model.slice_qd(name)], named[model.slice_qd(name)] = x, True
    least = _solved(G, at["b"])
    across = np.eye(model.nv) - np.linalg.pinv(G, DEPENDENT) @ G
    wanted = least + _solved(across[..., named, :], (given - least)[..., named])
    _check_allowed(at, wanted)
    far = np.abs(wanted - given)[..., named]
    if (far > NEAR * _size(at, wanted)).any():
        warnings.warn(
            f"constraints do not allow `qdd` of {', '.join(map(repr, qdd))}: the nearest, in the "
            f"sense of squares, is up to {far.max():.3g} off, and that is produced. Name fewer "
            "joints, or give accelerations that go together.",
            SimulationWarning,
            stacklevel=4,
        )
    return wanted


def _off(at: Mapping[str, Array], qdd: Array) -> Array:
    return at["b"] - np.einsum("...ij,...j->...i", at["G"], qdd)


def _size(at: Mapping[str, Array], qdd: Array) -> Array:
    """What accelerations are to be compared with, (..., 1)."""
    return (
        1.0 + (np.abs(qdd).max(-1, initial=0.0) + np.abs(at["b"]).max(-1, initial=0.0))[..., None]
    )


def _check_allowed(at: Mapping[str, Array], qdd: Array) -> None:
    off = np.abs(_off(at, qdd))
    if (off > NEAR * _size(at, qdd)).any():
        raise SimulationError(
            f"accelerations are {off.max():.3g} from what constraints allow. Give `qdd` of "
            "joints with `motors` that go together, the others follow; or a dict of some joints, "
            '`{"crank": 0.5}`.'
        )


def _solved(A: Array, b: Array) -> Array:
    """The smallest x with A x nearest to b."""
    return np.einsum("...ij,...j->...i", np.linalg.pinv(A, DEPENDENT), b)


def _driven(scene: Scene, motors: Sequence[str] | None) -> Array:
    model = scene.model
    if motors is None:
        return np.ones(model.nv, bool)
    known = model.joint_names
    if isinstance(motors, str):
        raise ModelError(f"`motors` is {motors!r}. Give a list of joints: [{motors!r}].")
    if not isinstance(motors, Iterable) or not all(isinstance(x, str) for x in motors):
        raise ModelError(f"`motors` is {motors!r}. Give a list of joints: {known[:2]}, say.")
    driven = np.zeros(model.nv, bool)
    for joint in motors:
        driven[model.slice_qd(joint)] = True
    return driven


def _numbers(name: str, given: Any, size: int) -> Array:
    array = real_numbers(f"`{name}`", given, f"(..., {size})")
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
    _check_closed(setup, found)
    found.setdefault("G", np.zeros((*found["h"].shape[:-1], 0, scene.model.nv)))
    found.setdefault("b", np.zeros((*found["h"].shape[:-1], 0)))
    return {n: x.reshape(*at.batch, *x.shape[1:]) for n, x in found.items()}


def _check_closed(setup: Setup, there: dict[str, Array]) -> None:
    """Refuse states at which a constraint is open, and leave out what it is off."""
    elements = dict(zip(setup.scene.names, setup.scene.all_elements, strict=True))
    for column in [name for name in there if name.startswith(GAPS)]:
        gaps, who = there.pop(column), elements[column.removeprefix(GAPS)]
        rows = np.flatnonzero(np.abs(gaps).max(-1) > OPEN)
        if rows.size:
            many = f" in {len(rows)} of {len(gaps)} states, {rows[0]} the first of them"
            raise SimulationError(
                f"{described(who)} is {widest(gaps, who.units)} open{many * (len(gaps) > 1)}: no "
                "accelerations go with a pose that constraints do not allow. Close it: "
                "`scene.assemble(q=q, qd=qd)` gives a state to ask of."
            )


def _page(setup: Setup) -> Function:
    def equations(system: System, values: Mapping[str, Any]) -> dict:
        state = state_of(setup, values, values["t"])
        tree, now = system.tree, system.loads(state)
        bias = tree.vector(bias_forces(tree, state.q, state.qd, now.f_ext))
        h = [x - y for x, y in zip(bias, tree.vector(now.tau), strict=True)]
        rows = system.acceleration_rows(state, back=0.0)
        found = {"M": tree.matrix(crba(tree, state.q)), "h": h}
        found |= gaps_at(setup, system, state)
        if rows:
            n = range(tree.nv)
            found |= {"G": [[row.G.get(j, 0.0) for j in n] for row in rows],
                      "b": [row.b for row in rows]}  # fmt: skip
        return found

    return compiled(setup, "equations", system_page(setup, equations, **state_inputs(setup), t=()))
