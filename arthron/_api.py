"""The public model: a tree, the names around it, and a compiled method per page."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._algorithms import configuration, dynamics, energy, kinematics
from ._compile.function import Function
from ._compiled import method
from ._draw import draw_tree
from ._files.write_urdf import write_urdf
from ._graph.program import Shape
from ._model.body import Body
from ._model.build import Figure, Frame, build
from ._model.edit import attached, locked
from ._model.tree import Tree
from ._page import Page
from .errors import ModelError, ShapeError, nearest

Array = NDArray[np.floating]
Method = TypeVar("Method", bound=Callable[..., Any])

GRAVITY = (0.0, 0.0, -9.81)


class _Computed:
    """A method whose body is a compiled page: made when first asked for, then kept by the model."""

    def __init__(self, declaration: Callable, page: Page) -> None:
        self.declaration, self.page = declaration, page
        functools.update_wrapper(self, declaration)  # type: ignore[arg-type]

    def __get__(self, model: Model | None, owner: type) -> Callable:
        if model is None:
            return self.declaration
        name = self.declaration.__name__
        function = method(name, self.declaration.__doc__, self.page, model)
        return model.__dict__.setdefault(name, function)


def computed_by(page: Page) -> Callable[[Method], Method]:
    """Declare a method of the model that a page computes."""
    return lambda declaration: _Computed(declaration, page)  # type: ignore[return-value]


class Model:
    """A figure ready to be computed with.

    Methods broadcast over leading axes, take `out=`, and compile on first use. Models do not
    change: `replace` makes a new one.

    Args:
        bodies: links and the joints that move them, in any order.
        gravity: acceleration of free fall in the world [m/s^2].
        name: what to call the figure in messages.
        mimic: whether bodies with `mimic` follow another joint, without coordinates of their own.
    """

    def __init__(
        self,
        bodies: Sequence[Body],
        *,
        gravity: Sequence[float] = GRAVITY,
        name: str = "model",
        mimic: bool = False,
    ) -> None:
        for body in bodies:
            if not isinstance(body, Body):
                raise ModelError(f"`bodies` holds {body!r}. Give a list of `ar.Body(...)`.")
        self._build(tuple(bodies), gravity, name, {"strict": True, "mimic": mimic})

    def _build(
        self, bodies: tuple[Body, ...], gravity: Sequence[float], name: str, options: dict
    ) -> Model:
        figure = build(bodies, gravity, name, **options)
        self.__dict__["_figure"] = figure
        self.__dict__["_described"] = (bodies, tuple(figure.tree.gravity.lin), name, options)
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        raise ModelError(f"models do not change; `model.replace({name}=...)` makes a new one.")

    def __reduce__(self) -> tuple:
        return rebuild, self._described

    def __repr__(self) -> str:
        return draw_tree(self)

    # What the figure is

    _figure: Figure
    _described: tuple

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
        return energy.total_mass(self.tree)

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
        """Names of all links, moving or merged; each can stand where a body is asked for."""
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
            if len(q) and not np.all(limited[where]):
                q[:, where] = [joint.random(rng) for _ in q]
        q[:, limited] = rng.uniform(low[limited], high[limited], (len(q), int(limited.sum())))
        return q[0] if size is None else q

    def replace(self, *, gravity: Sequence[float] | None = None, name: str | None = None) -> Model:
        """A model like this one, but for what is given."""
        bodies, old_gravity, old_name, options = self._described
        return rebuild(
            bodies, old_gravity if gravity is None else gravity, name or old_name, options
        )

    def lock(self, joints: Sequence[str], q: ArrayLike) -> Model:
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
        return rebuild(fixed, gravity, name, options)

    def attach(
        self,
        other: Model,
        parent: str,
        *,
        placement: Any = (0.0, 0.0, 0.0),
        prefix: str = "",
        name: str | None = None,
    ) -> Model:
        """A model with another one hung on a body or frame of this one.

        Args:
            other: the model to attach; its root joints stay what they are.
            parent: body or frame of this model that becomes its world.
            placement: where its world is in the parent: a position, a 4 x 4 pose or `ar.pose(...)`.
            prefix: put before the names of its bodies and joints.
            name: name of the result; that of this model when left out.
        """
        self._frame(parent)
        bodies, gravity, own, options = self._described
        strict = options["strict"] and other._described[3]["strict"]
        both = attached(bodies, other._described[0], parent, placement, prefix)
        return rebuild(both, gravity, name or own, {**options, "strict": strict})

    def save_urdf(self, path: str | Path) -> None:
        """Write the model as a URDF file that `ar.load` reads back."""
        write_urdf(self, path)

    # Kinematics

    @computed_by(kinematics.poses)
    def body_poses(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Pose of each body in the world, (..., nb, 4, 4)."""
        ...

    @computed_by(kinematics.velocities)
    def body_velocities(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """Twist of each body in its own axes, [angular; linear], (..., nb, 6)."""
        ...

    @computed_by(kinematics.accelerations)
    def body_accelerations(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Spatial acceleration of each body in its own axes, without gravity, (..., nb, 6)."""
        ...

    @computed_by(kinematics.jacobians)
    def body_jacobians(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Matrices that take `qd` to each body's twist in its own axes, (..., nb, 6, nv)."""
        ...

    def frame_pose(self, q: ArrayLike, frame: str, *, out: Array | None = None) -> Array:
        """Pose of a frame in the world, (..., 4, 4)."""
        page = functools.partial(kinematics.frame_pose, **vars(self._frame(frame)))
        return self._kept(("frame_pose", frame), page)(q, out=out)

    def frame_velocity(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str,
        *,
        axes: str = "local",
        out: Array | None = None,
    ) -> Array:
        """Twist of a frame, [angular; linear], (..., 6).

        `axes` are "local" (at the frame, its own axes), "world_aligned" (at the frame, world axes)
        or "world" (at the world's origin, world axes).
        """
        page = functools.partial(
            kinematics.frame_velocity, **vars(self._frame(frame)), axes=_axes("axes", axes)
        )
        return self._kept(("frame_velocity", frame, axes), page)(q, qd, out=out)

    def frame_acceleration(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        frame: str,
        *,
        axes: str = "local",
        classical: bool = False,
        out: Array | None = None,
    ) -> Array:
        """Acceleration of a frame without gravity, [angular; linear], (..., 6).

        Spatial, or with `classical` the rate of change of the velocity of the frame's origin as a
        point, which differs by w x v. `axes` as in `frame_velocity`; classical ones are local or
        world_aligned.
        """
        if classical and axes == "world":
            raise ModelError(
                "classical acceleration in axes 'world' is that of no point of the frame. Use "
                "'local' or 'world_aligned'."
            )
        page = functools.partial(
            kinematics.frame_acceleration,
            **vars(self._frame(frame)),
            axes=_axes("axes", axes),
            classical=classical,
        )
        key = ("frame_acceleration", frame, axes, str(classical))
        return self._kept(key, page)(q, qd, qdd, out=out)

    def jacobian(
        self,
        q: ArrayLike,
        body: str,
        point: ArrayLike = (0.0, 0.0, 0.0),
        *,
        frame: str = "local",
        out: Array | None = None,
    ) -> Array:
        """Matrix that takes `qd` to the twist of a point fixed in a body, (..., 6, nv).

        Args:
            q: coordinates.
            body: a body, or any frame.
            point: the point in the body's frame [m].
            frame: "local" (at the point, body axes), "world_aligned" (at the point, world axes),
                or "world" (at the world's origin, world axes).
            out: where to put the result.
        """
        axes = _axes("frame", frame)
        page = functools.partial(kinematics.point_jacobian, **vars(self._frame(body)), axes=axes)
        return self._kept(("jacobian", body, frame), page, point=(3,))(q, point, out=out)

    @computed_by(configuration.integrate)
    def integrate(self, q: ArrayLike, dq: ArrayLike, *, out: Array | None = None) -> Array:
        """Coordinates after moving with joint velocity `dq` for unit time, (..., nq)."""
        ...

    @computed_by(configuration.difference)
    def difference(self, q0: ArrayLike, q1: ArrayLike, *, out: Array | None = None) -> Array:
        """The displacement `dq` with `integrate(q0, dq)` at q1, (..., nv)."""
        ...

    @computed_by(configuration.normalize)
    def normalize(
        self, q: ArrayLike, qd: ArrayLike, *, out: tuple[Array, Array] | None = None
    ) -> tuple[Array, Array]:
        """The same pose and velocity in coordinates far from trouble: (q, qd).

        Quaternions get unit length, rotation vectors beyond 1.5 pi go the short way round, Euler
        angles with charts change charts near a singularity. Other joints are left alone.
        """
        ...

    # Dynamics

    @computed_by(dynamics.inverse_dynamics)
    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, f_ext: ArrayLike | None = None, *,
        out: Array | None = None,
    ) -> Array:  # fmt: skip
        """Joint forces that produce `qdd` [N m or N], (..., nv)."""
        ...

    @computed_by(dynamics.forward_dynamics)
    def forward_dynamics(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: ArrayLike | None = None, *,
        out: Array | None = None,
    ) -> Array:  # fmt: skip
        """Accelerations that joint forces `tau` produce, (..., nv)."""
        ...

    @computed_by(dynamics.mass_matrix)
    def mass_matrix(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Mass matrix M, symmetric and positive definite, (..., nv, nv)."""
        ...

    @computed_by(dynamics.bias_forces)
    def bias_forces(
        self, q: ArrayLike, qd: ArrayLike, f_ext: ArrayLike | None = None, *,
        out: Array | None = None,
    ) -> Array:  # fmt: skip
        """Joint forces at zero acceleration: gravity, Coriolis and centrifugal, (..., nv)."""
        ...

    @computed_by(dynamics.gravity_forces)
    def gravity_forces(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Joint forces that hold the figure at rest, (..., nv)."""
        ...

    # Energy

    @computed_by(energy.kinetic_energy)
    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """Kinetic energy [J], (...)."""
        ...

    @computed_by(energy.potential_energy)
    def potential_energy(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Potential energy of gravity, zero for masses at the world's origin [J], (...)."""
        ...

    @computed_by(energy.momentum)
    def momentum(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """Momentum about the centre of mass in world axes, [angular; linear], (..., 6)."""
        ...

    @computed_by(energy.center_of_mass)
    def center_of_mass(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Centre of mass in the world [m], (..., 3)."""
        ...

    @computed_by(energy.com_jacobian)
    def com_jacobian(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Matrix that takes `qd` to the velocity of the centre of mass, (..., 3, nv)."""
        ...

    # How the above find their way

    def _kept(self, key: tuple[str, ...], page: Page, **shapes: Shape) -> Function:
        functions: dict = self.__dict__.setdefault("_functions", {})
        if key not in functions:
            functions[key] = method(key[0], None, page, self, shapes)
        return functions[key]

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

    def _frame(self, name: str) -> Frame:
        frames = self._figure.frames
        if name not in frames:
            raise ModelError(
                f"no body or frame {name!r} in `{self.name}`.{nearest(name, frames)} "
                f"`model.frame_names` lists all {len(frames)}."
            )
        return frames[name]

    def _joint_data(self, field: str) -> Array:
        return np.array([x for body in self._leaders for x in getattr(body, field)], dtype=float)


def _axes(name: str, value: str) -> str:
    known = ("local", "world_aligned", "world")
    if value not in known:
        raise ModelError(
            f"`{name}` is {value!r}; it says in which axes the result is and must be one of "
            f"{', '.join(map(repr, known))}.{nearest(value, known)}"
        )
    return value


def rebuild(bodies: Sequence[Body], gravity: Sequence[float], name: str, options: dict) -> Model:
    """A model from a description and the options of `build`."""
    return Model.__new__(Model)._build(tuple(bodies), gravity, name, options)
