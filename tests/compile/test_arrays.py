"""What arrays a compiled page takes, and where it puts its results."""

import numpy as np
import pytest
from compile_cases import FIGURES, random_inputs

import arthron as ar

MODEL = FIGURES["tree of all joints"]
NB, NQ, NV = MODEL.nb, MODEL.nq, MODEL.nv
SHAPES = {"q": (NQ,), "qd": (NV,), "tau": (NV,)}
forward = MODEL.forward_dynamics


def state(*batch, dtype=np.float64):
    return tuple(random_inputs(MODEL, SHAPES, batch, dtype).values())


def broken_up(x):
    """The same numbers with gaps between them."""
    wide = np.full((*x.shape[:-1], 2 * x.shape[-1]), np.nan, x.dtype)
    wide[..., ::2] = x
    return wide[..., ::2]


def misaligned(x):
    raw = np.zeros(x.nbytes + 1, np.uint8)
    view = raw[1:].view(x.dtype).reshape(x.shape)
    view[...] = x
    return view


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


LAYOUTS = {
    "strided": broken_up,
    "fortran": np.asfortranarray,
    "reversed": lambda x: x[::-1].copy()[::-1],
    "every second row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "byte-swapped": lambda x: x.astype(x.dtype.newbyteorder()),
    "misaligned": misaligned,
    "read-only": read_only,
    "list": lambda x: x.tolist(),
    "tuple": lambda x: tuple(map(tuple, x.tolist())),
    "matrix": lambda x: x.view(type("Sub", (np.ndarray,), {})),
    "long double": lambda x: x.astype(np.longdouble),
}


@pytest.mark.parametrize("rows", [2, 9])
@pytest.mark.parametrize("name", LAYOUTS)
def test_layout_does_not_matter(name, rows):
    given = state(rows)
    expected = forward(*given)
    got = forward(*(LAYOUTS[name](x) for x in given))
    np.testing.assert_array_equal(got, expected)
    assert type(got) is np.ndarray
    assert got.dtype == np.float64
    for k in range(rows):
        single = forward(*(LAYOUTS[name](x)[k] for x in given))
        np.testing.assert_allclose(single, expected[k], rtol=1e-11, atol=1e-11)


DTYPES = [
    (("f8", "f8", "f8"), "f8"), (("f4", "f4", "f4"), "f4"), (("f4", "f8", "f4"), "f8"),
    (("f4", "i4", "u1"), "f4"), (("i8", "i8", "i8"), "f8"), (("f4", "f4", "f2"), "f8"),
    (("?", "f4", "f4"), "f4"), ((">f4", ">f4", ">f4"), "f4"), ((">f8", "f4", "i2"), "f8"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), DTYPES, ids=str)
@pytest.mark.parametrize("batch", [(), (3,)], ids=str)
def test_single_precision_when_all_floating_inputs_are(batch, given, expected):
    inputs = [np.rint(3 * np.abs(x)).astype(kind)
              for x, kind in zip(state(*batch), given, strict=True)]  # fmt: skip
    inputs[0][...] = 1  # no quaternion is zero
    got = forward(*inputs)
    assert got.dtype == expected
    exact = forward(*(x.astype(np.float64) for x in inputs))
    np.testing.assert_allclose(got, exact, rtol=1e-3, atol=1e-3 * np.abs(exact).max())


LEADS = [
    ((5,), (5,), ()), ((), (5,), ()), ((1,), (5,), (5,)), ((4, 1), (3,), ()),
    ((4, 1), (1, 3), (3,)), ((2, 1, 3), (4, 1), (1, 1, 1)), ((1,), (), ()), ((1, 1), (1,), ()),
    ((0,), (1,), ()), ((3, 0), (), (1, 1)),
]  # fmt: skip


@pytest.mark.parametrize("leads", LEADS, ids=str)
def test_leading_axes_broadcast(leads):
    given = [state(*lead)[k] for k, lead in enumerate(leads)]
    batch = np.broadcast_shapes(*leads)
    tiled = [np.ascontiguousarray(np.broadcast_to(x, (*batch, x.shape[-1]))) for x in given]
    got = forward(*given)
    assert got.shape == (*batch, NV)
    np.testing.assert_array_equal(got, forward(*tiled))


def test_broadcast_views_are_taken_too():
    q, qd, tau = state(1)
    given = [np.broadcast_to(x, (6, x.shape[-1])) for x in (q, qd, tau)]
    np.testing.assert_array_equal(forward(*given), np.repeat(forward(q, qd, tau), 6, axis=0))


@pytest.mark.parametrize("batch", [(), (1,), (9,), (2, 3), (0,)], ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_out_is_filled_and_returned(batch, dtype):
    given = state(*batch, dtype=dtype)
    expected = forward(*given)
    before = [x.copy() for x in given]
    size = (*batch, NV)
    for out in (np.full(size, np.nan, dtype), np.full(size, np.nan, dtype, order="F"),
                broken_up(np.full(size, np.nan, dtype)), misaligned(np.zeros(size, dtype)),
                np.zeros((*batch, NV, 2), dtype)[..., 1]):  # fmt: skip
        assert forward(*given, out=out) is out
        np.testing.assert_array_equal(out, expected)
        assert all(np.array_equal(a, b) for a, b in zip(given, before, strict=True))


def test_out_does_not_write_beside_itself():
    given = state(9)
    room = np.full((11, NV + 2), 7.0)
    inner = room[1:-1, 1:-1]
    assert forward(*given, out=inner) is inner
    np.testing.assert_array_equal(inner, forward(*given))
    inner[...] = 7.0
    assert np.all(room == 7.0)


@pytest.mark.parametrize("batch", [(), (9,), (2, 3)], ids=str)
def test_out_may_lie_on_an_input(batch):
    q, qd, tau = state(*batch)
    expected = forward(q, qd, tau)
    for target in (qd, tau):
        kept = target.copy()
        assert forward(q, qd, tau, out=target) is target
        np.testing.assert_array_equal(target, expected)
        target[...] = kept


def test_out_may_overlap_an_input_in_part():
    q, qd, tau = state(9)
    expected = forward(q, qd, tau)
    memory = np.zeros((12, NV))
    memory[:9] = tau
    out = memory[3:]
    assert forward(q, qd, memory[:9], out=out) is out
    np.testing.assert_array_equal(out, expected)


WRONG_OUT = {
    "shape": np.empty((4, NV)), "flat": np.empty(3 * NV), "integers": np.empty((3, NV), "i8"),
    "single": np.empty((3, NV), "f4"),
    "list": [[0.0] * NV] * 3, "read-only": read_only(np.empty((3, NV))),
    "byte-swapped": np.empty((3, NV), ">f8"), "tuple": (np.empty((3, NV)),),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_OUT)
def test_out_that_does_not_fit_is_refused(name):
    with pytest.raises(ar.ShapeError, match="`out`"):
        forward(*state(3), out=WRONG_OUT[name])


@pytest.mark.parametrize("batch", [(), (9,), (2, 3)], ids=str)
def test_external_forces_by_position_by_name_or_not_at_all(batch):
    q, qd, tau = state(*batch)
    f = np.random.default_rng(5).normal(size=(*batch, NB, 6))
    expected = ar.evaluate(ar.algorithms.aba, MODEL, q, qd, tau, f)
    size = np.abs(expected).max()
    for got in (forward(q, qd, tau, f), forward(q, qd, tau, f_ext=f.tolist()),
                forward(q=q, tau=tau, f_ext=f, qd=qd)):  # fmt: skip
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * size)
    one = f.reshape(-1, NB, 6)[0]
    np.testing.assert_allclose(forward(q, qd, tau, one),
                               ar.evaluate(ar.algorithms.aba, MODEL, q, qd, tau, one),
                               rtol=0, atol=1e-12 * size)  # fmt: skip
    free = forward(q, qd, tau)
    for got in (forward(q, qd, tau, None), forward(q, qd, tau, f_ext=None),
                forward(q, qd, tau, np.zeros_like(f))):  # fmt: skip
        np.testing.assert_allclose(got, free, rtol=0, atol=1e-12 * size)
    assert np.abs(free - expected).max() > 1e-3 * size


def test_results_are_new_arrays_that_belong_to_the_caller():
    given = state(4)
    a, b = forward(*given), forward(*given)
    assert not np.shares_memory(a, b)
    assert a.flags.owndata and a.flags.writeable and a.flags.c_contiguous
    single = forward(*(x[0] for x in given))
    assert single.flags.owndata and single.flags.writeable
