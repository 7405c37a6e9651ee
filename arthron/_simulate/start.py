"""What a simulation is given, checked: how many steps, from where, under which forces."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .._scene.parameters import with_numbers
from .._scene.scene import Scene
from .._scene.setup import Setup
from ..errors import ModelError, ShapeError, SimulationError, nearest
from .assemble import Named
from .consistent import consistent, opened_numbers
from .segment import Array

COUNTED = 2.0**53
"""Steps up to which numbers tell them apart."""


class Start(NamedTuple):
    """Where a simulation starts, and what it is given.

    Attributes:
        batch: leading axes of all of it.
        states: each state of the scene, (rows, size).
        values: numbers of the scene that were given, or that the start decides, (*batch or 1, ...).
        parameters: inputs of all its numbers, (1 or rows, size).
        tau: joint forces from outside, (1 or rows, nv) or (1 or rows, steps, nv), if any.
    """

    batch: tuple[int, ...]
    states: dict[str, Array]
    values: dict[str, Array]
    parameters: Array
    tau: Array | None


def count_steps(duration: float, step: float, keep_every: int) -> int:
    """How many steps there are, all of them whole and the last one kept."""
    check_time("duration", duration)
    check_time("step", step)
    if not isinstance(keep_every, int | np.integer) or keep_every < 1:
        raise SimulationError(f"`keep_every` is {keep_every!r}. Give a whole number, 1 or more.")
    if duration / step > COUNTED:
        raise SimulationError(
            f"{duration:g} s are {duration / step:g} steps of {step:g} s, more than can be counted."
            " Give a shorter duration, or a longer step."
        )
    steps = round(duration / step)
    if abs(duration / step - steps) > 1e-4 or not steps or steps % keep_every:
        raise SimulationError(
            f"{duration:g} s are {duration / step:g} steps of {step:g} s, and every {keep_every} "
            "steps a state is kept. Choose them so that the last step ends with the duration and "
            f"is kept: a duration of {max(1, round(steps / keep_every)) * keep_every * step:g} s, "
            "say."
        )
    return steps


def check_time(name: str, given: Any) -> None:
    """Refuse what is no time above zero."""
    if not isinstance(given, int | float | np.number) or not 0.0 < given < math.inf:
        raise SimulationError(f"`{name}` is {given!r}. Give a time above zero [s].")


def starts(
    setup: Setup, steps: int, h: float, start: Any, q: Any, qd: Any, tau: Any,
    parameters: Mapping[str, Any],
) -> Start:  # fmt: skip
    """The start of a simulation of many rows, from what was given for some of it."""
    model = setup.scene.model
    given = _given(setup, "start", start, q, qd, parameters)
    leads, values = given.leads, given.values
    if tau is not None:
        tau = _array(setup.scene, "tau", tau, model.nv)
        lead = leads["tau"] = _rows_of_tau(tau, leads, steps, model.nv)
        if tau.ndim == len(lead) + 2 and tau.shape[-2] != steps:
            tau = tau[..., 0, :]  # one for all steps
    batch = _together(leads, steps)
    states = given.states(setup, batch)
    tau_ext = None if tau is None else _by_rows(tau, leads["tau"], batch)
    joints = {key.removeprefix("q.") for key in given.parts if key.startswith("q.")}
    open_joints = set() if "q" in given.whole else set(model.joint_names) - joints
    states, opened = consistent(setup, states, values, batch, open_joints, given.named(), h)
    values |= opened
    return Start(batch, states, values, _packed(setup, values, batch), tau_ext)


def assembled(
    scene: Scene, start: Any, q: Any, qd: Any, near: Any, parameters: Any
) -> dict[str, Array]:
    """A start that constraints allow, (*batch, ...), by name of state."""
    numbers = check_parameters(scene, parameters)
    setup, model = scene.setup(numbers), scene.model
    given = _given(setup, "start", start, q, qd, numbers)
    near = _array(scene, "near", model.neutral() if near is None else near, model.nq)
    batch = _together(given.leads | {"near": near.shape[:-1]})
    states = given.states(setup, batch, near)
    open_joints = set(model.joint_names) - given.named().q if "q" not in given.whole else set()
    found, _ = consistent(setup, states, given.values, batch, open_joints, given.named(), 0.0)
    return {name: x.reshape(*batch, x.shape[-1]) for name, x in found.items()}


def states_at(
    setup: Setup, state: Any, q: Any, qd: Any, t: Any, parameters: Mapping[str, Any]
) -> tuple[Start, Array]:
    """States of which something is asked, and the time of each, (rows,); fixed or not.

    Numbers that the start of a simulation decides are those of one that starts there.
    """
    given = _given(setup, "state", state, q, qd, parameters)
    time = real_numbers("`t`", t, "(...)")
    batch = _together(given.leads | {"t": time.shape})
    states, values = given.states(setup, batch), given.values
    values |= opened_numbers(setup, states, values, batch)
    at = Start(batch, states, values, _packed(setup, values, batch), None)
    return at, np.array(np.broadcast_to(time, batch)).ravel()


class _Given(NamedTuple):
    """What was given of states and of the numbers of a scene.

    Attributes:
        whole: whole states, (..., size).
        parts: coordinates and velocities of joints, as "q.joint", "qd.joint".
        values: numbers of the scene.
        leads: the axes of a batch that each of them has.
    """

    whole: dict[str, Array]
    parts: dict[str, Array]
    values: dict[str, Array]
    leads: dict[str, tuple[int, ...]]

    def named(self) -> Named:
        """What was given by name."""
        q, qd = (
            frozenset(key.split(".", 1)[1] for key in self.parts if key.startswith(f"{kind}."))
            for kind in ("q", "qd")
        )
        return Named(q, qd, frozenset(self.whole))

    def states(
        self, setup: Setup, batch: tuple[int, ...], near: Array | None = None
    ) -> dict[str, Array]:
        """Each state of the scene, (rows, size); coordinates that were not given are as `near`."""
        model, found = setup.scene.model, {}
        rest = model.neutral() if near is None else near
        first = {"q": rest, "qd": np.zeros(model.nv)} | _first(setup, self.values)
        for name, size in _sizes(setup).items():
            array = np.broadcast_to(self.whole.get(name, first[name]), (*batch, size))
            array = np.array(array, float)
            for key, x in self.parts.items():
                kind, joint = key.split(".", 1)
                if kind == name:
                    where = model.slice_q(joint) if kind == "q" else model.slice_qd(joint)
                    array[..., where] = x
            found[name] = array.reshape(math.prod(batch), size)
        _check_rotations(setup.scene, found["q"])
        return found


def _given(
    setup: Setup, what: str, state: Any, q: Any, qd: Any, parameters: Mapping[str, Any]
) -> _Given:
    named, sizes = _named(setup, what, state, q, qd), _sizes(setup)
    whole = {n: _array(setup.scene, n, named[n], size, alone=n in setup.variables)
             for n, size in sizes.items() if n in named}  # fmt: skip
    parts = {
        key: joint_part(setup.scene, what, key, x) for key, x in named.items() if key not in sizes
    }
    values = {n: _value(setup, n, x) for n, x in parameters.items()}
    leads = {name: array.shape[:-1] for name, array in (whole | parts).items()}
    for name, array in values.items():
        leads[name] = array.shape[: array.ndim - setup.parameters.each[name].value.ndim]
    return _Given(whole, parts, values, leads)


def _sizes(setup: Setup) -> dict[str, int]:
    model = setup.scene.model
    return {"q": model.nq, "qd": model.nv} | {n: v.size for n, v in setup.variables.items()}


def _packed(setup: Setup, values: Mapping[str, Array], batch: tuple[int, ...]) -> Array:
    """Inputs of all numbers of the scene, (1 or rows, size)."""
    packed = setup.parameters.pack(values)
    if packed.ndim == 1:
        return packed.reshape(1, -1)
    return _by_rows(packed, packed.shape[:-1], batch)


def _first(setup: Setup, values: Mapping[str, Array]) -> dict[str, Array]:
    """Where states of elements start, (..., size), with the numbers of the scene that are given."""
    found = {}
    named = zip(setup.scene.all_elements, setup.scene.names, strict=True)
    for k, (element, name) in enumerate(named):
        own = {}
        for p in setup.parameters.each.values():
            if p.owner == k and p.name in values:
                x = values[p.name]
                flat = x.reshape(*x.shape[: x.ndim - p.value.ndim], p.value.size)
                own[p.field] = list(np.moveaxis(flat, -1, 0))
        changed = with_numbers(element, own)
        for n, variable in changed.variables.items():
            several, start = np.ndim(element.variables[n].start), variable.start
            each: list[Any] = list(start) if several else [start]  # type: ignore[arg-type]
            found[f"{name}.{n}"] = np.stack(np.broadcast_arrays(*each), -1)
    return found


def _named(setup: Setup, what: str, state: Any, q: Any, qd: Any) -> dict[str, Any]:
    """What was given of a state: whole ones by name, and joints as "q.joint", "qd.joint"."""
    model = setup.scene.model
    found = {name: x for name, x in (("q", q), ("qd", qd)) if x is not None}
    if state is None:
        return found
    if not isinstance(state, Mapping):
        raise SimulationError(
            f"`{what}` is {state!r}. Give a dict by the names of joints and states: "
            f'`{what}={{"knee": 0.3, "qd": {{"knee": 1.0}}}}`, or all coordinates as `q=`.'
        )
    for name, value in state.items():
        if name in ("q", "qd") and isinstance(value, Mapping):
            new = {f"{name}.{joint}": x for joint, x in value.items()}
        elif name in ("q", "qd", *setup.variables):
            new = {name: value}
        else:
            new = {f"q.{name}": value}
        for key, x in new.items():
            joint = key.split(".", 1)[-1]
            if key not in ("q", "qd", *setup.variables) and joint not in model.joint_names:
                known = (*model.joint_names, "q", "qd", *setup.variables)
                body = model.frame(joint).body if joint in model.frame_names else 0
                moving = model.bodies[body - 1].joint_name
                led = [i for i in model.tree.followers if model.bodies[i - 1].joint_name == joint]
                why = f"is no joint that leads. Name {model.figure.followed(led[0])}" if led else ""
                if body and moving in model.joint_names:
                    why = f"is a link. Name the joint that moves it: {moving!r}"
                if why:
                    raise SimulationError(f"`{what}` names {joint!r}, which {why}.")
                raise SimulationError(
                    f"`{what}` names {joint!r}, which is no joint and no state of "
                    f"`{model.name}`.{nearest(str(joint), known)} `model.joint_names` lists joints."
                )
            whole = key.split(".", 1)[0]
            if key in found or whole in found or (key == whole and _parts(key, found)):
                raise SimulationError(f"`{what}` gives {key!r} twice. Give it once.")
            found[key] = x
    return found


def _parts(kind: str, found: Mapping[str, Any]) -> bool:
    """Whether something of q or qd, whichever it is, has been found."""
    return kind in ("q", "qd") and any(key.startswith(f"{kind}.") for key in found)


def joint_part(scene: Scene, what: str, key: str, given: Any) -> Array:
    """Coordinates or velocities of one joint."""
    kind, joint = key.split(".", 1)
    where = scene.model.slice_q(joint) if kind == "q" else scene.model.slice_qd(joint)
    size = where.stop - where.start
    array = real_numbers(f"`{what}` of joint {joint!r}", given, f"(..., {size})")
    if size == 1 and array.shape[-1:] != (1,):
        return array[..., None]  # numbers, one for each simulation
    if array.shape[-1:] != (size,):
        raise ShapeError(
            f"`{what}` of joint {joint!r} has shape {array.shape}. Give (..., {size}): it has "
            f"{size} coordinates."
        )
    return array


def _value(setup: Setup, name: str, given: Any) -> Array:
    """A number of the scene, or several, with axes of a batch."""
    p = setup.parameters.each[name]
    shape = f"(..., {', '.join(map(str, p.value.shape))})" if p.value.ndim else "or one number"
    limits = bool(np.isinf(p.value).any())  # where there is no limit, it is infinite
    array = real_numbers(f"parameter {name!r}", given, shape, infinite=limits)
    spreads = p.owner is not None  # one number is none for gravity or an inertia
    if array.ndim == 0 and (spreads or not p.value.ndim):
        return np.full(p.value.shape, float(array))
    if p.value.ndim and array.shape[-p.value.ndim :] != p.value.shape:
        raise ShapeError(
            f"parameter {name!r} has shape {array.shape}. Give {'one number, or ' * spreads}(..., "
            f"{', '.join(map(str, p.value.shape))})."
        )
    if name == "inertia" and (array[..., ::10] < 0.0).any():
        raise ShapeError(
            "`inertia` has masses below zero. Give `model.inertial_parameters()`, say."
        )
    return array


def _by_rows(array: Array, lead: tuple[int, ...], batch: tuple[int, ...]) -> Array:
    """An array with a row for each simulation, or one for all."""
    rest = array.shape[len(lead) :]
    if all(n == 1 for n in lead):
        return np.ascontiguousarray(array.reshape(1, *rest))
    return np.ascontiguousarray(np.broadcast_to(array, batch + rest).reshape(-1, *rest))


def _together(leads: Mapping[str, tuple[int, ...]], steps: int | None = None) -> tuple[int, ...]:
    """The axes of the whole batch."""
    try:
        return np.broadcast_shapes(*leads.values())
    except ValueError:
        shapes = ", ".join(f"`{name}` {lead}" for name, lead in leads.items() if lead)
        forces = f" Joint forces for each of {steps} steps are (..., {steps}, nv)." if steps else ""
        raise ShapeError(
            f"leading axes are {'simulations' if steps else 'states'}, and those of {shapes} do "
            f"not go together.{forces}"
        ) from None


def _rows_of_tau(
    tau: Array, others: Mapping[str, tuple[int, ...]], steps: int, nv: int
) -> tuple[int, ...]:
    """Axes of `tau` that are simulations; behind them comes perhaps one of steps."""
    batch = _together(others, steps)

    def fits(lead: tuple[int, ...]) -> bool:
        with contextlib.suppress(ValueError):
            return np.broadcast_shapes(batch, lead) == batch
        return False

    lead = tau.shape[:-1]
    by_step = tau.ndim > 1 and tau.shape[-2] == steps and (fits(lead[:-1]) or tau.ndim > 2)
    by_step = by_step or (lead[-1:] == (1,) and not fits(lead))  # the same in all steps
    if by_step and fits(lead):
        raise ShapeError(
            f"`tau` has shape {tau.shape}, and there are as many simulations as steps: it may mean "
            f"either. Give {(*batch, steps, nv)}: simulations, steps, coordinates."
        )
    if not by_step and not fits(lead):
        many = f" For {lead[0]} simulations give {(lead[0], 1, nv)}: `tau[:, None]`."
        raise ShapeError(
            f"`tau` has shape {tau.shape}, and there are {steps} steps of simulations of shape "
            f"{batch}: give {(*batch, nv)} or {(*batch, steps, nv)}."
            f"{many if len(lead) == 1 and not batch else ''}"
        )
    return lead[:-1] if by_step else lead


def real_numbers(who: str, given: Any, shape: str, *, infinite: bool = False) -> Array:
    """An array of real numbers, finite ones unless they may be `infinite`."""
    try:
        array = np.asarray(given)
    except ValueError:  # rows of several lengths
        array = np.asarray(None)
    if array.dtype.kind not in "biuf":
        raise ShapeError(f"{who} is {given!r}. Give an array of real numbers, {shape}.")
    if (np.isnan(array) if infinite else ~np.isfinite(array)).any():
        raise ShapeError(f"{who} has NaN or infinity in it. Give finite numbers.")
    return array.astype(float)


def _array(scene: Scene, name: str, given: Any, size: int, *, alone: bool = False) -> Array:
    """A state, or joint forces."""
    array = real_numbers(f"`{name}`", given, f"(..., {size})")
    if size == 1 and (array.ndim == 0 or (alone and array.shape[-1] != 1)):
        array = array[..., None]  # numbers, one for each simulation
    if array.shape[-1:] != (size,):
        raise ShapeError(
            f"`{name}` has shape {array.shape} but `{scene.model.name}` needs (..., {size})."
        )
    return array


def _check_rotations(scene: Scene, q: Array) -> None:
    tree, bad = scene.model.tree, []
    for i, joint in enumerate(tree.joint):
        if joint.nq != joint.nv:  # such joints follow none
            own = tuple(q[:, k] for k in range(tree.q_start[i], tree.q_start[i + 1]))
            with np.errstate(all="ignore"):
                unit, _ = joint.normalize(own, (np.zeros(len(q)),) * joint.nv)
            if not all(np.isfinite(x).all() for x in unit):
                bad.append(scene.model.bodies[i - 1].joint_name)
    if bad:
        raise ShapeError(
            f"`q` has a quaternion of zeros for {', '.join(map(repr, bad))}, which is no rotation. "
            "Start from `model.neutral()`."
        )


def check_parameters(scene: Scene, given: Any) -> dict[str, Any]:
    """Numbers that a simulation is given by name."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ModelError(
            f"`parameters` is {given!r}. Give a dict by name: "
            '`parameters={"gravity": (0, 0, -1.62)}`; `scene.parameters()` lists them.'
        )
    return dict(given)
