"""Tiles: square blocks of a row-major batch, turned so that lanes hold neighbouring rows.

A batch arrives as rows, one state each; code that works on several states at once wants one
coordinate of all of them side by side. A tile is as many rows and columns as there are lanes.
"""

from __future__ import annotations

from collections.abc import Iterable

from .lanes import Lanes


def _transpose(t: Lanes, values: list[str], lines: list[str]) -> list[str]:
    """Shuffles that turn the rows of a square tile into its columns, in log2(lanes) rounds."""
    n = t.count
    stride = 1
    round_ = 0
    while stride < n:
        turned = list(values)
        for k in range(n):
            if k & stride:
                continue
            low, high = values[k], values[k | stride]
            for half, target in ((0, k), (1, k | stride)):
                mask = []
                for lane in range(n):
                    # lanes whose `stride` bit is clear come from the first row, others from the
                    # second; which half of each pair of blocks is kept depends on `half`
                    source = (lane & ~stride) | (stride if half else 0)
                    mask.append(source if not lane & stride else n + source)
                name = f"%x{round_}.{target}"
                picks = ", ".join(f"i32 {m}" for m in mask)
                lines.append(f"  {name} = shufflevector {t.type} {low}, {t.type} {high}, "
                             f"<{n} x i32> <{picks}>")  # fmt: skip
                turned[target] = name
        values = turned
        stride *= 2
        round_ += 1
    return values


def _mask(t: Lanes, columns: int) -> str:
    return "<" + ", ".join(f"i1 {int(k < columns)}" for k in range(t.count)) + ">"


def _row_addresses(t: Lanes, lines: list[str]) -> list[str]:
    for k in range(t.count):
        lines.append(f"  %a{k} = getelementptr ptr, ptr %rows, i64 {k}")
        lines.append(f"  %b{k} = load ptr, ptr %a{k}")
        lines.append(f"  %p{k} = getelementptr i8, ptr %b{k}, i64 %offset")
    return [f"%p{k}" for k in range(t.count)]


def _function(name: str, lines: Iterable[str]) -> str:
    body = "\n".join(lines)
    return (f"define internal void @{name}(ptr noalias %rows, i64 %offset, ptr noalias %slots) "
            f"noinline nounwind {{\n{body}\n  ret void\n}}")  # fmt: skip


def _store_row(t: Lanes, row: str, address: str, columns: int) -> str:
    if columns == t.count:
        return f"  store {t.type} {row}, ptr {address}, align {t.bytes}"
    return (f"  call void @llvm.masked.store.{t.suffix}.p0({t.type} {row}, ptr {address}, "
            f"i32 {t.bytes}, <{t.count} x i1> {_mask(t, columns)})")  # fmt: skip


def _is_narrow(t: Lanes, columns: int) -> bool:
    """Whether moving numbers one by one costs less than turning a whole tile."""
    return columns <= 1 + t.count // 4


def _narrow_in(t: Lanes, columns: int) -> str:
    lines: list[str] = []
    addresses = _row_addresses(t, lines)
    for column in range(columns):
        value = "poison"
        for k, address in enumerate(addresses):
            lines += [
                f"  %e{column}.{k} = getelementptr {t.element}, ptr {address}, i64 {column}",
                f"  %x{column}.{k} = load {t.element}, ptr %e{column}.{k}, align {t.bytes}",
                f"  %v{column}.{k} = insertelement {t.type} {value}, {t.element} %x{column}.{k}, "
                f"i32 {k}",
            ]
            value = f"%v{column}.{k}"
        lines.append(f"  %s{column} = getelementptr {t.type}, ptr %slots, i64 {column}")
        lines.append(f"  store {t.type} {value}, ptr %s{column}, align {t.count * t.bytes}")
    return _function(f"tile_in.{columns}", lines)


def _narrow_out(t: Lanes, columns: int) -> str:
    lines: list[str] = []
    addresses = _row_addresses(t, lines)
    for column in range(columns):
        lines.append(f"  %s{column} = getelementptr {t.type}, ptr %slots, i64 {column}")
        lines.append(f"  %v{column} = load {t.type}, ptr %s{column}, align {t.count * t.bytes}")
        for k, address in enumerate(addresses):
            lines += [
                f"  %x{column}.{k} = extractelement {t.type} %v{column}, i32 {k}",
                f"  %e{column}.{k} = getelementptr {t.element}, ptr {address}, i64 {column}",
                f"  store {t.element} %x{column}.{k}, ptr %e{column}.{k}, align {t.bytes}",
            ]
    return _function(f"tile_out.{columns}", lines)


def tile_in(t: Lanes, columns: int) -> str:
    """The function `tile_in.N`: N columns of all rows into N neighbouring slots."""
    if _is_narrow(t, columns):
        return _narrow_in(t, columns)
    lines: list[str] = []
    rows = []
    for k, address in enumerate(_row_addresses(t, lines)):
        if columns == t.count:
            lines.append(f"  %r{k} = load {t.type}, ptr {address}, align {t.bytes}")
        else:
            lines.append(
                f"  %r{k} = call {t.type} @llvm.masked.load.{t.suffix}.p0(ptr {address}, "
                f"i32 {t.bytes}, <{t.count} x i1> {_mask(t, columns)}, {t.type} zeroinitializer)"
            )
        rows.append(f"%r{k}")
    for k, column in enumerate(_transpose(t, rows, lines)[:columns]):
        lines.append(f"  %s{k} = getelementptr {t.type}, ptr %slots, i64 {k}")
        lines.append(f"  store {t.type} {column}, ptr %s{k}, align {t.count * t.bytes}")
    return _function(f"tile_in.{columns}", lines)


def tile_out(t: Lanes, columns: int) -> str:
    """The function `tile_out.N`: N neighbouring slots into N columns of all rows."""
    if _is_narrow(t, columns):
        return _narrow_out(t, columns)
    lines: list[str] = []
    addresses = _row_addresses(t, lines)
    values = []
    for k in range(t.count):
        if k < columns:
            lines.append(f"  %s{k} = getelementptr {t.type}, ptr %slots, i64 {k}")
            lines.append(f"  %v{k} = load {t.type}, ptr %s{k}, align {t.count * t.bytes}")
        values.append(f"%v{k}" if k < columns else "zeroinitializer")
    for address, row in zip(addresses, _transpose(t, values, lines), strict=True):
        lines.append(_store_row(t, row, address, columns))
    return _function(f"tile_out.{columns}", lines)


def tile_fill(t: Lanes, columns: int) -> str:
    """The function `tile_fill.N`: the first N of a row of constants into all rows."""
    lines: list[str] = [f"  %v0 = load {t.type}, ptr %slots, align {t.bytes}"]
    for address in _row_addresses(t, lines):
        lines.append(_store_row(t, "%v0", address, columns))
    return _function(f"tile_fill.{columns}", lines)


def tile_clear(t: Lanes, columns: int) -> str:
    """The function `tile_clear.N`: zeros into all rows, as many bytes as the address of slots says.

    There is at least a vector of them: the first and the last one lie where they have to, those
    between on whole lines of the cache.
    """
    wide = t.count * t.bytes
    lines = [
        "  %size = ptrtoint ptr %slots to i64",
        f"  %rest = sub i64 %size, {wide}",
        "  br label %row0",
    ]
    for k in range(t.count):
        lines += [
            f"row{k}:",
            f"  %a{k} = getelementptr ptr, ptr %rows, i64 {k}",
            f"  %b{k} = load ptr, ptr %a{k}",
            f"  %p{k} = getelementptr i8, ptr %b{k}, i64 %offset",
            f"  %z{k} = getelementptr i8, ptr %p{k}, i64 %rest",
            f"  store {t.type} zeroinitializer, ptr %p{k}, align {t.bytes}",
            f"  store {t.type} zeroinitializer, ptr %z{k}, align {t.bytes}",
            f"  %past{k} = getelementptr i8, ptr %p{k}, i64 {wide}",
            f"  %first{k} = call ptr @llvm.ptrmask.p0.i64(ptr %past{k}, i64 -{wide})",
            f"  br label %loop{k}",
            f"loop{k}:",
            f"  %q{k} = phi ptr [ %first{k}, %row{k} ], [ %n{k}, %store{k} ]",
            f"  %more{k} = icmp ult ptr %q{k}, %z{k}",
            f"  br i1 %more{k}, label %store{k}, label %row{k + 1}",
            f"store{k}:",
            f"  store {t.type} zeroinitializer, ptr %q{k}, align {wide}",
            f"  %n{k} = getelementptr i8, ptr %q{k}, i64 {wide}",
            f"  br label %loop{k}",
        ]
    lines.append(f"row{t.count}:")
    return _function(f"tile_clear.{columns}", lines)


def declarations(t: Lanes) -> str:
    """Intrinsics that partly filled tiles use."""
    mask = f"<{t.count} x i1>"
    return (
        f"declare {t.type} @llvm.masked.load.{t.suffix}.p0(ptr, i32, {mask}, {t.type})\n"
        f"declare void @llvm.masked.store.{t.suffix}.p0({t.type}, ptr, i32, {mask})\n"
        "declare ptr @llvm.ptrmask.p0.i64(ptr, i64)"
    )
