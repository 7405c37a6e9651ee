"""Pages with several results: tuples and dicts of arrays, new ones or those given as `out=`."""

import pickle
import sys
import tracemalloc

import numpy as np
import pytest
from compile_cases import FIGURES, assert_close, random_inputs

import arthron as ar
from arthron.algorithms import accelerations, crba, kinetic_energy, poses, rnea

MODEL = FIGURES["chain"]
NB, NQ, NV = MODEL.nb, MODEL.nq, MODEL.nv
SHAPES = {"q": (NQ,), "qd": (NV,)}
BATCHES = [(), (1,), (5,), (9,), (2, 3), (0,)]
RESULTS = [(NV, NV), (), (NB, 4, 4), (NV,)]
"""Shapes of the results of the page below."""


def several(tree, q, qd):
    """A matrix, a scalar, poses, a vector."""
    still = ar.algorithms.gravity_forces(tree, q)
    return crba(tree, q), kinetic_energy(tree, q, qd), poses(tree, q), still


def named(tree, q, qd):
    """The same by name."""
    M, energy, T, g = several(tree, q, qd)
    return {"M": M, "energy": energy, "body poses": T, "größe": g}


def alone(tree, q):
    """One result, in a tuple none the less."""
    return (crba(tree, q),)


tuples, dicts = ar.compile(several, MODEL), ar.compile(named, MODEL)


def state(*batch, dtype=np.float64):
    return tuple(random_inputs(MODEL, SHAPES, batch, dtype).values())


def empties(batch, dtype=np.float64):
    return tuple(np.full((*batch, *shape), np.nan, dtype) for shape in RESULTS)


def assert_right(found, given, batch):
    expected = ar.evaluate(several, MODEL, *(np.asarray(x, float) for x in given))
    for one, other, shape in zip(found, expected, RESULTS, strict=True):
        assert type(one) is np.ndarray
        assert one.shape == (*batch, *shape)
        assert_close(one, other, len(shape))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", [3, 16, 17, 39, 64, 101])
def test_mostly_zero(size, dtype):
    """Some entries, the last among them, in rows that are cleared; nothing beside them."""
    places = {k: k + 1.0 for k in (0, 5, size // 2, size - 1) if k < size}

    def page(tree, q):
        return [q[1][0] * places[k] if k in places else 0.0 for k in range(size)]

    function = ar.compile(page, MODEL)
    for count in (1, 3, 8, 21):
        (q,) = random_inputs(MODEL, {"q": (NQ,)}, (count,), dtype).values()
        around = np.full((count + 2) * size, np.nan, dtype)
        out = around[size:-size].reshape(count, size)
        function(q, out=out)
        expected = ar.evaluate(page, MODEL, np.asarray(q, float))
        np.testing.assert_allclose(out, expected, rtol=1e-6)
        assert np.isnan(around[:size]).all()
        assert np.isnan(around[-size:]).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_results_are_those_of_the_interpreter(batch, dtype):
    given = state(*batch, dtype=dtype)
    for _ in range(2):  # the first call compiles, the second goes straight to native code
        found = tuples(*given)
        assert type(found) is tuple
        assert_right(found, given, batch)
        assert all(x.dtype == dtype for x in found)
        by_name = dicts(*given)
        assert type(by_name) is dict
        assert list(by_name) == ["M", "energy", "body poses", "größe"]
        for one, other in zip(by_name.values(), found, strict=True):
            assert one.dtype == dtype
            assert_close(one, other, 0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_out_is_filled(batch, dtype):
    given = state(*batch, dtype=dtype)
    for _ in range(2):
        out = empties(batch, dtype)
        found = tuples(*given, out=out)
        assert type(found) is tuple
        assert all(one is other for one, other in zip(found, out, strict=True))
        assert_right(out, given, batch)
        by_name = dict(zip(["größe", "energy", "M", "body poses"],
                           (out[3], out[1], out[0], out[2]), strict=True))  # fmt: skip
        for x in out:
            x.fill(np.nan)
        found = dicts(*given, out=by_name)
        assert all(found[key] is array for key, array in by_name.items())
        assert_right(out, given, batch)


@pytest.mark.parametrize("batch", [(), (9,), (2, 3)], ids=str)
def test_what_is_given_is_what_comes_back(batch):
    """As for one array, whatever way the call takes."""
    given = state(*batch)
    out = empties(batch)
    tuples(*given, out=out)
    assert tuples(*given, out=out) is out
    as_lists = [x.tolist() for x in given]
    assert tuples(*as_lists, out=out) is out
    by_name = dict(zip(["M", "energy", "body poses", "größe"], out, strict=True))
    assert dicts(*given, out=by_name) is by_name


def test_new_arrays_for_each_call():
    given = state(5)
    first, second = tuples(*given), tuples(*given)
    for one, other in zip(first, second, strict=True):
        assert one.base is None
        assert not np.shares_memory(one, other)
    for x in first:
        x.fill(0.0)
    assert_right(second, given, (5,))


@pytest.mark.parametrize("batch", [(), (5,)], ids=str)
def test_one_result_in_a_tuple(batch):
    function, (q, _) = ar.compile(alone, MODEL), state(*batch)
    out = (np.empty((*batch, NV, NV)),)
    for _ in range(2):
        (M,) = function(q)
        assert_close(M, ar.evaluate(crba, MODEL, q), 2)
        assert function(q, out=out)[0] is out[0]
        assert np.array_equal(out[0], M)


@pytest.mark.parametrize("batch", [(), (5,)], ids=str)
def test_out_may_lie_anywhere(batch):
    """A list of them, with gaps, turned round, on an input: slower, and right."""
    given = state(*batch)
    tuples(*given)
    lists = list(empties(batch))
    tuples(*given, out=lists)
    assert_right(lists, given, batch)
    wide = tuple(np.zeros((*x.shape, 2))[..., 1] for x in empties(batch))
    turned = tuple(np.full(x.shape[::-1], np.nan).T for x in empties(batch))
    for out in (wide, turned):
        tuples(*given, out=out)
        assert_right(out, given, batch)
    q, qd = (x.copy() for x in given)
    out = (*empties(batch)[:3], qd)
    assert tuples(q, qd, out=out)[3] is qd
    assert_right(out, given, batch)


@pytest.mark.parametrize("batch", [(), (5,)], ids=str)
@pytest.mark.parametrize("case", ["the same twice", "one inside the other", "end in start"])
def test_results_that_lie_on_each_other_are_refused(batch, case):
    """There is no right answer: one would overwrite the other."""

    def pair(tree, q):
        return q[1][0] * 2.0, [q[1][0], q[2][0], q[3][0]]

    function, (q, _) = ar.compile(pair, MODEL), state(*batch)
    function(q)
    both = np.zeros((*batch, 4))
    out = {
        "the same twice": (both[..., 0], both[..., :3]),
        "one inside the other": (both[..., 1], both[..., :3]),
        "end in start": (both[..., 2], both[..., 1:]),
    }[case]
    with pytest.raises(ar.ShapeError, match="overlap"):
        function(q, out=out)


def test_neighbours_do_not_overlap():
    """Views of one array, side by side."""

    def pair(tree, q):
        return [q[1][0], q[2][0]], [q[3][0], q[1][0]]

    function, (q, _) = ar.compile(pair, MODEL), state(4)
    both = np.zeros((8, 2))
    for _ in range(2):
        function(q, out=(both[:4], both[4:]))
        assert np.array_equal(both, np.concatenate([q[:, :2], q[:, [2, 0]]]))
    columns = np.zeros((4, 4))
    function(q, out=(columns[:, :2], columns[:, 2:]))
    assert np.array_equal(columns, q[:, [0, 1, 2, 0]])


def frozen(x):
    x = x.copy()
    x.flags.writeable = False
    return x


WRONG = {
    "too few": (lambda out: out[:3], ["`out`", "4 arrays"]),
    "too many": (lambda out: (*out, out[0]), ["`out`", "4 arrays"]),
    "an array": (lambda out: out[0], ["`out` is a ndarray", "a tuple of 4 arrays"]),
    "a number": (lambda out: 3.0, ["`out` is a float", "a tuple of 4 arrays"]),
    "an object": (lambda out: object(), ["`out` is a object", "a tuple of 4 arrays"]),
    "a dict": (lambda out: dict(enumerate(out)), ["`out` is a dict", "a tuple of 4 arrays"]),
    "nothing in it": (lambda out: (None, *out[1:]), ["NoneType", "array of shape"]),
    "a list in it": (lambda out: (*out[:3], [0.0]), ["list", "array of shape"]),
    "wrong shape": (lambda out: (*out[:3], out[3][..., :-1]), ["`out` has shape", "np.empty"]),
    "wrong dtype": (lambda out: (*out[:3], out[3].astype("f4")), ["float32", "of float64"]),
    "read-only": (lambda out: (*out[:3], frozen(out[3])), ["read-only"]),
    "swapped": (lambda out: (out[1], out[0], *out[2:]), ["`out` has shape"]),
}  # fmt: skip


@pytest.mark.parametrize("batch", [(), (5,)], ids=str)
@pytest.mark.parametrize("case", WRONG)
def test_wrong_out(case, batch):
    change, fragments = WRONG[case]
    given = state(*batch)
    tuples(*given)
    with pytest.raises(ar.ShapeError) as caught:
        tuples(*given, out=change(empties(batch)))
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_wrong_dict():
    given = state()
    arrays = dict(zip(["M", "energy", "body poses", "größe"], empties(()), strict=True))
    missing = {key: arrays[key] for key in ("M", "energy")}
    for out in (missing, {**arrays, "more": arrays["M"]}, tuple(arrays.values())):
        with pytest.raises(ar.ShapeError, match="keys M, energy, body poses, größe"):
            dicts(*given, out=out)


@pytest.mark.parametrize("batch", [(), (9,)], ids=str)
def test_nothing_is_kept_alive(batch):
    """One reference to each array of a result; none more to what came in, over many calls."""
    given = state(*batch)
    out = empties(batch)
    for function in (tuples, dicts):
        found = function(*given)
        keys = range(4) if isinstance(found, tuple) else list(found)
        kept = (np.empty(3),)
        once = sys.getrefcount(kept[0])
        assert {sys.getrefcount(found[key]) for key in keys} == {once}
    watched = (*given, *out, out, None, np.dtype(float), *dicts(*given), "out")
    before = [sys.getrefcount(x) for x in watched]
    for _ in range(20_000):
        tuples(*given)
        tuples(*given, out=out)
        dicts(*given)
    after = [sys.getrefcount(x) for x in watched]
    assert max(abs(a - b) for a, b in zip(after, before, strict=True)) < 20


def test_memory_does_not_grow():
    single, batch = state(), state(9)
    tuples(*single), tuples(*batch), dicts(*single), dicts(*batch)
    tracemalloc.start()
    try:
        for _ in range(50):
            tuples(*single), dicts(*batch)
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(25_000):
            tuples(*single), tuples(*batch), dicts(*single), dicts(*batch)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 20_000


def test_errors_leave_nothing_behind():
    given, out = state(), empties(())
    before = [sys.getrefcount(x) for x in out]
    for _ in range(200):
        with pytest.raises(ar.ShapeError):
            tuples(*given, out=(*out[:3], None))
    assert max(abs(sys.getrefcount(x) - n) for x, n in zip(out, before, strict=True)) < 5


def test_code_from_disk_hands_back_the_same():
    """A second function of the same page takes its code from the cache, structure and all."""
    given = state(5)
    for page, first in ((several, tuples), (named, dicts)):
        again = ar.compile(page, MODEL)(*given)
        expected = first(*given)
        assert type(again) is type(expected)
        if isinstance(again, dict):
            assert list(again) == list(expected)
            again, expected = again.values(), expected.values()
        assert all(np.array_equal(a, b) for a, b in zip(again, expected, strict=True))


def test_methods_travel():
    method = MODEL.inverse_dynamics_derivatives
    given = (*state(3), state(3)[1])
    expected = method(*given)
    found = pickle.loads(pickle.dumps(method))(*given)
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_optional_inputs_and_out_together():
    """With external forces or without: two kernels, each with its own results."""
    q, qd = state(5)
    f_ext = np.random.default_rng(1).normal(size=(5, NB, 6))
    method = MODEL.inverse_dynamics_derivatives
    page = ar.algorithms.inverse_dynamics_derivatives
    out = tuple(np.empty((5, NV, NV)) for _ in range(2))
    for _ in range(2):
        for more in ((), (f_ext,), (None,)):
            expected = ar.evaluate(page, MODEL, q, qd, qd, *more)
            found = method(q, qd, qd, *more, out=out)
            for one, other, given in zip(found, expected, out, strict=True):
                assert one is given
                assert_close(one, other, 2)


def test_large_batches():
    """More rows than native code takes by itself: threads, and several results."""
    rows = 60_000
    q, qd = (np.resize(x, (rows, x.shape[-1])) for x in state(1000))
    page_ops = tuples.op_count
    assert rows * page_ops > 20_000_000
    found = tuples(q, qd)
    expected = tuples(q[:1000], qd[:1000])
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one[:1000], other)
        assert np.array_equal(one[-1000:], np.concatenate([other, other])[rows % 1000 :][:1000])


def test_many_results():
    """As many arrays as bodies and more."""

    def forces(tree, q, qd):
        none = [ar.spatial.Force() for _ in tree.parent]
        tau = rnea(tree, q, qd, qd, none)
        a = accelerations(tree, q, qd, qd)
        return tuple(tau[i][0] for i in tree.bodies) + tuple(a[i] for i in tree.bodies)

    given = state(9)
    found = ar.compile(forces, MODEL)(*given)
    expected = ar.evaluate(forces, MODEL, *given)
    assert len(found) == 2 * NB
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other, other.ndim - 1)
