"""Equations by blocks in loops, against NumPy: alone, in batches, in islands."""

import numpy as np
import pytest

import arthron as ar
from arthron._graph.block_elimination import solved_by_blocks


def page_of(n):
    @ar.takes(A=(n, n), b=(n,))
    def page(tree, A, b):
        return solved_by_blocks(A, list(b))

    return ar.compile(page, ar.random_tree(1))


@pytest.mark.parametrize("n", [1, 6, 20])
def test_solutions_are_those_of_numpy(n):
    rng = np.random.default_rng(n)
    B = rng.normal(size=(9, n, n))
    A, b = B @ B.swapaxes(1, 2) + np.eye(n), rng.normal(size=(9, n))
    A += 0.3 * rng.normal(size=A.shape)  # as of what slides
    far = rng.random((9, n)) < 0.5  # islands that differ from row to row of the batch
    A[far[:, :, None] != far[:, None, :]] = 0.0
    solve = page_of(n)
    wanted = np.linalg.solve(A, b[..., None])[..., 0]
    np.testing.assert_allclose(solve(A, b), wanted, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(solve(A[4], b[4]), wanted[4], rtol=1e-9, atol=1e-12)
