"""Native code computes by itself: it calls Python and memory, and no mathematics of a C library."""

import struct

import llvmlite.binding as llvm
import numpy as np
import pytest
from test_native_ops import MODEL, all_ops, inputs
from test_targets import MACHINES as OTHERS
from test_targets import run

import arthron as ar
from arthron._compile.render.lanes import Lanes
from arthron._compile.render.machine import Machine
from arthron._compile.render.module import modules
from arthron._compile.run.native import Loaded, assemble, host, objects
from arthron._compile.signature import Signature
from arthron._pages.inputs import page_inputs
from arthron._pages.trace import trace

MEMORY = {"aligned_alloc", "free", "memset"}
MACHINES = {
    "this machine": host(),
    "SSE4.1": Machine("x86_64-unknown-linux-gnu", "x86-64-v2", "", 0, fma=False),
    **{n: OTHERS[n] for n in ("AVX2", "AVX-512", "NEON")},
}


def text(page, machine, lanes):
    program = trace(page, MODEL.tree, page_inputs(page, MODEL.tree))
    shapes = tuple(shape for shape, _ in program.outputs)
    signature = Signature(tuple(program.inputs.values()), shapes, program.structure, 99, 99, False)
    outputs = [list(p) for _, p in program.outputs]
    (source,) = modules(program.graph, outputs, signature, machine, lanes)
    return program, source


def undefined(code):
    """Names that an ELF object file leaves to others."""
    sections = {s.name(): s.data() for s in llvm.ObjectFileRef.from_data(code).sections()}
    names, table = sections[b".strtab"], sections[b".symtab"]
    found = set()
    for name, _, _, section, _, _ in struct.iter_unpack("<IBBHQQ", table):
        if section == 0 and name:
            found.add(names[name : names.index(b"\0", name)].decode())
    return found


@pytest.mark.skipif(not host().triple.endswith("linux-gnu"), reason="reads ELF")
@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("factor", [0, 1, 2], ids=["one lane", "full width", "twice the width"])
@pytest.mark.parametrize("name", MACHINES)
def test_no_function_of_a_library_is_called(name, factor, bits):
    machine = MACHINES[name]
    lanes = machine.lanes(bits, wide=factor > 0, registers=factor)
    (code,) = objects(assemble([text(all_ops, machine, lanes)[1]], machine))
    found = undefined(code)
    assert any(symbol.startswith("Py") for symbol in found)  # it is read right
    known = {s for s in found if s.startswith(("Py", "_Py", "arthron", "_GLOBAL_OFFSET"))}
    assert found - known <= MEMORY


@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16, 32])
def test_any_number_of_lanes_gives_the_same_numbers(lanes, bits):
    dtype = np.dtype(f"f{bits // 8}")
    program, source = text(all_ops, host(), Lanes(lanes, bits))
    loaded = Loaded(assemble([source], host()), dtype, program.structure)
    q = inputs((1000,), dtype.type)
    results = {
        name: np.empty((1000, *shape), dtype)
        for name, (shape, _) in zip(program.structure, program.outputs, strict=True)
    }
    run(loaded, [q, *results.values()], 1000)
    expected = ar.compile(all_ops, MODEL)(q)
    for name, got in results.items():
        np.testing.assert_array_equal(got, expected[name], err_msg=name)


def test_a_module_has_the_functions_it_uses():
    def page(tree, q):
        return ar.exp(q[1][0]) + ar.tanh(q[2][0])

    source = text(page, host(), Lanes(8, 64))[1]
    own = ("sincos", "far_angle", "exp", "log", "atan2", "tanh", "pow")
    assert {name for name in own if f" @{name}(" in source} == {"exp", "tanh"}
