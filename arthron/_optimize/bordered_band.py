"""Cholesky's factors of symmetric matrices that are banded but for a border and a few rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import get_lapack_funcs

from .band_order import BandOrder

Array = np.ndarray

_pbtrf, _pbtrs, _potrf, _potrs = get_lapack_funcs(
    ("pbtrf", "pbtrs", "potrf", "potrs"), dtype=np.float64
)


class Places(NamedTuple):
    """Where a flat array keeps a symmetric matrix: lower band by columns, border, corner."""

    inner: int
    apart: int
    width: int

    @property
    def ends(self) -> tuple[int, int, int]:
        """Where band, border and corner end."""
        band = self.inner * (self.width + 1)
        border = band + self.apart * self.inner
        return band, border, border + self.apart**2

    def holds(self, p: Array, q: Array) -> Array:
        """Which entries (p, q) are kept, p no less than q; the others are nothing."""
        return (p >= self.inner) | (p - q <= self.width)

    def at(self, p: Array, q: Array) -> Array:
        """Of entries (p, q), p no less than q."""
        band, border, _ = self.ends
        low = p - self.inner
        return np.where(
            p < self.inner, q * (self.width + 1) + p - q,
            np.where(q < self.inner, band + low * self.inner + q,
                     border + low * self.apart + q - self.inner),
        )  # fmt: skip


class BorderedFactor(NamedTuple):
    """Factors of K = [A B^T; B C] + R^T D R.

    Attributes:
        order: of unknowns.
        band: Cholesky's factor of A.
        across: A^-1 B^T, or None without a border.
        border: B.
        corner: factor of C - B A^-1 B^T.
        wide: R, D^-1 + R K0^-1 R^T factored, and K0^-1 R^T, or None without wide rows.
    """

    order: BandOrder
    band: Any
    across: Any
    border: Any
    corner: Any
    wide: Any = None


def factored(store: Array, order: BandOrder, places: Places) -> BorderedFactor | None:
    """Factors of a matrix, or None if it is not positive definite.

    Args:
        store: the matrix, overwritten.
        order: of unknowns.
        places: where it is kept.
    """
    inner, apart, width = places
    ends = places.ends
    band = across = border = corner = None
    if inner:
        given = store[: ends[0]].reshape(inner, width + 1).T
        band, info = _pbtrf(given, lower=1, overwrite_ab=1)
        if info:
            return None
    if apart:
        corner = store[ends[1] : ends[2]].reshape(apart, apart)
        if inner:
            border = store[ends[0] : ends[1]].reshape(apart, inner)
            across = _pbtrs(band, border.T, lower=1)[0]
            corner = corner - border @ across
        corner, info = _potrf(corner.T, lower=0, clean=0)
        if info:
            return None
    return BorderedFactor(order, band, across, border, corner)


def with_wide_rows(factor: BorderedFactor, rows: Array, weights: Array) -> BorderedFactor | None:
    """Factors with R^T D R added, for rows R of full length."""
    solved = np.stack([solved_for(factor, r) for r in rows], axis=1)
    middle, info = _potrf(np.diag(1.0 / weights) + rows @ solved, lower=1)
    return None if info else factor._replace(wide=(rows, middle, solved))


def solved_for(factor: BorderedFactor, b: Array) -> Array:
    """K^-1 b."""
    order = factor.order
    inner, v = order.inner, np.empty(len(b))
    v[order.places] = b
    if factor.band is not None:
        v[:inner] = _pbtrs(factor.band, v[:inner], lower=1)[0]
    if factor.corner is not None:
        rest = v[inner:]
        if factor.band is not None:
            rest = rest - factor.border @ v[:inner]
        v[inner:] = _potrs(factor.corner, rest, lower=0)[0]
        if factor.band is not None:
            v[:inner] -= factor.across @ v[inner:]
    x = v[order.places]
    if factor.wide is not None:
        rows, middle, solved = factor.wide
        x -= solved @ _potrs(middle, rows @ x, lower=1)[0]
    return x
