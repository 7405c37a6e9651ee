"""Random figures, mainly to test dynamics on (after autoTree of spatial_v2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real

import numpy as np

from .._spatial.inertia import Inertia
from .._spatial.transform import Transform, clean, rotation
from .._spatial.vectors import Mat3, Vec3
from .._tree.joints import Helical, Joint, Planar, Prismatic, Revolute, unit_axis
from .._tree.kinds import (
    Composite,
    Euler,
    Free,
    PlanarTranslation,
    Spherical,
    Translational,
    Universal,
)
from ..errors import ModelError
from .body import Body

KINDS = {
    "revolute": lambda axis: Revolute(axis),
    "prismatic": lambda axis: Prismatic(axis),
    "helical": lambda axis: Helical(axis, 0.3),
    "planar": lambda axis: Planar(axis),
    "planar translation": lambda axis: PlanarTranslation(axis),
    "translational": lambda axis: Translational(),
    "universal": lambda axis: Universal(axis, axis[::-1]),
    "spherical": lambda axis: Spherical(),
    "exponential": lambda axis: Spherical("exponential"),
    "euler": lambda axis: Euler("zyx"),
    "charts": lambda axis: Euler("xyz", charts=True),
    "free": lambda axis: Free(),
    "free exponential": lambda axis: Free("exponential"),
    "composite": lambda axis: Composite([Prismatic(axis), Spherical()]),
}
"""Joints by name, from a random axis."""


def random_bodies(
    nb: int,
    branching: float,
    skew: float,
    taper: float,
    joints: Sequence[str | Joint],
    rng: np.random.Generator,
) -> list[Body]:
    """Bodies of a random tree; see `random_tree`."""
    shape = {"nb": nb, "branching": branching, "skew": skew, "taper": taper}
    given = f"random_tree({', '.join(f'{name}={value!r}' for name, value in shape.items())})"
    if not all(isinstance(x, Real) and math.isfinite(x) for x in shape.values()) or nb % 1:
        raise ModelError(f"{given}: give a whole number of bodies, and finite numbers behind it.")
    if nb < 1 or branching < 1.0:
        raise ModelError(
            f"{given}: give at least one body and a branching of at least 1 (1 is a chain, 2 a "
            "binary tree)."
        )
    if not isinstance(joints, Sequence) or not joints:
        raise ModelError(f"`joints` is {joints!r}. Give a list of kinds, such as ['revolute'].")
    for joint in joints:
        if isinstance(joint, str) and joint not in KINDS:
            raise ModelError(f"joint kind {joint!r} is not known; use {', '.join(KINDS)}.")
    bodies: list[Body] = []
    for i in range(1, int(nb) + 1):
        parent = int((i - 2 + np.ceil(branching)) // branching)
        size = taper ** (i - 1)
        turn = rotation(unit_axis(rng.normal(size=3)), skew * rng.uniform(0.5, 1.0))
        lateral = _vector(rng.normal(size=3) * 0.2 * size)
        A = rng.normal(size=(3, 3)) * 0.3 * size
        spread = A @ A.T  # a positive second moment makes an inertia that obeys the triangle rule
        mass = float(size**3 * rng.uniform(0.5, 2.0))
        moments = mass * (np.trace(spread) * np.eye(3) - spread)
        kind = joints[int(rng.integers(len(joints)))]
        joint = KINDS[kind](rng.normal(size=3)) if isinstance(kind, str) else kind
        bodies.append(
            Body(
                f"body{i}",
                joint,
                parent=f"body{parent}" if i > 1 else None,
                placement=Transform.from_pose(clean(turn), Vec3(size, 0.0, 0.0) + lateral),
                inertia=Inertia.from_com(
                    mass, _vector(rng.normal(size=3) * 0.3 * size), Mat3.from_rows(moments)
                ),
                joint_name=f"joint{i}",
            )
        )
    return bodies


def _vector(values: np.ndarray) -> Vec3:
    return Vec3(*(float(v) for v in values))
