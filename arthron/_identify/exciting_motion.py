"""Motions that show as much of a figure's inertia as its limits allow."""

from __future__ import annotations

import numpy as np

from .._figure.figure import Array
from .._figure.user_input import generator
from .._model.model import Model
from ..errors import ModelError


def exciting_motion(
    model: Model,
    duration: float,
    samples: int,
    *,
    harmonics: int = 5,
    rng: np.random.Generator | int | None = 0,
) -> tuple[Array, Array, Array]:
    """q, qd and qdd, (samples, nv), of a random periodic motion that fills the limits.

    Each coordinate is a sum of sines, scaled to nine tenths of its range (2 pi where there is none)
    or of its greatest speed, whichever is reached first.

    Args:
        model: a figure of joints with plain coordinates, whose velocity is their rate.
        duration: period of the motion [s].
        samples: how many, at equal distances in time.
        harmonics: frequencies of the sines: 1, 2, ... in `duration`.
        rng: seed or generator for their sizes.
    """
    if any(joint.nq != joint.nv for joint in model.tree.joint):
        raise ModelError(
            f"`{model.name}` has joints with more coordinates than velocities, which are no sums "
            "of sines. Use joints with plain coordinates."
        )
    if not (0.0 < duration < np.inf and samples > 0 and harmonics > 0):
        raise ModelError(
            f"a motion of {duration} s in {samples} samples with {harmonics} harmonics. Give "
            "numbers above zero."
        )
    rng = generator(rng)
    w = 2.0 * np.pi * np.arange(1, harmonics + 1) / duration
    t = np.linspace(0.0, duration, samples, endpoint=False)[:, None, None]
    real, imaginary = rng.normal(size=(2, model.nv, harmonics))
    turning = (real + 1j * imaginary) * np.exp(1j * w * t)
    q, qd, qdd = (np.real(turning * (1j * w) ** k).sum(-1) for k in range(3))
    low, high = model.q_lower, model.q_upper
    low = np.where(np.isfinite(low), low, np.minimum(high, np.pi) - 2.0 * np.pi)
    high = np.where(np.isfinite(high), high, low + 2.0 * np.pi)
    slowed = np.minimum(0.5 * (high - low) / np.abs(q).max(axis=0),
                        model.velocity_limit / np.abs(qd).max(axis=0))  # fmt: skip
    return 0.5 * (low + high) + 0.9 * slowed * q, 0.9 * slowed * qd, 0.9 * slowed * qdd
