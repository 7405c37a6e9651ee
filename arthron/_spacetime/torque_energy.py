"""How much joint force a motion takes, and how that changes with the motion.

The motion is a spline in time, as in spacetime optimisation: P and its gradient are what a
minimiser asks for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .._figure.figure import Array
from .._model.model import Model
from ..errors import ModelError, ShapeError


@dataclass(frozen=True)
class MotionEnergy:
    """The integral P of squared joint forces over a motion, and its derivatives.

    Attributes:
        P: the integral of the sum of tau_i^2 [N^2 m^2 s, or N^2 s of slides], (...).
        gradient: dP/dtheta, (..., nv, n) as theta.
        dP_dduration: derivative by the duration, the shape of the path kept, (...).
    """

    P: Array
    gradient: Array
    dP_dduration: Array


def torque_energy(
    model: Model, theta: ArrayLike, duration: float, *, degree: int = 3, points: int = 8
) -> MotionEnergy:
    """P, the integral of the sum of tau_i^2, for q_j(t) = sum of theta[j, k] B_k(t) (GR00).

    B_k are the splines of `spline_basis`. Degree 3, the least with continuous accelerations, makes
    joint forces continuous. Derivatives are those of the sum that stands for the integral, to the
    last digits, however few points it has.

    Args:
        model: a figure of joints with plain coordinates, whose velocity is their rate.
        theta: coefficients, (..., nv, n) with n > degree.
        duration: the motion is over t from 0 to `duration` [s].
        degree: of the splines; at least 3.
        points: Gauss-Legendre points between knots.
    """
    theta = _checked(model, theta, duration, degree)
    count = theta.shape[-1]
    t, dt = _quadrature(count - degree, points)
    t, dt = t * duration, dt * duration
    B, Bd, Bdd = spline_basis(t, duration, count, degree)
    q, qd, qdd = (basis @ theta.swapaxes(-1, -2) for basis in (B, Bd, Bdd))
    tau = model.inverse_dynamics(q, qd, qdd)
    by_q, by_qd, by_qdd = model.inverse_dynamics_vjp(q, qd, qdd, 2.0 * tau)
    P = (tau * tau).sum(-1) @ dt
    gradient = sum(
        (by * dt[:, None]).swapaxes(-1, -2) @ basis
        for by, basis in ((by_q, B), (by_qd, Bd), (by_qdd, Bdd))
    )
    # Stretched in time, qd falls with the duration and qdd with its square.
    slowing = (by_qd * qd + 2.0 * by_qdd * qdd).sum(-1) @ dt
    return MotionEnergy(P, np.asarray(gradient), (P - slowing) / duration)


def spline_basis(
    times: ArrayLike, duration: float, count: int, degree: int = 3
) -> tuple[Array, Array, Array]:
    """Values and first two derivatives by time of `count` B-splines on [0, duration].

    Knots are uniform, with those at the ends repeated, so that q starts at the first coefficient
    and ends at the last. Results have a last axis of `count` behind those of `times`.
    """
    t = np.asarray(times, float)[..., None]
    ends = np.zeros(degree), np.full(degree, float(duration))
    knots = np.concatenate([ends[0], np.linspace(0.0, duration, count - degree + 1), ends[1]])
    span = np.searchsorted(knots, t[..., 0], side="right") - 1
    B = np.eye(len(knots) - 1)[np.clip(span, degree, count - 1)]
    Bd = Bdd = np.zeros_like(B)
    for p in range(1, degree + 1):  # the recursion of Cox and de Boor
        gap = knots[p:] - knots[:-p]
        per_gap = np.divide(1.0, gap, out=np.zeros_like(gap), where=gap > 0.0)
        B, Bd, Bdd = B * per_gap, Bd * per_gap, Bdd * per_gap
        Bd, Bdd = p * (B[..., :-1] - B[..., 1:]), p * (Bd[..., :-1] - Bd[..., 1:])
        B = (t - knots[: -p - 1]) * B[..., :-1] + (knots[p + 1 :] - t) * B[..., 1:]
    return B, Bd, Bdd


def _quadrature(spans: int, points: int) -> tuple[Array, Array]:
    """Points and weights of Gauss-Legendre in each of `spans` equal parts of [0, 1]."""
    x, weight = np.polynomial.legendre.leggauss(points)
    t = (np.arange(spans)[:, None] + 0.5 * (x + 1.0)) / spans
    return t.ravel(), np.tile(0.5 * weight / spans, spans)


def _checked(model: Model, theta: ArrayLike, duration: float, degree: int) -> Array:
    """`theta` as an array, if all arguments make sense."""
    for joint in model.tree.joint[1:]:
        if joint.nq != joint.nv:
            raise ModelError(
                f'`{model.name}` has a joint "{joint.label}" with {joint.nq} coordinates for '
                f"{joint.nv} velocities, which are no rates of splines. Use joints with plain "
                'coordinates: `Spherical("exponential")`, `Free("exponential")` or `Euler("xyz")`.'
            )
    if degree < 3:
        raise ModelError(f"splines of degree {degree} have jumps in qdd. Use 3 or more.")
    if not 0.0 < duration < np.inf:
        raise ModelError(f"`duration` is {duration!r}. Give a time above zero [s].")
    array = np.asarray(theta, float)
    if array.ndim < 2 or array.shape[-2] != model.nv or array.shape[-1] <= degree:
        raise ShapeError(
            f"`theta` has shape {array.shape} but `{model.name}` needs (..., {model.nv}, n) with "
            f"n > {degree}: a row of spline coefficients for each coordinate."
        )
    return array
