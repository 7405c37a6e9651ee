"""What a simulation is given, checked: how many steps, from where, under which forces."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np

from .._algorithms.configuration import difference
from .._compiled import evaluate
from .._scene.prescribed import on_track
from .._scene.scene import Scene
from ..errors import ShapeError, SimulationError
from .integrator import Array


def count_steps(duration: float, step: float, keep_every: int) -> int:
    """How many steps there are, all of them whole and the last one kept."""
    for name, given in (("duration", duration), ("step", step)):
        if not isinstance(given, int | float | np.number) or not 0.0 < given < math.inf:
            raise SimulationError(f"`{name}` is {given!r}. Give a time above zero [s].")
    if not isinstance(keep_every, int | np.integer) or keep_every < 1:
        raise SimulationError(f"`keep_every` is {keep_every!r}. Give a whole number, 1 or more.")
    steps = round(duration / step)
    if abs(duration / step - steps) > 1e-4 or not steps or steps % keep_every:
        raise SimulationError(
            f"{duration:g} s are {duration / step:g} steps of {step:g} s, and every {keep_every} "
            "steps a state is kept. Choose them so that the last step ends with the duration and "
            f"is kept: a duration of {max(1, round(steps / keep_every)) * keep_every * step:g} s, "
            "say."
        )
    return steps


def starts(
    scene: Scene, steps: int, q: Any, qd: Any, tau: Any, inertia: Any
) -> tuple[Array, Array, dict[str, Array]]:
    """Initial states with the axes of the whole batch, and what else is given, by rows.

    There is a row for each simulation, or one for all.
    """
    model = scene.model
    sizes = {"q": model.nq, "qd": model.nv, "tau": model.nv, "inertia": 10 * model.nb}
    asked = {"q": model.neutral() if q is None else q, "tau": tau, "inertia": inertia}
    asked["qd"] = np.zeros(model.nv) if qd is None else qd
    given = {
        n: _array(scene, n, asked[n], size) for n, size in sizes.items() if asked[n] is not None
    }
    leads = {name: array.shape[:-1] for name, array in given.items()}
    if "tau" in given:
        leads["tau"] = _rows_of_tau(scene, given, steps)
    batch = _together(given, leads, steps)
    rows = math.prod(batch)
    for name in set(given) - {"q", "qd"}:
        array, lead = given[name], leads[name]
        rest = array.shape[len(lead) :]
        if all(n == 1 for n in lead):
            given[name] = array.reshape(1, *rest)
        else:
            given[name] = np.broadcast_to(array, batch + rest).reshape(rows, *rest)
    q0, qd0 = (np.broadcast_to(given.pop(n), (*batch, sizes[n])) for n in ("q", "qd"))
    q0, qd0 = _on_track(scene, q0, qd0, q is None)
    return q0, qd0, given


def _together(
    given: dict[str, Array], leads: dict[str, tuple[int, ...]], steps: int
) -> tuple[int, ...]:
    """The axes of the whole batch."""
    try:
        return np.broadcast_shapes(*leads.values())
    except ValueError:
        shapes = ", ".join(f"`{name}` {array.shape}" for name, array in given.items())
        raise ShapeError(
            f"leading axes are simulations, and those of {shapes} do not go together. Joint forces "
            f"for each of {steps} steps are (..., {steps}, nv)."
        ) from None


def _rows_of_tau(scene: Scene, given: dict[str, Array], steps: int) -> tuple[int, ...]:
    """Axes of `tau` that are simulations; behind them comes perhaps one of steps."""
    tau, nv = given["tau"], scene.model.nv
    others = {name: array for name, array in given.items() if name != "tau"}
    batch = _together(others, {name: array.shape[:-1] for name, array in others.items()}, steps)

    def fits(lead: tuple[int, ...]) -> bool:
        with contextlib.suppress(ValueError):
            return np.broadcast_shapes(batch, lead) == batch
        return False

    lead = tau.shape[:-1]
    by_step = tau.ndim > 1 and tau.shape[-2] == steps and (fits(lead[:-1]) or tau.ndim > 2)
    if by_step and fits(lead):
        raise ShapeError(
            f"`tau` has shape {tau.shape}, and there are as many simulations as steps: it may mean "
            f"either. Give {(*batch, steps, nv)}: simulations, steps, coordinates."
        )
    if not by_step and not fits(lead):
        raise ShapeError(
            f"`tau` has shape {tau.shape}, and there are {steps} steps of simulations of shape "
            f"{batch}: give {(*batch, nv)} or {(*batch, steps, nv)}."
        )
    return lead[:-1] if by_step else lead


def _array(scene: Scene, name: str, given: Any, size: int) -> Array:
    """An array of finite real numbers, of poses where it is one."""
    try:
        array = np.asarray(given)
    except ValueError:  # rows of several lengths
        array = np.asarray(None)
    if array.dtype.kind not in "biuf":
        raise ShapeError(f"`{name}` is {given!r}. Give an array of real numbers, (..., {size}).")
    array = array.astype(float)
    if array.shape[-1:] != (size,):
        raise ShapeError(
            f"`{name}` has shape {array.shape} but `{scene.model.name}` needs (..., {size})."
        )
    if not np.isfinite(array).all():
        raise ShapeError(f"`{name}` has NaN or infinity in it. Give finite numbers.")
    if name == "inertia" and (array[..., ::10] < 0.0).any():
        raise ShapeError(
            "`inertia` has masses below zero. Give `model.inertial_parameters()`, say."
        )
    if name == "q":
        _check_rotations(scene, array)
    return array


def _check_rotations(scene: Scene, q: Array) -> None:
    unit, _ = scene.model.normalize(q, np.zeros(scene.model.nv))
    if np.isfinite(unit).all():
        return
    bad = [
        joint
        for joint in scene.model.joint_names
        if not np.isfinite(unit[..., scene.model.slice_q(joint)]).all()
    ]
    raise ShapeError(
        f"`q` has a quaternion of zeros for {', '.join(map(repr, bad))}, which is no rotation. "
        "Start from `model.neutral()`."
    )


def _on_track(scene: Scene, q: Array, qd: Array, free: bool) -> tuple[Array, Array]:
    """The start with joints as fast as they are told, and where they are told if that is open."""

    def start(tree, q, qd) -> tuple:
        return on_track(scene, tree, q, qd, 0.0)

    if not scene.prescribed:
        return q, qd
    told_q, told_qd = evaluate(start, scene.model, q, qd)
    away = np.abs(evaluate(difference, scene.model, q, told_q))
    for motion in scene.prescribed:
        off = away[..., scene.model.slice_qd(motion.joint)].max(initial=0.0)
        if motion.position is not None and motion.gain is None and not free and off > 1e-6:
            raise SimulationError(
                f"joint {motion.joint!r} starts {off:.3g} away from where it is told to be. Start "
                "it there, or give its `Prescribed` a `gain`, at which it comes back."
            )
    return (told_q if free else q), told_qd
