"""The public model: a tree, the names around it, and a compiled method per page."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ._algorithms import configuration, dynamics, energy, kinematics
from ._compile.function import Function
from ._compiled import method
from ._described import Array, Described
from ._graph.program import Shape
from ._page import Page
from .errors import ModelError, nearest

Method = TypeVar("Method", bound=Callable[..., Any])


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


class Model(Described):
    """A figure ready to be computed with.

    Methods broadcast over leading axes, take `out=`, and compile on first use. Models do not
    change: `replace` makes a new one.

    Args:
        bodies: links and the joints that move them, in any order.
        gravity: acceleration of free fall in the world [m/s^2].
        name: what to call the figure in messages.
        mimic: whether bodies with `mimic` follow another joint, without coordinates of their own.
    """

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
        return self._kept("frame_pose", kinematics.frame_pose, frame, {})(q, out=out)

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
        bound = {"axes": _axes("axes", axes)}
        function = self._kept("frame_velocity", kinematics.frame_velocity, frame, bound)
        return function(q, qd, out=out)

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
        bound = {"axes": _axes("axes", axes), "classical": classical}
        function = self._kept("frame_acceleration", kinematics.frame_acceleration, frame, bound)
        return function(q, qd, qdd, out=out)

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
        if not isinstance(point, np.ndarray):
            point = np.array(point, q.dtype if isinstance(q, np.ndarray) else float)
        bound = {"axes": _axes("frame", frame)}
        function = self._kept("jacobian", kinematics.point_jacobian, body, bound, point=(3,))
        return function(q, point, out=out)

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

    def _kept(
        self, name: str, page: Page, frame: str, bound: dict[str, Any], **shapes: Shape
    ) -> Function:
        """A page about a frame, compiled once for each."""
        functions: dict = self.__dict__.setdefault("_functions", {})
        key = (name, frame if isinstance(frame, str) else str(frame), *bound.values())
        if key not in functions:
            of_frame = functools.partial(page, **vars(self.frame(frame)), **bound)
            functions[key] = method(name, None, of_frame, self, shapes)
        return functions[key]


def _axes(name: str, value: str) -> str:
    known = ("local", "world_aligned", "world")
    if value not in known:
        raise ModelError(
            f"`{name}` is {value!r}; it says in which axes the result is and must be one of "
            f"{', '.join(map(repr, known))}.{nearest(value, known)}"
        )
    return value
