"""Rates of pages of accelerations, second rates, and how rates of Jacobians change with q."""

import math

import numpy as np
import pytest
from every_joint import FIGURES, case, difference, each, figure, of_kinds, value, wide
from law_figures import assert_close

import arthron as ar
from arthron._pages.inputs import page_inputs
from arthron.algorithms import (
    coriolis_matrix,
    integrate,
    inverse_dynamics,
    jacobians_dot,
    jacobians_dot_dq,
    velocities,
)

BY_DIFFERENCES = 1e-9
RATES = ("qd", "qdd", "qddd", "qdddd")


def state(name):
    """q and four of its rates."""
    model, given = FIGURES[name], case(name)
    jerk, snap = np.random.default_rng(2).normal(size=(2, 3, model.nv))
    return {**{n: given[n] for n in ("q", "qd", "qdd")}, "qddd": jerk, "qdddd": snap}


def moved(name, t):
    """States at times t on a path on which each rate moves with the next, in long double.

    q is right to second order, in which turns about several axes do not mind their order.
    """
    model, now = FIGURES[name], state(name)
    now = dict(zip(now, wide(*now.values()), strict=True))
    weights = [t[:, None, None] ** k / math.factorial(k) for k in range(5)]

    def sums(names, weights):
        return sum(w * now[n] for w, n in zip(weights, names, strict=False))

    rates = {rate: sums(RATES[k:], weights) for k, rate in enumerate(RATES)}
    return {"q": ar.evaluate(integrate, model, now["q"], sums(RATES, weights[1:])), **rates}


def at(page, name, state):
    """What a page of q and some of its rates gives at states."""
    model, given = FIGURES[name], case(name)
    names = page_inputs(page, model.tree)
    return ar.evaluate(page, model, **{n: state.get(n, given.get(n)) for n in names})


def in_time(page, name, order, h=1e-3):
    """First or second derivative of a page by time along the path.

    From central differences of widths h, 2 h and 4 h: terms of h^2 and h^4 are taken out, and with
    them what the path is off.
    """
    k = h * np.array([1, 2, 4], np.longdouble)
    values = at(page, name, moved(name, np.concatenate([k, -k, [0.0]])))
    plus, minus, now = values[:3], values[3:6], values[6]
    k = k.reshape(-1, *[1] * now.ndim)
    a, b, c = (plus - minus) / (2 * k) if order == 1 else (plus - 2 * now + minus) / k**2
    a, b = (4 * a - b) / 3, (4 * b - c) / 3
    return ((16 * a - b) / 15).astype(float)


@each(FIGURES)
def test_rate_of_joint_forces(name):
    """d tau/dt as qdd moves with the jerk, wrenches staying what they are in body axes."""
    found = at(ar.rate(inverse_dynamics), name, state(name))
    assert_close(found, in_time(inverse_dynamics, name, 1), BY_DIFFERENCES)


@each(FIGURES)
def test_second_rates(name):
    found = at(ar.rate(ar.rate(velocities)), name, state(name))
    assert_close(found, in_time(velocities, name, 2), BY_DIFFERENCES)


@each(["customs", "kite", "tied"])
@pytest.mark.parametrize("page", [coriolis_matrix, inverse_dynamics], ids=["C", "tau"])
def test_second_rates_of_forces(page, name):
    """What elastic joints need: C twice by time, and tau, which takes four rates of q."""
    found = at(ar.rate(ar.rate(page)), name, state(name))
    assert_close(found, in_time(page, name, 2), BY_DIFFERENCES)


@each(FIGURES)
def test_rates_of_jacobians_by_q(name):
    model, given = FIGURES[name], case(name)
    found = value(jacobians_dot_dq, name)
    assert found.shape == (3, model.nb, 6, model.nv, model.nv)
    expected = difference(
        lambda q, qd: ar.evaluate(jacobians_dot, model, q, qd), model, given["q"], given["qd"]
    )
    assert_close(found, expected, BY_DIFFERENCES)


def test_rates_of_jacobians_by_q_as_printed():
    """G13 32 with 6 x 6 matrices, where S is constant: hinges, slides, balls and free bodies."""
    model = figure(of_kinds("free", "revolute", "spherical", "prismatic", "helical"), 1.6, 41)
    tree, q, qd = model.tree, model.random(1), np.random.default_rng(1).normal(size=model.nv)
    T, J = model.body_poses(q), model.body_jacobians(q)
    zero = np.zeros((model.nv, 6, model.nv))
    Jd, dJ, dJd = [zero[0]], [zero], [zero]
    for k in tree.bodies:
        p = tree.parent[k]
        own = slice(tree.v_start[k], tree.v_start[k + 1])
        Ad = adjoint(np.linalg.inv(T[k - 1]) @ (T[p - 1] if p else np.eye(4)))
        Jp, Xi = Ad @ J[p - 1] if p else zero[0], zero[0].copy()
        Xi[:, own] = J[k - 1][:, own]
        adj, adj_h = across(Xi @ qd), np.stack([across(column) for column in Xi.T])
        Jd.append(Ad @ Jd[p] - adj @ Jp)
        dJ.append(Ad @ dJ[p] - adj_h @ Jp)
        dJd.append(Ad @ dJd[p] - adj_h @ (Ad @ Jd[p]) - adj @ dJ[k])
    expected = np.moveaxis(dJd[1:], 1, -1)
    assert_close(model.body_jacobians_dot_dq(q, qd), expected, 1e-12)


def tilde(x):
    return np.cross(x, -np.eye(3))


def adjoint(T):
    """Ad of a pose, for twists (w; v)."""
    R = T[:3, :3]
    return np.block([[R, np.zeros((3, 3))], [tilde(T[:3, 3]) @ R, R]])


def across(s):
    """s x of a twist, as a matrix."""
    return np.block([[tilde(s[:3]), np.zeros((3, 3))], [tilde(s[3:]), tilde(s[:3])]])
