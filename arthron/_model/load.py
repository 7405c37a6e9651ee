"""Models from files, and at random."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .._figure.figure import GRAVITY, Description
from .._figure.random import random_bodies
from .._figure.user_input import generator
from .._files.formats import BY_ENDING
from .._files.urdf import read_urdf
from .._tree.joints import Fixed, Joint
from ..errors import FileError, ModelError
from .model import Model, model_of


def load(
    path: str | Path,
    *,
    root: Joint | None = None,
    gravity: Sequence[float] = GRAVITY,
    packages: Sequence[str | Path] = (),
    mimic: bool = False,
) -> Model:
    """A model from a URDF file.

    Args:
        path: the file, .urdf or URDF in a file .xml.
        root: joint between the world and the root link; `ar.Free()` gives a floating base. Fixed
            when left out.
        gravity: acceleration of free fall in the world [m/s^2].
        packages: folders in which to look for `package://` meshes.
        mimic: whether joints that mimic another follow it, without coordinates of their own. When
            left out they move freely, and what they mimic is only data.
    """
    if not isinstance(path, str | Path):
        raise FileError(f"a {type(path).__name__} is no path. Give the name of a file.", repr(path))
    if "<" in str(path):
        raise FileError("this is the content of a file. Give its path.", f"{str(path)[:40]}...")
    if isinstance(root, type):
        raise ModelError(f"`root` is the class {root.__name__}. Write `ar.{root.__name__}()`.")
    path = Path(path).expanduser()
    ending = path.suffix.lower()
    if ending not in (".urdf", ".xml"):
        ends = f"it ends in {path.suffix!r}" if ending else "it has no ending"
        known = BY_ENDING.get(ending)
        what = f"this is {known}" if known else "give one, or rename the file if it is URDF"
        raise FileError(f"{ends}, and arthron reads .urdf files: {what}.", str(path))
    name, bodies = read_urdf(path, root=Fixed() if root is None else root, packages=packages)
    try:
        return model_of(Description(tuple(bodies), gravity, name, mimic, strict=False))
    except ModelError as error:
        raise FileError(str(error), str(path)) from error


def random_tree(
    nb: int,
    branching: float = 1.0,
    skew: float = 1.0,
    taper: float = 0.95,
    *,
    joints: Sequence[str | Joint] = ("revolute",),
    rng: np.random.Generator | int | None = 0,
) -> Model:
    """A random figure, mainly to test on: any tree from a few numbers.

    Args:
        nb: how many bodies.
        branching: children a body has on average: 1 is a chain, 2 a binary tree.
        skew: how much each joint's frame is turned from its parent's [rad].
        taper: size of each body relative to the one before.
        joints: kinds to choose from, or joints. Kinds are "revolute", "prismatic", "helical",
            "planar", "planar translation", "translational", "universal", "spherical",
            "exponential", "euler", "charts", "free", "free exponential" and "composite".
        rng: a seed or a random generator.
    """
    bodies = random_bodies(nb, branching, skew, taper, joints, generator(rng))
    return Model(bodies, name=f"random_tree({nb})")
