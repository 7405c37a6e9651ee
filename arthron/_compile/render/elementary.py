"""Exponential, logarithm, power, hyperbolic tangent and angle over lanes, as polynomials.

Each is one LLVM function for any number of lanes, without branches and without the C library, which
has them one number at a time. Polynomials are minimax fits (Remez exchange at 50 digits), rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from ..._graph.ops import Op
from .builder import (
    Code,
    Value,
    copy_sign,
    float_bits,
    fma,
    pieces,
    polynomial,
    product_and_sum,
    product_error,
    remainder,
    sum_and_product,
    sum_error,
)
from .lanes import Lanes
from .linear_solve import solve
from .sincos import sincos

INF = math.inf
LOG2_E = 1.4426950408889634
LN_2 = {64: (0.6931471805599453, 2.3190468138462996e-17),
        32: (0.6931471824645996, -1.9046542121259336e-09)}  # fmt: skip
SHORT_LN_2 = {bits: pieces(sum(map(Fraction, LN_2[bits]), Fraction()), short, whole)
              for bits, short, whole in ((64, 42, 53), (32, 16, 24))}  # fmt: skip
"""With a first piece whose products with exponents are exact without fused instructions."""
QUARTER_PI = {64: (0.7853981633974483, 3.061616997868383e-17),
              32: (0.7853981852531433, -2.1855694143368964e-08)}  # fmt: skip

MANTISSA = {64: 52, 32: 23}
BIAS = {64: 1023, 32: 127}
ROUND = {64: 1.5 * 2.0**52, 32: 1.5 * 2.0**23}
"""Adding it rounds to an integer, which then stands in the low bits."""

# e^r = 1 + r + r^2 P(r) for |r| <= 0.369 (double), 0.349 (single): ln(2) / 2 and what `pow` adds;
# relative errors 2e-17 and 5e-9.
EXP = {
    64: (0.500000000000002, 0.1666666666666619, 0.0416666666664433, 0.008333333333599034,
         0.0013888888968195282, 0.0001984126935375906, 2.4801466614022647e-05,
         2.7557662907495914e-06, 2.7639887032864756e-07, 2.4992907629383356e-08),
    32: (0.4999999403953552, 0.16666515171527863, 0.041668444871902466, 0.008369307965040207,
         0.001381337409839034),
}  # fmt: skip
# log((1 + s) / (1 - s)) = 2 s + s z P(z) with z = s^2, up to sqrt(2); 2e-18 and 9e-10.
LOG = {
    64: (0.6666666666666735, 0.39999999999411295, 0.2857142874322269, 0.22222198479669836,
         0.1818356956693025, 0.15313907260208703, 0.14797471103489282),
    32: (0.6666677594184875, 0.3997749984264374, 0.2987300455570221),
}  # fmt: skip
# The same as w + w z (A + P(z)) with w = 2 s, z = w^2; 1e-20 and 1e-11. A is exact in either
# precision and so close to the whole that z P(z) <= 3.2e-5.
NEAR_TWELFTH = 693 / 8192
LONG_LOG = {
    64: (-0.0012613932291666667, 0.012500000000000703, 0.002232142857039077,
         0.00043402778359510235, 8.877824383233819e-05, 1.878266525939994e-05,
         4.045641230188496e-06, 1.006850705164592e-06),
    32: (-0.0012613932291666667, 0.01250004768371582, 0.002230244455859065,
         0.00045740025234408677),
}  # fmt: skip
# atan q = q + q z P(z) with z = q^2 for q <= tan(pi / 8); 1e-18 and 2e-9.
ATAN = {
    64: (-0.333333333333332, 0.19999999999953735, -0.1428571428020988, 0.11111110784062828,
         -0.09090897773303161, 0.07692060460043056, -0.06663106460175462, 0.05847904033622981,
         -0.050393582477631677, 0.038065597612016853, -0.017907996930855867),
    32: (-0.33333316445350647, 0.1999848484992981, -0.1424374282360077, 0.10595165193080902,
         -0.060812126845121384),
}  # fmt: skip
TAN_PI_8 = 0.41421356237309503


def _clamp(x: Value, low: float, high: float) -> Value:
    """x between two bounds; NaN stays."""
    x = (x > high).choose(x.like(high), x)
    return (x < low).choose(x.like(low), x)


def _in_halves(x: Value, bits: int) -> tuple[Value, Value]:
    """The integer k and r with x = k ln 2 + r, |r| <= ln(2) / 2."""
    shifted = fma(x, LOG2_E, ROUND[bits])
    k = shifted - ROUND[bits]
    r = x
    for piece in LN_2[bits] if x.code.fused else SHORT_LN_2[bits]:
        r = fma(-k, piece, r)
    return shifted.bits() - float_bits(ROUND[bits], bits), r


def _scaled(x: Value, k: Value, bits: int) -> Value:
    """x 2^k for x around one, where that is a normal number."""
    return (x.bits() + (k << MANTISSA[bits])).floats()


def _exp(x: Value, more: Value | None, bits: int) -> tuple[Value, Value]:
    """y around one and k with e^(x + more) = y 2^k, where `more` is at most 0.022, or 0.003."""
    k, r = _in_halves(x, bits)
    if more is not None:
        r = r + more
    return fma(r * r, polynomial(r, EXP[bits]), r) + 1.0, k


def _exp_anywhere(x: Value, more: Value | None, bits: int) -> Value:
    """e^(x + more), overflow and underflow included."""
    y, k = _exp(_clamp(x, *{64: (-746.0, 710.0), 32: (-104.0, 89.0)}[bits]), more, bits)
    half = k.signed_shift(1)  # two steps: 2^k may be too large or small for a number
    first, second = ((n + BIAS[bits]) << MANTISSA[bits] for n in (half, k - half))
    return y * first.floats() * second.floats()  # products, since NaN must stay


NORMAL = {64: 708.0, 32: 87.0}
"""Up to here e^x and e^-x are normal numbers."""


def exp(t: Lanes) -> str:
    """The function `exp`, and another for lanes near and beyond overflow and underflow."""
    x = Value(Code(t.count, fused=t.fma), t.element, "%x")
    anywhere = x.code.define("exp_anywhere", [x], _exp_anywhere(x, None, t.bits))
    x = Value(Code(t.count, fused=t.fma), t.element, "%x")
    x.code.unless(abs(x) < NORMAL[t.bits], "exp_anywhere", x)
    return "\n".join([anywhere, x.code.define("exp", [x], _scaled(*_exp(x, None, t.bits), t.bits))])


def _split(x: Value, bits: int) -> tuple[Value, Value, Value]:
    """k and m with x = 2^k m and m between the square roots of 1/2 and 2, and where that holds.

    It holds for all positive finite numbers that are not subnormal, but for the very least of them:
    counted from 2^least sqrt(1/2), bits above the mantissa are k, and one comparison is enough.
    """
    least, root = 2 - BIAS[bits], float_bits(math.sqrt(0.5), bits)
    start = root + (least << MANTISSA[bits])
    steps = x.bits() - start
    usual = steps.compare("ult", float_bits(INF, bits) - start)
    k = ((steps >> MANTISSA[bits]) + float_bits(ROUND[bits], bits)).floats()
    m = ((steps & ((1 << MANTISSA[bits]) - 1)) + root).floats()
    return k - (ROUND[bits] - least), m, usual


def _split_anywhere(x: Value, bits: int) -> tuple[Value, Value]:
    """The same for the very least and for subnormal numbers, too."""
    up = MANTISSA[bits] + 2
    tiny = x < 2.0 ** (2 - BIAS[bits])
    k, m, _ = _split(tiny.choose(x * 2.0**up, x), bits)
    return k - tiny.choose(x.like(float(up)), 0.0), m


def _log(k: Value, m: Value, bits: int) -> Value:
    """k ln 2 + log m; log(1 + f) = f - s (f - z P(z)) with s = f / (2 + f), z = s^2."""
    f = m - 1.0
    s = f / (m + 1.0)
    z = s * s
    less = fma(-z, polynomial(z, LOG[bits]), f)
    if f.code.fused:
        return fma(-s, less, fma(k, LN_2[bits][0], f))
    hi, lo = (k * piece for piece in SHORT_LN_2[bits])
    return hi + (f - (s * less - lo))


def _log_edges(y: Value, x: Value) -> Value:
    """The logarithm y of x >= 0, put right at zero and infinity."""
    return x.equals(0.0).choose(y.like(-INF), x.equals(INF).choose(y.like(INF), y))


def log(t: Lanes) -> str:
    """The function `log`, and another for lanes that are not normal numbers."""
    x = Value(Code(t.count, fused=t.fma), t.element, "%x")
    y = _log_edges(_log(*_split_anywhere(x, t.bits), t.bits), x)
    y = x.compare("oge", 0.0).choose(y, math.nan)
    anywhere = x.code.define("log_anywhere", [x], y)
    x = Value(Code(t.count, fused=t.fma), t.element, "%x")
    k, m, usual = _split(x, t.bits)
    x.code.unless(usual, "log_anywhere", x)
    return "\n".join([anywhere, x.code.define("log", [x], _log(k, m, t.bits))])


def _quotient(a: Value, a_more: Value | None, b: Value, b_more: Value) -> tuple[Value, Value]:
    """(a + a_more) / (b + b_more) as a sum of two, with one division."""
    w = 1.0 / b
    q = a * w
    rest = remainder(a, q, b)
    return q, w * fma(-q, b_more, rest if a_more is None else rest + a_more)


def tanh(t: Lanes) -> str:
    """The function `tanh`: E / (E + 2) with E = e^(2x) - 1, all as sums of two numbers."""
    x = Value(Code(t.count, fused=t.fma), t.element, "%x")
    double = abs(x) * 2.0
    most = {64: 40.0, 32: 20.0}[t.bits]  # beyond which it is one
    k, r = _in_halves((double > most).choose(double.like(most), double), t.bits)
    power = ((k + BIAS[t.bits]) << MANTISSA[t.bits]).floats()
    whole, part = power - 1.0, power * r
    head = whole + part
    tail = fma(power, r * r * polynomial(r, EXP[t.bits]), sum_error(whole, part, head))
    E = head + tail
    E_more = sum_error(head, tail, E)
    d = E + 2.0
    two = d - E
    d_more = ((E - (d - two)) + (2.0 - two)) + E_more
    q, more = _quotient(E, E_more, d, d_more)
    return x.code.define("tanh", [x], copy_sign(q + more, x))


def atan2(t: Lanes) -> str:
    """The function `atan2`: a multiple of pi/4, plus or minus the arc tangent of a small quotient.

    With a <= b the sizes of both arguments, the quotient is a / b, or (b - a) / (b + a) seen from
    the diagonal. It is taken as a sum of two numbers, and so is the multiple of pi/4.
    """
    code = Code(t.count, fused=t.fma)
    y, x = Value(code, t.element, "%y"), Value(code, t.element, "%x")
    height, width = abs(y), abs(x)
    steep = height > width
    a, b = steep.choose(width, height), steep.choose(height, width)
    endless = b.equals(INF)
    a = endless.choose(a.equals(INF).choose(a.like(1.0), 0.0), a)
    b = (endless | b.equals(0.0)).choose(b.like(1.0), b)
    # sums, the reciprocal of b and what rounding takes must not leave the range of numbers
    large, down, small, up = {
        64: (2.0**700, 2.0**-300, 2.0**600, 2.0**300),
        32: (2.0**90, 2.0**-40, 2.0**32, 2.0**64),
    }[t.bits]
    scale = (b > large).choose(b.like(down), (b < small).choose(b.like(up), 1.0))
    a, b = a * scale, b * scale

    diagonal = a > b * TAN_PI_8
    less, more = b - a, b + a
    zero = a.like(0.0)
    q, q_more = _quotient(
        diagonal.choose(less, a),
        diagonal.choose((b - less) - a, zero),
        diagonal.choose(more, b),
        diagonal.choose((b - more) + a, zero),
    )
    # each of the three mirrors the angle: at pi/4, at pi/2 for steep points, at pi for x < 0
    left = x.bits() < 0
    n = diagonal.choose(x.like(1.0), 0.0)
    n = steep.choose(2.0 - n, n)
    n = left.choose(4.0 - n, n)
    mirrored = diagonal ^ steep ^ left
    z = q * q
    tail = fma(q * z, polynomial(z, ATAN[t.bits]), q_more)
    q, tail = mirrored.choose(-q, q), mirrored.choose(-tail, tail)
    hi, lo = QUARTER_PI[t.bits]
    base = n * hi
    tail = tail + fma(n, lo, product_error(n, hi, base))
    angle = base + q
    angle = angle + (sum_error(base, q, angle) + tail)
    angle = copy_sign(angle, y)
    angle = x.compare("uno", y).choose(x.like(math.nan), angle)
    return code.define("atan2", [y, x], angle)


def _long_log(k: Value, m: Value, bits: int) -> tuple[Value, Value]:
    """k ln 2 + log m as a sum of two numbers, good to 62 bits, or 33 in single precision.

    The first is within 3.2e-5 and does not wait for the polynomial, which is left to the second.
    """
    hi, lo = LN_2[bits]
    f, d = m - 1.0, m + 1.0
    w, w_more = _quotient(f + f, None, d, m - (d - 1.0))
    z = w * w
    cube = w * z
    cube_more = fma(w, product_error(w, w, z), product_error(w, z, cube))
    g, g_more = sum_and_product(w, cube, NEAR_TWELFTH)
    y, y_more = product_and_sum(k, hi, g)
    less = fma(z * 0.25, w_more, w_more)  # as the cube grows with w, too
    less = fma(k, lo, fma(cube_more, NEAR_TWELFTH, less))
    return y, fma(cube, polynomial(z, LONG_LOG[bits]), y_more + (g_more + less))


def _exponent(y: Value, l: Value, l_more: Value) -> tuple[Value, Value]:
    """y (l + l_more) as a sum of two numbers."""
    p = y * l
    return p, fma(y, l_more, product_error(y, l, p))


def _pow_anywhere(t: Lanes) -> str:
    """The power of |x|, and the sign and the edges that the C standard asks for."""
    code = Code(t.count, fused=t.fma)
    x, y = Value(code, t.element, "%x"), Value(code, t.element, "%y")
    size = abs(x)
    l, l_more = _long_log(*_split_anywhere(size, t.bits), t.bits)
    p, p_more = _exponent(y, _log_edges(l, size), l_more)
    p_more = (abs(p) < 800.0).choose(p_more, 0.0)  # of an infinity it would be NaN
    z = _exp_anywhere(p, p_more, t.bits)
    whole = code.intrinsic("floor", y).equals(y)
    half = y * 0.5
    odd = whole & ~code.intrinsic("floor", half).equals(half)
    z = ((x.bits() < 0) & odd).choose(-z, z)
    undefined = (x < 0.0) & (size < INF) & ~whole | x.compare("uno", y)
    z = undefined.choose(z.like(math.nan), z)
    one = x.equals(1.0) | y.equals(0.0) | (size.equals(1.0) & abs(y).equals(INF))
    return code.define("pow_anywhere", [x, y], one.choose(z.like(1.0), z))


def pow(t: Lanes) -> str:
    """The function `pow`: e^(y log x), with logarithm and product in twice the precision.

    Lanes whose base or result is not a normal number are left to another function.
    """
    code = Code(t.count, fused=t.fma)
    x, y = Value(code, t.element, "%x"), Value(code, t.element, "%y")
    k, m, usual = _split(x, t.bits)
    p, p_more = _exponent(y, *_long_log(k, m, t.bits))
    code.unless(usual & (abs(p) < NORMAL[t.bits]), "pow_anywhere", x, y)
    z = _scaled(*_exp(p, p_more, t.bits), t.bits)
    return "\n".join([_pow_anywhere(t), code.define("pow", [x, y], z)])


FUNCTIONS: dict[Op, Callable[[Lanes], str]] = {
    Op.SIN: sincos,
    Op.COS: sincos,
    Op.EXP: exp,
    Op.LOG: log,
    Op.ATAN2: atan2,
    Op.TANH: tanh,
    Op.POW: pow,
    Op.SOLVE: solve,
}
"""The function that each operation calls."""


def functions(ops: Iterable[Op], t: Lanes) -> list[str]:
    """LLVM text of the functions that a program with these operations calls."""
    made = {FUNCTIONS[op] for op in ops if op in FUNCTIONS}
    return [make(t) for make in sorted(made, key=lambda make: make.__name__)]
