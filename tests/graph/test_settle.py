"""Loops that look for a choice: found pass by pass, with derivatives of what follows from it."""

import numpy as np

import arthron as ar
from arthron._graph.settle import settle
from arthron._spatial.linear_algebra import pivoted

MODEL, N = ar.random_tree(1), 4
A = [[2.0 if i == j else -0.9 / (1 + abs(i - j)) for j in range(N)] for i in range(N)]


@ar.takes(b=(N,), low=())
def clipped(tree, b, low):
    """x with A x = b + f, x >= low, f >= 0 and zero where x > low."""

    def body(held):
        rows = [[ar.where(h, float(i == j), A[i][j]) for j in range(N)] for i, h in enumerate(held)]
        x = pivoted(rows, [ar.where(h, low, y) for h, y in zip(held, b, strict=True)])
        f = [sum(a * y for a, y in zip(A[i], x, strict=True)) - b[i] for i in range(N)]
        now = [ar.where(h, ar.where(g < 0.0, 0.0, 1.0), ar.where(y < low, 1.0, 0.0))
               for h, g, y in zip(held, f, x, strict=True)]  # fmt: skip
        same = sum(ar.where(h == g, 0.0, 1.0) for h, g in zip(held, now, strict=True)) == 0.0
        return x, now, same

    return settle(body, [1.0, 0.0, 0.0, 1.0], [0.0] * N, 20, name="clip")


def test_each_lane_ends_with_its_own_choice():
    rng = np.random.default_rng(2)
    b, low = rng.normal(size=(37, N)), rng.normal(size=37) - 0.5
    found = ar.compile(clipped, MODEL)(b, low)
    f = found @ np.array(A).T - b
    room = found - low[:, None]
    assert min(f.min(), room.min()) > -1e-12 and np.abs(f * room).max() < 1e-12
    assert len({tuple(x) for x in f > 1e-9}) > 6
    for k in (0, 20):
        np.testing.assert_allclose(ar.compile(clipped, MODEL)(b[k], low[k]), found[k], atol=1e-13)
        np.testing.assert_allclose(ar.evaluate(clipped, MODEL, b[k], low[k]), found[k], atol=1e-13)


def test_derivatives_are_those_of_the_last_pass():
    given = np.array([1.0, -2.0, 0.5, -1.5]), np.array(-0.3)
    page = ar.compile(clipped, MODEL)
    free = page(*given) > given[1] + 1e-9
    assert 0 < free.sum() < N
    along = np.stack([(page(given[0] + e, given[1]) - page(given[0] - e, given[1])) / 2e-6
                      for e in 1e-6 * np.eye(N)], -1)  # fmt: skip
    by_low = (page(given[0], given[1] + 1e-6) - page(given[0], given[1] - 1e-6)) / 2e-6
    np.testing.assert_allclose(ar.compile(ar.jacobian(clipped, "b"), MODEL)(*given), along,
                               atol=1e-8)  # fmt: skip
    np.testing.assert_allclose(ar.compile(ar.jacobian(clipped, "low"), MODEL)(*given), by_low,
                               atol=1e-8)  # fmt: skip
    weights = np.arange(1.0, N + 1.0)
    np.testing.assert_allclose(ar.compile(ar.vjp(clipped, "b"), MODEL)(*given, weights)[0],
                               weights @ along, atol=1e-8)  # fmt: skip
