"""Newton's equations of a barrier problem, condensed to a definite matrix that is banded.

Slacks s of inequalities and their multipliers are eliminated, equations J_e dx = c are added with a
weight, and their multipliers are found by conjugate residuals:

    K = W + S_x + J_i^T S_s J_i + J_e^T R J_e,   J_e K^-1 J_e^T dy = J_e K^-1 b - c

(GG03). K is positive definite, for large R, where the reduced Hessian is, so that
Cholesky's factorisation says whether a direction goes down. The eigenvalues of R^1/2 J_e K^-1 J_e^T
R^1/2 are near one, or zero where equations depend on each other, which does no harm.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from .band_order import Sparsity, band_order
from .bordered_band import BorderedFactor, Places, factored, solved_for, with_wide_rows
from .row_products import add_products, windows
from .scaled_program import ScaledProgram

Array = np.ndarray

WEIGHT = 1e7
"""How much heavier equations are in K than the rest of it."""
SOFT = 1e-8
"""Unknowns count as at least this stiff when weights are chosen."""
FLAT = 1e-8
"""Part of the largest diagonal entry of a Hessian that all have at least where it is damped."""
CLOSE, PASSES = 1e-5, 40
"""Conjugate residuals end at this part of the first, or after so many passes."""
NOTHING = 1e-13
"""Eigenvalues below this part of the greatest are those of equations that depend on others."""
REFINED, EXACT, PART = 3, 1e-11, 1e-3
"""Most corrections of a direction, the part of the right side at which it is exact, and the part of
the step beside which violations count where the right side is less."""


class Linearised(NamedTuple):
    """Second derivatives W of the Lagrangian as a lower triangle, and first ones J of rows."""

    hessian: Array
    lower: Any
    strict: Any
    values: Array
    jacobian: Any
    transposed: Any


class CondensedFactor(NamedTuple):
    """K factored, and what it is made of.

    Attributes:
        factor: of K.
        at: the derivatives.
        diagonal: S_x, with what was added to make K definite.
        slack: S_s of every row; nothing at equations.
        roots: R^1/2 of equations.
        jacobian: J_e scaled by them.
        transposed: its transpose.
    """

    factor: BorderedFactor
    at: Linearised
    diagonal: Array
    slack: Array
    roots: Array
    jacobian: Any
    transposed: Any


class CondensedSystem:
    """What all matrices of a program have in common: order, places, windows of rows."""

    def __init__(self, program: ScaledProgram) -> None:
        self.program = program
        J, W = program.jacobian_entries, program.hessian_entries
        n, m = program.n, program.m
        self.order = band_order(Sparsity(J.rows, J.cols, W.rows, W.cols, m, n), program.times)
        places, inner = self.order.places, self.order.inner
        self.places = Places(inner, n - inner, self.order.width)
        one, other = places[W.rows], places[W.cols]
        self.of_hessian = self.places.at(np.maximum(one, other), np.minimum(one, other))
        self.of_diagonal = self.places.at(places, places)
        narrow = ~self.order.wide
        self.windows = windows(J.rows, places[J.cols], narrow[J.rows], self.places)
        self.wide = np.flatnonzero(self.order.wide)
        self.steepest = np.zeros(n)

    def linearised(self, hessian: Array, values: Array) -> Linearised:
        """Derivatives as matrices."""
        W, J = self.program.hessian_entries, self.program.jacobian_entries
        jacobian = J.matrix(values)
        strict = W.matrix(np.where(W.rows == W.cols, 0.0, hessian)).T
        return Linearised(hessian, W.matrix(hessian), strict, values, jacobian, jacobian.T)

    def factored(
        self, at: Linearised, diagonal: Array, slack: Array, weights: Array | None = None
    ) -> CondensedFactor | None:
        """Factors, or None where the reduced Hessian is not positive definite.

        Args:
            at: derivatives.
            diagonal: S_x and more.
            slack: S_s of every row.
            weights: R of all equations, chosen here when left out.
        """
        program = self.program
        J, equal = program.jacobian_entries, program.equal
        D = slack.copy()
        D[equal] = self.weights(at, diagonal)[equal] if weights is None else weights[equal]
        store = np.zeros(self.places.ends[2])
        store[self.of_hessian] = at.hessian
        store[self.of_diagonal] += diagonal
        roots = np.sqrt(D)
        add_products(store, self.windows, at.values, roots)
        factor = factored(store, self.order, self.places)
        if factor is not None and len(self.wide):
            kept = self.wide[D[self.wide] > 0.0]
            if len(kept):
                rows = csr_array(at.jacobian)[kept].toarray()
                factor = with_wide_rows(factor, rows, D[kept])
        if factor is None:
            return None
        scaled = J.matrix(at.values * np.where(equal, roots, 0.0)[J.rows])
        return CondensedFactor(factor, at, diagonal, slack, roots, scaled, scaled.T)

    def softness(self, at: Linearised) -> Array:
        """By what an indefinite Hessian is made stiffer: the square root of its diagonal.

        Unknowns in other units are damped by nearly the same part then. What was steep once counts
        as steep (M78).
        """
        W = self.program.hessian_entries
        on = W.rows == W.cols
        steep = self.steepest[W.rows[on]]
        self.steepest[W.rows[on]] = np.maximum(steep, np.abs(at.hessian[on]))
        most = np.max(self.steepest, initial=0.0)
        return np.sqrt(np.maximum(self.steepest, FLAT * most)) if most else self.steepest + 1.0

    def weights(self, at: Linearised, diagonal: Array) -> Array:
        """R of every row: many times as stiff as what the row pushes against."""
        J = self.program.jacobian_entries
        stiff = np.max(np.abs(at.hessian), initial=0.0) + diagonal
        given = J.matrix(at.values**2) @ (1.0 / np.maximum(stiff, SOFT))
        return WEIGHT / np.maximum(given, 1e-20)


def direction(f: CondensedFactor, a: Array, c: Array, equal: Array) -> tuple[Array, Array]:
    """Steps of unknowns and slacks, dw, and of multipliers.

        W dx + S_x dx + J^T dy = a_x,   S_s ds - dy = a_s,   J dx - ds = c

    Args:
        f: the factors.
        a: right side, of unknowns and then of slacks.
        c: right side of rows.
        equal: which rows are equations, whose slacks do not move.
    """
    n = len(f.diagonal)
    a = a.copy()
    a[n:][equal] = 0.0
    dw, dy = np.zeros(len(a)), np.zeros(len(c))
    left, missed = a, c
    before = np.inf
    for _ in range(REFINED + 1):
        step, slope = _eliminated(f, left, missed, equal)
        tried, tilt = dw + step, dy + slope
        rest, rows = _residual(f, tried, tilt, a, c, equal)
        size = _largest(rest) / (_largest(a) + 1e-300)
        size += _largest(rows) / (_largest(c) + PART * _largest(tried) + 1e-300)
        if not size < before:
            break
        dw, dy, left, missed = tried, tilt, rest, rows
        if size < EXACT or size > 0.5 * before:
            break
        before = size
    return dw, dy


def _largest(x: Array) -> float:
    return float(np.abs(x).max(initial=0.0))


def _residual(
    f: CondensedFactor, dw: Array, dy: Array, a: Array, c: Array, equal: Array
) -> tuple[Array, Array]:
    """What is left of both right sides."""
    n, at = len(f.diagonal), f.at
    dx, ds = dw[:n], dw[n:]
    ax = a[:n] - (at.lower @ dx + at.strict @ dx + f.diagonal * dx + at.transposed @ dy)
    slacks = np.where(equal, 0.0, a[n:] - f.slack * ds + dy)
    return np.concatenate([ax, slacks]), c - (at.jacobian @ dx - ds)


def _eliminated(f: CondensedFactor, a: Array, c: Array, equal: Array) -> tuple[Array, Array]:
    """The same, as exactly as K is solved."""
    n, at = len(f.diagonal), f.at
    inward = np.where(equal, 0.0, f.slack * c + a[n:])
    target = np.where(equal, f.roots * c, 0.0)
    dx = solved_for(f.factor, a[:n] + at.transposed @ inward + f.transposed @ target)
    dx, tilt = _conjugate_residuals(f, dx, f.jacobian @ dx - target)
    ds = np.where(equal, 0.0, at.jacobian @ dx - c)
    dy = np.where(equal, f.roots * tilt, f.slack * ds - a[n:])
    return np.concatenate([dx, ds]), dy


def _conjugate_residuals(f: CondensedFactor, dx: Array, r: Array) -> tuple[Array, Array]:
    """dx and multipliers y of scaled equations at which r = J dx - c is nothing, or least.

    S55; the residual never grows, also where equations contradict each other.
    """
    y = np.zeros(len(r))
    first = float(r @ r)
    if first == 0.0:
        return dx, y
    q = solved_for(f.factor, f.transposed @ r)
    Sr = f.jacobian @ q
    p, Sp, rSr = r, Sr, float(r @ Sr)
    for _ in range(PASSES):
        rr = float(r @ r)
        if rSr <= NOTHING * rr or rr <= CLOSE**2 * first:
            break
        step = rSr / float(Sp @ Sp)
        y, dx, r = y + step * p, dx - step * q, r - step * Sp
        z = solved_for(f.factor, f.transposed @ r)
        Sr = f.jacobian @ z
        rSr, last = float(r @ Sr), rSr
        p, Sp, q = r + rSr / last * p, Sr + rSr / last * Sp, z + rSr / last * q
    return dx, y
