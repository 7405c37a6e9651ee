"""What acted along a trajectory, by element or by body, and what joints transmitted."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .._algorithms import joint_wrenches as wrenches
from .._model.computed import checked_axes
from .._pages.compiled import evaluate
from .._pages.takes import takes
from .._scene.element import described
from .._scene.scene import Scene
from .._scene.setup import Setup
from .._scene.system import State, System
from .._tree.tree import JointForces, Tree
from ..errors import ModelError, ShapeError, SimulationError, nearest
from .observe import observed
from .segment import Array
from .system_pages import state_inputs, state_of, system_page

if TYPE_CHECKING:
    from .._model.model import Model
    from .trajectory import Trajectory


def applied_forces(scene: Scene, run: Trajectory) -> dict[str, Array]:
    """Joint forces of each element of a scene along a trajectory, (..., n, nv), by what it is."""
    setup, parameters = _setup(scene, run)
    found: dict[str, Array] = {}
    for k, element in enumerate(scene.all_elements):
        if not element.exerts_forces:
            continue
        names = {f"{scene.names[k]}.{n}": v.size for n, v in element.variables.items()}

        @takes(t=(), parameters=(setup.parameters.size,), more=(sum(names.values()),))
        def page(tree: Tree, q, qd, t, parameters, more, k=k, names=names) -> JointForces:
            rest = iter(more)
            states = {n: [next(rest) for _ in range(size)] for n, size in names.items()}
            system = setup.system(tree, parameters).only([k])
            return system.joint_forces(State(t, q, qd, states))

        lead = run.q.shape[:-1]
        own = [_state(run, n).reshape(*lead, size) for n, size in names.items()]
        more = np.concatenate([np.zeros((*lead, 0)), *own], -1)
        forces = np.asarray(evaluate(page, scene.model, run.q, run.qd, run.t, parameters, more))
        name = "damping of joints" if scene.names[k] == "damping" else described(element)
        several = sum(known.split(" (")[0] == name for known in found)
        found[f"{name} ({several + 1})" if several else name] = forces
    return found


def joint_wrenches(scene: Scene, run: Trajectory, axes: str, tau: ArrayLike | None) -> Array:
    """Wrench through each joint at the states of a trajectory, (..., n, nb, 6)."""
    setup, parameters = _setup(scene, run)
    page = partial(wrenches.joint_wrenches, axes=checked_axes(axes))

    def transmitted(system: System, values: Mapping[str, Any]) -> Any:
        return observed(setup, system, state_of(setup, values, values["t"]), page)

    n, nv = len(run), scene.model.nv
    if tau is not None and (np.ndim(tau) > 1 and np.shape(tau)[-2] not in (1, n)):
        raise ShapeError(
            f"`tau` has shape {np.shape(tau)}, and the trajectory {n} states. Give joint forces at "
            f"each of them, (..., {n}, {nv}), or ({nv},) for all: those of steps have none at the "
            "last state, and are as many as states only if all are kept."
        )
    pushed = {} if tau is None else {"tau": tau}
    inputs = {**state_inputs(setup), "t": (), **dict.fromkeys(pushed, ("nv",))}
    lead = run.q.shape[:-1]
    own = [_state(run, name).reshape(*lead, v.size) for name, v in setup.variables.items()]
    given = (run.q, run.qd, *own, run.t, *pushed.values(), parameters)
    return np.asarray(evaluate(system_page(setup, transmitted, **inputs), scene.model, *given))


def body_wrenches(scene: Scene, run: Trajectory) -> Array:
    """Wrench on each body of all that acts but gravity, in its axes, (..., n, nb, 6).

    Contact is that of the last step.
    """
    setup, parameters = _setup(scene, run)

    def acting(system: System, values: Mapping[str, Any]) -> Any:
        return system.wrenches(state_of(setup, values, values["t"]))

    page = system_page(setup, acting, **state_inputs(setup), t=())
    lead = run.q.shape[:-1]
    own = [_state(run, name).reshape(*lead, v.size) for name, v in setup.variables.items()]
    found = np.asarray(evaluate(page, scene.model, run.q, run.qd, *own, run.t, parameters))
    return found if run.touched is None else found + _of_contact(scene.model, run)


def _of_contact(model: Model, run: Trajectory) -> Array:
    """Wrenches of contact on bodies, in their axes."""
    contacts, T = run.touched, model.body_poses(run.q)
    found = np.zeros((*T.shape[:-2], 6))
    if contacts is None:
        return found
    for names, sign in ((contacts.links, 1.0), (contacts.others, -1.0)):
        for k, name in enumerate(names):
            i = model.frame(name).body - 1 if name is not None else -1
            if i < 0:
                continue
            force = sign * contacts.force[..., k, :]
            moment = np.cross(contacts.point[..., k, :] - T[..., i, :3, 3], force)
            for at, x in ((0, moment), (3, force)):
                found[..., i, at : at + 3] += np.einsum("...ji,...j->...i", T[..., i, :3, :3], x)
    return found


def _setup(scene: Scene, run: Trajectory) -> tuple[Setup, Array]:
    """A scene that was simulated, and its numbers along the way."""
    if not isinstance(scene, Scene):
        raise SimulationError(
            f"`scene` is a {type(scene).__name__}. Give the `ar.Scene` that was simulated."
        )
    if (run.q.shape[-1], run.qd.shape[-1]) != (scene.model.nq, scene.model.nv):
        raise ShapeError(
            f"the trajectory has {run.q.shape[-1]} coordinates and `{scene.model.name}` "
            f"{scene.model.nq}. Give the scene that was simulated."
        )
    known = scene.parameters()
    foreign = [name for name in run.parameters if name not in known]
    if foreign:
        raise ModelError(
            f"this run was simulated with another scene: it has a parameter {foreign[0]!r}, and "
            f"this one has none.{nearest(foreign[0], known)} Give the scene that was simulated."
        )
    setup = scene.setup(run.parameters)
    return setup, setup.parameters.pack(run.parameters)[..., None, :]


def _state(run: Trajectory, name: str) -> Array:
    if name not in run.states:
        raise SimulationError(
            f"state {name!r} is not in the trajectory, and with it what acted. Let its variable be "
            "`saved`."
        )
    return run.states[name]
