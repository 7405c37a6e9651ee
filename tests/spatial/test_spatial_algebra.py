"""Every spatial operation is the 6 x 6 matrix product it stands for, whatever the scalar is."""

from types import SimpleNamespace

import numpy as np
import pytest

from arthron._graph.evaluate import evaluate
from arthron._graph.graph import Graph
from arthron._spatial.linear_algebra import add_diagonal
from arthron.spatial import (
    ArticulatedInertia,
    Force,
    Forces,
    Inertia,
    Ldl,
    Mat3,
    Motion,
    Subspace,
    Transform,
    Vec3,
)

ROWS = 5
ZERO = np.zeros((3, 3))


def tilde(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def adjoint(E, r):
    return np.block([[E, ZERO], [-E @ tilde(r), E]])


def rigid(m, h, I):
    return np.block([[I, tilde(h)], [tilde(h).T, m * np.eye(3)]])


def random_rotation(rng):
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.linalg.det(Q)


def random_numbers(rng):
    """Numbers of all operands of one row."""
    six = rng.normal(size=(6, 6))
    return {
        "k": rng.normal(), "a": rng.normal(size=3), "b": rng.normal(size=3),
        "A": rng.normal(size=(3, 3)), "B": rng.normal(size=(3, 3)),
        "m": rng.normal(size=6), "n": rng.normal(size=6),
        "f": rng.normal(size=6), "g": rng.normal(size=6),
        "E": random_rotation(rng), "r": rng.normal(size=3),
        "F": random_rotation(rng), "s": rng.normal(size=3),
        "mass": rng.uniform(0.5, 2), "h": rng.normal(size=3), "I": symmetric(rng),
        "IA": six + six.T, "S": rng.normal(size=(2, 6)), "U": rng.normal(size=(2, 6)),
        "D": np.eye(2) + 0.3 * symmetric(rng)[:2, :2] ** 2, "x": rng.normal(size=2),
    }  # fmt: skip


def symmetric(rng):
    A = rng.normal(size=(3, 3))
    return A + A.T


def matrices(number):
    """The operands as NumPy has them: vectors, and 6 x 6 matrices."""
    n = SimpleNamespace(**number)
    n.X, n.Y = adjoint(n.E, n.r), adjoint(n.F, n.s)
    n.Xf = np.linalg.inv(n.X).T  # of forces: so that power does not depend on the frame
    n.ad_m = np.block([[tilde(n.m[:3]), ZERO], [tilde(n.m[3:]), tilde(n.m[:3])]])
    n.J = rigid(n.mass, n.h, n.I)
    return n


def operands(number):
    """The same operands as spatial types. `number` holds arrays of any scalar."""
    n = SimpleNamespace(**number)

    def mat(A):
        return Mat3(*(Vec3(*row) for row in A))

    def pair(kind, six):
        return kind(Vec3(*six[:3]), Vec3(*six[3:]))

    return SimpleNamespace(
        k=n.k, a=Vec3(*n.a), b=Vec3(*n.b), A=mat(n.A), B=mat(n.B), S3=mat(n.I),
        m=pair(Motion, n.m), n=pair(Motion, n.n), f=pair(Force, n.f), g=pair(Force, n.g),
        X=Transform(mat(n.E), Vec3(*n.r)), Y=Transform(mat(n.F), Vec3(*n.s)),
        J=Inertia(n.mass, Vec3(*n.h), mat(n.I)), mass=n.mass,
        IA=ArticulatedInertia(
            mat([row[:3] for row in n.IA[:3]]), mat([row[3:] for row in n.IA[:3]]),
            mat([row[3:] for row in n.IA[3:]]),
        ),
        S=Subspace(pair(Motion, column) for column in n.S),
        U=Forces(pair(Force, column) for column in n.U), D=n.D, x=n.x,
    )  # fmt: skip


def table(value):
    """A spatial value as nested lists of its scalars, laid out as the matrix it stands for."""
    if isinstance(value, Motion | Force):
        return [*value.ang, *value.lin]
    if isinstance(value, Transform):
        return [list(row) for row in value.adjoint()]
    if isinstance(value, Inertia):
        return table(value.articulated())
    if isinstance(value, ArticulatedInertia):
        I, H, M = value
        upper = [[*a, *b] for a, b in zip(I, H, strict=True)]
        return upper + [[*a, *b] for a, b in zip(H.T, M, strict=True)]
    return [table(v) for v in value] if isinstance(value, tuple | list) else value


def on_floats(operation, rows):
    floats = [{k: np.asarray(v).tolist() for k, v in row.items()} for row in rows]
    return [np.array(table(operation(operands(row))), float) for row in floats]


def on_arrays(operation, rows):
    columns = {k: np.stack([np.asarray(row[k]) for row in rows], -1) for k in rows[0]}
    result = np.array(
        [np.broadcast_to(x, ROWS) for x in _leaves(table(operation(operands(columns))))]
    )
    shape = np.shape(on_floats(operation, rows[:1])[0])
    return [result[:, row].reshape(shape) for row in range(ROWS)]


def on_expressions(operation, rows):
    graph = Graph()
    names = list(rows[0])
    symbols = {
        k: np.array(graph.inputs(np.size(v)), object).reshape(np.shape(v)).tolist()
        for k, v in rows[0].items()
    }
    leaves = table(operation(operands(symbols)))
    positions = [graph.lift(x) for x in _leaves(leaves)]
    results = []
    for row in rows:
        inputs = [float(x) for k in names for x in np.ravel(row[k])]
        results.append(np.reshape(evaluate(graph, positions, inputs), _shape(leaves)))
    return results


def _leaves(nested):
    return [x for entry in nested for x in _leaves(entry)] if isinstance(nested, list) else [nested]


def _shape(nested):
    return (len(nested), *_shape(nested[0])) if isinstance(nested, list) else ()


OPERATIONS = {
    "a + b": (lambda o: o.a + o.b, lambda n: n.a + n.b),
    "a - b": (lambda o: o.a - o.b, lambda n: n.a - n.b),
    "-a": (lambda o: -o.a, lambda n: -n.a),
    "a k": (lambda o: o.a * o.k, lambda n: n.a * n.k),
    "k a": (lambda o: o.k * o.a, lambda n: n.a * n.k),
    "a . b": (lambda o: o.a.dot(o.b), lambda n: n.a @ n.b),
    "|a|": (lambda o: o.a.norm(), lambda n: np.linalg.norm(n.a)),
    "a x b": (lambda o: o.a.cross(o.b), lambda n: np.cross(n.a, n.b)),
    "[a] b": (lambda o: o.a.tilde @ o.b, lambda n: np.cross(n.a, n.b)),
    "a b^T": (lambda o: o.a.outer(o.b), lambda n: np.outer(n.a, n.b)),
    "A + B": (lambda o: o.A + o.B, lambda n: n.A + n.B),
    "A - B": (lambda o: o.A - o.B, lambda n: n.A - n.B),
    "-A": (lambda o: -o.A, lambda n: -n.A),
    "A k": (lambda o: o.A * o.k, lambda n: n.A * n.k),
    "k A": (lambda o: o.k * o.A, lambda n: n.A * n.k),
    "A b": (lambda o: o.A @ o.b, lambda n: n.A @ n.b),
    "A B": (lambda o: o.A @ o.B, lambda n: n.A @ n.B),
    "A^T": (lambda o: o.A.T, lambda n: n.A.T),
    "tr A": (lambda o: o.A.trace(), lambda n: np.trace(n.A)),
    "A^T I A": (lambda o: o.A.congruence(o.S3), lambda n: n.A.T @ n.I @ n.A),
    "m + n": (lambda o: o.m + o.n, lambda n: n.m + n.n),
    "m - n": (lambda o: o.m - o.n, lambda n: n.m - n.n),
    "-m": (lambda o: -o.m, lambda n: -n.m),
    "m k": (lambda o: o.m * o.k, lambda n: n.m * n.k),
    "k m": (lambda o: o.k * o.m, lambda n: n.m * n.k),
    "m . f": (lambda o: o.m.dot(o.f), lambda n: n.m @ n.f),
    "m x n": (lambda o: o.m.cross(o.n), lambda n: n.ad_m @ n.n),
    "m x* f": (lambda o: o.m.cross(o.f), lambda n: -n.ad_m.T @ n.f),
    "ad m": (lambda o: o.m.ad(), lambda n: n.ad_m),
    "f + g": (lambda o: o.f + o.g, lambda n: n.f + n.g),
    "f - g": (lambda o: o.f - o.g, lambda n: n.f - n.g),
    "-f": (lambda o: -o.f, lambda n: -n.f),
    "k f": (lambda o: o.k * o.f, lambda n: n.k * n.f),
    "S x": (lambda o: o.S * o.x, lambda n: n.S.T @ n.x),
    "S^T f": (lambda o: o.S.dot(o.f), lambda n: n.S @ n.f),
    "S^T U": (lambda o: o.S.dot(o.U), lambda n: n.S @ n.U.T),
    "U x": (lambda o: o.U * o.x, lambda n: n.U.T @ n.x),
    "U^T m": (lambda o: o.U.dot(o.m), lambda n: n.U @ n.m),
    "U^T S": (lambda o: o.U.dot(o.S), lambda n: n.U @ n.S.T),
    "X": (lambda o: o.X, lambda n: n.X),
    "X^-1": (lambda o: o.X.inverse(), lambda n: np.linalg.inv(n.X)),
    "X Y": (lambda o: o.X @ o.Y, lambda n: n.X @ n.Y),
    "X m": (lambda o: o.X @ o.m, lambda n: n.X @ n.m),
    "X f": (lambda o: o.X @ o.f, lambda n: n.Xf @ n.f),
    "X p": (lambda o: o.X @ o.a, lambda n: n.E @ (n.a - n.r)),
    "X S": (lambda o: o.X @ o.S, lambda n: (n.X @ n.S.T).T),
    "X^T f": (lambda o: o.X.T @ o.f, lambda n: n.X.T @ n.f),
    "X^T U": (lambda o: o.X.T @ o.U, lambda n: (n.X.T @ n.U.T).T),
    "X^T J X": (lambda o: o.X.T @ o.J @ o.X, lambda n: n.X.T @ n.J @ n.X),
    "X^T IA X": (lambda o: o.X.T @ o.IA @ o.X, lambda n: n.X.T @ n.IA @ n.X),
    "pose": (
        lambda o: o.X.matrix(),
        lambda n: np.block([[n.E.T, n.r[:, None]], [np.zeros(3), 1.0]]),
    ),
    "from_pose": (
        lambda o: Transform.from_pose(o.X.R, o.X.r),
        lambda n: n.X,
    ),
    "J": (lambda o: o.J, lambda n: n.J),
    "J + J": (lambda o: o.J + (o.X.T @ o.J @ o.X), lambda n: n.J + n.X.T @ n.J @ n.X),
    "J - J": (lambda o: o.J - (o.X.T @ o.J @ o.X), lambda n: n.J - n.X.T @ n.J @ n.X),
    "J m": (lambda o: o.J @ o.m, lambda n: n.J @ n.m),
    "J S": (lambda o: o.J @ o.S, lambda n: (n.J @ n.S.T).T),
    "IA + IA": (lambda o: o.IA + o.J.articulated(), lambda n: n.IA + n.J),
    "IA m": (lambda o: o.IA @ o.m, lambda n: n.IA @ n.m),
    "IA S": (lambda o: o.IA @ o.S, lambda n: (n.IA @ n.S.T).T),
    "IA - U D^-1 U^T": (
        lambda o: o.IA.without(o.U, Ldl(o.D)),
        lambda n: n.IA - n.U.T @ np.linalg.inv(n.D) @ n.U,
    ),
    "from_com": (
        lambda o: Inertia.from_com(o.mass, o.a, o.S3),
        lambda n: rigid(n.mass, n.mass * n.a, n.I - n.mass * tilde(n.a) @ tilde(n.a)),
    ),
}  # fmt: skip

SCALARS = [on_floats, on_arrays, on_expressions]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    return [random_numbers(rng) for _ in range(ROWS)]


@pytest.mark.parametrize("scalars", SCALARS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_operation_is_the_matrix_operation(name, scalars, rows):
    ours, theirs = OPERATIONS[name]
    for got, row in zip(scalars(ours, rows), rows, strict=True):
        np.testing.assert_allclose(got, theirs(matrices(row)), rtol=1e-13, atol=1e-13)


def test_power_does_not_depend_on_the_frame(rows):
    for row in rows:
        o = operands({k: np.asarray(v).tolist() for k, v in row.items()})
        assert (o.X @ o.m).dot(o.X @ o.f) == pytest.approx(o.m.dot(o.f), rel=1e-13)
        assert o.m.dot(o.X.T @ o.f) == pytest.approx((o.X @ o.m).dot(o.f), rel=1e-13)


def test_symmetric_results_are_symmetric_to_the_last_digit(rows):
    for row in rows:
        o = operands({k: np.asarray(v).tolist() for k, v in row.items()})
        for value in (o.X.T @ o.J @ o.X, o.X.T @ o.IA @ o.X, o.IA.without(o.U, Ldl(o.D))):
            matrix = np.array(table(value))
            np.testing.assert_array_equal(matrix, matrix.T)


def test_com_and_inertia_about_it_come_back():
    c, Ic = Vec3(0.1, -0.2, 0.3), Mat3.from_rows([[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]])
    I = Inertia.from_com(2.0, c, Ic)
    np.testing.assert_allclose(I.com(), c, rtol=1e-15)
    np.testing.assert_allclose(I.about_com(), Ic, rtol=1e-14)
    assert Inertia().com() == Vec3()


def test_numpy_scalars_times_spatial_values_stay_spatial():
    for value in (Vec3(1.0, 2.0, 3.0), Motion(Vec3(1.0)), Force(Vec3(1.0)), Mat3.identity()):
        assert type(np.float64(2.0) * value) is type(value)
        assert type(np.array([2.0, 3.0]) * value) is type(value)
        assert np.float64(2.0) * value == value * 2.0


def test_an_inertia_must_be_pulled_back_from_both_sides_by_the_same_transform():
    X = Transform(r=Vec3(1.0))
    with pytest.raises(TypeError, match="Y to be X"):
        X.T @ Inertia(1.0) @ Transform(r=Vec3(1.0))


@pytest.mark.parametrize("n", range(1, 7))
def test_ldl_solves_symmetric_systems(n):
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n))
    D, b = A @ A.T + 0.1 * np.eye(n), rng.normal(size=n)
    U = rng.normal(size=(6, n))
    factor = Ldl(D.tolist())
    L = np.array([[factor.L[i].get(j, 0.0) for j in range(n)] for i in range(n)]) + np.eye(n)
    np.testing.assert_allclose(L.T / factor.w @ L, D, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(factor.solve(b.tolist()), np.linalg.solve(D, b), rtol=1e-9)
    inverse = np.array(factor.inverse())
    np.testing.assert_allclose(inverse, np.linalg.inv(D), rtol=1e-9)
    assert np.array_equal(inverse, inverse.T)
    terms = sum(w * np.outer(W, W) for W, w in factor.outer_terms(list(U.T)))
    np.testing.assert_allclose(terms, U @ np.linalg.solve(D, U.T), rtol=1e-9, atol=1e-11)
    diagonal = rng.normal(size=n)
    np.testing.assert_array_equal(add_diagonal(D.tolist(), diagonal), D + np.diag(diagonal))


def test_ldl_of_one_degree_of_freedom_is_one_division():
    graph = Graph()
    d, b = graph.inputs(2)
    (x,) = Ldl([[d]]).solve([b])
    assert [graph.nodes[p][0].name for p in graph.needed([x.position])] == [
        "INPUT", "INPUT", "CONST", "DIV", "MUL"
    ]  # fmt: skip
