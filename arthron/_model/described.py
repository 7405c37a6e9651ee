"""What a model is, apart from what it computes: names, sizes, limits, and models made of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._algorithms.energy import total_mass
from .._figure.body import Body
from .._figure.build import Figure, Frame, build
from .._figure.edit import attached, locked
from .._files.write_urdf import write_urdf
from .._spatial.transform import Transform
from .._tree.placement import as_placement
from .._tree.tree import Tree
from ..errors import ModelError, ShapeError, nearest
from .draw import draw_tree

Array = NDArray[np.floating]
GRAVITY = (0.0, 0.0, -9.81)
AT_COM = ".com"
"""Behind a link's name: the frame at its centre of mass."""


class Described:
    """The description of a figure, built and checked; `Model` adds what is computed of it."""

    _figure: Figure
    _described: tuple

    def __init__(
        self,
        bodies: Sequence[Body],
        *,
        gravity: Sequence[float] = GRAVITY,
        name: str = "model",
        mimic: bool = False,
    ) -> None:
        if isinstance(bodies, str | Path):
            raise ModelError(f"`bodies` is {str(bodies)!r}. `ar.load(path)` reads a file.")
        for body in [bodies] if isinstance(bodies, Body) else bodies:
            if not isinstance(body, Body) or body is bodies:
                raise ModelError(f"`bodies` holds {body!r}. Give a list of `ar.Body(...)`.")
        self._build(tuple(bodies), gravity, name, {"strict": True, "mimic": mimic})

    def _build(
        self, bodies: tuple[Body, ...], gravity: Sequence[float], name: str, options: dict
    ) -> Self:
        figure = build(bodies, gravity, name, **options)
        self.__dict__["_figure"] = figure
        self.__dict__["_described"] = (bodies, tuple(figure.tree.gravity.lin), name, options)
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        how = f"`model.replace({name}=...)`" if name in ("gravity", "name") else "`ar.Model(...)`"
        raise ModelError(f"models do not change; {how} makes a new one.")

    def __reduce__(self) -> tuple:
        return rebuild, (type(self), *self._described)

    def __repr__(self) -> str:
        return draw_tree(self)

    @property
    def name(self) -> str:
        """Name of the figure."""
        return self._described[2]

    @property
    def tree(self) -> Tree:
        """The tree that pages see."""
        return self._figure.tree

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The moving bodies as they were described, in the order of the model."""
        return self._figure.bodies

    @property
    def gravity(self) -> Array:
        """Acceleration of free fall [m/s^2]."""
        return np.array(self.tree.gravity.lin)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is doubtful about the figure."""
        return self._figure.warnings

    @property
    def nq(self) -> int:
        """How many position coordinates there are."""
        return self.tree.nq

    @property
    def nv(self) -> int:
        """How many velocity coordinates there are."""
        return self.tree.nv

    @property
    def nb(self) -> int:
        """How many bodies move."""
        return self.tree.nb

    @property
    def mass(self) -> float:
        """Mass of all moving bodies [kg]."""
        return total_mass(self.tree)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that have coordinates, in their order."""
        return tuple(str(b.joint_name) for b in self._leaders)

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the moving bodies."""
        return tuple(b.name for b in self.bodies)

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of all links, moving or merged; each can stand where a body is asked for.

        So can a link's name with `.com` behind it, its centre of mass (see `frame`); those are not
        listed.
        """
        return tuple(self._figure.frames)

    def slice_q(self, joint: str) -> slice:
        """Where a joint's coordinates are in `q`."""
        i = self._joint(joint)
        return slice(self.tree.q_start[i], self.tree.q_start[i + 1])

    def slice_qd(self, joint: str) -> slice:
        """Where a joint's coordinates are in `qd`, `qdd` and `tau`."""
        i = self._joint(joint)
        return slice(self.tree.v_start[i], self.tree.v_start[i + 1])

    @property
    def q_lower(self) -> Array:
        """Lower limits of `q`; minus infinity where there is none."""
        return self._joint_data("lower")

    @property
    def q_upper(self) -> Array:
        """Upper limits of `q`; infinity where there is none."""
        return self._joint_data("upper")

    @property
    def velocity_limit(self) -> Array:
        """Greatest speed of each velocity coordinate."""
        return self._joint_data("velocity")

    @property
    def effort_limit(self) -> Array:
        """Greatest force of each velocity coordinate."""
        return self._joint_data("effort")

    @property
    def damping(self) -> Array:
        """Viscous friction of each velocity coordinate: data for scenes."""
        return self._joint_data("damping")

    @property
    def friction(self) -> Array:
        """Dry friction of each velocity coordinate: data for scenes."""
        return self._joint_data("friction")

    @property
    def armature(self) -> Array:
        """Inertia added to each velocity coordinate."""
        return self._joint_data("armature")

    def neutral(self) -> Array:
        """Coordinates at which every joint is at its zero."""
        return np.array([x for b in self._leaders for x in b.joint.neutral()], dtype=float)

    def random(
        self, rng: np.random.Generator | int | None = None, size: int | None = None
    ) -> Array:
        """Coordinates of a random pose, within the limits where a joint has both.

        With `size`, that many poses, (size, nq).
        """
        rng = np.random.default_rng(rng)
        low, high = self.q_lower, self.q_upper
        limited = np.isfinite(low) & np.isfinite(high)
        q = np.empty((1 if size is None else size, self.nq))
        for i, joint in enumerate(self.tree.joint):
            where = slice(self.tree.q_start[i], self.tree.q_start[i + 1])
            if joint.nq != joint.nv:  # quaternions and charts: no numbers to draw one by one
                limited[where] = False
            if len(q) and not np.all(limited[where]):
                q[:, where] = [joint.random(rng) for _ in q]
        q[:, limited] = rng.uniform(low[limited], high[limited], (len(q), int(limited.sum())))
        return q[0] if size is None else q

    def replace(self, *, gravity: Sequence[float] | None = None, name: str | None = None) -> Self:
        """A model like this one, but for what is given."""
        bodies, old_gravity, old_name, options = self._described
        chosen = old_gravity if gravity is None else gravity
        return rebuild(type(self), bodies, chosen, name or old_name, options)

    def lock(self, joints: Sequence[str], q: ArrayLike) -> Self:
        """A model in which some joints are fixed where the coordinates `q` of this one have them.

        Their bodies become part of what they hang on, and frames.
        """
        bodies, gravity, name, options = self._described
        chosen = {joints} if isinstance(joints, str) else set(joints)
        for joint in chosen:
            self._joint(joint)
        values = np.asarray(q, dtype=float)
        if values.shape != (self.nq,) or not np.all(np.isfinite(values)):
            raise ShapeError(
                f"`q` has shape {values.shape}; give the finite coordinates of one pose, "
                f"({self.nq},), such as `model.neutral()`."
            )
        fixed = locked(self._figure, bodies, chosen, values.tolist())
        return rebuild(type(self), fixed, gravity, name, options)

    def attach(
        self,
        other: Described,
        parent: str,
        *,
        placement: Any = (0.0, 0.0, 0.0),
        prefix: str = "",
        name: str | None = None,
    ) -> Self:
        """A model with another one hung on a body or frame of this one.

        Args:
            other: the model to attach; its root joints stay what they are.
            parent: body or frame of this model that becomes its world; "hand.com" hangs it on the
                centre of mass of a link.
            placement: where its world is in the parent: a position, a 4 x 4 pose or `ar.pose(...)`.
            prefix: put before the names of its bodies and joints.
            name: name of the result; that of this model when left out.
        """
        link, X = self._link(parent)
        bodies, gravity, own, options = self._described
        strict = options["strict"] and other._described[3]["strict"]
        both = attached(bodies, other._described[0], link, as_placement(placement) @ X, prefix)
        return rebuild(type(self), both, gravity, name or own, {**options, "strict": strict})

    def save_urdf(self, path: str | Path) -> None:
        """Write the model as a URDF file that `ar.load` reads back."""
        write_urdf(self, path)

    def _joint(self, joint: str) -> int:
        if joint not in self.joint_names:
            raise ModelError(
                f"no joint {joint!r} in `{self.name}`.{nearest(joint, self.joint_names)} "
                f"`model.joint_names` lists all {len(self.joint_names)}."
            )
        return next(i for i, b in enumerate(self.bodies, start=1) if b.joint_name == joint)

    @property
    def _leaders(self) -> list[Body]:
        """The bodies whose joints have coordinates of their own."""
        pairs = zip(self.bodies, self.tree.follow[1:], strict=True)
        return [body for body, follow in pairs if not follow]

    def frame(self, name: str) -> Frame:
        """The body that a frame rides on (its number in pages, 0 for the base), and where: X.

        A link's name with `.com` behind it is a frame at the centre of mass of that link alone, as
        it was described, with the link's axes: links that were merged into it do not count, nor
        what it was merged into. A link that is itself called so comes first.
        """
        link, X = self._link(name)
        home = self._figure.frames[link]
        return home if link == name else Frame(home.body, X @ home.X)

    def _link(self, name: str) -> tuple[str, Transform]:
        """The link that a frame's name belongs to, and where on it the frame is."""
        frames = self._figure.frames
        if isinstance(name, str) and name in frames:
            return name, Transform()
        link = str(name).removesuffix(AT_COM)
        if link not in frames or not isinstance(name, str):
            raise ModelError(
                f"no body or frame {name!r} in `{self.name}`.{nearest(link, frames)} "
                f"`model.frame_names` lists all {len(frames)}."
            )
        inertia = next(b.inertia for b in self._described[0] if b.name == link)
        if inertia.m == 0.0:
            raise ModelError(
                f"link {link!r} of `{self.name}` has no mass, so there is no {name!r}, its centre "
                f"of mass. Give it mass (`inertia` or `shapes`), or use its origin, {link!r}."
            )
        return link, Transform(r=inertia.com())

    def _joint_data(self, field: str) -> Array:
        return np.array([x for body in self._leaders for x in getattr(body, field)], dtype=float)


AnyModel = TypeVar("AnyModel", bound=Described)


def rebuild(
    kind: type[AnyModel],
    bodies: Sequence[Body],
    gravity: Sequence[float],
    name: str,
    options: dict,
) -> AnyModel:
    """A model from a description and the options of `build`."""
    return kind.__new__(kind)._build(tuple(bodies), gravity, name, options)
