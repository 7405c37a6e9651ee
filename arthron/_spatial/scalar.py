"""Functions of one scalar, whatever it is: a float, a NumPy array, or a traced `Expr`.

Pages and spatial types call these. A float goes to `math`, an `Expr` to its own method of the same
name, everything else to NumPy. This file is also the definition of every operation of the graph:
the interpreter evaluates a graph by calling what stands here.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

Scalar = Any
"""A float, a NumPy array (a batch of floats) or a traced `Expr`."""


def is_zero(x: Scalar) -> bool:
    """Whether a scalar is the constant zero, so that nothing need be computed with it."""
    return x == 0.0 if isinstance(x, (float, int)) else getattr(x, "is_zero", False)


def _unary(name: str, on_float: Callable[[float], float], on_array: Callable) -> Callable:
    def function(x: Scalar) -> Scalar:
        if type(x) is float:
            return on_float(x)
        method = getattr(x, name, None)
        return method() if method is not None and not isinstance(x, np.generic) else on_array(x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{name}` of any scalar."
    return function


def _or_nan(function: Callable[[float], float]) -> Callable[[float], float]:
    """`math` raises outside a function's domain; arrays and native code give NaN. So do we."""

    def total(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return total


def _quiet(function: Callable) -> Callable:
    def silent(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*args)

    return silent


sin = _unary("sin", _or_nan(math.sin), _quiet(np.sin))
cos = _unary("cos", _or_nan(math.cos), _quiet(np.cos))
sqrt = _unary("sqrt", _or_nan(math.sqrt), _quiet(np.sqrt))
exp = _unary("exp", _or_nan(math.exp), _quiet(np.exp))
log = _unary(
    "log", lambda x: math.log(x) if x > 0 else (-math.inf if x == 0 else math.nan), _quiet(np.log)
)
tanh = _unary("tanh", math.tanh, _quiet(np.tanh))
absolute = _unary("absolute", abs, np.abs)
floor = _unary("floor", lambda x: float(math.floor(x)) if math.isfinite(x) else x, np.floor)


def _binary(name: str, on_numbers: Callable) -> Callable:
    def function(a: Scalar, b: Scalar) -> Scalar:
        method = getattr(a, name, None) or getattr(b, f"r{name}", None)
        if method is None:
            return on_numbers(a, b)
        return method(b) if hasattr(a, name) else method(a)

    function.__name__ = function.__qualname__ = name
    return function


atan2 = _binary("atan2", lambda a, b: _plain(np.arctan2(a, b)))
pow = _binary("pow", _quiet(lambda a, b: _plain(np.power(a * 1.0, b))))
minimum = _binary("minimum", lambda a, b: _plain(np.minimum(a, b)))
maximum = _binary("maximum", lambda a, b: _plain(np.maximum(a, b)))
less = _binary("less", lambda a, b: _plain(np.less(a, b) * 1.0))
less_equal = _binary("less_equal", lambda a, b: _plain(np.less_equal(a, b) * 1.0))
equal = _binary("equal", lambda a, b: _plain(np.equal(a, b) * 1.0))
atan2.__doc__ = "Angle of the point (b, a), in (-pi, pi]."
pow.__doc__ = "a to the power b, any two numbers; NaN for a < 0 unless b is whole."
minimum.__doc__ = "The smaller of two scalars; NaN when either is."
maximum.__doc__ = "The larger of two scalars; NaN when either is."
less.__doc__ = "1 where a < b, else 0."
less_equal.__doc__ = "1 where a <= b, else 0."
equal.__doc__ = "1 where a == b, else 0."


def divide(a: Scalar, b: Scalar) -> Scalar:
    """a / b, where a float divided by zero is an infinity or NaN, as in an array."""
    if type(a) is float and type(b) is float and b == 0.0:
        return math.nan if a == 0.0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


def where(condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """`a` where `condition` is not zero, else `b`. The only branch a page can have."""
    for value in (condition, a, b):
        select = getattr(value, "select", None)
        if select is not None:
            return select(condition, a, b)
    if isinstance(condition, bool | float | int | np.generic):
        return a if condition else b
    return np.where(np.asarray(condition) != 0, a, b)


def lookup(table: tuple[float, ...], index: Scalar) -> Scalar:
    """Entry of a table at a whole-numbered index, the first or last beyond its ends or for NaN."""
    method = getattr(index, "lookup", None)
    if method is not None:
        return method(table)
    return _plain(np.asarray(table)[_place(len(table), index)])


class Entries(tuple):
    """The scalars of an array that is not traced."""

    __slots__ = ()


def entries(scalars: Iterable[Scalar]) -> Any:
    """An array of scalars; traced when one of them is."""
    made = Entries(scalars)
    for x in made:
        method = getattr(x, "array", None)
        if method is not None:
            return method(made)
    return made


def read(array: Any, index: Scalar) -> Scalar:
    """Entry of an array at a whole-numbered index, the first or last beyond its ends."""
    for value in (array, index):
        method = getattr(value, "read", None)
        if method is not None:
            return method(array, index)
    place = _place(len(array), index)
    if isinstance(place, int):
        return array[place]
    *columns, place = np.broadcast_arrays(*array, place)
    return np.take_along_axis(np.stack(columns), place[None], 0)[0]


def write(array: Any, index: Scalar, value: Scalar) -> Any:
    """The array with the entry at a whole-numbered index changed."""
    for x in (array, index, value):
        method = getattr(x, "write", None)
        if method is not None:
            return method(array, index, value)
    place = _place(len(array), index)
    if isinstance(place, int):
        return Entries((*array[:place], value, *array[place + 1 :]))
    return Entries(np.where(place == k, value, x) for k, x in enumerate(array))


def solve(matrix: Any, right: Any) -> Any:
    """x with A x = b, arrays with A row by row, by elimination without pivoting."""
    for x in (matrix, right):
        method = getattr(x, "solve", None)
        if method is not None:
            return method(matrix, right)
    n = len(right)
    rows = [[*matrix[n * i : n * (i + 1)], right[i]] for i in range(n)]
    inverses = []
    for k, pivot in enumerate(rows):
        inverses.append(divide(1.0, pivot[k]))
        for row in rows[k + 1 :]:
            factor = row[k] * inverses[k]
            row[k + 1 :] = [
                x - factor * y for x, y in zip(row[k + 1 :], pivot[k + 1 :], strict=True)
            ]
    x: list[Scalar] = [0.0] * n
    for i in reversed(range(n)):
        known = sum((rows[i][j] * x[j] for j in range(i + 1, n)), 0.0)
        x[i] = (rows[i][n] - known) * inverses[i]
    return Entries(x)


def _place(size: int, index: Scalar) -> Any:
    """An index as a whole number within an array, one or a batch of them; zero for NaN."""
    place = np.fmin(np.fmax(np.real(index), 0.0), size - 1.0)
    return int(place) if np.ndim(place) == 0 else np.asarray(place, dtype=int)


def epsilon(x: Scalar) -> Scalar:
    """The rounding of the number type that x is computed in: 2^-52 for double precision.

    Tolerances are multiples of it, since a test for 1e-13 is never met in single precision.
    """
    method = getattr(x, "epsilon", None)
    if method is not None:
        return method()
    kind = getattr(x, "dtype", None)
    return float(np.finfo(kind if kind is not None and kind.kind in "fc" else float).eps)


def _plain(x: Any) -> Any:
    """A float back from a NumPy function that was given floats."""
    return float(x) if isinstance(x, np.floating) else x


def series_limit(k: int) -> float:
    """Up to this |s| the power series of c_k has no cancellation and few terms."""
    return 0.5 * (k + 1) * (k + 2)


@functools.cache
def series_terms(k: int) -> int:
    """Terms of the power series that matter in double precision up to the limit."""
    size, i = 1.0, 0
    while size > 2.0**-54:
        i += 1
        size *= series_limit(k) / ((k + 2 * i) * (k + 2 * i - 1))
    return i


def series(k: int, s: Scalar) -> Scalar:
    """c_k(s) by its power series, for |s| up to `series_limit(k)`."""
    total = 1.0
    for i in range(series_terms(k), 0, -1):
        total = 1.0 - s * (1.0 / ((k + 2 * i) * (k + 2 * i - 1))) * total
    return total * (1.0 / math.factorial(k))


def closed_form(k: int, s: Scalar) -> Scalar:
    """c_k(s) from sine and cosine, for s of at least `series_limit(k)`.

    c_0 = cos t, c_1 = sin t / t, c_2 = 2 sin^2(t/2) / s with t = sqrt(s), and then upwards by
    c_(k+2) = (1/k! - c_k) / s.
    """
    t = sqrt(s)
    if k == 0:
        return cos(t)
    if k % 2:
        level, value = 1, sin(t) / t
    else:
        half = sin(0.5 * t)
        level, value = 2, 2.0 * half * half / s
    while level < k:
        value = (1.0 / math.factorial(level) - value) / s
        level += 2
    return value


def c(k: int, s: Scalar) -> Scalar:
    """The entire function c_k(s) = sum over i of (-s)^i / (k + 2i)!, for s = q.q >= 0.

    With s the squared angle, cos = c_0, sin = t c_1, 1 - cos = s c_2: what the exponential map
    needs, without a square root and with finite derivatives of every order at zero,
    dc_k/ds = (k c_(k+2) - c_(k+1)) / 2.
    """
    method = getattr(s, "c", None)
    if method is not None:
        return method(k)
    limit = series_limit(k)
    near = abs(s) <= limit
    if np.ndim(s) == 0:
        return series(k, s) if near else (closed_form(k, s) if s.real > 0 else math.nan)
    with np.errstate(all="ignore"):
        far = closed_form(k, np.where(near, limit, s))
        return np.where(near, series(k, np.where(near, s, 0.0)), far)
