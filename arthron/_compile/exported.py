"""A page as a file for WebAssembly, and a description of it for whoever runs it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._graph.program import Shape
from ..errors import FileError
from .run.wasm import WasmKernel

PAGE = 1 << 16
"""Bytes of a page of WebAssembly's memory."""
STACK = 1 << 18
"""Bytes for the stack, which grows down."""
NUMBER, ADDRESS, ALIGN = 8, 4, 16


@dataclass(frozen=True)
class Exported:
    """A page compiled to WebAssembly: what `ar.export` gives.

    The module exports `run(scratch, rows)`, and imports memory and a stack pointer. `manifest` says
    where in memory all that is; `docs/export.md` shows how to run it.

    Attributes:
        name: of the page.
        wasm: the module.
        inputs: name and shape of each array that it reads.
        results: name and shape of each array that it writes.
        scratch: bytes of memory that it works in.
        data: where its own data end, in bytes from the start of memory.
    """

    name: str
    wasm: bytes
    inputs: dict[str, Shape]
    results: dict[str, Shape]
    scratch: int
    data: int

    @classmethod
    def of(
        cls, name: str, kernel: WasmKernel, inputs: tuple[str, ...], results: tuple[str, ...]
    ) -> Exported:
        """A kernel with names."""
        taken = dict(zip(inputs, kernel.signature.inputs, strict=True))
        given = dict(zip(results, kernel.signature.outputs, strict=True))
        return cls(name, kernel.wasm, taken, given, kernel.scratch, kernel.data)

    def __repr__(self) -> str:
        listed = (", ".join(f"{n} {s}" for n, s in x.items()) for x in (self.inputs, self.results))
        return f"<{self.name} as WebAssembly, {len(self.wasm)} bytes: {' -> '.join(listed)}>"

    def manifest(self) -> dict[str, Any]:
        """Names, shapes and addresses, as JSON has them.

        `pages` is how much memory to make, 64 KiB each; the module never asks for more. `stack` is
        where the stack pointer starts, `rows` where a table of 32-bit addresses belongs: those of
        the inputs, then those of the results. Inputs and results are doubles in the order of
        NumPy's arrays. From `free` on memory is the host's.
        """
        stack = _aligned(self.data) + STACK
        rows = _aligned(stack + self.scratch)
        free = _aligned(rows + ADDRESS * (len(self.inputs) + len(self.results)))
        places: list[dict[str, Any]] = []
        for name, shape in (*self.inputs.items(), *self.results.items()):
            places.append({"name": name, "shape": list(shape), "address": free})
            free += NUMBER * math.prod(shape)
        n = len(self.inputs)
        return {
            "name": self.name, "pages": -(-free // PAGE), "stack": stack, "scratch": stack,
            "rows": rows, "inputs": places[:n], "results": places[n:], "free": free,
        }  # fmt: skip

    def save(self, path: str | Path) -> Path:
        """Write the module, and its manifest beside it under the same name with `.json`.

        Returns the path of the module, which ends in `.wasm`.
        """
        place = Path(path)
        module = place if place.suffix == ".wasm" else place.with_name(f"{place.name}.wasm")
        manifest = module.with_suffix(".json")
        try:
            module.write_bytes(self.wasm)
            manifest.write_text(json.dumps(self.manifest(), indent=1) + "\n")
        except OSError as error:
            why = error.strerror or str(error)
            raise FileError(f"cannot be written: {why}. Save it elsewhere.", str(module)) from error
        return module


def _aligned(address: int) -> int:
    return -(-address // ALIGN) * ALIGN
