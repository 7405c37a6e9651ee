"""The public model: a built figure, and a compiled method per page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, Self, TypeVar

import numpy as np

from .._algorithms.energy import total_mass
from .._figure.body import Body
from .._figure.build import build
from .._figure.figure import GRAVITY, Array, Description, Figure, Frame, random_poses, read_only
from .._files.write_urdf import write_urdf
from .._pages.memo import Memo
from .._tree.tree import Tree
from ..errors import ModelError, nearest
from . import collision_methods as collision
from . import conversion_methods as conversion
from . import derivative_methods as derivatives
from . import dynamic_methods as dynamics
from . import edit_methods as edits
from . import kinematic_methods as kinematics
from . import parameter_methods as parameters
from . import reduction_methods as reductions
from . import view_methods as views
from .draw import draw_tree

ELSEWHERE = {
    "rnea": "inverse_dynamics", "aba": "forward_dynamics", "crba": "mass_matrix",
    "nle": "bias_forces", "computeGeneralizedGravity": "gravity_forces", "qM": "mass_matrix",
    "qfrc_bias": "bias_forces", "qpos0": "neutral", "ccrba": "momentum_matrix",
    "lowerPositionLimit": "q_lower", "upperPositionLimit": "q_upper",
    "velocityLimit": "velocity_limit", "effortLimit": "effort_limit", "njoints": "nb",
    "nbody": "nb", "names": "joint_names", "getFrameId": "frame", "getJointId": "joint_number",
}  # fmt: skip
"""What people from other libraries ask a model for; docs/you-know-it-as.md has more."""


class Model:
    """A figure ready to be computed with.

    Methods broadcast over leading axes, take `out=`, and compile on first use. Models do not
    change: `replace` makes a new one.

    Args:
        bodies: links and the joints that move them, in any order.
        gravity: acceleration of free fall in the world [m/s^2].
        name: what to call the figure in messages.
        mimic: whether bodies with `mimic` follow another joint, without coordinates of their own.

    Attributes:
        figure: how it was described, and the tree, frames and names that were built of that.
        memo: what was compiled for it.
    """

    figure: Figure
    memo: Memo

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
        links = (bodies,) if isinstance(bodies, Body) or not np.iterable(bodies) else tuple(bodies)
        for body in links:
            if not isinstance(body, Body) or body is bodies:
                raise ModelError(f"`bodies` holds {body!r}. Give a list of `ar.Body(...)`.")
        _assign(self, build(Description(links, gravity, name, mimic)))

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        how = f"`model.replace({name}=...)`" if name in ("gravity", "name") else "`ar.Model(...)`"
        raise ModelError(f"models do not change; {how} makes a new one.")

    def __getattr__(self, name: str) -> NoReturn:
        known = () if name.startswith("_") else dir(type(self))
        here = f" Here it is {ELSEWHERE[name]!r}." if name in ELSEWHERE else nearest(name, known)
        raise AttributeError(f"a model has no {name!r}.{here}")

    def __reduce__(self) -> tuple:
        return model_of, (self.figure.description, type(self))

    def __repr__(self) -> str:
        return draw_tree(self.figure)

    @property
    def name(self) -> str:
        """Name of the figure."""
        return self.figure.description.name

    @property
    def tree(self) -> Tree:
        """The tree that pages see."""
        return self.figure.tree

    @property
    def links(self) -> tuple[Body, ...]:
        """All links as they were described, those that are merged into others too."""
        return self.figure.description.links

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The links that move as they were described, in the order of the model."""
        return self.figure.bodies

    @property
    def gravity(self) -> Array:
        """Acceleration of free fall [m/s^2]."""
        return read_only(self.tree.gravity.lin)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is doubtful about the figure."""
        return self.figure.warnings

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
        return tuple(self.figure.leaders)

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
        return tuple(self.figure.frames)

    def joint_number(self, joint: str) -> int:
        """The number that a joint, and the body it moves, has in pages: `tree.joint[i]`, `q[i]`."""
        return self.figure.joint_number(joint)

    def slice_q(self, joint: str) -> slice:
        """Where a joint's coordinates are in `q`."""
        i = self.joint_number(joint)
        return slice(self.tree.q_start[i], self.tree.q_start[i + 1])

    def slice_qd(self, joint: str) -> slice:
        """Where a joint's coordinates are in `qd`, `qdd` and `tau`."""
        i = self.joint_number(joint)
        return slice(self.tree.v_start[i], self.tree.v_start[i + 1])

    def frame(self, name: str) -> Frame:
        """The body that a frame rides on (its number in pages, 0 for the base), and where: X.

        A link's name with `.com` behind it is a frame at the centre of mass of that link alone, as
        it was described, with the link's axes: links that were merged into it do not count, nor
        what it was merged into. A link that is itself called so comes first.
        """
        return self.figure.frame(name)

    @property
    def q_lower(self) -> Array:
        """Lower limits of `q`; minus infinity where there is none."""
        return self.figure.per_coordinate("lower")

    @property
    def q_upper(self) -> Array:
        """Upper limits of `q`; infinity where there is none."""
        return self.figure.per_coordinate("upper")

    @property
    def velocity_limit(self) -> Array:
        """Greatest speed of each velocity coordinate."""
        return self.figure.per_coordinate("velocity")

    @property
    def effort_limit(self) -> Array:
        """Greatest force of each velocity coordinate."""
        return self.figure.per_coordinate("effort")

    @property
    def damping(self) -> Array:
        """Viscous friction of each velocity coordinate: data for scenes."""
        return self.figure.per_coordinate("damping")

    @property
    def friction(self) -> Array:
        """Dry friction of each velocity coordinate: data for scenes."""
        return self.figure.per_coordinate("friction")

    @property
    def armature(self) -> Array:
        """Inertia added to each velocity coordinate."""
        return self.figure.per_coordinate("armature")

    def neutral(self) -> Array:
        """Coordinates at which every joint is at its zero."""
        joints = (self.tree.joint[i] for i in self.figure.leaders.values())
        return np.array([x for joint in joints for x in joint.neutral()], dtype=float)

    def random(
        self, rng: np.random.Generator | int | None = None, size: int | None = None
    ) -> Array:
        """Coordinates of a random pose, within the limits where a joint has both.

        With `size`, that many poses, (size, nq).
        """
        return random_poses(self.figure, rng, size)

    def replace(self, *, gravity: Sequence[float] | None = None, name: str | None = None) -> Self:
        """A model like this one, but for what is given."""
        given = {"gravity": gravity, "name": name}
        return self._with(**{key: value for key, value in given.items() if value is not None})

    def save_urdf(self, path: str | Path) -> None:
        """Write the model as a URDF file that `ar.load` reads back."""
        write_urdf(self.figure, path)

    def _with(self, **changes: Any) -> Self:
        return model_of(replace(self.figure.description, **changes), type(self))

    # models with joints or links otherwise
    lock = edits.lock
    unmerge = edits.unmerge
    attach = edits.attach

    # where bodies are and how they move
    body_poses = kinematics.body_poses
    body_velocities = kinematics.body_velocities
    body_accelerations = kinematics.body_accelerations
    body_jacobians = kinematics.body_jacobians
    body_jacobians_dot = kinematics.body_jacobians_dot
    body_jacobians_ddot = kinematics.body_jacobians_ddot
    body_jacobians_dq = kinematics.body_jacobians_dq
    body_jacobians_dot_dq = kinematics.body_jacobians_dot_dq
    frame_pose = kinematics.frame_pose
    frame_velocity = kinematics.frame_velocity
    frame_acceleration = kinematics.frame_acceleration
    jacobian = kinematics.jacobian
    integrate = kinematics.integrate
    difference = kinematics.difference
    coordinate_rates = kinematics.coordinate_rates
    joint_velocities = kinematics.joint_velocities
    normalize = kinematics.normalize
    jacobian_product = kinematics.jacobian_product
    jacobian_dot_product = kinematics.jacobian_dot_product
    jacobian_transpose_product = kinematics.jacobian_transpose_product

    # how far links are from each other
    collision_pairs = collision.collision_pairs
    distances = collision.distances
    distance_jacobian = collision.distance_jacobian
    collisions = collision.collisions

    # what moves them, energy and momentum
    inverse_dynamics = dynamics.inverse_dynamics
    forward_dynamics = dynamics.forward_dynamics
    mass_matrix = dynamics.mass_matrix
    bias_forces = dynamics.bias_forces
    gravity_forces = dynamics.gravity_forces
    coriolis_matrix = dynamics.coriolis_matrix
    inverse_mass_matrix = dynamics.inverse_mass_matrix
    inverse_mass_product = dynamics.inverse_mass_product
    inverse_mass_products = dynamics.inverse_mass_products
    hybrid_dynamics = dynamics.hybrid_dynamics
    joint_wrenches = dynamics.joint_wrenches
    constrained_dynamics = dynamics.constrained_dynamics
    constraint_impulse = dynamics.constraint_impulse
    operational_space_inertia = dynamics.operational_space_inertia
    kinetic_energy = dynamics.kinetic_energy
    potential_energy = dynamics.potential_energy
    momentum = dynamics.momentum
    center_of_mass = dynamics.center_of_mass
    com_jacobian = dynamics.com_jacobian
    momentum_matrix = dynamics.momentum_matrix
    momentum_matrix_dot = dynamics.momentum_matrix_dot

    # between bodies and joints
    generalized_coordinates = conversion.generalized_coordinates
    generalized_velocities = conversion.generalized_velocities
    generalized_velocities_least_squares = conversion.generalized_velocities_least_squares
    joint_jacobians = conversion.joint_jacobians
    generalized_forces = conversion.generalized_forces
    cartesian_forces = conversion.cartesian_forces
    cartesian_forces_at = conversion.cartesian_forces_at
    joint_torques = conversion.joint_torques
    body_torques = conversion.body_torques
    generalized_forces_of_joints = conversion.generalized_forces_of_joints

    # derivatives of the dynamics
    inverse_dynamics_derivatives = derivatives.inverse_dynamics_derivatives
    forward_dynamics_derivatives = derivatives.forward_dynamics_derivatives
    inverse_dynamics_vjp = derivatives.inverse_dynamics_vjp
    forward_dynamics_vjp = derivatives.forward_dynamics_vjp
    inverse_dynamics_hessian = derivatives.inverse_dynamics_hessian
    inverse_dynamics_hessian_product = derivatives.inverse_dynamics_hessian_product
    mass_matrix_dq = derivatives.mass_matrix_dq
    coriolis_matrix_dq = derivatives.coriolis_matrix_dq
    coriolis_matrix_dqd = derivatives.coriolis_matrix_dqd
    gravity_forces_dq = derivatives.gravity_forces_dq
    mass_matrix_dot = derivatives.mass_matrix_dot
    coriolis_matrix_dot = derivatives.coriolis_matrix_dot
    gravity_forces_dot = derivatives.gravity_forces_dot

    # joints that follow others, inertias, placements, friction
    reduced = reductions.reduced
    unreduced = reductions.unreduced
    unreduced_coordinates = reductions.unreduced_coordinates
    inertial_parameters = parameters.inertial_parameters
    joint_parameters = parameters.joint_parameters
    placements = parameters.placements
    regressor = parameters.regressor
    slotine_li_regressor = parameters.slotine_li_regressor
    joint_regressor = parameters.joint_regressor

    # what can be seen of it
    show = views.show
    save_html = views.save_html
    _repr_html_ = views.repr_html
    save_png = views.save_png


AnyModel = TypeVar("AnyModel", bound=Model)


def model_of(description: Description, kind: type[AnyModel] = Model) -> AnyModel:
    """A model from a description."""
    model = kind.__new__(kind)
    _assign(model, build(description))
    return model


def _assign(model: Model, figure: Figure) -> None:
    model.__dict__.update(figure=figure, memo=Memo())
