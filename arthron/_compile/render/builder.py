"""LLVM text of a function over lanes, written as arithmetic on values.

`x * y + 1.0` writes two instructions and is the name of the second one's result, so that a function
reads like its formula. Plain numbers are constants in every lane. Nothing is fused unless `fma`
says so: the error terms of sums and products come out exact, with machines that fuse and without.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from fractions import Fraction

from .lanes import number

BITS = {"double": 64, "float": 32, "i64": 64, "i32": 32, "i1": 1}


class Code:
    """The body of one function, in the order it is written.

    Attributes:
        count: lanes of every value in it.
        fused: whether the machine multiplies and adds in one instruction.
        lines: the instructions.
    """

    def __init__(self, count: int, *, fused: bool) -> None:
        self.count, self.fused = count, fused
        self.lines: list[str] = []
        self._values = 0

    def wide(self, element: str) -> str:
        """The LLVM name of a lane-wide type."""
        return element if self.count == 1 else f"<{self.count} x {element}>"

    def emit(self, element: str, text: str) -> Value:
        """The result of an instruction, with lanes of `element`."""
        name = f"%t{self._values}"
        self._values += 1
        self.lines.append(f"  {name} = {text}")
        return Value(self, element, name)

    def constant(self, element: str, x: float) -> Value:
        """A number in every lane."""
        is_float = element in ("double", "float")
        text = number(x, BITS[element]) if is_float else str(int(x))
        return Value(self, element, text if self.count == 1 else f"splat ({element} {text})")

    def intrinsic(self, name: str, *args: Value) -> Value:
        """One of LLVM's functions of values of one type, which machines have as an instruction."""
        kind = f"f{BITS[args[0].element]}" if args[0].is_float else args[0].element
        suffix = kind if self.count == 1 else f"v{self.count}{kind}"
        listed = ", ".join(f"{a.type} {a}" for a in args)
        return self.emit(args[0].element, f"call {args[0].type} @llvm.{name}.{suffix}({listed})")

    def unless(self, usual: Value, name: str, *args: Value) -> None:
        """Leave the function here with the result of another one, unless all lanes are usual."""
        every = usual
        if self.count > 1:
            kind = f"v{self.count}i1"
            every = self.emit("i1", f"call i1 @llvm.vector.reduce.and.{kind}({usual.type} {usual})")
        self.lines += [f"  br i1 {every}, label %usual, label %rare", "rare:"]
        listed = ", ".join(f"{a.type} {a}" for a in args)
        result = self.emit(args[0].element, f"call {args[0].type} @{name}({listed})")
        self.lines += [f"  ret {result.type} {result}", "usual:"]

    def define(self, name: str, parameters: Sequence[Value], *results: Value) -> str:
        """The function; several results are returned as a struct."""
        kind, value = results[0].type, str(results[0])
        if len(results) > 1:
            kind, value = f"{{ {', '.join(r.type for r in results)} }}", "poison"
            for k, result in enumerate(results):
                text = f"insertvalue {kind} {value}, {result.type} {result}, {k}"
                value = str(self.emit("", text))
        listed = ", ".join(f"{p.type} {p}" for p in parameters)
        body = "\n".join(self.lines)
        return (
            f"define internal {kind} @{name}({listed}) noinline nounwind {{\nentry:\n{body}\n"
            f"  ret {kind} {value}\n}}"
        )


class Value:
    """A lane-wide value of the function being written.

    Attributes:
        element: LLVM name of what a lane holds.
    """

    __slots__ = ("code", "element", "name")

    def __init__(self, code: Code, element: str, name: str) -> None:
        self.code, self.element, self.name = code, element, name

    def __str__(self) -> str:
        return self.name

    @property
    def type(self) -> str:
        """LLVM name of its type."""
        return self.code.wide(self.element)

    @property
    def is_float(self) -> bool:
        """Whether lanes hold floating-point numbers."""
        return self.element in ("double", "float")

    def like(self, x: Value | float) -> Value:
        """A number as a value of this type."""
        return x if isinstance(x, Value) else self.code.constant(self.element, x)

    def _apply(self, name: str, other: Value | float) -> Value:
        return self.code.emit(self.element, f"{name} {self.type} {self}, {self.like(other)}")

    def __add__(self, other: Value | float) -> Value:
        return self._apply("fadd" if self.is_float else "add", other)

    def __sub__(self, other: Value | float) -> Value:
        return self._apply("fsub" if self.is_float else "sub", other)

    def __rsub__(self, other: float) -> Value:
        return self.like(other) - self

    def __mul__(self, other: Value | float) -> Value:
        return self._apply("fmul" if self.is_float else "mul", other)

    def __truediv__(self, other: Value | float) -> Value:
        return self._apply("fdiv", other)

    def __rtruediv__(self, other: float) -> Value:
        return self.like(other) / self

    def __neg__(self) -> Value:
        return (
            self.code.emit(self.element, f"fneg {self.type} {self}") if self.is_float else 0 - self
        )

    def __abs__(self) -> Value:
        return self.code.intrinsic("fabs", self)

    def __and__(self, other: Value | int) -> Value:
        return self._apply("and", other)

    def __or__(self, other: Value | int) -> Value:
        return self._apply("or", other)

    def __xor__(self, other: Value | int) -> Value:
        return self._apply("xor", other)

    def __invert__(self) -> Value:
        return self ^ -1

    def __lshift__(self, other: Value | int) -> Value:
        return self._apply("shl", other)

    def __rshift__(self, other: Value | int) -> Value:
        return self._apply("lshr", other)

    def signed_shift(self, by: int) -> Value:
        """Shifted right, with copies of the sign coming in."""
        return self._apply("ashr", by)

    def compare(self, predicate: str, other: Value | float) -> Value:
        """One bit a lane; predicates as LLVM calls them."""
        name = "fcmp" if self.is_float else "icmp"
        return self.code.emit("i1", f"{name} {predicate} {self.type} {self}, {self.like(other)}")

    def __lt__(self, other: Value | float) -> Value:
        return self.compare("olt" if self.is_float else "slt", other)

    def __gt__(self, other: Value | float) -> Value:
        return self.compare("ogt" if self.is_float else "sgt", other)

    def equals(self, other: Value | float) -> Value:
        """Where this is equal to another, as numbers are."""
        return self.compare("oeq" if self.is_float else "eq", other)

    def choose(self, a: Value, b: Value | float) -> Value:
        """`a` where this bit is set, else `b`."""
        b = a.like(b)
        return self.code.emit(a.element, f"select {self.type} {self}, {a.type} {a}, {b.type} {b}")

    def bits(self) -> Value:
        """The bits of floating-point numbers as integers."""
        return self._to("bitcast", f"i{BITS[self.element]}")

    def floats(self) -> Value:
        """Integers as the bits of floating-point numbers."""
        return self._to("bitcast", {64: "double", 32: "float"}[BITS[self.element]])

    def to(self, element: str) -> Value:
        """The same numbers in another type; integers are taken to be positive."""
        if element == self.element:
            return self
        wider = BITS[element] > BITS[self.element]
        if not self.is_float and element in ("double", "float"):
            name = "uitofp"
        elif self.is_float:
            name = "fpext" if wider else "fptrunc"
        else:
            name = "zext" if wider else "trunc"
        return self._to(name, element)

    def _to(self, name: str, element: str) -> Value:
        text = f"{name} {self.type} {self} to {self.code.wide(element)}"
        return self.code.emit(element, text)

    def lane(self, k: int, code: Code) -> Value:
        """One lane, as a value of `code`, which has one."""
        if self.code.count == 1:
            return Value(code, self.element, self.name)
        text = f"extractelement {self.type} {self}, i32 {k}"
        return Value(code, self.element, self.code.emit(self.element, text).name)

    def with_lane(self, k: int, one: Value) -> Value:
        """This with another value in one lane."""
        if self.code.count == 1:
            return Value(self.code, self.element, one.name)
        text = f"insertelement {self.type} {self}, {self.element} {one}, i32 {k}"
        return self.code.emit(self.element, text)


def fma(a: Value, b: Value | float, c: Value | float) -> Value:
    """a b + c, rounded once where the machine can, else twice."""
    return a.code.intrinsic("fma", a, a.like(b), a.like(c)) if a.code.fused else a * b + c


def polynomial(z: Value, coefficients: Sequence[float]) -> Value:
    """The sum of coefficients times powers of z, the constant one first."""
    *rest, last = coefficients
    value = z.like(last)
    for coefficient in reversed(rest):  # Horner: the fewest multiplications, and rows overlap
        value = fma(value, z, coefficient)
    return value


def sum_error(a: Value, b: Value, total: Value) -> Value:
    """What rounding took from total = a + b, exactly, if |a| >= |b| or a = 0."""
    return (a - total) + b


def product_error(a: Value, b: Value | float, product: Value) -> Value:
    """What rounding took from product = a b, exactly.

    Without fused instructions by halves, whose products are exact (Dekker, Veltkamp), for numbers
    that a factor of 2^27 does not make infinite.
    """
    if a.code.fused:
        return fma(a, b, -product)
    a_hi, a_lo = _halves(a)
    if isinstance(b, Value):
        b_hi, b_lo = _halves(b)
    else:
        b_hi, b_lo = map(a.like, pieces(Fraction(b), HALF[a.element], HALF[a.element]))
    return ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo


DIGITS, HALF = {"double": 53, "float": 24}, {"double": 26, "float": 12}
"""Bits of a number, and of the first half of one."""


def _halves(x: Value) -> tuple[Value, Value]:
    """Two numbers of half the digits with the sum x."""
    far = x * (2.0 ** (DIGITS[x.element] - HALF[x.element]) + 1.0)
    hi = far - (far - x)
    return hi, x - hi


def remainder(a: Value, q: Value, b: Value) -> Value:
    """a - q b for a quotient q of the two."""
    if a.code.fused:
        return fma(-q, b, a)
    product = q * b
    return (a - product) - product_error(q, b, product)


def sum_and_product(c: Value, a: Value, b: Value | float) -> tuple[Value, Value]:
    """c + a b, rounded, and what rounding took, if |c| >= |a b|."""
    if a.code.fused:
        total = fma(a, b, c)
        return total, fma(a, b, c - total)
    product = a * b
    total = c + product
    return total, sum_error(c, product, total) + product_error(a, b, product)


def product_and_sum(a: Value, b: Value | float, c: Value) -> tuple[Value, Value]:
    """a b + c, rounded, and what rounding took, if |a b| >= |c| or a = 0."""
    if a.code.fused:
        total = fma(a, b, c)
        return total, fma(a, b, -total) + c
    product = a * b
    total = product + c
    return total, sum_error(product, c, total) + product_error(a, b, product)


def pieces(x: Fraction, *bits: int) -> tuple[float, ...]:
    """Numbers of so many bits each, the largest first, with the sum x but for what is behind."""
    found: list[float] = []
    for count in bits:
        rest = x - sum(map(Fraction, found))
        unit = Fraction(2) ** (math.frexp(float(rest))[1] - count)
        found.append(float(round(rest / unit) * unit))
    return tuple(found)


def copy_sign(size: Value, sign: Value) -> Value:
    """A value that is not negative, with the sign of another."""
    top = 1 << (BITS[sign.element] - 1)
    return (size.bits() | (sign.bits() & top)).floats()


def float_bits(x: float, bits: int) -> int:
    """The bits of a number as an integer."""
    codes = {64: ("<d", "<Q"), 32: ("<f", "<I")}[bits]
    return struct.unpack(codes[1], struct.pack(codes[0], x))[0]
