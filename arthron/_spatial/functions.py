"""More functions of scalars, built from those that the graph knows."""

from __future__ import annotations

from .scalar import Scalar, absolute, atan2, cos, divide, exp, sin, sqrt, where


def tan(x: Scalar) -> Scalar:
    """Tangent."""
    return divide(sin(x), cos(x))


def asin(x: Scalar) -> Scalar:
    """Angle in -pi/2..pi/2 with this sine; NaN beyond 1."""
    return atan2(x, sqrt((1.0 - x) * (1.0 + x)))


def acos(x: Scalar) -> Scalar:
    """Angle in 0..pi with this cosine; NaN beyond 1."""
    return atan2(sqrt((1.0 - x) * (1.0 + x)), x)


def tanh(x: Scalar) -> Scalar:
    """Hyperbolic tangent: a smooth step from -1 to 1."""
    size = absolute(x)
    e = exp(-2.0 * size)
    # 1 - e cancels near zero, where the continued fraction is good to the last digit
    s = x * x
    near = 1.0
    for odd in (15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0):
        near = odd + s / near
    near = 1.0 / near
    return where(size < 0.5, x * near, sign(x) * (1.0 - e) / (1.0 + e))


def sign(x: Scalar) -> Scalar:
    """1 above zero, -1 below, 0 at zero, NaN of NaN."""
    return where(x > 0.0, 1.0, where(x < 0.0, -1.0, 0.0 * x))
