"""From LLVM text to object code, and from object code to what can be called here."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import itertools
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from ...errors import CompileError
from ..render.machine import Machine
from .children import CHILDREN
from .interpreter import layout_is_known, symbols

_numbers = itertools.count()
GROUP = 16
"""Kernels that share a linker: making one takes half a millisecond and 120 kB."""


@functools.cache
def host() -> Machine:
    """This machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    triple = llvm.get_process_triple()
    if triple.startswith(("aarch64", "arm64")):
        width = 128
    elif features.get("avx512f") and features.get("avx512vl") and features.get("avx512dq"):
        width = 512
    elif features.get("avx2") and features.get("fma"):
        width = 256
    else:
        width = 0
    listed = features.flatten() + (",-prefer-256-bit" if width == 512 else "")
    fma = bool(features.get("fma")) or not triple.startswith("x86")
    return Machine(triple, llvm.get_host_cpu_name(), listed, width, fma=fma)


@contextlib.contextmanager
def llvm_accepts() -> Iterator[None]:
    """What LLVM complains about is our mistake."""
    try:
        yield
    except RuntimeError as error:
        complaint = " ".join(str(error).splitlines()[:2])
        raise CompileError(
            f"LLVM does not accept the generated code: {complaint}. This is a bug in arthron; "
            "please report it with the page that led to it."
        ) from error


def assemble(texts: Iterable[str], machine: Machine) -> bytes:
    """Object code of the modules of a kernel, one behind the other, each behind its length."""
    with llvm_accepts():
        codes = CHILDREN.assemble(texts, machine)
    return b"".join(len(code).to_bytes(8, "little") + code for code in codes)


def objects(code: bytes) -> Iterator[bytes]:
    """What `assemble` put together."""
    start = 0
    while start < len(code):
        size, start = int.from_bytes(code[start : start + 8], "little"), start + 8
        yield code[start : start + size]
        start += size


@functools.lru_cache(maxsize=1)
def _linker(pid: int, group: int) -> Any:
    """What links a group of kernels; kept alive by them, and freed with the last of them.

    LLVM keeps 11 kB of every kernel for as long as its linker is there, even of dropped ones.
    """
    machine = host()
    target = llvm.Target.from_triple(machine.triple)
    return llvm.create_lljit_compiler(
        target.create_target_machine(
            cpu=machine.cpu, features=machine.features, reloc="pic", codemodel="jitdefault"
        )
    )


@functools.cache
def fast_calls() -> bool:
    """Whether native code may read NumPy arrays by itself here; says so loudly when not."""
    known = layout_is_known()
    if not known:
        warnings.warn(
            "arthron: this interpreter lays out arrays in a way that was not foreseen, so calls go "
            "through ctypes. Results are the same; a call costs microseconds instead of "
            "nanoseconds. Please report your Python and NumPy versions.",
            RuntimeWarning,
            stacklevel=2,
        )
    return known


class Loaded:
    """Object code in memory.

    Attributes:
        run: `run(args, strides, start, stop)` through ctypes, without the interpreter's lock.
        repeat: `repeat(plan, first, last, start, stop)`, if the code is of a step in time, which
            has no `run`.
    """

    def __init__(
        self, code: bytes, dtype: np.dtype, keys: Sequence[str] = (), *, repeats: bool = False
    ) -> None:
        library = llvm.JITLibraryBuilder().add_current_process()
        for image in objects(code):
            library.add_object_img(image)
        for name in ("repeat",) if repeats else ("run", "entry"):
            library.export_symbol(name)
        self._keys = [sys.intern(key) for key in keys]  # the code refers to these very objects
        for name, address in symbols(dtype, self._keys).items():
            library.import_symbol(name, address)
        number = next(_numbers)
        try:
            linker = _linker(os.getpid(), number // GROUP)
            self._tracker = library.link(linker, f"arthron.{number}")
        except RuntimeError as error:
            raise CompileError(f"the compiled code does not link: {error}") from error
        i64, pointer = ctypes.c_int64, ctypes.c_void_p
        if repeats:
            kind = ctypes.CFUNCTYPE(i64, pointer, i64, i64, i64, i64)
            self.repeat = kind(self._tracker["repeat"])
        else:
            self.run = ctypes.CFUNCTYPE(i64, pointer, pointer, i64, i64)(self._tracker["run"])

    def caller(self, otherwise: Callable) -> Callable:
        """The fast call on arrays, which leaves to `otherwise` what it cannot take as it is."""
        return _Builtin(self, otherwise).function if fast_calls() else otherwise


class _PyMethodDef(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("function", ctypes.c_void_p),
                ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))  # fmt: skip


METH_FASTCALL_KEYWORDS = 0x82


class _Builtin:
    """A builtin function made of native code, bound to this object: it passes on what it refuses.

    The interpreter reads the definition behind a builtin even while it throws the builtin away, and
    does so to the very end, so definitions are never freed: some 220 bytes, which is all that stays
    of a kernel that nobody refers to any more.
    """

    def __init__(self, loaded: Loaded, otherwise: Callable) -> None:
        self.loaded, self.otherwise = loaded, otherwise
        address = loaded._tracker["entry"]
        definition = _PyMethodDef(b"compiled", address, METH_FASTCALL_KEYWORDS, None)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(definition))
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype = ctypes.py_object
        make.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
        self.function = make(ctypes.addressof(definition), self, None)

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.otherwise(*args, **named)
