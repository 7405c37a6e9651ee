"""Own functions of native code against mpmath, in units of the last place, and their edges.

`python tests/compile/test_elementary.py 100000` looks at as many random values of each.
"""

import functools
import math
import sys
from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest

import arthron as ar
from arthron._compile.run.cpu import CPU
from arthron._compile.run.native import host

DTYPES = [np.float64, np.float32]
MODEL = ar.random_tree(1)
EXACT = {"exp": mp.exp, "log": mp.log, "tanh": mp.tanh, "atan2": mp.atan2, "pow": mp.power}
LIMIT = {"exp": 2.0, "log": 2.0, "tanh": 2.0, "atan2": 2.0, "pow": 4.0}
ARITY = {"exp": 1, "log": 1, "tanh": 1, "atan2": 2, "pow": 2}


def page_of(name):
    @ar.takes(x=(ARITY[name],))
    def page(tree, x):
        return getattr(ar, name)(*x)

    return page


@functools.cache
def native(name):
    return ar.compile(page_of(name), MODEL)


def batched(name, x):
    return native(name)(x)


def one_by_one(name, x):
    return np.array([native(name)(row) for row in x], x.dtype)


def limits(dtype):
    """Where e^x leaves the numbers: overflow, first subnormal, nothing left."""
    info = np.finfo(dtype)
    return [math.log(float(v)) for v in (info.max, info.tiny, info.smallest_subnormal)]


def any_size(rng, n, dtype, signs=(-1.0, 1.0)):
    """Numbers of every exponent, subnormal ones included."""
    info = np.finfo(dtype)
    low = math.log2(float(info.smallest_subnormal))
    exponents = rng.uniform(low, math.log2(float(info.max)), n)
    return np.exp2(exponents) * rng.choice(signs, n)


def near_one(rng, n, dtype):
    eps = float(np.finfo(dtype).eps)
    return 1.0 + np.exp2(rng.uniform(math.log2(eps), -1.0, n)) * rng.choice([-1, 1], n)


def neighbours(values, dtype):
    x = np.asarray(values, dtype)
    return np.concatenate([x, np.nextafter(x, dtype(-np.inf)), np.nextafter(x, dtype(np.inf))])


def of_exp(rng, n, dtype):
    most, tiny, least = limits(dtype)
    return {
        "small": rng.uniform(-1.0, 1.0, n),
        "everywhere": rng.uniform(least - 1.0, most, n),
        "subnormal results": rng.uniform(least - 1.0, tiny, n),
        "near overflow": most - np.exp(rng.uniform(-20, 2, n)),
        "near the ends": neighbours([most, tiny, least], dtype),
        "tiny": any_size(rng, n, dtype) * 1e-3,
        "between two reductions": neighbours((rng.integers(-90, 90, n // 4) + 0.5)
                                             * math.log(2), dtype),
    }  # fmt: skip


def of_log(rng, n, dtype):
    return {
        "near one": near_one(rng, n, dtype),
        "any size": any_size(rng, n, dtype, [1.0]),
        "subnormal": rng.integers(1, 1 << 20, n) * float(np.finfo(dtype).smallest_subnormal),
        "between two reductions": neighbours(
            np.exp2(rng.integers(-100, 100, n // 4) + 0.5), dtype),
        "the ends": neighbours([1.0, 2.0, 0.5, np.finfo(dtype).tiny], dtype),
    }  # fmt: skip


def of_tanh(rng, n, dtype):
    return {
        "small": rng.uniform(-0.6, 0.6, n),
        "tiny": any_size(rng, n, dtype) * 1e-3,
        "everywhere": rng.uniform(-25.0, 25.0, n),
        "saturating": rng.uniform(8.0, 20.0, n),
        "between two reductions": neighbours((rng.integers(0, 50, n // 4) + 0.5)
                                             * math.log(2) / 2, dtype),
    }  # fmt: skip


def of_atan2(rng, n, dtype):
    angle = rng.uniform(-math.pi, math.pi, n)
    octants = rng.integers(-8, 9, n) * math.pi / 8 + np.exp(rng.uniform(-36, -1, n))
    size = any_size(rng, n, dtype)

    def points(angle, size=1.0):
        return np.stack([size * np.sin(angle), size * np.cos(angle)], -1)

    return {
        "every angle": points(angle),
        "near the borders of octants": points(octants),
        "any size": points(angle, size),
        "any ratio": np.stack([any_size(rng, n, dtype), any_size(rng, n, dtype)], -1),
        "subnormal": rng.integers(-1000, 1000, (n, 2)) * float(np.finfo(dtype).smallest_subnormal),
        "subnormal beside small": np.stack([
            np.ldexp(rng.uniform(-0.5, 0.5, n), np.finfo(dtype).minexp),
            np.exp2(rng.uniform(0.4, 0.65, n) * np.log2(float(np.finfo(dtype).smallest_subnormal))),
        ], -1),
        "tiny quotients": np.stack([any_size(rng, n, dtype) * 1e-6, np.full(n, 1.0)], -1),
    }  # fmt: skip


def of_pow(rng, n, dtype):
    most, tiny, least = limits(dtype)
    x, one = any_size(rng, n, dtype, [1.0]), near_one(rng, n, dtype)
    ends = rng.uniform(least, most, n)
    low = rng.uniform(least - 1.0, tiny, n)
    roots = rng.choice([math.sqrt(0.5), math.sqrt(2.0)], n) * (1.0 + rng.uniform(-0.02, 0.02, n))
    far = rng.choice([tiny, most], n) * rng.uniform(0.9, 0.99, n)
    halves = (np.floor(far / math.log(2)) + rng.uniform(0.4, 0.6, n)) * math.log(2)

    def reaching(x, target):
        return np.stack([x, target / np.log(np.where(x == 1.0, 2.0, x).astype(dtype)
                                            .astype(float))], -1)  # fmt: skip

    return {
        "everyday": np.stack([rng.uniform(0.01, 10.0, n), rng.uniform(-3.0, 3.0, n)], -1),
        "every result": reaching(x, ends),
        "near one, every result": reaching(one, ends),
        "subnormal results": reaching(x, low),
        "near overflow": reaching(rng.uniform(1.5, 100.0, n), most - np.exp(rng.uniform(-9, 1, n))),
        "subnormal bases": reaching(
            rng.integers(1, 1 << 20, n) * float(np.finfo(dtype).smallest_subnormal), ends),
        "negative bases": np.stack([-rng.uniform(0.1, 5.0, n), rng.integers(-30, 30, n)], -1),
        "small exponents": np.stack([x, np.exp(rng.uniform(-60, -1, n))], -1),
        "between two reductions": reaching(roots, halves),
    }  # fmt: skip


SAMPLES = {"exp": of_exp, "log": of_log, "tanh": of_tanh, "atan2": of_atan2, "pow": of_pow}


def samples(name, dtype, n, seed=0):
    """Arguments by the reason they are looked at, one row each, all finite."""
    with np.errstate(all="ignore"):
        found = SAMPLES[name](np.random.default_rng(seed), n, dtype)
        rows = {k: v.reshape(len(v), -1).astype(dtype) for k, v in found.items()}
    return {k: v[np.isfinite(v).all(-1) & defined(name, v)] for k, v in rows.items()}


def defined(name, x):
    if name == "atan2":
        return (x != 0.0).all(-1)  # mpmath has no signed zeros
    return x[:, 0] > 0.0 if name == "log" else np.full(len(x), True)


def true_values(name, x):
    with mp.workdps(50):
        return [EXACT[name](*(mp.mpf(float(v)) for v in row)).real for row in x]


def worst_ulp(got, true):
    """Largest error in units of the last place of what is exact; infinity is the next number."""
    info = np.finfo(got.dtype)
    beyond, largest = mp.mpf(2) ** info.maxexp, np.nextafter(info.max, got.dtype.type(0))
    worst = 0.0
    for g, t in zip(got.tolist(), true, strict=True):
        if math.isnan(g):
            return math.inf
        near = min(max(mp.mpf(g), -beyond), beyond)
        t = min(max(t, -beyond), beyond)
        unit = np.spacing(got.dtype.type(min(abs(t), mp.mpf(float(largest)))))
        worst = max(worst, float(abs(near - t) / mp.mpf(float(unit))))
    return worst


CASES = [(name, case) for name in SAMPLES for case in samples(name, np.float64, 16)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "case"), CASES, ids=" ".join)
def test_units_in_the_last_place(name, case, dtype):
    x = samples(name, dtype, 150)[case]
    assert len(x) > 5
    true = true_values(name, x)
    for function in (batched, one_by_one):
        assert worst_ulp(function(name, x), true) <= LIMIT[name]


class Unfused(CPU):
    """This processor without its fused multiply-add."""

    machine = replace(host(), fma=False)


@pytest.mark.parametrize("name", SAMPLES)
def test_without_fused_instructions(name):
    """In single precision; double precision is tried in Node."""
    function = ar.compile(page_of(name), MODEL)
    function._runner = Unfused()
    for x in samples(name, np.float32, 150).values():
        assert worst_ulp(function(x), true_values(name, x)) <= LIMIT[name]
    assert "@llvm.fma" not in function.ir


INF, NAN = math.inf, math.nan
PI = math.pi
EDGES = {
    "exp": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN), (1e30, INF),
            (-1e30, 0.0)],
    "log": [(1.0, 0.0), (0.0, -INF), (-0.0, -INF), (-1.0, NAN), (INF, INF), (-INF, NAN),
            (NAN, NAN), (-1e-40, NAN)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN), (1e30, 1.0),
             (-30.0, -1.0), (1e-40, 1e-40), (-1e-30, -1e-30)],
    "atan2": [(0.0, 0.0, 0.0), (-0.0, 0.0, -0.0), (0.0, -0.0, PI), (-0.0, -0.0, -PI),
              (0.0, 1.0, 0.0), (-0.0, 1.0, -0.0), (0.0, -1.0, PI), (-0.0, -1.0, -PI),
              (1.0, 0.0, PI / 2), (-1.0, 0.0, -PI / 2), (1.0, -0.0, PI / 2), (1.0, 1.0, PI / 4),
              (INF, INF, PI / 4), (-INF, INF, -PI / 4), (INF, -INF, 3 * PI / 4),
              (-INF, -INF, -3 * PI / 4), (INF, 1.0, PI / 2), (-INF, -1.0, -PI / 2),
              (1.0, INF, 0.0), (-1.0, INF, -0.0), (1.0, -INF, PI), (-1.0, -INF, -PI),
              (0.0, INF, 0.0), (0.0, -INF, PI), (INF, 0.0, PI / 2), (NAN, 1.0, NAN),
              (1.0, NAN, NAN), (NAN, 0.0, NAN), (NAN, INF, NAN), (INF, NAN, NAN),
              (1e-40, -1.0, PI), (1e30, 1e-30, PI / 2)],
}  # fmt: skip
POWERS = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 2.5, -2.5, 1e-40, 1e30, -1e30,
          16777215.0, INF, -INF, NAN]  # fmt: skip


@pytest.mark.parametrize("function", [batched, one_by_one])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", EDGES)
def test_edges(name, dtype, function):
    rows = np.array(EDGES[name], dtype)
    got, expected = function(name, rows[:, :-1]), rows[:, -1]
    np.testing.assert_array_equal(got, expected)
    zero = expected == 0.0
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(expected[zero]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*EDGES, "pow"])
def test_every_kind_of_nan_stays_nan(name, dtype):
    """Whatever stands in its lower bits, and with either sign."""
    whole = np.array([2.0, np.nan, -np.nan], dtype)[1:].view(f"i{dtype().itemsize}")
    payloads = np.array([0, 1, 2, 0xFFF, 0x1FFE, 0x2AAAA, 0x3FFFFF])
    nans = (whole[:, None] | payloads.astype(whole.dtype)).ravel().view(dtype)
    rows = np.stack([nans, np.full_like(nans, 0.5)][: ARITY[name]], -1)
    for function in (batched, one_by_one):
        assert np.isnan(function(name, rows)).all()
        assert np.isnan(function(name, rows[:, ::-1].copy())).all()


@pytest.mark.parametrize("function", [batched, one_by_one])
@pytest.mark.parametrize("dtype", DTYPES)
def test_edges_of_powers(dtype, function):
    """Every pair of special numbers, against C's own pow by way of Python and its exceptions."""
    rows = np.array([(x, y) for x in POWERS for y in POWERS], dtype)

    def expected(x, y):
        try:
            return math.pow(x, y)
        except OverflowError:
            return -INF if x < 0 and y % 2 == 1 else INF
        except ValueError:  # a pole, or no real number
            return NAN if x else math.copysign(INF, x) if y % 2 == 1 else INF

    with np.errstate(over="ignore"):
        wanted = np.array([expected(*map(float, row)) for row in rows]).astype(dtype)
    got = function("pow", rows)
    np.testing.assert_allclose(got, wanted, rtol=4 * np.finfo(dtype).eps, atol=0)
    zero = wanted == 0.0
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(wanted[zero]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bad", [NAN, INF, 0.0, -1e30])
@pytest.mark.parametrize("name", SAMPLES)
def test_neighbours_in_the_batch_do_not_matter(name, bad, dtype):
    x = next(iter(samples(name, dtype, 400).values()))
    mixed = x.copy()
    mixed[::8] = bad
    rest = np.arange(len(x)) % 8 != 0
    np.testing.assert_array_equal(batched(name, mixed)[rest], batched(name, x)[rest])


def soak(n):
    """Prints the worst error of n random values of each kind."""
    for name in SAMPLES:
        for dtype in DTYPES:
            for case, x in samples(name, dtype, n, seed=None).items():
                worst = worst_ulp(batched(name, x), true_values(name, x))
                print(f"{name:6} {dtype.__name__:8} {case:30} {worst:6.3f}", flush=True)


if __name__ == "__main__":
    soak(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
