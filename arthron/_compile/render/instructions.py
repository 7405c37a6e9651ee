"""LLVM text of each operation: one row per operation, and the sine and cosine they share."""

from __future__ import annotations

from ..._graph.ops import Op
from .arrays import whole_index
from .lanes import Lanes


def _arithmetic(name: str):
    """Arithmetic that may be fused, a product with a sum, on machines that do so."""
    return lambda t, r, a, b: f"{r} = {name}{' contract' * t.fma} {t.type} {a}, {b}"


def _intrinsic(name: str):
    def text(t: Lanes, r: str, *args: str) -> str:
        listed = ", ".join(f"{t.type} {a}" for a in args)
        return f"{r} = call {t.type} @llvm.{name}.{t.suffix}({listed})"

    return text


def _comparison(predicate: str):
    bit = "i1"
    return lambda t, r, a, b: (
        f"{r}.bit = fcmp {predicate} {t.type} {a}, {b}\n"
        f"  {r} = select {t.wide(bit)} {r}.bit, {t.type} {t.splat(1.0)}, {t.type} {t.splat(0.0)}"
    )


def _part(k: int):
    def text(t: Lanes, r: str, a: str) -> str:
        both = f"{{ {t.type}, {t.type} }}"
        return (f"{r}.both = call {both} @sincos({t.type} {a})\n"
                f"  {r} = extractvalue {both} {r}.both, {k}")  # fmt: skip

    return text


def _lookup(t: Lanes, r: str, index: str, table: str, size: int) -> str:
    """Entries of a constant array, one lane at a time; the index is clamped, NaN to the first."""
    lines = whole_index(t, r, index, size)
    if t.count == 1:
        lines += [f"{r}.at = getelementptr {t.element}, ptr {table}, i32 {r}.whole",
                  f"{r} = load {t.element}, ptr {r}.at"]  # fmt: skip
        return "\n  ".join(lines)
    value = "poison"
    for k in range(t.count):
        name = r if k == t.count - 1 else f"{r}.v{k}"
        lines += [
            f"{r}.i{k} = extractelement {t.wide('i32')} {r}.whole, i32 {k}",
            f"{r}.at{k} = getelementptr {t.element}, ptr {table}, i32 {r}.i{k}",
            f"{r}.x{k} = load {t.element}, ptr {r}.at{k}",
            f"{name} = insertelement {t.type} {value}, {t.element} {r}.x{k}, i32 {k}",
        ]
        value = name
    return "\n  ".join(lines)


INSTRUCTION = {
    Op.ADD: _arithmetic("fadd"),
    Op.SUB: _arithmetic("fsub"),
    Op.MUL: _arithmetic("fmul"),
    Op.DIV: _arithmetic("fdiv"),
    Op.NEG: lambda t, r, a: f"{r} = fneg {t.type} {a}",
    Op.SIN: _part(0),
    Op.COS: _part(1),
    Op.SQRT: _intrinsic("sqrt"),
    Op.EXP: _intrinsic("exp"),
    Op.LOG: _intrinsic("log"),
    Op.ATAN2: _intrinsic("atan2"),
    Op.ABS: _intrinsic("fabs"),
    Op.MIN: _intrinsic("minimum"),
    Op.MAX: _intrinsic("maximum"),
    Op.FLOOR: _intrinsic("floor"),
    Op.LESS: _comparison("olt"),
    Op.LESS_EQUAL: _comparison("ole"),
    Op.EQUAL: _comparison("oeq"),
    Op.LOOKUP: lambda t, r, index, table, size: _lookup(t, r, index, table, size),
    Op.WHERE: lambda t, r, c, a, b: (
        f"{r}.bit = fcmp une {t.type} {c}, {t.splat(0.0)}\n"
        f"  {r} = select {t.wide('i1')} {r}.bit, {t.type} {a}, {t.type} {b}"
    ),
}
"""Text that puts the operation of values a, b, ... of machine type t into r."""

INTRINSICS = {"sqrt": 1, "exp": 1, "log": 1, "atan2": 2, "fabs": 1, "minimum": 2, "maximum": 2,
              "floor": 1, "fma": 3, "minnum": 2, "maxnum": 2}  # fmt: skip
"""Intrinsics and how many arguments they take."""


def declarations(t: Lanes) -> str:
    """What a module must declare to use the instructions on values of type t."""
    lines = [
        f"declare {t.type} @llvm.{name}.{t.suffix}({', '.join([t.type] * n)})"
        for name, n in INTRINSICS.items()
    ]
    if t.bits == 32:  # sine and cosine reduce their argument in double precision
        d = Lanes(t.count, 64)
        lines.append(f"declare {d.type} @llvm.fma.{d.suffix}({d.type}, {d.type}, {d.type})")
    if t.count > 1:
        bits = f"v{t.count}i1"
        lines.append(f"declare i1 @llvm.vector.reduce.or.{bits}(<{t.count} x i1>)")
    return "\n".join(lines)


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
TWO_OVER_PI = 0.6366197723675814
ROUND = 6755399441055744.0
"""1.5 * 2^52: adding it rounds to an integer, which then stands in the low bits."""
FAR = 1073741824.0
"""Beyond 2^30 radians the C library reduces the argument."""


def sincos(t: Lanes) -> str:
    """The function `sincos`: both at once, within about one unit in the last place.

    The argument is reduced by multiples of pi/2 in three pieces with fused multiply-adds; the first
    subtraction is exact. Lanes beyond `FAR`, infinite or NaN send the whole call to the C library.
    """
    d = Lanes(t.count, 64)
    both = f"{{ {t.type}, {t.type} }}"
    lines: list[str] = []
    counter = iter(range(10_000))

    def emit(text: str) -> str:
        name = f"%t{next(counter)}"
        lines.append(f"  {name} = {text}")
        return name

    def fma(kind: Lanes, a: str, b: str, c: str) -> str:
        return emit(f"call {kind.type} @llvm.fma.{kind.suffix}({kind.type} {a}, {kind.type} {b}, "
                    f"{kind.type} {c})")  # fmt: skip

    def polynomial(z: str, coefficients: tuple[float, ...]) -> str:
        value = t.splat(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            value = fma(t, value, z, t.splat(coefficient))
        return value

    x = "%x" if t.bits == 64 else emit(f"fpext {t.type} %x to {d.type}")
    shifted = fma(d, x, d.splat(TWO_OVER_PI), d.splat(ROUND))
    k = emit(f"fsub {d.type} {shifted}, {d.splat(ROUND)}")
    minus_k = emit(f"fneg {d.type} {k}")
    r = x
    for piece in HALF_PI:
        r = fma(d, minus_k, d.splat(piece), r)
    if t.bits == 32:
        r = emit(f"fptrunc {d.type} {r} to {t.type}")
    z = emit(f"fmul {t.type} {r}, {r}")
    rz = emit(f"fmul {t.type} {r}, {z}")
    sine = fma(t, rz, polynomial(z, SIN[t.bits]), r)
    cosine = fma(t, z, fma(t, z, polynomial(z, COS[t.bits]), t.splat(-0.5)), t.splat(1.0))

    # quadrant = low two bits of k: odd ones swap, and the sign follows the second bit
    i, j, bit = d.wide("i64"), t.wide(f"i{t.bits}"), t.wide("i1")

    def integer(value: int, kind: str) -> str:
        return str(value) if t.count == 1 else f"splat ({kind} {value})"

    n = emit(f"bitcast {d.type} {shifted} to {i}")
    if t.bits == 32:
        n = emit(f"trunc {i} {n} to {j}")
    element = f"i{t.bits}"
    odd = emit(f"trunc {j} {n} to {bit}")
    s = emit(f"select {bit} {odd}, {t.type} {cosine}, {t.type} {sine}")
    c = emit(f"select {bit} {odd}, {t.type} {sine}, {t.type} {cosine}")
    n1 = emit(f"add {j} {n}, {integer(1, element)}")

    def signed(value: str, quadrant: str) -> str:
        shift = emit(f"lshr {j} {quadrant}, {integer(1, element)}")
        sign = emit(f"shl {j} {shift}, {integer(t.bits - 1, element)}")
        bits = emit(f"bitcast {t.type} {value} to {j}")
        flipped = emit(f"xor {j} {bits}, {sign}")
        return emit(f"bitcast {j} {flipped} to {t.type}")

    s, c = signed(s, n), signed(c, n1)
    size = emit(f"call {t.type} @llvm.fabs.{t.suffix}({t.type} %x)")
    far = emit(f"fcmp ugt {t.type} {size}, {t.splat(FAR)}")
    any_far = far if t.count == 1 else emit(
        f"call i1 @llvm.vector.reduce.or.v{t.count}i1({bit} {far})")  # fmt: skip
    lines.append(f"  br i1 {any_far}, label %slow, label %done")
    lines.append("slow:")
    slow_s, slow_c = "poison", "poison"
    for lane in range(t.count):
        one = "%x" if t.count == 1 else emit(f"extractelement {t.type} %x, i32 {lane}")
        if t.bits == 32:
            one = emit(f"fpext float {one} to double")
        values = []
        for name in ("sin", "cos"):
            value = emit(f"call double @{name}(double {one})")
            if t.bits == 32:
                value = emit(f"fptrunc double {value} to float")
            values.append(value)
        if t.count == 1:
            slow_s, slow_c = values
        else:
            slow_s = emit(f"insertelement {t.type} {slow_s}, {t.element} {values[0]}, i32 {lane}")
            slow_c = emit(f"insertelement {t.type} {slow_c}, {t.element} {values[1]}, i32 {lane}")
    if t.count > 1:
        slow_s = emit(f"select {bit} {far}, {t.type} {slow_s}, {t.type} {s}")
        slow_c = emit(f"select {bit} {far}, {t.type} {slow_c}, {t.type} {c}")
    lines.append("  br label %done")
    lines.append("done:")
    s = emit(f"phi {t.type} [ {s}, %entry ], [ {slow_s}, %slow ]")
    c = emit(f"phi {t.type} [ {c}, %entry ], [ {slow_c}, %slow ]")
    pair = emit(f"insertvalue {both} poison, {t.type} {s}, 0")
    pair = emit(f"insertvalue {both} {pair}, {t.type} {c}, 1")
    body = "\n".join(lines)
    return (
        "declare double @sin(double)\ndeclare double @cos(double)\n"
        f"define internal {both} @sincos({t.type} %x) noinline nounwind {{\nentry:\n{body}\n"
        f"  ret {both} {pair}\n}}"
    )
