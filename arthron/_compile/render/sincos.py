"""Sine and cosine together, over lanes, and the reduction of arguments however large."""

from __future__ import annotations

from fractions import Fraction

from .builder import Code, Value, fma, pieces, polynomial, product_error
from .lanes import Lanes

# Polynomials in z = r^2 for |r| <= pi/4: sin r = r + r z P(z), cos r = 1 - z/2 + z^2 Q(z).
# Minimax fits; relative errors 3e-18 and 5e-20 (double), 4e-9 and 1e-10 (single).
SIN = {
    64: (-0.16666666666666632, 0.008333333333322424, -0.00019841269829816053,
         2.7557313694900906e-06, -2.5050758600243578e-08, 1.5896824743438327e-10),
    32: (-0.16666654943001807, 0.008332178100215092, -0.00019517292555317598),
}  # fmt: skip
COS = {
    64: (0.0416666666666666, -0.0013888888888874138, 2.4801587289490878e-05,
         -2.755731435495659e-07, 2.0875723644160454e-09, -1.1359667708092163e-11),
    32: (0.041666646865260934, -0.001388736745521608, 2.4438444383615845e-05),
}  # fmt: skip
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
SHORT_HALF_PI = pieces(sum(map(Fraction, HALF_PI), Fraction()), 32, 32, 32, 53)
"""The same, with pieces whose products with quadrants are exact without fused instructions, but for
the last."""
TWO_OVER_PI = 0.6366197723675814
ROUND = 6755399441055744.0
"""1.5 * 2^52: adding it rounds to an integer, which then stands in the low bits."""
FAR = {True: 2.0**30, False: 2.0**20}
"""Beyond so many radians, with fused instructions and without, the argument is reduced with more of
the bits of 2/pi."""
BITS_OF_TWO_OVER_PI = (
    0,  # before the binary point
    0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561,
    0xB7246E3A424DD2E0, 0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484,
    0xE99C7026B45F7E41, 0x3991D639835339F4, 0x9C845F8BBDF9283B, 0x1FF897FFDE05980F,
    0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D, 0x7527BAC7EBE5F17B,
    0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB, 0xF0CFBC209AF4361D,
)  # fmt: skip


def sincos(t: Lanes) -> str:
    """The function `sincos`: both at once, within about one unit in the last place.

    The argument is reduced by multiples of pi/2 in three pieces with fused multiply-adds, in four
    without; the first subtraction is exact. Lanes beyond `FAR` are reduced by `far_angle`, one at a
    time. Infinities and NaN become NaN by themselves.
    """
    code = Code(t.count, fused=t.fma)
    x = Value(code, t.element, "%x")
    wide = x.to("double")
    shifted = fma(wide, TWO_OVER_PI, ROUND)
    r = _reduced(wide, shifted - ROUND)
    size = abs(x)
    far = (size > FAR[t.fma]) & (size < float("inf"))
    r, quadrant = _reduced_far(wide, far, r, shifted.bits())

    r, quadrant = r.to(t.element), quadrant.to(f"i{t.bits}")
    z = r * r
    sine = fma(r * z, polynomial(z, SIN[t.bits]), r)
    cosine = fma(z, fma(z, polynomial(z, COS[t.bits]), -0.5), 1.0)
    odd = quadrant.to("i1")  # quadrants 1 and 3 swap; the sign follows the second bit
    s = _signed(odd.choose(cosine, sine), quadrant)
    c = _signed(odd.choose(sine, cosine), quadrant + 1)
    words = ", ".join(f"i64 {word}" for word in BITS_OF_TWO_OVER_PI)
    table = f"@two_over_pi = private constant [{len(BITS_OF_TWO_OVER_PI)} x i64] [{words}]"
    return "\n".join([table, far_angle(t), code.define("sincos", [x], s, c)])


def _reduced(x: Value, k: Value) -> Value:
    """x - k pi/2."""
    r = x
    if x.code.fused:
        for piece in HALF_PI:
            r = fma(-k, piece, r)
        return r
    first, second, third, rest = (k * piece for piece in SHORT_HALF_PI)
    r = x - first
    less = r - second  # exact where r is the smaller one: 53 bits are enough then
    r = less + (((r - less) - second) - third)
    return r - rest


def _signed(value: Value, quadrant: Value) -> Value:
    """The value, with its sign changed in the second half of a turn."""
    top = 31 if value.element == "float" else 63
    return (value.bits() ^ ((quadrant >> 1) << top)).floats()


def _reduced_far(x: Value, far: Value, r: Value, quadrant: Value) -> tuple[Value, Value]:
    """Remainder and quadrant with those of far lanes put right, behind a branch seldom taken."""
    code, one = x.code, Code(1, fused=x.code.fused)
    some = far
    if code.count > 1:
        text = f"call i1 @llvm.vector.reduce.or.v{code.count}i1({far.type} {far})"
        some = code.emit("i1", text)
    code.lines += [f"  br i1 {some}, label %far, label %reduced", "far:"]
    given = far.choose(x, FAR[code.fused])
    slow_r, slow_quadrant = r, quadrant
    for k in range(code.count):
        argument = given.lane(k, one)
        both = code.emit("", f"call {{ double, i64 }} @far_angle(double {argument})")
        found = code.emit("double", f"extractvalue {{ double, i64 }} {both}, 0")
        turn = code.emit("i64", f"extractvalue {{ double, i64 }} {both}, 1")
        slow_r, slow_quadrant = slow_r.with_lane(k, found), slow_quadrant.with_lane(k, turn)
    slow_r, slow_quadrant = far.choose(slow_r, r), far.choose(slow_quadrant, quadrant)
    code.lines += ["  br label %reduced", "reduced:"]

    def either(near: Value, slow: Value) -> Value:
        return code.emit(near.element, f"phi {near.type} [ {near}, %entry ], [ {slow}, %far ]")

    return either(r, slow_r), either(quadrant, slow_quadrant)


def far_angle(t: Lanes) -> str:
    """The function `far_angle`: remainder and quadrant of one number of at least 2^20.

    Payne and Hanek: x = M 2^e with an integer M, so of the bits of 2/pi those that make multiples
    of four turns are left out, and 192 behind them are enough: 64 may cancel, 64 make the result.
    """
    code = Code(1, fused=t.fma)
    x = Value(code, "double", "%x")
    bits = x.bits()
    mantissa = (bits & (2**52 - 1)) | 2**52
    start = ((bits >> 52) & 2047) - (1075 - 62)  # of the window, in the table with its first zeros
    first, shift = start >> 6, start & 63
    words = []
    for k in range(4):
        at = code.emit("ptr", f"getelementptr i64, ptr @two_over_pi, i64 {first + k}")
        words.append(code.emit("i64", f"load i64, ptr {at}"))
    window = [code.intrinsic("fshl", words[k], words[k + 1], shift) for k in range(3)]

    # the product modulo 2^192: its highest two bits are the quadrant
    low = mantissa * window[1]
    middle = low + _high_product(mantissa, window[2])
    carry = middle.compare("ult", low).to("i64")
    high = mantissa * window[0] + _high_product(mantissa, window[1]) + carry
    quadrant = high >> 62
    turn, rest = (high << 2) | (middle >> 62), middle << 2
    up = turn >> 63  # the nearest quadrant is the next one, and the remainder negative
    flip = 0 - up
    turn, rest = turn ^ flip, rest ^ flip  # |remainder|, but for a unit nobody sees
    zeros = code.emit("i64", f"call i64 @llvm.ctlz.i64(i64 {turn}, i1 false)")
    turn = code.intrinsic("fshl", turn, rest, zeros)

    # 64 bits times pi/2, rounded once
    hi, lo = (turn & -2048).to("double"), (turn & 2047).to("double")
    r = hi * HALF_PI[0]
    tail = fma(hi, HALF_PI[1], product_error(hi, HALF_PI[0], r))
    r = r + fma(lo, HALF_PI[0], tail)
    r = r * (((1023 - 64) - zeros) << 52).floats()
    sign = bits >> 63
    r = (r.bits() ^ ((up ^ sign) << 63)).floats()
    quadrant = quadrant + up
    return code.define("far_angle", [x], r, (quadrant ^ (0 - sign)) + sign)


def _high_product(a: Value, b: Value) -> Value:
    """The upper 64 bits of a product of two integers, by their halves."""
    low = 2**32 - 1
    a0, a1, b0, b1 = a & low, a >> 32, b & low, b >> 32
    t = a1 * b0 + ((a0 * b0) >> 32)
    u = a0 * b1 + (t & low)
    return a1 * b1 + (t >> 32) + (u >> 32)
