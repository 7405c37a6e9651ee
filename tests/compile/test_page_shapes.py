"""Pages with inputs and results of every shape and structure."""

import functools

import numpy as np
import pytest

import arthron as ar
from arthron.spatial import Force, Mat3, Motion, Transform, Vec3

MODEL = ar.random_tree(3, 2.0)
Q = np.array([0.1, -0.4, 0.7])
SHAPES = {"k": (), "p": (3,), "A": (2, 3), "B": (2, 1, 2)}
GIVEN = {"k": 1.5, "p": np.arange(3.0), "A": np.arange(6.0).reshape(2, 3) - 2,
         "B": np.arange(4.0).reshape(2, 1, 2)}  # fmt: skip


def only_k(tree, k):
    return k * k


def k_last(tree, q, k):
    return [x * k for (x,) in q[1:]]


def k_first(tree, k, q):
    return [x * k for (x,) in q[1:]]


def vector(tree, p, q):
    return [p[0] + p[1] * q[1][0], p[2]]


def matrix(tree, A):
    (a, b, c), (d, e, f) = A
    return [[a * d, b * e], [c * f, a]]


def deep(tree, B, k):
    return [[[x * k for x in row] for row in block] for block in B]


def everything(tree, q, k, p, A, B):
    total = k + p[0] * p[1] + q[2][0]
    for row in A:
        for x in row:
            total = total + x * x
    return {"total": total, "B": B, "twice": [2.0 * p[2], 2.0 * k]}


def no_inputs(tree):
    return [1.0, tree.I[1].m]


PAGES = [only_k, k_last, k_first, vector, matrix, deep, everything]


def given_for(page, batch, dtype):
    rng = np.random.default_rng(2)
    names = page.__code__.co_varnames[1 : page.__code__.co_argcount]
    shapes = {"q": (3,), **SHAPES}
    return {n: rng.normal(size=(*batch, *shapes[n])).astype(dtype) for n in names}


def assert_same(got, expected, tolerance=1e-14):
    if isinstance(expected, dict):
        assert list(got) == list(expected)
        for name in expected:
            assert_same(got[name], expected[name], tolerance)
    elif isinstance(expected, tuple):
        assert type(got) is tuple
        assert len(got) == len(expected)
        for a, b in zip(got, expected, strict=True):
            assert_same(a, b, tolerance)
    else:
        assert got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("batch", [(), (1,), (9,), (2, 3), (0,)], ids=str)
@pytest.mark.parametrize("page", PAGES)
def test_inputs_of_declared_shapes(page, batch, dtype):
    given = given_for(page, batch, dtype)
    function = ar.compile(page, MODEL, shapes=SHAPES)
    expected = ar.evaluate(page, MODEL, shapes=SHAPES, **given)
    tolerance = 1e-14 if dtype == np.float64 else 1e-6
    for _ in range(2):  # the general way in, then the fast one
        assert_same(function(*given.values()), expected, tolerance)
        assert_same(function(**given), expected, tolerance)


def test_a_page_without_inputs():
    function = ar.compile(no_inputs, MODEL)
    for _ in range(2):
        assert_same(function(), np.array([1.0, MODEL.tree.I[1].m]))


def test_python_numbers_and_lists_serve_as_inputs():
    function = ar.compile(everything, MODEL, shapes=SHAPES)
    listed = {n: np.asarray(x).tolist() for n, x in GIVEN.items()}
    assert_same(function(Q.tolist(), **listed),
                ar.evaluate(everything, MODEL, Q, shapes=SHAPES, **GIVEN))  # fmt: skip


RESULTS = {
    "scalar": (lambda x: x * 2.0, ()),
    "number": (lambda x: 3, ()),
    "vector": (lambda x: Vec3(x, 1.0, 2.0), (3,)),
    "list of scalars": (lambda x: [x, 1.0], (2,)),
    "matrix": (lambda x: Mat3.diagonal(x, 1.0, 2.0), (3, 3)),
    "motion": (lambda x: Motion(Vec3(x)), (6,)),
    "force": (lambda x: Force(lin=Vec3(x)), (6,)),
    "transform": (lambda x: Transform(r=Vec3(x)), (4, 4)),
    "list": (lambda x: [x, x, 1.0, x], (4,)),
    "table": (lambda x: [[x, 1.0]] * 20, (20, 2)),
    "empty": (lambda x: [], (0,)),
    "empty rows": (lambda x: [[], []], (2, 0)),
    "constant table": (lambda x: [[0.0, 1.0, 2.0]] * 9, (9, 3)),
    "pair": (lambda x: ([x, 2.0], Vec3(x)), ((2,), (3,))),
    "one of a pair": (lambda x: ([x, 2.0],), ((2,),)),
    "mixed pair": (lambda x: (x, [x]), ((), (1,))),
    "dict": (lambda x: {"a": x, "b": [x, 1.0]}, {"a": (), "b": (2,)}),
    "dict of one": (lambda x: {"a": [x]}, {"a": (1,)}),
}


def shapes_of(results):
    if isinstance(results, dict):
        return {n: r.shape for n, r in results.items()}
    return tuple(r.shape for r in results) if isinstance(results, tuple) else results.shape


def with_batch(shape, batch):
    if isinstance(shape, dict):
        return {n: (*batch, *s) for n, s in shape.items()}
    nested = shape and isinstance(shape[0], tuple)
    return tuple((*batch, *s) for s in shape) if nested else (*batch, *shape)


@pytest.mark.parametrize("batch", [(), (3,), (2, 2)], ids=str)
@pytest.mark.parametrize("name", RESULTS)
def test_results_and_out_of_every_structure(name, batch):
    make, shape = RESULTS[name]

    def page(tree, q):
        return make(q[1][0])

    q = np.random.default_rng(0).normal(size=(*batch, 3))
    function = ar.compile(page, MODEL)
    got = function(q)
    assert shapes_of(got) == with_batch(shape, batch)
    assert_same(got, ar.evaluate(page, MODEL, q))
    out = {n: np.full_like(r, np.nan) for n, r in got.items()} if isinstance(got, dict) else (
        tuple(np.full_like(r, np.nan) for r in got) if isinstance(got, tuple)
        else np.full_like(got, np.nan))  # fmt: skip
    again = function(q, out=out)
    assert_same(again, got)
    arrays = (again, out) if not isinstance(got, tuple | dict) else None
    if arrays:
        assert again is out
    else:
        kept = list(out.values()) if isinstance(out, dict) else list(out)
        back = list(again.values()) if isinstance(again, dict) else list(again)
        assert all(a is b for a, b in zip(kept, back, strict=True))


def test_out_of_the_wrong_structure_says_which_is_right():
    pair = ar.compile(lambda tree, q: ([q[1][0]], [q[2][0]]), MODEL)
    with pytest.raises(ar.ShapeError, match="a tuple of 2 arrays"):
        pair(Q, out=np.empty(1))
    named = ar.compile(lambda tree, q: {"a": [q[1][0]], "b": [q[2][0]]}, MODEL)
    with pytest.raises(ar.ShapeError, match="keys a, b"):
        named(Q, out={"a": np.empty(1)})


def test_one_result_may_share_memory_with_an_input_among_several():
    function = ar.compile(lambda tree, q: (q, [q[1][0] * 2.0]), MODEL)
    q, double = np.stack([Q] * 9), np.empty((9, 1))
    expected = 2.0 * q[:, :1].copy()
    flipped = ar.compile(lambda tree, q: ([q[3][0], q[2][0], q[1][0]], [q[1][0] * 2.0]), MODEL)
    assert function(q, out=(q, double))[0] is q
    flipped(q, out=(q, double))
    np.testing.assert_array_equal(q, np.stack([Q[::-1]] * 9))
    np.testing.assert_array_equal(double, expected)


def scaled(tree, q, *, factor, label):
    return [factor * q[1][0]]


def test_a_partial_is_a_page():
    for factor, label in ((2.0, "plain"), (3.0, 'with "quotes" and \\'), (4.0, "ἄρθρον\n")):
        page = functools.partial(scaled, factor=factor, label=label)
        np.testing.assert_array_equal(ar.compile(page, MODEL)(Q), [factor * Q[0]])
        np.testing.assert_array_equal(ar.evaluate(page, MODEL, Q), [factor * Q[0]])


def test_a_page_may_use_the_derivative_of_another():
    def slope(tree, q, qd):
        return ar.jacobian(ar.algorithms.kinetic_energy, "qd")(tree, q, qd)

    expected = ar.evaluate(ar.jacobian(ar.algorithms.kinetic_energy, "qd"), MODEL, Q, Q)
    np.testing.assert_allclose(ar.compile(slope, MODEL)(Q, Q), expected, rtol=1e-13)


def test_derivatives_by_inputs_of_any_shape():
    for wrt, shape in {"k": (), "A": (2, 3), "B": (2, 1, 2), "q": (3,)}.items():
        page = ar.jacobian(everything, wrt)
        got = ar.compile(page, MODEL, shapes=SHAPES)(Q, **GIVEN)
        assert shapes_of(got) == {"total": shape, "B": (2, 1, 2, *shape), "twice": (2, *shape)}
        assert_same(got, ar.evaluate(page, MODEL, Q, shapes=SHAPES, **GIVEN))
    by_A = ar.compile(ar.jacobian(everything, "A"), MODEL, shapes=SHAPES)(Q, **GIVEN)
    np.testing.assert_allclose(by_A["total"], 2 * GIVEN["A"])


def test_a_figure_that_cannot_move():
    model = ar.Model([ar.Body("rock", ar.Fixed(), inertia=ar.Inertia(1.0))])
    for batch in [(), (4,)]:
        q = np.zeros((*batch, 0))
        assert model.inverse_dynamics(q, q, q).shape == (*batch, 0)
        assert model.mass_matrix(q).shape == (*batch, 0, 0)
        np.testing.assert_array_equal(model.kinetic_energy(q, q), np.zeros(batch))
