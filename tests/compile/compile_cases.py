"""Figures, batch shapes, and how results are compared: shared by the tests of compiled code."""

import functools

import numpy as np

import arthron as ar

KINDS = ("revolute", "prismatic", "planar", "spherical", "free")
FIGURES = {
    "chain": ar.random_tree(3, rng=1),
    "tree of all joints": ar.random_tree(6, 2.0, joints=KINDS, rng=6),
    "one free body": ar.random_tree(1, joints=("free",), rng=2),
    "ball and plane": ar.random_tree(2, joints=("spherical", "planar"), rng=1),
}
DTYPES = (np.float64, np.float32)
BATCHES = [(), (1,), (3, 1, 2), (7,), (8,), (9,), (15,), (16,), (17,), (1000,)]
EMPTY = [(0,), (2, 0), (0, 3)]
TOLERANCE = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-4}
POSITIONS = ("q", "q0", "q1", "near")


@functools.cache
def random_input(model, name, shape, batch):
    """Values of one input: poses for q, numbers around one for the others."""
    rng = np.random.default_rng([*name.encode()])
    if name in POSITIONS:
        rows = [model.random(rng) for _ in range(int(np.prod(batch)))]
        return np.reshape(rows, (*batch, model.nq))
    if name == "poses":  # turned as joints can, and shifted, so that they miss something
        T = ar.evaluate(ar.algorithms.poses, model, random_input(model, "q", (model.nq,), batch))
        T[..., :3, 3] += rng.normal(size=(*batch, model.nb, 3))
        return T
    if name.endswith("_terms"):  # stiffnesses and dampings are not negative
        roots = rng.normal(size=(*batch, *shape))
        return roots @ roots.swapaxes(-1, -2) if len(shape) > 1 else roots**2
    if name == "weights":  # nor are those of least squares
        return rng.uniform(0.2, 2.0, size=(*batch, *shape))
    return rng.normal(size=(*batch, *shape))


def random_inputs(model, shapes, batch, dtype=np.float64):
    """Fresh arrays for inputs of the given shapes."""
    return {n: random_input(model, n, s, batch).astype(dtype) for n, s in shapes.items()}


def assert_close(got, expected, axes, tolerance=None):
    """Equal, relative to the largest entry of each row; a row is the last `axes` axes.

    Rows that happen to be small are measured like the one in the middle, and results that are
    nothing but rounding beside inputs of size one.
    """
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape
    tolerance = TOLERANCE[got.dtype] if tolerance is None else tolerance
    rows = tuple(range(got.ndim - axes, got.ndim))
    size = np.max(np.abs(expected), axis=rows, keepdims=True, initial=0.0)
    error = np.abs(got - expected) / np.maximum(
        size, max(1e-3, np.median(size) if size.size else 1.0)
    )
    assert np.all(error <= tolerance), f"relative error {np.max(error):.1e} of {tolerance:.0e}"
