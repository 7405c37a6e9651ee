"""Loops in pages: Kepler's equation against NumPy, branches, arrays, and implicit steps."""

import time

import numpy as np

import arthron as ar
from arthron._compile.run import batch

ROWS = 1_000_000


@ar.takes(M=(), e=())
def kepler(tree, M, e):
    """Eccentric anomaly, by Newton's method."""

    def step(E):
        change = (E - e * ar.sin(E) - M) / (1.0 - e * ar.cos(E))
        E = E - change
        return E, abs(change) <= 8.0 * ar.epsilon(E) * ar.maximum(1.0, abs(E))

    return ar.iterate(step, M, 30).values


def kepler_numpy(M, e):
    """The same on whole arrays."""
    E = M.copy()
    for _ in range(30):
        change = (E - e * np.sin(E) - M) / (1.0 - e * np.cos(E))
        E = E - change
        if (np.abs(change) <= 8.0 * 2.0**-52 * np.maximum(1.0, np.abs(E))).all():
            break
    return E


@ar.takes(x=(), y=())
def branch(tree, x, y):
    """Forty sines, where y says so."""

    def work(z):
        for _ in range(40):
            z = ar.sin(z + x) * 1.01 + y
        return z, 1.0

    return ar.iterate(work, x, 1, y > 100.0).values


@ar.takes(x=(), y=())
def nothing(tree, x, y):
    """What reading and writing costs."""
    return x + y


@ar.takes(x=(16,))
def sort(tree, x):
    """Insertion sort."""

    def insert(state):
        k, a = state
        value = a[k]

        def shift(state):
            j, a = state
            done = (j < 1.0) | (a[j - 1.0] <= value)
            return (ar.where(done, j, j - 1.0), a.set(j, ar.where(done, value, a[j - 1.0]))), done

        return (k + 1.0, ar.iterate(shift, (k, a), 16).values[1]), k >= 15.0

    return list(ar.iterate(insert, (1.0, ar.array(x)), 15).values[1])


def backward_euler(tree, q, qd, h):
    """A step of backward Euler on inverse dynamics, Newton inside."""
    start = tree.vector(q)
    before = tree.vector(qd)
    none = [ar.spatial.Force()] * len(tree.parent)

    def residual(x):
        v = [(a - b) / h for a, b in zip(x, start, strict=True)]
        a = [(u - w) / h for u, w in zip(v, before, strict=True)]
        at = tree.positions(x), tree.rates(v), tree.rates(a)
        return [h * h * f for f in tree.vector(ar.algorithms.rnea(tree, *at, none))]

    guess = [a + h * b for a, b in zip(start, before, strict=True)]
    x, steps, fine = ar.root(residual, guess)
    return x, [(a - b) / h for a, b in zip(x, start, strict=True)], [steps, fine]


def best(call, repeats=7):
    least = float("inf")
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - began)
    return least


def main():
    model = ar.random_tree(2, rng=1)
    rng = np.random.default_rng(0)
    M, e = rng.uniform(-3, 3, ROWS), rng.uniform(0, 0.9, ROWS)
    out = np.empty(ROWS)
    native = ar.compile(kepler, model)
    native(M, e, out=out)
    assert np.abs(out - kepler_numpy(M, e)).max() < 1e-14
    threads = batch.cores
    plain = best(lambda: kepler_numpy(M, e), 3)
    for count in (1, threads()):
        batch.cores = lambda count=count: count
        took = best(lambda: native(M, e, out=out))
        print(f"Kepler, {ROWS:,} rows, {count} thread(s): {took * 1e3:.1f} ms, NumPy "
              f"{plain * 1e3:.0f} ms: {plain / took:.1f} times faster")  # fmt: skip
    spoilt = M.copy()
    spoilt[::8] = np.nan
    batch.cores = lambda: 1
    ratio = best(lambda: native(spoilt, e, out=out)) / best(lambda: native(M, e, out=out))
    print(f"Kepler, one row in eight NaN: {ratio:.2f} times the time")
    batch.cores = threads

    rows = 4000
    x, y, out = rng.normal(size=rows), rng.normal(size=rows), np.empty(rows)
    skipped, bare = ar.compile(branch, model), ar.compile(nothing, model)
    skipped(x, y, out=out), bare(x, y, out=out)
    cost = best(lambda: skipped(x, y, out=out), 300) - best(lambda: bare(x, y, out=out), 300)
    y[:] = 200.0
    taken = best(lambda: skipped(x, y, out=out), 100)
    print(f"branch skipped: {cost / rows * 1e9:.2f} ns a row; taken {taken / rows * 1e9:.1f} ns")

    numbers, out = rng.normal(size=(rows, 16)), np.empty((rows, 16))
    sorts = ar.compile(sort, model)
    sorts(numbers, out=out)
    took, plain = best(lambda: sorts(numbers, out=out)), best(lambda: np.sort(numbers))
    print(f"sort of 16: {took / rows * 1e9:.0f} ns a row, NumPy {plain / rows * 1e9:.0f}")

    for name, figure in {"double pendulum": model, "7 joints": ar.random_tree(7, rng=0)}.items():
        step = ar.compile(backward_euler, figure, shapes={"h": ()})
        q, qd = rng.normal(size=(2, 512, figure.nv)) * 0.3
        h = np.full(512, 1e-3)
        *_, info = step(q, qd, h)
        assert (info[:, 1] == 1.0).all()
        one = best(lambda: step(q[0], qd[0], h[0]), 50)  # noqa: B023
        many = best(lambda: step(q, qd, h), 20) / 512  # noqa: B023
        print(f"backward Euler, {name} ({step.op_count} operations, {info[:, 0].max():.0f} passes "
              f"at most): {one * 1e6:.2f} us alone, {many * 1e6:.2f} us a row")  # fmt: skip


if __name__ == "__main__":
    main()
