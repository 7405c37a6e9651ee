"""Inertias and joint friction from measured motion, such as real bodies could have.

Joint forces are linear in the parameters, so a motion comes down to a triangular matrix for each
coordinate, however many samples it has. A body can exist when its pseudo-inertia is positive
definite (RW22). Such inertias are a convex set, on which the errors and the distance from the model
as loaded are convex functions: there is one best answer.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from .._figure.figure import Array
from .._figure.user_input import LARGEST, as_numbers
from .._model.model import Model, model_of
from .._spatial.inertia import Inertia
from .._tree.kinds import Free
from ..errors import ModelError, ShapeError
from .base_parameters import JOINT, BaseParameters, regressor
from .base_parameters import base_parameters as base_parameters
from .exciting_motion import exciting_motion as exciting_motion
from .pseudo_inertia import Cone, minimise, solid
from .pseudo_inertia import from_pseudo_inertia as from_pseudo_inertia
from .pseudo_inertia import pseudo_inertia as pseudo_inertia

FINEST = 1e-6
"""Joint forces are never taken to be more exact than this part of the largest."""
EDGE = 1e-5
"""How strongly joint parameters are kept off zero, beside the pull on inertias."""
TOGETHER = 8_000_000
"""How many numbers of regressors are held at once."""


@dataclass(frozen=True)
class Identified:
    """What was found.

    Attributes:
        model: the figure with the identified inertias, armature, damping and friction.
        base: the combinations of parameters that joint forces depend on.
        values: of those combinations, (count,).
        deviation: standard deviation of `values` by the noise of `tau` alone, without help of the
            prior; infinite for what the motion does not show.
        residual: root mean square of what is left of `tau`, (nv,).
        noise: standard deviation of `tau`, given or estimated, (nv,).
        iterations: steps it took.
    """

    model: Model
    base: BaseParameters
    values: np.ndarray
    deviation: np.ndarray
    residual: np.ndarray
    noise: np.ndarray
    iterations: int

    @property
    def inertial_parameters(self) -> Array:
        """Those of the identified model, (10 nb,)."""
        return self.model.inertial_parameters()

    @property
    def joint_parameters(self) -> Array:
        """Those of the identified model, (3 nv,)."""
        return self.model.joint_parameters()

    def __repr__(self) -> str:
        sizes = zip(self.values, self.deviation, self.base.describe(), strict=True)
        lines = [f"{value:11.4g} ± {sd:<9.2g}{name}" for value, sd, name in sizes]
        return "\n".join([f"{self.base.count} combinations, {self.iterations} steps:", *lines])


def identify(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    tau: ArrayLike,
    *,
    joint: bool = True,
    noise: ArrayLike | None = None,
    pull: float = 1.0,
) -> Identified:
    """Parameters that explain measured joint forces, near those of the model and fit for bodies.

    They minimise, with J the pseudo-inertia of a body and J0 that of the model,

        1/2 sum ((tau - Y p) / noise)^2 + pull * sum (tr(J0^-1 J) - log det(J0^-1 J) - 4).

    The second sum is the same in all frames and units, decides what the data leave open, and is
    infinite for what no body could have. Leading axes are samples. Bodies without mass stay as
    they are, as do joint parameters of `Free` joints; what is fixed to a body is part of it.

    Args:
        model: the figure, and the prior for all that is identified.
        q: positions, (..., nq).
        qd: velocities, (..., nv).
        qdd: accelerations, (..., nv).
        tau: measured joint forces, (..., nv) [N m or N].
        joint: whether to identify armature, damping and friction too; else the model's hold.
        noise: standard deviation of `tau`, a number or (nv,), infinite for what was not measured;
            estimated from the data when left out.
        pull: weight of the prior; 1 takes inertias to be known to a factor of about 3.
    """
    if not isinstance(pull, Real) or not 0.0 < pull < np.inf:
        raise ModelError(f"`pull` is {pull!r}. Give a weight above zero; 1 is usual.")
    motion, force = _motion(model, q, qd, qdd, tau)
    n = 10 * model.nb
    prior = np.concatenate([model.inertial_parameters(), model.joint_parameters()])
    units = np.stack([motion[2], motion[1], np.sign(motion[1])], axis=-1)  # forces at p = 1
    if not joint:
        force = force - np.sum(units * prior[n:].reshape(-1, 3), axis=-1)
        prior = prior[:n]
    base = base_parameters(model, joint=joint)
    factors = _factors(model, base, joint, motion, force)
    size = np.sqrt(np.mean(force**2, axis=0))
    sigma = _estimated(factors, len(force)) if noise is None else _given(model, noise)
    sigma = np.maximum(sigma, FINEST * size.max())
    R = _triangle((factors / sigma[:, None, None]).reshape(-1, base.count + 1))[: base.count]
    # A joint parameter may be off by as much as would explain all of the measured force; it stays
    # as it is where there is none, and at joints that float, without a motor.
    joints = (model.tree.joint[i] for i in model.figure.leaders.values())
    floats = [isinstance(each, Free) for each in joints for _ in range(each.nv)]
    with np.errstate(divide="ignore"):
        width = (size + sigma.min())[:, None] / np.sqrt(np.mean(units**2, axis=0))
    width[np.array(floats) | np.isinf(sigma)] = np.inf
    G, y = R[:, :-1] @ base.combine, R[:, -1]
    p, iterations = _fit(G, y, prior, width.ravel()[: len(prior) - n], pull)
    values = base.combine @ p
    left = np.linalg.norm(factors @ np.append(values, -1.0), axis=-1) / np.sqrt(len(force))
    found = with_parameters(model, p[:n], p[n:] if joint else None)
    return Identified(found, base, values, _deviation(R[:, :-1]), left, sigma, iterations)


def _motion(model: Model, *given: ArrayLike) -> tuple[list[Array], Array]:
    """q, qd and qdd, and tau, as (samples, n) arrays, if they make sense."""
    arrays = []
    for name, value in zip(("q", "qd", "qdd", "tau"), given, strict=True):
        array, n = as_numbers(value, f"`{name}`"), model.nq if name == "q" else model.nv
        if array.shape[-1:] != (n,) or array.size == 0:
            raise ShapeError(
                f"`{name}` has shape {array.shape} but `{model.name}` needs (..., {n}), a row for "
                "each sample and at least one."
            )
        if not np.all(np.isfinite(array)):
            raise ShapeError(f"`{name}` holds NaN or infinity. Leave those samples out.")
        if np.abs(array).max() > LARGEST:
            raise ShapeError(
                f"`{name}` reaches {np.abs(array).max():g}, of which squares overflow. Check its "
                "units, or leave those samples out."
            )
        arrays.append(array)
    try:
        batch = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    except ValueError:
        raise ShapeError(
            f"`q`, `qd`, `qdd` and `tau` have shapes {', '.join(str(a.shape) for a in arrays)}, "
            "which do not go together. Give the same samples of each."
        ) from None
    *motion, force = (
        np.broadcast_to(a, (*batch, a.shape[-1])).reshape(-1, a.shape[-1]) for a in arrays
    )
    return motion, force


def _factors(
    model: Model, base: BaseParameters, joint: bool, motion: list[Array], force: Array
) -> Array:
    """Triangles with |R_j (b; -1)| = |force_j - Y_j b| for all values b, one per coordinate."""
    factors = np.empty((model.nv, 0, base.count + 1))
    start, samples = time.perf_counter(), len(force)
    many = max(2 * base.count, TOGETHER // (model.nv * len(base.names)))
    for at in range(0, samples, many):
        now = slice(at, at + many)
        Y = regressor(model, joint, *(x[now] for x in motion))[..., base.columns]
        rows = np.concatenate([Y, force[now, :, None]], axis=-1).swapaxes(0, 1)
        factors = _triangle(np.concatenate([factors, rows], axis=1))
        if time.perf_counter() - start > 2.0:
            done = min(1.0, (at + many) / samples)
            end = "\n" if done == 1.0 else ""
            print(f"\ridentify: {done:4.0%} of the samples read", end=end, file=sys.stderr)
    return factors


def _triangle(rows: Array) -> Array:
    return np.asarray(np.linalg.qr(rows, mode="r"))


def _estimated(factors: Array, samples: int) -> Array:
    """Standard deviation of each coordinate's force about the best fit, weighted by itself."""
    nv, _, n = factors.shape
    finest = FINEST * np.sqrt(np.sum(factors[..., -1] ** 2, axis=-1).max() / samples)
    if samples * nv < 2 * n or finest == 0.0:
        raise ShapeError(
            f"{samples} samples of {nv} joint forces do not tell how noisy `tau` is, with {n - 1} "
            "parameters to find (or all of `tau` is zero). Give more samples, or `noise=`."
        )
    sigma = np.ones(nv)
    for _ in range(4):
        R = _triangle((factors / sigma[:, None, None]).reshape(-1, n))
        b = np.linalg.lstsq(R[:, :-1], R[:, -1], rcond=None)[0]
        left = np.linalg.norm(factors @ np.append(b, -1.0), axis=-1)
        sigma = np.maximum(left / np.sqrt(samples - (n - 1) / nv), finest)
    return sigma


def _given(model: Model, noise: ArrayLike) -> Array:
    sigma = as_numbers(noise, "`noise`")
    if sigma.shape not in ((), (model.nv,)) or not np.all(sigma > 0.0) or np.all(np.isinf(sigma)):
        raise ShapeError(
            f"`noise` is {noise!r}. Give a number above zero, or one for each of the {model.nv} "
            "coordinates, infinite for those that were not measured."
        )
    return np.broadcast_to(sigma, (model.nv,))


def _deviation(R: Array) -> Array:
    """Standard deviations of values b with |R b - z|^2 / 2 as the negative logarithm of density."""
    length = np.linalg.norm(R, axis=0)
    length[length == 0.0] = 1.0
    _, s, V = np.linalg.svd(R / length)
    s = np.append(s, np.zeros(len(V) - len(s)))
    seen = s > 1e-9 * s[0]
    hidden = np.sum(V[~seen] ** 2, axis=0) > 1e-12
    return np.where(hidden, np.inf, np.linalg.norm(V[seen].T / s[seen], axis=1) / length)


def _fit(G: Array, y: Array, prior: Array, width: Array, pull: float) -> tuple[Array, int]:
    """Parameters with the least of what `identify` minimises, and the steps it took.

    Joint parameters stay within about `width` of the prior, and above zero; at the prior where
    that is infinite, for then nothing is known of them.
    """
    n = len(prior) - len(width)
    bodies = 10 * np.flatnonzero(prior[:n:10] > 0.0)[:, None] + np.arange(10)
    J0 = solid(pseudo_inertia(prior[bodies]))
    joints = n + np.flatnonzero(np.isfinite(width))
    width = width[joints - n]
    near = np.zeros((len(joints), len(prior)))
    near[np.arange(len(joints)), joints] = np.sqrt(pull) / width
    known = prior[joints] > 0.0
    x = np.where(known, prior[joints], 0.01 * width)
    slope = EDGE * pull / x * known  # so that log x does not move what is known
    cones = [
        Cone(bodies, J0, pull * np.linalg.inv(J0), pull),
        Cone(joints[:, None], x[:, None, None], slope[:, None, None], EDGE * pull),
    ]
    return minimise(np.concatenate([G, near]), np.append(y, near @ prior), prior, cones)


def with_parameters(model: Model, inertial: ArrayLike, joint: ArrayLike | None = None) -> Model:
    """The model with other inertial parameters (10 nb,) and, if given, joint parameters (3 nv,).

    Those of a body include what is merged into it: such links keep none of their own. Nor do joints
    that follow others: theirs count at their leaders.
    """
    inertial = as_numbers(inertial, "`inertial`")
    given = np.zeros(3 * model.nv) if joint is None else as_numbers(joint, "`joint`")
    if inertial.shape != (10 * model.nb,) or given.shape != (3 * model.nv,):
        raise ShapeError(
            f"parameters have shapes {inertial.shape} and {given.shape} but `{model.name}` needs "
            f"({10 * model.nb},) and ({3 * model.nv},), as `model.inertial_parameters()` and "
            "`model.joint_parameters()` give them."
        )
    links = []
    for body in model.links:
        i = model.frame(body.name).body
        if i and body.part_of_parent:
            body = replace(body, inertia=Inertia())
        elif i:
            I = Inertia.from_parameters(inertial[10 * i - 10 : 10 * i].tolist())
            own = given.reshape(-1, 3)[model.tree.v_start[i] : model.tree.v_start[i + 1]].T
            data = dict(zip(JOINT, own if own.size else np.zeros(3), strict=True))
            body = replace(body, inertia=I, **(data if joint is not None else {}))
        links.append(body)
    described = replace(model.figure.description, links=tuple(links))
    return model_of(described, type(model))
