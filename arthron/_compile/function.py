"""A compiled page: arrays in, arrays out, compiled for what it is first called with."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Generic

import numpy as np

from .._graph.graph import Graph
from .._graph.ops import Op
from .._graph.program import Program, Shape, Structure, pack, unpack
from ..errors import ShapeError
from . import cache
from .arguments import Arguments
from .lowering.schedule import op_count
from .run.cpu import HOST, Kernel
from .run.runner import AnyKernel, Runner
from .signature import Signature

PASSES = 10
"""Passes that a loop is taken to make when its cost is estimated."""


class Variant(Generic[AnyKernel]):
    """A page with a given set of inputs: its program, made when asked for, and its kernels.

    Attributes:
        kernels: code made so far, by bits of a number and whether it is for batches.
    """

    def __init__(
        self,
        trace: Callable[[], Program],
        key: str | None,
        runner: Runner[AnyKernel],
        states: int = 0,
    ) -> None:
        self._trace, self._key, self._runner, self._states = trace, key, runner, states
        self._compiling = threading.Lock()
        self._program: Program | None = None
        self.kernels: dict[tuple[int, bool], AnyKernel] = {}

    @property
    def program(self) -> Program:
        """The traced page."""
        if self._program is None:
            self._program = self._trace()
        return self._program

    def signature(self) -> Signature:
        """Shapes and cost of the traced page."""
        program = self.program
        flat = [position for _, positions in program.outputs for position in positions]
        loops = any(program.graph.nodes[p][0] is Op.LOOP for p in program.graph.needed(flat))
        ops = op_count(program.graph, flat)
        return Signature(
            tuple(program.inputs.values()),
            tuple(shape for shape, _ in program.outputs),
            program.structure,
            ops,
            op_count(program.graph, flat, PASSES) if loops else ops,
            loops,
            self._states,
        )

    def text(self, bits: int, batch: bool) -> str:
        """LLVM text of the page."""
        return self._runner.text(self.program, self.signature(), bits, batch)

    def kernel(self, bits: int, batch: bool) -> AnyKernel:
        """Code for numbers of `bits` bits: from memory, from disk, or made now."""
        kind = bits, batch and self._runner.has_lanes(bits)
        if kind not in self.kernels:
            with self._compiling:  # threads that ask for the same code wait for the first of them
                if kind not in self.kernels:
                    self.kernels[kind] = self._kernel(*kind)
        return self.kernels[kind]

    @property
    def key(self) -> str:
        """What the page computes, known beforehand or by its graph."""
        if self._key is None:
            program = self.program
            outputs = [p for _, positions in program.outputs for p in positions]
            shapes = (program.inputs, [shape for shape, _ in program.outputs], program.structure)
            self._key = cache.key("graph", program.graph.digest(outputs), shapes)
        return self._key

    def _kernel(self, bits: int, batch: bool) -> AnyKernel:
        runner = self._runner
        name = cache.key(self.key, cache.sources(), self._states, runner.key(bits, batch))
        kept = cache.load(name)
        if kept is None:
            runner.prepare()
            signature = self.signature()
            code = runner.assemble(self.program, signature, bits, batch)
            cache.store(name, asdict(signature), code)
        else:
            description, code = kept
            signature = Signature.from_json(description)
        return runner.load(code, signature, bits)


class Function:
    """A page compiled for one model. Call it with arrays; leading axes are a batch and broadcast.

    Attributes:
        op_count: arithmetic operations for one state.
        graph: the traced program.
        ir: LLVM text of the kernel for batches.
    """

    def __init__(
        self,
        arguments: Arguments,
        trace: Callable[[Mapping[str, Shape]], Program],
        key: str | None = None,
        remake: tuple = (),
        runner: Runner[Kernel] = HOST,
    ) -> None:
        self._remake = remake  # what makes it again, for pickles: a function and its arguments
        self.__name__ = arguments.call
        self.__signature__ = arguments.signature()
        self._arguments, self._trace, self._key = arguments, trace, key
        self._runner = runner
        self._required = arguments.required
        self._variants: dict[tuple[str, ...], Variant[Kernel]] = {}
        self._call: Callable[..., Any] = self._general
        self._fast = 0

    def __repr__(self) -> str:
        inputs = self._arguments.inputs
        order = sorted(inputs, key=lambda name: name in self._arguments.optional)
        shapes = ", ".join(f"{n} {inputs[n]}" for n in order)
        return f"<{self.__name__} compiled for {self._arguments.owner}: {shapes}>"

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._call(*args, **named)

    def __reduce__(self) -> tuple:
        return self._remake

    @property
    def op_count(self) -> int:
        """Arithmetic operations for one state."""
        return self._variant(self._required).signature().ops

    @property
    def graph(self) -> Graph:
        """The traced program."""
        return self._variant(self._required).program.graph

    @property
    def ir(self) -> str:
        """LLVM text of the double-precision kernel for batches on this machine."""
        return self._variant(self._required).text(64, batch=True)

    def digest(self) -> str:
        """What it computes: equal for equal programs."""
        return self._variant(self._required).key

    @property
    def arguments(self) -> Arguments:
        """What it takes."""
        return self._arguments

    def kernel(self, runner: Runner[AnyKernel], names: tuple[str, ...]) -> AnyKernel:
        """Its kernel for single states on another machine, in double precision."""
        return self._made(runner, names).kernel(64, batch=False)

    def _variant(self, names: tuple[str, ...]) -> Variant[Kernel]:
        if names not in self._variants:
            self._variants[names] = self._made(self._runner, names)
        return self._variants[names]

    def _made(self, runner: Runner[AnyKernel], names: tuple[str, ...]) -> Variant[AnyKernel]:
        inputs = {n: self._arguments.inputs[n] for n in names}
        key = None if self._key is None else cache.key(self._key, names)
        return Variant(lambda: self._trace(inputs), key, runner)

    def _general(self, *args: Any, out: Any = None, **named: Any) -> Any:
        """Any arguments at all: convert, broadcast, compile, run; or say what is wrong."""
        if self._fast and any(isinstance(a, float) for a in args) and all(map(_double, args)):
            args = tuple(np.array(a) if isinstance(a, float) else a for a in args)
            return self._call(*args, **({} if out is None else {"out": out}), **named)
        arrays = self._arguments.bind(args, named)
        batch = self._arguments.batch(arrays)
        dtype = _common_dtype(arrays.values())
        bits = 8 * dtype.itemsize
        kernel = self._variant(tuple(arrays)).kernel(bits, batch=bool(batch))
        shapes = [(*batch, *shape) for shape in kernel.signature.outputs]
        results = self._results(out, shapes, dtype, kernel.signature.structure)
        operands = [
            _rows(a, batch, len(self._arguments.inputs[n]), dtype) for n, a in arrays.items()
        ]
        targets = [
            r if _usable(r) and not any(np.may_share_memory(r, a) for a, _ in operands)
            else np.empty(r.shape, dtype)
            for r in results
        ]  # fmt: skip
        strides = [stride for _, stride in operands]
        strides += [dtype.itemsize * math.prod(s) for s in kernel.signature.outputs]
        rows = math.prod(batch)
        kernel.run([a for a, _ in operands] + targets, strides, rows)
        for result, target in zip(results, targets, strict=True):
            if target is not result:
                result[...] = target
        self._speed_up()
        return pack(kernel.signature.structure, results) if out is None else out

    def _speed_up(self) -> None:
        """Call builtins directly when new ones were compiled, each passing on to the next."""
        kernels = [
            (batch, len(names), bits, kernel)
            for names, variant in self._variants.items()
            for (bits, batch), kernel in variant.kernels.items()
        ]
        if len(kernels) == self._fast:
            return
        call = self._general
        # single states without optional inputs in double precision are asked first, so come last
        for *_, kernel in sorted(kernels, key=lambda k: (k[0], k[1], -k[2]), reverse=True):
            call = kernel.caller(call)
        self._fast, self._call = len(kernels), call

    def _results(
        self, out: Any, shapes: Sequence[Shape], dtype: np.dtype, structure: Structure
    ) -> list[np.ndarray]:
        if out is None:
            return [np.empty(shape, dtype) for shape in shapes]
        try:
            results = unpack(structure, out)
        except ValueError as expected:
            raise ShapeError(f"`out` is a {type(out).__name__}; give {expected}.") from None
        for result, shape in zip(results, shapes, strict=True):
            if not isinstance(result, np.ndarray):
                raise ShapeError(
                    f"`out` is a {type(result).__name__}; give an array of shape {shape}."
                )
            if result.shape != shape or result.dtype != dtype or not result.flags.writeable:
                frozen = "" if result.flags.writeable else ", read-only"
                raise ShapeError(
                    f"`out` has shape {result.shape} of {result.dtype}{frozen}, and the result has "
                    f"{shape} of {dtype}. Give `np.empty({shape}, np.{dtype})`, or leave `out` out."
                )
        for k, result in enumerate(results):
            if any(np.shares_memory(result, other) for other in results[:k]):
                raise ShapeError(
                    "arrays in `out` overlap, and one result would overwrite another. Give each "
                    "result an array of its own."
                )
        return results


def _common_dtype(arrays: Any) -> np.dtype:
    """float32 when every floating input is; else float64."""
    floating = [a.dtype for a in arrays if a.dtype.kind == "f"]
    single = floating and all(d.newbyteorder("=") == np.float32 for d in floating)
    return np.dtype(np.float32 if single else np.float64)


def _usable(array: np.ndarray) -> bool:
    """Whether native code can write the array as it lies."""
    return array.flags.c_contiguous and array.flags.aligned and array.dtype.isnative


def _double(x: Any) -> bool:
    """Whether something is a double, or an array of them."""
    return isinstance(x, float) or (isinstance(x, np.ndarray) and x.dtype == np.float64)


def _rows(array: np.ndarray, batch: Shape, inner: int, dtype: np.dtype) -> tuple[np.ndarray, int]:
    """The array as rows that native code can read, and the bytes from row to row."""
    lead, shape = array.shape[: array.ndim - inner], array.shape[array.ndim - inner :]
    size = math.prod(shape) * dtype.itemsize
    if math.prod(lead) == 1 and math.prod(batch) != 1:
        return np.ascontiguousarray(array.reshape(shape), dtype), 0  # one row for all
    if lead != batch:
        array = np.broadcast_to(array, (*batch, *shape))
    return np.require(array, dtype, ["C", "A"]), size
