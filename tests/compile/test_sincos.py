"""Sine and cosine of native code against mpmath, in units of the last place."""

import math

import mpmath as mp
import numpy as np
import pytest

import arthron as ar

LIMIT = 1.55
MODEL = ar.random_tree(1)


def sine_cosine(tree, q):
    return [ar.sin(q[1][0]), ar.cos(q[1][0])]


native = ar.compile(sine_cosine, MODEL)


def batched(x):
    return native(x[:, None])


def one_by_one(x):
    return np.array([native(row) for row in x[:, None]])


def neighbours(x):
    dtype = x.dtype.type
    return np.concatenate([x, np.nextafter(x, dtype(0)), np.nextafter(x, dtype(np.inf))])


def samples(dtype):
    rng = np.random.default_rng(0)
    return {
        "small": rng.uniform(-4, 4, 1500),
        "any size": np.exp(rng.uniform(-50, math.log(1e6), 800)) * rng.choice([-1, 1], 800),
        "to a million": rng.uniform(-1e6, 1e6, 1500),
        "near multiples of pi/2": neighbours(
            (np.concatenate([np.arange(100), rng.integers(100, 636_000, 200)]) * (math.pi / 2))
            .astype(dtype)
        ),
        "worst known": np.array([743.111893750305, 528051.5848433338, 893004.5, 684.61536,
                                 -3.6627588, -1.3200297]),
    }  # fmt: skip


def worst_ulp(function, x):
    """Largest error of the sine and the cosine of x, in units of their last place."""
    worst = []
    got = function(x)
    digits = 40 + max(0, math.ceil(math.log10(max(1.0, np.abs(x).max()))))
    with mp.workdps(digits):
        for column, exact in enumerate((mp.sin, mp.cos)):
            true = [exact(mp.mpf(float(v))) for v in x]
            unit = np.spacing(np.abs(np.array([float(t) for t in true])).astype(x.dtype))
            errors = [abs(mp.mpf(float(g)) - t) / mp.mpf(float(u))
                      for g, t, u in zip(got[:, column], true, unit, strict=True)]  # fmt: skip
            worst.append(float(max(errors)))
    return max(worst)


@pytest.mark.parametrize("function", [batched, one_by_one])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", samples(np.float64))
def test_up_to_a_million(name, dtype, function):
    assert worst_ulp(function, samples(dtype)[name].astype(dtype)) <= LIMIT


@pytest.mark.parametrize("function", [batched, one_by_one])
@pytest.mark.parametrize(("dtype", "most"), [(np.float64, 1e300), (np.float32, 3e38)])
def test_beyond_a_million(dtype, most, function):
    rng = np.random.default_rng(1)
    x = np.exp(rng.uniform(math.log(1e6), math.log(most), 200)).astype(dtype)
    edge = np.array([2.0**30], dtype)  # where another way of reducing takes over
    nearest = (
        [6381956970095103.0 * 2.0**797] if dtype is np.float64 else []
    )  # to a multiple of pi/2
    assert (
        worst_ulp(function, np.concatenate([x, neighbours(edge), nearest]).astype(dtype)) <= LIMIT
    )


@pytest.mark.parametrize("function", [batched, one_by_one])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_edges(dtype, function):
    tiny = np.finfo(dtype).smallest_subnormal
    x = np.array([np.nan, np.inf, -np.inf, 0.0, tiny, -tiny, 1e-30], dtype)
    expected = np.stack([np.array([np.nan, np.nan, np.nan, *x[3:]]), [np.nan] * 3 + [1.0] * 4], -1)
    np.testing.assert_array_equal(function(x), expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sine_is_odd_and_cosine_even_to_the_last_bit(dtype):
    x = samples(dtype)["to a million"].astype(dtype)
    there, back = batched(x), batched(-x)
    np.testing.assert_array_equal(there, back * np.array([-1, 1], dtype))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e30])
def test_neighbours_in_the_batch_do_not_matter(dtype, bad):
    x = samples(dtype)["to a million"].astype(dtype)
    mixed = x.copy()
    mixed[::8] = bad
    rest = np.arange(len(x)) % 8 != 0
    np.testing.assert_array_equal(batched(mixed)[rest], batched(x)[rest])
