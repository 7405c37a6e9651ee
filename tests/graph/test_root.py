"""Roots: what Newton finds, when it gives up, and derivatives by the implicit function theorem."""

import math

import numpy as np
import pytest

import arthron as ar
from arthron._graph.autodiff import forward, jacobian, reverse
from arthron._graph.elimination import eliminated_in_loops
from arthron._graph.evaluate import evaluate
from arthron._graph.graph import Graph
from arthron._spatial.linear_algebra import eliminated

MODEL = ar.random_tree(3)


def kepler(M, e):
    return ar.root(lambda E: E - e * ar.sin(E) - M, M)


def test_on_floats_batches_and_traced():
    M, e = np.linspace(-3, 3, 20), np.linspace(0, 0.9, 20)
    one = [kepler(float(a), float(b)) for a, b in zip(M, e, strict=True)]
    many = kepler(M, e)
    np.testing.assert_allclose(many.values, [r.values for r in one], rtol=1e-14)
    assert all(many.converged == 1.0) and all(many.iterations < 12)
    np.testing.assert_allclose(many.values - e * np.sin(many.values), M, atol=1e-14)
    with Graph() as graph:
        found = kepler(*graph.inputs(2))
    np.testing.assert_allclose(evaluate(graph, [found.values.position], [M, e])[0], many.values,
                               rtol=1e-14)  # fmt: skip


def test_derivatives_of_both_modes_and_second_ones():
    with Graph() as graph:
        M, e = graph.inputs(2)
        E = kepler(M, e).values
    point = [1.2, 0.4]
    (x,) = evaluate(graph, [E.position], point)
    slope = 1.0 - point[1] * math.cos(x)
    exact = [1.0 / slope, math.sin(x) / slope]
    wrt = [M.position, e.position]
    (row,) = jacobian(graph, [E.position], wrt)
    assert evaluate(graph, [graph.lift(a) for a in row], point) == pytest.approx(exact, rel=1e-14)
    back = reverse(graph, [E.position], [1.0], wrt)
    assert evaluate(graph, [graph.lift(a) for a in back], point) == pytest.approx(exact, rel=1e-14)
    (second,) = forward(graph, [graph.lift(back[0])], {wrt[0]: 1.0})
    assert evaluate(graph, [graph.lift(second)], point)[0] == pytest.approx(
        -point[1] * math.sin(x) / slope**3, rel=1e-13
    )


def test_the_guess_has_no_derivative_and_a_root_that_is_passed_on_has():
    with Graph() as graph:
        a, guess = graph.inputs(2)
        x = ar.root(lambda x: x * x - a, guess).values
        y = ar.root(lambda y: y * y * y - x * a, 1.0).values
    by = reverse(graph, [y.position], [1.0], [a.position, guess.position])
    found = evaluate(graph, [graph.lift(b) for b in by], [4.0, 3.0])
    assert found == pytest.approx([0.5 * 4.0**-0.5, 0.0], rel=1e-13)  # y = a^(1/2)


def test_systems_with_their_own_solver():
    calls = []

    def solve(A, b):
        calls.append(len(b))
        return eliminated(A, b)

    @ar.takes(c=(2,))
    def page(tree, c):
        def residual(x):
            return [x[0] * x[0] + x[1] - c[0], x[1] * x[1] * x[1] - x[0] + c[1]]

        x, _, fine = ar.root(residual, [1.0, 1.0], solve=solve)
        return [*x, fine]

    c = np.random.default_rng(0).uniform(0.5, 1.5, (30, 2))
    x, y, fine = ar.compile(page, MODEL)(c).T
    assert calls and (fine == 1.0).all()
    np.testing.assert_allclose([x * x + y, x - y**3], c.T, atol=1e-13)
    J = ar.compile(ar.jacobian(page, "c"), MODEL)(c)[:, :2]
    slope = np.array([[2 * x, 1 + 0 * x], [-1 + 0 * x, 3 * y * y]]).transpose(2, 0, 1)
    np.testing.assert_allclose(J, np.linalg.inv(slope) * [1.0, -1.0], rtol=1e-11, atol=1e-13)
    weights = np.random.default_rng(1).normal(size=(30, 3))
    (back,) = ar.compile(ar.vjp(page, "c"), MODEL)(c, weights)
    np.testing.assert_allclose(back, np.einsum("nij,ni->nj", J, weights[:, :2]), rtol=1e-11)


def test_a_solver_of_ones_own_has_derivatives():
    """A fixed point, x = 0.5 cos(a x): through the bare loop there is no reverse mode."""

    def fixed_point(a):
        def step(x):
            new = 0.5 * ar.cos(a * x)
            return new, abs(new - x) <= 4.0 * ar.epsilon(new)

        return lambda guess: ar.iterate(step, guess, 200)

    @ar.takes(a=())
    def page(tree, a):
        return ar.root(lambda x: x - 0.5 * ar.cos(a * x), 0.3, method=fixed_point(a)).values

    a, weights = np.linspace(-1, 1.5, 9), np.ones(9)
    x = ar.compile(page, MODEL)(a)
    np.testing.assert_allclose(x, 0.5 * np.cos(a * x), rtol=1e-15)
    exact = -0.5 * np.sin(a * x) * x / (1.0 + 0.5 * a * np.sin(a * x))
    np.testing.assert_allclose(ar.compile(ar.jacobian(page, "a"), MODEL)(a), exact, rtol=1e-13)
    (back,) = ar.compile(ar.vjp(page, "a"), MODEL)(a, weights)
    np.testing.assert_allclose(back, exact, rtol=1e-13)


def test_where_the_guess_is_the_root_nothing_need_be_done():
    """x >= 0 and x >= a: the larger is found only where zero will not do."""

    @ar.takes(a=())
    def page(tree, a):
        def larger(x):
            return a, 1.0, 1.0

        above = ar.root(lambda x: ar.maximum(a - x, -x), 0.0, method=larger, when=a > 0.0)
        return above.values, above.iterations

    a = np.array([-1.0, 2.0, -3.0, 0.5])
    x, passes = ar.compile(page, MODEL)(a)
    np.testing.assert_array_equal(x, np.maximum(a, 0.0))
    np.testing.assert_array_equal(passes, a > 0.0)
    np.testing.assert_array_equal(ar.compile(ar.jacobian(page, "a"), MODEL)(a)[0], a > 0.0)


def test_other_guesses_where_the_first_fails():
    """x^3 - 2 x + 2: from 0 full steps go round and round; the line search ends in a hollow."""

    def cube(x):
        return x * x * x - 2.0 * x + 2.0

    alone = ar.root(cube, 0.0)
    assert alone.converged == 0.0
    both = ar.root(cube, 0.0, -3.0)
    assert both.converged == 1.0 and abs(cube(both.values)) < 1e-14

    def page(tree, q):
        first = q[1][0]
        return list(ar.root(cube, first, -3.0))

    found = ar.compile(page, MODEL)(np.array([[0.0, 0, 0], [-2.0, 0, 0], [0.5, 0, 0]]))
    np.testing.assert_allclose(found[:, 0], both.values, rtol=1e-14)
    assert (found[:, 2] == 1.0).all()
    assert found[1, 1] < found[0, 1]  # steps of both guesses are counted


def test_without_a_root_it_says_so():
    for a in (1.0, np.array([1.0, 4.0])):
        found = ar.root(lambda x, a=a: x * x + a, 0.7)
        assert np.all(found.converged == 0.0) and np.all(np.isfinite(found.values))
    infinite = ar.root(lambda x: ar.sqrt(x) - 2.0, -1.0)
    assert infinite.converged == 0.0

    @ar.takes(a=())
    def page(tree, a):
        return ar.root(lambda x: abs(x) + a, 0.7).converged  # a kink, where steps do not get short

    for dtype in (np.float64, np.float32):
        a = np.array([-2.0, -0.5, 0.5, 1.0, 2.0], dtype)
        np.testing.assert_array_equal(ar.compile(page, MODEL)(a), a < 0)


def test_single_precision_converges():
    @ar.takes(a=())
    def page(tree, a):
        return list(ar.root(lambda x: x * x - a, a))

    a = np.linspace(0.5, 90, 64, dtype=np.float32)
    x, steps, fine = ar.compile(page, MODEL)(a).T
    assert x.dtype == np.float32 and (fine == 1.0).all() and steps.max() < 12
    np.testing.assert_allclose(x, np.sqrt(a), rtol=3e-7)


def test_on_a_manifold():
    """The pose of a free body that brings three of its points where they should be."""
    model = ar.Model(
        [ar.Body("b", ar.Free(), inertia=ar.Inertia.from_com(1.0, [0, 0, 0], [1, 1, 1]))]
    )

    @ar.takes(targets=(6,))
    def pose(tree, q, targets):
        def off(x):
            X = ar.algorithms.poses(tree, tree.positions(x))[1]
            p, r = X.r, X.R
            axis, other = r @ ar.spatial.Vec3(1.0, 0, 0), r @ ar.spatial.Vec3(0, 1.0, 0)
            return [p.x - targets[0], p.y - targets[1], p.z - targets[2],
                    axis.y - targets[3], axis.z - targets[4], other.z - targets[5]]  # fmt: skip

        def move(x, e):
            return tree.vector(ar.algorithms.integrate(tree, tree.positions(x), tree.rates(e)))

        found = ar.root(off, tree.vector(q), move=move)
        return [*found.values, found.converged]

    targets = np.array([0.3, -0.2, 1.0, 0.4, -0.1, 0.3])
    q = model.neutral()
    *x, fine = ar.compile(pose, model)(q, targets)
    assert fine == 1.0
    assert np.linalg.norm(x[3:]) == pytest.approx(1.0, rel=1e-12)
    T = model.body_poses(np.array(x))[0]
    np.testing.assert_allclose([*T[:3, 3], T[1, 0], T[2, 0], T[2, 1]], targets, atol=1e-13)
    J = ar.compile(ar.jacobian(pose, "targets"), model)(q, targets)[:7]
    h = 1e-6
    for k in range(6):
        step = h * np.eye(6)[k]
        f = ar.compile(pose, model)
        difference = (f(q, targets + step) - f(q, targets - step))[:7] / (2 * h)
        np.testing.assert_allclose(J[:, k], difference, atol=1e-8)


def test_slopes_that_are_not_finite_are_no_roots():
    for residual, guesses in [
        (lambda y: ar.sqrt(y) - 1.0, (0.0,)),  # an infinite slope makes a step of zero
        (lambda y: ar.sqrt(y) + 1.0, (1.0,)),  # no root
        (lambda y: y - 2.0, (math.inf,)),
        (lambda y: y - 2.0, (math.nan,)),
    ]:
        assert ar.root(residual, *guesses).converged == 0.0
        found, _, fine = ar.root(residual, *guesses, 1.5)
        assert fine == 0.0 or abs(residual(found)) < 1e-14

    @ar.takes(first=())
    def page(tree, first):
        return list(ar.root(lambda y: ar.sqrt(y) - 1.0, first, 1.5))

    first = np.array([0.0, np.nan, np.inf, 0.5, -1.0])
    got = ar.compile(page, MODEL)(first)
    np.testing.assert_allclose(got[:, 0], 1.0, rtol=1e-14)
    assert (got[:, 2] == 1.0).all()
    np.testing.assert_array_equal(got[:, 1:], ar.evaluate(page, MODEL, first)[:, 1:])


def test_a_guess_that_is_the_root_is_one():
    """Even where the slope is zero."""
    assert ar.root(lambda y: y * y * y, 0.0, 1.0) == (0.0, 0.0, 1.0)


def test_one_value_in_two_places_of_a_residual():
    """A derivative of a derivative that was taken with both at one value."""

    @ar.takes(u=(), v=())
    def f(tree, u, v):
        return ar.root(lambda z: z * z * z + z * u + ar.sin(z * v) - 2.0, 0.5).values

    df = ar.jacobian(f, "u")

    @ar.takes(x=())
    def page(tree, x):
        return df(tree, x, x)

    h = 1e-5
    value = ar.compile(page, MODEL)
    expected = (value(0.7 + h) - value(0.7 - h)) / (2 * h)
    assert ar.compile(ar.jacobian(page, "x"), MODEL)(0.7) == pytest.approx(expected, rel=1e-8)


def test_reverse_mode_does_not_ask_a_solver_for_the_transpose():
    def forward_substitution(A, b):
        return [b[0] / A[0][0], (b[1] - A[1][0] * b[0] / A[0][0]) / A[1][1]]

    @ar.takes(x=(2,))
    def page(tree, x):
        return ar.root(lambda y: [y[0] - x[0], y[1] - x[1] * y[0]], [0.0, 0.0],
                       solve=forward_substitution).values  # fmt: skip

    x, weights = np.array([0.7, 1.3]), np.array([0.36, 1.3])
    (back,) = ar.compile(ar.vjp(page, "x"), MODEL)(x, weights)
    J = ar.compile(ar.jacobian(page, "x"), MODEL)(x)
    np.testing.assert_allclose(J, [[1.0, 0.0], [1.3, 0.7]], rtol=1e-14)
    np.testing.assert_allclose(back, J.T @ weights, rtol=1e-14)


def test_residuals_that_read_arrays():
    @ar.takes(x=(3,))
    def page(tree, x):
        a = ar.array(x)
        return ar.root(lambda y: y + y * y * y - a[y], 1.0).values + a[2.0 * x[0]]

    x = np.array([0.2, 3.0, 4.0])
    y = ar.compile(page, MODEL)(x) - x[0]
    assert y + y**3 == pytest.approx(x[int(y)], rel=1e-13)
    exact = np.zeros(3)
    exact[int(y)] = 1.0 / (1.0 + 3.0 * y * y)
    exact[0] += 1.0
    np.testing.assert_allclose(ar.compile(ar.jacobian(page, "x"), MODEL)(x), exact, rtol=1e-13)
    (back,) = ar.compile(ar.vjp(page, "x"), MODEL)(x, 1.0)
    np.testing.assert_allclose(back, exact, rtol=1e-13)


BAD = {
    "method returns one value": (lambda: ar.root(lambda y: y, 1.0, method=lambda g: g),
                                 "as `ar.iterate` does"),
    "method returns too many": (
        lambda: ar.root(lambda y: y, 1.0, method=lambda g: ((g, g), 1.0, 1.0)),
        "gave 2 values where 1"),
    "move returns nothing": (lambda: ar.root(lambda y: y, 1.0, move=lambda x, e: None),
                             "`move`.*gave 0 values"),
    "solve returns nothing": (lambda: ar.root(lambda y: y, 1.0, solve=lambda A, b: None),
                              "`solve`.*gave 0 values"),
    "no guess": (lambda: ar.root(lambda y: y, None), "or none"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_parts_meet_a_sentence(name):
    call, words = BAD[name]
    with pytest.raises(ar.TraceError, match=words):
        call()


def test_errors():
    with pytest.raises(ar.TraceError, match="2 unknowns and 1 residuals"):
        ar.root(lambda x: [x[0] + x[1]], [1.0, 2.0])
    with pytest.raises(ar.TraceError, match="unequal numbers of values"):
        ar.root(lambda x: x, [1.0, 2.0], [1.0])


def test_slopes_that_are_known_in_shorter_form():
    """Newton's method, and derivatives of the root, go by the slope that is given."""
    asked = []

    def solve(tree, a, slope=None):
        def residual(x):
            return [x[0] * x[0] + x[1] - a, x[0] - x[1]]

        return ar.root(residual, [1.0, 1.0], slope=slope).values

    def slope(x):
        asked.append(x)
        return [[2.0 * x[0], 1.0], [1.0, -1.0]]

    plain = ar.takes(a=())(lambda tree, a: solve(tree, a))
    short = ar.takes(a=())(lambda tree, a: solve(tree, a, slope))
    a = np.linspace(0.5, 9.0, 20)
    for page in (lambda x: x, lambda x: ar.jacobian(x, "a")):
        found, expected = (np.asarray(ar.compile(page(x), MODEL)(a)) for x in (short, plain))
        np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert asked
    with pytest.raises(ar.TraceError, match=r"`slope` of root .* gave 1 values where 2"):
        solve(None, 1.0, lambda x: [[1.0, 0.0]])


@pytest.mark.parametrize("n", (1, 2, 7))
def test_elimination_in_loops(n):
    """Against NumPy, with zeros where a pivot would be."""
    rng = np.random.default_rng(n)
    A, b = rng.normal(size=(9, n, n)), rng.normal(size=(9, n))
    if n > 1:
        A[3, 0, 0] = A[4, 1, 1] = 0.0
        A[5] = np.eye(n)[::-1]

    @ar.takes(A=(n, n), b=(n,))
    def page(tree, A, b):
        return eliminated_in_loops(A, b)

    expected = np.linalg.solve(A, b[..., None])[..., 0]
    np.testing.assert_allclose(ar.compile(page, MODEL)(A, b), expected, rtol=1e-9)
    np.testing.assert_allclose(ar.evaluate(page, MODEL, A, b), expected, rtol=1e-9)
