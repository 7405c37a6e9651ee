"""Methods that say what moves the figure, and how much energy and momentum it has."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .._algorithms import (
    constrained,
    coriolis,
    dynamics,
    energy,
    hybrid,
    inverse_mass,
)
from .._algorithms import joint_wrenches as wrench_pages
from .._algorithms import momentum as about_com
from .._figure.figure import Array
from ..errors import ModelError, ShapeError
from .computed import as_point, bound_page, checked_axes, computed_by, frame_page

if TYPE_CHECKING:
    from .model import Model

Pair = tuple[Array, Array]
JACOBIAN = "a constraint Jacobian"


@computed_by(dynamics.inverse_dynamics)
def inverse_dynamics(
    self: Model, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, f_ext: ArrayLike | None = None, *,
    out: Array | None = None,
) -> Array:  # fmt: skip
    """Joint forces that produce `qdd` [N m or N], (..., nv)."""
    ...


@computed_by(dynamics.forward_dynamics)
def forward_dynamics(
    self: Model, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: ArrayLike | None = None, *,
    out: Array | None = None,
) -> Array:  # fmt: skip
    """Accelerations that joint forces `tau` produce, (..., nv)."""
    ...


@computed_by(dynamics.mass_matrix)
def mass_matrix(self: Model, q: ArrayLike, *, out: Array | None = None) -> Array:
    """Mass matrix M, symmetric and positive definite, (..., nv, nv)."""
    ...


@computed_by(dynamics.bias_forces)
def bias_forces(
    self: Model, q: ArrayLike, qd: ArrayLike, f_ext: ArrayLike | None = None, *,
    out: Array | None = None,
) -> Array:  # fmt: skip
    """Joint forces at zero acceleration: gravity, Coriolis and centrifugal, (..., nv)."""
    ...


@computed_by(dynamics.gravity_forces)
def gravity_forces(self: Model, q: ArrayLike, *, out: Array | None = None) -> Array:
    """Joint forces that hold the figure at rest, (..., nv)."""
    ...


@computed_by(coriolis.coriolis_matrix)
def coriolis_matrix(self: Model, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
    """C with tau = M qdd + C qd + g and dM/dt = C + C^T, (..., nv, nv).

    Where qd = dq/dt, that of the Christoffel symbols.
    """
    ...


@computed_by(inverse_mass.inverse_mass_matrix)
def inverse_mass_matrix(self: Model, q: ArrayLike, *, out: Array | None = None) -> Array:
    """Inverse of the mass matrix, (..., nv, nv)."""
    ...


@computed_by(inverse_mass.inverse_mass_product)
def inverse_mass_product(
    self: Model,
    q: ArrayLike,
    x: ArrayLike,
    joint_terms: ArrayLike | None = None,
    body_terms: ArrayLike | None = None,
    *,
    out: Array | None = None,
) -> Array:
    """(M + diag(joint_terms) + sum of J^T B J)^-1 x without making a matrix, (..., nv).

    Args:
        q: coordinates.
        x: joint forces, (..., nv).
        joint_terms: h d + h^2 k of each coordinate in an implicit step of length h, (..., nv).
        body_terms: B, likewise h D - h^2 K of each body in its own axes, symmetric,
            (..., nb, 6, 6).
        out: where to put the result.
    """
    ...


def inverse_mass_products(
    self: Model,
    q: ArrayLike,
    x: ArrayLike,
    joint_terms: ArrayLike | None = None,
    body_terms: ArrayLike | None = None,
    *,
    out: Array | None = None,
) -> Array:
    """`inverse_mass_product` of many joint forces at one state, factored once, (..., m, nv).

    `x` is (..., m, nv), a row for each; the others are as there.
    """
    page = inverse_mass.inverse_mass_products
    shape = (_rows("x", x, "joint forces"), self.nv)
    terms = {"joint_terms": joint_terms, "body_terms": body_terms}
    given = {name: each for name, each in terms.items() if each is not None}
    return bound_page(self, "inverse_mass_products", page, {}, x=shape)(q, x, **given, out=out)


def hybrid_dynamics(
    self: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    prescribed: Iterable[str],
    wrenches: str | None = None,
    out: tuple[Array, ...] | None = None,
) -> tuple[Array, ...]:
    """(qdd, tau), both complete: qdd is given at prescribed joints, tau at the others.

    Entries of `qdd` and `tau` that are to be found are not read. `prescribed` names joints. With
    `wrenches`, the axes of `joint_wrenches`, the wrenches through all joints are a third result.
    """
    numbers = tuple(sorted({self.joint_number(name) for name in _listed(prescribed)}))
    page, bound = hybrid.hybrid_dynamics, {"prescribed": numbers}
    if wrenches is not None:
        page = wrench_pages.hybrid_joint_wrenches
        bound |= {"axes": checked_axes(wrenches, "wrenches")}
    function = bound_page(self, "hybrid_dynamics", page, bound)
    pushed = () if f_ext is None else (f_ext,)  # None would be left to Python
    return function(q, qd, qdd, tau, *pushed, out=out)


def joint_wrenches(
    self: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    axes: str = "local",
    out: Array | None = None,
) -> Array:
    """What joints transmit: [torque; force] on each body from its parent, (..., nb, 6).

    All that passes through the joint: what holds the body and what drives it. S^T of it is the
    joint's share of `inverse_dynamics`, but for armature times qdd, which drives the rotor and does
    not pass through the joint. For links that are fixed to others see `unmerge`.

    Args:
        q: coordinates.
        qd: velocities.
        qdd: accelerations.
        f_ext: external forces on the bodies, in their own axes.
        axes: "local" (at the body's frame and in its axes), "world_aligned" (there, in world axes)
            or "world" (at the world's origin, in its axes).
        out: where to put the result.
    """
    bound = {"axes": checked_axes(axes)}
    function = bound_page(self, "joint_wrenches", wrench_pages.joint_wrenches, bound)
    return function(q, qd, qdd, *(() if f_ext is None else (f_ext,)), out=out)


def constrained_dynamics(
    self: Model,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    G: ArrayLike,
    b: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    damping: float = 0.0,
    out: Pair | None = None,
) -> Pair:
    """(qdd, forces) with M qdd + bias = tau + G^T forces and G qdd = b.

    Args:
        q: coordinates.
        qd: velocities.
        tau: joint forces.
        G: constraint Jacobian, (..., m, nv): m rows.
        b: accelerations the constraints ask for, (..., m); for G(q) qd = 0 that is -dG/dt qd.
        f_ext: external forces.
        damping: softens constraints, G qdd + damping * forces = b; some is needed when rows
            depend on each other.
        out: where to put the results, (..., nv) and (..., m).
    """
    bound = {"damping": _number("damping", damping)}
    rows = _rows("G", G, JACOBIAN)
    shapes = {"G": (rows, self.nv), "b": (rows,)}
    page = constrained.constrained_dynamics
    return bound_page(self, "constrained_dynamics", page, bound, **shapes)(
        q, qd, tau, G, b, *(() if f_ext is None else (f_ext,)), out=out
    )


def constraint_impulse(
    self: Model,
    q: ArrayLike,
    qd: ArrayLike,
    G: ArrayLike,
    *,
    restitution: float = 0.0,
    damping: float = 0.0,
    out: Pair | None = None,
) -> Pair:
    """(qd, impulses) just after an impact: G qd = -restitution G qd before.

    `G` is (..., m, nv), and M (qd - qd before) = G^T impulses. `damping` as for
    `constrained_dynamics`.
    """
    bound = {
        "restitution": _number("restitution", restitution),
        "damping": _number("damping", damping),
    }
    page = constrained.constraint_impulse
    return bound_page(
        self, "constraint_impulse", page, bound, G=(_rows("G", G, JACOBIAN), self.nv)
    )(q, qd, G, out=out)


def operational_space_inertia(
    self: Model,
    q: ArrayLike,
    frame: str,
    point: ArrayLike = (0.0, 0.0, 0.0),
    *,
    axes: str = "local",
    out: Array | None = None,
) -> Array:
    """(J M^-1 J^T)^-1 with J of `jacobian`: the inertia felt at a point, (..., 6, 6).

    Entries are infinite or NaN where the joints cannot move the point in all six ways.
    """
    point = as_point(point, q)
    bound = {"axes": checked_axes(axes)}
    name, page = "operational_space_inertia", constrained.operational_inertia
    return frame_page(self, name, page, frame, bound, point=(3,))(q, point, out=out)


@computed_by(energy.kinetic_energy)
def kinetic_energy(self: Model, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
    """Kinetic energy [J], (...)."""
    ...


@computed_by(energy.potential_energy)
def potential_energy(self: Model, q: ArrayLike, *, out: Array | None = None) -> Array:
    """Potential energy of gravity, zero for masses at the world's origin [J], (...)."""
    ...


@computed_by(energy.momentum)
def momentum(self: Model, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
    """Momentum about the centre of mass in world axes, [angular; linear], (..., 6)."""
    ...


@computed_by(energy.center_of_mass)
def center_of_mass(self: Model, q: ArrayLike, *, out: Array | None = None) -> Array:
    """Centre of mass in the world [m], (..., 3)."""
    ...


@computed_by(energy.com_jacobian)
def com_jacobian(self: Model, q: ArrayLike, *, out: Array | None = None) -> Array:
    """Matrix that takes `qd` to the velocity of the centre of mass, (..., 3, nv)."""
    ...


@computed_by(about_com.momentum_matrix)
def momentum_matrix(self: Model, q: ArrayLike, *, out: Array | None = None) -> Array:
    """Matrix that takes `qd` to the momentum about the centre of mass, (..., 6, nv)."""
    ...


@computed_by(about_com.momentum_matrix_dot)
def momentum_matrix_dot(
    self: Model, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None
) -> Array:
    """Rate of change of the momentum matrix, (..., 6, nv)."""
    ...


def _rows(name: str, given: ArrayLike, what: str) -> int:
    try:
        shape = np.shape(given)
    except ValueError:
        raise ShapeError(
            f"`{name}` has rows of unequal length. Give an array (..., m, nv)."
        ) from None
    if len(shape) < 2:
        raise ShapeError(
            f"`{name}` has shape {shape}. Give {what} of shape (..., m, nv), with a row for each."
        )
    return shape[-2]


def _listed(names: Iterable[str]) -> Iterable[str]:
    if not isinstance(names, Iterable):
        raise ModelError(f"`prescribed` is {names!r}. Give a list of names of joints.")
    return (names,) if isinstance(names, str) else names


def _number(name: str, value: float) -> float:
    if not isinstance(value, Real) or not 0.0 <= value < float("inf"):
        raise ModelError(f"`{name}` is {value!r}. Give a number, zero or more.")
    return float(value)
