"""Which combinations of inertias and joint parameters the joint forces can tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._figure.figure import Array
from .._figure.user_input import generator
from .._model.model import Model
from ..errors import ModelError

INERTIAL = ("m", "mcx", "mcy", "mcz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
JOINT = ("armature", "damping", "friction")
DEPENDENT = 1e-7
"""A column depends on others when what they leave of it is smaller than this part of it."""


@dataclass(frozen=True)
class BaseParameters:
    """The combinations of parameters that joint forces depend on (GK90).

    Attributes:
        columns: independent columns of the regressor, (count,); each leads one combination.
        combine: (count, n) with Y p = Y[..., columns] @ (combine @ p) for all states and all p.
        names: of the n parameters: those of `model.inertial_parameters()`, then, if asked for,
            those of `model.joint_parameters()`.
    """

    columns: np.ndarray
    combine: np.ndarray
    names: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many combinations there are."""
        return len(self.columns)

    def describe(self) -> list[str]:
        """Each combination in words, such as "arm.Izz + hand.Iyy + 0.1 * hand.m"."""
        lines = []
        for lead, row in zip(self.columns, self.combine, strict=True):
            line = self.names[lead]
            for k in np.flatnonzero(row):
                size = "" if abs(abs(row[k]) - 1.0) < 1e-9 else f"{abs(row[k]):.4g} * "
                if k != lead:
                    line += f" {'-' if row[k] < 0.0 else '+'} {size}{self.names[k]}"
            lines.append(line)
        return lines

    def __repr__(self) -> str:
        head = f"{self.count} combinations of {len(self.names)} parameters:"
        return "\n  ".join([head, *self.describe()])


def base_parameters(
    model: Model, *, joint: bool = False, rng: np.random.Generator | int | None = 0
) -> BaseParameters:
    """The identifiable combinations, from regressors at random states.

    Columns are taken from the base to the tips; one that depends on those before it, to 1e-7 of
    its length, is merged into them: what a joint does not feel goes to its parent, as in GK90.
    States are drawn without regard to limits: what can be told apart does not depend on them.

    Args:
        model: the figure; its joints, placements and gravity matter, its inertias do not.
        joint: whether armature, damping and friction are parameters as well.
        rng: seed or generator for the states.
    """
    if not model.nv:
        raise ModelError(f"`{model.name}` has no joint that moves, so no force tells of inertias.")
    rng = generator(rng)
    joints = [model.tree.joint[i] for i in model.figure.leaders.values()]
    count = 40 * (1 + model.nb - len(joints))  # bodies that follow have no rows of their own
    q = [[x for each in joints for x in each.random(rng)] for _ in range(count)]
    Y = regressor(model, joint, np.array(q), *rng.normal(size=(2, count, model.nv)))
    Y = Y.reshape(-1, Y.shape[-1])
    length = np.linalg.norm(Y, axis=0)
    length[length <= 1e-10 * length.max()] = np.inf  # nothing but rounding
    Y, Q, columns = Y / length, np.empty((len(Y), 0)), []
    for k, column in enumerate(Y.T):
        for _ in range(2):  # the second time for what rounding left of the first
            column = column - Q @ (Q.T @ column)
        if np.linalg.norm(column) > DEPENDENT:
            columns.append(k)
            Q = np.column_stack([Q, column / np.linalg.norm(column)])
    combine = np.linalg.solve(Q.T @ Y[:, columns], Q.T @ Y)
    used = np.abs(combine) > 1e-11
    combine[used] *= (length / length[columns, None])[used]
    return BaseParameters(np.array(columns), np.where(used, combine, 0.0), _names(model, joint))


def regressor(model: Model, joint: bool, q: Array, qd: Array, qdd: Array) -> Array:
    """Y of the inertial parameters and, with `joint`, of the joint parameters behind them."""
    Y = model.regressor(q, qd, qdd)
    return np.concatenate([Y, model.joint_regressor(qd, qdd)], axis=-1) if joint else Y


def _names(model: Model, joint: bool) -> tuple[str, ...]:
    names = [f"{body}.{p}" for body in model.body_names for p in INERTIAL]
    for name, i in model.figure.leaders.items() if joint else ():
        n = model.tree.joint[i].nv
        which = [f"[{k}]" for k in range(n)] if n > 1 else [""]
        names += [f"{name}{k}.{p}" for k in which for p in JOINT]
    return tuple(names)
