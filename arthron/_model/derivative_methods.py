"""Methods that differentiate the dynamics: by state, by time, twice.

The last axis of a derivative is the variable. By q means by e at e = 0 of `integrate(q, e)`, nv
entries: the plain derivative for joints with qd = dq/dt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from .._algorithms import state_derivatives as derivatives
from .._algorithms import traced_derivatives as _derived
from .._figure.figure import Array
from .computed import computed_by

if TYPE_CHECKING:
    from .model import Model

Pair = tuple[Array, Array]
Triple = tuple[Array, Array, Array]
Four = tuple[Array, Array, Array, Array]


@computed_by(derivatives.inverse_dynamics_derivatives)
def inverse_dynamics_derivatives(
    self: Model, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, f_ext: ArrayLike | None = None, *,
    out: Pair | None = None,
) -> Pair:  # fmt: skip
    """(dtau_dq, dtau_dqd), (..., nv, nv) each; by qdd it is the mass matrix."""
    ...


@computed_by(derivatives.forward_dynamics_derivatives)
def forward_dynamics_derivatives(
    self: Model, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: ArrayLike | None = None, *,
    out: Triple | None = None,
) -> Triple:  # fmt: skip
    """(dqdd_dq, dqdd_dqd, dqdd_dtau), (..., nv, nv) each; the last is the inverse of M."""
    ...


@computed_by(_derived.inverse_dynamics_vjp)
def inverse_dynamics_vjp(
    self: Model, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, weights: ArrayLike,
    f_ext: ArrayLike | None = None, *, out: Triple | None = None,
) -> Triple:  # fmt: skip
    """Derivatives of weights . inverse_dynamics by q, qd and qdd, (..., nv) each.

    Vector-Jacobian products by reverse mode: some two and a half times the cost of inverse
    dynamics, where the matrices cost five times.
    """
    ...


@computed_by(_derived.forward_dynamics_vjp)
def forward_dynamics_vjp(
    self: Model, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, weights: ArrayLike,
    f_ext: ArrayLike | None = None, *, out: Triple | None = None,
) -> Triple:  # fmt: skip
    """Derivatives of weights . forward_dynamics by q, qd and tau, (..., nv) each."""
    ...


@computed_by(_derived.inverse_dynamics_hessian)
def inverse_dynamics_hessian(
    self: Model, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, weights: ArrayLike,
    f_ext: ArrayLike | None = None, *, out: Four | None = None,
) -> Four:  # fmt: skip
    """Second derivatives of weights . inverse_dynamics, (..., nv, nv) each.

    By (q, q), (q, qd), (qd, qd) and (q, qdd), rows by the first; all others are zero.
    """
    ...


@computed_by(_derived.inverse_dynamics_hessian_product)
def inverse_dynamics_hessian_product(
    self: Model, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, weights: ArrayLike,
    dq: ArrayLike, dqd: ArrayLike, dqdd: ArrayLike, f_ext: ArrayLike | None = None, *,
    out: Triple | None = None,
) -> Triple:  # fmt: skip
    """Second derivatives of weights . inverse_dynamics by (q, qd, qdd), times a vector.

    The vector is (dq, dqd, dqdd), and so is the result, (..., nv) each.
    """
    ...


@computed_by(_derived.mass_matrix_dq)
def mass_matrix_dq(self: Model, q: ArrayLike, *, out: Array | None = None) -> Array:
    """dM/dq, (..., nv, nv, nv)."""
    ...


@computed_by(_derived.coriolis_matrix_dq)
def coriolis_matrix_dq(
    self: Model, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None
) -> Array:
    """dC/dq, (..., nv, nv, nv)."""
    ...


@computed_by(_derived.coriolis_matrix_dqd)
def coriolis_matrix_dqd(
    self: Model, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None
) -> Array:
    """dC/dqd, (..., nv, nv, nv): where qd = dq/dt, the Christoffel symbols of M."""
    ...


@computed_by(derivatives.gravity_forces_dq)
def gravity_forces_dq(self: Model, q: ArrayLike, *, out: Array | None = None) -> Array:
    """dg/dq, (..., nv, nv)."""
    ...


@computed_by(_derived.mass_matrix_dot)
def mass_matrix_dot(self: Model, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
    """dM/dt as the figure moves with `qd`, (..., nv, nv)."""
    ...


@computed_by(_derived.coriolis_matrix_dot)
def coriolis_matrix_dot(
    self: Model, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None
) -> Array:
    """dC/dt as the figure moves with `qd` and `qdd`, (..., nv, nv)."""
    ...


@computed_by(_derived.gravity_forces_dot)
def gravity_forces_dot(
    self: Model, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None
) -> Array:
    """dg/dt as the figure moves with `qd`, (..., nv)."""
    ...
