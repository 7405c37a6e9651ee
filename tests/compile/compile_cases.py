"""Figures, batch shapes, and how results are compared: shared by the tests of compiled code."""

import numpy as np

import arthron as ar

KINDS = ("revolute", "prismatic", "planar", "spherical", "free")
FIGURES = {
    "chain": ar.random_tree(3, rng=1),
    "tree of all joints": ar.random_tree(6, 2.0, joints=KINDS, rng=6),
    "one free body": ar.random_tree(1, joints=("free",), rng=2),
}
DTYPES = (np.float64, np.float32)
BATCHES = [(), (1,), (3, 1, 2), (7,), (8,), (9,), (15,), (16,), (17,), (1000,)]
EMPTY = [(0,), (2, 0), (0, 3)]
TOLERANCE = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-4}
POSITIONS = ("q", "q0", "q1")


def random_input(model, name, shape, batch, dtype=np.float64, seed=0):
    """Values of one input: poses for q, numbers around one for the others."""
    rng = np.random.default_rng([seed, *name.encode()])
    if name in POSITIONS:
        n = int(np.prod(batch))
        rows = [model.random(rng) for _ in range(n)]
        return np.reshape(rows, (*batch, model.nq)).astype(dtype)
    return rng.normal(size=(*batch, *shape)).astype(dtype)


def random_inputs(model, shapes, batch, dtype=np.float64, seed=0):
    return {n: random_input(model, n, s, batch, dtype, seed) for n, s in shapes.items()}


def assert_close(got, expected, axes, tolerance=None):
    """Equal, relative to the largest entry of each row; a row is the last `axes` axes."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape
    tolerance = TOLERANCE[got.dtype] if tolerance is None else tolerance
    rows = tuple(range(got.ndim - axes, got.ndim))
    size = np.max(np.abs(expected), axis=rows, keepdims=True, initial=0.0)
    error = np.abs(got - expected) / (1e-3 + size)
    assert np.all(error <= tolerance), f"relative error {np.max(error):.1e} of {tolerance:.0e}"
