"""More functions of scalars, built from those that the graph knows."""

from __future__ import annotations

import math

from .scalar import Scalar, atan2, cos, divide, sin, sqrt, where


def tan(x: Scalar) -> Scalar:
    """Tangent."""
    return divide(sin(x), cos(x))


def asin(x: Scalar) -> Scalar:
    """Angle in -pi/2..pi/2 with this sine; NaN beyond 1."""
    return atan2(x, sqrt((1.0 - x) * (1.0 + x)))


def acos(x: Scalar) -> Scalar:
    """Angle in 0..pi with this cosine; NaN beyond 1."""
    return atan2(sqrt((1.0 - x) * (1.0 + x)), x)


def sign(x: Scalar) -> Scalar:
    """1 above zero, -1 below, 0 at zero, NaN of NaN."""
    return where(x > 0.0, 1.0, where(x < 0.0, -1.0, where(x == 0.0, 0.0, math.nan)))
