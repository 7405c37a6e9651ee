"""M, C and g by themselves and all their derivatives, against sums over bodies and the graph."""

import dataclasses
import functools
from pathlib import Path

import numpy as np
import pytest
from law_figures import PUPPET, assert_close, rate

import arthron as ar
from arthron._algorithms.closed_form import closed_form
from arthron._algorithms.closed_form_derivatives import closed_form_dq, closed_form_dqd
from arthron._algorithms.closed_form_parameters import (
    closed_form_by_parameters,
    closed_form_regressor,
)
from arthron._algorithms.closed_form_rates import closed_form_and_dot, closed_form_dot
from arthron._algorithms.jacobian_derivatives import jacobians_ddot, jacobians_dot, jacobians_dq
from arthron._figure.random import KINDS
from arthron._spatial.gyroscopic import GyroscopicInertia
from arthron._tree.tree import JointForces, JointMatrix
from arthron.algorithms import (
    accelerations,
    bias_forces,
    crba,
    gravity_forces,
    integrate,
    jacobians,
    poses,
    velocities,
)
from arthron.spatial import Forces, Inertia, Motion, Transform, Vec3, rotation

MATRICES = ("M", "C", "g")


def saddle(q):
    """A pose that turns and shifts with both coordinates."""
    a, b = q
    R = rotation(Vec3(1.0, 0.0, 0.0), a) @ rotation(Vec3(0.0, 0.6, 0.8), b + 0.3 * a * b)
    return R, Vec3(0.1 * ar.cos(a + b), 0.2 * a * b, 0.3 * ar.sin(a) + 0.1 * b)


def joints():
    """One of every kind; the last turns in an order that matters on top of a curved motion."""
    axes = np.random.default_rng(3).normal(size=(len(KINDS), 3))
    sheet = np.random.default_rng(4).normal(size=(5, 5, 6)) * 0.3
    return [
        *(make(axis) for make, axis in zip(KINDS.values(), axes, strict=True)),
        ar.SplineSurface(sheet),
        ar.Custom(saddle, 2, start=(0.3, -0.4)),
        ar.Composite([ar.Custom(saddle, 2, start=(0.3, -0.4)), ar.Spherical()]),
    ]


def figure(some, branching, seed):
    """A random tree with the given joints, armature on some, and gravity from anywhere."""
    bare = ar.random_tree(len(some), branching, taper=0.97, rng=seed)
    rng = np.random.default_rng(seed)
    return ar.Model(
        [
            dataclasses.replace(body, joint=joint, armature=0.2 if k % 3 == 0 else 0.0)
            for k, (body, joint) in enumerate(zip(bare.bodies, some, strict=True))
        ],
        gravity=rng.normal(size=3) * 5.0,
    )


def tied():
    """Two joints that follow the first, one of them on another branch."""
    bodies = ar.random_tree(5, 1.5, joints=("revolute",), rng=8).bodies
    mimic = {2: ar.Mimic("joint1", -1.5, 0.3), 5: ar.Mimic("joint1", 0.7)}
    bodies = [dataclasses.replace(b, mimic=mimic.get(k)) for k, b in enumerate(bodies, 1)]
    return ar.Model(bodies, mimic=True)


ORDER = np.random.default_rng(1).permutation(len(joints()))
MIXED = [joints()[k] for k in ORDER]
FIGURES = {
    "chain": figure(MIXED[:4], 1.0, 2),
    "tree": figure(MIXED[4:8], 1.7, 3),
    "bush": figure(MIXED[8:12], 2.5, 4),
    "shrub": figure(MIXED[12:], 1.5, 6),
    "hinges": ar.random_tree(6, 1.6, joints=("revolute", "prismatic"), rng=5),
    "tied": tied(),
}
EACH = pytest.mark.parametrize("name", FIGURES)


@functools.cache
def case(name):
    """(model, q, qd, qdd), two random states and the neutral pose."""
    model, rng = FIGURES[name], np.random.default_rng(7)
    q = np.stack([model.random(rng), model.random(rng), model.neutral()])
    qd, qdd = rng.normal(size=(2, 3, model.nv))
    return model, q, qd, qdd


@functools.cache
def found(page, name):
    model, *state = case(name)
    return ar.evaluate(page, model, *state[: page.__code__.co_argcount - 1])


@functools.cache
def by_graph(wrt, name):
    """Derivatives of M, C and g by q or qd, as the graph has them."""
    model, q, qd, _ = case(name)
    return ar.evaluate(ar.jacobian(closed_form, wrt), model, q, qd)


def along(T, x):
    """Sum of T x over the last axis."""
    return np.einsum("n...k,nk->n...", T, x)


def times(A, x):
    return np.einsum("...ij,...j->...i", A, x)


def transposed(A):
    return np.swapaxes(A, -1, -2)


# The law: (6) as it is printed, sums over bodies


def sums_over_bodies(tree, q, qd):
    """M = J^T I J, C = J^T ((I v x + v x* I) J + I J'), g = J^T I gamma, summed (G13 6)."""
    J, X0 = jacobians(tree, q), poses(tree, q)
    Jd, v = jacobians_dot(tree, q, qd), velocities(tree, q, qd)
    M, C = JointMatrix(), JointMatrix()
    g = JointForces(tree.zero(i) for i in range(tree.nb + 1))
    for k in tree.bodies:
        I, gamma = tree.I[k], X0[k] @ -tree.gravity
        for j in J[k]:
            F = I @ J[k][j]
            G = Forces(I @ v[k].cross(s) + v[k].cross(f) + I @ d
                       for s, f, d in zip(J[k][j], F, Jd[k][j], strict=True))  # fmt: skip
            g[j] = tuple(x + y for x, y in zip(g[j], F.dot(gamma), strict=True))
            for i in J[k]:
                added(C, (i, j), J[k][i].dot(G))
                if i <= j:
                    added(M, (i, j), J[k][i].dot(F))
    for i, j in list(M):
        M[j, i] = tuple(zip(*M[i, j], strict=True))
    for i in tree.bodies:
        added(M, (i, i), np.diag(tree.armature[i]).tolist())
    return {"M": M, "C": C, "g": g}


def added(total, key, block):
    if key in total:
        block = tuple(tuple(x + y for x, y in zip(*rows, strict=True))
                      for rows in zip(total[key], block, strict=True))  # fmt: skip
    total[key] = block


def test_every_kind_is_there():
    kinds = {type(joint) for model in FIGURES.values() for joint in model.tree.joint[1:]}
    assert {ar.Custom, ar.SplineSurface, ar.Composite, ar.Helical, ar.Euler, ar.Free} <= kinds
    assert FIGURES["tied"].tree.followers
    assert sum(len(FIGURES[name].bodies) for name in ("chain", "tree", "bush", "shrub")) == len(
        MIXED
    )


@EACH
@pytest.mark.parametrize("matrix", MATRICES)
def test_matrices_are_the_sums(name, matrix):
    assert_close(found(closed_form, name)[matrix], found(sums_over_bodies, name)[matrix], 1e-13)


@EACH
def test_matrices_are_those_of_other_pages(name):
    model, q, qd, _ = case(name)
    matrices = found(closed_form, name)
    M, g = ar.evaluate(crba, model, q), ar.evaluate(gravity_forces, model, q)
    bias = ar.evaluate(bias_forces, model, q, qd)
    assert_close(matrices["M"], M, 1e-12)
    assert_close(matrices["g"], g, 1e-12)
    assert_close(times(matrices["C"], qd), bias - g, 1e-11, scale=bias)


@EACH
def test_passive(name):
    """Mdot = C + C^T, with Mdot from the graph, so that C qd does no more work than Mdot needs."""
    model, q, qd, _ = case(name)
    C = found(closed_form, name)["C"]
    assert_close(C + transposed(C), rate(crba, model, q, qd), 1e-12, scale=C)


def test_not_the_christoffel_matrix():
    """Half of dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i times qd_k is another C with the same C qd."""
    _, _, qd, _ = case("hinges")
    dM = found(closed_form_dq, "hinges")["M"]
    symbols = 0.5 * (dM + np.swapaxes(dM, -1, -2) - np.moveaxis(dM, -1, -3))
    christoffel = np.einsum("nijk,nk->nij", symbols, qd)
    C = found(closed_form, "hinges")["C"]
    assert_close(times(C, qd), times(christoffel, qd), 1e-11)
    assert np.abs(C - christoffel).max() > 0.05 * np.abs(C).max()


# Jacobians


@EACH
def test_rates_of_jacobians(name):
    model, q, qd, qdd = case(name)
    Jd, Jdd = found(jacobians_dot, name), found(jacobians_ddot, name)
    assert Jd.shape == Jdd.shape == (3, model.nb, 6, model.nv)
    assert_close(Jd, rate(jacobians, model, q, qd), 1e-11)
    assert_close(Jdd, rate(jacobians_dot, model, q, qd, qdd), 1e-11)
    a = ar.evaluate(accelerations, model, q, qd, 0.0 * qd)
    assert_close(np.einsum("nbij,nj->nbi", Jd, qd), a, 1e-12)


@EACH
def test_jacobians_by_q(name):
    model, q, qd, _ = case(name)
    dJ = found(jacobians_dq, name)
    assert dJ.shape == (3, model.nb, 6, model.nv, model.nv)
    assert_close(dJ, ar.evaluate(ar.jacobian(jacobians, "q"), model, q), 1e-11)
    assert_close(dJ, ar.evaluate(ar.jacobian(jacobians_dot, "qd"), model, q, qd), 1e-11)


# Derivatives


@EACH
@pytest.mark.parametrize("matrix", MATRICES)
def test_rates(name, matrix):
    _, _, qd, qdd = case(name)
    expected = along(by_graph("q", name)[matrix], qd) + along(by_graph("qd", name)[matrix], qdd)
    scale = found(closed_form, name)[matrix]
    assert_close(found(closed_form_dot, name)[matrix], expected, 1e-11, scale=scale)


@EACH
def test_all_six_at_once(name):
    six = found(closed_form_and_dot, name)
    assert list(six) == [*MATRICES, *(f"{matrix}_dot" for matrix in MATRICES)]
    for matrix in MATRICES:
        assert np.array_equal(six[matrix], found(closed_form, name)[matrix])
        assert np.array_equal(six[f"{matrix}_dot"], found(closed_form_dot, name)[matrix])


@EACH
@pytest.mark.parametrize("matrix", MATRICES)
def test_by_q(name, matrix):
    assert_close(found(closed_form_dq, name)[matrix], by_graph("q", name)[matrix], 1e-11)


@EACH
def test_by_qd(name):
    dC = found(closed_form_dqd, name)
    assert_close(dC, by_graph("qd", name)["C"], 1e-11)
    assert_close(along(dC, case(name)[2]), found(closed_form, name)["C"], 1e-12)


def test_by_q_is_along_integrate():
    """For quaternions too: the change of C over a small displacement, from the two ends."""
    model, q, qd, _ = case("shrub")
    e = 1e-5 * np.random.default_rng(2).normal(size=qd.shape)
    ends = [ar.evaluate(closed_form, model, ar.evaluate(integrate, model, q, way), qd)
            for way in (e, -e)]  # fmt: skip
    for matrix, derivative in found(closed_form_dq, "shrub").items():
        assert_close((ends[0][matrix] - ends[1][matrix]) / 2, along(derivative, e), 1e-6)


# Parameters


def parameters(model):
    return np.array([x for I in model.tree.I[1:] for x in I.parameters()])


def without_armature(tree, q, qd):
    bare = tuple(tree.zero(i) for i in range(tree.nb + 1))
    return closed_form(dataclasses.replace(tree, armature=bare), q, qd)


@EACH
def test_linear_in_the_parameters(name):
    model = FIGURES[name]
    by, whole = found(closed_form_by_parameters, name), found(without_armature, name)
    for matrix in MATRICES:
        assert by[matrix].shape[-1] == 10 * model.nb
        assert_close(by[matrix] @ parameters(model), whole[matrix], 1e-12)


@pytest.mark.parametrize("name", ["bush", "tied"])
def test_each_parameter(name):
    """One parameter more by one: exact, as all is linear."""
    model, q, qd, _ = case(name)
    by, whole = found(closed_form_by_parameters, name), found(closed_form, name)
    for k in np.random.default_rng(1).choice(10 * model.nb, size=12, replace=False):
        more = np.eye(10)[k % 10]

        def heavier(tree, q, qd, body=k // 10 + 1, more=more):
            I = list(tree.I)
            I[body] = I[body] + Inertia.from_parameters([float(x) for x in more])
            return closed_form(dataclasses.replace(tree, I=tuple(I)), q, qd)

        changed = ar.evaluate(heavier, model, q, qd)
        for matrix in MATRICES:
            change = changed[matrix] - whole[matrix]
            assert_close(by[matrix][..., k], change, 1e-10, scale=whole[matrix])


@EACH
def test_regressor(name):
    model, q, qd, _ = case(name)
    qd_ref, qdd_ref = np.random.default_rng(9).normal(size=(2, *qd.shape))
    Y = ar.evaluate(closed_form_regressor, model, q, qd, qd_ref, qdd_ref)
    by, whole = found(closed_form_by_parameters, name), found(without_armature, name)
    forces = times(whole["M"], qdd_ref) + times(whole["C"], qd_ref) + whole["g"]
    assert_close(Y @ parameters(model), forces, 1e-11)
    columns = by["g"] + np.einsum("nijk,nj->nik", by["M"], qdd_ref)
    assert_close(Y, columns + np.einsum("nijk,nj->nik", by["C"], qd_ref), 1e-11)


# What adds up in `closed_form`


def six(x):
    return np.array([*x.ang, *x.lin], dtype=float)


def matrix_of(function):
    """The 6 x 6 matrix of a linear map of motions."""
    unit = (Motion(Vec3(*row[:3]), Vec3(*row[3:])) for row in np.eye(6).tolist())
    return np.stack([six(function(m)) for m in unit], axis=-1)


def test_gyroscopic_inertia():
    rng = np.random.default_rng(0)
    I, s, v = PUPPET.tree.I[2], *(Motion(Vec3(*a), Vec3(*b)) for a, b in rng.normal(size=(2, 2, 3)))
    X = Transform(rotation(Vec3(0.48, -0.6, 0.64), 0.7), Vec3(*rng.normal(size=3)))
    B = GyroscopicInertia.of(I, v) + GyroscopicInertia.of(PUPPET.tree.I[3], s)
    dense, cross = matrix_of(lambda m: B @ m), matrix_of(s.cross)
    assert_close(matrix_of(GyroscopicInertia.of(I, v).__matmul__),
                 matrix_of(lambda m: v.cross(I @ m)), 1e-14)  # fmt: skip
    assert_close(matrix_of(B.transpose_apply), dense.T, 1e-15)
    assert_close(matrix_of(lambda m: B.rate() @ m), dense + dense.T, 1e-14)
    assert_close(
        matrix_of(lambda m: B.derivative_along(s) @ m), -cross.T @ dense - dense @ cross, 1e-14
    )
    pulled = B.pulled_back(*X)
    carry = matrix_of(X.__matmul__)
    assert_close(matrix_of(pulled.__matmul__), carry.T @ dense @ carry, 1e-14)


# On floats, and compiled


@pytest.mark.parametrize("page", [closed_form_and_dot, closed_form_dq])
def test_one_state(page):
    model, *state = case("tied")
    alone = ar.evaluate(page, model, *(x[0] for x in state[: page.__code__.co_argcount - 1]))
    for key, batch in found(page, "tied").items():
        assert_close(alone[key], batch[0], 1e-14)


@pytest.mark.parametrize(
    ("page", "name"),
    [(closed_form_and_dot, "tree"), (closed_form_dq, "tied"), (closed_form_dqd, "hinges")],
)
def test_compiled(page, name):
    model, *state = case(name)
    native = ar.compile(page, model)(*state[: page.__code__.co_argcount - 1])
    expected = found(page, name)
    for key in expected if isinstance(expected, dict) else [...]:
        assert_close(native[key], expected[key], 1e-12)


def test_operations():
    """All six cost less than 0.6 of the sums twice (0.71 in G13), the three a quarter of them."""
    model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    sums, three, all_six = (
        ar.compile(page, model).op_count
        for page in (sums_over_bodies, closed_form, closed_form_and_dot)
    )
    assert three < 0.25 * sums
    assert all_six < 0.3 * 2 * sums
    assert all_six < 1.2 * 2 * three
    text = (Path(__file__).parents[2] / "docs/closed-form.md").read_text()
    assert f"left out | {round(sums, -2):,} |" in text
    assert f"the printed sums | {three / sums:.2f} |" in text
    assert f"two instants (G13 has 0.71) | {all_six / (2 * sums):.2f} |" in text
