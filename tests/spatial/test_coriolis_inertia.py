"""What velocity adds to inertia, as 6 x 6 matrices; and factors that keep the zeros of a tree."""

import math

import numpy as np
import pytest

from arthron._graph.evaluate import evaluate
from arthron._graph.graph import Graph
from arthron._spatial.inertia import CoriolisInertia
from arthron.spatial import Force, Forces, Inertia, Ldl, Mat3, Motion, Transform, Vec3

ZERO = np.zeros((3, 3))


def tilde(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def rigid(I):
    h = tilde(I.h)
    return np.block([[np.array(I.I), h], [h.T, I.m * np.eye(3)]])


def motion_cross(v):
    w, u = tilde(v.ang), tilde(v.lin)
    return np.block([[w, ZERO], [u, w]])


def force_cross(v):
    return -motion_cross(v).T


def bar(f):
    """(f x-bar*) m = m x* f"""
    n, l = tilde(f.ang), tilde(f.lin)
    return -np.block([[n, l], [l, ZERO]])


def six(x):
    return np.array([*x.ang, *x.lin], dtype=float)


def of_motions(function):
    """The 6 x 6 matrix of a function from motions to forces."""
    units = (Motion(Vec3(*e[:3]), Vec3(*e[3:])) for e in np.eye(6).tolist())
    return np.stack([six(function(m)) for m in units], axis=-1)


def matrix(B):
    return of_motions(lambda m: B @ m)


def vector(x):
    return Vec3(*(float(a) for a in x))


def particles(seed, count=7):
    """(mass, place) of the particles of a body."""
    rng = np.random.default_rng(seed)
    return [(float(m), r) for m, r in zip(rng.uniform(0.2, 1, count), rng.normal(size=(count, 3)),
                                          strict=True)]  # fmt: skip


def body(some):
    """Inertia of particles."""
    m, h = sum(m for m, _ in some), sum(m * r for m, r in some)
    I = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in some)
    return Inertia(m, vector(h), Mat3.from_rows(I))


def random_motion(seed):
    a = np.random.default_rng(seed).normal(size=6)
    return Motion(vector(a[:3]), vector(a[3:]))


def random_transform(seed):
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Transform(Mat3.from_rows(Q * np.linalg.det(Q)), vector(rng.normal(size=3)))


SEEDS = pytest.mark.parametrize("seed", range(4))


def case(seed):
    I, v = body(particles(seed)), random_motion(seed + 100)
    return I, v, CoriolisInertia.of(I, v)


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-13 * max(1.0, np.abs(b).max()))


@SEEDS
def test_definition(seed):
    """B = 1/2 (v x* I - I v x + (I v) x-bar*)"""
    I, v, B = case(seed)
    expected = 0.5 * (force_cross(v) @ rigid(I) - rigid(I) @ motion_cross(v) + bar(I @ v))
    close(matrix(B), expected)


@SEEDS
def test_what_it_is_for(seed):
    """B v = v x* I v, and B + B^T = v x* I - I v x, the rate of I seen from the world."""
    I, v, B = case(seed)
    close(six(B @ v), six(v.cross(I @ v)))
    rate = force_cross(v) @ rigid(I) - rigid(I) @ motion_cross(v)
    close(matrix(B) + matrix(B).T, rate)


@SEEDS
def test_transpose(seed):
    _, _, B = case(seed)
    turned = of_motions(B.transpose_apply)
    close(turned, matrix(B).T)
    assert not turned[3:].any()  # a pure torque


@SEEDS
def test_sum_over_particles(seed):
    """K = sum of m ((r . u) 1 - u r^T), p = sum of m u, for u = v + w x r."""
    some = particles(seed)
    _, v, B = case(seed)
    moving = [(m, r, np.array(v.lin) + np.cross(v.ang, r)) for m, r in some]
    close(np.array(B.p), sum(m * u for m, _, u in moving))
    close(np.array(B.K), sum(m * (r @ u * np.eye(3) - np.outer(u, r)) for m, r, u in moving))
    # force on the particles, when a motion is added that turns with the body
    J = [np.block([-tilde(r), np.eye(3)]) for _, r in some]
    rate = [np.block([-tilde(u), ZERO]) for _, _, u in moving]  # of J, as the particle moves on
    close(matrix(B), sum(m * Jp.T @ d for (m, _), Jp, d in zip(some, J, rate, strict=True)))


@SEEDS
def test_bodies_that_move_differently_add_up(seed):
    (_, _, B), (_, _, C) = case(seed), case(seed + 50)
    close(matrix(B + C), matrix(B) + matrix(C))


@SEEDS
def test_seen_from_another_frame(seed):
    I, v, B = case(seed)
    X = random_transform(seed)
    XM = np.block([[np.array(X.E), ZERO], [-np.array(X.E) @ tilde(X.r), np.array(X.E)]])
    pulled = X.T @ B @ X
    assert isinstance(pulled, CoriolisInertia)
    close(matrix(pulled), XM.T @ matrix(B) @ XM)
    # the same body described there has the same
    there = CoriolisInertia.of(X.T @ I @ X, X.inverse() @ v)
    close(matrix(pulled), matrix(there))


@SEEDS
def test_articulated(seed):
    """As a matrix: the same to begin with, turned, seen from elsewhere, less U Y^T, in sums."""
    _, _, plain = case(seed)
    X, y, m = random_transform(seed), random_motion(seed + 1).ang, random_motion(seed + 2)
    XM = np.block([[np.array(X.E), ZERO], [-np.array(X.E) @ tilde(X.r), np.array(X.E)]])
    U, Y = Force(m.ang, m.lin), Force(y)
    B = plain.articulated()
    close(matrix(B), matrix(plain))
    less = B.without(Forces([U, U]), Forces([Y, Force(y * 2.0)]))
    close(matrix(less), matrix(plain) - 3.0 * np.outer(six(U), six(Y)))
    close(of_motions(less.transpose_apply), matrix(less).T)
    close(matrix(X.T @ less @ X), XM.T @ matrix(less) @ XM)
    close(matrix(less + B), matrix(less) + matrix(B))


def test_nothing():
    assert not matrix(CoriolisInertia.of(Inertia(), random_motion(1))).any()
    assert not matrix(CoriolisInertia.of(body(particles(1)), Motion())).any()


def test_inertia_parameters():
    I = body(particles(3))
    assert Inertia.from_parameters(I.parameters()) == I
    m, x, y, z, xx, yy, zz, xy, xz, yz = range(10)
    I = Inertia.from_parameters([float(k) for k in range(10)])
    assert (I.m, tuple(I.h)) == (m, (x, y, z))
    assert np.array_equal(I.I, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@SEEDS
def test_on_symbols_and_arrays(seed):
    """The same numbers traced, and for several states at once."""
    I, v, B = case(seed)
    X, m = random_transform(seed), random_motion(seed + 7)
    numbers = [*I.parameters(), *v.ang, *v.lin, *(x for row in X.E for x in row), *X.r, *m.ang,
               *m.lin]  # fmt: skip

    def whole(n):
        I, v = Inertia.from_parameters(n[:10]), Motion(Vec3(*n[10:13]), Vec3(*n[13:16]))
        E = Mat3(Vec3(*n[16:19]), Vec3(*n[19:22]), Vec3(*n[22:25]))
        X, m = Transform(E, Vec3(*n[25:28])), Motion(Vec3(*n[28:31]), Vec3(*n[31:]))
        B = X.T @ CoriolisInertia.of(I, v) @ X + CoriolisInertia.of(I, m)
        f, g = B @ m, B.transpose_apply(v)
        return [*f.ang, *f.lin, *g.ang, *g.lin]

    expected = whole(numbers)
    assert all(isinstance(x, float) for x in expected)
    graph = Graph()
    traced = [graph.lift(x) for x in whole(graph.inputs(len(numbers)))]
    close(evaluate(graph, traced, numbers), expected)
    rows = whole([np.array([x, 2 * x]) for x in numbers])
    close([np.broadcast_to(x, 2)[0] for x in rows], expected)
    assert isinstance(B @ v, Force)


# Factors of matrices with zeros


def tree_matrix(parents, seed):
    """A random positive matrix that couples each joint with those on its way to the root."""
    rng = np.random.default_rng(seed)
    n = len(parents)
    L = np.zeros((n, n))
    for i in range(n):
        j = i
        while j >= 0:
            L[i, j] = rng.normal() if j < i else rng.uniform(1, 2)
            j = parents[j]
    return L.T @ L


PARENTS = {
    "chain": [-1, 0, 1, 2, 3],
    "fork": [-1, 0, 1, 0, 3, 3],
    "star": [-1, 0, 0, 0, 0],
    "apart": [-1, -1, -1],
    "one": [-1],
    "two trees": [-1, 0, -1, 2, 2],
}
TREES = pytest.mark.parametrize("parents", PARENTS.values(), ids=PARENTS)


def listed(A):
    return [[float(x) for x in row] for row in A]


@TREES
def test_solutions(parents):
    A, n = tree_matrix(parents, 1), len(parents)
    rng = np.random.default_rng(2)
    b, B = rng.normal(size=n), rng.normal(size=(n, 3))
    factor = Ldl(listed(A))
    close(factor.solve(b.tolist()), np.linalg.solve(A, b))
    close(factor.solve_many(listed(B)), np.linalg.solve(A, B))
    W = factor.inverse()
    close(W, np.linalg.inv(A))
    assert np.array_equal(W, np.transpose(W))
    B[rng.random(B.shape) < 0.5] = 0.0  # with zeros that are known
    close(factor.solve_many(listed(B)), np.linalg.solve(A, B))
    b[::2] = 0.0
    close(factor.solve(b.tolist()), np.linalg.solve(A, b))


@TREES
def test_zeros_stay(parents):
    """L couples a joint with its ancestors alone: nothing is filled in."""
    factor = Ldl(listed(tree_matrix(parents, 1)))
    for i, row in enumerate(factor.L):
        above, j = set(), parents[i]
        while j >= 0:
            above.add(j)
            j = parents[j]
        assert set(row) <= above


def test_negative_definite_is_factored_too():
    """-M, which saves signs elsewhere."""
    A = -tree_matrix(PARENTS["fork"], 3)
    b = np.arange(1.0, 7.0)
    close(Ldl(listed(A)).solve(b.tolist()), np.linalg.solve(A, b))


def test_symbols_arrays_and_constants_mixed():
    parents = PARENTS["fork"]
    A, b = tree_matrix(parents, 4), np.random.default_rng(5).normal(size=6)
    graph = Graph()
    symbols, numbers = [], []

    def symbol(x):
        numbers.append(float(x))
        symbols.append(graph.input())
        return symbols[-1]

    S = [[0.0] * 6 for _ in range(6)]
    for i in range(6):
        for j in range(i + 1):
            if A[i, j]:
                S[i][j] = S[j][i] = symbol(A[i, j]) if (i + j) % 2 else float(A[i, j])
    factor = Ldl(S)
    outputs = [*factor.solve(b.tolist()), *(x for row in factor.inverse() for x in row)]
    found = evaluate(graph, [graph.lift(x) for x in outputs], numbers)
    close(found, [*np.linalg.solve(A, b), *np.linalg.inv(A).ravel()])
    batch = [[np.array([x, 2 * x]) for x in row] for row in listed(A)]
    pair = np.transpose(Ldl(batch).solve([np.array([x, x]) for x in b]))
    close(pair, [np.linalg.solve(A, b), np.linalg.solve(2 * A, b)])


@pytest.mark.parametrize("A", [[[0.0]], [[1.0, 1.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]]])
def test_singular_matrices_give_no_number(A):
    """Infinity or NaN, never an exception, and never a number that looks right."""
    factor = Ldl(A)
    for found in (factor.solve([1.0] * len(A)), np.ravel(factor.inverse())):
        assert not all(math.isfinite(x) for x in found)


def test_nothing_to_solve():
    factor = Ldl([])
    assert (factor.solve([]), factor.inverse(), factor.solve_many([])) == ((), [], [])
