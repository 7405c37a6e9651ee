"""Inertias as positive definite matrices, and the best of them for linear data.

Minimises |G p - y|^2 / 2 plus, for symmetric matrices X of the parameters p, <slope, X> - edge log
det X, which is convex and keeps X positive definite. A primal-dual method: with Z = edge X^-1 as
unknowns of their own it reaches answers near singular X, where Newton's method on X alone stalls.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import ArrayLike

from .._figure.figure import Array
from .._spatial.natural_gradient import from_pseudo_rows, pseudo_rows
from ..errors import ModelError

MOST = 300
"""Steps after which the search is given up; a few dozen are usual."""


def pseudo_inertia(parameters: ArrayLike) -> Array:
    """(S, m c; m c^T, m) with S = tr(I)/2 1 - I, (..., 4, 4), of ten parameters (..., 10) (RW22).

    It is the sum of m (x; 1) (x; 1)^T over particles at x: positive definite for solid bodies.
    """
    each = np.moveaxis(np.asarray(parameters, float), -1, 0)
    return np.moveaxis(np.array(pseudo_rows(list(each))), (0, 1), (-2, -1))


def from_pseudo_inertia(J: ArrayLike) -> Array:
    """The ten parameters (..., 10) of pseudo-inertias (..., 4, 4)."""
    rows = np.moveaxis(np.asarray(J, float), (-2, -1), (0, 1))
    return np.stack(from_pseudo_rows([list(row) for row in rows]), axis=-1)


def solid(J: Array) -> Array:
    """Pseudo-inertias of bodies with some thickness, for priors that no body could have.

    Lengths are relative to how far the figure's mass is from its frames' origins, on average: where
    a body reaches less than a thousandth of it from its centre of mass, it is given a tenth, for
    points and moments that break the triangle rule say nothing of how thick it is.
    """
    m, c = J[:, 3, 3], J[:, :3, 3] / J[:, 3, 3, None]
    far = np.trace(J[:, :3, :3].sum(axis=0)) / max(m.sum(), 1e-300)
    offset = m[:, None, None] * c[:, :, None] * c[:, None]
    spread, axes = np.linalg.eigh(J[:, :3, :3] - offset)
    size = (far or 1.0) * m[:, None]
    spread = np.where(spread < 1e-6 * size, 1e-2 * size, spread)
    thick = J.copy()
    thick[:, :3, :3] = (axes * spread[:, None]) @ T(axes) + offset
    return thick


class Cone:
    """Symmetric matrices X = L L^T, (n, k, k), of some parameters, and their duals Z = K K^T.

    Steps are taken in axes in which X and Z are the same diagonal matrix s (the scaling of
    Nesterov and Todd): X = A s A^T, Z = B s B^T, B = A^-T. Kept as factors, neither loses its
    definiteness to rounding.
    """

    def __init__(self, rows: np.ndarray, X: Array, slope: Array, edge: float) -> None:
        self.rows, self.slope, self.edge = rows, slope, edge
        self.L = self.K = np.linalg.cholesky(X)
        self.A, self.B, self.s, self.target = self.L, self.L, np.ones(X.shape[:-1]), edge
        pairs = [np.outer(a, b) for a, b in combinations_with_replacement(np.eye(X.shape[-1]), 2)]
        self.basis = np.array([(ab + ab.T) / np.linalg.norm(ab + ab.T) for ab in pairs])

    def parameters(self, X: Array) -> Array:
        """Those of pseudo-inertias, or of 1 x 1 matrices."""
        return from_pseudo_inertia(X) if X.shape[-1] == 4 else X[..., 0]

    def start(self, size: float) -> None:
        """Z = size X^-1"""
        self.K = T(np.linalg.inv(self.L)) * np.sqrt(max(size, self.edge))

    def scaled(self) -> Array:
        """Derivatives of the parameters by steps A E A^T, (n, steps, parameters)."""
        U, self.s, V = np.linalg.svd(T(self.K) @ self.L)
        root = np.sqrt(self.s)[:, None]
        self.A, self.B = self.L @ T(V) / root, self.K @ U / root
        return self.parameters(self.A[:, None] @ self.basis @ T(self.A)[:, None])

    def aim(self, share: float) -> Array:
        """Where E would go but for the data, for X Z = target 1: a share of what X Z is now."""
        self.target = max(self.edge, share * np.mean(self.s**2)) if self.s.size else self.edge
        X = _diagonal(self.target / self.s) - T(self.A) @ self.slope @ self.A
        return np.einsum("nij,lij->nl", X, self.basis).ravel()

    def stretch(self, step: Array) -> Array:
        """The relative changes of X and Z that a step makes, as eigenvalues."""
        self.E = np.einsum("nl,lij->nij", step.reshape(self.rows.shape), self.basis)
        self.F = _diagonal(self.target / self.s - self.s) - self.E
        root = np.sqrt(self.s[:, :, None] * self.s[:, None])
        return np.linalg.eigvalsh([self.E / root, self.F / root]).ravel()

    def move(self, part: float) -> None:
        """Take part of the step."""
        self.L = self.A @ np.linalg.cholesky(_diagonal(self.s) + part * self.E)
        self.K = self.B @ np.linalg.cholesky(_diagonal(self.s) + part * self.F)


def minimise(G: Array, y: Array, p: Array, cones: Sequence[Cone]) -> tuple[Array, int]:
    """The best parameters, with those outside of all cones as in p, and the steps taken."""

    def put() -> Array:
        for cone in cones:
            p[cone.rows] = cone.parameters(cone.L @ T(cone.L))
        return y - G @ p

    p = p.copy()
    left = put()
    for cone in cones:
        cone.start(float(left @ left) / len(p))
    sizes = np.cumsum([cone.rows.size for cone in cones])[:-1]
    share, change = 0.1, np.inf
    for step in range(1, MOST + 1):
        M = [np.einsum("gnk,nlk->gnl", G[:, cone.rows], cone.scaled()) for cone in cones]
        M = np.concatenate([block.reshape(len(G), -1) for block in M], axis=1)
        Q, R = np.linalg.qr(np.concatenate([M, np.eye(M.shape[1])]))
        aim = np.concatenate([left, *(cone.aim(share) for cone in cones)])
        parts = np.split(np.linalg.solve(R, Q.T @ aim), sizes)
        stretch = [cone.stretch(part) for cone, part in zip(cones, parts, strict=True)]
        stretch = np.concatenate(stretch)
        part = min(1.0, 0.95 / max(1e-300, -stretch.min(initial=0.0)))
        for cone in cones:
            cone.move(part)
        left = put()
        share = max(0.1, 1.0 - part)
        last, change = change, np.abs(stretch).max(initial=0.0)
        if change < 1e-6 or 0.5 * last < change < 1e-2:  # or down to rounding
            return p, step
    raise ModelError(
        f"no best parameters after {MOST} steps. The data are too exact for a prior this weak: "
        "raise `noise` or `pull`."
    )


def T(X: Array) -> Array:
    """Transposes of a stack of matrices."""
    return X.swapaxes(-1, -2)


def _diagonal(x: Array) -> Array:
    return np.eye(x.shape[-1]) * x[:, None]
