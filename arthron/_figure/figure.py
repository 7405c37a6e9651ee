"""A figure as it was described, and as it was built of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._spatial.transform import Transform
from .._tree.tree import Tree
from ..errors import ModelError, ShapeError, nearest
from .body import Body
from .reduction import Reduction
from .user_input import generator

Array = NDArray[np.floating]
GRAVITY = (0.0, 0.0, -9.81)
AT_COM = ".com"
"""Behind a link's name: the frame at its centre of mass."""


@dataclass(frozen=True)
class Description:
    """All that a figure is made of.

    Attributes:
        links: bodies and the joints that move them, in any order, fixed ones too.
        gravity: acceleration of free fall in the world [m/s^2].
        name: what to call the figure in messages.
        mimic: whether joints that follow another have no coordinates of their own.
        strict: whether inertias that no body can have are errors; of files they are warnings.
        reduction: coordinates that belong to no joint, and how joints follow them, if any do.
    """

    links: tuple[Body, ...]
    gravity: Sequence[float] = GRAVITY
    name: str = "model"
    mimic: bool = False
    strict: bool = True
    reduction: Reduction | None = None


@dataclass(frozen=True)
class Frame:
    """A named frame that rides on a body.

    Attributes:
        body: number of the body; 0 is the base.
        X: transform from the body's frame to this one.
    """

    body: int
    X: Transform


@dataclass(frozen=True)
class Figure:
    """A built figure: the tree that pages see, and the names and data around it.

    Attributes:
        description: what it was built of.
        tree: the tree.
        bodies: the links that move, in the order of the tree.
        frames: where each link is, moving or merged, by name.
        warnings: what is doubtful about it.
    """

    description: Description
    tree: Tree
    bodies: tuple[Body, ...]
    frames: dict[str, Frame]
    warnings: tuple[str, ...]

    @cached_property
    def leaders(self) -> dict[str, int]:
        """The joints that have coordinates of their own, and the numbers of their bodies."""
        return {str(self.holder(i).joint_name): i for i in self.tree.own}

    def holder(self, i: int) -> Body:
        """The body of a number; for 0 what stands for coordinates that belong to none."""
        given = self.description.reduction
        return self.bodies[i - 1] if i or given is None else given.coordinates

    def followed(self, i: int) -> str:
        """Names of what a joint follows."""
        leads = self.tree.map.depends(i) if self.tree.map else []
        return " and ".join(repr(self.holder(j).joint_name) for j in leads) or "a constant"

    def joint_number(self, joint: str) -> int:
        """The number of the body that a joint moves."""
        if not isinstance(joint, str) or joint not in self.leaders:
            for i in self.tree.followers:
                if self.bodies[i - 1].joint_name == joint:
                    leader = self.followed(i)
                    raise ModelError(
                        f"joint {joint!r} of `{self.description.name}` follows {leader} and has no "
                        f"coordinates of its own. Name {leader}, or take `model.unreduced()`, in "
                        "which all joints move freely, as those of a file do without `mimic=True`."
                    )
            raise ModelError(
                f"no joint {joint!r} in `{self.description.name}`.{nearest(joint, self.leaders)} "
                f"`model.joint_names` lists all {len(self.leaders)}."
            )
        return self.leaders[joint]

    def per_coordinate(self, field: str) -> Array:
        """Data of all joints, a number per coordinate; read-only, as figures do not change."""
        bodies = (self.holder(i) for i in self.leaders.values())
        return read_only([x for body in bodies for x in getattr(body, field)])

    def frame(self, name: str) -> Frame:
        """The body that a frame rides on, and where; see `Model.frame`."""
        link, X = self.link(name)
        home = self.frames[link]
        return home if link == name else Frame(home.body, X @ home.X)

    def link(self, name: str) -> tuple[str, Transform]:
        """The link that a frame's name belongs to, and where on it the frame is."""
        if isinstance(name, str) and name in self.frames:
            return name, Transform()
        link = str(name).removesuffix(AT_COM)
        own = self.description.name
        if link not in self.frames or not isinstance(name, str):
            raise ModelError(
                f"no body or frame {name!r} in `{own}`.{nearest(link, self.frames)} "
                f"`model.frame_names` lists all {len(self.frames)}."
            )
        inertia: Any = next(b.inertia for b in self.description.links if b.name == link)
        if inertia.m == 0.0:
            raise ModelError(
                f"link {link!r} of `{own}` has no mass, so there is no {name!r}, its centre "
                f"of mass. Give it mass (`inertia` or `shapes`), or use its origin, {link!r}."
            )
        return link, Transform(r=inertia.com())


def read_only(numbers: Sequence[float]) -> Array:
    """An array of what does not change."""
    array = np.array(numbers, dtype=float)
    array.flags.writeable = False
    return array


def random_poses(figure: Figure, rng: np.random.Generator | int | None, size: int | None) -> Array:
    """Coordinates of random poses, within the limits where a joint has both; see `Model.random`."""
    rng = generator(rng)
    whole = isinstance(size, int | np.integer) and not isinstance(size, bool)
    if size is not None and (not whole or size < 0):
        raise ShapeError(f"`size` is {size!r}. Give how many poses: a whole number, zero or more.")
    tree = figure.tree
    low, high = figure.per_coordinate("lower"), figure.per_coordinate("upper")
    limited = np.isfinite(low) & np.isfinite(high)
    q = np.empty((1 if size is None else size, tree.nq))
    for i, joint in enumerate(tree.joint):
        where = slice(tree.q_start[i], tree.q_start[i + 1])
        if joint.nq != joint.nv:  # quaternions and charts: no numbers to draw one by one
            limited[where] = False
        if len(q) and not np.all(limited[where]):
            q[:, where] = [joint.random(rng) for _ in q]
    q[:, limited] = rng.uniform(low[limited], high[limited], (len(q), int(limited.sum())))
    return q[0] if size is None else q
