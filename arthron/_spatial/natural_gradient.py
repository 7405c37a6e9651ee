"""Slopes by inertial parameters in the geometry of real bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .scalar import Scalar
from .sums import dot

Matrix = list[list[Any]]


def natural_gradient(p: Sequence[Scalar], y: Sequence[Scalar]) -> list[Scalar]:
    """J L J as ten parameters: slopes y by parameters p, in the metric tr((J^-1 dJ)^2) (LKP18).

    J is the pseudo-inertia, and L the slope by it. Whoever goes down, J' = -J L J, changes J^-1 at
    the rate L, so that J stays positive definite: a real body.
    """
    J, L = pseudo_rows(p), _slope_rows(y)
    LJ = [[dot(row, column) for row in L] for column in J]  # its columns
    return from_pseudo_rows([[dot(row, column) for column in LJ] for row in J])


def pseudo_rows(p: Sequence[Any]) -> Matrix:
    """Pseudo-inertia (S, m c; m c^T, m) with S = tr(I)/2 1 - I, of ten parameters (RW22).

    It is the sum of m (x; 1) (x; 1)^T over particles at x: positive definite for solid bodies.
    """
    m, hx, hy, hz, xx, yy, zz, xy, xz, yz = p
    half = 0.5 * (xx + yy + zz)
    rows = [half - xx, -xy, -xz, hx], [-xy, half - yy, -yz, hy], [-xz, -yz, half - zz, hz]
    return [*rows, [hx, hy, hz, m]]


def from_pseudo_rows(J: Matrix) -> list[Any]:
    """The ten parameters of a pseudo-inertia."""
    (sxx, sxy, sxz, hx), (_, syy, syz, hy), (_, _, szz, hz), (_, _, _, m) = J
    return [m, hx, hy, hz, syy + szz, sxx + szz, sxx + syy, -sxy, -sxz, -syz]


def _slope_rows(y: Sequence[Scalar]) -> Matrix:
    """The symmetric L with tr(L J) = y . p."""
    m, hx, hy, hz, xx, yy, zz, xy, xz, yz = y
    hx, hy, hz, xy, xz, yz = (0.5 * x for x in (hx, hy, hz, xy, xz, yz))  # each is twice in J
    rows = [yy + zz, -xy, -xz, hx], [-xy, xx + zz, -yz, hy], [-xz, -yz, xx + yy, hz]
    return [*rows, [hx, hy, hz, m]]
