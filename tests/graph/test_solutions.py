"""Equations as one operation: against NumPy, alone and in batches, and its derivatives."""

import numpy as np
import pytest

import arthron as ar
from arthron._spatial.array import array, solved

MODEL = ar.random_tree(1)


def page_of(n, turns=1):
    """x with A x = b, or that of the x before in a loop."""

    @ar.takes(A=(n, n), b=(n,))
    def page(tree, A, b):
        matrix = array([x for row in A for x in row])

        def turn(state):
            k, x = state
            return (k + 1.0, list(solved(matrix, array(x)))), k + 1.5 > turns

        return ar.iterate(turn, (0.0, list(b)), turns).values[1]

    return page


def problems(n, rows=19):
    """Matrices near positive definite ones, that hang together in few places."""
    rng = np.random.default_rng(n)
    B = rng.normal(size=(rows, n, n))
    A, b = B @ B.swapaxes(1, 2) + np.eye(n), rng.normal(size=(rows, n))
    A += 0.3 * rng.normal(size=A.shape)  # as of what slides
    far = rng.random((rows, n)) < 0.5  # islands that differ from row to row of the batch
    A[far[:, :, None] != far[:, None, :]] = 0.0
    return A, b


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1, 2, 7, 8, 15, 16, 33])
def test_solutions_are_those_of_numpy(n, kind):
    A, b = (x.astype(kind) for x in problems(n))
    wanted = np.linalg.solve(A.astype(float), b[..., None].astype(float))[..., 0]
    scale = np.linalg.cond(A.astype(float)).max() * np.abs(wanted).max()
    solve = ar.compile(page_of(n), MODEL)
    for given, x in (((A, b), wanted), ((A[4], b[4]), wanted[4])):
        np.testing.assert_allclose(solve(*given), x, rtol=0, atol=4.0 * np.finfo(kind).eps * scale)
    np.testing.assert_allclose(
        ar.evaluate(page_of(n), MODEL, A[4].astype(float), b[4].astype(float)), wanted[4],
        rtol=0, atol=1e-13 * scale,
    )  # fmt: skip


def test_loops_that_solve_until_they_end():
    """The matrix is read anew in each turn, though it is taken apart where it is solved."""
    A, b = problems(9)
    wanted = b
    for _ in range(3):
        wanted = np.linalg.solve(A, wanted[..., None])[..., 0]
    solve = ar.compile(page_of(9, 3), MODEL)
    np.testing.assert_allclose(solve(A, b), wanted, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(solve(A[2], b[2]), wanted[2], rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_derivatives(mode):
    """Of b^T x, by the matrix and by the right-hand side: -y x^T and x + y, with A^T y = b."""
    n = 5
    A, b = (x[3] for x in problems(n))

    @ar.takes(A=(n, n), b=(n,))
    def work(tree, A, b):
        x = solved(array([x for row in A for x in row]), array(list(b)))
        return sum(x * y for x, y in zip(x, b, strict=True))

    x, y = np.linalg.solve(A, b), np.linalg.solve(A.T, b)
    for name, wanted in (("A", -np.outer(y, x)), ("b", x + y)):
        if mode == "forward":
            found = ar.compile(ar.jacobian(work, name), MODEL)(A, b)
        else:
            found = ar.compile(ar.vjp(work, name), MODEL)(A, b, np.array(1.0))
        np.testing.assert_allclose(np.reshape(found, wanted.shape), wanted, rtol=1e-10, atol=1e-12)


def test_what_is_not_a_number_stays_in_its_row():
    A, b = problems(6)
    A[3, 2, 2] = np.nan
    found = ar.compile(page_of(6), MODEL)(A, b)
    assert np.isnan(found[3]).any() and np.isfinite(np.delete(found, 3, 0)).all()
