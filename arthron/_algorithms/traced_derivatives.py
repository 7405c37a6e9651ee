"""Pages that are derivatives of other pages, from the graph."""

from __future__ import annotations

from .._pages.differentiate import hessian, hessian_product, jacobian, rate, vjp
from .._pages.inputs import left_out
from .._pages.takes import takes
from .._tree.tree import Shaped, Tree
from .coriolis import coriolis_matrix
from .dynamics import forward_dynamics, gravity_forces, inverse_dynamics, mass_matrix
from .inverse_mass import inverse_mass_product


@takes(weights=("nv",))
def inverse_dynamics_vjp(tree: Tree, q, qd, qdd, weights, f_ext) -> tuple:
    """Derivatives of weights . tau by q, qd and qdd, with tau from inverse dynamics."""
    return vjp(inverse_dynamics, "q", "qd", "qdd")(tree, q, qd, qdd, f_ext, weights)


@takes(weights=("nv",))
def forward_dynamics_vjp(tree: Tree, q, qd, tau, weights, f_ext) -> tuple:
    """Derivatives of weights . qdd by q, qd and tau, with qdd from forward dynamics.

    From M dqdd = dtau - d(inverse dynamics): with x = M^-1 weights they are the derivatives of
    -x . (inverse dynamics), and x.
    """
    qdd = forward_dynamics(tree, q, qd, tau, f_ext)
    none = left_out(inverse_mass_product, tree, ())
    x = tree.vector(inverse_mass_product(tree, q, weights, **none))
    by_q, by_qd, _ = inverse_dynamics_vjp(tree, q, qd, qdd, tuple(-w for w in x), f_ext)
    return by_q, by_qd, x


@takes(weights=("nv",))
def inverse_dynamics_hessian(tree: Tree, q, qd, qdd, weights, f_ext) -> tuple:
    """Second derivatives of weights . tau: by (q, q), (q, qd), (qd, qd) and (q, qdd).

    Those by (qd, qdd) and (qdd, qdd) are zero.
    """
    pairs = ("q", "q"), ("qd", "q"), ("qd", "qd"), ("qdd", "q")
    qq, dq, dd, aq = hessian(inverse_dynamics, *pairs)(tree, q, qd, qdd, f_ext, weights)
    return qq, _transpose(dq), dd, _transpose(aq)


@takes(weights=("nv",), dqd=("nv",), dqdd=("nv",))
def inverse_dynamics_hessian_product(
    tree: Tree, q, qd, qdd, weights, dq, dqd, dqdd, f_ext
) -> tuple:
    """Second derivatives of weights . tau by (q, qd, qdd), times (dq, dqd, dqdd)."""
    page = hessian_product(inverse_dynamics, "q", "qd", "qdd")
    return page(tree, q, qd, qdd, f_ext, weights, dq, dqd, dqdd)


def mass_matrix_dq(tree: Tree, q) -> list:
    """dM/dq (G13 24a)."""
    return jacobian(mass_matrix, "q")(tree, q)


def coriolis_matrix_dq(tree: Tree, q, qd) -> list:
    """dC/dq (G13 24b)."""
    return jacobian(coriolis_matrix, "q")(tree, q, qd)


def coriolis_matrix_dqd(tree: Tree, q, qd) -> list:
    """dC/dqd (G13 24c): where qd = dq/dt, the Christoffel symbols of the first kind."""
    return jacobian(coriolis_matrix, "qd")(tree, q, qd)


def mass_matrix_dot(tree: Tree, q, qd) -> list:
    """dM/dt = C + C^T (G13 25a)."""
    C, n = tree.matrix(coriolis_matrix(tree, q, qd)), range(tree.nv)
    return Shaped(([C[i][j] + C[j][i] for j in n] for i in n), (tree.nv, tree.nv))


def coriolis_matrix_dot(tree: Tree, q, qd, qdd) -> list:
    """dC/dt (G13 25b)."""
    return rate(coriolis_matrix)(tree, q, qd, qdd)


def gravity_forces_dot(tree: Tree, q, qd) -> list:
    """dg/dt (G13 25c)."""
    return rate(gravity_forces)(tree, q, qd)


def _transpose(rows: list[list]) -> list[list]:
    n = len(rows)
    return Shaped((list(column) for column in zip(*rows, strict=True)), (n, n))
